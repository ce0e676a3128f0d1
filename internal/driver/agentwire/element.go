package agentwire

import (
	"bytes"
	"encoding/json"
)

// Element is one node of a tree, in the JSON of the wire. Version 1 has the keys up to hittable; the other keys are omitted for their
// usual values: enabled, not selected, not focused, not secure, no placeholder.
type Element struct {
	Identifier  string    `json:"AXUniqueId,omitempty"`
	Label       string    `json:"AXLabel,omitempty"`
	Value       Text      `json:"AXValue,omitempty"`
	Type        string    `json:"type,omitempty"`
	Frame       Frame     `json:"frame"`
	Children    []Element `json:"children"`
	Role        string    `json:"role,omitempty"`
	Hittable    *bool     `json:"hittable,omitempty"` // nil: unknown; only FindElement checks it
	Enabled     *bool     `json:"enabled,omitempty"`  // nil: enabled; see Disabled
	Selected    bool      `json:"selected,omitempty"`
	Focused     bool      `json:"focused,omitempty"`
	Placeholder string    `json:"placeholder,omitempty"`
	Secure      bool      `json:"secure,omitempty"`
}

// Frame is the place of an element, in points of the screen.
type Frame struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Disabled reports whether the agent reported the element as disabled.
func (e *Element) Disabled() bool { return e.Enabled != nil && !*e.Enabled }

// Text is a string that some agents write as a number, a bool or null. Another value keeps its JSON text, null becomes "".
type Text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		return json.Unmarshal(b, (*string)(t))
	}
	*t = ""
	if !bytes.Equal(b, []byte("null")) {
		*t = Text(b)
	}
	return nil
}

// EncodeElements returns the JSON of a Tree or Sight. It replaces nil children by empty lists in place, because readers of version 1
// expect an array in every node.
func EncodeElements(roots []Element) (string, error) {
	if roots == nil {
		roots = []Element{}
	}
	fillChildren(roots)
	return encode(roots)
}

// EncodeElement returns the JSON of a Found: null for nil, and children as in EncodeElements.
func EncodeElement(e *Element) (string, error) {
	if e == nil {
		return "null", nil
	}
	one := []Element{*e}
	fillChildren(one)
	return encode(one[0])
}

// fillChildren walks the tree. With a MarshalJSON method, encoding/json would scan every node once per ancestor.
func fillChildren(nodes []Element) {
	for i := range nodes {
		if nodes[i].Children == nil {
			nodes[i].Children = []Element{}
		}
		fillChildren(nodes[i].Children)
	}
}

func encode(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// Elements decodes the tree.
func (m *Tree) Elements() ([]Element, error) { return decode[[]Element](m.JSON, "tree") }

// Element decodes the element; nil if the agent found none.
func (m *Found) Element() (*Element, error) { return decode[*Element](m.JSON, "element") }

func decode[T any](text, what string) (v T, err error) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return v, decodeErrorf(InvalidPayload, "%s: %v", what, err)
	}
	return v, nil
}
