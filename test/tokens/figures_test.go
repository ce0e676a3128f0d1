package tokens

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	surface "ios-agent/internal/surface/mcp"
	"ios-agent/test/house"
)

// TestFigures measures what a model pays: the tool list of each set, and twenty common answers, none of which may be large.
// `go test ./test/tokens -run 'Figures|Journey' -v` shows the tables.
func TestFigures(t *testing.T) {
	h, count := house.New(t), counter(t)
	var b strings.Builder
	for _, set := range []string{surface.Default, "xcode", "quern", surface.All} {
		list, err := h.MCP("figures", product.Serving{Tools: set}).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%-28s %4d tools %7d bytes %6d tokens\n", "tools/list "+set, len(list.Tools), len(raw), count(string(raw)))
	}
	bytes, tokens := 0, 0
	for _, c := range common(h.Files()) {
		text := h.Call("figures", c.op, c.in).Text()
		bytes, tokens = bytes+len(text), tokens+count(text)
		fmt.Fprintf(&b, "%-28s %7d bytes %6d tokens\n", c.op, len(text), count(text))
		if n := count(text); n > mostOfAnAnswer {
			t.Errorf("%s costs %d tokens, more than %d\n%s", c.op, n, mostOfAnAnswer, text)
		}
	}
	fmt.Fprintf(&b, "%-28s %7d bytes %6d tokens\n", "all of them", bytes, tokens)
	t.Log("\n" + b.String())
}

// mostOfAnAnswer bounds a common answer, in tokens.
const mostOfAnAnswer = 700

// ask is one call.
type ask struct {
	op string
	in map[string]any
}

// common are the answers that agents get most, in the order of a session's work.
func common(f house.Files) []ask {
	in := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	project := in("projectPath", f.Project, "scheme", f.Scheme)
	onPhone := in("projectPath", f.Project, "scheme", f.Scheme, "simulatorName", house.Device)
	return []ask{
		{"list_devices", nil}, {"boot_device", in("sim", house.Device)}, {"install_app", in("app_path", f.App)},
		{"launch_app", in("bundle_id", "com.iosagent.shop")}, {"snapshot", nil},
		{"fill", in("label", "Email", "text", "ada@example.com")}, {"fill", in("label", "Password", "text", "secret", "submit", true)},
		{"snapshot", in("budget", 120)}, {"tap_element", in("label", "Log in")}, {"wait", in("text", "Coffee")},
		{"get_element", in("label", "Search")}, {"swipe", in("direction", "up")}, {"tap_element", in("label", "Nonesuch", "no_wait", true)},
		{"take_screenshot", nil}, {"batch", in("steps", []string{"tap --label Cart", "wait --condition settled"})},
		{"list_apps", nil}, {"run", project},
		{"build_sim", onPhone},
		{"test_sim", onPhone},
		{"show_build_settings", project},
	}
}
