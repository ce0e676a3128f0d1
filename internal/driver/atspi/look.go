package atspi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/ui"
)

// longestLook bounds a look at a program that answers, but slowly.
const longestLook = 15 * time.Second

// seen is what is remembered of an element of the last look.
type seen struct{ window int }

// did are the actions that an element had in a state: they are asked again when it is in another.
type did struct {
	role       uint32
	states     states
	generation uint32
	names      []actionName
	faces      faces
	leaf       bool
}

// window is a window of the last look.
type window struct {
	key   string
	title string
	rect  *ui.Rect // as the bus tells it
	x     *xwindow // nil: the X server has none like it
}

// Look reads the trees of all windows. What the cache of the program knows is one call; places, actions and values are asked for what
// shows, many at a time.
func (a *App) Look(ctx context.Context, l desktop.Limits) (*desktop.Tree, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, longestLook)
	defer cancel()
	a.attend(ctx)
	if _, err := a.refresh(ctx); err != nil {
		return nil, a.explain(err)
	}
	if len(a.names) == 0 {
		return a.bare(ctx, began)
	}
	l.Depth, l.Nodes = cmp.Or(l.Depth, desktop.MaxDepth), cmp.Or(l.Nodes, desktop.MaxNodes)
	tree := &desktop.Tree{}
	var all []shown
	for _, name := range slices.Sorted(maps.Keys(a.names)) {
		p := a.names[name]
		r := &reading{a: a, p: p, limits: l, items: map[ref]*item{}}
		windows, err := r.read(ctx)
		if err != nil {
			return nil, a.explain(err)
		}
		tree.Toolkit = cmp.Or(tree.Toolkit, strings.TrimSpace(p.toolkit+" "+p.version))
		if p.mute(windows) {
			r.leave(len(windows), "all that is in its windows: Chromium tells of it when it is started with --force-renderer-accessibility")
		}
		tree.Left += r.left
		tree.LeftWhy = cmp.Or(tree.LeftWhy, r.leftWhy)
		l.Nodes -= r.count
		for _, w := range windows {
			s := shown{item: w, p: p, node: r.node(w, nil)}
			all = append(all, s)
		}
	}
	if len(all) == 0 && !processes.Alive(a.pid, a.start) { // it refused every call on its way out
		return nil, notRunning(a.pid)
	}
	own, _ := a.ownWindows(ctx) // a display that is gone has no windows; the bus still has
	a.lay = own
	for i := range all {
		all[i].match(own)
	}
	if a.screen != nil && len(own) > 0 {
		all = slices.DeleteFunc(all, func(s shown) bool { // what no screen shows, such as Chromium's list of addresses
			return s.x == nil && s.item.name == ""
		})
	}
	slices.SortStableFunc(all, func(x, y shown) int { return cmp.Compare(x.level(), y.level()) })
	a.remember(tree, all)
	tree.Took = time.Since(began)
	return tree, nil
}

// attend begins to notice which windows come and go. A display that does not answer is told by what needs one.
func (a *App) attend(ctx context.Context) {
	a.lay, a.looked = nil, true
	if a.screen == nil {
		return
	}
	if d, err := a.see(ctx); err == nil {
		_, _ = d.stirred(true)
	}
}

// bareKey begins the key of a window of which only the X server tells.
const bareKey = "x:"

// bare is what is seen of a process that is not on the bus: its windows, and nothing of what is in them.
func (a *App) bare(ctx context.Context, began time.Time) (*desktop.Tree, error) {
	own, err := a.ownWindows(ctx)
	if err != nil || len(own) == 0 {
		return nil, a.left()
	}
	a.lay = own
	active := a.screen.active()
	const why = "all that is in its windows: its toolkit tells nothing of it, a picture shows it"
	tree := &desktop.Tree{Bare: true, Left: len(own), LeftWhy: why}
	a.seen, a.noted, a.actions = map[string]seen{}, nil, nil
	for i := range own {
		at, key := own[i].content(), fmt.Sprintf("%s%x", bareKey, own[i].id)
		tree.Windows = append(tree.Windows, &desktop.Node{
			Key: key, Role: "AXWindow", Title: own[i].title, Enabled: true, Focused: own[i].id == active, Bounds: &at, Source: Source,
			Hidden: !own[i].viewable,
		})
		a.seen[key], a.noted = seen{window: i}, append(a.noted, window{key: key, title: own[i].title, rect: &at, x: &own[i]})
	}
	tree.Took = time.Since(began)
	return tree, nil
}

