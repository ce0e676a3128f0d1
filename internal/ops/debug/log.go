package debug

import (
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/op"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/xcode/debugger"
)

// LogIn says how many lines of logpoints to show.
type LogIn struct {
	DebuggerIn
	Most int `json:"most,omitempty" doc:"maximum number of lines, the newest" min:"1" max:"1000" default:"40"`
}

// LogOut are the lines that logpoints recorded.
type LogOut struct {
	Lines []debugger.Record `json:"recorded"`
	Older int               `json:"older,omitempty"` // lines that are not shown
}

// Text is a line each.
func (o LogOut) Text() string {
	if len(o.Lines) == 0 {
		return "no logpoint has recorded anything; set one: `ios-agent debug break FILE:LINE --log TEXT`"
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

// Log shows what logpoints have recorded.
func (d *Debug) Log(ctx context.Context, c *op.Call, in LogIn) (out LogOut, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		out.Lines, out.Older = one.Records(in.Most)
		return nil
	})
	return out, err
}
