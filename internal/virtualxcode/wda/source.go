package wda

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// source writes the tree of the active app.
func (c *call) source() (any, error) {
	format := c.query.Get("format")
	if format == "" {
		format = "xml"
	}
	root, _, err := c.snapshot()
	if err != nil {
		return nil, err
	}
	var without []string
	if list := c.query.Get("excluded_attributes"); list != "" {
		without = strings.Split(list, ",")
	}
	switch strings.ToLower(format) {
	case "xml":
		return c.xml(root, c.query.Get("scope"), without), nil
	case "json":
		return root.json(without), nil
	case "description":
		return root.description(0), nil
	}
	return nil, invalid("Unknown source format '%s'. Only (\n    xml,\n    json,\n    description\n) source formats are supported.", format)
}

// json converts an element to a dictionary. Booleans are "1" and "0".
func (n *node) json(without []string) map[string]any {
	info := map[string]any{"type": n.Type, "rect": rectOf(n.rect()), "customActions": nil}
	for _, name := range []string{"rawIdentifier", "name", "value", "label"} {
		info[name], _ = n.attribute(name)
	}
	may := func(name string) bool { return !slices.Contains(without, name) }
	truths := map[string]bool{"enabled": !n.Disabled, "visible": n.visible(), "accessible": n.accessible(),
		"nativeAccessibilityElement": n.native(), "focused": false}
	for name, yes := range truths {
		if may(name) {
			info["is"+strings.ToUpper(name[:1])+name[1:]] = oneOrZero(yes)
		}
	}
	for _, name := range []string{"frame", "nativeFrame", "traits"} {
		if may(name) {
			info[name], _ = n.attribute(name)
		}
	}
	if slices.Contains(texts, n.Type) && may("placeholderValue") {
		info["placeholderValue"], _ = n.attribute("placeholderValue")
	}
	if len(n.children) > 0 {
		var list []any
		for _, child := range n.children {
			list = append(list, child.json(without))
		}
		info["children"] = list
	}
	return info
}

func oneOrZero(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}

// xml writes the tree as a document, in a wrapper if requested.
func (c *call) xml(root *node, wrapper string, without []string) string {
	names := []string{"type", "value", "name", "label", "enabled", "visible", "accessible", "x", "y", "width", "height", "index"}
	if setting[bool](c, "includeHittableInPageSource") {
		names = append(names, "hittable")
	}
	names = append(names, "placeholderValue", "traits")
	if setting[bool](c, "includeNativeFrameInPageSource") {
		names = append(names, "nativeFrame")
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(without, name) })
	var out strings.Builder
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	depth := 0
	if wrapper != "" {
		fmt.Fprintf(&out, "<%s>\n", wrapper)
		depth = 1
	}
	root.xml(&out, names, depth)
	if wrapper != "" {
		fmt.Fprintf(&out, "</%s>\n", wrapper)
	}
	return out.String()
}

func (n *node) xml(out *strings.Builder, names []string, depth int) {
	indent := strings.Repeat("  ", depth)
	fmt.Fprintf(out, "%s<%s", indent, n.kind())
	for _, name := range names {
		if text, ok := n.written(name); ok {
			fmt.Fprintf(out, ` %s="%s"`, name, escaped(text))
		}
	}
	if len(n.children) == 0 {
		out.WriteString("/>\n")
		return
	}
	out.WriteString(">\n")
	for _, child := range n.children {
		child.xml(out, names, depth+1)
	}
	fmt.Fprintf(out, "%s</%s>\n", indent, n.kind())
}

// written is an attribute as text; false without a value.
func (n *node) written(name string) (string, bool) {
	v, ok := n.attribute(name)
	switch v := v.(type) {
	case string:
		return v, ok
	case bool:
		return strconv.FormatBool(v), ok
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), ok
	}
	return "", false
}

// escaped is a text as the value of an attribute, without characters that XML cannot hold.
func escaped(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, text)
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a builder never fails
	return out.String()
}

func (n *node) description(depth int) string {
	var out strings.Builder
	r := n.frame()
	fmt.Fprintf(&out, "%s%s, {{%.1f, %.1f}, {%.1f, %.1f}}", strings.Repeat("  ", depth), n.Type, r.X, r.Y, r.W, r.H)
	if n.Identifier != "" {
		fmt.Fprintf(&out, ", identifier: '%s'", n.Identifier)
	}
	if n.Label != "" {
		fmt.Fprintf(&out, ", label: '%s'", n.Label)
	}
	out.WriteByte('\n')
	for _, child := range n.children {
		out.WriteString(child.description(depth + 1))
	}
	return out.String()
}

// accessibleSource is the tree for VoiceOver.
func (c *call) accessibleSource() (any, error) {
	root, _, err := c.snapshot()
	if err != nil {
		return nil, err
	}
	if read := root.readOut(); read != nil {
		return read, nil
	}
	return map[string]any{}, nil
}

func (n *node) readOut() map[string]any {
	info := map[string]any{}
	if n.accessible() {
		if n.visible() {
			info["value"], _ = n.attribute("value")
			info["label"], _ = n.attribute("label")
		}
	} else {
		var list []any
		for _, child := range n.children {
			if read := child.readOut(); read != nil {
				list = append(list, read)
			}
		}
		if len(list) > 0 {
			info["children"] = list
		}
	}
	if len(info) == 0 {
		return nil
	}
	info["type"] = n.Type
	info["rawIdentifier"], _ = n.attribute("rawIdentifier")
	info["name"], _ = n.attribute("name")
	return info
}

func (c *call) screenshot() (any, error) {
	png, err := c.picture(c.ctx)
	if err != nil {
		return nil, problem(500, "unable to capture screen", "%v", err)
	}
	return base64.StdEncoding.EncodeToString(png), nil
}
