package debug

import (
	"context"
	"fmt"

	"ios-agent/internal/op"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/xcode/debugger"
)

// EvalIn is an expression without side effects.
type EvalIn struct {
	DebuggerIn
	Expression string `json:"expression" doc:"without calls and assignments, such as cart.total or n * 2" cli:"arg"`
	Frame      int    `json:"frame,omitempty" doc:"number of the frame in the stack" min:"0" max:"100000"`
}

// ValueOut is the value of an expression or a variable.
type ValueOut struct{ debugger.Value }

// Text is the name, the type and the value.
func (o ValueOut) Text() string {
	text := oneline.Of(o.Name)
	if o.Type != "" {
		text += ": " + oneline.Of(o.Type)
	}
	return text + " = " + oneline.Of(o.Value.Value)
}

// Eval evaluates an expression without side effects.
func (d *Debug) Eval(ctx context.Context, c *op.Call, in EvalIn) (out ValueOut, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		out.Value, err = one.Evaluate(ctx, in.Frame, in.Expression)
		return err
	})
	return out, err
}

// SetIn is a variable and its new value.
type SetIn struct {
	DebuggerIn
	Variable string  `json:"variable" doc:"a variable or a part of one, such as cart.total" cli:"arg"`
	Value    op.Code `json:"value" doc:"an expression without calls and assignments" cli:"arg"`
	Frame    int     `json:"frame,omitempty" doc:"number of the frame in the stack" min:"0" max:"100000"`
}

// Set gives a variable another value.
func (d *Debug) Set(ctx context.Context, c *op.Call, in SetIn) (out ValueOut, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		out.Value, err = one.Assign(ctx, in.Frame, in.Variable, string(in.Value))
		return err
	})
	return out, err
}

// WatchIn names a variable to watch.
type WatchIn struct {
	DebuggerIn
	Variable string `json:"variable" doc:"a variable or a part of one, such as cart.total" cli:"arg"`
	On       string `json:"on,omitempty" doc:"stop at a change, a read, or both" enum:"change,read,access" default:"change"`
	Frame    int    `json:"frame,omitempty" doc:"number of its frame in the stack" min:"0" max:"100000"`
}

// WatchOut is a watchpoint that was set or removed.
type WatchOut struct {
	debugger.Watchpoint
	Removed bool `json:"removed,omitempty"`
}

// Text is the watchpoint in one line.
func (o WatchOut) Text() string {
	text := fmt.Sprintf("watchpoint %d: %s of %s", o.ID, o.On, oneline.Of(o.Variable))
	if o.Removed {
		return "removed " + text
	}
	return text
}

// Watch sets a watchpoint.
func (d *Debug) Watch(ctx context.Context, c *op.Call, in WatchIn) (out WatchOut, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		out.Watchpoint, err = one.Watch(ctx, in.Frame, in.Variable, in.On)
		return err
	})
	return out, err
}

// UnwatchIn names a watchpoint.
type UnwatchIn struct {
	DebuggerIn
	Watchpoint int `json:"watchpoint" doc:"its number" cli:"arg"`
}

// Unwatch removes a watchpoint.
func (d *Debug) Unwatch(ctx context.Context, c *op.Call, in UnwatchIn) (WatchOut, error) {
	out := WatchOut{Removed: true}
	err := d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) (err error) {
		out.Watchpoint, err = one.Unwatch(ctx, in.Watchpoint)
		return err
	})
	return out, err
}
