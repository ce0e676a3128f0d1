package agentwire

import (
	"bytes"
	"encoding/json"
)

// Element is one node of a tree, in the JSON of the wire. Keys up to hittable are version 1's; the rest are
// left out when they say what is usual: enabled, not selected, not focused, not secure, no placeholder.
type Element struct {
	Identifier  string    `json:"AXUniqueId,omitempty"`
	Label       string    `json:"AXLabel,omitempty"`
	Value       Text      `json:"AXValue,omitempty"`
	Type        string    `json:"type,omitempty"`
	Frame       Frame     `json:"frame"`
	Children    []Element `json:"children"`
	Role        string    `json:"role,omitempty"`
	Hittable    *bool     `json:"hittable,omitempty"` // nil: not asked; only FindElement knows
	Enabled     *bool     `json:"enabled,omitempty"`  // nil: enabled; see Disabled
	Selected    bool      `json:"selected,omitempty"`
	Focused     bool      `json:"focused,omitempty"`
	Placeholder string    `json:"placeholder,omitempty"`
	Secure      bool      `json:"secure,omitempty"`
}

// Frame is where an element is, in points of the screen.
type Frame struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Disabled reports whether the agent said that the element is not enabled.
func (e *Element) Disabled() bool { return e.Enabled != nil && !*e.Enabled }

// Text is a string that some agents write as a number, a bool or null. What is not a string is kept as its
// JSON text, null as the empty one.
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

// EncodeElements returns the JSON of a Tree or Sight. Children that are nil become empty in place, for
// readers of version 1 expect an array in every node.
func EncodeElements(roots []Element) (string, error) {
	if roots == nil {
		roots = []Element{}
	}
	fillChildren(roots)
	return encode(roots)
}

// EncodeElement returns the JSON of a Found: null for nil, and children as EncodeElements has them.
func EncodeElement(e *Element) (string, error) {
	if e == nil {
		return "null", nil
	}
	one := []Element{*e}
	fillChildren(one)
	return encode(one[0])
}

// fillChildren is a walk rather than a MarshalJSON method, with which encoding/json would scan every node once
// per ancestor.
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

// Element decodes the element; nil means that there is none.
func (m *Found) Element() (*Element, error) { return decode[*Element](m.JSON, "element") }

func decode[T any](text, what string) (v T, err error) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return v, decodeErrorf(InvalidPayload, "%s: %v", what, err)
	}
	return v, nil
}
