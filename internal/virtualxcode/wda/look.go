package wda

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

// node is an element of a snapshot, with its parent and index.
type node struct {
	*world.Element
	parent   *node
	index    int // index among its siblings
	children []*node
}

// snapshot is the tree of the active app, up to the depth in the settings.
func (c *call) snapshot() (*node, string, error) {
	app, err := c.active()
	if err != nil {
		return nil, "", err
	}
	root, err := c.tree(app)
	if err != nil {
		return nil, app, err
	}
	return whole(root, nil, 0, int(setting[float64](c, "snapshotMaxDepth"))), app, nil
}

// tree is the present tree of an app.
func (c *call) tree(app string) (*world.Element, error) {
	if app == world.SpringBoard {
		if over, err := c.overlay(); over != nil || err != nil {
			return over, err
		}
	}
	o, err := c.opts.World.Observe(c.ctx, c.opts.UDID, app, world.Wait{Max: c.idle(), Stable: min(c.idle(), still), OnlyFront: true})
	depth := int(setting[float64](c, "snapshotMaxDepth"))
	switch {
	case errors.Is(err, world.ErrTooDeep) && depth <= o.Levels:
		err = nil // deeper elements are skipped
	case errors.Is(err, world.ErrTooDeep):
		return nil, fmt.Errorf("error getting main window kAXErrorIllegalArgument: the tree has more than %d levels", o.Levels)
	}
	if err == nil && o.Root == nil {
		err = badState("The application %s is not in front", app)
	}
	return o.Root, err
}

// still is how long a screen must stay the same to count as idle.
const still = 200 * time.Millisecond

// idle is how long XCTest waits for the app before it looks or acts.
func (c *call) idle() time.Duration {
	return time.Duration(setting[float64](c, "waitForIdleTimeout") * float64(time.Second))
}

// overlay is SpringBoard's tree over another app, or nil.
func (c *call) overlay() (*world.Element, error) {
	front, err := c.opts.World.Foreground(c.opts.UDID)
	if err != nil || front == world.SpringBoard {
		return nil, err
	}
	o, err := c.opts.World.Observe(c.ctx, c.opts.UDID, front, world.Wait{OnlyFront: true})
	if errors.Is(err, world.ErrTooDeep) {
		err = nil
	}
	return o.System, err
}

// whole converts a tree to nodes. A depth of 1 is the root alone.
func whole(e *world.Element, parent *node, index, depth int) *node {
	n := &node{Element: e, parent: parent, index: index}
	if depth > 1 {
		for i, child := range e.Children {
			n.children = append(n.children, whole(child, n, i, depth-1))
		}
	}
	return n
}

// all returns n and its descendants, parents first.
func (n *node) all() []*node {
	list := []*node{n}
	for _, child := range n.children {
		list = append(list, child.all()...)
	}
	return list
}

const prefix = "XCUIElementType"

func (n *node) kind() string { return prefix + n.Type }

// name is the identifier, or else the label.
func (n *node) name() string {
	if n.Identifier != "" {
		return n.Identifier
	}
	return n.Label
}

// texts are the types that hold text of the user.
var texts = []string{"TextField", "SecureTextField", "SearchField", "TextView"}

// value is WebDriverAgent's value: some types differ from accessibility's value.
func (n *node) value() string {
	switch {
	case n.Type == "StaticText":
		return first(n.Value, n.Label)
	case n.Type == "Button" && n.Value == "" && n.Selected:
		return "1"
	case n.Type == "Switch":
		if n.Value == "1" || strings.EqualFold(n.Value, "on") || strings.EqualFold(n.Value, "true") {
			return "1"
		}
		return "0"
	case slices.Contains(texts, n.Type):
		return first(n.Value, n.Placeholder)
	}
	return n.Value
}

func first(choices ...string) string {
	for _, c := range choices {
		if c != "" {
			return c
		}
	}
	return ""
}

// rect is the frame in whole numbers, around the exact frame.
func (n *node) rect() world.Rect {
	f := n.frame()
	x, y := math.Floor(f.X), math.Floor(f.Y)
	return world.Rect{X: x, Y: y, W: math.Ceil(f.X+f.W) - x, H: math.Ceil(f.Y+f.H) - y}
}

