package webdriver

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/ui"
)

// node is an element of a look at the screen, in its place in the tree.
type node struct {
	ui.Element
	parent   *node
	children []*node
	index    int // among its siblings
}

// tree is one look at the screen.
type tree struct {
	ui.Snapshot
	root  *node   // stands above the roots; it is no element
	nodes []*node // in document order
}

// look reads the whole screen.
func (one *session) look(ctx context.Context) (*tree, error) {
	input := map[string]any{"all": true, "full": true}
	one.mu.Lock()
	var depth float64
	if json.Unmarshal(one.settings["snapshotMaxDepth"], &depth) == nil && depth >= 1 {
		input["max_depth"] = int(min(depth, 1000))
	}
	one.mu.Unlock()
	var shown ui.Snapshot
	if err := one.on(ctx, "snapshot", input, &shown); err != nil {
		return nil, err
	}
	return grow(shown), nil
}

// grow makes a tree of a snapshot, which is a list.
func grow(shown ui.Snapshot) *tree {
	t := &tree{Snapshot: shown, root: &node{}}
	byRef := make(map[string]*node, len(t.Elements))
	for i := range t.Elements {
		n := &node{Element: t.Elements[i]}
		t.nodes = append(t.nodes, n)
		byRef[n.Ref] = n
	}
	for _, n := range t.nodes {
		for _, ref := range n.Element.Children {
			if c := byRef[ref]; c != nil && c.parent == nil {
				c.parent, c.index = n, len(n.children)
				n.children = append(n.children, c)
			}
		}
	}
	for _, n := range t.nodes {
		if n.parent == nil {
			n.parent, n.index = t.root, len(t.root.children)
			t.root.children = append(t.root.children, n)
		}
	}
	return t
}

// id is the element's for clients.
func (n *node) id() string { return strings.TrimPrefix(n.Ref, "@") }

// element writes an element for clients; the older name is for WebDriverAgent's.
func (n *node) element() map[string]any {
	return map[string]any{"element-6066-11e4-a52e-4f735466cecf": n.id(), "ELEMENT": n.id()}
}

// name is what XCUITest's tools call the name: the identifier, or else the label.
func (n *node) name() string {
	if n.Identifier != "" {
		return n.Identifier
	}
	return n.Label
}

// visible is what our look says: some of it is within the screen, and nothing hides it.
func (n *node) visible() bool { return !n.Hidden && (n.Visible == nil || *n.Visible > 0) }

func (n *node) value() string {
	if n.Value == nil {
		return ""
	}
	return *n.Value
}

// accessible is only known where the source of the tree says it.
func (n *node) accessible() (is, known bool) {
	for _, name := range []string{"accessible", "isAccessible"} {
		switch v := n.Extra[name].(type) {
		case bool:
			return v, true
		case string:
			return v == "true" || v == "1", true
		case float64:
			return v != 0, true
		}
	}
	return false, false
}

// text is what the element says: its value, or else its label.
func (n *node) text() string {
	if n.Value != nil && *n.Value != "" {
		return *n.Value
	}
	return n.Label
}

// rect is the frame in whole points, as XCUITest's tools have it.
func (n *node) rect() map[string]any {
	x, y, w, h := whole(n.Frame)
	return map[string]any{"x": x, "y": y, "width": w, "height": h}
}

func whole(r ui.Rect) (x, y, w, h int) {
	return int(math.Floor(r.X)), int(math.Floor(r.Y)), int(math.Round(r.W)), int(math.Round(r.H))
}

// attribute is one of the names and values that a source has.
type attribute struct{ name, value string }

// attributes are those of the source, in its order. What has no value is not there.
func (n *node) attributes() []attribute {
	x, y, w, h := whole(n.Frame)
	out := make([]attribute, 0, 16)
	add := func(name, value string) { out = append(out, attribute{name, value}) }
	add("type", n.Type)
	if n.Value != nil {
		add("value", *n.Value)
	}
	if name := n.name(); name != "" {
		add("name", name)
	}
	if n.Label != "" {
		add("label", n.Label)
	}
	add("enabled", strconv.FormatBool(n.Enabled))
	add("visible", strconv.FormatBool(n.visible()))
	if is, known := n.accessible(); known {
		add("accessible", strconv.FormatBool(is))
	}
	if n.Selected {
		add("selected", "true")
	}
	if n.Focused {
		add("focused", "true")
	}
	add("x", strconv.Itoa(x))
	add("y", strconv.Itoa(y))
	add("width", strconv.Itoa(w))
	add("height", strconv.Itoa(h))
	add("index", strconv.Itoa(n.index))
	add("hittable", strconv.FormatBool(!n.OutOfReach()))
	if n.Placeholder != "" {
		add("placeholderValue", n.Placeholder)
	}
	return out
}

// window is the screen in points.
func (t *tree) window() ui.Rect {
	for _, n := range t.root.children {
		if n.Frame.W > 0 && n.Frame.H > 0 {
			return n.Frame
		}
	}
	return ui.Rect{}
}

