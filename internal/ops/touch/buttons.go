package touch

import (
	"context"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
)

func (t *Touch) buttonOps() []op.Op {
	return []op.Op{
		op.New(action("back", "back", "Go back by the back button or the edge swipe", ofPhones("back")), t.back),
		op.New(action("home", "home", "Go to the home screen", ofPhones("home")), t.home),
		op.New(action("press_button", "press-button", "Press a hardware button of the device",
			ofPhones("press-button home", "press-button lock --hold 2")), t.Press),
		op.New(action("rotate", "rotate", "Turn the device", ofPhones("rotate landscape", "rotate landscape-right")), t.rotate),
	}
}

func (t *Touch) back(ctx context.Context, c *op.Call, in PlainIn) (ActionOut, error) {
	return t.act(ctx, c, doing{in.Target, "back", in.Expect}, func(s act.Step) (act.Report, error) { return s.Back(ctx, act.How{}) })
}

func (t *Touch) home(ctx context.Context, c *op.Call, in PlainIn) (ActionOut, error) {
	return t.Press(ctx, c, PressIn{PlainIn: in, Button: "home", Times: 1})
}

// PressIn names a button.
type PressIn struct {
	PlainIn
	Button string  `json:"button" doc:"the button" enum:"home,lock,volume-up,volume-down,action,camera,siri" cli:"arg"`
	Hold   float64 `json:"hold,omitempty" doc:"duration" min:"0" max:"60" unit:"s"`
	Times  int     `json:"times,omitempty" doc:"number of presses" min:"1" max:"10" default:"1"`
}

// Press presses a hardware button, through another driver if the device's own cannot.
func (t *Touch) Press(ctx context.Context, c *op.Call, in PressIn) (ActionOut, error) {
	return t.actBeside(ctx, c, doing{in.Target, "press " + in.Button, in.Expect}, func(l *access.Looking, s act.Step) (act.Report, error) {
		r, err := s.Press(ctx, in.Button, op.Seconds(in.Hold), in.Times)
		if !fault.Is(err, fault.Unsupported) {
			return r, err
		}
		if s.Device, err = t.access.Presser(ctx, l, in.Button, err); err != nil {
			return r, err
		}
		return s.Press(ctx, in.Button, op.Seconds(in.Hold), in.Times)
	})
}

// rotateIn is the new orientation.
type rotateIn struct {
	PlainIn
	To string `json:"orientation" doc:"orientation" enum:"portrait,landscape,portrait-upside-down,landscape-left,landscape-right" cli:"arg"`
}

func (t *Touch) rotate(ctx context.Context, c *op.Call, in rotateIn) (ActionOut, error) {
	if in.To == "landscape" { // either side will do
		in.To = "landscape-left"
	}
	return t.act(ctx, c, doing{in.Target, "rotate " + in.To, in.Expect}, func(s act.Step) (act.Report, error) { return s.Rotate(ctx, in.To) })
}
