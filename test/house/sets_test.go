package house_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/test/house"
)

// TestGroupsHaveNoDuplicateTools: a group names no operation of ours a second time, by another family's name, and nothing in it is
// prefixed.
func TestGroupsHaveNoDuplicateTools(t *testing.T) {
	t.Parallel()
	c := product.Catalogue()
	families := []string{op.All}
	for _, o := range c.Ops() {
		families = append(families, o.Family)
	}
	for _, set := range op.Sets(c.Ops()) {
		if slices.Contains(families, set) {
			continue
		}
		tools, err := mcp.Select(c.Ops(), set)
		if err != nil {
			t.Fatal(err)
		}
		ours := map[string]bool{}
		for _, tool := range tools {
			ours[tool.Op.Name] = ours[tool.Op.Name] || tool.Op.Family == op.Core
		}
		for _, tool := range tools {
			if tool.Name != tool.Op.Name || tool.Op.Family != op.Core && ours[cmp.Or(tool.Op.Twin, tool.Op.Name)] {
				t.Errorf("%s has %s of %s beside our own", set, tool.Name, tool.Op.Family)
			}
		}
	}
}

// TestListDevicesFollowsToolSet: the physical ones where the set is XcodeBuildMCP's, else all with their type.
func TestListDevicesFollowsToolSet(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	for set, simulators := range map[string]bool{"core": true, "device": true, "quern": true, "xcode": false} {
		text := textOf(t, h.MCP("s", product.Serving{Tools: set}), "list_devices", nil)
		if !strings.Contains(text, house.Physical) || strings.Contains(text, "Apple Watch") != simulators {
			t.Errorf("%s: %s", set, text)
		}
	}
	type device struct {
		UDID string
		Type string `json:"device_type"`
	}
	for _, d := range house.Result[struct{ Devices []device }](h, h.Must("s", "list_devices", nil)).Devices {
		if want := map[bool]string{true: "device", false: "simulator"}[strings.HasPrefix(d.UDID, "0000")]; d.Type != want {
			t.Errorf("%s is a %s", d.UDID, d.Type)
		}
	}
}

// TestFindToolsMatchesEndingsAndSynonyms: by the endings of words and what else means the same, with types and values, in a short answer.
func TestFindToolsMatchesEndingsAndSynonyms(t *testing.T) {
	t.Parallel()
	c := house.New(t).MCP("s", product.Serving{Tools: "core"})
	for query, want := range map[string][]string{
		"swipe":                        {"\nswipe(", "direction?: up|down|left|right", "distance?: number"},
		"swiping":                      {"\nswipe("},
		"logs":                         {"\nread_logs("},
		"crash report why app ended":   {"list_crashes(", "show_crash("},
		"read full text of an element": {"\nget_element("},
		"take a picture":               {"\ntake_screenshot("},
		"gps":                          {"\nset_location("},
	} {
		text := textOf(t, c, "find_tools", map[string]any{"query": query})
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%q does not find %s:\n%s", query, part, text)
			}
		}
		if len(text) > 4096 || strings.Contains(text, "quern_") {
			t.Errorf("%q: %d bytes\n%s", query, len(text), text)
		}
	}
}
