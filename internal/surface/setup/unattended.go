package setup

import (
	"slices"
	"strings"

	"ios-agent/internal/op"
)

// unattended are the operations that an agent may run without a question to its user. What starts foreign code of the
// caller's choice, and what may lose data, is never among them.
func (o Options) unattended() (all []op.Op) {
	for _, one := range o.Operations {
		if one.Family == op.Core && !one.Hints.Has(op.Executes) && !one.Hints.Has(op.Destructive) {
			all = append(all, one)
		}
	}
	return all
}

// tools are the names of the MCP tools among them. The tool that calls any operation by name is not one: a client cannot
// tell its calls apart.
func (o Options) tools() []string {
	names := []string{"find_tools"}
	for _, one := range o.unattended() {
		if one.Default {
			names = append(names, one.Name)
		}
	}
	return names
}

// verbs are their command lines, each as its words.
func (o Options) verbs() (all [][]string) {
	for _, one := range o.unattended() {
		if one.Verb != "" {
			all = append(all, strings.Fields(one.Verb))
		}
	}
	return all
}

// covers reports whether a rule for whatever begins with a verb would let another one through that needs a question.
func (o Options) covers(verb string) bool {
	return slices.ContainsFunc(o.Operations, func(one op.Op) bool {
		begins := func(words string) bool { return words != verb && strings.HasPrefix(words, verb) }
		return one.Hints.Has(op.Executes|op.Destructive) && slices.ContainsFunc(append(one.Aliases, one.Verb), begins)
	})
}