// frame is the exact frame, or nil if it is not finite.
func (n *node) frame() world.Rect {
	for _, side := range []float64{n.Frame.X, n.Frame.Y, n.Frame.W, n.Frame.H} {
		if math.IsInf(side, 0) || math.IsNaN(side) {
			return world.Rect{X: -1, Y: -1}
		}
	}
	return n.Frame
}

// visible reports whether a part of the element is on the screen and not clipped.
func (n *node) visible() bool {
	left, top, right, bottom := n.Frame.X, n.Frame.Y, n.Frame.X+n.Frame.W, n.Frame.Y+n.Frame.H
	for p := n.parent; p != nil; p = p.parent {
		if p.Clips() || p.parent == nil {
			left, top = max(left, p.Frame.X), max(top, p.Frame.Y)
			right, bottom = min(right, p.Frame.X+p.Frame.W), min(bottom, p.Frame.Y+p.Frame.H)
		}
	}
	return right > left && bottom > top
}

// readable are the types that accessibility reads out.
var readable = []string{
	"Button", "StaticText", "TextField", "SecureTextField", "SearchField", "TextView", "Switch", "Slider", "Stepper", "Link", "Image",
	"PickerWheel", "SegmentedControl", "Key", "Toggle", "Icon", "Tab",
}

func (n *node) native() bool { return slices.Contains(readable, n.Type) }

// accessible reports whether VoiceOver reaches an element: elements inside a readable element are not reached.
func (n *node) accessible() bool {
	cell := n.Type == "Cell" && len(n.children) > 0 && n.children[0].native()
	if !n.native() && !cell {
		return false
	}
	for p := n.parent; p != nil; p = p.parent {
		if p.Type != "Table" && p.native() {
			return false
		}
	}
	return true
}

// traits are UIKit's traits of an element.
func (n *node) traits() string {
	var all []string
	if t := map[string]string{"Button": "Button", "Tab": "Button", "Link": "Link", "StaticText": "StaticText", "Image": "Image",
		"SearchField": "SearchField", "Slider": "Adjustable", "PickerWheel": "Adjustable", "Key": "KeyboardKey",
		"Switch": "Button", "TabBar": "TabBar"}[n.Type]; t != "" {
		all = append(all, t)
	}
	if n.Selected {
		all = append(all, "Selected")
	}
	if n.Disabled {
		all = append(all, "NotEnabled")
	}
	return strings.Join(all, ", ")
}

// attribute returns an attribute by WebDriverAgent's name, and false for an unknown name. Nil means without a value.
func (n *node) attribute(name string) (any, bool) {
	r := n.rect()
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	switch name {
	case "type":
		return n.kind(), true
	case "name", "identifier":
		return text(n.name()), true
	case "rawIdentifier":
		return text(n.Identifier), true
	case "label":
		return text(n.Label), true
	case "value":
		return text(n.value()), true
	case "placeholderValue":
		return text(n.Placeholder), true
	case "enabled", "isEnabled":
		return !n.Disabled, true
	case "visible", "isVisible":
		return n.visible(), true
	case "accessible", "isAccessible":
		return n.accessible(), true
	case "selected", "isSelected":
		return n.Selected, true
	case "focused", "isFocused": // the focus of tvOS, not of the keyboard
		return false, true
	case "hittable", "isHittable":
		return n.visible() && !n.Disabled, true
	case "x":
		return r.X, true
	case "y":
		return r.Y, true
	case "width":
		return r.W, true
	case "height":
		return r.H, true
	case "index":
		return float64(n.index), true
	case "rect":
		return rectOf(r), true
	case "frame":
		return cocoa(r), true
	case "nativeFrame":
		return cocoa(n.frame()), true
	case "traits":
		return n.traits(), true
	}
	return nil, false
}

func rectOf(r world.Rect) map[string]any {
	return map[string]any{"x": r.X, "y": r.Y, "width": r.W, "height": r.H}
}

// cocoa formats a frame like NSStringFromCGRect.
func cocoa(r world.Rect) string {
	return fmt.Sprintf("{{%v, %v}, {%v, %v}}", r.X, r.Y, r.W, r.H)
}
