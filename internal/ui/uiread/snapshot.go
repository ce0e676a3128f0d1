package uiread

import (
	"slices"

	"ios-agent/internal/ui"
)

// flatElement is an element of a list whose elements name their children by ref.
type flatElement struct {
	ref      string
	children []string
	object   object
}

// snapshotOf reads a list as a snapshot of package ui; nil if it has another form.
func snapshotOf(items []any) []flatElement {
	var out []flatElement
	for _, item := range items {
		o, ok := item.(object)
		if !ok {
			return nil
		}
		ref, _ := o.get("ref")
		name, ok := ref.(string)
		if !ok || !o.has("type") {
			return nil
		}
		e := flatElement{ref: name}
		list, _ := o.get("children")
		children, _ := list.([]any)
		for _, c := range children {
			child, ok := c.(string)
			if !ok {
				return nil
			}
			e.children = append(e.children, child)
		}
		unplaced, _ := o.get("unplaced")
		for _, m := range o {
			if unplaced == true && m.key == "frame" {
				continue // the field is null where it is unknown
			}
			if m.key != "ref" && m.key != "children" && !derived[m.key] {
				e.object = append(e.object, m)
			}
		}
		out = append(out, e)
	}
	return out
}

// derived lists the fields that a snapshot computes from other fields.
var derived = map[string]bool{"role": true, "hittable": true, "visible_percent": true, "unplaced": true}

// snapshot rebuilds the tree from a list.
func (t *Tree) snapshot(list []flatElement) error {
	nodes := map[string]*ui.Node{}
	for _, e := range list {
		if nodes[e.ref] != nil {
			t.warn("the ref %s occurs twice", e.ref)
			continue
		}
		n := t.node(e.object)
		if extra, ok := n.Extra["extra"].(map[string]any); ok && len(n.Extra) == 1 {
			n.Extra = extra
		}
		nodes[e.ref] = n
	}
	held := map[*ui.Node]bool{}
	for _, e := range list {
		for _, ref := range e.children {
			c := nodes[ref]
			switch {
			case c == nil:
				t.warn("%s has the child %s, which is not in the list", e.ref, ref)
			case held[c]:
				t.warn("%s has two parents", ref)
			default:
				held[c] = true
				nodes[e.ref].Children = append(nodes[e.ref].Children, c)
			}
		}
	}
	reached := map[*ui.Node]bool{}
	for _, e := range list {
		if n := nodes[e.ref]; !held[n] && !reached[n] {
			t.Roots = append(t.Roots, n)
			n.Walk(func(d *ui.Node) bool { reached[d] = true; return true })
		}
	}
	t.breakRings(list, nodes, reached)
	return nil
}

// breakRings makes roots of elements that contain each other in a circle, which real trees never have.
func (t *Tree) breakRings(list []flatElement, nodes map[string]*ui.Node, reached map[*ui.Node]bool) {
	for _, e := range list {
		n := nodes[e.ref]
		if reached[n] {
			continue
		}
		t.warn("%s contains itself", e.ref)
		t.Roots = append(t.Roots, n)
		var cut func(*ui.Node)
		cut = func(d *ui.Node) {
			reached[d] = true
			d.Children = slices.DeleteFunc(d.Children, func(c *ui.Node) bool { return reached[c] })
			for _, c := range d.Children {
				cut(c)
			}
		}
		cut(n)
	}
}
