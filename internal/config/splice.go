package config

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"ios-agent/internal/machine/docfile"
)

var errInline = errors.New("a mapping written in one line has no lines to edit")

// block is a mapping with one entry per line, and the line after its last entry.
type block struct {
	node *ast.MappingNode
	stop int
}

// splice applies one edit to the lines of the document.
func (d document) splice(e edit) (string, error) {
	lines := strings.SplitAfter(closed(d.Text), "\n")
	if d.Root == nil && e.value == nil {
		return d.Text, nil
	}
	if d.Root == nil {
		return closed(d.Text) + encodeEntries(0, nest(e.path, e.value).(map[string]any)), nil
	}
	b, tree := block{d.Root, len(lines)}, d.Tree
	for depth, key := range e.path {
		if b.node.IsFlowStyle || len(b.node.Values) == 0 {
			return "", errInline
		}
		i, found := docfile.Entry(b.node, key)
		if !found {
			return b.insert(lines, key, e.below(depth))
		}
		inner := b.inner(i)
		if inner.node == nil || depth == len(e.path)-1 {
			return b.replace(lines, i, e.merged(depth, tree[key])), nil
		}
		tree, _ = tree[key].(map[string]any)
		b = inner
	}
	return "", errInline
}

// closed adds a line break at the end of a text without one.
func closed(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// below returns the value for the key at a depth of the path if the key is missing; nil if the edit removes a value.
func (e edit) below(depth int) any {
	if e.value == nil {
		return nil
	}
	return nest(e.path[depth+1:], e.value)
}

// merged returns the value for the key at a depth of the path, combined with the existing value.
func (e edit) merged(depth int, there any) any {
	if depth == len(e.path)-1 {
		return e.value
	}
	tree, _ := there.(map[string]any)
	return edit{e.path[depth+1:], e.value}.apply(tree)
}

// extent returns the first line of an entry, counted from 1, and the line after its last. Comments and blank lines in front of the next
// entry belong to that entry.
func (b block) extent(lines []string, i int) (first, after int) {
	first, after = docfile.Line(b.node.Values[i].Key), b.next(i)
	for after-1 > first && idle(lines[after-2]) {
		after--
	}
	return first, after
}

func (b block) next(i int) int {
	if i+1 < len(b.node.Values) {
		return docfile.Line(b.node.Values[i+1].Key)
	}
	return b.stop
}

func idle(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || text == "..." || strings.HasPrefix(text, "#")
}

// inner returns the block of an entry; its node is nil when the entry is not a block mapping.
func (b block) inner(i int) block {
	node, ok := b.node.Values[i].Value.(*ast.MappingNode)
	if !ok || node.IsFlowStyle || len(node.Values) == 0 {
		return block{}
	}
	return block{node, b.next(i)}
}

func (b block) indent() int { return b.node.Values[0].Key.GetToken().Position.Column - 1 }

func (b block) insert(lines []string, key string, value any) (string, error) {
	if value == nil {
		return strings.Join(lines, ""), nil
	}
	_, after := b.extent(lines, len(b.node.Values)-1)
	return join(lines[:after-1], encodeEntry(b.indent(), key, value), lines[after-1:]), nil
}

func (b block) replace(lines []string, i int, value any) string {
	first, after := b.extent(lines, i)
	if value == nil {
		return join(lines[:first-1], "", lines[after-1:])
	}
	e := b.node.Values[i]
	return join(lines[:first-1], withComment(encodeEntry(b.indent(), docfile.KeyText(e.Key), value), e), lines[after-1:])
}

// withComment keeps the comment at the end of an entry's first line.
func withComment(text string, e *ast.MappingValueNode) string {
	for _, n := range []ast.Node{e.Value, e.Key} {
		c := n.GetComment()
		if c == nil || len(c.Comments) == 0 || docfile.Line(c.Comments[0]) != docfile.Line(e.Key) {
			continue
		}
		head, rest, _ := strings.Cut(text, "\n")
		return head + " #" + c.Comments[0].GetToken().Value + "\n" + rest
	}
	return text
}

func join(before []string, middle string, after []string) string {
	return strings.Join(before, "") + middle + strings.Join(after, "")
}
