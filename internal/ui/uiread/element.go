package uiread

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
	"ios-agent/internal/ui"
)

// taker reads an element's members once each; unread members are left over.
type taker struct {
	from  object
	taken map[string]bool
}

// take returns the first of the keys that is present and not null.
func (t *taker) take(keys ...string) (any, bool) {
	for _, key := range keys {
		if v, ok := t.from.get(key); ok && v != nil {
			t.taken[key] = true
			return v, true
		}
	}
	return nil, false
}

// text takes a string; any other value becomes its text.
func (t *taker) text(keys ...string) string {
	v, _ := t.take(keys...)
	return textOf(v)
}

// peek reads a text that stays in the left-over members: it holds more than our model.
func (t *taker) peek(key string) string {
	v, _ := t.from.get(key)
	s, _ := v.(string)
	return s
}

// flag takes a boolean. Some tools write "1" and "0".
func (t *taker) flag(usual bool, keys ...string) bool {
	for _, key := range keys {
		v, ok := t.from.get(key)
		if !ok || v == nil {
			continue
		}
		if yes, ok := truth(v); ok {
			t.taken[key] = true
			return yes
		}
	}
	return usual
}

func truth(v any) (yes, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		yes, err := strconv.ParseBool(strings.ToLower(v))
		return yes, err == nil
	case json.Number:
		return v != "0", v == "0" || v == "1"
	}
	return false, false
}

// usualNull are the members that idb and others write even when they are empty.
var usualNull = map[string]bool{
	"AXLabel": true, "AXUniqueId": true, "AXValue": true, "title": true, "help": true, "subrole": true, "traits": true, "value": true,
	"label": true, "identifier": true, "name": true, "rawIdentifier": true, "role_description": true, "role": true, "frame": true,
	"rect": true, "enabled": true, "custom_actions": true, "children": true, "type": true, "placeholder": true, "AXFrame": true,
}

// node reads one element and all below it.
func (t *Tree) node(o object) *ui.Node {
	from := &taker{o, map[string]bool{}}
	n := &ui.Node{
		Identifier:  from.text("AXUniqueId", "AXIdentifier", "identifier", "rawIdentifier"),
		Label:       from.text("AXLabel", "label"),
		Value:       from.text("AXValue", "value"),
		Placeholder: from.text("placeholder", "placeholderValue", "AXPlaceholderValue"),
		Disabled:    !from.flag(true, "enabled", "isEnabled", "AXEnabled"),
		Focused:     from.flag(false, "focused", "isFocused", "AXFocused"),
		Selected:    from.flag(false, "selected", "isSelected", "AXSelected"),
		Secure:      from.flag(false, "secure"),
		Hidden:      !from.flag(true, "visible", "isVisible") || from.flag(false, "hidden"),
	}
	if n.Label == "" {
		n.Label = from.peek("title")
	}
	t.name(n, from)
	traits := from.traits()
	n.Type, n.RawType = kindOf(from, traits)
	n.Secure = n.Secure || n.Type == "SecureTextField"
	for _, trait := range traits {
		n.Selected = n.Selected || trait == "Selected"
		n.Disabled = n.Disabled || trait == "NotEnabled"
	}
	n.Actions = from.strings("custom_actions")
	from.place(n)
	n.Children = t.children(from, n)
	n.Extra = from.leftOver()
	return n
}

// name is WebDriverAgent's word for the identifier or, without an identifier, the label.
func (t *Tree) name(n *ui.Node, from *taker) {
	name := from.peek("name")
	if n.Identifier == "" && name != "" && name != n.Label {
		n.Identifier = name
		from.taken["name"] = true
	}
}

// kindOf is the type in our names, and in the source's if they differ.
func kindOf(from *taker, traits []string) (kind, raw string) {
	raw = from.text("type", "elementType")
	if explicit := from.text("raw_type"); explicit != "" {
		return ui.TypeOf(raw), explicit
	}
	said := raw
	if said == "" {
		said = from.peek("role")
	}
	beside := append([]string{from.peek("subrole"), from.peek("role_description")}, traits...)
	kind = ui.TypeOf(said, beside...)
	if raw == kind || raw == xcuiPrefix+kind { // the long name of the same type
		raw = ""
	}
	return kind, raw
}

