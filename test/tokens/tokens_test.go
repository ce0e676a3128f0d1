// Package tokens measures how many bytes and tokens a screen costs a model. It compares the outline with the JSON of the same tree, over
// the built-in apps and every real tree of which there is a sample. Sizes are the same on every machine, so the targets are tests.
package tokens

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/internal/ui/uiread"
	"ios-agent/internal/virtualxcode/agent"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/world"
)

// counter counts tokens as current models do.
func counter(t testing.TB) func(string) int {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	return func(s string) int {
		n, err := codec.Count(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// tree is one screen and, if another tool wrote it, what that tool wrote.
type tree struct {
	screen *ui.Screen
	source string
	raw    string
}

// builtin looks at the first screens of the built-in apps, through the agent.
func builtin(t testing.TB) map[string]tree {
	t.Helper()
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0)), Preinstalled: bundles})
	if err != nil {
		t.Fatal(err)
	}
	udid := w.Devices()[0].UDID
	if err := w.Boot(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	client := agentwire.NewClient(near)
	served := make(chan error, 1)
	go func() { served <- agent.New(agent.Options{UDID: udid, Screen: w, Clock: w}).Serve(t.Context(), far) }()
	t.Cleanup(func() { client.Close(); <-served })
	if _, err := client.Hello(t.Context(), "", "tokens"); err != nil {
		t.Fatal(err)
	}
	out := map[string]tree{}
	for name, bundle := range map[string]string{
		"Settings": "com.apple.Preferences", "Shop": "com.iosagent.shop", "Conformance": "com.iosagent.conformance",
	} {
		if _, err := w.Launch(t.Context(), udid, bundle, world.LaunchOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := agentwire.Ask[*agentwire.OK](t.Context(), client, &agentwire.SetTarget{Bundle: bundle}); err != nil {
			t.Fatal(err)
		}
		seen, err := agentwire.Ask[*agentwire.Sight](t.Context(), client, &agentwire.Look{Wait: agentwire.Wait{StableMS: 200, MaxMS: 5000}})
		if err != nil {
			t.Fatal(err)
		}
		read, err := uiread.Read([]byte(seen.JSON))
		if err != nil {
			t.Fatal(err)
		}
		read.App = bundle
		out["builtin/"+name] = tree{read.Screen(), read.Source, seen.JSON}
	}
	return out
}

// real are the samples of other tools that hold a tree.
func real(t testing.TB) map[string]tree {
	t.Helper()
	dir := os.Getenv("IOS_AGENT_SAMPLES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "fixtures") // beside the top of the repository
	}
	out := map[string]tree{}
	for _, kind := range []string{"ui-describe", "wda-source"} {
		paths, err := filepath.Glob(filepath.Join(dir, kind, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if read, err := uiread.Read(raw); err == nil && read.Nodes() > 0 {
				out[kind+"/"+filepath.Base(path)] = tree{read.Screen(), read.Source, string(raw)}
			}
		}
	}
	if len(out) == 0 {
		t.Skipf("no real samples in %s (IOS_AGENT_SAMPLES)", dir)
	}
	return out
}

// compact is the shortest JSON a program could reasonably send for the same tree: our agent's, empty fields left out.
func compact(t testing.TB, s *ui.Screen) string {
	t.Helper()
	var elements func([]*ui.Node) []agentwire.Element
	elements = func(nodes []*ui.Node) []agentwire.Element {
		out := []agentwire.Element{}
		for _, n := range nodes {
			e := agentwire.Element{
				Identifier: n.Identifier, Label: n.Label, Value: agentwire.Text(n.Value), Type: n.Type, Placeholder: n.Placeholder,
				Frame:    agentwire.Frame{X: n.Frame.X, Y: n.Frame.Y, Width: n.Frame.W, Height: n.Frame.H},
				Selected: n.Selected, Focused: n.Focused, Secure: n.Secure, Children: elements(n.Children),
			}
			if n.Disabled {
				e.Enabled = new(false)
			}
			out = append(out, e)
		}
		return out
	}
	text, err := agentwire.EncodeElements(elements([]*ui.Node{s.Root}))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// cost is what one tree costs in its forms.
type cost struct {
	name                   string
	nodes, act             int
	outlineBytes           int
	outline, json, raw     int
	source                 string
	compactShare, rawShare float64
}

func costs(t testing.TB, trees map[string]tree) []cost {
	count := counter(t)
	var out []cost
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		tr := trees[name]
		text := outline.Of(tr.screen, outline.Choice{}, "", &ui.Refs{})
		c := cost{
			name: name, nodes: len(tr.screen.Nodes()), outlineBytes: len(text), outline: count(text), source: tr.source,
			json: count(compact(t, tr.screen)), raw: count(tr.raw),
		}
		for _, a := range tr.screen.Snapshot("", &ui.Refs{}, time.Time{}).Actions {
			if a.Name == "tap" {
				c.act++
			}
		}
		c.compactShare, c.rawShare = float64(c.outline)/float64(c.json), float64(c.outline)/float64(c.raw)
		out = append(out, c)
	}
	return out
}

func table(costs []cost) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-52s %5s %4s %6s %6s %6s %6s %5s %5s %7s %7s\n",
		"tree", "nodes", "act", "bytes", "tokens", "json", "raw", "%json", "%raw", "B/act", "tok/act")
	for _, c := range costs {
		per := func(n int) string {
			if c.act == 0 {
				return "-"
			}
			return fmt.Sprintf("%.1f", float64(n)/float64(c.act))
		}
		fmt.Fprintf(&b, "%-52s %5d %4d %6d %6d %6d %6d %5.1f %5.1f %7s %7s\n", c.name, c.nodes, c.act, c.outlineBytes, c.outline, c.json, c.raw,
			100*c.compactShare, 100*c.rawShare, per(c.outlineBytes), per(c.outline))
	}
	return b.String()
}

