package uiread

import (
	"strings"

	"ios-agent/internal/ui"
)

// outlineStart is how the first line of an outline begins.
const outlineStart = "screen:"

// readText reads a tree written as indented lines. Only the order of depths counts, because tools indent differently and mix tabs with
// spaces. If the depth of a line is ambiguous, the list is flat.
func (t *Tree) readText(b []byte, at place) error {
	t.Source = Text
	var lines []line
	strange := 0
	for i, raw := range strings.Split(string(b), "\n") {
		raw = strings.TrimSuffix(raw, "\r")
		margin, content := unindent(raw)
		if strings.TrimSpace(content) == "" {
			continue
		}
		if strings.HasPrefix(content, outlineStart) && len(lines) == 0 {
			t.Source = Outline
			t.header(content)
			continue
		}
		if hint, ok := strings.CutPrefix(content, "… "); ok && t.Source == Outline {
			t.warn("the outline leaves out: %s", hint)
			continue
		}
		n, known := t.line(content)
		if !known {
			if strange++; strange == 1 {
				t.warn("line %d is an unknown element: %s", i+1, ui.Quote(content))
			}
		}
		lines = append(lines, line{margin, n})
	}
	if len(lines) == 0 && t.Source != Outline || strange*2 > len(lines) {
		return at.fault(0, "not a UI tree: expected JSON, XML or lines that begin with an element's type", len(lines)-strange)
	}
	if strange > 1 {
		t.warn("%d lines in all are unknown elements; they are kept unchanged", strange)
	}
	for _, tab := range []int{4, 8, 2} {
		if roots, ok := nest(lines, tab); ok {
			t.Roots = roots
			return nil
		}
	}
	t.warn("the indentation is ambiguous; the elements are listed flat")
	t.Flat = true
	for _, l := range lines {
		t.Roots = append(t.Roots, l.node)
	}
	return nil
}

// line is one element with the blanks and drawn branches before it.
type line struct {
	margin string
	node   *ui.Node
}

// unindent splits a line into the drawing before an element and the element.
func unindent(raw string) (margin, content string) {
	i := strings.IndexFunc(raw, func(r rune) bool { return !strings.ContainsRune(" \t│├└─┬┌|`•", r) })
	if i < 0 {
		return raw, ""
	}
	margin, content = raw[:i], raw[i:]
	for _, bullet := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(content, bullet); ok {
			return margin, rest
		}
	}
	return margin, content
}

// columns is the width of a margin for a given tab width.
func columns(margin string, tab int) int {
	width := 0
	for _, r := range margin {
		if r == '\t' {
			width += tab
		} else {
			width++
		}
	}
	return width
}

// nest builds the tree from the lines; not ok when a line returns to a depth without a line.
func nest(lines []line, tab int) (roots []*ui.Node, ok bool) {
	type level struct {
		width int
		node  *ui.Node
	}
	var open []level
	children := map[*ui.Node][]*ui.Node{}
	for _, l := range lines {
		width := columns(l.margin, tab)
		popped := -1
		for len(open) > 0 && open[len(open)-1].width >= width {
			popped = open[len(open)-1].width
			open = open[:len(open)-1]
		}
		if popped >= 0 && popped != width && len(open) > 0 {
			return nil, false
		}
		if len(open) == 0 {
			roots = append(roots, l.node)
		} else {
			parent := open[len(open)-1].node
			children[parent] = append(children[parent], l.node)
		}
		if len(open) >= deepest {
			return nil, false
		}
		open = append(open, level{width, l.node})
	}
	for n, below := range children {
		n.Children = below
	}
	return roots, true
}
