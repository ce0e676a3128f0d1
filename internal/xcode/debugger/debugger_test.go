package debugger_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/test/debuggee"
)

func start(t *testing.T) *debuggee.Program {
	t.Helper()
	if !strings.Contains(t.Name(), "/") {
		t.Parallel()
	}
	return debuggee.Start(t)
}

func service(t *testing.T, o debugger.Options) (*debugger.Service, *host.Host) {
	t.Helper()
	h, err := host.New(host.Options{Dir: filepath.Join(t.TempDir(), "children")})
	if err != nil {
		t.Fatal(err)
	}
	o.Run, o.Start, o.Tools = h, h, apple.Toolchain{Name: apple.Virtual}
	s := debugger.New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, h
}

func mine(p *debuggee.Program) debugger.Attach {
	return debugger.Attach{Owner: device.Owner{Session: "ann"}, PID: p.PID}
}

func by(a debugger.Attach, through string) debugger.Attach {
	a.Through = through
	return a
}

// ways runs a test over lldb-dap and over lldb's prompt: nobody may tell them apart.
func ways(t *testing.T, test func(t *testing.T, through string)) {
	t.Parallel()
	for _, through := range []string{debugger.DAP, debugger.Prompt} {
		t.Run(through, func(t *testing.T) {
			t.Parallel()
			test(t, through)
		})
	}
}

func attach(t *testing.T, s *debugger.Service, a debugger.Attach) *debugger.Debugger {
	t.Helper()
	state, err := s.Attach(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Get(a.Owner.Session, state.ID)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustBe(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != code || !strings.Contains(f.Error()+f.Hint, text) {
		t.Errorf("got %v, want %s with %q", err, code, text)
	}
}

func mustContain(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q has no %q", text, part)
	}
}

// paused waits until the program is at a breakpoint.
func paused(t *testing.T, d *debugger.Debugger, where string) {
	t.Helper()
	state, err := d.Wait(t.Context(), 20*time.Second)
	if err != nil || state.State != debugger.Paused || state.Where != where {
		t.Fatalf("%s, %v; want it at %s", state.Text(), err, where)
	}
}

// TestStandsAtReturnsBreakpointOfStop: a trap that LLDB does not know as its breakpoint's yet is known by that.
func TestStandsAtReturnsBreakpointOfStop(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		s, _ := service(t, debugger.Options{})
		d := attach(t, s, by(mine(start(t)), through))
		b, err := d.Break(t.Context(), debugger.Breakpoint{File: "count.c", Line: 8})
		if err != nil {
			t.Fatal(err)
		}
		paused(t, d, "count.c:8 in add")
		if at, err := d.StandsAt(t.Context()); err != nil || at != b.ID {
			t.Errorf("got %d, %v, want it at the code of breakpoint %d", at, err, b.ID)
		}
	})
}

// waitLimit is how long a stop may take on a busy machine.
const waitLimit = 20 * time.Second