// traits are a list, or one text with commas.
func (t *taker) traits() []string {
	switch v, _ := t.from.get("traits"); v := v.(type) {
	case []any:
		var out []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				out = append(out, s)
			}
		}
		return out
	case string:
		return strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return nil
}

// strings takes a list of texts; any other list is left over.
func (t *taker) strings(key string) []string {
	v, _ := t.from.get(key)
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	var out []string
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	t.taken[key] = true
	return out
}

// place takes the frame from any of its members; a second member with the same frame is dropped.
func (t *taker) place(n *ui.Node) {
	n.Unplaced = true
	for _, key := range []string{"frame", "rect", "AXFrame", "bounds"} {
		v, ok := t.from.get(key)
		if !ok {
			continue
		}
		frame, complete, ok := frameOf(v)
		switch {
		case !ok:
		case n.Unplaced:
			n.Frame, n.Unplaced = frame, false
			t.taken[key] = complete
		case frame == n.Frame && complete:
			t.taken[key] = true
		}
	}
}

var cocoaRect = lazyregexp.New(`^\{\{(-?[0-9.eE+-]+), ?(-?[0-9.eE+-]+)\}, ?\{(-?[0-9.eE+-]+), ?(-?[0-9.eE+-]+)\}\}$`)

// frameOf reads a frame in any known form; complete: the member had no other content.
func frameOf(v any) (frame ui.Rect, complete, ok bool) {
	switch v := v.(type) {
	case object:
		if origin, is := v.get("origin"); is {
			size, _ := v.get("size")
			a, okA := origin.(object)
			b, okB := size.(object)
			if !okA || !okB {
				return frame, false, false
			}
			frame, complete, ok = frameOf(append(append(object{}, a...), b...))
			return frame, complete && len(v) == 2, ok
		}
		var sides [4]float64
		for i, keys := range [][]string{{"x", "X"}, {"y", "Y"}, {"width", "w", "Width"}, {"height", "h", "Height"}} {
			found := false
			for _, key := range keys {
				if side, is := v.get(key); is && !found {
					sides[i], found = length(side)
				}
			}
			if !found {
				return frame, false, false
			}
		}
		return ui.Rect{X: sides[0], Y: sides[1], W: sides[2], H: sides[3]}, len(v) == 4, true
	case string:
		m := cocoaRect.FindStringSubmatch(strings.TrimSpace(v))
		if m == nil {
			return frame, false, false
		}
		var sides [4]float64
		for i := range sides {
			if sides[i], ok = length(m[i+1]); !ok {
				return frame, false, false
			}
		}
		return ui.Rect{X: sides[0], Y: sides[1], W: sides[2], H: sides[3]}, true, true
	}
	return frame, false, false
}

// length reads a coordinate. Values beyond any screen are ignored: their sums would not be finite.
func length(v any) (float64, bool) {
	const far = 1e9
	f, ok := number(v)
	return f, ok && math.Abs(f) <= far
}

// number reads a finite number, also one written as a text.
func number(v any) (float64, bool) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// children reads the content of an element; here every object counts as an element, however few members it has.
func (t *Tree) children(from *taker, of *ui.Node) []*ui.Node {
	v, _ := from.from.get("children")
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	var nodes []*ui.Node
	var strangers []any
	for i, item := range list {
		if o, ok := item.(object); ok {
			nodes = append(nodes, t.node(o))
		} else {
			t.warn("child %d of %s is not an element", i, of.Describe())
			strangers = append(strangers, item)
		}
	}
	from.taken["children"] = strangers == nil
	return nodes
}

// leftOver holds the unread members.
func (t *taker) leftOver() map[string]any {
	var extra map[string]any
	for _, m := range t.from {
		if t.taken[m.key] || m.value == nil && usualNull[m.key] {
			continue
		}
		if extra == nil {
			extra = map[string]any{}
		}
		extra[m.key] = plain(m.value)
	}
	return extra
}
