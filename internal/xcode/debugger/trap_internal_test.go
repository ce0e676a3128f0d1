package debugger

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-dap"

	"ios-agent/internal/apple"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// trapping plays an lldb-dap that takes its own breakpoint for a signal: it tells of the stop before it has answered that it is set. It
// evaluates every expression to the same value.
func trapping(pc, value string) host.Main {
	return func(_ context.Context, in host.Invocation) int {
		say := func(format string, args ...any) {
			_ = dap.WriteBaseMessage(in.Stdout, fmt.Appendf(nil, format, args...))
		}
		stopped := func(why string) {
			say(`{"type":"event","event":"stopped","body":{"reason":"exception","description":%q,"threadId":7}}`, why)
		}
		bodies := map[string]string{
			"setFunctionBreakpoints": `{"breakpoints":[{"id":5,"verified":true,"instructionReference":"0x10"}]}`,
			"stackTrace":             `{"stackFrames":[{"id":1,"name":"add","line":7,"instructionPointerReference":"` + pc + `"}]}`,
			"evaluate":               `{"result":"(bool) $0 = ` + value + `"}`,
		}
		for r := bufio.NewReader(in.Stdin); ; {
			raw, err := dap.ReadBaseMessage(r)
			if err != nil {
				return 0
			}
			var m dap.Request
			_ = json.Unmarshal(raw, &m)
			if m.Command == "setFunctionBreakpoints" {
				stopped(sigtrap)
			}
			body := bodies[m.Command]
			if body == "" {
				body = "{}"
			}
			say(`{"type":"response","request_seq":%d,"command":%q,"success":true,"body":%s}`, m.Seq, m.Command, body)
			switch m.Command {
			case "attach":
				say(`{"type":"event","event":"initialized"}`)
			case "configurationDone":
				stopped("signal SIGSTOP")
			}
		}
	}
}

// TestTrapWhileSettingBreakpointIsAttributed is told as one, where that is certain: the program is where its code is, and its condition is
// true.
func TestTrapWhileSettingBreakpointIsAttributed(t *testing.T) {
	for name, c := range map[string]struct {
		pc, condition, value, reason string
		hit                          int
	}{
		"at the breakpoint":     {"0x10", "", "", "breakpoint 5", 1},
		"somewhere else":        {"0x11", "", "", sigtrap, 0},
		"where it is true":      {"0x10", "n == 1", "true", "breakpoint 5", 1},
		"where it is false":     {"0x10", "n == 1", "false", "", 0},
		"who knows where it is": {"", "", "", sigtrap, 0},
	} {
		h := machine(t, map[string]host.Main{"lldb-dap": trapping(c.pc, c.value)})
		s := New(Options{Run: h, Start: h, Tools: apple.Toolchain{Name: apple.Virtual}})
		if _, err := s.Attach(t.Context(), Attach{PID: process(t)}); err != nil {
			t.Fatal(err)
		}
		d, err := s.Get("", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Break(t.Context(), Breakpoint{Function: "add", Condition: c.condition}); err != nil {
			t.Fatal(err)
		}
		limit := time.Minute
		if c.reason == "" {
			limit = 5 * passing
		}
		state, err := d.Wait(t.Context(), limit)
		if c.reason == "" && fault.Is(err, fault.Timeout) {
			err = nil
		}
		if err != nil || state.Reason != c.reason || len(state.Hit) != c.hit {
			t.Errorf("%s: %+v, %v", name, state, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