func resume(t *testing.T, d *debugger.Debugger) {
	t.Helper()
	if _, err := d.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// local is a number that the innermost frame sees.
func local(t *testing.T, d *debugger.Debugger, name string) int {
	t.Helper()
	_, scopes, err := d.Variables(t.Context(), 0, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range scopes[0].Variables {
		if n, err := strconv.Atoi(v.Value.Value); v.Name == name && err == nil {
			return n
		}
	}
	t.Fatalf("%+v has no number %s", scopes[0], name)
	return 0
}

func TestBreakpointStackVariablesStepContinueDetach(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		d := attach(t, s, by(mine(p), through))
		if state := d.State(); state.State != debugger.Running {
			t.Fatal(state.Text())
		}
		_, err := d.Stack(t.Context(), 0, 10)
		mustBe(t, err, fault.NotPaused, "debug_pause")
		b, err := d.Break(t.Context(), debugger.Breakpoint{File: "count.c", Line: 8})
		if err != nil || !b.Verified || b.ID == 0 {
			t.Fatalf("%+v, %v", b, err)
		}
		paused(t, d, "count.c:8 in add")
		stack, err := d.Stack(t.Context(), 0, 2)
		if err != nil || len(stack.Frames) != 2 || stack.Total < 2 || stack.Frames[1].Symbol != "main" || stack.Frames[1].Line != 15 {
			t.Fatalf("%+v, %v", stack, err)
		}
		_, scopes, err := d.Variables(t.Context(), 0, true)
		if err != nil || len(scopes) != 3 || len(scopes[0].Variables) != 3 {
			t.Fatalf("%+v, %v", scopes, err)
		}
		n, doubled, point := scopes[0].Variables[0], scopes[0].Variables[2], scopes[0].Variables[1]
		first, _ := strconv.Atoi(n.Value.Value)
		if n.Name != "n" || first == 0 || doubled.Value.Value != strconv.Itoa(2*first) || len(point.Parts) != 2 || point.Parts[1].Value != "2" {
			t.Errorf("%+v", scopes[0])
		}
		if state, err := d.Step(t.Context(), debugger.StepOver, 20*time.Second); err != nil || state.Where != "count.c:9 in add" {
			t.Errorf("%s, %v", state.Text(), err)
		}
		if state, err := d.Step(t.Context(), debugger.StepOut, 20*time.Second); err != nil || state.Where != "count.c:15 in main" {
			t.Errorf("%s, %v", state.Text(), err)
		}
		out, _, err := d.Command(t.Context(), "expression i + 1000", 20*time.Second)
		if err != nil || !strings.Contains(out, strconv.Itoa(first+1000)) {
			t.Errorf("%q, %v", out, err)
		}
		again, err := d.Break(t.Context(), debugger.Breakpoint{Function: "add", Condition: fmt.Sprintf("n == %d", first+20)})
		if err != nil || !again.Verified {
			t.Fatalf("%+v, %v", again, err)
		}
		if _, err := d.Unbreak(t.Context(), b.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		paused(t, d, "count.c:7 in add")
		frame, scopes, err := d.Variables(t.Context(), 1, false)
		if err != nil || frame.Symbol != "main" || len(scopes) != 2 || !slices.ContainsFunc(scopes[0].Variables, func(v debugger.Variable) bool {
			return v.Name == "i" && v.Value.Value == strconv.Itoa(first+20)
		}) {
			t.Errorf("%+v, %+v, %v", frame, scopes, err)
		}
		if out := s.Detach(t.Context(), d); out.State != debugger.Left || out.Killed || out.Note != "" {
			t.Errorf("%+v", out)
		}
		p.MustCount()
	})
}

// TestProgramSurvivesEndOfDebugger: whatever ends the debugger while the program is at a breakpoint or runs.
func TestProgramSurvivesEndOfDebugger(t *testing.T) {
	for name, end := range map[string]func(*debugger.Service, *host.Host, *debugger.Debugger){
		"detach":                func(s *debugger.Service, _ *host.Host, d *debugger.Debugger) { s.Detach(context.Background(), d) },
		"the service is closed": func(s *debugger.Service, _ *host.Host, _ *debugger.Debugger) { _ = s.Close() },
		"only the host is":      func(_ *debugger.Service, h *host.Host, _ *debugger.Debugger) { _ = h.Close() },
		"another has the device": func(s *debugger.Service, _ *host.Host, _ *debugger.Debugger) {
			s.EndAll(context.Background(), func(device.Owner) bool { return true })
		},
	} {
		for i, stopped := range []bool{true, false, true, false} {
			through := []string{debugger.DAP, debugger.Prompt}[i/2]
			if through == debugger.Prompt && name != "detach" && name != "only the host is" {
				continue // the others end it as detach does
			}
			t.Run(fmt.Sprintf("%s paused=%v %s", name, stopped, through), func(t *testing.T) {
				t.Parallel()
				p := start(t)
				s, h := service(t, debugger.Options{})
				d := attach(t, s, by(mine(p), through))
				if stopped {
					if _, err := d.Break(t.Context(), debugger.Breakpoint{Function: "add"}); err != nil {
						t.Fatal(err)
					}
					paused(t, d, "count.c:7 in add")
				}
				end(s, h, d)
				p.MustCount()
			})
		}
	}
}

// TestProgramSurvivesDetachWithFalseCondition is asked all the time; whatever ends the debugger then leaves the program.
func TestProgramSurvivesDetachWithFalseCondition(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := debuggee.StartFast(t)
		s, _ := service(t, debugger.Options{})
		how := by(mine(p), through)
		how.Stop = true // lldb takes a trap that is met while it is set for a signal
		d := attach(t, s, how)
		if b, err := d.Break(t.Context(), debugger.Breakpoint{Function: "add", Condition: "n == -1"}); err != nil || !b.Verified {
			t.Fatalf("%+v, %v", b, err)
		}
		if _, err := d.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.Await(5)
		if out := s.Detach(t.Context(), d); out.Killed || out.State != debugger.Left {
			t.Errorf("%+v", out)
		}
		p.MustCount()
	})
}

