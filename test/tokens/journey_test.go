package tokens

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The targets of an agent's work with the default tools.
const (
	journeyCalls  = 12
	journeyTokens = 1000 // of all answers
	tapTokens     = 60   // of a tap's answer, at the median
	mostTools     = 12
	listTokens    = 3000
)

// TestShopJourneyWorksWithShownRefs signs in, searches, puts something into the cart and checks out, as an agent does: every
// element is addressed by a ref that an earlier answer gave away. What an answer leaves out to be short, and is needed,
// fails here.
func TestShopJourneyWorksWithShownRefs(t *testing.T) {
	c := connect(t)
	known := map[string]string{}
	see := func(text string) string {
		for _, m := range refs.FindAllStringSubmatch(text, -1) {
			known[m[1]] = "@" + m[2]
		}
		return text
	}
	ref := func(name string) string {
		t.Helper()
		if known[name] == "" {
			t.Fatalf("no answer has told the ref of %q", name)
		}
		return known[name]
	}
	see(c.call("launch_app", map[string]any{"bundle_id": "com.iosagent.shop", "sim": "iPhone 16"}))
	see(c.call("fill", map[string]any{"ref": ref("Email"), "text": "ada@example.com"}))
	see(c.call("fill", map[string]any{"ref": ref("Password"), "text": "secret"}))
	see(c.call("tap_element", map[string]any{"ref": ref("Log in")}))
	see(c.call("fill", map[string]any{"ref": ref("Search"), "text": "Teapot 2", "submit": true}))
	see(c.call("tap_element", map[string]any{"ref": ref("Add Teapot 20")}))
	see(c.call("tap_element", map[string]any{"ref": ref("Cart")}))
	see(c.call("tap_element", map[string]any{"ref": ref("Check out")}))
	last := c.call("wait", map[string]any{"text": "Thank you"})
	if !strings.Contains(last, " matched after") {
		t.Errorf("nothing was ordered: %s", last)
	}
	t.Logf("%d calls, %d tokens", c.calls, c.tokens)
	if c.calls > journeyCalls || c.tokens > journeyTokens {
		t.Errorf("%d calls and %d tokens; the journey may take %d and %d", c.calls, c.tokens, journeyCalls, journeyTokens)
	}
}

// refs finds what an answer names: "Add Coffee" [ref=e22]
var refs = regexp.MustCompile(`"((?:[^"\\]|\\.)*)" \[ref=(e[0-9]+)\]`)

// TestMedianTapStaysBelowTokenLimit taps everything that can be tapped on the first screens of the built-in apps, each time on a fresh one.
func TestMedianTapStaysBelowTokenLimit(t *testing.T) {
	c := connect(t)
	c.call("launch_app", map[string]any{"bundle_id": "com.iosagent.shop", "sim": "iPhone 16"})
	var costs []int
	for _, bundle := range []string{"com.apple.Preferences", "com.iosagent.shop", "com.iosagent.conformance"} {
		open := func() string {
			c.call("launch_app", map[string]any{"bundle_id": bundle, "restart": true})
			return c.call("snapshot", nil)
		}
		for _, m := range tappable.FindAllStringSubmatch(open(), -1) {
			open()
			before := c.tokens
			c.call("tap_element", map[string]any{"ref": m[1]})
			costs = append(costs, c.tokens-before)
		}
	}
	slices.Sort(costs)
	median := costs[len(costs)/2]
	t.Logf("%d taps: median %d tokens, least %d, most %d: %v", len(costs), median, costs[0], costs[len(costs)-1], costs)
	if len(costs) < 20 || median > tapTokens {
		t.Errorf("the median of %d taps costs %d tokens, more than %d", len(costs), median, tapTokens)
	}
}

// tappable finds the lines of an outline about what a finger is for, if it is not switched off.
var tappable = regexp.MustCompile(`(?m)^ *- (?:button|link|listitem|switch|tab|textbox|searchbox) ` +
	`.*\[ref=(e[0-9]+)\](?:[^\[]|\[(?:secure|selected|multiline|\d))*$`)

// TestDefaultToolListStaysBelowTokenLimit: what a model's context pays before anything has been done.
func TestDefaultToolListStaysBelowTokenLimit(t *testing.T) {
	c := connect(t)
	list, err := c.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, tool := range list.Tools {
		raw, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		total += c.count(string(raw))
		t.Logf("%-16s %4d tokens", tool.Name, c.count(string(raw)))
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	whole := c.count(string(raw))
	t.Logf("%d tools, %d tokens", len(list.Tools), whole)
	if len(list.Tools) > mostTools || whole > listTokens {
		t.Errorf("%d tools and %d tokens; the default set may have %d and %d", len(list.Tools), whole, mostTools, listTokens)
	}
}
