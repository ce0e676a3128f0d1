package page

import (
	"context"
	"strings"

	"github.com/antchfx/xpath"
)

const (
	// mostXPath is the maximum length of an expression: its cost grows with its length.
	mostXPath = 4096
	// mostSteps is the maximum number of steps on a screen: nested axes visit every element for every element.
	mostSteps = 50_000_000
	// askEvery is the number of steps between two checks of the context.
	askEvery = 4096
)

// walk counts the steps of one evaluation.
type walk struct {
	ctx   context.Context
	steps int
}

// step ends the evaluation when the context ends or the limit is reached. The library has no way out except a panic.
func (w *walk) step() {
	w.steps++
	if w.steps > mostSteps {
		panic(errLong)
	}
	if w.steps%askEvery == 0 && w.ctx.Err() != nil {
		panic(w.ctx.Err())
	}
}

var errLong = invalid("it needs more than %d steps on this screen", mostSteps).
	hinted("find fewer elements at once: one axis, and no // within a predicate")

// byXPath finds the elements of an expression, on the whole screen or below one element.
func byXPath(ctx context.Context, t *Page, expression string, from *Node) (found []*Node, err error) {
	if len(expression) > mostXPath {
		return nil, invalid("the XPath has more than %d characters", mostXPath)
	}
	if strings.Contains(expression, "@accessible") && !t.knowsAccessible() {
		return nil, accessibleUnknown()
	}
	expression = strings.TrimSpace(expression)
	if rest, is := strings.CutPrefix(expression, "/AppiumAUT"); is { // the element that a source has around the app
		expression = rest
	}
	defer func() { // the library panics on some mistakes, such as an argument of the wrong type
		switch r := recover(); r {
		case nil:
		case ctx.Err():
			found, err = nil, ctx.Err()
		case errLong:
			found, err = nil, invalid("the XPath %.200q: %v", expression, errLong).hinted(errLong.Hint)
		default:
			found, err = nil, invalid("the XPath %q cannot be evaluated: %v", expression, r)
		}
	}()
	compiled, err := xpath.Compile(expression)
	if err != nil {
		return nil, invalid("the XPath %q: %v", expression, err)
	}
	start := &navigator{root: t.root, at: t.root, attr: -1, walk: &walk{ctx: ctx}}
	if from != nil {
		start.at = from
	}
	selected, is := compiled.Evaluate(start).(*xpath.NodeIterator)
	if !is {
		return nil, invalid("the XPath %q selects a value, not elements", expression)
	}
	for selected.MoveNext() {
		at, is := selected.Current().(*navigator)
		if !is || at.attr >= 0 {
			return nil, invalid("the XPath %q selects attributes, not elements", expression)
		}
		if at.at != t.root {
			found = append(found, at.at)
		}
	}
	return t.inOrder(found), nil
}

// navigator walks over a tree for the library, in the shape of the page source.
type navigator struct {
	root, at *Node
	attr     int // the current attribute; -1: the element itself
	attrs    []attribute
	walk     *walk // shared by all copies
}

var _ xpath.NodeNavigator = (*navigator)(nil)

func (n *navigator) NodeType() xpath.NodeType {
	switch {
	case n.attr >= 0:
		return xpath.AttributeNode
	case n.at == n.root:
		return xpath.RootNode
	}
	return xpath.ElementNode
}

func (n *navigator) LocalName() string {
	if n.attr >= 0 {
		return n.attrs[n.attr].name
	}
	return n.at.tag()
}

func (n *navigator) Prefix() string { return "" }

func (n *navigator) Value() string {
	if n.attr >= 0 {
		return n.attrs[n.attr].value
	}
	return ""
}

func (n *navigator) Copy() xpath.NodeNavigator { n.walk.step(); c := *n; return &c }

func (n *navigator) MoveToRoot() { n.at, n.attr = n.root, -1 }

func (n *navigator) MoveToParent() bool {
	n.walk.step()
	if n.attr >= 0 {
		n.attr = -1
		return true
	}
	if n.at == n.root {
		return false
	}
	n.at = n.at.parent
	return true
}

func (n *navigator) MoveToNextAttribute() bool {
	n.walk.step()
	if n.at == n.root {
		return false
	}
	if n.attr < 0 {
		n.attrs = n.at.attributes()
	}
	if n.attr+1 >= len(n.attrs) {
		return false
	}
	n.attr++
	return true
}

func (n *navigator) MoveToChild() bool {
	n.walk.step()
	if n.attr >= 0 || len(n.at.children) == 0 {
		return false
	}
	n.at = n.at.children[0]
	return true
}

func (n *navigator) MoveToFirst() bool {
	if n.attr >= 0 || n.at == n.root || n.at.index == 0 {
		return false
	}
	n.at = n.at.parent.children[0]
	return true
}

func (n *navigator) MoveToNext() bool {
	n.walk.step()
	if n.attr >= 0 || n.at == n.root || n.at.index+1 >= len(n.at.parent.children) {
		return false
	}
	n.at = n.at.parent.children[n.at.index+1]
	return true
}

func (n *navigator) MoveToPrevious() bool {
	n.walk.step()
	if n.attr >= 0 || n.at == n.root || n.at.index == 0 {
		return false
	}
	n.at = n.at.parent.children[n.at.index-1]
	return true
}

func (n *navigator) MoveTo(other xpath.NodeNavigator) bool {
	o, is := other.(*navigator)
	if !is || o.root != n.root {
		return false
	}
	*n = *o
	return true
}
