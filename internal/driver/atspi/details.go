package atspi

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/desktop"
)

// relationLabelledBy is from AtspiRelationType.
const relationLabelledBy = 2

// mostActions is the maximum number of reported actions of one element.
const mostActions = 32

// details requests data that the cache lacks: places, actions, numbers; then texts, whose length must be known first.
func (r *reading) details(ctx context.Context, visible []*item) error {
	var asks []*ask
	for _, it := range visible {
		asks = append(asks, r.about(it)...)
	}
	if err := r.a.bus.all(ctx, asks); err != nil {
		return err
	}
	asks = asks[:0]
	for _, it := range visible {
		if it.count > 0 && kindOf(it.role).value != fromSecret {
			asks = append(asks, &ask{it.ref, text + ".GetText", []any{int32(0), int32(min(it.count, longestText))}, func(body []any, err error) {
				if s, is := unwrapped(body).(string); err == nil && is {
					s = short(s)
					it.text = &s
				}
			}})
		}
	}
	return r.a.bus.all(ctx, asks)
}

// about are the requests for one element.
func (r *reading) about(it *item) (asks []*ask) {
	if it.faces.has(faceComponent) {
		asks = append(asks, &ask{it.ref, component + ".GetExtents", []any{uint32(0)}, func(body []any, err error) {
			if err == nil {
				it.bounds = rectOf(unwrapped(body))
			}
		}})
	}
	if had, same := r.a.actions[it.ref]; same && had.role == it.role && had.states == it.states &&
		had.generation == r.a.heard.generation(it.ref) {
		it.actions = had.names
	} else if it.faces.has(faceAction) {
		asks = append(asks, &ask{it.ref, action + ".GetActions", nil, func(body []any, err error) {
			if err == nil {
				it.actions = actionsOf(it.role, unwrapped(body))
			}
		}})
	}
	if it.faces.has(faceValue) {
		for name, to := range map[string]**float64{"CurrentValue": &it.number, "MinimumValue": &it.low, "MaximumValue": &it.high} {
			asks = append(asks, get(it.ref, value, name, func(v any) {
				if n, is := number(v); is {
					*to = &n
				}
			}))
		}
	}
	from := kindOf(it.role).value
	if it.faces.has(faceText) && (from == fromText || from == fromSecret || from == fromChild || from == fromName && it.name == "") {
		asks = append(asks, get(it.ref, text, "CharacterCount", func(v any) { it.count = whole(v) }))
	}
	if it.states.has(stateFocusable) && (takesText(it.role) || r.p.unique()) {
		asks = append(asks, &ask{it.ref, accessible + ".GetAttributes", nil, func(body []any, err error) {
			if err == nil {
				it.attrs, _ = unwrapped(body).(map[string]string)
			}
		}})
	}
	if it.states.has(stateFocusable) && it.name == "" && (takesText(it.role) || it.faces.has(faceValue)) {
		asks = append(asks, &ask{it.ref, accessible + ".GetRelationSet", nil, func(body []any, err error) {
			if err == nil {
				it.label = r.labelOf(unwrapped(body))
			}
		}})
	}
	return asks
}

// labelOf is the name of the element that labels another one, from a(ua(so)).
func (r *reading) labelOf(v any) string {
	rows, _ := v.([][]any)
	for _, row := range rows {
		if len(row) != 2 || row[0] != uint32(relationLabelledBy) {
			continue
		}
		for _, by := range refsOf(row[1]) {
			if label := r.items[by]; label != nil && label.name != "" {
				return label.name
			}
		}
	}
	return ""
}

// actionsOf reads a(sss): name, description, keys.
func actionsOf(role uint32, v any) (all []actionName) {
	rows, _ := v.([][]any)
	for i, row := range rows[:min(len(rows), mostActions)] {
		said := ""
		if len(row) > 0 {
			said = short(row[0])
		}
		all = append(all, actionName{said, nameAction(role, i, said)})
	}
	return all
}

// node converts an element and its descendants. A window has no parent.
func (r *reading) node(it, parent *item) *desktop.Node {
	n := &desktop.Node{
		Key: r.a.keyOf(it.ref), Source: Source, Bounds: it.bounds, Hidden: !it.showing,
		Enabled: it.states.has(stateEnabled) || it.states.has(stateSensitive), Focused: it.states.has(stateFocused),
		Selected: it.states.has(stateSelected) || checked(it), Modal: it.states.has(stateModal), Min: it.low, Max: it.high,
		Identifier: short(it.attrs["id"]), Placeholder: short(it.attrs["placeholder-text"]),
	}
	n.Role, n.Subrole = roleOf(it, parent)
	if parent == nil && r.p.gtk4() { // its only sign of visibility
		n.Enabled = true
	}
	n.Title = r.title(it)
	for _, a := range it.actions {
		if a.name != "" && !slices.Contains(n.Actions, a.name) {
			n.Actions = append(n.Actions, a.name)
		}
	}
	if !it.showing && it.faces.has(faceAction) && n.Role == "AXMenuItem" {
		n.Actions = []string{desktop.Press} // not requested; items of closed menus can be pressed
	}
	for _, c := range it.children {
		n.Children = append(n.Children, r.node(c, it))
	}
	n.Value = valueOfItem(it, n)
	return n
}

func (r *reading) title(it *item) string {
	name, description := it.name, it.description
	if r.p.gtk4() {
		name, description = cleanName(name), cleanName(description)
	}
	for _, s := range []string{name, it.label, description} {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	if kindOf(it.role).value == fromName && it.text != nil {
		return *it.text
	}
	return ""
}

func checked(it *item) bool {
	return it.states.has(stateChecked) || it.role == roleToggleButton && it.states.has(statePressed)
}

// secretMark replaces each character of a password.
const secretMark = "•"

// valueOfItem is a number, else a text, else the checked state. It never reveals a password.
func valueOfItem(it *item, n *desktop.Node) *string {
	say := func(s string) *string { return &s }
	switch from := kindOf(it.role).value; {
	case from == fromSecret:
		return say(strings.Repeat(secretMark, max(min(it.count, longestText), 0)))
	case it.number != nil:
		return say(strconv.FormatFloat(*it.number, 'f', -1, 64))
	case from == fromChecked && it.states.has(stateIndeterminate):
		return say("2")
	case from == fromChecked && checked(it):
		return say("1")
	case from == fromChecked:
		return say("0")
	case from == fromText && it.text != nil:
		return it.text
	case from == fromText && it.showing && it.faces.has(faceText):
		return say("")
	case from == fromChild:
		if it.text != nil && *it.text != "" {
			return it.text
		}
		return selectedIn(n)
	}
	return nil
}

// selectedIn is the title of the selected child of an element.
func selectedIn(n *desktop.Node) (found *string) {
	for _, c := range n.Children {
		c.Walk(func(below *desktop.Node) bool {
			if below.Selected && below.Title != "" {
				found = &below.Title
			}
			return found == nil
		})
	}
	return found
}
