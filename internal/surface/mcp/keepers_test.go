package mcp

import (
	"slices"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
)

// TestMixedSetKeepsToolNameOfNamedFamily: who asks for a family by its name means its tools: debug_attach of the desktop does not silently
// become that of the debugger.
func TestMixedSetKeepsToolNameOfNamedFamily(t *testing.T) {
	c := op.NewCatalogue(catalogue.All(catalogue.Services{}), op.Options{})
	for words, want := range map[string]map[string]string{
		"desktop,debug": {"debug_attach": "desktop", "core_debug_attach": op.Core},
		"debug,desktop": {"debug_attach": "desktop", "core_debug_attach": op.Core},
		"desktop":       {"debug_attach": "desktop"},
		"debug":         {"debug_attach": op.Core},
		"all":           {"debug_attach": op.Core, "desktop_debug_attach": "desktop"},
	} {
		tools, err := Select(c.Ops(), words)
		if err != nil {
			t.Fatal(err)
		}
		for name, family := range want {
			i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name })
			if i < 0 || tools[i].Op.Family != family {
				t.Errorf("%s: got no %s of %s", words, name, family)
			}
		}
	}
}
