package debugger

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// machine is a host whose programs are functions.
func machine(t *testing.T, programs map[string]host.Main) *host.Host {
	t.Helper()
	h, err := host.New(host.Options{Inside: func(name string) host.Main { return programs[name] }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func prints(text string) host.Main {
	return func(_ context.Context, in host.Invocation) int { _, _ = io.WriteString(in.Stdout, text); return 0 }
}

// process is a process of ours that somebody may want to debug.
func process(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

func is(t *testing.T, err error, code fault.Code, reason any, words ...string) {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != code || f.Details["reason"] != reason {
		t.Fatalf("got %v, want %s (%v)", err, code, reason)
	}
	for _, w := range words {
		if !strings.Contains(f.Message+"\n"+f.Hint, w) {
			t.Errorf("%s, %s: no %q", f.Message, f.Hint, w)
		}
	}
}

// TestAttachRefusalNamesNextStep: lldb says the same of all of them.
func TestAttachRefusalNamesNextStep(t *testing.T) {
	said := &refusedError{"attach", "lost connection"}
	pid := process(t)
	if processes.PtraceScope() == 0 || os.Geteuid() == 0 {
		for status, want := range map[string]struct {
			reason string
			words  []string
		}{
			"Developer mode is currently disabled.\n": {"developer_mode", []string{"DevToolsSecurity -enable"}},
			"Developer mode is currently enabled.\n":  {"hardened", []string{"get-task-allow", "lost connection"}},
			"":                                        {"system", []string{"SYS_PTRACE", "lost connection"}},
		} {
			programs := map[string]host.Main{}
			if status != "" {
				programs["DevToolsSecurity"] = prints(status)
			}
			h := machine(t, programs)
			is(t, New(Options{Run: h, Start: h}).whyRefused(t.Context(), pid, said), fault.AttachRefused, want.reason, want.words...)
		}
	}
	is(t, yama(pid, 1), fault.AttachRefused, "ptrace_scope", "sysctl kernel.yama.ptrace_scope=0", "ptrace_scope is 1")
	h := machine(t, nil)
	is(t, New(Options{Run: h, Start: h}).whyRefused(t.Context(), 1<<30, said), fault.AppNotRunning, nil, "unknown process")
}

func TestAttachFailsWithoutLLDB(t *testing.T) {
	h := machine(t, nil)
	_, err := New(Options{Run: h, Start: h}).Attach(t.Context(), Attach{PID: process(t)})
	is(t, err, fault.ToolMissing, nil, "Xcode", "lldb-19")
}

// TestAttachEndsAdapterThatNeverAnswers is ended, whether it leaves when its input ends or not.
func TestAttachEndsAdapterThatNeverAnswers(t *testing.T) {
	for name, main := range map[string]host.Main{
		"it leaves": func(_ context.Context, in host.Invocation) int { _, _ = io.Copy(io.Discard, in.Stdin); return 0 },
		"it stays":  func(ctx context.Context, _ host.Invocation) int { <-ctx.Done(); return 0 },
		"it talks nonsense": func(_ context.Context, in host.Invocation) int {
			_, _ = io.WriteString(in.Stdout, "Content-Length: 3\r\n\r\nx=1Content-Length: 99999999999\r\n\r\n")
			_, _ = io.Copy(io.Discard, in.Stdin)
			return 0
		},
	} {
		h := machine(t, map[string]host.Main{"lldb-dap": main})
		s := New(Options{Run: h, Start: h, Patience: 50 * time.Millisecond, Farewell: 10 * time.Millisecond, Grace: 50 * time.Millisecond})
		pid := process(t)
		_, err := s.Attach(t.Context(), Attach{PID: pid})
		is(t, err, fault.Timeout, nil, "did not answer initialize")
		if killed := strings.Contains(err.Error(), "was killed"); killed != (name == "it stays") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Get("", ""); !fault.Is(err, fault.SessionNotFound) || len(s.Holds()) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAttachReportsStderrOfEndedAdapter: what it said last is told.
func TestAttachReportsStderrOfEndedAdapter(t *testing.T) {
	h := machine(t, map[string]host.Main{"xcrun": func(_ context.Context, in host.Invocation) int {
		_, _ = io.WriteString(in.Stderr, "xcrun: error: unable to find utility\n")
		return 72
	}})
	_, err := New(Options{Run: h, Start: h}).Attach(t.Context(), Attach{PID: process(t)})
	var exit *host.ExitError
	if !errors.As(err, &exit) || !fault.Is(err, fault.ToolFailed) || !strings.Contains(err.Error(), "unable to find utility") {
		t.Errorf("%v", err)
	}
}
