package wda

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

var (
	_ device.Adjust   = (*phone)(nil)
	_ device.Rotation = (*phone)(nil)
	_ device.Buttons  = (*phone)(nil)
)

// perform sends touches or keys as one command.
func (p *phone) perform(ctx context.Context, inputs ...webdriver.Input) error {
	return p.send(ctx, act("/actions", webdriver.Perform(inputs...)), nil)
}

// adjustable are the types that take a value.
var adjustable = []string{"Slider", "PickerWheel", "Switch"}

// SetValue adjusts the control at a point: it finds the control in the tree, and WebDriverAgent finds it again and sets it.
func (p *phone) SetValue(ctx context.Context, at ui.Point, value string) error {
	s, err := p.tree(ctx, 0)
	if err != nil {
		return unsent(err)
	}
	var control *ui.Node
	s.root.Walk(func(n *ui.Node) bool { // later nodes lie in or over earlier ones
		if slices.Contains(adjustable, n.Type) && n.Frame.Contains(at) {
			control = n
		}
		return true
	})
	switch {
	case control == nil:
		return notSet("no control at %v, %v of %s takes a value", at.X, at.Y, p.info.Name)
	case control.Type == "Switch":
		return p.flip(ctx, control, value)
	case control.Type == "Slider":
		if value, err = share(value); err != nil {
			return err
		}
	}
	id, err := p.find(ctx, control)
	if err != nil {
		return unsent(err)
	}
	body := map[string]any{"value": strings.Split(value, ""), "text": value}
	return p.send(ctx, act(webdriver.Path("element", string(id), "value"), body), nil)
}

func notSet(format string, args ...any) error {
	return fault.New(fault.Unsupported, format, args...).WithHint("%s shows the controls and their values", hint.Do("snapshot")).
		WithDispatch(fault.NotDispatched)
}

// flip taps a switch whose state differs from the value.
func (p *phone) flip(ctx context.Context, n *ui.Node, value string) error {
	switch {
	case value != "0" && value != "1":
		return notSet("a switch is 0 or 1, not %q", value)
	case n.Value == value:
		return nil
	}
	return p.Tap(ctx, n.Frame.Centre())
}

// share is the place of a slider from 0 to 1.
func share(value string) (string, error) {
	number, percent := strings.CutSuffix(value, "%")
	f, err := strconv.ParseFloat(number, 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f >= 0 && f <= 1) {
		return "", notSet("a slider takes 0 to 1 or 0%% to 100%%, not %q", value)
	}
	return strconv.FormatFloat(f, 'f', -1, 64), nil
}

// find makes WebDriverAgent find an element of the tree by its type and its frame, which is in whole numbers there.
func (p *phone) find(ctx context.Context, n *ui.Node) (webdriver.Element, error) {
	x, y := math.Floor(n.Frame.X), math.Floor(n.Frame.Y)
	w, h := math.Ceil(n.Frame.X+n.Frame.W)-x, math.Ceil(n.Frame.Y+n.Frame.H)-y
	path := fmt.Sprintf(`//XCUIElementType%s[@x="%.0f" and @y="%.0f" and @width="%.0f" and @height="%.0f"]`, n.Type, x, y, w, h)
	var e element
	err := p.send(ctx, ask("/element", map[string]any{"using": "xpath", "value": path}), &e)
	return e.ID, err
}

// turned are WebDriverAgent's words for orientations.
var turned = map[string]string{
	"portrait": "PORTRAIT", "portrait-upside-down": "UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN", "landscape-left": "LANDSCAPE",
	"landscape-right": "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT",
}

// Rotate turns the device.
func (p *phone) Rotate(ctx context.Context, to string) error {
	word, ok := turned[to]
	if !ok {
		return fault.New(fault.InvalidInput, "unknown orientation %q", to).
			WithHint("use portrait, portrait-upside-down, landscape-left or landscape-right").WithDispatch(fault.NotDispatched)
	}
	return p.send(ctx, act("/orientation", map[string]any{"orientation": word}), nil)
}

// buttons are WebDriverAgent's words for hardware buttons.
var buttons = map[string]string{
	"home": "home", "volume-up": "volumeUp", "volume-down": "volumeDown", "action": "action", "camera": "camera",
}

// Press presses a button. A simulator has only some buttons; WebDriverAgent reports which.
func (p *phone) Press(ctx context.Context, button string, hold time.Duration) error {
	if button == "lock" && hold == 0 {
		return p.send(ctx, act("/wda/lock", nil), nil)
	}
	name, ok := buttons[button]
	if !ok {
		return fault.New(fault.Unsupported, "%s cannot press the %s button", p.who(), button).WithDispatch(fault.NotDispatched)
	}
	body := map[string]any{"name": name}
	if hold > 0 {
		body["duration"] = hold.Seconds()
	}
	return p.send(ctx, act("/wda/pressButton", body), nil)
}
