package deskapp_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/driver/deskapp"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/desktoptest"
)

// TestCallsReportProcessExit: every call reports the exit, without waiting.
func TestCallsReportProcessExit(t *testing.T) {
	s := newStand(t)
	s.see()
	s.end()
	says := fmt.Sprintf("Process not running (PID %d exited)", s.pid())
	_, err := s.Tap(t.Context(), act.How{}, named("Action"))
	refused(t, err, fault.AppNotRunning, fault.NotDispatched, says)
	_, err = s.Wait(t.Context(), act.Waiting{Condition: ui.HasText, Value: "Welcome", Timeout: time.Hour})
	refused(t, err, fault.AppNotRunning, fault.NotDispatched, says)
	gone, err := s.Wait(t.Context(), act.Waiting{Condition: ui.IsGone, Query: named("Action"), Timeout: time.Hour})
	if err != nil || !gone.Matched {
		t.Errorf("an element of a process that has exited is gone: %+v, %v", gone, err)
	}
	_, err = s.Device.(device.Camera).Screenshot(t.Context())
	refused(t, err, fault.AppNotRunning, fault.NotDispatched, says)
	if !s.Device.(device.Mortal).Gone() {
		t.Error("Gone() = false after the exit, want true")
	}
	if len(s.app.Did()) > 0 {
		t.Errorf("%q", s.app.Did())
	}
}

// TestTapReportsProcessExitAsEffect: the end of the process is the effect of the input. How it ended is unknown if this daemon did not
// launch it.
func TestTapReportsProcessExitAsEffect(t *testing.T) {
	s := newStand(t)
	s.see()
	s.app.OnPress(func(string, uint64) {
		s.end()
		s.app.Set("Ready", func(title, _ *string) { *title = "Bye" })
	})
	s.Expect = true
	r, err := s.Tap(t.Context(), act.How{Timeout: time.Minute}, named("Drag Source"))
	if err != nil || r.Outcome != ui.Changed || r.Ended == nil || !strings.Contains(r.Ended.How, "unknown") {
		t.Errorf("got %+v and %v, want changed and that nobody knows how it ended", r, err)
	}
}

// TestClosedLastWindowIsReported: a process without windows shows an empty screen with a reason; a new window is seen again.
func TestClosedLastWindowIsReported(t *testing.T) {
	s := newStand(t)
	s.see()
	s.app.OnPress(func(string, uint64) { s.app.Leave() })
	s.Expect = true
	r, err := s.Tap(t.Context(), act.How{Timeout: time.Second}, named("Drag Source"))
	if err != nil || r.Outcome != ui.Changed || r.Ended == nil || !strings.Contains(r.Ended.How, "closed its last window") {
		t.Errorf("got %+v and %v, want changed and that its last window closed", r, err)
	}
	_, err = s.Tap(t.Context(), act.How{}, named("Action"))
	refused(t, err, fault.AppNotInFront, fault.NotDispatched, "no longer shows a window", fmt.Sprint(s.pid()))
	gone, err := s.Wait(t.Context(), act.Waiting{Condition: ui.IsGone, Query: named("Action"), Timeout: time.Hour})
	if err != nil || !gone.Matched {
		t.Errorf("an element of a closed window is gone: %+v, %v", gone, err)
	}
}

