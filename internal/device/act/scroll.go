package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// DefaultSwipes is the default maximum number of swipes of a search. It is enough for a list of five hundred rows.
const DefaultSwipes = 120

// Scroll is a search for an element outside the visible area.
type Scroll struct {
	Direction string // where to look: down, up, left, right; empty looks down, then up
	Within    ui.Query
	Swipes    int // maximum number of swipes; 0 is DefaultSwipes
}

// ScrollTo swipes until the element of the query can be touched. The finger rests at the end of each swipe, so that the list does not
// glide on.
func (s Step) ScrollTo(ctx context.Context, q ui.Query, w Scroll) (Report, error) {
	before, err := s.observe(ctx, still())
	if err != nil {
		return Report{}, err
	}
	s.saw(before)
	began := time.Now()
	var sent sent
	found, err := s.seek(ctx, q, w, before, &sent)
	if err != nil {
		return Report{}, sent.fail(err)
	}
	report := Report{Target: found.node, Ref: found.ref, At: found.At, Method: found.Method, Before: before, Took: time.Since(began)}
	s.judge(&report, found.screen)
	return report, nil
}

// seek looks, and swipes while the element cannot be touched. If the element has a frame, the frame gives the direction; otherwise seek
// scrolls every list to one end, and then to its other end.
func (s Step) seek(ctx context.Context, q ui.Query, w Scroll, screen *ui.Screen, sent *sent) (aim, error) {
	if w.Swipes == 0 {
		w.Swipes = DefaultSwipes
	}
	look := search{Step: s, query: q, Scroll: w, sent: sent}
	for {
		a, why := s.take(ctx, How{NoWait: true}, q, screen)
		if why == nil && look.glanced {
			screen, why = look.rest(ctx)
			if why != nil {
				return aim{}, why
			}
			continue
		}
		if why == nil {
			a.Method = scrolled(look.swipes)
			return a, nil
		}
		if !offScreen(why) && !underKeyboard(why) {
			return aim{}, look.refused(why) // the element is on the screen; scrolling does not help
		}
		if look.swipes >= w.Swipes || ctx.Err() != nil {
			return aim{}, fault.New(fault.ElementNotFound, "%s was not found in %d swipes", q, look.swipes).
				WithHint("raise %s, or name the list with %s", hint.Field("max_swipes"), hint.Field("list")).WithDispatch(fault.Dispatched)
		}
		next, err := look.on(ctx, screen, why)
		if err != nil {
			return aim{}, err
		}
		screen = next
	}
}

// underKeyboard reports whether an error means that the keyboard covers the element; scrolling may bring it above.
func underKeyboard(err error) bool {
	far, unreachable := errors.AsType[*ui.UnreachableError](err)
	return unreachable && len(far.Cover) > 0 && far.Cover[0].Type == "Keyboard"
}

// InSight is the method of a search without a scroll.
const InSight = "in sight already"

func scrolled(swipes int) string {
	if swipes == 0 {
		return InSight
	}
	return "scrolled"
}

// search is the state of one search.
type search struct {
	Step
	Scroll
	query   ui.Query
	sent    *sent
	swipes  int
	lists   []*scroller
	spared  bool // the search did not look further up, because the swipe could have closed a sheet
	glanced bool // the last look did not wait for a still screen
}

// rest looks until the screen is still, because an element found at a glance may still glide.
func (f *search) rest(ctx context.Context) (*ui.Screen, error) {
	f.glanced = false
	return f.observe(ctx, still())
}

// scroller is a list or scroll view and the ends that the search has seen.
type scroller struct {
	node  *ui.Node // at the last look
	ended map[string]bool
	moved bool
}

// refused is the error of a search that scrolling cannot help. It corrects the hint for several matches, which says that no input was
// sent: the list may have scrolled.
func (f *search) refused(why error) error {
	if many, several := errors.AsType[*ui.AmbiguousError](why); several && f.swipes > 0 {
		return many.Fault().WithHint("the list was scrolled; pass one of: %s", ui.Offer(many.Candidates)).WithDispatch(fault.Dispatched)
	}
	return why
}

// on swipes once and looks. why is the reason that the element cannot be touched on this screen.
func (f *search) on(ctx context.Context, screen *ui.Screen, why error) (*ui.Screen, error) {
	list, direction, err := f.next(screen)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, f.exhausted(screen, why)
	}
	if f.Tell != nil && f.swipes > 0 && f.swipes%10 == 0 {
		f.Tell(fmt.Sprintf("looking for %s: %d swipes", f.query, f.swipes))
	}
	next, err := f.swipe(ctx, screen, list, direction, glance())
	if f.glanced = true; err != nil || !same(screen, next) {
		list.moved = true
		return next, err
	}
	f.glanced = false
	// A swipe can be lost and a look can come too early, so an end counts after a longer look and a second swipe agree.
	if next, err = f.observe(ctx, settled()); err != nil || !same(screen, next) {
		return next, err
	}
	if next, err = f.swipe(ctx, screen, list, direction, settled()); err == nil && same(screen, next) {
		list.ended[direction] = true
	}
	return next, err
}

func same(a, b *ui.Screen) bool {
	outcome, _ := ui.Compare(a, b).Judge(nil)
	return outcome == ui.Unchanged
}

