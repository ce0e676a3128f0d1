package agent

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

// adjustable are the types that XCTest can adjust, each with a check of the value. The world can adjust more types, but an agent on a
// Mac cannot.
func adjustable() map[string]func(e *world.Element, value string) error {
	return map[string]func(*world.Element, string) error{"Slider": slides, "PickerWheel": turns, "Switch": flips}
}

// setValue adjusts the innermost control at a point. It cannot reach controls under a system alert.
func (s *session) setValue(ctx context.Context, m *agentwire.SetValue) (agentwire.Response, error) {
	trees, _, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	e := controlAt(trees[len(trees)-1], point(m.X, m.Y))
	if e == nil {
		return nil, faultf(agentwire.CodeUnsupported, "nothing at %d, %d takes a value", m.X, m.Y)
	}
	if err := adjustable()[e.Type](e, m.Value); err != nil {
		return nil, err
	}
	return done(s.opts.Screen.SetValue(ctx, s.opts.UDID, point(m.X, m.Y), m.Value))
}

// controlAt is the last control at a point in document order: children come after their parents, and elements on top come last.
func controlAt(root *world.Element, p world.Point) (control *world.Element) {
	for _, e := range root.Children {
		inside := e.Frame.Contains(p)
		if inside && adjustable()[e.Type] != nil {
			control = e
		}
		if inside || !e.Clips() {
			if inner := controlAt(e, p); inner != nil {
				control = inner
			}
		}
	}
	return control
}

func slides(_ *world.Element, value string) error {
	number, percent := strings.CutSuffix(value, "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share /= 100
	}
	if err != nil || !(share >= 0 && share <= 1) {
		return faultf(agentwire.CodeUnsupported, "a slider goes from 0 to 1, or 0%% to 100%%, not to %q", value)
	}
	return nil
}

func turns(e *world.Element, value string) error {
	if !slices.Contains(e.Look.Rows, value) {
		return faultf(agentwire.CodeNotFound, "the wheel has no row %q", value)
	}
	return nil
}

func flips(_ *world.Element, value string) error {
	if value != "0" && value != "1" {
		return faultf(agentwire.CodeUnsupported, "a switch is 0 or 1, not %q", value)
	}
	return nil
}
