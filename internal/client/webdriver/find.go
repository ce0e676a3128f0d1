package webdriver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// strategy finds elements on a screen, below one of them if from is not nil.
type strategy func(t *tree, selector string, from *node) ([]*node, error)

// strategies are the ways to find elements, by the names that clients use for them.
var strategies = map[string]strategy{
	"accessibility id":      byName,
	"name":                  byName,
	"id":                    byName,
	"class name":            byClass,
	"xpath":                 (*tree).byXPath,
	"predicate string":      byPredicate,
	"-ios predicate string": byPredicate,
	"class chain":           byChain,
	"-ios class chain":      byChain,
	"link text":             byLink(func(value, wanted string) bool { return value == wanted }),
	"partial link text":     byLink(strings.Contains),
}

func byName(t *tree, selector string, from *node) ([]*node, error) {
	return t.all(from, func(n *node) bool { return n.name() == selector }), nil
}

func byClass(t *tree, selector string, from *node) ([]*node, error) {
	if !strings.HasPrefix(selector, typePrefix) {
		return nil, fail(invalidSelector, "the class name %q does not begin with %s", selector, typePrefix).
			hinted("such as " + typePrefix + "Button")
	}
	return t.all(from, func(n *node) bool { return n.Type == selector }), nil
}

const typePrefix = "XCUIElementType"

// byLink is WebDriverAgent's link text: an attribute and its value.
func byLink(fits func(value, wanted string) bool) strategy {
	return func(t *tree, selector string, from *node) ([]*node, error) {
		name, wanted, is := strings.Cut(selector, "=")
		if !is {
			name, wanted = "label", selector
		}
		return t.all(from, func(n *node) bool {
			return slices.ContainsFunc(n.attributes(), func(a attribute) bool { return a.name == name && fits(a.value, wanted) })
		}), nil
	}
}

// all are the elements below one, or of the whole screen, that fit.
func (t *tree) all(from *node, fits func(*node) bool) (found []*node) {
	for _, n := range t.nodes {
		if (from == nil || n.below(from)) && fits(n) {
			found = append(found, n)
		}
	}
	return found
}

func (n *node) below(other *node) bool {
	for at := n.parent; at != nil; at = at.parent {
		if at == other {
			return true
		}
	}
	return false
}

// inOrder sorts elements as they are in the document.
func (t *tree) inOrder(found []*node) []*node {
	if len(found) < 2 {
		return found
	}
	place := make(map[*node]int, len(t.nodes))
	for i, n := range t.nodes {
		place[n] = i
	}
	slices.SortFunc(found, func(a, b *node) int { return place[a] - place[b] })
	return found
}

func (t *tree) knowsAccessible() bool {
	return slices.ContainsFunc(t.nodes, func(n *node) bool { _, known := n.accessible(); return known })
}

func accessibleUnknown() error {
	return fail(invalidSelector, "\"accessible\" is not known on this device: its driver does not tell it").
		hinted("leave it out, or use visible, enabled or hittable")
}

// search is what a find command asks for.
type search struct {
	how      strategy
	using    string
	selector string
	from     string // an element's id; empty: the whole screen
}

func (q *request) search() (w search, err error) {
	if err := q.take(map[string]any{"using": &w.using, "value": &w.selector}); err != nil {
		return w, err
	}
	known := false
	if w.how, known = strategies[w.using]; !known {
		if w.using == "css selector" {
			return w, fail(invalidSelector, "there is no CSS on a screen of an app").
				hinted("find by accessibility id, class name, xpath, -ios predicate string or -ios class chain")
		}
		return w, fail(invalidSelector, "there is no locator strategy %q", w.using).
			hinted("accessibility id, id, name, class name, xpath, -ios predicate string, -ios class chain, link text")
	}
	w.from = q.params["element"]
	return w, nil
}

// find looks until something fits, for as long as the session's implicit wait is.
func (q *request) finding(ctx context.Context, w search) ([]*node, error) {
	q.session.mu.Lock()
	patience := q.session.implicit
	q.session.mu.Unlock()
	for end := q.Now().Add(patience); ; {
		t, err := q.session.look(ctx)
		if err != nil {
			return nil, err
		}
		var from *node
		if w.from != "" {
			if from = t.byID(w.from); from == nil {
				return nil, q.session.staleOr(ctx, w.from)
			}
		}
		found, err := w.how(t, w.selector, from)
		if err != nil || len(found) > 0 || !q.Now().Before(end) {
			return found, err
		}
		if err := q.Pause(ctx, lookAgain); err != nil {
			return nil, err
		}
	}
}

// lookAgain is the time between two looks of an implicit wait.
const lookAgain = 100 * time.Millisecond

func (t *tree) byID(id string) *node {
	for _, n := range t.nodes {
		if n.id() == id {
			return n
		}
	}
	return nil
}

func findElement(ctx context.Context, q *request) (any, error) {
	w, err := q.search()
	if err != nil {
		return nil, err
	}
	found, err := q.finding(ctx, w)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fail(noSuchElement, "no element has %s %q", w.using, w.selector).hinted("GET …/source shows what is on the screen")
	}
	return found[0].element(), nil
}

func findElements(ctx context.Context, q *request) (any, error) {
	w, err := q.search()
	if err != nil {
		return nil, err
	}
	found, err := q.finding(ctx, w)
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, n := range found {
		out = append(out, n.element())
	}
	return out, nil
}

func activeElement(ctx context.Context, q *request) (any, error) {
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	focused := t.all(nil, func(n *node) bool { return n.Focused })
	if len(focused) == 0 {
		return nil, fail(noSuchElement, "no element has the focus")
	}
	return focused[len(focused)-1].element(), nil // the innermost
}

// take decodes members of the body; each must be there.
func (q *request) take(into map[string]any) error {
	for name, to := range into {
		raw, given := q.body[name]
		if !given {
			return fail(invalidArgument, "the body has no %q", name)
		}
		if err := json.Unmarshal(raw, to); err != nil {
			return fail(invalidArgument, "%q in the body: %v", name, err)
		}
	}
	return nil
}

// may decodes members of the body that may be missing or null.
func (q *request) may(into map[string]any) error {
	for name, to := range into {
		raw, given := q.body[name]
		if !given || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, to); err != nil {
			return fail(invalidArgument, "%q in the body: %v", name, err)
		}
	}
	return nil
}