func (t *tree) landscape() bool { w := t.window(); return w.W > w.H }

// app is the element of the app in front; nil when the screen shows none.
func (t *tree) app() *node {
	if len(t.root.children) == 0 {
		return nil
	}
	return t.root.children[0]
}

// xml is the page source: one element of XML for each of the screen, around them all a scope if one is asked for.
func (t *tree) xml(scope string, without []string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	if scope == "" && len(t.root.children) != 1 {
		scope = "AppiumAUT" // a document has one root
	}
	depth := 0
	if scope != "" {
		b.WriteString("<" + scope + ">\n")
		depth++
	}
	for _, n := range t.root.children {
		n.xml(&b, depth, without)
	}
	if scope != "" {
		b.WriteString("</" + scope + ">")
	}
	return b.String()
}

func (n *node) xml(b *strings.Builder, depth int, without []string) {
	indent, tag := strings.Repeat("  ", depth), n.tag()
	b.WriteString(indent + "<" + tag)
	for _, a := range n.attributes() {
		if slices.Contains(without, a.name) {
			continue
		}
		b.WriteString(" " + a.name + `="`)
		escape(b, a.value)
		b.WriteByte('"')
	}
	if len(n.children) == 0 {
		b.WriteString("/>\n")
		return
	}
	b.WriteString(">\n")
	for _, c := range n.children {
		c.xml(b, depth+1, without)
	}
	b.WriteString(indent + "</" + tag + ">\n")
}

// tag is the name of the element in XML: its type, unless some driver has one that XML cannot hold.
func (n *node) tag() string {
	if n.Type == "" || !plainName(n.Type) {
		return typePrefix + "Other"
	}
	return n.Type
}

// escape writes text into an attribute. What XML cannot hold at all is replaced, so that a screen can never make a source that no parser
// takes.
func escape(b *strings.Builder, s string) {
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\n':
			b.WriteString("&#10;")
		case r == '\r':
			b.WriteString("&#13;")
		case r == '\t':
			b.WriteString("&#9;")
		case r < 0x20, r == 0xFFFE, r == 0xFFFF:
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
}

// json is the source in WebDriverAgent's form of JSON.
func (n *node) json() map[string]any {
	short := strings.TrimPrefix(n.Type, "XCUIElementType")
	out := map[string]any{
		"type": short, "rawIdentifier": orNull(n.Identifier), "name": orNull(n.name()), "label": orNull(n.Label), "value": n.Value,
		"rect": n.rect(), "frame": n.frame(), "isEnabled": digit(n.Enabled), "isVisible": digit(n.visible()), "isFocused": digit(n.Focused),
		"placeholderValue": orNull(n.Placeholder),
	}
	if is, known := n.accessible(); known {
		out["isAccessible"] = digit(is)
	}
	var below []any
	for _, c := range n.children {
		below = append(below, c.json())
	}
	if below != nil {
		out["children"] = below
	}
	return out
}

func (n *node) frame() string {
	x, y, w, h := whole(n.Frame)
	return "{{" + strconv.Itoa(x) + ", " + strconv.Itoa(y) + "}, {" + strconv.Itoa(w) + ", " + strconv.Itoa(h) + "}}"
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func digit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// description is the source as text: a line an element.
func (n *node) description(b *strings.Builder, depth int) {
	b.WriteString(strings.Repeat("  ", depth) + strings.TrimPrefix(n.Type, "XCUIElementType") + ", " + n.frame())
	if n.Identifier != "" {
		b.WriteString(", identifier: " + ui.Quote(n.Identifier))
	}
	if n.Label != "" {
		b.WriteString(", label: " + ui.Quote(n.Label))
	}
	if v := n.value(); v != "" {
		b.WriteString(", value: " + ui.Quote(v))
	}
	b.WriteByte('\n')
	for _, c := range n.children {
		c.description(b, depth+1)
	}
}

// source is the page source in one of WebDriverAgent's formats.
func source(ctx context.Context, q *request) (any, error) {
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	return q.written(t, q.query.Get("format"), q.query.Get("scope"), strings.Split(q.query.Get("excluded_attributes"), ","))
}

func (q *request) written(t *tree, format, scope string, without []string) (any, error) {
	if scope != "" && !plainName(scope) {
		return nil, fail(invalidArgument, "scope is %q; it is the name of an element of XML", scope)
	}
	switch format {
	case "", "xml":
		if scope == "" && !q.session.agent {
			scope = "AppiumAUT" // as Appium answers
		}
		return t.xml(scope, without), nil
	case "json":
		if app := t.app(); app != nil {
			return app.json(), nil
		}
		return nil, fail(unknownError, "the screen shows no app")
	case "description":
		var b strings.Builder
		for _, n := range t.root.children {
			n.description(&b, 0)
		}
		return b.String(), nil
	}
	return nil, fail(invalidArgument, "the format of the source is %q", format).hinted("xml, json or description")
}

func plainName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return len(s) <= 40
}
