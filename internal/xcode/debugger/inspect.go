package debugger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-dap"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// The limits of an answer.
const (
	mostThreads   = 64
	mostVariables = 100
	mostChildren  = 20
	mostValue     = 1 << 10
	mostOutput    = 64 << 10
)

// Frame is one function of a stack.
type Frame struct {
	Index  int    `json:"index"`
	Symbol string `json:"symbol"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`

	id int
	pc string // address of its code, in the adapter's notation; empty if unknown
}

// At is the file and line of the frame, or empty.
func (f Frame) At() string {
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// Thread is a thread and its stack.
type Thread struct {
	ID      int     `json:"thread"`
	Index   int     `json:"index"` // lldb's number, from 1
	Name    string  `json:"name,omitempty"`
	Stopped bool    `json:"stopped,omitempty"` // this thread stopped the program
	Frames  []Frame `json:"frames"`
	Total   int     `json:"total_frames"`
}

// frames requests a part of a stack.
func (d *Debugger) frames(ctx context.Context, thread, from, most int) (frames []Frame, total int, err error) {
	var body dap.StackTraceResponseBody
	err = d.adapter.ask(ctx, "stackTrace", dap.StackTraceArguments{ThreadId: thread, StartFrame: from, Levels: most}, &body)
	for i, f := range body.StackFrames {
		frame := Frame{Index: from + i, Symbol: brief(f.Name), Line: f.Line, id: f.Id, pc: f.InstructionPointerReference}
		if f.Source != nil {
			frame.File = brief(cmp.Or(f.Source.Path, f.Source.Name))
		}
		frames = append(frames, frame)
	}
	return frames, max(body.TotalFrames, from+len(frames)), err
}

// Stack is the stack of the thread with an index, from 1, or with 0 of the thread that stopped the program.
func (d *Debugger) Stack(ctx context.Context, index, most int) (t Thread, err error) {
	err = d.inTurn(ctx, func() error {
		stopped, _, err := d.paused()
		if err != nil {
			return err
		}
		threads, err := d.threads(ctx)
		if err != nil {
			return err
		}
		for i, one := range threads {
			if index == i+1 || index == 0 && one.Id == stopped {
				t = Thread{ID: one.Id, Index: i + 1, Name: brief(one.Name), Stopped: one.Id == stopped}
			}
		}
		if t.Index == 0 {
			return fault.New(fault.InvalidInput, "unknown thread %d: the program has %d", index, len(threads)).With("field", "thread")
		}
		t.Frames, t.Total, err = d.frames(ctx, t.ID, 0, most)
		return err
	})
	return t, err
}

func (d *Debugger) threads(ctx context.Context) ([]dap.Thread, error) {
	var body dap.ThreadsResponseBody
	err := d.adapter.ask(ctx, "threads", nil, &body)
	return body.Threads[:min(len(body.Threads), mostThreads)], err
}

// Value is a named value.
type Value struct {
	Name  string `json:"name"`
	Type  string `json:"type,omitempty"`
	Value string `json:"value" lines:"joined"`
}

// Variable is a variable and its direct parts.
type Variable struct {
	Value
	Parts []Value `json:"parts,omitempty"`
}

// Scope is a kind of variables: locals, globals or registers.
type Scope struct {
	Name      string     `json:"name"`
	Variables []Variable `json:"variables"`
	More      int        `json:"more,omitempty"` // number of variables that are left out
}

// Variables are the variables in a frame of the stopped thread.
func (d *Debugger) Variables(ctx context.Context, index int, registers bool) (frame Frame, scopes []Scope, err error) {
	err = d.inTurn(ctx, func() error {
		thread, _, err := d.paused()
		if err != nil {
			return err
		}
		if frame, err = d.frame(ctx, thread, index); err != nil {
			return err
		}
		var body dap.ScopesResponseBody
		if err := d.adapter.ask(ctx, "scopes", dap.ScopesArguments{FrameId: frame.id}, &body); err != nil {
			return err
		}
		for _, s := range body.Scopes {
			name := strings.ToLower(s.Name)
			if name == "registers" && !registers {
				continue
			}
			scope := Scope{Name: name}
			if scope.Variables, scope.More, err = d.variables(ctx, s.VariablesReference); err != nil {
				return err
			}
			scopes = append(scopes, scope)
		}
		return nil
	})
	return frame, scopes, err
}

// frame is a frame of a thread. After the last frame, lldb-dap gives no frame and a wrong total, and the prompt fails.
func (d *Debugger) frame(ctx context.Context, thread, index int) (Frame, error) {
	frames, _, err := d.frames(ctx, thread, index, 1)
	var refused *refusedError
	switch {
	case err == nil && len(frames) > 0:
		return frames[0], nil
	case err != nil && !errors.As(err, &refused):
		return Frame{}, err
	}
	_, total, err := d.frames(ctx, thread, 0, 2)
	if err != nil {
		return Frame{}, err
	}
	return Frame{}, fault.New(fault.InvalidInput, "unknown frame %d: the stack has %d, from 0", index, total).With("field", "frame").
		WithHint("%s lists the frames", hint.Do("debug_stack"))
}

// variables requests the variables behind a reference, and their parts.
func (d *Debugger) variables(ctx context.Context, reference int) (all []Variable, more int, err error) {
	found, more, err := d.values(ctx, reference, mostVariables)
	all = []Variable{}
	for _, v := range found {
		one := Variable{Value: valueOf(v)}
		if v.VariablesReference > 0 {
			parts, _, err := d.values(ctx, v.VariablesReference, mostChildren)
			if err != nil {
				return nil, 0, err
			}
			for _, p := range parts {
				one.Parts = append(one.Parts, valueOf(p))
			}
		}
		all = append(all, one)
	}
	return all, more, err
}

// values requests the values behind a reference: up to most, and the number of values beyond.
func (d *Debugger) values(ctx context.Context, reference, most int) ([]dap.Variable, int, error) {
	var body dap.VariablesResponseBody
	err := d.adapter.ask(ctx, "variables", dap.VariablesArguments{VariablesReference: reference}, &body)
	n := min(len(body.Variables), most)
	return body.Variables[:n], len(body.Variables) - n, err
}

func valueOf(v dap.Variable) Value { return Value{brief(v.Name), brief(v.Type), brief(v.Value)} }

// brief limits the length of a text of the program: a value may be as long as its memory.
func brief(text string) string {
	if len(text) <= mostValue {
		return text
	}
	return strings.ToValidUTF8(text[:mostValue], "") + "…"
}

// Command runs a command of lldb and gives its output. Left is the number of bytes that did not fit.
func (d *Debugger) Command(ctx context.Context, command string, limit time.Duration) (output string, left int, err error) {
	err = d.inTurn(ctx, func() error {
		if err := d.lives(); err != nil {
			return err
		}
		var err error
		output, err = d.printedWithin(ctx, limit, 0, command)
		return err
	})
	if len(output) > mostOutput {
		left = len(output) - mostOutput
		output = strings.ToValidUTF8(output[:mostOutput], "")
	}
	return output, left, err
}
