package setup

import (
	"fmt"
	"path/filepath"
)

// codex is Codex: MCP servers in its config.toml, which it starts outside its sandbox, and a rule for commands.
//
// The tempting sandbox_workspace_write keys are left alone. Its sandbox refuses unix sockets whatever writable_roots
// says; only network_access lets them through, and with them the whole network, which is not ours to open. Neither goes
// with Codex's permission profiles. A rule is exactly what is needed: this command, outside the sandbox.
func codex(o Options) []edit {
	config := file{filepath.Join(o.CodexHome, "config.toml"), private}
	all := []edit{{config, "offers the tools of `ios-agent mcp`", inTOML(o.table)}}
	if plainCommand.MatchString(o.Binary) {
		rules := o.project(".codex", "rules", name+".rules")
		all = append(all, whole(rules, "runs ios-agent outside the sandbox without asking, in this project once it is trusted", o.rules()))
	}
	return append(all, o.skill(".agents")...)
}

func (o Options) table(t *tables) error {
	at := []string{"mcp_servers", name}
	if err := t.set(at, "command", quote(o.Binary)); err != nil {
		return err
	}
	return t.set(at, "args", serverArgs)
}

func (o Options) rules() string {
	return fmt.Sprintf(`# %s
# ios-agent talks to its daemon over a unix socket, which the sandbox refuses.
prefix_rule(
    pattern = [%s],
    decision = "allow",
)
`, marker, quote(o.Binary))
}
