package page

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Strategy finds elements on a screen, or below from if it is not nil. It ends with the context.
type Strategy func(ctx context.Context, t *Page, selector string, from *Node) ([]*Node, error)

// strategies are the ways to find elements, by their names in the protocol.
var strategies = map[string]Strategy{
	"accessibility id":      brief(byName).strategy,
	"name":                  brief(byName).strategy,
	"id":                    brief(byName).strategy,
	"class name":            brief(byClass).strategy,
	"css selector":          brief(byCSS).strategy,
	"xpath":                 byXPath,
	"predicate string":      brief(byPredicate).strategy,
	"-ios predicate string": brief(byPredicate).strategy,
	"class chain":           brief(byChain).strategy,
	"-ios class chain":      brief(byChain).strategy,
	"link text":             byLink(func(value, wanted string) bool { return value == wanted }).strategy,
	"partial link text":     byLink(strings.Contains).strategy,
}

// brief is a strategy that visits each element only a few times, so it need not watch the context.
type brief func(t *Page, selector string, from *Node) ([]*Node, error)

func (b brief) strategy(_ context.Context, t *Page, selector string, from *Node) ([]*Node, error) {
	return b(t, selector, from)
}

// By is the strategy with a name.
func By(using string) (Strategy, error) {
	how, known := strategies[using]
	switch {
	case known:
		return how, nil
	}
	return nil, invalid("unknown locator strategy %q", using).
		hinted("accessibility id, id, name, class name, xpath, -ios predicate string, -ios class chain, link text")
}

func byName(t *Page, selector string, from *Node) ([]*Node, error) {
	return t.All(from, func(n *Node) bool { return n.name() == selector }), nil
}

func byClass(t *Page, selector string, from *Node) ([]*Node, error) {
	if !strings.HasPrefix(selector, TypePrefix) {
		return nil, invalid("the class name %q does not begin with %s", selector, TypePrefix).
			hinted("such as " + TypePrefix + "Button")
	}
	return t.All(from, func(n *Node) bool { return n.Type == selector }), nil
}

// TypePrefix begins the name of every type of an element.
const TypePrefix = "XCUIElementType"

// byLink is WebDriverAgent's link text: an attribute and its value.
func byLink(fits func(value, wanted string) bool) brief {
	return func(t *Page, selector string, from *Node) ([]*Node, error) {
		name, wanted, is := strings.Cut(selector, "=")
		if !is {
			name, wanted = "label", selector
		}
		return t.All(from, func(n *Node) bool {
			return slices.ContainsFunc(n.attributes(), func(a attribute) bool { return a.name == name && fits(a.value, wanted) })
		}), nil
	}
}

// All are the matching elements below one, or of the whole screen.
func (t *Page) All(from *Node, fits func(*Node) bool) (found []*Node) {
	for _, n := range t.nodes {
		if (from == nil || n.below(from)) && fits(n) {
			found = append(found, n)
		}
	}
	return found
}

func (n *Node) below(other *Node) bool {
	for at := n.parent; at != nil; at = at.parent {
		if at == other {
			return true
		}
	}
	return false
}

// inOrder sorts elements by document order and removes duplicates.
func (t *Page) inOrder(found []*Node) []*Node {
	if len(found) < 2 {
		return found
	}
	place := make(map[*Node]int, len(t.nodes))
	for i, n := range t.nodes {
		place[n] = i
	}
	slices.SortFunc(found, func(a, b *Node) int { return place[a] - place[b] })
	return slices.Compact(found)
}

func (t *Page) knowsAccessible() bool {
	return slices.ContainsFunc(t.nodes, func(n *Node) bool { _, known := n.accessible(); return known })
}

func accessibleUnknown() error {
	return invalid("\"accessible\" is unavailable: this device's driver does not report it").
		hinted("leave it out, or use visible, enabled or hittable")
}

// ByID is the element with an id of the protocol; nil if the screen does not have it.
func (t *Page) ByID(id string) *Node {
	for _, n := range t.nodes {
		if n.ID() == id {
			return n
		}
	}
	return nil
}

// Inside reports whether the element, or one around it, is of one of these types.
func (n *Node) Inside(types ...string) bool {
	for at := n; at != nil; at = at.parent {
		if slices.Contains(types, at.Type) {
			return true
		}
	}
	return false
}

// InvalidSelector is the error for a selector that is malformed or unsupported.
type InvalidSelector struct{ Message, Hint string }

func invalid(format string, args ...any) *InvalidSelector {
	return &InvalidSelector{Message: fmt.Sprintf(format, args...)}
}

func (e *InvalidSelector) hinted(hint string) *InvalidSelector {
	e.Hint = hint
	return e
}

func (e *InvalidSelector) Error() string { return e.Message }
