package act

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// SetValue sets a control to a value, each kind in its own way. It taps a switch on its knob if the value differs, adjusts a slider and
// a picker wheel through XCTest, taps the arrows of a stepper, taps a segment of a segmented control, and types into a text field. It
// reads a stepper and a text field back. An element with exactly one control in it means that control: the picker of a wheel, the row
// of a switch.
func (s Step) SetValue(ctx context.Context, how How, q ui.Query, value string) (Report, error) {
	return s.perform(ctx, how, q, func(ctx context.Context, a aim, r *Report) error {
		a, err := s.control(a)
		if err != nil {
			return err
		}
		r.Target, r.Ref, r.At, r.Method = a.node, a.ref, a.At, a.Method
		return setters[a.node.Type](s, ctx, a, r, value)
	})
}

// setters are the ways to set a value, by the control's type.
var setters = map[string]func(s Step, ctx context.Context, a aim, r *Report, value string) error{
	"Switch": Step.flip, "Toggle": Step.flip, "CheckBox": Step.flip, "RadioButton": Step.flip,
	"Stepper": Step.step, "SegmentedControl": Step.choose,
	"Slider": Step.slide, "PickerWheel": Step.adjust, "PageIndicator": Step.adjust,
	"TextField": Step.write, "SecureTextField": Step.write, "SearchField": Step.write, "TextView": Step.write, "ComboBox": Step.write,
}

// control is the control of a target: the target itself, or the only control in it.
func (s Step) control(a aim) (aim, error) {
	if setters[a.node.Type] != nil {
		return a, nil
	}
	var inner []*ui.Node
	a.node.Walk(func(n *ui.Node) bool {
		if setters[n.Type] != nil && n.Visible() {
			inner = append(inner, n)
			return false
		}
		return true
	})
	switch len(inner) {
	case 0:
		return aim{}, fault.New(fault.Unsupported, "%s has no value to set", a.node.Describe()).WithDispatch(fault.NotDispatched)
	case 1:
		reach, err := s.reach(a.screen, inner[0])
		return aim{node: inner[0], ref: s.name(a.screen, inner[0]), Reach: reach, screen: a.screen, sent: a.sent}, err
	}
	var names []string
	for _, n := range inner {
		names = append(names, fmt.Sprintf("@%s %s", s.name(a.screen, n), n.Describe()))
	}
	return aim{}, fault.New(fault.ElementAmbiguous, "%s holds %d controls", a.node.Describe(), len(inner)).
		WithHint("pass one of: %s", strings.Join(names, ", ")).WithDispatch(fault.NotDispatched)
}

func (s Step) name(screen *ui.Screen, n *ui.Node) (ref string) {
	udid := s.Device.Info().UDID
	s.Session.Refs(func(r *ui.Refs) { ref = r.Name(udid, screen, n) })
	return ref
}

// write replaces the text of a field.
func (s Step) write(ctx context.Context, a aim, r *Report, value string) error {
	return writing(s, func(ctx context.Context, w *writer, a aim) error {
		return w.put(ctx, a, Entry{Text: value, Replace: true})
	})(ctx, a, r)
}

// slide moves a slider. XCTest needs a share. A number without a percent sign, such as 80, is the value that the slider shall show: a
// percentage for most sliders. For a slider with other numbers, slide reads the number back.
func (s Step) slide(ctx context.Context, a aim, r *Report, value string) error {
	number, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	if err != nil || number < 0 || number > 100 {
		return fault.New(fault.InvalidInput, "a slider takes 0 to 100 percent, or a share from 0 to 1, not %q", value).
			WithDispatch(fault.NotDispatched)
	}
	percent := strings.HasSuffix(value, "%")
	if !percent && (number > 1 || !strings.Contains(value, ".") && number == 1) {
		value += "%"
	}
	if _, err := strconv.ParseFloat(strings.TrimSpace(a.node.Value), 64); err != nil {
		r.Note = rangeShare(value) + " of its range; its unit is not exposed"
	}
	var sent sent
	if err := sent.input(s.adjust(ctx, a, r, value)); err != nil || percent || number <= 1 {
		return err
	}
	now, err := s.see(ctx, a.ref, settled())
	if err != nil {
		return sent.fail(err)
	}
	shows, err := strconv.ParseFloat(strings.TrimSpace(now.Value), 64)
	if err == nil && math.Abs(shows-number) > max(1, number/50) {
		return fault.New(fault.TextNotEntered, "%s is at %s, not at %g", now.Describe(), now.Value, number).
			WithHint("it was set to %g%% of its length; give the share instead", number).WithDispatch(fault.Dispatched)
	}
	return nil
}

// rangeShare is a share of a slider's range, in percent.
func rangeShare(value string) string {
	number, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	if err == nil && !strings.HasSuffix(value, "%") {
		number *= 100
	}
	return strconv.FormatFloat(number, 'g', 4, 64) + " %"
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

// mostSteps is the maximum number of taps on a stepper for one value.
const mostSteps = 100

// step taps an arrow of a stepper until it shows the value.
func (s Step) step(ctx context.Context, a aim, r *Report, value string) error {
	want, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fault.New(fault.InvalidInput, "a stepper takes a number, not %q", value).WithDispatch(fault.NotDispatched)
	}
	if _, mouse := device.Has[device.Pointing](s.Device); mouse {
		return s.adjust(ctx, a, r, value) // the positions of its arrows are unknown
	}
	touch, err := device.As[device.Touch](s.Device)
	if err != nil {
		return err
	}
	r.Method = "arrows"
	device.GuardOf(ctx).After = device.Wait{}
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
			return fault.New(fault.Unsupported, "%s does not expose its value", now.Describe()).
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

// arrows are the points of a stepper's minus and plus: its two buttons, or the middle of each half if the tree has no buttons.
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

// choose taps the segment with that name.
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
	how := How{NoWait: true}
	if answer == "" {
		how.React = new(time.Duration) // reading sends no input, so no reaction is expected
	}
	report, err := s.perform(ctx, how, ui.Query{},
		with(s, func(ctx context.Context, d device.Alerts, _ aim, r *Report) (err error) {
			r.Method = "alert"
			found, err = d.Alert(ctx, answer)
			return err
		}))
	return report, found, err
}
