package setup

import (
	"slices"
	"strings"

	"ios-agent/internal/op"
)

// unattended are the operations that an agent may run without a question to its user.
func (o Options) unattended() (all []op.Op) {
	for _, one := range o.Operations {
		if one.Family == op.Core && one.Unattended() {
			all = append(all, one)
		}
	}
	return all
}

// tools are the names of the MCP tools among them. A name that another set gives to something else must be as harmless there. The
// tool that calls any operation by name is not one: a client cannot tell its calls apart.
func (o Options) tools() []string {
	names := []string{"find_tools"}
	for _, one := range o.unattended() {
		if one.Default && !slices.ContainsFunc(o.Operations, func(other op.Op) bool { return other.Name == one.Name && !other.Unattended() }) {
			names = append(names, one.Name)
		}
	}
	return names
}

// verbs are their command lines, each as its words. A command line with commands below it covers them too, so they must be as harmless.
func (o Options) verbs() (all [][]string) {
	for _, one := range o.unattended() {
		if one.Verb != "" && !slices.ContainsFunc(o.Commands, func(line string) bool { return strings.HasPrefix(line, one.Verb+" ") }) {
			all = append(all, strings.Fields(one.Verb))
		}
	}
	return all
}
