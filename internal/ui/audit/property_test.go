package audit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ios-agent/internal/ui"
	"ios-agent/internal/ui/audit"
)

// chance makes trees at random: containers that hold less than what lies in them, names that are missing, shared or full of numbers.
type chance struct{ *rand.Rand }

func (c chance) pick(words ...string) string { return words[c.IntN(len(words))] }

func (c chance) name() string {
	return c.pick("", "", "Save", "Add", "Add Coffee", "Item 5", "€3.50", "Überschrift", "a b c d e f", "12:30", "close", "\n", "設定")
}

func (c chance) identifier() string {
	return c.pick("", "", "save", "save", "row-5", "cell1", "cell2", "Save", "list[42]", "7d3f0a52-1111-4222-8333-444455556666",
		"shop.add", "back")
}

func (c chance) node(depth int, in ui.Rect) *ui.Node {
	kind := c.pick("Button", "Button", "Switch", "TextField", "StaticText", "Image", "Cell", "Other", "Table",
		"NavigationBar", "ScrollView", "Slider")
	n := &ui.Node{Type: kind, Label: c.name(), Identifier: c.identifier(), Hidden: c.IntN(30) == 0}
	if kind == "TextField" {
		n.Placeholder = c.name()
	}
	if kind == "Other" && c.IntN(3) == 0 {
		n.Actions = []string{"Open"}
	}
	grid := func(most float64) float64 { return float64(c.IntN(int(max(most, 1))/11+1)) * 11 }
	n.Frame = ui.Rect{X: in.X + grid(in.W) - 22, Y: in.Y + grid(in.H) - 22, W: 11 + grid(in.W), H: 11 + grid(in.H/2)}
	if c.IntN(25) == 0 {
		n.Frame = ui.Rect{}
	}
	if depth > 0 && c.IntN(2) == 0 {
		for range c.IntN(5) {
			n.Children = append(n.Children, c.node(depth-1, n.Frame))
		}
	}
	return n
}

func (c chance) tree() *ui.Node {
	screen := ui.Rect{W: 393, H: 852}
	root := &ui.Node{Type: "Application", Label: c.pick("Shop", "", "店"), Frame: screen}
	for range 1 + c.IntN(12) {
		root.Children = append(root.Children, c.node(c.IntN(4), screen))
	}
	if c.IntN(6) == 0 {
		alert := &ui.Node{Type: "Alert", Label: "Really?", Frame: ui.Rect{X: 60, Y: 300, W: 270, H: 120}}
		alert.Children = []*ui.Node{{Type: "Button", Label: "OK", Frame: ui.Rect{X: 60, Y: 376, W: 270, H: 44}}}
		root.Children = append(root.Children, alert)
	}
	return root
}

// paths name each element of a tree by where it is, which no fix but that of the reading order changes.
func paths(root *ui.Node) map[*ui.Node]string {
	all := map[*ui.Node]string{}
	var walk func(*ui.Node, string)
	walk = func(n *ui.Node, path string) {
		all[n] = path
		for i, c := range n.Children {
			walk(c, fmt.Sprintf("%s/%d", path, i))
		}
	}
	walk(root, "")
	return all
}

// of are the elements that have a finding of a rule.
func of(root *ui.Node, rule string, at map[*ui.Node]string) map[string]bool {
	found := map[string]bool{}
	for _, f := range (&audit.Journey{}).Look(ui.NewScreen("com.example.shop", "", root), func(n *ui.Node) string { return at[n] }).Findings {
		if f.Rule == rule {
			found[f.Ref] = true
		}
	}
	return found
}

// TestFixRemovesItsFinding: with the fix made the finding is gone, and no other element has one of the same rule that had none.
func TestFixRemovesItsFinding(t *testing.T) {
	trees := 400
	if testing.Short() {
		trees = 60
	}
	tried := map[string]int{}
	for seed := range trees {
		root := chance{rand.New(rand.NewPCG(uint64(seed), 21))}.tree()
		at := paths(root)
		seen := (&audit.Journey{}).Look(ui.NewScreen("com.example.shop", "", root), func(n *ui.Node) string { return at[n] })
		had := map[string]map[string]bool{}
		for _, f := range seen.Findings {
			if had[f.Rule] == nil {
				had[f.Rule] = map[string]bool{}
			}
			had[f.Rule][f.Ref] = true
		}
		for _, f := range seen.Findings {
			tried[f.Rule]++
			before := had[f.Rule]
			mended := audit.Apply(root, f)
			after := of(mended, f.Rule, paths(mended))
			if f.Rule == "reading-order" {
				if len(after) >= len(before) {
					t.Fatalf("seed %d: %s: %d elements had it, %d have it: %s", seed, f.Rule, len(before), len(after), f.Message)
				}
				continue
			}
			if after[f.Ref] {
				t.Fatalf("seed %d: %s at %s stays: %s; %s", seed, f.Rule, f.Ref, f.Message, f.Fix.Say)
			}
			for ref := range after {
				if !before[ref] {
					t.Fatalf("seed %d: the fix of %s at %s makes one at %s: %s; %s", seed, f.Rule, f.Ref, ref, f.Message, f.Fix.Say)
				}
			}
		}
	}
	for _, r := range audit.Rules() {
		if tried[r.ID] < trees/20 {
			t.Errorf("%s was found %d times: the test tests little", r.ID, tried[r.ID])
		}
	}
}
