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
	levels int // how many the tree had
	left   int // elements that were left out; -1: some may be
}

// read reads what WebDriverAgent wrote, in JSON or XML, and makes of it what XCTest says. WebDriverAgent knows no bound: ours is kept here.
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

// ReadTree reads a tree of WebDriverAgent that came by another way, such as through Appium, as this driver does.
func ReadTree(ctx context.Context, source []byte, depth int) (root *ui.Node, left int, err error) {
	s, err := read(ctx, source)
	return s.root, s.leftOf(depth), err
}

// leftOf is how many elements were left out of a tree that was read to a depth. What is deeper is not there, and nobody says how much
// that is.
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

// tidy takes back what WebDriverAgent makes of values and frames, and leaves out elements that are nothing and nowhere.
func tidy(n *ui.Node) {
	if n.RawType != "" { // traits do not make another type of it: XCTest has this one
		n.Type = strings.TrimPrefix(n.RawType, "XCUIElementType")
	}
	if frame, ok := exact(n.Extra["nativeFrame"]); ok {
		n.Frame = frame
	}
	switch {
	case n.Type == "StaticText" && n.Value == n.Label: // the label of a text stands for its value
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

// exact reads a frame as Cocoa writes it; the one in numbers is rounded.
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

// far is beyond any screen: sums of larger numbers would not be numbers.
const far = 1e9
