package wda

import (
	"math"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

// area is the frame of an older route's gesture: the element's, or the screen's.
func (c *call) area() (world.Rect, error) {
	if uuid := c.params["uuid"]; uuid != "" && uuid != "0" {
		n, _, err := c.element()
		if err != nil {
			return world.Rect{}, err
		}
		return n.Frame, nil
	}
	root, _, err := c.snapshot()
	if err != nil {
		return world.Rect{}, err
	}
	return root.Frame, nil
}

// along moves a finger through the middle of a frame, over a share of it.
func along(r world.Rect, direction string, share float64) (from, to world.Point) {
	mid := r.Centre()
	dx, dy := r.W*share/2, r.H*share/2
	switch direction {
	case "up":
		return world.Point{X: mid.X, Y: mid.Y + dy}, world.Point{X: mid.X, Y: mid.Y - dy}
	case "down":
		return world.Point{X: mid.X, Y: mid.Y - dy}, world.Point{X: mid.X, Y: mid.Y + dy}
	case "left":
		return world.Point{X: mid.X + dx, Y: mid.Y}, world.Point{X: mid.X - dx, Y: mid.Y}
	}
	return world.Point{X: mid.X - dx, Y: mid.Y}, world.Point{X: mid.X + dx, Y: mid.Y}
}

const swipeTook = 200 * time.Millisecond

func (c *call) swipe() (any, error) {
	direction := strings.ToLower(c.text("direction"))
	if !slices.Contains([]string{"up", "down", "left", "right"}, direction) {
		return nil, invalid("Unsupported swipe direction '%s'", direction)
	}
	r, err := c.area()
	if err != nil {
		return nil, err
	}
	from, to := along(r, direction, 0.6)
	return nil, c.opts.World.Swipe(c.ctx, c.opts.UDID, from, to, swipeTook)
}

// scroll moves the content so that the part in the given direction comes into view.
func (c *call) scroll() (any, error) {
	back := map[string]string{"up": "down", "down": "up", "left": "right", "right": "left"}[c.text("direction")]
	if back == "" {
		return nil, invalid("Unsupported scroll type")
	}
	r, err := c.area()
	if err != nil {
		return nil, err
	}
	from, to := along(r, back, 0.8)
	return nil, c.opts.World.Drag(c.ctx, c.opts.UDID, world.Carry{From: from, To: to, Took: time.Second, Holds: swipeTook})
}

func (c *call) pinch() (any, error) {
	scale, _ := c.number("scale")
	if !(scale > 0) {
		return nil, invalid("a pinch needs a scale above 0")
	}
	r, err := c.area()
	if err != nil {
		return nil, err
	}
	return nil, c.opts.World.Pinch(c.ctx, c.opts.UDID, r.Centre(), scale, 500*time.Millisecond)
}

// dragFromTo presses and drags, by time or by velocity.
func (c *call) dragFromTo() (any, error) {
	var at [4]float64
	for i, name := range []string{"fromX", "fromY", "toX", "toY"} {
		at[i], _ = c.number(name)
	}
	press, _ := c.number("duration")
	if p, ok := c.number("pressDuration"); ok {
		press = p
	}
	velocity, ok := c.number("velocity")
	if !ok || velocity <= 0 {
		velocity = 500
	}
	hold, _ := c.number("holdDuration")
	span := func(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
	return nil, c.opts.World.Drag(c.ctx, c.opts.UDID, world.Carry{
		From: world.Point{X: at[0], Y: at[1]}, To: world.Point{X: at[2], Y: at[3]}, Press: span(press),
		Took: span(math.Hypot(at[2]-at[0], at[3]-at[1]) / velocity), Holds: span(hold),
	})
}
