package idb

import "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of idb.
func Marks() []mark.Mark {
	return []mark.Mark{
		{Tool: "idb", Behaviour: "ui describe-all: a flat array; keys and their order",
			Source: mark.Observed("ui-describe/idb-flat-settings.json")},
		{Tool: "idb", Behaviour: "ui describe-all --nested: children before subrole, everything directly below the application",
			Source: mark.Observed("ui-describe/idb-nested-root-screen.json")},
		{Tool: "idb", Behaviour: "ui describe-point: a bare object", Source: mark.Observed("ui-describe/idb-describe-point-wallet.json")},
		{Tool: "idb", Behaviour: "the home screen: an application with a space as its name, icons with custom actions and an empty value",
			Source: mark.Observed("ui-describe/idb-flat-home-screen.json")},
		{Tool: "idb", Behaviour: "a placeholder is the value of an empty field",
			Source: mark.Observed("ui-describe/idb-flat-login-traits.json")},
		{Tool: "idb", Behaviour: "a tab bar is one group; only describe-point sees into it", Source: mark.Assumed},
		{Tool: "idb", Behaviour: "command names, options, the lines of list-targets and list-apps, from the tool's public source",
			Source: mark.Assumed},
		{Tool: "idb", Behaviour: "errors of the argument parser exit 2, all others exit 1; --version does not exist", Source: mark.Assumed},
		{Tool: "idb", Behaviour: "without --udid it uses the only booted simulator; only -f launches a running app again",
			Source: mark.Assumed},
		{Tool: "idb", Behaviour: "--format complete and markers instead of coordinates, added in 2026, are missing",
			Source: mark.Assumed},
	}
}
