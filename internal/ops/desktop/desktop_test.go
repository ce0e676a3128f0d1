package desktop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/op"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/test/desktoptest"
	"ios-agent/test/fakedevice"
)

// refused checks the fault of a call.
func refused(t *testing.T, what string, err error, code fault.Code, words ...string) *fault.Fault {
	t.Helper()
	if err == nil {
		t.Errorf("%s: got no fault, want %s", what, code)
		return &fault.Fault{}
	}
	return fakedevice.WantFault(t, what, fault.From(err), code, words...)
}

// started is a room whose session has a program with a window.
type started struct {
	*desktoptest.Room
	t   *testing.T
	s   *process.Session
	app *desktoptest.App
}

func start(t *testing.T) *started {
	t.Helper()
	r := &started{Room: desktoptest.Open(t, desktoptest.New()), t: t}
	r.s, r.app = r.Start()
	return r
}

// id is that of the element with a title.
func (r *started) id(title string) string {
	r.t.Helper()
	scene := r.look(desktopops.Looking{Tree: true, Pick: desktop.Pick{Verbose: true, Bytes: 1 << 20}})
	return desktoptest.ElementID(r.t, scene.Text, title)
}

func (r *started) look(how desktopops.Looking) desktopops.Scene {
	r.t.Helper()
	how.Session = r.s.ID
	scene, err := r.Look(r.t.Context(), r.Call, how)
	if err != nil {
		r.t.Fatalf("looking: %v", err)
	}
	return scene
}

// act does an action on the element with a title.
func (r *started) act(title string, in desktop.Request) (desktopops.DesktopAction, error) {
	r.t.Helper()
	in.Session = r.s.ID
	if title != "" {
		in.ID = new(r.id(title))
	}
	return r.Act(r.t.Context(), r.Call, in)
}

func TestProgramIsLaunchedOnTheClientsDesktop(t *testing.T) {
	r := desktoptest.Open(t, desktoptest.New())
	r.Call.Env, r.Call.Dir = map[string]string{"DISPLAY": ":7", "HOME": "/nowhere"}, r.Dir
	s, err := r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{
		Argv: []string{"sh", "-c", `echo "$DISPLAY|$OWN|$WAYLAND_DISPLAY|$(pwd -P)"`}, Env: []string{"OWN=1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := await(t, r, s.ID).Stdout.Text; got != ":7|1||"+real(t, r.Dir)+"\n" {
		t.Errorf("got %q, want the client's display, its own variable and the client's folder", got)
	}
	other := t.TempDir()
	if s, err = r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"pwd", "-P"}, Dir: other}); err != nil {
		t.Fatal(err)
	}
	if got := await(t, r, s.ID).Stdout.Text; got != real(t, other)+"\n" || !r.Call.Outside {
		t.Errorf("got %q, outside of Apple's tools %v, want the folder that was asked for", got, r.Call.Outside)
	}
	_, err = r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{})
	refused(t, "an empty command", err, fault.InvalidInput, "command is empty")
}

// placed is a desktop that notes which display it is asked about.
type placed struct {
	*desktoptest.Desktop
	asked []string
}

func (p *placed) Prepare(ctx context.Context, env desktop.Environ) ([]string, error) {
	p.asked = append(p.asked, "prepare "+env("DISPLAY"))
	return p.Desktop.Prepare(ctx, env)
}

func (p *placed) Windows(ctx context.Context, env desktop.Environ) ([]desktop.Window, error) {
	p.asked = append(p.asked, "windows "+env("DISPLAY"))
	return p.Desktop.Windows(ctx, env)
}

// TestLaunchVariablesChooseDesktop: a display that is given for the program counts for all that is asked about it.
func TestLaunchVariablesChooseDesktop(t *testing.T) {
	desk := &placed{Desktop: desktoptest.New()}
	r := desktoptest.Open(t, desk)
	r.Call.Env = map[string]string{"DISPLAY": ":7"}
	s, err := r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"sleep", "600"}, Env: []string{"DISPLAY=:77"}})
	if err != nil {
		t.Fatal(err)
	}
	desk.Desktop.Begin(s.PID)
	if _, err := r.Windows(t.Context(), r.Call, s.ID); err != nil {
		t.Fatal(err)
	}
	for _, asked := range desk.asked {
		if !strings.HasSuffix(asked, " :77") {
			t.Errorf("got %q, want the program's own display", desk.asked)
		}
	}
}

