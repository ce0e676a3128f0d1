package setup

import (
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/machine/home"
)

// claudeCode is Claude Code: MCP servers of a project in .mcp.json, permissions and sandbox in .claude/settings.json, and what is
// true on this machine only in .claude/settings.local.json, which it keeps out of git.
func claudeCode(o Options) []edit {
	mcp := o.project(".mcp.json")
	all := []edit{
		{mcp, "offers the tools of `ios-agent mcp` in this project", inJSON(o.server(mcp, "mcpServers"))},
		{o.project(".claude", "settings.json"), "looks and acts without asking, and runs where ios-agent can reach its daemon",
			inJSON(o.grant(o.grants()))},
	}
	if run, usual := o.socket(); !usual && run != "" {
		own := o.project(".claude", "settings.local.json")
		own.mode = private
		all = append(all, edit{own, "reaches the daemon of this machine's home", inJSON(o.grant([]grant{o.reach(run)}))})
	}
	return append(all, o.skill(".claude")...)
}

// server declares the MCP server below a key. Only the two keys are ours: env, timeouts and the like stay as their user set them.
func (o Options) server(f file, key string) func(*document) error {
	return func(d *document) error {
		if err := d.set([]string{key, name, "command"}, quote(o.command(f))); err != nil {
			return err
		}
		return d.set([]string{key, name, "args"}, serverArgs)
	}
}

// command is how a file starts ios-agent. A file that a team shares has the bare name, whatever machine it was written on.
func (o Options) command(f file) string {
	if f.root != "" {
		return name
	}
	return o.Binary
}

// serverArgs are the arguments that make us an MCP server, as JSON and as TOML.
const serverArgs = `["mcp"]`

// grant is an entry of a list in the settings.
type grant struct {
	list   []string   // where
	say    []string   // spellings of it; the first is what we write, any will do
	unless [][]string // lists that overrule it: what their user put there is not contradicted
}

func (o Options) grant(all []grant) func(*document) error {
	return func(d *document) error {
		for _, g := range all {
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
}

// grants are the entries. Two tempting entries are missing. A right to write to ios-agent's home would let a sandboxed command replace the
// programs in it, which the daemon runs outside any sandbox, or start a sandboxed daemon. A rule for all commands would let a model run any
// program without a question, or outside the sandbox.
func (o Options) grants() []grant {
	allow := []string{"permissions", "allow"}
	overruled := [][]string{{"permissions", "ask"}, {"permissions", "deny"}}
	whole := []string{"mcp__" + name, "mcp__" + name + "__*"}
	var all []grant
	for _, tool := range o.tools() {
		all = append(all, grant{list: allow, say: append([]string{"mcp__" + name + "__" + tool}, whole...), unless: overruled})
	}
	var bash, outside []grant
	for _, words := range o.verbs() {
		lines := prefixes(strings.Join(words, " "))
		rules := make([]string, len(lines))
		for i, line := range lines {
			rules[i] = "Bash(" + line + ")"
		}
		bash = append(bash, grant{list: allow, say: rules, unless: overruled})
		outside = append(outside, grant{list: []string{"sandbox", "excludedCommands"}, say: append(lines, name)})
	}
	all = slices.Concat(all, bash, outside)
	if run, usual := o.socket(); usual {
		all = append(all, o.reach(run))
	}
	return all
}

// prefixes are the spellings of a verb with whatever follows it; one for the whole program will do too. We write the star behind a
// space: the older form with a colon was read as any text that begins so, which may be another command.
func prefixes(verb string) []string {
	line := name + " " + verb
	return []string{line + " *", line + ":*", name + ":*", name + " *"}
}

// reach lets a sandboxed command talk to the daemon.
func (o Options) reach(run string) grant {
	return grant{list: []string{"sandbox", "network", "allowUnixSockets"}, say: []string{run, home.Home(o.Home).Run()}}
}

// socket is the folder of the daemon's socket, and whether it is the usual one, which is the same for a whole team.
func (o Options) socket() (run string, usual bool) {
	if o.Home == "" {
		return "", false
	}
	run = home.Home(o.Home).Run()
	below, err := filepath.Rel(o.UserHome, run)
	if err != nil || filepath.Dir(below) != usualHome {
		return run, false
	}
	return "~/" + filepath.ToSlash(below), true
}

// usualHome is the ios-agent home from the user's own folder, where nobody chose another.
const usualHome = ".ios-agent"
