package webdriver

import (
	"bytes"
	"context"
	"image/png"
	"strings"

	"ios-agent/internal/ui"
)

// pixelWidth is the width of a picture.
func pixelWidth(raw []byte) (int, error) {
	config, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return 0, fail(noCapture, "the picture is not a PNG: %v", err)
	}
	return config.Width, nil
}

// named returns the element of a command, from the path or the body, or "".
func (q *request) named() (string, error) {
	var id string
	err := q.may(map[string]any{"elementId": &id, "element": &id})
	if in := q.params["element"]; in != "" {
		id = in
	}
	return id, err
}

// touching is a gesture on an element, or on a point; a point in an element is relative to its corner.
func touching(onElement, onPoint string, more func(q *request, input map[string]any) error) handler {
	return func(ctx context.Context, q *request) (any, error) {
		id, err := q.named()
		if err != nil {
			return nil, err
		}
		at, isPoint, err := q.point("x", "y")
		if err != nil {
			return nil, err
		}
		input := map[string]any{}
		if more != nil {
			if err := more(q, input); err != nil {
				return nil, err
			}
		}
		if id != "" && !isPoint {
			input["scroll"] = true
			return nil, q.session.onElement(ctx, onElement, id, input, nil)
		}
		if !isPoint {
			return nil, fail(invalidArgument, "the body has neither x and y nor an element")
		}
		if id != "" {
			n, err := q.session.element(ctx, id)
			if err != nil {
				return nil, err
			}
			at.X, at.Y = at.X+n.Frame.X, at.Y+n.Frame.Y
		}
		input["x"], input["y"] = at.X, at.Y
		return nil, q.session.on(ctx, onPoint, input, nil)
	}
}

// lasting adds the duration of a press to the input.
func lasting(q *request, input map[string]any) error {
	seconds := 1.0
	if err := q.may(map[string]any{"duration": &seconds}); err != nil {
		return err
	}
	input["seconds"] = within(seconds, 0.1, 60)
	return nil
}

// tapCount is WebDriverAgent's tap with a number of taps and fingers.
func tapCount(ctx context.Context, q *request) (any, error) {
	taps, touches := 1.0, 1.0
	if err := q.may(map[string]any{"numberOfTaps": &taps, "numberOfTouches": &touches}); err != nil {
		return nil, err
	}
	switch {
	case touches != 1:
		return nil, fail(unsupported, "taps of %g fingers are not supported", touches)
	case taps == 1:
		return tap(ctx, q)
	case taps == 2:
		return doubleTap(ctx, q)
	}
	return nil, fail(unsupported, "%g taps at once are not supported", taps).hinted("1 or 2 are")
}

// dragging is WebDriverAgent's drag: a finger rests, and moves the element below it to another point.
func dragging(ctx context.Context, q *request) (any, error) {
	from, isFrom, err := q.point("fromX", "fromY")
	if err != nil {
		return nil, err
	}
	to, isTo, err := q.point("toX", "toY")
	if err != nil {
		return nil, err
	}
	if !isFrom || !isTo {
		return nil, fail(invalidArgument, "a drag needs fromX, fromY, toX and toY")
	}
	var press, hold float64
	if err := q.may(map[string]any{"duration": &press, "pressDuration": &press, "holdDuration": &hold}); err != nil {
		return nil, err
	}
	id, err := q.named()
	if err != nil {
		return nil, err
	}
	if id != "" {
		n, err := q.session.element(ctx, id)
		if err != nil {
			return nil, err
		}
		corner := ui.Point{X: n.Frame.X, Y: n.Frame.Y}
		from.X, from.Y, to.X, to.Y = from.X+corner.X, from.Y+corner.Y, to.X+corner.X, to.Y+corner.Y
	}
	return nil, q.session.on(ctx, "drag", map[string]any{
		"from_x": from.X, "from_y": from.Y, "to_x": to.X, "to_y": to.Y, "press": within(press, 0, 60), "hold": within(hold, 0, 60),
	}, nil)
}

// swiping moves a finger over an element or the screen.
func swiping(ctx context.Context, q *request) (any, error) {
	var direction string
	if err := q.take(map[string]any{"direction": &direction}); err != nil {
		return nil, err
	}
	return nil, q.over(ctx, "swipe", map[string]any{"direction": strings.ToLower(direction)})
}

// over runs a gesture over an element, or over the screen if none is named.
func (q *request) over(ctx context.Context, name string, input map[string]any) error {
	id, err := q.named()
	if err != nil {
		return err
	}
	if id == "" {
		return q.session.on(ctx, name, input, nil)
	}
	return q.session.onElement(ctx, name, id, input, nil)
}

// opposite is the direction of the finger for a scrolling direction.
var opposite = map[string]string{"up": "down", "down": "up", "left": "right", "right": "left"}

// scrolling scrolls in a direction, or to an element by its name or a predicate.
func scrolling(ctx context.Context, q *request) (any, error) {
	var direction, name, condition string
	var visible *bool
	err := q.may(map[string]any{"direction": &direction, "name": &name, "predicateString": &condition, "toVisible": &visible})
	if err != nil {
		return nil, err
	}
	switch {
	case name != "":
		return nil, q.session.on(ctx, "scroll_to", map[string]any{"identifier": name}, nil)
	case condition != "":
		t, err := q.session.look(ctx)
		if err != nil {
			return nil, err
		}
		found, err := t.Fitting(condition)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fail(noSuchElement, "no element fits the predicate %q", condition)
		}
		return nil, q.session.onElement(ctx, "scroll_to", found[0].ID(), nil, nil)
	case visible != nil:
		return scrollTo(ctx, q)
	}
	way, known := opposite[strings.ToLower(direction)]
	if !known {
		return nil, fail(invalidArgument, "invalid direction %q", direction).
			hinted("up, down, left or right; or give name, predicateString or toVisible")
	}
	return nil, q.over(ctx, "swipe", map[string]any{"direction": way})
}

func scrollTo(ctx context.Context, q *request) (any, error) {
	id, err := q.named()
	if err != nil {
		return nil, err
	}
	return nil, q.session.onElement(ctx, "scroll_to", id, nil, nil)
}

func pinching(ctx context.Context, q *request) (any, error) {
	var scale float64
	if err := q.take(map[string]any{"scale": &scale}); err != nil {
		return nil, err
	}
	return nil, q.over(ctx, "pinch", map[string]any{"scale": within(scale, 0.01, 100)})
}

// wheel turns a picker wheel by a step.
func wheel(ctx context.Context, q *request) (any, error) {
	var value, order string
	if err := q.may(map[string]any{"value": &value, "order": &order}); err != nil {
		return nil, err
	}
	if value == "" {
		return nil, fail(unsupported, "turning a picker wheel by steps is not supported").hinted("set its value: POST …/element/ID/value")
	}
	id, err := q.named()
	if err != nil {
		return nil, err
	}
	return nil, q.session.onElement(ctx, "set_value", id, map[string]any{"to": value}, nil)
}
