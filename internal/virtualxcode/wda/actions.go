package wda

import (
	"math"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

// mark is the place of a finger at one time.
type mark struct {
	at   world.Point
	when time.Duration
}

// touch is one finger from touching down until lifting.
type touch struct {
	marks   []mark // the first is the start
	resumed []time.Duration
	lifted  time.Duration
	up      bool
}

// chain is the sequence of one input source.
type chain struct {
	touches []*touch
	texts   []string
	took    time.Duration
}

// actions carries out W3C's actions. It parses all of them before it carries out the first.
func (c *call) actions() (any, error) {
	sources, ok := c.args["actions"].([]any)
	if !ok || len(sources) == 0 {
		return nil, invalid("Valid gesture actions must contain at least one item")
	}
	var fingers, keyboards []*chain
	for _, raw := range sources {
		source, ok := raw.(map[string]any)
		if !ok {
			return nil, invalid("an action is not a dictionary")
		}
		steps, _ := source["actions"].([]any)
		kind, _ := source["type"].(string)
		id, _ := source["id"].(string)
		switch {
		case kind == "none":
			continue
		case len(steps) == 0:
			return nil, invalid("It is mandatory to have at least one item defined for each action. Action with id '%s' contains none", id)
		case kind == "pointer":
			parameters, _ := source["parameters"].(map[string]any)
			if with, _ := parameters["pointerType"].(string); with != "touch" {
				return nil, invalid("Only pointer type 'touch' is supported. '%s' is given instead for action with id '%s'", with, id)
			}
			f, err := c.finger(steps)
			if err != nil {
				return nil, err
			}
			fingers = append(fingers, f)
		case kind == "key":
			k, err := keyboard(steps)
			if err != nil {
				return nil, err
			}
			keyboards = append(keyboards, k)
		default:
			return nil, invalid("Unknown action type '%s' is set for the action with id '%s'", kind, id)
		}
	}
	if err := c.play(fingers); err != nil {
		return nil, err
	}
	for _, k := range keyboards {
		for _, text := range k.texts {
			if err := c.typeText(text); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// finger parses a pointer's actions. The first move places the finger, and the following down refers to that place.
func (c *call) finger(steps []any) (*chain, error) {
	f := &chain{}
	var at *world.Point
	var now *touch
	for i, raw := range steps {
		step, _ := raw.(map[string]any)
		kind, _ := step["type"].(string)
		took, err := duration(step)
		if err != nil {
			return nil, err
		}
		switch kind {
		case "pointerMove":
			to, err := c.position(step, at)
			if err != nil {
				return nil, err
			}
			if now != nil && !now.up {
				now.resumed = append(now.resumed, f.took)
				now.marks = append(now.marks, mark{to, f.took + took})
			} else if now == nil {
				now = &touch{marks: []mark{{to, f.took + took}}}
				f.touches = append(f.touches, now)
			}
			at = &to
		case "pointerDown":
			if at == nil {
				return nil, invalid("The '%v' action item must be preceded by pointerMove item", step)
			}
			if now == nil || now.up || i == 0 {
				now = &touch{marks: []mark{{*at, f.took}}}
				f.touches = append(f.touches, now)
			}
		case "pointerUp":
			if now == nil {
				return nil, invalid("Pointer Up must not be the first action in '%v'", step)
			}
			now.lifted, now.up = f.took, true
		case "pause":
		default:
			return nil, invalid("'%s' action item type is not supported", kind)
		}
		f.took += took
	}
	return f, nil
}

// duration is the duration of an action.
func duration(step map[string]any) (time.Duration, error) {
	ms, ok := step["duration"].(float64)
	if !ok && step["duration"] != nil || ms < 0 || math.IsNaN(ms) {
		return 0, invalid("Duration value is expected to be a non-negative number. '%v' is given instead", step["duration"])
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}

// position is the target of a move: on the screen, relative to the last place, or relative to the middle of an element.
func (c *call) position(step map[string]any, last *world.Point) (world.Point, error) {
	x, hasX := step["x"].(float64)
	y, hasY := step["y"].(float64)
	if hasX != hasY {
		return world.Point{}, invalid("Both 'x' and 'y' options should be set for '%v' action item", step)
	}
	switch origin := step["origin"].(type) {
	case nil:
	case string:
		switch origin {
		case "viewport":
		case "pointer":
			if last == nil {
				return world.Point{}, invalid("There is no previous item for '%v' action item", step)
			}
			return world.Point{X: last.X + x, Y: last.Y + y}, nil
		default:
			return c.fromElement(origin, x, y)
		}
	case map[string]any:
		id, _ := origin[elementKey].(string)
		if id == "" {
			id, _ = origin["ELEMENT"].(string)
		}
		return c.fromElement(id, x, y)
	default:
		return world.Point{}, invalid("Unsupported origin type '%v'", origin)
	}
	if !hasX {
		return world.Point{}, invalid("Both 'x' and 'y' options should be set for '%v' action item", step)
	}
	return world.Point{X: x, Y: y}, nil
}

func (c *call) fromElement(id string, x, y float64) (world.Point, error) {
	inner := *c
	inner.params = map[string]string{"uuid": id}
	n, _, err := inner.element()
	if err != nil {
		return world.Point{}, err
	}
	mid := n.Frame.Centre()
	return world.Point{X: mid.X + x, Y: mid.Y + y}, nil
}

// keyboard parses a keyboard's actions. Every pressed key must be released; keys between two pauses form one text.
func keyboard(steps []any) (*chain, error) {
	k := &chain{}
	text, down := "", map[string]int{}
	for _, raw := range steps {
		step, _ := raw.(map[string]any)
		value, _ := step["value"].(string)
		switch kind, _ := step["type"].(string); kind {
		case "keyDown", "keyUp":
			if value == "" {
				return nil, invalid("The 'value' must be set to a non-empty string for '%v' action item", step)
			}
			if kind == "keyDown" {
				down[value]++
				continue
			}
			if down[value]--; down[value] < 0 {
				return nil, invalid("Key Up action '%s' is not balanced with a preceding Key Down one in '%v'", value, step)
			}
			text += value
		case "pause":
			k.texts, text = append(k.texts, text), ""
		default:
			return nil, invalid("'%s' action item type is not supported", kind)
		}
	}
	for value, left := range down {
		if left != 0 {
			return nil, invalid("Key Down action '%s' must have a closing Key Up successor", value)
		}
	}
	k.texts = append(k.texts, text)
	return k, nil
}

const (
	longTouch = 500 * time.Millisecond // minimum duration of a long press
	twiceIn   = 350 * time.Millisecond // maximum time between the taps of a double tap
	carried   = 100 * time.Millisecond // a finger that rests this long before it moves drags the element under it
	slack     = 4.0                    // maximum movement of a tap in points
)

// play carries out the gesture of the fingers.
func (c *call) play(fingers []*chain) error {
	switch {
	case len(fingers) == 0:
		return nil
	case len(fingers) == 2 && len(fingers[0].touches) == 1 && len(fingers[1].touches) == 1:
		return c.two(fingers[0].touches[0], fingers[1].touches[0])
	}
	for _, f := range fingers {
		if err := c.one(f); err != nil {
			return err
		}
	}
	return nil
}

// one carries out the gesture of one finger.
func (c *call) one(f *chain) error {
	end := time.Duration(0)
	for i := 0; i < len(f.touches); i++ {
		t := f.touches[i]
		if rest := t.marks[0].when - end; rest > 0 {
			if err := c.sleep(c.ctx, rest); err != nil {
				return err
			}
		}
		end = t.end(f.took)
		if i+1 < len(f.touches) && t.twice(f.touches[i+1], f.took) {
			i++
			end = f.touches[i].end(f.took)
			if err := c.opts.World.DoubleTap(c.ctx, c.opts.UDID, t.marks[0].at); err != nil {
				return err
			}
			continue
		}
		if err := c.touch(t, end); err != nil {
			return err
		}
	}
	return nil
}

// end is the time when the finger lifts; without an up it lifts after the last action.
func (t *touch) end(last time.Duration) time.Duration {
	if t.up {
		return t.lifted
	}
	return last
}

func (t *touch) still() bool { return apart(t.marks[0].at, t.marks[len(t.marks)-1].at) <= slack }

func (t *touch) twice(next *touch, last time.Duration) bool {
	return t.still() && next.still() && next.marks[0].when-t.end(last) <= twiceIn && t.end(last)-t.marks[0].when < longTouch &&
		apart(t.marks[0].at, next.marks[0].at) <= slack
}

func apart(a, b world.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// touch carries out a tap, a long press, a swipe or a drag.
func (c *call) touch(t *touch, end time.Duration) error {
	from, to := t.marks[0], t.marks[len(t.marks)-1]
	if t.still() {
		if long := end - from.when; long >= longTouch {
			return c.opts.World.LongPress(c.ctx, c.opts.UDID, from.at, long)
		}
		return c.opts.World.Tap(c.ctx, c.opts.UDID, from.at)
	}
	began := t.began()
	press, took, holds := began-from.when, to.when-began, end-to.when
	if press >= carried || holds > 0 {
		return c.opts.World.Drag(c.ctx, c.opts.UDID, world.Carry{From: from.at, To: to.at, Press: press, Took: took, Holds: holds})
	}
	return c.opts.World.Swipe(c.ctx, c.opts.UDID, from.at, to.at, took)
}

// began is the time when the finger first moved.
func (t *touch) began() time.Duration {
	for i, m := range t.marks[1:] {
		if apart(m.at, t.marks[0].at) > slack {
			return t.resumed[i]
		}
	}
	return t.marks[0].when
}

// two carries out a gesture of two fingers: they move apart or together; other movements have no effect here.
func (c *call) two(a, b *touch) error {
	before := apart(a.marks[0].at, b.marks[0].at)
	lastA, lastB := a.marks[len(a.marks)-1], b.marks[len(b.marks)-1]
	after := apart(lastA.at, lastB.at)
	mid := world.Point{X: (a.marks[0].at.X + b.marks[0].at.X) / 2, Y: (a.marks[0].at.Y + b.marks[0].at.Y) / 2}
	took := max(lastA.when, lastB.when)
	if before < 1 || after < 1 || math.Abs(after-before) <= slack {
		return c.sleep(c.ctx, took)
	}
	return c.opts.World.Pinch(c.ctx, c.opts.UDID, mid, after/before, took)
}