// share is the outline's part of the tokens of a set, and those of its trees that are above the target.
func share(costs []cost, target float64, of func(cost) int) (ratio float64, above []string) {
	outline, other := 0, 0
	for _, c := range costs {
		outline, other = outline+c.outline, other+of(c)
		if s := float64(c.outline) / float64(of(c)); s > target {
			above = append(above, fmt.Sprintf("%s %.0f %%", c.name, 100*s))
		}
	}
	return float64(outline) / float64(other), above
}

// The targets, as shares of tokens over a whole set.
const (
	ofCompact = 0.35
	ofIDB     = 0.12
	settings  = 200 // tokens
)

func TestBuiltinOutlinesCostLessThanJSON(t *testing.T) {
	all := costs(t, builtin(t))
	t.Log(table(all))
	ratio, above := share(all, ofCompact, func(c cost) int { return c.json })
	if ratio > ofCompact {
		t.Errorf("the outlines are %.0f %% of compact JSON; above the target: %s", 100*ratio, strings.Join(above, ", "))
	}
	for _, c := range all {
		if strings.HasSuffix(c.name, "/Settings") && c.outline > settings {
			t.Errorf("Settings costs %d tokens, more than %d", c.outline, settings)
		}
	}
}

// TestRealOutlinesCostLessThanJSON holds over each set; single trees that miss are named in the log. Those are tiny: the header
// outweighs one or two elements.
func TestRealOutlinesCostLessThanJSON(t *testing.T) {
	all := costs(t, real(t))
	t.Log(table(all))
	ratio, above := share(all, ofCompact, func(c cost) int { return c.json })
	t.Logf("outlines are %.1f %% of compact JSON; above %.0f %%: %s", 100*ratio, 100*ofCompact, strings.Join(above, ", "))
	if ratio > ofCompact {
		t.Errorf("the outlines are %.1f %% of compact JSON", 100*ratio)
	}
	var idb []cost
	for _, c := range all {
		if c.source == uiread.IDB || c.source == uiread.AXe {
			idb = append(idb, c)
		}
	}
	ratio, above = share(idb, ofIDB, func(c cost) int { return c.raw })
	t.Logf("outlines are %.1f %% of what idb and AXe wrote; above %.0f %%: %s", 100*ratio, 100*ofIDB, strings.Join(above, ", "))
	if ratio > ofIDB {
		t.Errorf("the outlines are %.1f %% of what idb and AXe wrote", 100*ratio)
	}
}

// TestOutlineStaysWithinBudget: the estimate behind --budget is never below what a model is charged.
func TestOutlineStaysWithinBudget(t *testing.T) {
	count := counter(t)
	trees := builtin(t)
	maps.Copy(trees, real(t))
	for name, tr := range trees {
		header := count(outline.Header(tr.screen))
		for _, budget := range []int{80, 150, 300, 1000} {
			text := outline.Of(tr.screen, outline.Choice{Budget: budget}, "", &ui.Refs{})
			if got := count(text); got > max(budget, header+40) {
				t.Errorf("%s: %d tokens with a budget of %d\n%s", name, got, budget, text)
			}
		}
	}
}

// TestSnapshotJSONHasEveryElement keeps the comparison fair: the JSON the outline is measured against has every element.
func TestSnapshotJSONHasEveryElement(t *testing.T) {
	for name, tr := range builtin(t) {
		var roots []agentwire.Element
		if err := json.Unmarshal([]byte(compact(t, tr.screen)), &roots); err != nil {
			t.Fatal(err)
		}
		if got := size(roots); got != len(tr.screen.Nodes()) {
			t.Errorf("%s: %d of %d elements", name, got, len(tr.screen.Nodes()))
		}
	}
}

func size(elements []agentwire.Element) int {
	n := len(elements)
	for _, e := range elements {
		n += size(e.Children)
	}
	return n
}
