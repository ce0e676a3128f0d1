package desktop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/ui"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/test/debuggee"
	"ios-agent/test/desktoptest"
)

func TestLookRefusesAStoppedProcess(t *testing.T) {
	r := start(t)
	r.stop(true)
	_, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID})
	f := refused(t, "look", err, fault.AppPaused, fmt.Sprintf("process %d does not answer", r.s.PID), fmt.Sprintf("`kill -CONT %d`", r.s.PID))
	if f.Dispatched != fault.NotDispatched {
		t.Errorf("got %+v, want that nothing was sent", f)
	}
	r.stop(false)
	r.look(desktopops.Looking{Tree: true})
}

func TestLookRefusesAProcessPausedByADebugger(t *testing.T) {
	for owner, hint := range map[string]string{"a": "", "b": `the session "b" debugs it: wait until it is done`} {
		r := start(t)
		run, err := host.New(host.Options{Inside: func(string) host.Main { return new(debuggee.Adapter).Main }})
		if err != nil {
			t.Fatal(err)
		}
		debuggers := debugger.New(debugger.Options{Run: run, Start: run, Farewell: time.Millisecond})
		t.Cleanup(func() {
			if err := errors.Join(debuggers.Close(), run.Close()); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
		reach := r.Access
		reach.Debuggers = debuggers
		room := desktopops.New(desktopops.Deps{Access: reach, Processes: r.Processes, Desk: r.Desk})
		how := debugger.Attach{Owner: device.Owner{Session: owner}, PID: r.s.PID, Stop: true}
		if _, err := debuggers.Attach(t.Context(), how); err != nil {
			t.Fatal(err)
		}
		r.stop(true)
		_, err = room.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID})
		f := refused(t, "look", err, fault.AppPaused, "the app does not answer: it is paused, sleep", "main.c:12 in main by the debugger", hint)
		if f.Details["debugger"] != fmt.Sprintf("d%d", r.s.PID) || f.Dispatched != fault.NotDispatched ||
			strings.Contains(f.Hint, "debugs it") != (hint != "") {
			t.Errorf("%s: got %+v with the hint %q, want the debugger, and %q", owner, f, f.Hint, hint)
		}
		r.stop(false)
	}
}

// stop stops the process of the session by a signal, or has it go on.
func (r *started) stop(is bool) {
	r.t.Helper()
	if err := syscall.Kill(r.s.PID, map[bool]syscall.Signal{true: syscall.SIGSTOP, false: syscall.SIGCONT}[is]); err != nil {
		r.t.Fatal(err)
	}
	for process.Stopped(r.s.PID) != is && r.t.Context().Err() == nil { // a signal arrives when its process is scheduled
	}
}

func TestLookShowsTheTreeOrAPicture(t *testing.T) {
	r := start(t)
	tree := r.look(desktopops.Looking{Tree: true, Pick: desktop.Pick{Bytes: 1 << 20}})
	if !strings.Contains(tree.Text, "Action") || tree.Total != 14 || tree.Picture != nil || tree.Toolkit != "test 1" {
		t.Errorf("got %d nodes of %q and %q, want the 14 of the app without a picture", tree.Total, tree.Toolkit, tree.Text)
	}
	whole := r.look(desktopops.Looking{Picture: true})
	if whole.Text != "" || whole.Picture == nil || whole.Picture.Width != 800 || whole.Picture.Height != 1200 || whole.Picture.Scale != 2 {
		t.Fatalf("got %q and %+v, want a picture of 800×1200 alone", whole.Text, whole.Picture)
	}
	if file, err := os.Stat(whole.Picture.Path); err != nil || file.Size() == 0 || !strings.HasPrefix(whole.Picture.Path, r.Dir) {
		t.Errorf("got %v of %s, want the file", err, whole.Picture.Path)
	}
	if image := whole.Picture.Image(); len(image.Data) == 0 || !strings.HasPrefix(image.MIME, "image/") || whole.Picture.Copy.Width != 800 {
		t.Errorf("got %s of %d bytes, %+v, want a copy", image.MIME, len(image.Data), whole.Picture.Copy)
	}
	part := r.look(desktopops.Looking{Picture: true, ID: r.id("Volume")})
	if part.Picture.Width != 400 || part.Picture.Height != 60 {
		t.Errorf("got %+v, want the element alone, 400×60", part.Picture.Size)
	}
	_, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Picture: true, ID: "btn_none"})
	f := refused(t, "an id that is not there", err, fault.ElementNotFound, `node not found: "btn_none"`)
	if f.Details["field"] != "id" {
		t.Errorf("got %+v, want the field", f)
	}
}

