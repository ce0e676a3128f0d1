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

// longestLook bounds a look at a slow program.
const longestLook = 15 * time.Second

// seen is the remembered part of an element of the last look.
type seen struct{ window int }

// did are the actions of an element in a state: a new state needs a new request.
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
	rect  *ui.Rect // from the bus
	x     *xwindow // nil: the X server has no matching window
}

// Look reads the trees of all windows. One call reads the cache of the program; places, actions and values of visible elements need
// further requests, many at the same time.
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
			r.leave(len(windows), "the content of its windows: Chromium reports it when started with --force-renderer-accessibility")
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
	own, _ := a.ownWindows(ctx) // a lost display has no windows; the bus still has them
	a.lay = own
	for i := range all {
		all[i].match(own)
	}
	if a.screen != nil && len(own) > 0 {
		all = slices.DeleteFunc(all, func(s shown) bool { // windows that are not on the screen, such as Chromium's list of addresses
			return s.x == nil && s.item.name == ""
		})
	}
	slices.SortStableFunc(all, func(x, y shown) int { return cmp.Compare(x.level(), y.level()) })
	a.remember(tree, all)
	tree.Took = time.Since(began)
	return tree, nil
}

// attend starts to watch the windows. If the display does not answer, the input that needs it fails instead.
func (a *App) attend(ctx context.Context) {
	a.lay, a.looked = nil, true
	if a.screen == nil {
		return
	}
	if d, err := a.see(ctx); err == nil {
		_, _ = d.stirred(true)
	}
}

// bareKey begins the key of a window that only the X server knows.
const bareKey = "x:"

// bare is the tree of a process that is not on the bus: its windows, without their content.
func (a *App) bare(ctx context.Context, began time.Time) (*desktop.Tree, error) {
	own, err := a.ownWindows(ctx)
	if err != nil || len(own) == 0 {
		return nil, a.left()
	}
	a.lay = own
	active := a.screen.active()
	const why = "the content of its windows: its toolkit does not report it; a picture shows it"
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

// left explains why a process has left the bus.
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
	at   int // index among the windows of the X server
}

// match finds the X window of a tree: by title and size, by title, by place. GTK 4 reports places relative to the window's corner; match
// moves them.
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
	if b := s.item.bounds; b != nil && corner.W-b.W <= mostBorder && corner.H-b.H <= mostBorder { // a border that the program draws itself
		corner.X, corner.Y = corner.X+max(corner.W-b.W, 0)/2, corner.Y+max(corner.H-b.H, 0)/2
	}
	s.node.Walk(func(n *desktop.Node) bool {
		if n.Bounds != nil {
			n.Bounds.X, n.Bounds.Y = n.Bounds.X+corner.X, n.Bounds.Y+corner.Y
		}
		return true
	})
}

// mostBorder is the maximum difference of a window's size from its content's.
const mostBorder = 60

func near(x, y float64) bool { return x-y <= 2 && y-x <= 2 }

// level sorts windows back to front. Windows that the window manager does not know, such as an open menu, are above the others.
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

// remember adds the windows to the tree, and stores what inputs need.
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

// keyOf identifies an element: name, path, and the number of earlier elements with that path.
func (a *App) keyOf(r ref) string { return fmt.Sprintf("%s%s#%d", r.bus, r.path, a.heard.name(r)) }