// left says why a process that was on the bus is not there any more.
func (a *App) left() error {
	if !processes.Alive(a.pid, a.start) {
		return notRunning(a.pid)
	}
	return absent(a.pid, 0)
}

// ownWindows are the process's windows on the X server, back to front.
func (a *App) ownWindows(ctx context.Context) ([]xwindow, error) {
	if a.screen == nil {
		return a.d.o.windows, nil
	}
	d, err := a.see(ctx)
	if err != nil {
		return nil, err
	}
	return d.windows(a.pid)
}

// shown is a window with its tree.
type shown struct {
	item *item
	p    *application
	node *desktop.Node
	x    *xwindow
	at   int // among the windows of the X server
}

// match finds the window on the X server that a tree is of: by its title and size, by its title, by its place. GTK 4 tells places from
// the window's corner on; they are moved to where it is.
func (s *shown) match(own []xwindow) {
	best := 0
	for i := range own {
		w := &own[i]
		score := 0
		if w.title != "" && w.title == s.item.name {
			score += 4
		}
		if b := s.item.bounds; b != nil {
			inner := w.content()
			if near(b.W, inner.W) && near(b.H, inner.H) || s.p.gtk4() && near(inner.W-b.W, inner.H-b.H) && inner.W-b.W <= mostBorder {
				score += 2
			}
			if !s.p.gtk4() && near(b.X, inner.X) && near(b.Y, inner.Y) {
				score += 2
			}
		}
		if score > best {
			best, s.x, s.at = score, w, i+1
		}
	}
	if s.x == nil && len(own) == 1 && s.p.gtk4() {
		s.x, s.at = &own[0], 1
	}
	if s.x == nil || !s.p.gtk4() {
		return
	}
	corner := s.x.content()
	if b := s.item.bounds; b != nil && corner.W-b.W <= mostBorder && corner.H-b.H <= mostBorder { // a border that it draws itself
		corner.X, corner.Y = corner.X+max(corner.W-b.W, 0)/2, corner.Y+max(corner.H-b.H, 0)/2
	}
	s.node.Walk(func(n *desktop.Node) bool {
		if n.Bounds != nil {
			n.Bounds.X, n.Bounds.Y = n.Bounds.X+corner.X, n.Bounds.Y+corner.Y
		}
		return true
	})
}

// mostBorder is how much wider and higher than its content a window may be.
const mostBorder = 60

func near(x, y float64) bool { return x-y <= 2 && y-x <= 2 }

// level orders windows back to front. What the window manager does not know, such as an open menu, lies above what it knows.
func (s *shown) level() int {
	switch {
	case s.x == nil && s.item.states.has(stateActive):
		return 1 << 19
	case s.x == nil && s.node.Subrole == "":
		return 1 << 18
	case s.x == nil:
		return 1 << 20
	}
	return s.at
}

// remember puts the windows into the tree, and notes what the hands need.
func (a *App) remember(tree *desktop.Tree, all []shown) {
	a.seen, a.noted = map[string]seen{}, nil
	actions := map[ref]did{}
	defer func() { a.actions = actions }()
	for i, s := range all {
		s.item.walk(func(it *item) {
			if it.actions != nil {
				actions[it.ref] = did{it.role, it.states, a.heard.generation(it.ref), it.actions, it.faces, it.kids == 0}
			}
		})
		tree.Windows = append(tree.Windows, s.node)
		a.noted = append(a.noted, window{key: s.node.Key, title: s.item.name, rect: s.item.bounds, x: s.x})
		s.node.Walk(func(n *desktop.Node) bool {
			a.seen[n.Key] = seen{window: i}
			return true
		})
	}
}

// keyOf says which element it is: name, path, and how many had that path before.
func (a *App) keyOf(r ref) string { return fmt.Sprintf("%s%s#%d", r.bus, r.path, a.heard.name(r)) }
