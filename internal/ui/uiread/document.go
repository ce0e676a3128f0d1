package uiread

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"ios-agent/internal/ui"
)

// readJSON reads one document, or several written one after the other.
func (t *Tree) readJSON(b []byte, at place) error {
	if trimmed := bytes.TrimSpace(b); fragment(trimmed) {
		t.warn("a part of a JSON object, read as if it were whole")
		b = append(append([]byte("{"), bytes.TrimRight(trimmed, ", \n")...), '}')
		at = place{whole: b}
	}
	t.Source = IDB
	if bytes.Contains(b, []byte(`" : `)) {
		t.Source = AXe // Apple's encoder puts a space before the colon
	}
	read := newValues(b, at, &t.bound)
	defer func() { t.Left += read.left }()
	for n, end := 0, 0; ; n++ {
		v, err := read.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if ended := t.bound.ended(); ended != nil {
			return ended
		}
		if err != nil && n > 0 && len(t.Roots) > 0 {
			rest := b[end:]
			t.warn("%d bytes follow the tree: %v", len(rest), err)
			t.keep("after", string(rest))
			break
		}
		if err != nil {
			return err
		}
		end = read.pos
		if n == 1 {
			t.Flat = true // jq and others print a list as a stream
		}
		if err := t.document(v, "", 0); err != nil {
			if ended := t.bound.ended(); ended != nil {
				return ended
			}
			return at.fault(0, err.Error(), t.Nodes())
		}
	}
	t.Flat = t.Flat || len(t.Roots) > 1 && t.childless()
	return nil
}

func (t *Tree) childless() bool {
	for _, r := range t.Roots {
		if len(r.Children) > 0 {
			return false
		}
	}
	return true
}

// wrappings are the keys under which tools put the tree, in the order of the search.
var wrappings = []string{"elements", "tree", "value", "result", "data", "source", "hierarchy", "elementAttributes"}

var errNoTree = errors.New("the JSON holds no UI elements")

// document finds the tree in a value; where is its place in the document, for warnings.
func (t *Tree) document(v any, where string, depth int) error {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return t.list(v, where)
	case string:
		return t.quoted(v, where, depth)
	case object:
		if isNode(v) {
			t.origin(v)
			t.Roots = append(t.Roots, t.node(v))
			return nil
		}
		return t.envelope(v, where, depth)
	}
	return errNoTree
}

// list reads neighbouring elements. Other values are stored and reported; an error if no value is an element.
func (t *Tree) list(items []any, where string) error {
	if refs := snapshotOf(items); refs != nil {
		t.Source = Snapshot
		return t.snapshot(refs)
	}
	var strangers []any
	for i, item := range items {
		if o, ok := item.(object); ok && isNode(o) {
			if i == 0 {
				t.origin(o)
			}
			t.Roots = append(t.Roots, t.node(o))
			continue
		}
		if item != nil {
			strangers = append(strangers, plain(item))
		}
	}
	if len(strangers) > 0 && len(t.Roots) == 0 {
		return errNoTree
	}
	if len(strangers) > 0 {
		t.warn("%d items of the list %s are not elements", len(strangers), where)
		t.keep("unread", strangers)
	}
	return nil
}

// envelope looks for the tree inside an object around it, and keeps the other members.
func (t *Tree) envelope(o object, where string, depth int) error {
	const layers = 8
	for _, key := range wrappings {
		inner, ok := o.get(key)
		if !ok || depth > layers || !holds(inner, key) {
			continue
		}
		for _, m := range o {
			if m.key != key {
				t.about(m.key, m.value)
			}
		}
		return t.document(inner, strings.TrimPrefix(where+"."+key, "."), depth+1)
	}
	if o.has("backend", "target", "screen", "truncated") { // idb's document, with the elements taken out
		for _, m := range o {
			t.about(m.key, m.value)
		}
		t.warn("the document has no elements")
		return nil
	}
	return errNoTree
}

// holds reports whether a value can contain the tree: a number cannot, a text only as the value of an answer.
func holds(v any, key string) bool {
	switch v := v.(type) {
	case object, []any:
		return true
	case nil:
		return key == "elements" || key == "value"
	case string:
		return (key == "value" || key == "source") && form([]byte(v)) != formText && form([]byte(v)) != formNone
	}
	return false
}

// about reads the document's facts about the whole.
func (t *Tree) about(key string, v any) {
	switch said := v.(type) {
	case bool:
		if key == "truncated" && said {
			t.Truncated = -1
			t.warn("the source says that it left elements out")
		}
	case string:
		if key == "app" || key == "bundleId" || key == "bundle_id" {
			t.App = said
		}
	}
	if key == "truncated" {
		if n, ok := number(v); ok {
			t.Truncated = int(n)
		}
	}
	t.keep(key, plain(v))
}

// quoted reads a tree inside a string of another document.
func (t *Tree) quoted(text, where string, depth int) error {
	inner := &Tree{bound: t.bound}
	at := place{whole: []byte(text)}
	var err error
	switch form([]byte(text)) {
	case formXML:
		err = inner.readXML([]byte(text), at)
	case formJSON:
		if depth > 2 {
			return errNoTree
		}
		err = inner.readJSON([]byte(text), at)
	default:
		return errNoTree
	}
	if err != nil {
		return fmt.Errorf("in the text %s: %w", where, err)
	}
	t.Source, t.Roots, t.Flat = inner.Source, append(t.Roots, inner.Roots...), inner.Flat
	t.Left += inner.Left
	for _, w := range inner.Warnings {
		t.warn("%s", w)
	}
	for key, v := range inner.Document {
		t.keep(key, v)
	}
	return nil
}

// origin derives from an element which tool wrote it.
func (t *Tree) origin(o object) {
	switch {
	case o.has("isEnabled", "rawIdentifier", "isVisible"):
		t.Source = WDAJSON
	case o.has("parent_identifier", "parent_label", "match_count"), o.has("label", "identifier") && o.has("role_description"):
		t.Source = Snapshot
	case o.has("children") && o.has("type") && !o.has("AXFrame", "role_description", "pid", "traits", "title", "content_required"):
		t.Source = Agent
	}
}

// isNode reports whether an object is an element. A type alone is not enough: many listings have one.
func isNode(o object) bool {
	if o.has("AXLabel", "AXUniqueId", "AXFrame", "AXValue", "rawIdentifier", "isEnabled") {
		return true
	}
	kind, typed := o.get("type")
	if name, ok := kind.(string); ok && typed && ui.KnownType(name) {
		return true
	}
	return o.has("frame", "rect") || o.has("role", "label", "identifier", "name") && o.has("children")
}
