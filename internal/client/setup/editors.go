package setup

import "path/filepath"

// The editors and Gemini CLI get the server and nothing else. They can approve a server only as a whole, or in settings that are the
// user's alone: what our tools may do there is asked about. Their files may have comments.

const offers = "offers the tools of `ios-agent mcp`"

func (o Options) offered(f file, key string) []edit {
	return []edit{{f, offers, inJSONC(o.server(f, key))}}
}

// cursor reads .cursor/mcp.json of the project.
func cursor(o Options) []edit { return o.offered(o.project(".cursor", "mcp.json"), "mcpServers") }

// gemini is Gemini CLI: .gemini/settings.json of the project. Its key trust would approve every tool.
func gemini(o Options) []edit { return o.offered(o.project(".gemini", "settings.json"), "mcpServers") }

// zed reads .zed/settings.json of the project.
func zed(o Options) []edit { return o.offered(o.project(".zed", "settings.json"), "context_servers") }

// windsurf knows no servers of a project: its file is the user's.
func windsurf(o Options) []edit {
	return o.offered(file{"", filepath.Join(o.UserHome, ".codeium", "windsurf", "mcp_config.json"), private}, "mcpServers")
}

// vsCode reads .vscode/mcp.json of the project, which must name the transport of a server.
func vsCode(o Options) []edit {
	f := o.project(".vscode", "mcp.json")
	return []edit{{f, offers, inJSONC(func(d *document) error {
		if err := d.set([]string{"servers", name, "type"}, quote("stdio")); err != nil {
			return err
		}
		return o.server(f, "servers")(d)
	})}}
}