// real is a folder without links in its path.
func real(t *testing.T, dir string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// await waits until a session's program has ended.
func await(t *testing.T, r *desktoptest.Room, id string) process.Status {
	t.Helper()
	for t.Context().Err() == nil { // the kernel tells nobody here
		s, err := r.Status(r.Call, id, process.Reading{}, outfile.File{})
		if err != nil {
			t.Fatal(err)
		}
		if !s.Running {
			return s
		}
	}
	return process.Status{}
}

func TestDesktopCallsAreUnsupportedWithoutDriver(t *testing.T) {
	r := desktoptest.Open(t, nil)
	_, err := r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"true"}})
	refused(t, "launch", err, fault.Unsupported, "this build of ios-agent cannot drive desktop apps", "on Linux with X11, or on macOS")
	_, err = r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{PID: os.Getppid()})
	refused(t, "attach", err, fault.Unsupported)
	_, err = r.Windows(t.Context(), r.Call, "")
	refused(t, "windows", err, fault.Unsupported)
	_, err = r.Look(t.Context(), r.Call, desktopops.Looking{Session: "x"})
	refused(t, "look", err, fault.Unsupported)
}

func TestAttachFindsProcessByPIDNameOrTitle(t *testing.T) {
	r := desktoptest.Open(t, desktoptest.New())
	one, two := r.Child(), r.Child()
	r.Desk.Begin(one).Call("Editor", "Letter to Ada")
	r.Desk.Begin(two).Call("Player", "letters")
	for name, c := range map[string]struct {
		desktopops.DesktopAttach
		want int
	}{
		"by its process":          {desktopops.DesktopAttach{PID: one}, one},
		"by the program's name":   {desktopops.DesktopAttach{Name: "editor"}, one},
		"by the whole title":      {desktopops.DesktopAttach{Title: "letters"}, two},
		"by a part of the title":  {desktopops.DesktopAttach{Title: "TO ADA"}, one},
		"by the title, in a word": {desktopops.DesktopAttach{Title: "Letter to Ada"}, one},
	} {
		s, err := r.Attach(t.Context(), r.Call, c.DesktopAttach)
		if err != nil || s.PID != c.want || !s.Attached {
			t.Errorf("%s: got %+v, %v, want the process %d", name, s, err, c.want)
			continue
		}
		if _, err := r.Stop(t.Context(), r.Call, s.ID); err != nil || !processes.Alive(c.want, startOf(t, c.want)) {
			t.Errorf("%s: got %v, want the process left as it is", name, err)
		}
	}
	_, err := r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{Title: "letter"})
	refused(t, "a part of two titles", err, fault.AppAmbiguous, `2 processes are the one of a window with the title "letter"`)
	_, err = r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{Title: "nowhere"})
	refused(t, "a title that none has", err, fault.AppNotRunning, `a window with the title "nowhere"`)
	_, err = r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{Name: "no-such-program"})
	refused(t, "a name that none has", err, fault.AppNotRunning, `named "no-such-program"`)
}

func startOf(t *testing.T, pid int) string {
	t.Helper()
	start, err := processes.StartTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	return start
}

// blind is a desktop whose windows cannot be listed.
type blind struct{ *desktoptest.Desktop }

func (blind) Windows(context.Context, desktop.Environ) ([]desktop.Window, error) {
	return nil, fault.New(fault.ToolFailed, "the display is locked")
}

func TestWindowListFailureReachesCaller(t *testing.T) {
	r := desktoptest.Open(t, blind{desktoptest.New()})
	_, err := r.Windows(t.Context(), r.Call, "")
	refused(t, "windows", err, fault.ToolFailed, "the display is locked")
	_, err = r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{Title: "any"})
	refused(t, "by title", err, fault.ToolFailed, "the display is locked")
	_, err = r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{Name: "no-such-program"})
	refused(t, "by name, which needs no window", err, fault.AppNotRunning)
}

func TestSessionListsOnlyWindowsOfItsProcesses(t *testing.T) {
	r := start(t)
	other := r.Child()
	r.Desk.Begin(other)
	pids := func(id string) (all []int) {
		t.Helper()
		windows, err := r.Windows(t.Context(), r.Call, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range windows {
			all = append(all, w.PID)
		}
		return all
	}
	if got := pids(""); len(got) != 2 || !slices.Contains(got, other) || !slices.Contains(got, r.s.PID) {
		t.Errorf("got the windows of %v, want those of %d and %d", got, r.s.PID, other)
	}
	if got := pids(r.s.ID); !slices.Equal(got, []int{r.s.PID}) {
		t.Errorf("got the windows of %v, want those of %d", got, r.s.PID)
	}
	_, err := r.Windows(t.Context(), r.Call, "none")
	refused(t, "a session that is not there", err, fault.SessionNotFound)
	_, err = r.Windows(t.Context(), &op.Call{Session: "b"}, r.s.ID)
	refused(t, "a session of another", err, fault.Forbidden)
}

func TestSessionIncludesWindowOfChildProcess(t *testing.T) {
	r := desktoptest.Open(t, desktoptest.New())
	s, err := r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"sh", "-c", "sleep 600 & echo $!; wait"}})
	if err != nil {
		t.Fatal(err)
	}
	child := 0
	for child == 0 && t.Context().Err() == nil { // its output arrives when it is scheduled
		status, err := r.Status(r.Call, s.ID, process.Reading{}, outfile.File{})
		if err != nil {
			t.Fatal(err)
		}
		if line, whole := strings.CutSuffix(status.Stdout.Text, "\n"); whole {
			if child, err = strconv.Atoi(line); err != nil {
				t.Fatal(err)
			}
		}
	}
	app := r.Desk.Begin(child)
	if windows, err := r.Windows(t.Context(), r.Call, s.ID); err != nil || len(windows) != 1 || windows[0].PID != child {
		t.Errorf("got %+v, %v, want the window of process %d", windows, err, child)
	}
	scene, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: s.ID, Tree: true, Pick: desktop.Pick{Bytes: 1 << 20}})
	if err != nil || !strings.Contains(scene.Text, "Action") || app.Looks() == 0 {
		t.Errorf("got %q, %v, want the window of process %d", scene.Text, err, child)
	}
	if pid, err := r.PID(r.Call, s.ID); err != nil || pid != s.PID {
		t.Errorf("got %d, %v, want the session's own process %d for a debugger", pid, err, s.PID)
	}
}

