package debugger

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"

	"ios-agent/internal/machine/host"
)

// answering plays lldb-dap: it answers everything, keeps what it was asked, and leaves when its input ends.
func answering(asked *[]string) host.Main {
	return func(_ context.Context, in host.Invocation) int {
		for r := bufio.NewReader(in.Stdin); ; {
			raw, err := dap.ReadBaseMessage(r)
			if err != nil {
				*asked = append(*asked, "the end")
				return 3
			}
			var m struct {
				Seq       int
				Command   string
				Arguments json.RawMessage
			}
			_ = json.Unmarshal(raw, &m)
			*asked = append(*asked, strings.TrimSpace(m.Command+" "+string(m.Arguments)))
			answer := fmt.Appendf(nil, `{"type":"response","request_seq":%d,"command":%q,"success":true}`, m.Seq, m.Command)
			_ = dap.WriteBaseMessage(in.Stdout, answer)
		}
	}
}

// kept runs a keeper over a debugger; says are the daemon's requests, after which it is dead. Heard is what the daemon got.
func kept(t *testing.T, lldb host.Main, grace time.Duration, says ...string) (exit int, heard []string) {
	t.Helper()
	h := machine(t, map[string]host.Main{"lldb-dap": lldb})
	k, err := ParseKeep(Keep{PID: process(t), Way: DAP, Argv: []string{"lldb-dap"}, Farewell: grace, Grace: grace}.args())
	if err != nil {
		t.Fatal(err)
	}
	in, daemon := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		exit = k.Run(h, in, out, io.Discard)
		out.Close()
		close(done)
	}()
	r := bufio.NewReader(answers)
	for i, text := range says {
		if i == len(says)-1 && !strings.HasPrefix(text, "{") {
			_, _ = io.WriteString(daemon, text)
			continue
		}
		if err := dap.WriteBaseMessage(daemon, []byte(text)); err != nil {
			t.Fatal(err)
		}
		raw, err := dap.ReadBaseMessage(r)
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, string(raw))
	}
	daemon.Close()
	rest, _ := io.ReadAll(r)
	<-done
	if len(rest) > 0 {
		heard = append(heard, string(rest))
	}
	return exit, heard
}

const (
	attachRequest = `{"seq":1,"type":"request","command":"attach","arguments":{"pid":1}}`
	breakRequest  = `{"seq":2,"type":"request","command":"setFunctionBreakpoints","arguments":{"breakpoints":[{"name":"add"}]}}`
	lineRequest   = `{"seq":3,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"a.c"},"breakpoints":[{"line":8}]}}`
	byeRequest    = `{"seq":4,"type":"request","command":"disconnect","arguments":{"terminateDebuggee":false}}`
)

// TestKeeperRemovesBreakpointsWhenDaemonDies when the daemon is dead: no breakpoint stays, and the program is not ended. The daemon hears
// nothing of it.
func TestKeeperRemovesBreakpointsWhenDaemonDies(t *testing.T) {
	var asked []string
	exit, heard := kept(t, answering(&asked), time.Minute, attachRequest, breakRequest, lineRequest, "Content-Length: 500\r\n\r\n{\"seq\":9")
	if exit != 3 || len(heard) != 3 || !strings.Contains(heard[2], `"request_seq":3`) {
		t.Errorf("exit code %d, heard %q", exit, heard)
	}
	goodbye := asked[min(3, len(asked)):]
	slices.Sort(goodbye[:min(2, len(goodbye))]) // files and functions are asked in any order
	want := []string{
		`setBreakpoints {"breakpoints":[],"source":{"path":"a.c"}}`, `setFunctionBreakpoints {"breakpoints":[]}`,
		`disconnect {"terminateDebuggee":false}`, "the end",
	}
	if !slices.Equal(goodbye, want) {
		t.Errorf("it was asked %q", goodbye)
	}
}

// TestKeeperSendsNothingAfterDaemonDetached that has said goodbye itself, and to a debugger that was attached to nothing.
func TestKeeperSendsNothingAfterDaemonDetached(t *testing.T) {
	for _, says := range [][]string{{attachRequest, breakRequest, byeRequest}, {breakRequest}, nil} {
		var asked []string
		exit, _ := kept(t, answering(&asked), time.Minute, says...)
		if exit != 3 || len(asked) != len(says)+1 || asked[len(says)] != "the end" {
			t.Errorf("exit code %d, it was asked %q", exit, asked)
		}
	}
}

// TestKeeperKillsHungDebugger after its deadlines, and its exit code says so; one that ends by itself ends the keeper.
func TestKeeperKillsHungDebugger(t *testing.T) {
	hung := func(ctx context.Context, in host.Invocation) int {
		_, _ = dap.ReadBaseMessage(bufio.NewReader(in.Stdin))
		_ = dap.WriteBaseMessage(in.Stdout, []byte(`{"type":"event","event":"initialized"}`))
		<-ctx.Done()
		return 0
	}
	if exit, heard := kept(t, hung, 20*time.Millisecond, attachRequest); exit != exitKilled || len(heard) != 1 {
		t.Errorf("exit code %d, heard %q", exit, heard)
	}
	if _, err := ParseKeep([]string{"1", DAP, "1s", "1s"}); err == nil {
		t.Error("a keeper of nothing")
	}
	ends := func(context.Context, host.Invocation) int { return 7 }
	h := machine(t, map[string]host.Main{"lldb-dap": ends})
	in, daemon := io.Pipe()
	defer daemon.Close()
	if exit := (Keep{PID: 1, Way: DAP, Argv: []string{"lldb-dap"}}).Run(h, in, io.Discard, io.Discard); exit != 7 {
		t.Errorf("exit code %d", exit)
	}
}