// TestStoppedProcessRefusesCalls is reported before any request, which it would never answer.
func TestStoppedProcessRefusesCalls(t *testing.T) {
	s := newStand(t)
	s.see()
	looks := s.app.Looks()
	s.stop(t, true)
	for name, err := range map[string]error{
		"look": func() error {
			_, err := s.Device.(device.Eyes).Observe(t.Context(), device.Wait{Stable: time.Second, Max: time.Hour})
			return err
		}(),
		"tap":     s.Device.(device.Touch).Tap(t.Context(), ui.Point{X: 150, Y: 100}),
		"type":    s.Device.(device.Keyboard).Type(t.Context(), "x"),
		"picture": func() error { _, err := s.Device.(device.Camera).Screenshot(t.Context()); return err }(),
		"open":    func() error { _, err := deskapp.New(closedDesktop{t}).Open(t.Context(), s.id()); return err }(),
	} {
		f := fault.From(err)
		if f.Code != fault.AppPaused || f.Dispatched != fault.NotDispatched || !strings.Contains(f.Message, fmt.Sprint(s.pid())) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.app.Looks() != looks || len(s.app.Did()) > 0 {
		t.Error("the app of a stopped process got a call")
	}
	s.stop(t, false)
	s.shows("Action")
}

// closedDesktop fails the test when it is opened.
type closedDesktop struct{ t *testing.T }

func (d closedDesktop) Methods() desktop.Methods { return desktop.Methods{} }

func (d closedDesktop) Prepare(context.Context, desktop.Environ) ([]string, error) { return nil, nil }

func (d closedDesktop) Open(context.Context, int) (desktop.App, error) {
	d.t.Error("the desktop was opened")
	return nil, os.ErrInvalid
}

func (d closedDesktop) Windows(context.Context, desktop.Environ) ([]desktop.Window, error) {
	return nil, nil
}

// TestOpenFindsProcessByIDOrTitle: ids of one process, of several, and of none.
func TestOpenFindsProcessByIDOrTitle(t *testing.T) {
	t.Parallel()
	one, two, other := newChild(t), newChild(t), newChild(t)
	d := desktoptest.New(one.pid(), two.pid(), other.pid())
	d.Apps[one.pid()].Call("editor", "notes.txt - Editor")
	d.Apps[two.pid()].Call("editor", "plan.txt - Editor")
	d.Apps[other.pid()].Call("calculator", "Sums")
	driver := deskapp.New(d)
	for id, want := range map[string]*child{
		other.id(): other, "app:calculator": other, "APP:Calculator": other, "app:Sums": other,
		"app:notes.txt": one, "app:plan.txt - editor": two,
	} {
		opened, err := driver.Open(t.Context(), id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		info := opened.Info()
		if !strings.HasPrefix(info.UDID, want.id()+":") || !info.Is(want.id()) || info.Type != device.TypeProcess || info.Name != "cat" {
			t.Errorf("%s: %+v", id, info)
		}
		again, err := driver.Find(t.Context(), info.UDID, nil)
		if err != nil || again != info.UDID {
			t.Errorf("%s is %s, %v", info.UDID, again, err)
		}
		opened.Close()
	}
	ended := newChild(t)
	udid, err := driver.Find(t.Context(), ended.id(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ended.end()
	for id, c := range map[string]struct {
		code fault.Code
		says []string
	}{
		"app:editor":         {fault.DeviceAmbiguous, []string{"2 apps", one.id(), two.id(), "notes.txt"}},
		"app:Editor":         {fault.DeviceAmbiguous, nil},
		"app:.txt":           {fault.DeviceAmbiguous, nil},
		"app:calculater":     {fault.DeviceNotFound, []string{"did you mean", "calculator"}},
		"app:nothing-at-all": {fault.DeviceNotFound, []string{"start it first"}},
		"app:":               {fault.InvalidInput, nil},
		"pid:":               {fault.InvalidInput, nil},
		"pid:x":              {fault.InvalidInput, nil},
		"pid:-1":             {fault.InvalidInput, nil},
		"pid:999999999":      {fault.AppNotRunning, []string{"Process not running (PID 999999999 exited)"}},
		udid:                 {fault.AppNotRunning, []string{"exited"}},
		one.id() + ":00":     {fault.AppNotRunning, []string{"exited"}}, // another process had this pid
	} {
		_, err := driver.Open(t.Context(), id)
		f := fault.From(err)
		if err == nil || f.Code != c.code {
			t.Errorf("%s: %v", id, err)
			continue
		}
		for _, text := range c.says {
			if !strings.Contains(f.Message+" "+f.Hint, text) {
				t.Errorf("%s does not say %q: %s (%s)", id, text, f.Message, f.Hint)
			}
		}
	}
	if _, err := deskapp.New(nil).Open(t.Context(), one.id()); fault.From(err).Code != fault.Unsupported {
		t.Errorf("without a desktop: %v", err)
	}
}

// TestOpenRefusesProcessOfAnotherUser is refused.
func TestOpenRefusesProcessOfAnotherUser(t *testing.T) {
	t.Parallel()
	id := "pid:1" // root's
	if os.Getuid() == 0 {
		id = newChild(t, func(c *exec.Cmd) {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}).id()
	}
	_, err := deskapp.New(closedDesktop{t}).Open(t.Context(), id)
	if f := fault.From(err); f.Code != fault.Forbidden {
		t.Errorf("%v", err)
	}
}
