package world

import (
	"context"
	"time"
)

// Input is an input as the device received it, before any fault changed it.
type Input struct {
	At       time.Time
	Kind     InputKind
	Front    string     // bundle id of the app in front
	From, To Point      // of the finger
	Path     []*Element // the elements under the finger at its start, from the root to the innermost
	Root     *Element   // the tree of the app in front before the input
	System   *Element   // SpringBoard's tree over it, or nil
}

// InputKind is the kind of an input.
type InputKind string

// The kinds of inputs.
const (
	InputTap      InputKind = "tap"
	InputHold     InputKind = "hold"
	InputSwipe    InputKind = "swipe"
	InputPinch    InputKind = "pinch"
	InputDrag     InputKind = "drag"
	InputValue    InputKind = "value" // a control received a value
	InputKeys     InputKind = "keys"
	InputSelect   InputKind = "select all"
	InputHome     InputKind = "home button"
	InputRotation InputKind = "rotation"
)

// mostInputs is the number of inputs that a device remembers. Each holds the screen before it.
const mostInputs = 64

// inputs are the latest inputs of a device. The Store does not keep them: tests compare them with answers.
type inputs struct {
	all   []Input
	count int // including forgotten inputs
}

func (i *inputs) add(one Input) {
	i.count++
	i.all = append(i.all, one)
	i.all = i.all[max(0, len(i.all)-mostInputs):]
}

// note records an input before the screen handles it.
func (d *device) note(kind InputKind, f finger) { d.inputs.add(d.meets(kind, f)) }

// meets fills in the screen that an input meets.
func (d *device) meets(kind InputKind, f finger) Input {
	in := Input{At: f.now, Kind: kind, Front: d.front(), From: f.from, To: f.to, Root: d.frontView(f.now).root}
	if v := d.overlay(f.now); v != nil && in.Front != SpringBoard {
		in.System = v.root
	}
	if kind != InputKeys && kind != InputSelect && kind != InputHome && kind != InputRotation {
		in.Path = d.under(f)
	}
	return in
}

// under is the path of elements at a point, from the root to the innermost.
func (d *device) under(f finger) []*Element {
	if !d.screen().Bounds().Contains(f.from) {
		return nil
	}
	return topmost(d.topView(f).root, f.from)
}

// Inputs are the inputs of a device after the first since ones, and the total number of inputs.
func (w *World) Inputs(udid string, since int) (later []Input, count int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return nil, 0
	}
	fresh := min(max(0, d.inputs.count-since), len(d.inputs.all))
	return append(later, d.inputs.all[len(d.inputs.all)-fresh:]...), d.inputs.count
}

// Under is the path of elements that a touch at a point would meet now, from the root to the innermost.
func (w *World) Under(ctx context.Context, udid string, at Point) ([]*Element, error) {
	d, now, err := w.enter(ctx, udid)
	if err != nil {
		return nil, err
	}
	path := d.under(finger{now: now, from: at, to: at})
	return path, w.leave(d)
}