func TestPictureShowsWindowOfElement(t *testing.T) {
	r := start(t)
	behind := r.id("Action")
	r.app.Ask("Sure?", "OK", false, ui.Rect{X: 120, Y: 300, W: 300, H: 100})
	if top := r.look(desktopops.Looking{Picture: true}); top.Picture.Width != 600 {
		t.Errorf("got %+v, want the dialog on top", top.Picture.Size)
	}
	if got := r.look(desktopops.Looking{Picture: true, ID: behind}); got.Picture.Width != 400 {
		t.Errorf("got %+v, want the element of the window behind it", got.Picture.Size)
	}
}

func TestLargePictureIsCopiedSmaller(t *testing.T) {
	r := start(t)
	r.app.Ask("Wide", "OK", false, ui.Rect{X: 0, Y: 0, W: 1000, H: 100})
	got := r.look(desktopops.Looking{Picture: true}).Picture
	if got.Width != 2000 || got.Copy.Width != 1568 {
		t.Errorf("got %+v with the copy %+v, want 2000 pixels in the file and 1568 in the copy", got.Size, got.Copy)
	}
}

func TestLookRefusesProgramWithoutWindow(t *testing.T) {
	r := start(t)
	r.look(desktopops.Looking{Tree: true})
	r.app.Leave()
	s, err := r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{PID: r.s.PID})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Look(t.Context(), r.Call, desktopops.Looking{Session: s.ID, Tree: true})
	refused(t, "look", err, fault.AppNotInFront, "no longer shows a window")
	none, err := r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{PID: r.Child()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Look(t.Context(), r.Call, desktopops.Looking{Session: none.ID, Tree: true})
	refused(t, "a process that never had one", err, fault.AppNotRunning, "shows no windows")
}

// fragile is a desktop whose apps do something of the test's own when they are looked at, or pressed.
type fragile struct {
	*desktoptest.Desktop
	look, press func() error
}

func (f *fragile) Open(ctx context.Context, pid int) (desktop.App, error) {
	app, err := f.Desktop.Open(ctx, pid)
	return &fragileApp{app, f}, err
}

type fragileApp struct {
	desktop.App
	of *fragile
}

func (a *fragileApp) Look(ctx context.Context, l desktop.Limits) (*desktop.Tree, error) {
	if a.of.look != nil {
		if err := a.of.look(); err != nil {
			return nil, err
		}
	}
	return a.App.Look(ctx, l)
}

func (a *fragileApp) Perform(ctx context.Context, key, action string) error {
	if err := a.App.Perform(ctx, key, action); err != nil || a.of.press == nil {
		return err
	}
	return a.of.press()
}

// crack is a room over a desktop whose apps break.
func crack(t *testing.T) (*started, *fragile) {
	t.Helper()
	desk := &fragile{Desktop: desktoptest.New()}
	r := &started{Room: desktoptest.Open(t, desk), t: t}
	r.Desk = desk.Desktop
	r.s, r.app = r.Start()
	return r, desk
}

// end ends the process of the session, and returns when it is gone.
func (r *started) end() {
	_ = syscall.Kill(r.s.PID, syscall.SIGKILL) // it may be gone
	for r.s.Running() && r.t.Context().Err() == nil {
	}
}

