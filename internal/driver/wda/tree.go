package wda

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/uiread"
)

// sight is the tree of one app.
type sight struct {
	root   *ui.Node
	levels int // levels of the tree
	left   int // number of omitted elements; -1: some may be omitted
}

// read converts WebDriverAgent's JSON or XML into the elements that XCTest reports. It also limits their number, which WebDriverAgent
// does not.
func read(ctx context.Context, source []byte) (sight, error) {
	tree, err := uiread.ReadSome(ctx, source, device.MostNodes)
	if err != nil {
		return sight{}, err
	}
	if len(tree.Roots) != 1 {
		return sight{}, fault.New(fault.AgentFailed, "the tree has %d roots", len(tree.Roots))
	}
	s := sight{root: tree.Roots[0], levels: levels(tree.Roots[0]), left: tree.Left}
	tidy(s.root)
	return s, nil
}

// ReadTree reads a tree of WebDriverAgent that came another way, such as through Appium, as this driver does.
func ReadTree(ctx context.Context, source []byte, depth int) (root *ui.Node, left int, err error) {
	s, err := read(ctx, source)
	return s.root, s.leftOf(depth), err
}

// leftOf is the number of elements omitted from a tree that was read to a depth. Deeper elements are missing from the answer, so their
// number is unknown.
func (s sight) leftOf(depth int) int {
	if s.levels >= depth {
		return device.LeftOut(s.left, -1)
	}
	return s.left
}

func levels(n *ui.Node) int {
	deepest := 0
	for _, c := range n.Children {
		deepest = max(deepest, levels(c))
	}
	return deepest + 1
}

// tidy undoes WebDriverAgent's changes to values and frames, and removes elements that have neither content nor size.
func tidy(n *ui.Node) {
	if n.RawType != "" { // traits do not change its type: XCTest reports this one
		n.Type = strings.TrimPrefix(n.RawType, "XCUIElementType")
	}
	if frame, ok := exact(n.Extra["nativeFrame"]); ok {
		n.Frame = frame
	}
	switch {
	case n.Type == "StaticText" && n.Value == n.Label: // WebDriverAgent reports a text's label as its value
		n.Value = ""
	case n.Type == "Button" && n.Value == "1" && n.Selected: // a selected button without a value
		n.Value = ""
	case n.TakesText() && n.Value == n.Placeholder: // an empty field
		n.Value = ""
	}
	n.Extra, n.RawType = nil, ""
	for _, c := range n.Children {
		tidy(c)
	}
	n.Children = slices.DeleteFunc(n.Children, func(c *ui.Node) bool {
		return c.Identifier == "" && c.Label == "" && c.Value == "" && c.Frame.Empty() && len(c.Children) == 0
	})
}

// exact reads a frame as Cocoa writes it; the numbers are rounded.
func exact(v any) (ui.Rect, bool) {
	text, _ := v.(string)
	var r ui.Rect
	n, err := fmt.Sscanf(text, "{{%g, %g}, {%g, %g}}", &r.X, &r.Y, &r.W, &r.H)
	for _, side := range []float64{r.X, r.Y, r.W, r.H} {
		if !(math.Abs(side) <= far) {
			return r, false
		}
	}
	return r, err == nil && n == 4
}

// far is beyond any screen: sums of larger numbers would overflow.
const far = 1e9
