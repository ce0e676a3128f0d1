package debugger

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/go-dap"
)

// expressionError is why LLDB does not evaluate an expression.
type expressionError struct{ why string }

func (e *expressionError) Error() string { return e.why }

// expression has LLDB evaluate an expression in a frame, by its id. Options are those of its command.
func (d *Debugger) expression(ctx context.Context, frame int, options, text string) (Value, error) {
	return d.value(ctx, frame, "expression "+strings.TrimSpace(options+" -- "+text))
}

// value is what a command prints as "(type) name = value"; its further lines are parts.
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

// printed runs a command of LLDB in a frame, by its id, or in none, and gives what it prints.
func (d *Debugger) printed(ctx context.Context, frame int, command string) (string, error) {
	return d.printedWithin(ctx, d.adapter.patience, frame, command)
}

// asCommand is what lldb-dap takes a text for a command of LLDB by. Without it, a mistyped command is an expression to it.
const asCommand = "`"

func (d *Debugger) printedWithin(ctx context.Context, limit time.Duration, frame int, command string) (string, error) {
	var body dap.EvaluateResponseBody
	in := dap.EvaluateArguments{Expression: asCommand + command, FrameId: frame, Context: "repl"}
	err := d.adapter.askWithin(ctx, limit, "evaluate", in, &body)
	output := body.Result
	if rest, echoed := strings.CutPrefix(output, "(lldb) "); echoed { // lldb-dap repeats the command
		_, output, _ = strings.Cut(rest, "\n")
	}
	return output, err
}
