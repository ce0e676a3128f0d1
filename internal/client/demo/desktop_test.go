package demo

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// launched takes the launch of the program, and ends the walk there.
type launched struct {
	op.Caller
	env []string
}

func (l *launched) Call(_ context.Context, name string, input []byte, _ func(op.Event)) op.Envelope {
	var in struct{ Env []string }
	if name == "debug_launch" && json.Unmarshal(input, &in) == nil {
		l.env = in.Env
	}
	return op.Envelope{Error: fault.New(fault.AppLaunchFailed, "enough seen")}
}

// TestDesktopDemoLaunchesWithOwnVariables: an editor that the demo ends in the midst of its work asks at its next start what is to become
// of it; the user's own must not, so the demo's keeps what it remembers in folders of the demo.
func TestDesktopDemoLaunchesWithOwnVariables(t *testing.T) {
	var caller launched
	want := []string{"XDG_DATA_HOME=/gone/data"}
	walk := Desktop{Caller: &caller, Program: "mousepad", Env: want, Out: io.Discard}
	if err := walk.Run(t.Context()); !fault.Is(err, fault.AppLaunchFailed) {
		t.Fatalf("got %v, want the error of the launch", err)
	}
	if !slices.Equal(caller.env, want) {
		t.Errorf("got the variables %q, want %q", caller.env, want)
	}
}
