package webdriver

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// source is a source of actions in a body.
type inputSource struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Actions []struct {
		Type     string          `json:"type"`
		Duration *float64        `json:"duration"`
		RawX     json.RawMessage `json:"x"`
		RawY     json.RawMessage `json:"y"`
		Origin   json.RawMessage `json:"origin"`
		Value    string          `json:"value"`
		Button   int             `json:"button"`
	} `json:"actions"`
}

// The limits of a chain.
const (
	mostActions = 1000
	mostPause   = time.Minute
)

// performActions performs a chain of W3C actions: touches of one finger, two fingers that spread or pinch, keys and pauses.
func performActions(ctx context.Context, q *request) (any, error) {
	var sources []inputSource
	if err := q.take(map[string]any{"actions": &sources}); err != nil {
		return nil, err
	}
	chain, err := q.chain(ctx, sources)
	if err != nil {
		return nil, err
	}
	for _, step := range chain {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// act is a step of a chain.
type act func(ctx context.Context) error

// chain reads the whole chain before the first step: a chain with an unsupported step is never started.
func (q *request) chain(ctx context.Context, sources []inputSource) ([]act, error) {
	fingers := map[string][]stroke{}
	var order []string
	var keyText string
	pauses := time.Duration(0)
	for _, s := range sources {
		if len(s.Actions) > mostActions {
			return nil, fail(invalidArgument, "the source %q has more than %d actions", s.ID, mostActions)
		}
		switch s.Type {
		case "pointer":
			strokes, paused, err := q.strokes(ctx, s)
			if err != nil {
				return nil, err
			}
			if len(strokes) > 0 {
				fingers[s.ID] = strokes
				order = append(order, s.ID)
			}
			pauses = max(pauses, paused)
		case "key":
			text, paused, err := keysOf(s)
			if err != nil {
				return nil, err
			}
			keyText += text
			pauses = max(pauses, paused)
		case "none":
			paused := time.Duration(0)
			for _, a := range s.Actions {
				d, err := duration(a.Duration)
				if err != nil {
					return nil, err
				}
				paused += d
			}
			pauses = max(pauses, paused)
		default:
			return nil, fail(unsupported, "actions of the type %q are not supported", s.Type).hinted("use pointer, key or none")
		}
	}
	if keyText != "" {
		if len(order) > 0 {
			return nil, fail(unsupported, "fingers and keys in one chain are not supported").hinted("send two chains, one after the other")
		}
		if _, err := presses(keyText); err != nil {
			return nil, err
		}
		return []act{func(ctx context.Context) error { return q.session.enter(ctx, "", keyText) }}, nil
	}
	switch len(order) {
	case 0:
		return []act{func(ctx context.Context) error { return q.rest(ctx, pauses) }}, nil
	case 1:
		return q.oneFinger(fingers[order[0]])
	case 2:
		return q.twoFingers(fingers[order[0]], fingers[order[1]])
	}
	return nil, fail(unsupported, "%d fingers at once are not supported", len(order)).hinted("use one finger, or two that spread or pinch")
}

func (q *request) rest(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	return q.Pause(ctx, d)
}

func duration(ms *float64) (time.Duration, error) {
	if ms == nil {
		return 0, nil
	}
	if *ms < 0 || math.IsNaN(*ms) || *ms > float64(mostPause.Milliseconds()) {
		return 0, fail(invalidArgument, "the duration is %g ms; it must be from 0 to %d", *ms, mostPause.Milliseconds())
	}
	return milliseconds(*ms), nil
}

// keysOf is the text of a source of keys. Held modifiers are encoded as the W3C's characters.
func keysOf(s inputSource) (text string, paused time.Duration, err error) {
	for _, a := range s.Actions {
		switch a.Type {
		case "keyDown", "keyUp":
			if n := len([]rune(a.Value)); n != 1 {
				return "", 0, fail(invalidArgument, "the value of %s has %d characters; it must have one", a.Type, n)
			}
			r := []rune(a.Value)[0]
			if _, held := modifier[r]; held || a.Type == "keyDown" {
				text += a.Value
			}
		case "pause":
			d, err := duration(a.Duration)
			if err != nil {
				return "", 0, err
			}
			paused += d
		default:
			return "", 0, fail(invalidArgument, "unknown key action %q", a.Type)
		}
	}
	return text, paused, nil
}

// strokes are the touches of one finger.
func (q *request) strokes(ctx context.Context, s inputSource) (out []stroke, paused time.Duration, err error) {
	var at ui.Point
	var now *stroke
	for _, a := range s.Actions {
		took, err := duration(a.Duration)
		if err != nil {
			return nil, 0, err
		}
		switch a.Type {
		case "pointerMove":
			to, err := q.target(ctx, at, a.RawX, a.RawY, a.Origin)
			if err != nil {
				return nil, 0, err
			}
			at = to
			if now != nil {
				now.moves = append(now.moves, move{to, took})
			}
		case "pointerDown":
			if now != nil {
				return nil, 0, fail(invalidArgument, "the finger %q goes down twice", s.ID)
			}
			now, paused = &stroke{from: at, rest: paused}, 0
		case "pointerUp":
			if now == nil {
				continue // the W3C says to ignore it
			}
			out = append(out, *now)
			now = nil
		case "pointerCancel":
			return nil, 0, fail(unsupported, "pointerCancel is not supported").hinted("lift the finger with pointerUp")
		case "pause":
			if now == nil {
				paused += took
			} else {
				now.moves = append(now.moves, move{now.to(), took})
			}
		default:
			return nil, 0, fail(invalidArgument, "unknown pointer action %q", a.Type)
		}
	}
	if now != nil {
		return nil, 0, fail(unsupported, "the finger %q is not lifted at the end of the chain", s.ID).
			hinted("end the chain with pointerUp: a finger cannot stay down between two commands")
	}
	return out, paused, nil
}

// target is the destination of a move.
func (q *request) target(ctx context.Context, from ui.Point, rawX, rawY, origin json.RawMessage) (ui.Point, error) {
	var to ui.Point
	for _, each := range []struct {
		raw  json.RawMessage
		into *float64
	}{{rawX, &to.X}, {rawY, &to.Y}} {
		if len(each.raw) == 0 || string(each.raw) == "null" {
			continue
		}
		if err := json.Unmarshal(each.raw, each.into); err != nil {
			return to, fail(invalidArgument, "x and y of a move must be numbers: %v", fault.OfJSON(err))
		}
	}
	var word string
	var element map[string]string
	switch {
	case len(origin) == 0 || string(origin) == "null":
	case json.Unmarshal(origin, &word) == nil:
		switch word {
		case "viewport", "":
		case "pointer":
			to.X, to.Y = to.X+from.X, to.Y+from.Y
		default: // WebDriverAgent accepts an element's id too
			return q.onCentre(ctx, word, to)
		}
	case json.Unmarshal(origin, &element) == nil:
		for _, id := range element {
			return q.onCentre(ctx, id, to)
		}
	default:
		return to, fail(invalidArgument, "the origin of a move must be viewport, pointer or an element")
	}
	if to.X < 0 || to.Y < 0 {
		return to, fail(outOfBounds, "%g, %g is not on the screen", to.X, to.Y)
	}
	return to, nil
}

func (q *request) onCentre(ctx context.Context, id string, offset ui.Point) (ui.Point, error) {
	n, err := q.session.element(ctx, id)
	if err != nil {
		return offset, err
	}
	c := n.Centre()
	return ui.Point{X: c.X + offset.X, Y: c.Y + offset.Y}, nil
}

// gesture is a step that runs an operation.
func (q *request) gesture(name string, input map[string]any) act {
	return func(ctx context.Context) error { return q.session.on(ctx, name, input, nil) }
}

// releaseActions has nothing to release: no finger stays down after a chain.
func releaseActions(context.Context, *request) (any, error) { return nil, nil }
