package atspi

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/machine/pause"
)

// reading is one look at one application.
type reading struct {
	a      *App
	p      *application
	limits desktop.Limits
	items  map[ref]*item

	count   int // number of elements in the tree
	left    int
	leftWhy string
}

// othersElement is the reason for omitting an element that belongs to another program: a press would go to that program.
const othersElement = "elements of other programs"

// mostCells is the maximum number of children of one element that are read one by one.
const mostCells = 400

// read returns the visible windows with all their elements.
func (r *reading) read(ctx context.Context) ([]*item, error) {
	root := &item{ref: r.p.root, role: roleApplication, kids: -1, index: -1, showing: true}
	if err := r.cached(ctx, root); err != nil {
		return nil, err
	}
	if err := r.complete(ctx, root); err != nil {
		return nil, err
	}
	windows := slices.DeleteFunc(slices.Clone(root.children), func(w *item) bool { return !w.showing && !w.states.has(stateIconified) })
	var visible []*item
	reached := map[ref]bool{root.ref: true}
	for _, w := range windows {
		visible = append(visible, r.prune(w, 1, reached)...)
	}
	if err := r.details(ctx, visible); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(windows, func(w *item) bool { // GTK 3 keeps hidden windows outside of the screen
		return w.name == "" && len(w.children) == 0 && (w.bounds == nil || w.bounds.W <= 1 && w.bounds.H <= 1)
	}), nil
}

// cached makes a tree from the program's cache.
func (r *reading) cached(ctx context.Context, root *item) error {
	items, err := r.getItems(ctx)
	if err != nil {
		return err
	}
	byParent := map[ref][]*item{}
	for _, it := range items {
		if !r.a.kin(ctx, it.ref.bus) {
			r.leave(1, othersElement)
			continue
		}
		if _, twice := r.items[it.ref]; twice || it.ref == root.ref {
			if it.ref == root.ref {
				root.kids, root.listed = it.kids, it.listed
			}
			continue
		}
		it.showing = r.shows(it.states)
		r.items[it.ref] = it
		byParent[it.parent] = append(byParent[it.parent], it)
	}
	adopt := func(it *item) {
		if it.listed != nil {
			for _, c := range it.listed {
				if child := r.items[c]; child != nil {
					it.children = append(it.children, child)
				}
			}
			return
		}
		it.children = byParent[it.ref]
		slices.SortStableFunc(it.children, func(x, y *item) int { return cmp.Compare(x.index, y.index) })
	}
	adopt(root)
	for _, it := range r.items {
		adopt(it)
	}
	return nil
}

func (r *reading) shows(s states) bool {
	return s.has(stateShowing) || r.p.gtk4() && s.has(stateVisible)
}

