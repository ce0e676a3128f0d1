package setup

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// codex is Codex: MCP servers in its config.toml, which it starts outside its sandbox, and a rule for commands.
//
// The tempting sandbox_workspace_write keys are left alone. Its sandbox refuses unix sockets whatever writable_roots
// says; only network_access lets them through, and with them the whole network, which is not ours to open. Neither goes
// with Codex's permission profiles. A rule is exactly what is needed: this command, outside the sandbox.
func codex(o Options) []edit {
	config := file{"", filepath.Join(o.CodexHome, "config.toml"), private}
	rules := o.project(".codex", "rules", name+".rules")
	return append([]edit{
		{config, "offers the tools of `ios-agent mcp`", inTOML(o.table)},
		whole(rules, "looks and acts outside the sandbox without asking, in this project once it is trusted", o.rules()),
	}, o.skill(".agents")...)
}

func (o Options) table(t *tables) error {
	at := []string{"mcp_servers", name}
	if err := t.set(at, "command", quote(o.Binary)); err != nil {
		return err
	}
	return t.set(at, "args", serverArgs)
}

// rules allow verbs, not the program: a verb that builds or runs code of the caller's choice needs a question.
func (o Options) rules() string {
	text := fmt.Sprintf("# %s\n# ios-agent talks to its daemon over a unix socket, which the sandbox refuses. "+
		"Commands that build or run code are not listed.\n", marker)
	first := map[string][]string{} // second words, by the words before
	for _, words := range o.verbs() {
		before := strings.Join(words[:len(words)-1], " ")
		first[before] = append(first[before], quote(words[len(words)-1]))
	}
	for _, before := range slices.Sorted(maps.Keys(first)) {
		pattern := quote(name)
		for word := range strings.FieldsSeq(before) {
			pattern += ", " + quote(word)
		}
		text += fmt.Sprintf("prefix_rule(\n    pattern = [%s, [%s]],\n    decision = \"allow\",\n)\n", pattern, strings.Join(first[before], ", "))
	}
	return text
}
