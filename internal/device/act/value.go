package act

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// SetValue sets a control to a value, each kind in its own way: a switch is tapped on its knob if it has the other value, a
// slider and a picker wheel are adjusted by XCTest, a stepper by taps on its arrows, a segmented control by a tap on the
// segment, a text field by typing. A stepper and a text field are read back.
func (s Step) SetValue(ctx context.Context, how How, q ui.Query, value string) (Report, error) {
	return s.perform(ctx, how, q, func(ctx context.Context, a aim, r *Report) error {
		switch a.node.Type {
		case "Switch", "Toggle", "CheckBox", "RadioButton":
			return s.flip(ctx, a, r, value)
		case "Stepper":
			return s.step(ctx, a, r, value)
		case "SegmentedControl":
			return s.choose(ctx, a, r, value)
		case "Slider", "PickerWheel", "PageIndicator":
			return s.adjust(ctx, a, r, value)
		}
		if !a.node.TakesText() {
			return fault.New(fault.Unsupported, "%s has no value to set", a.node.Describe()).WithDispatch(fault.NotDispatched)
		}
		return writing(s, func(ctx context.Context, w *writer, a aim) error {
			field, err := w.focus(ctx, a)
			if err != nil {
				return err
			}
			if field, err = w.empty(ctx, field); err != nil {
				return err
			}
			return w.enter(ctx, field, value)
		})(ctx, a, r)
	})
}

var switchWords = map[string]bool{"1": true, "on": true, "true": true, "yes": true, "0": false, "off": false, "false": false, "no": false}

func (s Step) flip(ctx context.Context, a aim, r *Report, value string) error {
	on, ok := switchWords[strings.ToLower(value)]
	if !ok {
		return fault.New(fault.InvalidInput, "%s is on or off, not %q", a.node.Describe(), value).WithDispatch(fault.NotDispatched)
	}
	is := a.node.Value == "1" || a.node.Selected && a.node.Value == ""
	if is == on {
		r.Method = "none: it has that value"
		return nil
	}
	touch, err := device.As[device.Touch](s.Device)
	if err != nil {
		return err
	}
	return touch.Tap(ctx, a.At)
}

func (s Step) adjust(ctx context.Context, a aim, r *Report, value string) error {
	able, err := device.As[device.Adjust](s.Device)
	if err != nil {
		return err
	}
	r.Method = "adjust"
	return able.SetValue(ctx, a.At, value)
}

// mostSteps is how often a stepper is tapped for one value.
const mostSteps = 100

// step taps an arrow of a stepper until it shows the value.
func (s Step) step(ctx context.Context, a aim, r *Report, value string) error {
	want, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fault.New(fault.InvalidInput, "a stepper takes a number, not %q", value).WithDispatch(fault.NotDispatched)
	}
	touch, err := device.As[device.Touch](s.Device)
	if err != nil {
		return err
	}
	r.Method = "arrows"
	var sent sent
	return sent.fail(s.steps(ctx, a.ref, want, func(at ui.Point) error { return sent.input(touch.Tap(ctx, at)) }))
}

// steps taps the arrows of a stepper until it shows the value.
func (s Step) steps(ctx context.Context, ref string, want float64, tap func(ui.Point) error) error {
	for pressed := 0; ; pressed++ {
		now, err := s.see(ctx, ref, settled())
		if err != nil {
			return err
		}
		is, err := strconv.ParseFloat(strings.TrimSpace(now.Value), 64)
		switch {
		case err != nil:
			return fault.New(fault.Unsupported, "%s does not tell its value", now.Describe()).
				WithHint("tap its arrows").WithDispatch(fault.NotDispatched)
		case is == want:
			return nil
		case pressed == mostSteps:
			return fault.New(fault.TextNotEntered, "%s is at %g after %d steps, not at %g", now.Describe(), is, pressed, want).
				WithDispatch(fault.Dispatched)
		}
		down, up := arrows(now)
		at := up
		if is > want {
			at = down
		}
		if err := tap(at); err != nil {
			return err
		}
	}
}

// arrows are the points of a stepper's minus and plus: its two buttons if the tree has them, else the middle of each half.
func arrows(n *ui.Node) (down, up ui.Point) {
	var buttons []*ui.Node
	n.Walk(func(c *ui.Node) bool {
		if c.Role() == "button" {
			buttons = append(buttons, c)
		}
		return true
	})
	if len(buttons) == 2 {
		return buttons[0].Frame.Centre(), buttons[1].Frame.Centre()
	}
	f := n.Frame
	return ui.Rect{X: f.X, Y: f.Y, W: f.W / 2, H: f.H}.Centre(), ui.Rect{X: f.X + f.W/2, Y: f.Y, W: f.W / 2, H: f.H}.Centre()
}

// choose taps the segment of that name.
func (s Step) choose(ctx context.Context, a aim, r *Report, value string) error {
	var names []string
	for _, c := range a.node.Children {
		if strings.EqualFold(c.Label, value) || c.Identifier == value {
			touch, err := device.As[device.Touch](s.Device)
			if err != nil {
				return err
			}
			r.At, r.Method = c.Frame.Centre(), "segment"
			return touch.Tap(ctx, r.At)
		}
		names = append(names, ui.Quote(c.Label))
	}
	return fault.New(fault.ElementNotFound, "%s has no segment %q", a.node.Describe(), value).
		WithHint("it has %s", fmt.Sprint(strings.Join(names, ", "))).WithDispatch(fault.NotDispatched)
}

// Alert reads the alert in front, or answers it.
func (s Step) Alert(ctx context.Context, answer string) (Report, *device.Alert, error) {
	var found *device.Alert
	report, err := s.perform(ctx, How{NoWait: true}, ui.Query{},
		with(s, func(ctx context.Context, d device.Alerts, _ aim, r *Report) (err error) {
			r.Method = "alert"
			found, err = d.Alert(ctx, answer)
			return err
		}))
	return report, found, err
}
