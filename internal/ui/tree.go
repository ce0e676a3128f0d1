package ui

import (
	"reflect"
	"slices"
	"sync"
)

// tree is the content of a look and the facts computed from it. It never changes, so that several sessions can share it.
type tree struct {
	nodes       []*Node // in document order
	byIdentity  map[identity][]*Node
	identifiers map[typedIdentifier]int
	layers      map[*Node]identity // the content of sheets and popovers
	front       front              // takes every touch; its node may be nil
	hash        string
	bytes       int // estimated memory

	holders int // guarded by the lock of Trees
}

// Estimated memory of each item in bytes, besides its texts, including its share of the maps. TestBytesMatchesHeapUse measures it.
const (
	nodeBytes = 520
	refBytes  = 370
	ruleBytes = 200 // for each element known to change by itself
)

func (n *Node) textBytes() int {
	size := len(n.Identifier) + len(n.Label) + len(n.Value) + len(n.Placeholder) + len(n.Type) + len(n.RawType)
	for _, action := range n.Actions {
		size += 16 + len(action)
	}
	return size
}

// measure estimates the memory of the tree. Extra facts from the source count as much as a node.
func (t *tree) measure() (size int) {
	for _, n := range t.nodes {
		size += nodeBytes + n.textBytes() + nodeBytes*len(n.Extra)
	}
	return size
}

// equal reports whether two trees have the same content.
func (t *tree) equal(o *tree) bool {
	return t == o || len(t.nodes) == len(o.nodes) && len(t.nodes) > 0 && t.nodes[0].Equal(o.nodes[0])
}

// same reports whether two elements are equal, ignoring their children.
func (n *Node) same(o *Node) bool {
	return n.Type == o.Type && n.Identifier == o.Identifier && n.Label == o.Label && n.Value == o.Value &&
		n.Placeholder == o.Placeholder && n.Frame == o.Frame && n.Disabled == o.Disabled && n.Focused == o.Focused &&
		n.Selected == o.Selected && n.Secure == o.Secure && n.Hidden == o.Hidden && n.Unplaced == o.Unplaced &&
		n.Made == o.Made && n.RawType == o.RawType && slices.Equal(n.Actions, o.Actions) && reflect.DeepEqual(n.Extra, o.Extra)
}

// Equal reports whether two trees are equal at every level.
func (n *Node) Equal(o *Node) bool {
	if n == nil || o == nil {
		return n == o
	}
	return n.same(o) && slices.EqualFunc(n.Children, o.Children, (*Node).Equal)
}

// Trees shares equal trees between the sessions that remember them. The zero value is ready, and it is safe for concurrent use.
type Trees struct {
	mu     sync.Mutex
	byHash map[string][]*tree
	bytes  int
}

// Refs creates the refs of one more session.
func (t *Trees) Refs() Refs { return Refs{trees: t} }

// Bytes estimates the memory of all remembered trees.
func (t *Trees) Bytes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

// hold returns the shared tree that equals this one, or this one. Each hold needs a release.
func (t *Trees) hold(one *tree) *tree {
	if t == nil {
		return one
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	held := t.byHash[one.hash]
	if at := slices.IndexFunc(held, one.equal); at >= 0 {
		held[at].holders++
		return held[at]
	}
	if t.byHash == nil {
		t.byHash = map[string][]*tree{}
	}
	one.holders = 1
	t.byHash[one.hash] = append(held, one)
	t.bytes += one.bytes
	return one
}

func (t *Trees) release(one *tree) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.holders--; one.holders > 0 {
		return
	}
	t.bytes -= one.bytes
	held := slices.DeleteFunc(t.byHash[one.hash], func(other *tree) bool { return other == one })
	if t.byHash[one.hash] = held; len(held) == 0 {
		delete(t.byHash, one.hash)
	}
}
