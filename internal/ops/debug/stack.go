package debug

import (
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/op"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/xcode/debugger"
)

// StackIn says whose stack.
type StackIn struct {
	DebuggerIn
	Thread int `json:"thread,omitempty" doc:"number of the thread, if not the one that was stopped" min:"1"`
	Frames int `json:"frames,omitempty" doc:"how many of the innermost frames" min:"1" max:"1000" default:"20" more:"true"`
}

// StackOut is the stack of a thread.
type StackOut struct{ debugger.Thread }

// Text is a line a frame.
func (o StackOut) Text() string {
	lines := []string{strings.TrimSpace(fmt.Sprintf("thread %d %s", o.Index, o.Name))}
	for _, f := range o.Frames {
		line := fmt.Sprintf("#%d %s", f.Index, f.Symbol)
		if at := f.At(); at != "" {
			line += " at " + at
		}
		lines = append(lines, line)
	}
	if more := o.Total - len(o.Frames); more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// Stack shows a stack.
func (d *Debug) Stack(ctx context.Context, c *op.Call, in StackIn) (out StackOut, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		out.Thread, err = one.Stack(ctx, in.Thread, in.Frames)
		return err
	})
	return out, err
}

// VariablesIn says which frame sees them.
type VariablesIn struct {
	DebuggerIn
	Frame     int  `json:"frame,omitempty" doc:"number of the frame, as the stack shows it" min:"0" max:"100000" cli:"arg"`
	Registers bool `json:"registers,omitempty" doc:"the registers too" more:"true"`
}

// VariablesOut are the variables that a frame sees.
type VariablesOut struct {
	Frame  debugger.Frame   `json:"stack_frame"`
	Scopes []debugger.Scope `json:"scopes"`
}

// Text is a line a variable. What a program holds is data: it stands behind its name.
func (o VariablesOut) Text() string {
	lines := []string{fmt.Sprintf("#%d %s %s", o.Frame.Index, o.Frame.Symbol, o.Frame.At())}
	for _, s := range o.Scopes {
		lines = append(lines, oneline.Head(s.Name)+":")
		for _, v := range s.Variables {
			lines = append(lines, valueLine("  ", v.Value))
			for _, p := range v.Parts {
				lines = append(lines, valueLine("    ", p))
			}
		}
		if s.More > 0 {
			lines = append(lines, fmt.Sprintf("  … and %d more", s.More))
		}
	}
	return strings.Join(lines, "\n")
}

func valueLine(indent string, v debugger.Value) string {
	return fmt.Sprintf("%s%s: %s = %s", indent, v.Name, v.Type, strings.ReplaceAll(v.Value, "\n", " "))
}

// Variables shows variables.
func (d *Debug) Variables(ctx context.Context, c *op.Call, in VariablesIn) (out VariablesOut, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		out.Frame, out.Scopes, err = one.Variables(ctx, in.Frame, in.Registers)
		return err
	})
	return out, err
}
