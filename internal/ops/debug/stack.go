package debug

import (
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/xcode/debugger"
)

// StackIn names a thread.
type StackIn struct {
	DebuggerIn
	Thread int `json:"thread,omitempty" doc:"number of the thread; default: the stopped one" min:"1"`
	Frames int `json:"frames,omitempty" doc:"maximum number of frames, innermost first" min:"1" max:"1000" default:"20" more:"true"`
}

// StackOut is the stack of a thread.
type StackOut struct{ debugger.Thread }

// Text has a line for each frame.
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

// VariablesIn names a frame.
type VariablesIn struct {
	DebuggerIn
	Frame     int  `json:"frame,omitempty" doc:"number of the frame in the stack" min:"0" max:"100000" cli:"arg"`
	Registers bool `json:"registers,omitempty" doc:"include registers" more:"true"`
}

// VariablesOut is the list of variables in a frame.
type VariablesOut struct {
	Frame  debugger.Frame   `json:"stack_frame"`
	Scopes []debugger.Scope `json:"scopes"`
}

// Text has a line for each variable. Values are foreign text, so they follow the name on the same line.
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
	return fmt.Sprintf("%s%s: %s = %s", indent, v.Name, v.Type, hint.Escape(strings.ReplaceAll(v.Value, "\n", " ")))
}

// Variables shows variables.
func (d *Debug) Variables(ctx context.Context, c *op.Call, in VariablesIn) (out VariablesOut, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		out.Frame, out.Scopes, err = one.Variables(ctx, in.Frame, in.Registers)
		return err
	})
	return out, err
}
