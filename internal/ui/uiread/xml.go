package uiread

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"ios-agent/internal/ui"
)

// readXML reads a page source, whole or in part: several neighbouring elements are several roots.
func (t *Tree) readXML(b []byte, at place) error {
	t.Source = WDAXML
	d := xml.NewDecoder(bytes.NewReader(b))
	var open []*ui.Node // nil stands for a wrapper around elements
	count := 0
	for {
		if err := t.bound.step(); err != nil {
			return err
		}
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return at.fault(int(d.InputOffset()), brokenXML(err, len(open)), count)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(open) > deepest {
				return at.fault(int(d.InputOffset()), fmt.Sprintf("it nests deeper than %d levels", deepest), count)
			}
			if count == 0 && !elementLike(token) {
				t.wrapping(token)
				open = append(open, nil)
				continue
			}
			if t.bound.full(count, 0) {
				t.Left++
				open = append(open, nil)
				continue
			}
			count++
			n := t.xmlNode(token)
			t.hang(open, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			t.xmlText(open, string(token))
		}
	}
	if count == 0 && t.Document["wrapper"] != appiumWrapper {
		return at.fault(0, "the XML holds no UI elements", 0)
	}
	return nil
}

func brokenXML(err error, open int) string {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		if strings.Contains(syntax.Msg, "EOF") {
			return fmt.Sprintf("the XML is cut off: %d elements are still open", open)
		}
		return "not XML: " + syntax.Msg
	}
	return "not XML: " + err.Error()
}

const xcuiPrefix = "XCUIElementType"

// appiumWrapper is the element that Appium puts around the tree.
const appiumWrapper = "AppiumAUT"

func elementLike(e xml.StartElement) bool {
	if strings.HasPrefix(e.Name.Local, xcuiPrefix) || ui.KnownType(e.Name.Local) {
		return true
	}
	for _, a := range e.Attr {
		if a.Name.Local == "type" && ui.KnownType(a.Value) {
			return true
		}
	}
	return false
}

// wrapping records the wrapper, and warns about an unknown one.
func (t *Tree) wrapping(e xml.StartElement) {
	if e.Name.Local != appiumWrapper {
		t.warn("<%s> is not a UI element; its content is read", e.Name.Local)
	}
	t.keep("wrapper", e.Name.Local)
	for _, a := range e.Attr {
		t.keep(a.Name.Local, a.Value)
	}
}

func (t *Tree) hang(open []*ui.Node, n *ui.Node) {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] != nil {
			open[i].Children = append(open[i].Children, n)
			return
		}
	}
	t.Roots = append(t.Roots, n)
}

// xmlText keeps text between the elements, which is rare.
func (t *Tree) xmlText(open []*ui.Node, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t.warn("there is text between the elements")
	const longest = 4096 // bytes of text in an element, because appending copies the whole text each time
	if len(open) == 0 || open[len(open)-1] == nil {
		t.keep("text", text)
		return
	}
	n := open[len(open)-1]
	if n.Extra == nil {
		n.Extra = map[string]any{}
	}
	if before, _ := n.Extra["text"].(string); len(before) < longest {
		n.Extra["text"] = before + text
	}
}

// xmlNode reads the attributes like the members of a JSON element: both are WebDriverAgent's.
func (t *Tree) xmlNode(e xml.StartElement) *ui.Node {
	o := make(object, 0, len(e.Attr)+1)
	frame := object{}
	for _, a := range e.Attr {
		key := a.Name.Local
		if a.Name.Space != "" {
			key = a.Name.Space + ":" + key
		}
		switch key {
		case "x", "y", "width", "height":
			frame = append(frame, member{key, a.Value})
		default:
			o = append(o, member{key, a.Value})
		}
	}
	if _, complete, ok := frameOf(frame); ok && complete {
		o = append(o, member{"frame", frame})
	} else {
		o = append(o, frame...)
	}
	if !o.has("type") {
		o = append(o, member{"type", e.Name.Local})
	}
	n := t.node(o)
	if raw := e.Name.Local; n.RawType != "" && n.RawType != raw {
		n.Extra = with(n.Extra, "tag", raw)
	}
	if n.Type == "Application" && t.App == "" {
		if id, ok := n.Extra["bundleId"].(string); ok {
			t.App = id
		}
	}
	return n
}

func with(m map[string]any, key string, v any) map[string]any {
	if m == nil {
		m = map[string]any{}
	}
	m[key] = v
	return m
}
