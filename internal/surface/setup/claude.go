package setup

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ios-agent/internal/machine/home"
)

// claudeCode is Claude Code: MCP servers of a project in .mcp.json, permissions and sandbox in .claude/settings.json.
func claudeCode(o Options) []edit {
	return append([]edit{
		{o.project(".mcp.json"), "offers the tools of `ios-agent mcp` in this project", inJSON(o.server)},
		{o.project(".claude", "settings.json"), "looks and acts without asking, and runs where ios-agent can reach its daemon", inJSON(o.grant)},
	}, o.skill(".claude")...)
}

// server declares the MCP server. Only the two keys are ours: env, timeouts and the like stay as their user set them.
func (o Options) server(d *document) error {
	if err := d.set([]string{"mcpServers", name, "command"}, quote(o.Binary)); err != nil {
		return err
	}
	return d.set([]string{"mcpServers", name, "args"}, serverArgs)
}

// serverArgs are the arguments that make us an MCP server, as JSON and as TOML.
const serverArgs = `["mcp"]`

// grant is an entry of a list in the settings.
type grant struct {
	list   []string   // where
	say    []string   // spellings of it; the first is what we write, any will do
	unless [][]string // lists that overrule it: what their user put there is not contradicted
}

func (o Options) grant(d *document) error {
	for _, g := range o.grants() {
		lists := append([][]string{g.list}, g.unless...)
		if slices.ContainsFunc(lists, func(l []string) bool { return d.lists(l, g.say) }) {
			continue
		}
		if err := d.add(g.list, g.say[0]); err != nil {
			return err
		}
	}
	return nil
}

// grants are the entries. The tempting one that is missing is a right to write to our home: a sandboxed command could
// then replace the programs in it, which the daemon runs outside any sandbox, or start a daemon that is sandboxed. Another
// is a rule for everything we can do: it would let a model run any program without a question.
func (o Options) grants() []grant {
	allow := []string{"permissions", "allow"}
	overruled := [][]string{{"permissions", "ask"}, {"permissions", "deny"}}
	whole := []string{"mcp__" + name, "mcp__" + name + "__*"}
	var all []grant
	for _, tool := range o.tools() {
		all = append(all, grant{list: allow, say: append([]string{"mcp__" + name + "__" + tool}, whole...), unless: overruled})
	}
	if plainCommand.MatchString(o.Binary) {
		for _, words := range o.verbs() {
			all = append(all, grant{list: allow, say: o.commandRules(strings.Join(words, " ")), unless: overruled})
		}
		all = append(all, grant{list: []string{"sandbox", "excludedCommands"}, say: []string{o.Binary + " *", o.Binary + ":*", o.Binary}})
	}
	if o.Home != "" {
		all = append(all, grant{list: []string{"sandbox", "network", "allowUnixSockets"}, say: o.spellings(home.Home(o.Home).Run())})
	}
	return all
}

// commandRules are the spellings of a rule for a verb; one for the whole program will do too. The rule with a colon covers
// whatever begins with it, which must not be another verb.
func (o Options) commandRules(verb string) []string {
	line := o.Binary + " " + verb
	rules := []string{"Bash(" + line + ":*)", "Bash(" + line + " *)", "Bash(" + o.Binary + ":*)", "Bash(" + o.Binary + " *)"}
	if o.covers(verb) {
		return rules[1:]
	}
	return rules
}

// plainCommand is a program that can stand in a permission rule, where spaces and parentheses mean something.
var plainCommand = regexp.MustCompile(`^[A-Za-z0-9_./@+-]+$`)

// spellings are a path as the settings may have it; by preference one that is true for the whole team.
func (o Options) spellings(path string) []string {
	below, err := filepath.Rel(o.UserHome, path)
	if err != nil || below == ".." || strings.HasPrefix(below, "../") {
		return []string{path}
	}
	return []string{"~/" + filepath.ToSlash(below), path}
}
