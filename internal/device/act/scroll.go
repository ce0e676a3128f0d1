package act

import (
	"context"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// DefaultSwipes is how often a search swipes before it gives up. It is enough for a list of five hundred rows.
const DefaultSwipes = 120

// Scroll is a search for an element that is out of sight.
type Scroll struct {
	Direction string // where to look: down, up, left, right; empty looks down, then up
	Within    ui.Query
	Swipes    int // at most; 0 is DefaultSwipes
}

// ScrollTo swipes until the element q means can be touched. The finger rests at the end of each swipe, so that the list does
// not scroll on by itself.
func (s Step) ScrollTo(ctx context.Context, q ui.Query, w Scroll) (Report, error) {
	before, err := s.observe(ctx, still())
	if err != nil {
		return Report{}, err
	}
	swipes := w.Swipes
	if swipes == 0 {
		swipes = DefaultSwipes
	}
	began := time.Now()
	var box *ui.Query
	if !w.Within.Empty() {
		box = &w.Within
	}
	found, err := s.seek(ctx, q, w.Direction, swipes, box)
	if err != nil {
		return Report{}, err
	}
	report := Report{Target: found.node, Ref: found.ref, At: found.At, Method: found.Method, Before: before, Took: time.Since(began)}
	s.judge(&report, found.screen)
	return report, nil
}

// seek searches: it looks, and if the element cannot be touched it swipes. If the element has a frame, that gives the
// direction; else every list in turn is scrolled to its end, and then to its other end.
func (s Step) seek(ctx context.Context, q ui.Query, direction string, swipes int, box *ui.Query) (aim, error) {
	screen, err := s.observe(ctx, still())
	if err != nil {
		return aim{}, err
	}
	way := search{heading: direction, turned: direction != ""}
	for done := 0; ; done++ {
		a, err := s.take(ctx, How{NoWait: true}, q, screen)
		if err == nil {
			a.Method = scrolled(done)
			return a, nil
		}
		if !offScreen(err) {
			return aim{}, err // it is on the screen; scrolling does not help
		}
		if done >= swipes || ctx.Err() != nil {
			return aim{}, fault.New(fault.ElementNotFound, "%s was not found in %d swipes", q, done).
				WithHint("raise max_swipes, or name the list with list").WithDispatch(fault.Dispatched)
		}
		area, towards, err := s.swipeArea(q, screen, box, &way)
		if err != nil {
			return aim{}, err
		}
		next, err := s.scrollBy(ctx, area, towards)
		if err != nil {
			return aim{}, err
		}
		if outcome, _ := ui.Compare(screen, next).Judge(nil); outcome == ui.Unchanged {
			way.end(direction)
		}
		screen = next
	}
}

// search is the state of a search.
type search struct {
	list    int    // index among the lists on the screen
	heading string // the direction; empty is down
	turned  bool   // one end of the list was reached
}

// end is called at an end of the list: the search turns round, and after the second end it goes on to the next list.
func (w *search) end(direction string) {
	if !w.turned {
		w.heading, w.turned = opposite[w.towards()], true
		return
	}
	*w = search{list: w.list + 1, heading: direction, turned: direction != ""}
}

func (w *search) towards() string {
	if w.heading == "" {
		return "down"
	}
	return w.heading
}

func scrolled(swipes int) string {
	if swipes == 0 {
		return "in sight already"
	}
	return "scrolled"
}

var opposite = map[string]string{"down": "up", "up": "down", "left": "right", "right": "left"}

// swipeArea is where to swipe and in which direction: in the list that was named, the one the element lies in, or the next
// one on the screen.
func (s Step) swipeArea(q ui.Query, screen *ui.Screen, box *ui.Query, way *search) (ui.Rect, string, error) {
	node, _, missing := s.find(q, screen)
	if missing != nil {
		node = nil
	}
	lists := screen.Scrollers(node)
	if box != nil {
		list, _, err := s.find(*box, screen)
		if err != nil {
			return ui.Rect{}, "", err
		}
		lists = []*ui.Node{list}
	}
	if way.list >= len(lists) {
		return ui.Rect{}, "", fault.New(fault.ElementNotFound, "%s is not in what can be scrolled here: all ends were seen", q).
			WithHint("take a `snapshot` and see where you are").WithDispatch(fault.Dispatched)
	}
	area := lists[way.list].Seen()
	if towards := area.Towards(node); towards != "" && way.list == 0 && !way.turned {
		return area, towards, nil
	}
	return area, way.towards(), nil
}

// scrollBy scrolls the content of an area in a direction, and looks.
func (s Step) scrollBy(ctx context.Context, area ui.Rect, direction string) (*ui.Screen, error) {
	area = area.Inset(12)
	c := area.Centre()
	from, to := c, c
	switch direction { // the finger moves the opposite way
	case "down":
		from.Y, to.Y = area.Y+area.H*0.92, area.Y+area.H*0.08
	case "up":
		from.Y, to.Y = area.Y+area.H*0.08, area.Y+area.H*0.92
	case "right":
		from.X, to.X = area.X+area.W*0.92, area.X+area.W*0.08
	case "left":
		from.X, to.X = area.X+area.W*0.08, area.X+area.W*0.92
	default:
		return nil, noDirection(direction)
	}
	gestures, err := device.As[device.Gestures](s.Device)
	if err != nil {
		touch, err := device.As[device.Touch](s.Device)
		if err != nil {
			return nil, err
		}
		err = touch.Swipe(ctx, from, to, 800*time.Millisecond)
		if err != nil {
			return nil, err
		}
	} else if err := gestures.Drag(ctx, device.Drag{From: from, To: to, Velocity: 1500, Hold: 100 * time.Millisecond}); err != nil {
		return nil, err
	}
	return s.observe(ctx, settled())
}