func TestLookReportsAProgramThatEndsMeanwhile(t *testing.T) {
	r, desk := crack(t)
	desk.look = func() error {
		r.end()
		return errors.New("the connection is gone")
	}
	_, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Tree: true})
	refused(t, "look", err, fault.AppNotRunning, fmt.Sprintf("Process not running (PID %d exited). Cannot look at its windows.", r.s.PID))
}

func TestUnreadableRunningProgramIsNotInFront(t *testing.T) {
	r, desk := crack(t)
	desk.look = func() error { return fault.New(fault.AppNotRunning, "it left the bus") }
	_, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Tree: true})
	f := refused(t, "look", err, fault.AppNotInFront, "it left the bus", hint.Do("debug_windows")+" lists the windows")
	if f.Dispatched != fault.NotDispatched {
		t.Errorf("got %+v, want that nothing was sent", f)
	}
	desk.look = func() error { return fault.New(fault.ToolFailed, "the bus is full") }
	_, err = r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Tree: true})
	refused(t, "another fault", err, fault.ToolFailed, "the bus is full")
}

func TestActionReportsAProgramThatItEnds(t *testing.T) {
	r, desk := crack(t)
	id := r.id("Action")
	desk.press = func() error { r.end(); return nil }
	got, err := r.Act(t.Context(), r.Call, desktop.Request{Session: r.s.ID, Action: desktop.Click, ID: &id})
	if err == nil {
		t.Fatalf("got %+v, want a fault", got)
	}
	refused(t, "act", err, fault.AppEnded, hint.Do("debug_session", "action", "status", "sessionId", r.s.ID)+" shows its exit")
}

// TestActionSucceedsWhenLaunchedProgramExits: a dialog whose OK ends its program is the expected end: how it ended and what it printed last
// are in the answer.
func TestActionSucceedsWhenLaunchedProgramExits(t *testing.T) {
	for exit, how := range map[string]string{"0": "it exited with code 0", "1": "it exited with code 1"} {
		r, desk := crack(t)
		s, err := r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{
			Argv: []string{"sh", "-c", "trap 'echo name=Kim; exit " + exit + "' USR1; echo ready; while :; do sleep 0.02; done"},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.s, r.app = s, r.Desk.Begin(s.PID)
		for !strings.Contains(s.Status().Stdout.Text, "ready") && t.Context().Err() == nil { // it may not have the trap yet
		}
		id := r.id("Action")
		desk.press = func() error {
			err := syscall.Kill(s.PID, syscall.SIGUSR1)
			for s.Running() && t.Context().Err() == nil {
			}
			return err
		}
		got, err := r.Act(t.Context(), r.Call, desktop.Request{Session: s.ID, Action: desktop.Click, ID: &id})
		if err != nil || !got.Success || got.Outcome != ui.Changed || got.Ended == nil || got.Ended.How != how || got.After != nil {
			t.Fatalf("got %+v, %v, want changed and %q", got, err, how)
		}
		if want := []string{"ready", "name=Kim"}; !slices.Equal(got.Ended.Logs, want) {
			t.Errorf("got %q, want %q", got.Ended.Logs, want)
		}
	}
}

func TestElementGoneBeforeActionReturnsAnswer(t *testing.T) {
	r, desk := crack(t)
	id := r.id("Action")
	desk.press = func() error { return &desktop.GoneError{Key: "0"} }
	got, err := r.Act(t.Context(), r.Call, desktop.Request{Session: r.s.ID, Action: desktop.Click, ID: &id})
	if err != nil || got.Success || got.Error != desktop.ErrNoNode.Error() || got.Before == nil {
		t.Errorf("got %+v, %v, want that it is not there any more", got.Response, err)
	}
	desk.press = func() error { return fault.New(fault.ToolFailed, "the bus is full") }
	_, err = r.Act(t.Context(), r.Call, desktop.Request{Session: r.s.ID, Action: desktop.Click, ID: &id})
	refused(t, "another fault", err, fault.ToolFailed, "the bus is full")
}
