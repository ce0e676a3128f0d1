package debug

import (
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/debugger"
)

// BreakIn is a breakpoint to set.
type BreakIn struct {
	DebuggerIn
	At        string  `json:"at" doc:"file:line, or a function" cli:"arg"`
	Condition op.Code `json:"condition,omitempty" doc:"expression: stop only if it is true"`
	Ignore    int     `json:"ignore_count,omitempty" doc:"number of hits to pass before the first stop" min:"0" max:"1000000000"`
	Log       op.Code `json:"log,omitempty" doc:"text to record instead of stopping; {expression} becomes its value"`
}

// BreakpointOut is a breakpoint that was set or removed.
type BreakpointOut struct {
	debugger.Breakpoint
	Removed bool `json:"removed,omitempty"`
}

// Text is the breakpoint in one line.
func (o BreakpointOut) Text() string {
	switch {
	case o.Removed:
		return fmt.Sprintf("removed breakpoint %d at %s", o.ID, o.At())
	case !o.Verified:
		return o.line() + ": no such place in the program yet; was it built with debug information?"
	}
	return o.line()
}

// line is the place of the breakpoint, its conditions and its hits.
func (o BreakpointOut) line() string {
	text := fmt.Sprintf("breakpoint %d at %s", o.ID, o.At())
	if o.Condition != "" {
		text += " if " + o.Condition
	}
	if o.Skip > 0 {
		text += fmt.Sprintf(", ignores %d hits", o.Skip)
	}
	if o.Log != "" {
		text += fmt.Sprintf(", logs %q", o.Log)
	}
	if o.Hits > 0 {
		text += fmt.Sprintf("; hits: %d", o.Hits)
	}
	return text
}

// place parses file:line or the name of a function.
func place(at string) (b debugger.Breakpoint, err error) {
	i := strings.LastIndexByte(at, ':')
	line := 0
	if i > 0 && !strings.HasSuffix(at[:i], ":") { // C++ names have two colons
		if _, err := fmt.Sscanf(at[i+1:]+"\n", "%d\n", &line); err != nil || line < 1 {
			return b, fault.New(fault.InvalidInput, "%.80q is not a place: write file:line, such as main.c:12, or the name of a function", at).
				With("field", "at")
		}
		return debugger.Breakpoint{File: at[:i], Line: line}, nil
	}
	return debugger.Breakpoint{Function: at}, nil
}

// Break sets a breakpoint.
func (d *Debug) Break(ctx context.Context, c *op.Call, in BreakIn) (BreakpointOut, error) {
	b, err := place(in.At)
	if err != nil {
		return BreakpointOut{}, err
	}
	b.Condition, b.Skip, b.Log = string(in.Condition), in.Ignore, string(in.Log)
	return d.SetBreakpoint(ctx, c, in.DebuggerIn, b)
}

// SetBreakpoint is Break for a parsed place.
func (d *Debug) SetBreakpoint(ctx context.Context, c *op.Call, in DebuggerIn, b debugger.Breakpoint) (out BreakpointOut, err error) {
	err = d.drive(ctx, c, in, func(one *debugger.Debugger) error {
		out.Breakpoint, err = one.Break(ctx, b)
		return err
	})
	return out, err
}

// UnbreakIn names a breakpoint.
type UnbreakIn struct {
	DebuggerIn
	Breakpoint int `json:"breakpoint" doc:"its number" cli:"arg"`
}

// Unbreak removes a breakpoint.
func (d *Debug) Unbreak(ctx context.Context, c *op.Call, in UnbreakIn) (BreakpointOut, error) {
	out := BreakpointOut{Removed: true}
	err := d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) (err error) {
		out.Breakpoint, err = one.Unbreak(ctx, in.Breakpoint)
		return err
	})
	return out, err
}
