// Package uiread reads UI trees that other tools wrote. It reads our agent's JSON, idb's and AXe's JSON, WebDriverAgent's XML and JSON,
// snapshots and outlines of package ui, and indented text. Read returns a Tree. It keeps unknown members and adds a warning; unreadable
// input is a fault that names the place. The package is pure: bytes in, tree out.
package uiread

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/ui"
)

// The sources, as Tree.Source names them.
const (
	Agent    = "agent"    // our XCTest agent
	IDB      = "idb"      // idb ui describe-*
	AXe      = "axe"      // axe describe-ui
	WDAXML   = "wda-xml"  // WebDriverAgent or Appium page source
	WDAJSON  = "wda-json" // WebDriverAgent's JSON source
	Snapshot = "snapshot" // our own snapshot, or quern's element list
	Outline  = "outline"  // our own outline
	Text     = "text"     // an indented listing
)

// Tree is the result of reading.
type Tree struct {
	Source    string
	Roots     []*ui.Node
	Flat      bool           // the source does not nest its elements
	App       string         // bundle id, where the source names it
	Truncated int            // elements the source says it left out; -1: some
	Document  map[string]any // the source's facts about the whole
	Warnings  []string       // doubts about the reading
	Left      int            // number of elements beyond the bound of the reading

	bound bound
}

// Nodes counts the elements.
func (t *Tree) Nodes() int {
	count := 0
	for _, root := range t.Roots {
		root.Walk(func(*ui.Node) bool { count++; return true })
	}
	return count
}

// Screen computes a screen from the tree. A flat list gets its application as root; other lists of several roots get a root marked as made.
func (t *Tree) Screen() *ui.Screen {
	s := ui.NewScreen(t.App, "", t.root())
	s.Truncated = t.Truncated
	return s
}

func (t *Tree) root() *ui.Node {
	switch {
	case len(t.Roots) == 0:
		return nil
	case len(t.Roots) == 1:
		return t.Roots[0]
	case t.Flat && t.Roots[0].Type == "Application" && len(t.Roots[0].Children) == 0:
		root := *t.Roots[0]
		root.Children = t.Roots[1:]
		return &root
	}
	root := &ui.Node{Type: "Application", Made: true, Children: t.Roots, Unplaced: true}
	for _, r := range t.Roots {
		root.Frame = around(root.Frame, r.Frame)
	}
	return root
}

// around is the smallest frame that contains both.
func around(a, b ui.Rect) ui.Rect {
	if a.Empty() {
		return b
	}
	if b.Empty() {
		return a
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return ui.Rect{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
}

func (t *Tree) warn(format string, args ...any) {
	const most = 50
	switch said := fmt.Sprintf(format, args...); {
	case len(t.Warnings) < most:
		t.Warnings = append(t.Warnings, said)
	case len(t.Warnings) == most:
		t.Warnings = append(t.Warnings, "there is more of this kind")
	}
}

// mostFacts is the maximum number of stored facts about a document: the search for a free name below tries every name.
const mostFacts = 200

// keep stores a fact about the whole document.
func (t *Tree) keep(key string, value any) {
	if t.Document == nil {
		t.Document = map[string]any{}
	}
	if len(t.Document) == mostFacts {
		t.warn("the document has more facts about itself than can be stored")
		return
	}
	for i := 2; ; i++ {
		if _, taken := t.Document[key]; !taken {
			break
		}
		key = fmt.Sprintf("%s#%d", strings.TrimSuffix(key, fmt.Sprintf("#%d", i-1)), i)
	}
	t.Document[key] = value
}

// Read detects the tool that wrote the tree, and reads it.
func Read(input []byte) (*Tree, error) { return read(&Tree{}, input) }

// ReadSome reads a tree that another program wrote about a device, in JSON or XML, as Read does. It stores a maximum number of elements,
// the first in document order, and ends with ctx: an app may show hundreds of thousands of elements.
func ReadSome(ctx context.Context, input []byte, most int) (*Tree, error) {
	return read(&Tree{bound: bound{ctx: ctx, nodes: most}}, input)
}

func read(t *Tree, input []byte) (*Tree, error) {
	text := bytes.TrimPrefix(input, []byte("\ufeff"))
	if !utf8.Valid(text) {
		t.warn("the input is not valid UTF-8; invalid bytes are shown as \ufffd")
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	start := skipNoise(text)
	if start > 0 && len(bytes.TrimSpace(text[:start])) > 0 {
		t.warn("%d lines precede the tree", bytes.Count(text[:start], []byte("\n")))
		t.keep("before", string(text[:start]))
	}
	at := place{whole: text}
	switch form(text[start:]) {
	case formJSON:
		return t, t.readJSON(text[start:], at.after(start))
	case formXML:
		return t, t.readXML(text[start:], at.after(start))
	case formText:
		if t.bound.nodes > 0 {
			return t, at.fault(0, "the input is neither JSON nor XML", 0)
		}
		return t, t.readText(text[start:], at.after(start))
	}
	return t, at.fault(0, "the input is empty", 0)
}

type shape int

const (
	formNone shape = iota
	formJSON
	formXML
	formText
)

// form is how the input begins.
func form(b []byte) shape {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0:
		return formNone
	case b[0] == '{' || b[0] == '[' || fragment(b) || string(b) == "null":
		return formJSON
	case b[0] == '<':
		return formXML
	}
	return formText
}

// fragment reads a member cut out of a JSON object, as documentation quotes it.
func fragment(b []byte) bool {
	if b[0] != '"' {
		return false
	}
	_, rest, ok := bytes.Cut(b[1:], []byte(`"`))
	return ok && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(":"))
}

// skipNoise finds where the document begins: tools print warnings before it on the same stream.
func skipNoise(b []byte) int {
	if f := form(b); f != formText {
		return 0
	}
	for start := 0; start < len(b); {
		line, _, more := bytes.Cut(b[start:], []byte("\n"))
		for _, opening := range []string{"[{", "[\n", "[", "{\"", "{", "<?xml", "<XCUIElementType", "<AppiumAUT", outlineStart} {
			whole := bytes.TrimSpace(line)
			if bytes.HasPrefix(line, []byte(opening)) && (len(opening) > 1 || len(whole) == 1) {
				return start
			}
		}
		if !more {
			break
		}
		start += len(line) + 1
	}
	return 0
}
