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
	"ios-agent/internal/text/lazyregexp"
)

// variablePath matches a variable or a part of one: LLDB reads it from memory and runs no code of the program.
var variablePath = lazyregexp.New(`^[*&]?[\pL_$][\pL\pN_$]*((\.|->)[\pL_$][\pL\pN_$]*|\[\d+\])*$`)

// noPath is a fault for a text that does not name a variable or a part of one.
func noPath(field, path string) error {
	if variablePath.MatchString(path) {
		return nil
	}
	return fault.New(fault.InvalidInput, "%.80q must be a variable or a part of one, such as cart.items[0]", path).With("field", field).
		WithHint("%s lists the variables", hint.Do("debug_vars"))
}

// Evaluate gives the value of an expression in a frame of the paused program. It does not change the program: variables are read from
// memory; other expressions must not have calls or assignments, and LLDB interprets them without running code of the program.
func (d *Debugger) Evaluate(ctx context.Context, index int, text string) (v Value, err error) {
	if err := readOnly("expression", text); err != nil {
		return v, err
	}
	err = d.inFrame(ctx, index, func(f Frame) error {
		if variablePath.MatchString(text) {
			if v, err = d.value(ctx, f.id, "frame variable "+text); err == nil {
				v.Name = text
				return nil
			}
		}
		v, err = d.expression(ctx, f.id, "--allow-jit false", text)
		v.Name = text
		return notEvaluated(text, err)
	})
	return v, err
}

// Assign gives a variable, or a part of one, a new value.
func (d *Debugger) Assign(ctx context.Context, index int, path, value string) (v Value, err error) {
	if err := noPath("variable", path); err != nil {
		return v, err
	}
	if err := readOnly("value", value); err != nil {
		return v, err
	}
	err = d.inFrame(ctx, index, func(f Frame) error {
		if _, err := d.expression(ctx, f.id, "", path+" = "+value); err != nil {
			return notEvaluated(path+" = "+value, err)
		}
		v, err = d.value(ctx, f.id, "frame variable "+path)
		v.Name = path
		return notEvaluated(path, err)
	})
	return v, err
}

func notEvaluated(text string, err error) error {
	var why *expressionError
	if !errors.As(err, &why) {
		return err
	}
	return fault.New(fault.InvalidInput, "lldb cannot evaluate %.80q: %w", text, err).
		WithHint("%s lists the variables; %s allows side effects", hint.Do("debug_vars"), anyExpression())
}

// inFrame runs fn with a frame of the thread that stopped the program.
func (d *Debugger) inFrame(ctx context.Context, index int, fn func(Frame) error) error {
	return d.inTurn(ctx, func() error {
		thread, _, err := d.paused()
		if err != nil {
			return err
		}
		frame, err := d.frame(ctx, thread, index)
		if err != nil {
			return err
		}
		// lldb-dap runs commands in the frame that is selected, whatever the request names.
		if _, err := d.printed(ctx, frame.id, fmt.Sprintf("frame select %d", index)); err != nil {
			return err
		}
		return fn(frame)
	})
}

// anyExpression is the fact of a call that evaluates an expression with side effects.
func anyExpression() string { return hint.Do("debug_lldb", "command", "expression EXPRESSION") }

// expressionError is LLDB's reason for refusing an expression.
type expressionError struct{ why string }

func (e *expressionError) Error() string { return e.why }

// expression evaluates an expression in a frame, by the frame's id, without LLDB's fix-its. Options are options of LLDB's command.
func (d *Debugger) expression(ctx context.Context, frame int, options, text string) (Value, error) {
	return d.value(ctx, frame, strings.TrimSpace("expression --apply-fixits false "+options)+" -- "+text)
}

// value parses a command's output "(type) name = value"; further lines are parts of the value.
func (d *Debugger) value(ctx context.Context, frame int, command string) (Value, error) {
	said, err := d.printed(ctx, frame, command)
	if err != nil {
		return Value{}, err
	}
	if _, why, failed := strings.Cut("\n"+said, "\nerror: "); failed {
		why, _, _ = strings.Cut(why, "\n")
		return Value{}, &expressionError{brief(compiled.ReplaceAllString(why, ""))}
	}
	said = strings.Trim(said, "\n") // the prompt may begin with an empty line
	first, rest, _ := strings.Cut(said, "\n")
	v, is := readVariable(first)
	if !is {
		return Value{Value: brief(said)}, nil
	}
	value := valueOf(v)
	if rest != "" {
		value.Value = brief(cmp.Or(strings.TrimSpace(value.Value+" {"), "{") + "\n" + rest)
	}
	return value, nil
}

// printed runs a command of LLDB in a frame, by the frame's id (0: without a frame), and gives its output.
func (d *Debugger) printed(ctx context.Context, frame int, command string) (string, error) {
	return d.printedWithin(ctx, d.adapter.patience, frame, command)
}

// asCommand is lldb-dap's prefix of a command of LLDB. Without it, lldb-dap evaluates a mistyped command as an expression.
const asCommand = "`"

func (d *Debugger) printedWithin(ctx context.Context, limit time.Duration, frame int, command string) (string, error) {
	if watches(command) {
		d.watching.Store(true)
	}
	var body dap.EvaluateResponseBody
	in := dap.EvaluateArguments{Expression: asCommand + command, FrameId: frame, Context: "repl"}
	err := d.adapter.askWithin(ctx, limit, "evaluate", in, &body)
	output := body.Result
	if rest, echoed := strings.CutPrefix(output, "(lldb) "); echoed { // lldb-dap repeats the command
		_, output, _ = strings.Cut(rest, "\n")
	}
	return output, err
}
