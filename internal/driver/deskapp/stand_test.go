package deskapp_test

import (
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/driver/deskapp"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/test/desktoptest"
)

// child is a real process that does nothing until it is ended; its windows are in memory.
type child struct {
	*exec.Cmd
	in io.Closer
}

func newChild(t *testing.T, prepare ...func(*exec.Cmd)) *child {
	t.Helper()
	c := exec.Command("cat")
	for _, p := range prepare {
		p(c)
	}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	one := &child{c, in}
	t.Cleanup(one.end)
	return one
}

func (c *child) pid() int { return c.Process.Pid }

func (c *child) id() string { return "pid:" + strconv.Itoa(c.pid()) }

// end ends the process, and returns when it is gone.
func (c *child) end() {
	_ = c.Process.Kill() // it may be gone
	_ = c.Wait()
	c.in.Close()
}

// stop stops the process, or lets it go on.
func (c *child) stop(t *testing.T, stopped bool) {
	t.Helper()
	signal := map[bool]syscall.Signal{true: syscall.SIGSTOP, false: syscall.SIGCONT}[stopped]
	if err := syscall.Kill(c.pid(), signal); err != nil {
		t.Fatal(err)
	}
	for processes.Stopped(c.pid()) != stopped && t.Context().Err() == nil { // a signal arrives when its process is scheduled
	}
}

// stand is a session on the test app, which stands in for the windows of a real process.
type stand struct {
	act.Step
	*child
	app  *desktoptest.App
	udid string
	t    *testing.T
}

func newStand(t *testing.T) *stand {
	t.Helper()
	t.Parallel()
	c := newChild(t)
	d := desktoptest.New(c.pid())
	opened, err := deskapp.New(d).Open(t.Context(), c.id())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return &stand{
		Step:  act.Step{Device: opened, Session: (&session.Store{}).Get("test")},
		child: c, app: d.Apps[c.pid()], udid: opened.Info().UDID, t: t,
	}
}

// see returns the outline of the screen.
func (s *stand) see() (shown string) {
	s.t.Helper()
	err := s.Look(s.t.Context(), func(screen *ui.Screen, refs *ui.Refs) { shown = outline.Of(screen, outline.Choice{}, s.udid, refs) })
	if err != nil {
		s.t.Fatal(err)
	}
	return shown
}

// screen is the current screen, without a session.
func (s *stand) screen() *ui.Screen {
	s.t.Helper()
	screen, err := s.Device.(device.Eyes).Observe(s.t.Context(), device.Wait{})
	if err != nil {
		s.t.Fatal(err)
	}
	return screen
}

// node is an element by its label.
func (s *stand) node(label string) *ui.Node {
	s.t.Helper()
	found := s.screen().Match(ui.Query{Label: label})
	if len(found) != 1 {
		s.t.Fatalf("%d elements are called %q", len(found), label)
	}
	return found[0]
}

// shows fails unless all texts are shown.
func (s *stand) shows(texts ...string) {
	s.t.Helper()
	seen := s.see()
	for _, text := range texts {
		if !strings.Contains(seen, text) {
			s.t.Errorf("%q is not shown:\n%s", text, seen)
		}
	}
}

// did fails unless the last thing that reached the app is this.
func (s *stand) did(what string) {
	s.t.Helper()
	all := s.app.Did()
	if len(all) == 0 && what != "" || len(all) > 0 && all[len(all)-1] != what {
		s.t.Errorf("what reached the app: %q; the last should be %q", all, what)
	}
}

// came fails unless a step was done in a way, with an outcome.
func (s *stand) came(r act.Report, err error, method string, outcome ui.Outcome) {
	s.t.Helper()
	if err != nil || r.Method != method || r.Outcome != outcome {
		s.t.Errorf("%s by %q, %v, not %s by %q:\n%s", r.Outcome, r.Method, err, outcome, method, strings.Join(r.Lines, "\n"))
	}
}

// refused fails unless an error is a fault of a code that says something.
func refused(t *testing.T, err error, code fault.Code, sent fault.Dispatch, texts ...string) {
	t.Helper()
	f := fault.From(err)
	if err == nil || f.Code != code || f.Dispatched != sent {
		t.Errorf("%s (%s) %v; want %s (%s)", f.Code, f.Dispatched, err, code, sent)
		return
	}
	for _, text := range texts {
		if !strings.Contains(f.Message+"\n"+f.Hint, text) {
			t.Errorf("%q is not said: %s (%s)", text, f.Message, f.Hint)
		}
	}
}

func named(label string) ui.Query { return ui.Query{Label: label} }