func TestAttachPausesOnRequest(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		how := by(mine(p), through)
		how.Stop, how.Owner.UDID = true, "A"
		d := attach(t, s, how)
		if state, on := s.Paused("A"); !on || state.ID != d.ID {
			t.Errorf("%v", state)
		}
		if _, on := s.Paused("B"); on {
			t.Error("it is paused on another device")
		}
		if _, err := d.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if state, on := s.Paused("A"); on {
			t.Errorf("%v", state)
		}
		p.MustCount()
		if state, err := d.Pause(t.Context()); err != nil || state.State != debugger.Paused {
			t.Errorf("%v, %v", state, err)
		}
		if state, err := d.Pause(t.Context()); err != nil || state.State != debugger.Paused {
			t.Errorf("a second pause: %v, %v", state, err)
		}
	})
}

func TestCommandsFailAfterProgramEnds(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		how := by(mine(p), through)
		how.Stop = true
		d := attach(t, s, how)
		if _, _, err := d.Command(t.Context(), "expression running = 0", 20*time.Second); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		state, err := d.Wait(t.Context(), 20*time.Second)
		if err != nil || state.State != debugger.Ended || state.Reason != "exit code 7" {
			t.Fatalf("%s, %v", state.Text(), err)
		}
		_, err = d.Continue(t.Context())
		mustBe(t, err, fault.AppNotRunning, "exit code 7")
		_, err = d.Break(t.Context(), debugger.Breakpoint{Function: "add"})
		mustBe(t, err, fault.AppNotRunning, "exit code 7")
		if out := s.Detach(t.Context(), d); out.Killed || out.State != debugger.Ended {
			t.Errorf("%+v", out)
		}
		if len(s.Holds()) != 0 {
			t.Errorf("%q keep the daemon alive", s.Holds())
		}
	})
}

func TestAttachRefusesForbiddenProcesses(t *testing.T) {
	p := start(t)
	s, _ := service(t, debugger.Options{})
	_, err := s.Attach(t.Context(), debugger.Attach{PID: os.Getpid()})
	mustBe(t, err, fault.Forbidden, "this daemon")
	_, err = s.Attach(t.Context(), debugger.Attach{PID: 1 << 30})
	mustBe(t, err, fault.AppNotRunning, "unknown process")
	d := attach(t, s, mine(p))
	how := mine(p)
	how.Owner.Session = "bob"
	_, err = s.Attach(t.Context(), how)
	mustBe(t, err, fault.AttachRefused, "already")
	_, err = s.Get("bob", d.ID)
	mustBe(t, err, fault.Forbidden, `"ann"`)
	_, err = s.Get("bob", "")
	mustBe(t, err, fault.SessionNotFound, "debug_attach")
	if got, err := s.Get("ann", ""); err != nil || got != d {
		t.Errorf("%v, %v", got, err)
	}
	if holds := s.Holds(); len(holds) != 1 || !strings.Contains(holds[0], "count") {
		t.Errorf("%q", holds)
	}
	other, _ := service(t, debugger.Options{}) // as of another daemon
	_, err = other.Attach(t.Context(), mine(p))
	mustBe(t, err, fault.AttachRefused, "already")
	s.Detach(t.Context(), d)
	_, err = s.Get("ann", d.ID)
	mustBe(t, err, fault.SessionNotFound, "unknown debugger")
	attach(t, s, mine(p)) // it can be debugged again
}

// TestAttachRefusesProcessOfAnotherUser needs root, to make one.
func TestAttachRefusesProcessOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has processes of two users")
	}
	cmd := exec.Command("sleep", "60")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	s, _ := service(t, debugger.Options{})
	_, err := s.Attach(t.Context(), debugger.Attach{PID: cmd.Process.Pid})
	mustBe(t, err, fault.Forbidden, "belongs to user 65534")
}

// TestDetachKillsHungDebugger: an lldb-dap that answers nothing holds nobody longer than it may. Killing it ends the program, and that is
// said.
func TestDetachKillsHungDebugger(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{Patience: 10 * time.Second, Farewell: 200 * time.Millisecond, Grace: 500 * time.Millisecond})
		d := attach(t, s, by(mine(p), through))
		if _, err := d.Break(t.Context(), debugger.Breakpoint{Function: "add"}); err != nil {
			t.Fatal(err)
		}
		paused(t, d, "count.c:7 in add")
		if err := unix.Kill(d.Adapter(), unix.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		_, _, err := d.Command(t.Context(), "version", 100*time.Millisecond)
		mustBe(t, err, fault.Timeout, "debug_detach")
		began := time.Now()
		out := s.Detach(t.Context(), d)
		if !out.Killed || !strings.Contains(out.Note, "probably ended") || time.Since(began) > 5*time.Second {
			t.Errorf("%+v after %v", out, time.Since(began))
		}
		_, err = d.Continue(t.Context())
		mustBe(t, err, fault.SessionNotFound, "was detached")
	})
}
