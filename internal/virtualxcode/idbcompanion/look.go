package idbcompanion

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/axtree"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// Limits of a read.
const (
	mostLevels = 50
	mostNodes  = 3000
)

// accessibilityInfo answers with the tree of the app in front, or with the element at a point.
func (c *call) accessibilityInfo() error {
	var r idbwire.AccessibilityInfoRequest
	if err := c.next(&r); err != nil {
		return err
	}
	text, err := c.read(&r)
	if err != nil {
		return err
	}
	return c.say(&idbwire.AccessibilityInfoResponse{JSON: text})
}

func (c *call) read(r *idbwire.AccessibilityInfoRequest) (string, error) {
	if r.Backend == idbwire.BackendGuest || r.Backend == idbwire.BackendGuestPersistent {
		if _, missing := c.happens(flaw.IDBNoReader); missing {
			return "", tool.Refuse("The SimulatorFrameworkBridge guest binary was not found in the companion Resources directory")
		}
		return c.inside(r)
	}
	return c.outside(r)
}

// outside is the tree for assistive technology.
func (c *call) outside(r *idbwire.AccessibilityInfoRequest) (string, error) {
	screen, err := axtree.Look(c.ctx, c.opts.World, c.opts.UDID)
	if err != nil {
		return "", err
	}
	if r.Point != nil {
		hit, found := screen.At(pointOf(r.Point))
		switch {
		case !found:
			return "", tool.Refuse("No translation object returned for simulator. This means you have likely specified a point " +
				"onscreen that is invalid or invisible due to a fullscreen dialog")
		case r.Format == idbwire.Complete:
			return c.document(r, "ax", document{Elements: []map[string]any{outer(hit)}})
		}
		return applejson.Style{}.Line(axtree.Form{Children: r.Format == idbwire.Nested, PID: true}.Of(hit)), nil
	}
	switch r.Format {
	case idbwire.Complete:
		return c.document(r, "ax", document{Elements: []map[string]any{outer(screen.Root())}})
	case idbwire.Nested:
		return applejson.Style{}.Line(axtree.Form{Children: true, PID: true}.All([]axtree.Node{screen.Root()})), nil
	}
	return applejson.Style{}.Line(axtree.Form{PID: true}.All(screen.Flat())), nil
}

// outer is an element in the complete format, read from outside.
func outer(n axtree.Node) map[string]any {
	e := map[string]any{"label": n.Label, "value": n.Value, "identifier": n.UniqueID, "type": n.Type, "role_description": n.Description,
		"subrole": n.Subrole, "frame": frame(n.Frame), "enabled": n.Enabled, "custom_actions": list(n.CustomActions), "pid": n.PID,
		"placeholder": text(n.Placeholder), "focused": n.Focused, "hidden": false, "traits": nil}
	children := []map[string]any{}
	for _, child := range n.Children {
		children = append(children, outer(child))
	}
	e["children"] = children
	return e
}

func list(all []string) []string { return slices.Concat([]string{}, all) }

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func frame(r world.Rect) map[string]any {
	side := func(f float64) any {
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return nil
		}
		return f
	}
	return map[string]any{"x": side(r.X), "y": side(r.Y), "width": side(r.W), "height": side(r.H)}
}

// document is the answer in the complete format. All keys are always present.
type document struct {
	Elements    []map[string]any `json:"elements"`
	Modal       map[string]any   `json:"modal"`
	Truncated   bool             `json:"truncated"`
	Screen      map[string]any   `json:"screen"`
	Backend     string           `json:"backend"`
	Target      map[string]any   `json:"target"`
	Profile     any              `json:"profile"`
	Coverage    any              `json:"coverage"`
	Interaction any              `json:"interaction"`
	Frames      any              `json:"frames"`
	Automation  map[string]any   `json:"automation"`
}

func (c *call) document(r *idbwire.AccessibilityInfoRequest, backend string, d document) (string, error) {
	d.Backend = backend
	d.Target = map[string]any{"kind": "frontmost", "pid": nil, "x": nil, "y": nil, "value": nil, "match_key": nil}
	if r.Point != nil {
		d.Target["kind"], d.Target["x"], d.Target["y"] = "point", r.Point.X, r.Point.Y
	}
	out, err := json.Marshal(d)
	return string(out), err
}