// next is the list to scroll and the direction: the named list, the list around the element, or the first list with an unseen end. It
// is nil when every end was seen.
func (f *search) next(screen *ui.Screen) (*scroller, string, error) {
	if f.Direction != "" && opposite[f.Direction] == "" {
		return nil, "", noDirection(f.Direction)
	}
	node, _, err := f.find(f.query, screen)
	if err != nil {
		node = nil
	}
	lists := screen.Scrollers(node)
	if !f.Within.Empty() {
		list, _, err := f.find(f.Within, screen)
		if err != nil {
			return nil, "", err
		}
		lists = []*ui.Node{list}
	}
	for _, n := range lists {
		list, area := f.known(screen, n), open(screen, n)
		if area.H < thinnest || area.W < thinnest {
			continue
		}
		for _, direction := range f.directions(area, node) {
			if f.spares(screen, n, direction) || list.ended[direction] {
				continue
			}
			return list, direction, nil
		}
	}
	return nil, "", nil
}

// spares reports whether a swipe is skipped because it could close a sheet. A direction from the caller is never skipped.
func (f *search) spares(screen *ui.Screen, list *ui.Node, direction string) bool {
	spared := f.Direction == "" && direction == "up" && screen.PullCloses(list)
	f.spared = f.spared || spared
	return spared
}

// thinnest is the minimum height and width of a list part to swipe in, in points.
const thinnest = 40

func (f *search) directions(area ui.Rect, node *ui.Node) []string {
	if f.Direction != "" {
		return []string{f.Direction}
	}
	if towards := area.Towards(node); towards != "" {
		return []string{towards}
	}
	return []string{"down", "up"}
}

var opposite = map[string]string{"down": "up", "up": "down", "left": "right", "right": "left"}

// known is the search's state of a list.
func (f *search) known(screen *ui.Screen, n *ui.Node) *scroller {
	for _, list := range f.lists {
		if list.node == n || screen.Again(list.node) == n {
			list.node = n
			return list
		}
	}
	list := &scroller{node: n, ended: map[string]bool{}}
	f.lists = append(f.lists, list)
	return list
}

// exhausted is the fault of a search that has seen all ends. An element that is present but out of reach keeps its own fault.
func (f *search) exhausted(screen *ui.Screen, why error) error {
	if !fault.Is(why, fault.ElementNotFound) {
		return f.refused(why)
	}
	advice := hint.Do("snapshot") + " shows the current screen"
	if screen.Keyboard() != nil {
		advice = "the keyboard covers a part of the screen: " + hint.Do("hide_keyboard")
	}
	if f.spared {
		const left = "%s is neither on the sheet nor further down in it; a swipe to look further up may close the sheet"
		return fault.New(fault.ElementNotFound, left, f.query).
			WithHint("%s", advice).WithDispatch(fault.NotDispatched) // the caller knows of the swipes
	}
	if !slices.ContainsFunc(f.lists, func(l *scroller) bool { return l.moved }) {
		way := cmp.Or(f.Direction, "up or down")
		return fault.New(fault.ElementNotFound, "%s is not on the screen, and no list on it scrolls %s", f.query, way).
			WithHint("%s", advice).WithDispatch(fault.NotDispatched) // the caller knows of the swipes
	}
	return fault.New(fault.ElementNotFound, "%s is not in any list on this screen: all were scrolled to their ends", f.query).
		WithHint("the list is at another position than before: %s", advice).WithDispatch(fault.Dispatched)
}

// open is the part of a list that the keyboard does not cover.
func open(screen *ui.Screen, n *ui.Node) ui.Rect {
	area := n.Seen()
	if k := screen.Keyboard(); k != nil && k.Visible() && area.Y+area.H > k.Seen().Y {
		area.H = max(0, k.Seen().Y-area.Y)
	}
	return area
}

// swipe scrolls the content of a list in a direction, and looks.
func (f *search) swipe(ctx context.Context, screen *ui.Screen, list *scroller, direction string, w device.Wait) (*ui.Screen, error) {
	from, to := path(screen, list.node, direction)
	f.swipes++
	if err := f.sent.input(f.drag(ctx, from, to)); err != nil {
		return nil, err
	}
	return f.observe(ctx, w)
}

// drag moves the content of a scroll view: with a finger that rests at the end, or with the mouse wheel, because a mouse drag would
// select.
func (s Step) drag(ctx context.Context, from, to ui.Point) error {
	_, mouse := device.Has[device.Pointing](s.Device)
	if drags, err := device.As[device.Dragging](s.Device); err == nil && !mouse {
		return drags.Drag(ctx, device.Drag{From: from, To: to, Velocity: 5000, Hold: 80 * time.Millisecond})
	}
	touch, err := device.As[device.Touch](s.Device)
	if err != nil {
		return err
	}
	return touch.Swipe(ctx, from, to, 800*time.Millisecond)
}

// path is the way of the finger, opposite to the direction. It starts as far away as possible and outside inner lists, because the list
// under the start of a swipe scrolls.
func path(screen *ui.Screen, list *ui.Node, direction string) (from, to ui.Point) {
	area := open(screen, list).Inset(12)
	var inner []ui.Rect
	others := screen.Scrollers(nil)
	list.Walk(func(n *ui.Node) bool {
		if n != list && slices.Contains(others, n) {
			inner = append(inner, n.Seen())
		}
		return true
	})
	at := func(along, across float64) ui.Point {
		switch direction {
		case "down":
			return ui.Point{X: area.X + area.W*across, Y: area.Y + area.H*along}
		case "up":
			return ui.Point{X: area.X + area.W*across, Y: area.Y + area.H*(1-along)}
		case "right":
			return ui.Point{X: area.X + area.W*along, Y: area.Y + area.H*across}
		}
		return ui.Point{X: area.X + area.W*(1-along), Y: area.Y + area.H*across}
	}
	for along := 0.95; along > 0.3; along -= 0.04 {
		for _, across := range []float64{0.5, 0, 1} {
			from := at(along, across)
			if !slices.ContainsFunc(inner, func(r ui.Rect) bool { return r.Contains(from) }) {
				return from, at(0.05, across)
			}
		}
	}
	return at(0.95, 0.5), at(0.05, 0.5)
}
