package world

import (
	"context"
	"time"
)

// Input is an input that reached a device, as the device saw it before any fault swallowed or diverted it.
type Input struct {
	At       time.Time
	Kind     InputKind
	Front    string     // bundle id of what was in front
	From, To Point      // of the finger
	Path     []*Element // what lay under the finger where it came down, from the root to the innermost element
	Root     *Element   // what was in front, before the input
	System   *Element   // what SpringBoard showed over it, nil if nothing
}

// InputKind is what was done.
type InputKind string

// The kinds of inputs.
const (
	InputTap      InputKind = "tap"
	InputHold     InputKind = "hold"
	InputSwipe    InputKind = "swipe"
	InputPinch    InputKind = "pinch"
	InputDrag     InputKind = "drag"
	InputValue    InputKind = "value" // a control was given a value
	InputKeys     InputKind = "keys"
	InputSelect   InputKind = "select all"
	InputHome     InputKind = "home button"
	InputRotation InputKind = "rotation"
)

// mostInputs is how many inputs a device remembers. Each holds the screen it met.
const mostInputs = 64

// inputs are the latest inputs of a device. They are not kept: they are for who compares answers with what happened.
type inputs struct {
	all   []Input
	count int // also those that are forgotten
}

func (i *inputs) add(one Input) {
	i.count++
	i.all = append(i.all, one)
	i.all = i.all[max(0, len(i.all)-mostInputs):]
}

// note records an input that the screen has not answered yet.
func (d *device) note(kind InputKind, f finger) { d.inputs.add(d.meets(kind, f)) }

// meets is what an input meets.
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

// under is what lies under a finger, from the root to the innermost element.
func (d *device) under(f finger) []*Element {
	if !d.screen().Bounds().Contains(f.from) {
		return nil
	}
	return topmost(d.topView(f).root, f.from)
}

// Inputs are the inputs that have reached a device since there were since of them, and how many there are now.
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

// Under is what a finger at a point would touch now, from the root to the innermost element.
func (w *World) Under(ctx context.Context, udid string, at Point) ([]*Element, error) {
	d, now, err := w.enter(ctx, udid)
	if err != nil {
		return nil, err
	}
	path := d.under(finger{now: now, from: at, to: at})
	return path, w.leave(d)
}