// inside is the tree of a reader in the simulator, the same as XCTest's. Under a system alert it is the system's tree.
func (c *call) inside(r *idbwire.AccessibilityInfoRequest) (string, error) {
	w, udid := c.opts.World, c.opts.UDID
	front, err := w.Foreground(udid)
	if err != nil {
		return "", err
	}
	o, err := w.Observe(c.ctx, udid, front, world.Wait{OnlyFront: true})
	if err != nil && !errors.Is(err, world.ErrTooDeep) {
		return "", err
	}
	if o.Root == nil {
		return "", tool.Refuse("The frontmost application could not be read")
	}
	pid, err := w.ForegroundPID(udid)
	if err != nil {
		return "", err
	}
	root, d := o.Root, document{Automation: map[string]any{"enabled": true, "asserted": false}}
	if alert := alertOf(o.System); alert != nil {
		root, d.Modal = o.System, map[string]any{"kind": "system", "element_type": "SBAlertItemWindow", "label": text(alert.Label)}
		if pid, err = c.springboard(); err != nil {
			return "", err
		}
	} else if alert := alertOf(root); alert != nil {
		d.Modal = map[string]any{"kind": "app", "element_type": "_UIAlertControllerPhoneTVMacView", "label": text(alert.Label)}
	}
	if r.Point != nil {
		root = innermost(root, pointOf(r.Point))
		if root == nil {
			return "null", nil
		}
	}
	b := &bound{nodes: mostNodes, pid: pid}
	d.Elements = []map[string]any{b.element(root, mostLevels)}
	d.Screen = map[string]any{"width": o.Root.Frame.W, "height": o.Root.Frame.H, "coordinate_space": "screen"}
	d.Truncated = b.cut
	name := "axbridge"
	if r.Backend == idbwire.BackendGuestPersistent {
		name = "axbridge-persistent"
	}
	return c.document(r, name, d)
}

// springboard is the process of SpringBoard.
func (c *call) springboard() (int, error) {
	all, err := c.opts.World.Processes(c.ctx, c.opts.UDID)
	for _, p := range all {
		if p.Bundle == world.SpringBoard {
			return p.PID, err
		}
	}
	return 0, err
}

// alertOf returns the alert of a tree, or nil.
func alertOf(root *world.Element) *world.Element {
	if root == nil {
		return nil
	}
	for e := range root.All() {
		if e.Type == "Alert" {
			return e
		}
	}
	return nil
}

// innermost is the last element at a point: later elements are drawn over earlier ones.
func innermost(root *world.Element, at world.Point) (hit *world.Element) {
	for e := range root.All() {
		if e.Frame.Contains(at) {
			hit = e
		}
	}
	return hit
}

// bound copies a tree up to its limits.
type bound struct {
	nodes int
	pid   int
	cut   bool
}

// traits are UIKit's traits of an element.
var traits = map[string][]string{
	"Button": {"Button"}, "Link": {"Link"}, "Image": {"Image"}, "StaticText": {"StaticText"}, "Key": {"KeyboardKey"},
	"Slider": {"Adjustable"}, "PickerWheel": {"Adjustable", "PickerElement"}, "Switch": {"Button", "Toggle"}, "TabBar": {"TabBar"},
	"TextField": {"TextEntry"}, "SecureTextField": {"TextEntry", "SecureTextField"}, "SearchField": {"TextEntry", "SearchField"},
	"TextView": {"TextEntry", "TextArea"}, "Icon": {"LaunchIcon"}, "Alert": {"Alert"},
}

// element is an element in the complete format, read inside: only its traits say whether it is enabled, and the value of an empty field
// is its placeholder.
func (b *bound) element(e *world.Element, levels int) map[string]any {
	b.nodes--
	is := list(traits[e.Type])
	for trait, yes := range map[string]bool{"Selected": e.Selected, "NotEnabled": e.Disabled, "IsEditing": e.Focused} {
		if yes {
			is = append(is, trait)
		}
	}
	slices.Sort(is)
	value := e.Value
	if value == "" && e.Placeholder != "" {
		value = e.Placeholder
	}
	one := map[string]any{"label": text(e.Label), "value": text(value), "identifier": text(e.Identifier), "type": e.Type,
		"role_description": nil, "subrole": nil, "frame": frame(e.Frame), "enabled": nil, "custom_actions": []string{}, "pid": b.pid,
		"placeholder": text(e.Placeholder), "focused": e.Focused, "hidden": false, "traits": is}
	children := []map[string]any{}
	for _, child := range e.Children {
		if levels <= 1 || b.nodes <= 0 {
			b.cut = true
			break
		}
		children = append(children, b.element(child, levels-1))
	}
	one["children"] = children
	return one
}