// getItems reads the cache. A program without one is walked.
func (r *reading) getItems(ctx context.Context) ([]*item, error) {
	if r.p.cache == cacheNone {
		return nil, nil
	}
	cache := ref{r.p.root.bus, "/org/a11y/atspi/cache"}
	until := time.Now().Add(r.a.d.o.cacheWait)
	for {
		answer, err := r.a.bus.call(ctx, cache, "org.a11y.atspi.Cache.GetItems")
		if err == nil {
			items := itemsOf(unwrapped(answer))
			if r.p.cache = cacheWorks; len(items) == 0 {
				r.p.cache = cacheNone // Qt answers, but has no cache
			}
			return items, nil
		}
		if !isRefusal(err) {
			return nil, err
		}
		if r.p.cache == cacheWorks || time.Now().After(until) {
			if r.p.cache == cacheUntried {
				r.p.cache = cacheNone
			}
			return nil, nil
		}
		if err := pause.For(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// complete walks the elements that the cache omits, level by level: the root of a program without a cache, and cells of tables, which
// are created on request. Hidden elements are reported from the cache only, unless the program has no cache.
func (r *reading) complete(ctx context.Context, root *item) error {
	level := []*item{root}
	walked := map[ref]bool{}
	for depth := 0; len(level) > 0 && depth <= r.limits.Depth; depth++ {
		var missing, next []*item
		level = slices.DeleteFunc(level, func(it *item) bool { // a program's tree may have cycles
			was := walked[it.ref]
			walked[it.ref] = true
			return was
		})
		for _, it := range level {
			if len(it.children) < it.kids || it.kids < 0 {
				if it.showing || r.p.cache == cacheNone || r.offers(it) {
					missing = append(missing, it)
				}
			}
		}
		if err := r.children(ctx, missing); err != nil {
			return err
		}
		for _, it := range level {
			next = append(next, it.children...)
		}
		if len(r.items) > r.limits.Nodes {
			break // prune reports it
		}
		level = next
	}
	return nil
}

// offers reports whether an element has the choices of a closed list: they are its value, and can be chosen while hidden.
func (r *reading) offers(it *item) bool {
	above := r.items[it.parent]
	return above != nil && above.role == roleComboBox
}

// children asks for the children of elements, and reads unknown children.
func (r *reading) children(ctx context.Context, of []*item) error {
	if err := r.counts(ctx, of); err != nil {
		return err
	}
	room := max(r.limits.Nodes-len(r.items), 0) + 1 // one more, so that prune notices the surplus
	refs := make([][]ref, len(of))
	var asks []*ask
	for i, it := range of {
		if it.kids > mostCells || it.makes() {
			if it.kids > mostCells {
				r.leave(it.kids-mostCells, fmt.Sprintf("more than %d elements of one table or list", mostCells))
			}
			refs[i] = make([]ref, max(min(it.kids, mostCells), 0))
			first, err := r.firstCell(ctx, it)
			if err != nil {
				return err
			}
			for k := range refs[i] {
				asks = append(asks, &ask{it.ref, accessible + ".GetChildAtIndex", []any{int32(first + k)}, func(body []any, err error) {
					if err == nil {
						refs[i][k], _ = refOf(unwrapped(body))
					}
				}})
			}
			continue
		}
		asks = append(asks, &ask{it.ref, accessible + ".GetChildren", nil, func(body []any, err error) {
			if err == nil {
				refs[i] = refsOf(unwrapped(body))
			}
		}})
	}
	if err := r.a.bus.all(ctx, asks); err != nil {
		return err
	}
	var fresh []*item
	for i, it := range of {
		known := it.children
		it.children = nil
		have := map[*item]bool{}
		add := func(c *item) {
			if !have[c] {
				have[c] = true
				it.children = append(it.children, c)
			}
		}
		for _, c := range refs[i] {
			child := r.items[c]
			switch {
			case c.none() || c == r.p.root:
				continue
			case child == nil && !r.a.kin(ctx, c.bus):
				r.leave(1, othersElement)
				continue
			case child == nil && len(fresh) >= room:
				r.leave(1, r.tooMany())
				continue
			case child == nil:
				child = &item{ref: c, parent: it.ref, index: -1}
				r.items[c] = child
				fresh = append(fresh, child)
			}
			add(child)
		}
		for _, c := range known { // children that GetChildren omits
			add(c)
		}
	}
	return r.load(ctx, fresh)
}

// firstCell is the first child to read of an element with too many children: the read range includes the children in the middle of its
// visible part.
func (r *reading) firstCell(ctx context.Context, it *item) (int, error) {
	if it.kids <= mostCells || !it.faces.has(faceComponent) {
		return 0, nil
	}
	at := 0
	one := func(to ref, method string, args []any, got func(v any)) error {
		return r.a.bus.all(ctx, []*ask{{to, method, args, func(body []any, err error) {
			if err == nil {
				got(unwrapped(body))
			}
		}}})
	}
	var cell ref
	if err := one(it.ref, component+".GetExtents", []any{uint32(0)}, func(v any) { it.bounds = rectOf(v) }); err != nil || it.bounds == nil {
		return 0, err
	}
	middle := []any{int32(it.bounds.X + 8), int32(it.bounds.Y + it.bounds.H/2), uint32(0)}
	if err := one(it.ref, component+".GetAccessibleAtPoint", middle, func(v any) { cell, _ = refOf(v) }); err != nil || cell.none() {
		return 0, err
	}
	err := one(cell, accessible+".GetIndexInParent", nil, func(v any) { at = whole(v) })
	return max(min(at-mostCells/2, it.kids-mostCells), 0), err
}

// counts asks elements that create their children on request for the number of children, which no cache has.
func (r *reading) counts(ctx context.Context, of []*item) error {
	var asks []*ask
	for _, it := range of {
		if it.kids < 0 && it.makes() {
			asks = append(asks, get(it.ref, accessible, "ChildCount", func(v any) { it.kids = whole(v) }))
		}
	}
	return r.a.bus.all(ctx, asks)
}

// load reads elements call by call.
func (r *reading) load(ctx context.Context, fresh []*item) error {
	asks := make([]*ask, 0, 6*len(fresh))
	for _, it := range fresh {
		plain := func(method string, got func(v any)) *ask {
			return &ask{it.ref, accessible + "." + method, nil, func(body []any, err error) {
				if err == nil {
					got(unwrapped(body))
				}
			}}
		}
		asks = append(asks,
			get(it.ref, accessible, "Name", func(v any) { it.name = short(v) }),
			plain("GetState", func(v any) { it.states = statesOf(v) }),
		)
		had, known := r.a.actions[it.ref]
		if known && had.role == roleCell && had.leaf && had.generation == r.a.heard.generation(it.ref) { // it stays a cell without children
			it.role, it.faces = had.role, had.faces
			continue
		}
		asks = append(asks,
			get(it.ref, accessible, "ChildCount", func(v any) { it.kids = whole(v) }),
			plain("GetRole", func(v any) { it.role, _ = v.(uint32) }),
			plain("GetInterfaces", func(v any) { it.faces = facesOf(v) }),
		)
	}
	if err := r.a.bus.all(ctx, asks); err != nil {
		return err
	}
	asks = asks[:0]
	for _, it := range fresh {
		if it.showing = r.shows(it.states); it.name == "" {
			asks = append(asks, get(it.ref, accessible, "Description", func(v any) { it.description = short(v) }))
		}
	}
	return r.a.bus.all(ctx, asks)
}

// prune cuts elements beyond the limits and elements reached before, because a program's tree may have cycles. It returns the visible
// ones.
func (r *reading) prune(it *item, depth int, reached map[ref]bool) (visible []*item) {
	reached[it.ref] = true
	r.count++
	if it.showing {
		visible = append(visible, it)
	}
	kept := it.children[:0:0]
	for _, c := range it.children {
		switch {
		case reached[c.ref] || c.states.has(stateDefunct):
		case depth >= r.limits.Depth:
			r.leave(1, fmt.Sprintf("deeper than %d levels", r.limits.Depth))
		case r.count >= r.limits.Nodes:
			r.leave(1, r.tooMany())
		default:
			kept = append(kept, c)
			visible = append(visible, r.prune(c, depth+1, reached)...)
		}
	}
	it.children = kept
	return visible
}

func (r *reading) tooMany() string { return fmt.Sprintf("more than %d elements", r.limits.Nodes) }

func (r *reading) leave(n int, why string) {
	r.left += n
	r.leftWhy = cmp.Or(r.leftWhy, why)
}
