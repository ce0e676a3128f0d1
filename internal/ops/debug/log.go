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

// LogIn says how many recorded lines to show.
type LogIn struct {
	DebuggerIn
	Most int `json:"most,omitempty" doc:"maximum number of lines, the newest" min:"1" max:"1000" default:"40"`
}

// LogOut is the list of lines that logpoints recorded.
type LogOut struct {
	Lines []debugger.Record `json:"recorded"`
	Older int               `json:"older,omitempty"` // number of older lines
}

// Text has a line for each record.
func (o LogOut) Text() string {
	if len(o.Lines) == 0 {
		return "no logpoint has recorded a line; set one: " + hint.Do("debug_break", "at", "FILE:LINE", "log", "TEXT")
	}
	var lines []string
	if o.Older > 0 {
		lines = append(lines, fmt.Sprintf("… %d older lines", o.Older))
	}
	for _, r := range o.Lines {
		lines = append(lines, fmt.Sprintf("%d: %s", r.Breakpoint, oneline.Of(r.Text)))
	}
	return strings.Join(lines, "\n")
}

// Log shows the lines that logpoints recorded.
func (d *Debug) Log(ctx context.Context, c *op.Call, in LogIn) (out LogOut, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		out.Lines, out.Older = one.Records(in.Most)
		return nil
	})
	return out, err
}