func TestWindowsWaitsForFirstWindow(t *testing.T) {
	desk := &late{Desktop: desktoptest.New()}
	r := desktoptest.Open(t, desk)
	s, err := r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"sleep", "600"}})
	if err != nil {
		t.Fatal(err)
	}
	desk.pid = s.PID
	if windows, err := r.Windows(t.Context(), r.Call, s.ID); err != nil || len(windows) != 1 || desk.asked < 3 {
		t.Errorf("got %+v, %v after %d questions, want the window that came with the third", windows, err, desk.asked)
	}
	over, cancel := context.WithCancel(t.Context())
	desk.asked, desk.cancel = 0, cancel
	delete(desk.Apps, s.PID)
	if _, err := r.Windows(over, r.Call, s.ID); err == nil || over.Err() == nil {
		t.Errorf("got %v, want the call's own end while it waits", err)
	}
}

// late is a desktop on which the window of a program comes with the third question; where cancel is set, the caller leaves then.
type late struct {
	*desktoptest.Desktop
	pid    int
	asked  int
	cancel func()
}

func (l *late) Windows(ctx context.Context, env desktop.Environ) ([]desktop.Window, error) {
	if l.asked++; l.asked == 3 {
		if l.cancel != nil {
			l.cancel()
		} else {
			l.Begin(l.pid)
		}
	}
	return l.Desktop.Windows(ctx, env)
}

func TestEndedProgramIsRefused(t *testing.T) {
	r := desktoptest.Open(t, desktoptest.New())
	s, err := r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"sh", "-c", "echo bye; exit 3"}})
	if err != nil {
		t.Fatal(err)
	}
	if status := await(t, r, s.ID); status.Exit == nil || *status.Exit != 3 || status.Stdout.Text != "bye\n" {
		t.Errorf("got %+v, want exit code 3 and what it printed", status)
	}
	ended := fmt.Sprintf("Process not running (PID %d exited). Cannot ", s.PID)
	for what, call := range map[string]func() error{
		"list its windows":    func() error { _, err := r.Windows(t.Context(), r.Call, s.ID); return err },
		"look at its windows": func() error { _, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: s.ID}); return err },
		"debug it":            func() error { _, err := r.PID(r.Call, s.ID); return err },
		"perform UI action": func() error {
			_, err := r.Act(t.Context(), r.Call, desktop.Request{Session: s.ID, Action: desktop.Click, ID: new("x")})
			return err
		},
	} {
		f := refused(t, what, call(), fault.AppNotRunning, ended+what+".", hint.Do("debug_session", "action", "status", "sessionId", s.ID))
		if f.Details["field"] != "sessionId" || f.Dispatched != fault.NotDispatched {
			t.Errorf("%s: got %+v, want the field and that nothing was sent", what, f)
		}
	}
}

func TestSessionsBelongToTheirClient(t *testing.T) {
	r := start(t)
	if all := r.Sessions(r.Call); len(all) != 1 || all[0].ID != r.s.ID || !all[0].Running {
		t.Errorf("got %+v, want the one session", all)
	}
	other := &op.Call{Session: "b"}
	if all := r.Sessions(other); len(all) != 0 {
		t.Errorf("got %+v, want none of another client", all)
	}
	_, err := r.Status(other, r.s.ID, process.Reading{}, outfile.File{})
	refused(t, "status", err, fault.Forbidden)
	_, err = r.Stop(t.Context(), other, r.s.ID)
	refused(t, "stop", err, fault.Forbidden)
	_, err = r.PID(other, r.s.ID)
	refused(t, "debug", err, fault.Forbidden)
	if status, err := r.Stop(t.Context(), r.Call, r.s.ID); err != nil || status.Running {
		t.Errorf("got %+v, %v, want the program ended", status, err)
	}
	_, err = r.Status(r.Call, r.s.ID, process.Reading{}, outfile.File{})
	refused(t, "status of a session that was stopped", err, fault.SessionNotFound)
}
