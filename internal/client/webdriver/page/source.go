package page

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/ui"
)

// XML is the page source: one XML element for each element of the screen, inside a scope element if requested.
func (t *Page) XML(scope string, without []string) string {
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

func (n *Node) xml(b *strings.Builder, depth int, without []string) {
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

// tag is the XML name of the element: its type, unless the type is not a valid XML name.
func (n *Node) tag() string {
	if n.Type == "" || !IsName(n.Type) {
		return TypePrefix + "Other"
	}
	return n.Type
}

// escape writes text into an attribute. Characters that XML cannot represent are replaced, so that the source can always be parsed.
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

// JSON is the source in WebDriverAgent's form of JSON.
func (n *Node) JSON() map[string]any {
	short := strings.TrimPrefix(n.Type, TypePrefix)
	var value any = n.Value
	if v := n.value(); v != "" {
		value = v
	}
	out := map[string]any{
		"type": short, "rawIdentifier": orNull(n.Identifier), "name": orNull(n.name()), "label": orNull(n.Label), "value": value,
		"rect": n.Box(), "frame": n.FrameText(), "isEnabled": digit(n.Enabled), "isVisible": digit(n.IsVisible()), "isFocused": digit(n.Focused),
		"placeholderValue": orNull(n.Placeholder),
	}
	if is, known := n.accessible(); known {
		out["isAccessible"] = digit(is)
	}
	var below []any
	for _, c := range n.children {
		below = append(below, c.JSON())
	}
	if below != nil {
		out["children"] = below
	}
	return out
}

// FrameText is the frame in Core Graphics' format.
func (n *Node) FrameText() string {
	b := n.Box()
	return fmt.Sprintf("{{%d, %d}, {%d, %d}}", b.X, b.Y, b.Width, b.Height)
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

// Description is the source as text: a line an element.
func (t *Page) Description() string {
	var b strings.Builder
	for _, n := range t.root.children {
		n.description(&b, 0)
	}
	return b.String()
}

func (n *Node) description(b *strings.Builder, depth int) {
	b.WriteString(strings.Repeat("  ", depth) + strings.TrimPrefix(n.Type, TypePrefix) + ", " + n.FrameText())
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

// IsName reports whether the text is a valid name of an XML element.
func IsName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return len(s) <= 40
}
