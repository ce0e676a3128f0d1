//go:build darwin || macaxfake

package macax

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"ios-agent/internal/desktop"
)

// The bounds of the table: the number of elements that it keeps, and how many of them one look checks for life.
const (
	mostElements = 4 * desktop.MaxNodes
	askedALook   = 50 // a check takes a tenth of a millisecond
)

// element is an element that a look found. The table retains its object.
type element struct {
	ref    ref
	hash   uint
	key    string
	look   uint64   // the last look that found it
	window *element // its window; itself for a window
}

// elements are the elements of a process, each with a key that is never reused. Every look creates new accessibility objects: two equal
// objects are the same element.
type elements struct {
	byHash map[uint][]*element
	byKey  map[string]*element
	look   uint64
}

// keep finds the element of an object, or adds it.
func (es *elements) keep(l *library, object ref) *element {
	if es.byHash == nil {
		es.byHash, es.byKey = map[uint][]*element{}, map[string]*element{}
	}
	hash := l.hash(object)
	for _, e := range es.byHash[hash] {
		if l.equal(e.ref, object) {
			return e
		}
	}
	e := &element{ref: l.retain(object), hash: hash, key: "ax" + strconv.FormatUint(l.keys.Add(1), 10)}
	es.byHash[hash] = append(es.byHash[hash], e)
	es.byKey[e.key] = e
	return e
}

// drop releases an element that no longer exists.
func (es *elements) drop(l *library, e *element) {
	if es.byKey[e.key] != e {
		return
	}
	delete(es.byKey, e.key)
	same := slices.DeleteFunc(es.byHash[e.hash], func(o *element) bool { return o == e })
	if len(same) == 0 {
		delete(es.byHash, e.hash)
	} else {
		es.byHash[e.hash] = same
	}
	l.release(e.ref)
}

// sweep drops elements that the last look did not find and that no longer live. An element that is only out of sight keeps its key.
func (a *App) sweep(ctx context.Context) {
	es, asked := &a.elements, 0
	for _, e := range es.byKey { // the order is random, so every element has its turn
		if e.look == es.look {
			continue
		}
		if asked++; asked > askedALook || ctx.Err() != nil {
			break
		}
		switch _, code := a.role(e.ref); code {
		case axInvalidElement:
			es.drop(a.lib, e)
		case axCannotComplete:
			return // each of the others would take as long
		}
	}
	if len(es.byKey) <= mostElements {
		return
	}
	oldest := slices.SortedFunc(maps.Values(es.byKey), func(a, b *element) int { return cmp.Compare(a.look, b.look) })
	for _, e := range oldest[:len(oldest)-mostElements] {
		es.drop(a.lib, e)
	}
}

// clear releases all elements.
func (es *elements) clear(l *library) {
	for _, e := range es.byKey {
		l.release(e.ref)
	}
	es.byHash, es.byKey = nil, nil
}
