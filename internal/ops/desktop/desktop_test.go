package desktop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/op"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/ui"
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
func (r *started) id(title string) (id string) {
	r.t.Helper()
	scene := r.look(desktopops.Looking{Tree: true, Pick: desktop.Pick{Verbose: true, Bytes: 1 << 20}})
	var doc struct{ Nodes []*desktop.Node }
	if err := json.Unmarshal([]byte(scene.Text), &doc); err != nil {
		r.t.Fatalf("%v: %s", err, scene.Text)
	}
	for _, w := range doc.Nodes {
		w.Walk(func(n *desktop.Node) bool {
			if n.Title == title {
				id = n.ID
			}
			return id == ""
		})
	}
	if id == "" {
		r.t.Fatalf("no element is called %s", title)
	}
	return id
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
		Argv: []string{"sh", "-c", `echo "$DISPLAY|$OWN|$WAYLAND_DISPLAY|$(pwd)"`}, Env: []string{"OWN=1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := await(t, r, s.ID).Stdout.Text; got != ":7|1||"+r.Dir+"\n" {
		t.Errorf("got %q, want the client's display, its own variable and the client's folder", got)
	}
	other := t.TempDir()
	if s, err = r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"pwd"}, Dir: other}); err != nil {
		t.Fatal(err)
	}
	if got := await(t, r, s.ID).Stdout.Text; got != other+"\n" || !r.Call.Outside {
		t.Errorf("got %q, outside of Apple's tools %v, want the folder that was asked for", got, r.Call.Outside)
	}
	_, err = r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{})
	refused(t, "an empty command", err, fault.InvalidInput, "command is empty")
}

// await waits until a session's program has ended.
func await(t *testing.T, r *desktoptest.Room, id string) process.Status {
	t.Helper()
	for t.Context().Err() == nil { // the kernel tells nobody here
		s, err := r.Status(r.Call, id)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Running {
			return s
		}
	}
	return process.Status{}
}

func TestNothingIsSeenWhereThereIsNoDesktop(t *testing.T) {
	r := desktoptest.Open(t, nil)
	_, err := r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"true"}})
	refused(t, "launch", err, fault.Unsupported, "sees no windows", "on Linux with X11, or on macOS")
	_, err = r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{PID: os.Getppid()})
	refused(t, "attach", err, fault.Unsupported)
	_, err = r.Windows(t.Context(), r.Call, "")
	refused(t, "windows", err, fault.Unsupported)
	_, err = r.Look(t.Context(), r.Call, desktopops.Looking{Session: "x"})
	refused(t, "look", err, fault.Unsupported)
}

func TestAttachFindsTheProcessThatIsMeant(t *testing.T) {
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

func TestWindowsThatCannotBeListed(t *testing.T) {
	r := desktoptest.Open(t, blind{desktoptest.New()})
	_, err := r.Windows(t.Context(), r.Call, "")
	refused(t, "windows", err, fault.ToolFailed, "the display is locked")
	_, err = r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{Title: "any"})
	refused(t, "by title", err, fault.ToolFailed, "the display is locked")
	_, err = r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{Name: "no-such-program"})
	refused(t, "by name, which needs no window", err, fault.AppNotRunning)
}

func TestWindowsOfASessionAreThoseOfItsProcesses(t *testing.T) {
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

func TestWindowOfAProcessThatTheProgramStarted(t *testing.T) {
	r := desktoptest.Open(t, desktoptest.New())
	s, err := r.Launch(t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"sh", "-c", "sleep 600 & echo $!; wait"}})
	if err != nil {
		t.Fatal(err)
	}
	child := 0
	for child == 0 && t.Context().Err() == nil { // its output arrives when it is scheduled
		status, err := r.Status(r.Call, s.ID)
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

func TestFirstWindowIsWaitedFor(t *testing.T) {
	desk := &late{Desktop: desktoptest.New(), shows: map[int]bool{}}
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
	shows  map[int]bool
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

func TestProgramThatEndedIsTold(t *testing.T) {
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
		f := refused(t, what, call(), fault.AppNotRunning, ended+what+".", "`ios-agent app session status "+s.ID+"`")
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
	_, err := r.Status(other, r.s.ID)
	refused(t, "status", err, fault.Forbidden)
	_, err = r.Stop(t.Context(), other, r.s.ID)
	refused(t, "stop", err, fault.Forbidden)
	_, err = r.PID(other, r.s.ID)
	refused(t, "debug", err, fault.Forbidden)
	if status, err := r.Stop(t.Context(), r.Call, r.s.ID); err != nil || status.Running {
		t.Errorf("got %+v, %v, want the program ended", status, err)
	}
	_, err = r.Status(r.Call, r.s.ID)
	refused(t, "status of a session that was stopped", err, fault.SessionNotFound)
}

func TestProcessThatIsStoppedAnswersNobody(t *testing.T) {
	r := start(t)
	stopped := func(is bool) {
		t.Helper()
		if err := syscall.Kill(r.s.PID, map[bool]syscall.Signal{true: syscall.SIGSTOP, false: syscall.SIGCONT}[is]); err != nil {
			t.Fatal(err)
		}
		for process.Stopped(r.s.PID) != is && t.Context().Err() == nil { // a signal arrives when its process is scheduled
		}
	}
	stopped(true)
	_, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID})
	f := refused(t, "look", err, fault.AppPaused, fmt.Sprintf("process %d does not answer", r.s.PID), fmt.Sprintf("`kill -CONT %d`", r.s.PID))
	if f.Dispatched != fault.NotDispatched {
		t.Errorf("got %+v, want that nothing was sent", f)
	}
	stopped(false)
	r.look(desktopops.Looking{Tree: true})
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

func TestPictureIsOfTheWindowOfTheElement(t *testing.T) {
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

func TestProgramWithoutAWindowIsNotInFront(t *testing.T) {
	r := start(t)
	r.look(desktopops.Looking{Tree: true})
	r.app.Leave()
	s, err := r.Attach(t.Context(), r.Call, desktopops.DesktopAttach{PID: r.s.PID})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Look(t.Context(), r.Call, desktopops.Looking{Session: s.ID, Tree: true})
	refused(t, "look", err, fault.AppNotInFront, "shows no window any more")
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

func TestProgramThatEndsDuringALookIsTold(t *testing.T) {
	r, desk := crack(t)
	desk.look = func() error {
		r.end()
		return errors.New("the connection is gone")
	}
	_, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Tree: true})
	refused(t, "look", err, fault.AppNotRunning, fmt.Sprintf("Process not running (PID %d exited). Cannot look at its windows.", r.s.PID))
}

func TestProgramThatRunsAndCannotBeSeenIsNotInFront(t *testing.T) {
	r, desk := crack(t)
	desk.look = func() error { return fault.New(fault.AppNotRunning, "it left the bus") }
	_, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Tree: true})
	f := refused(t, "look", err, fault.AppNotInFront, "it left the bus", "`ios-agent app windows` lists the windows there are")
	if f.Dispatched != fault.NotDispatched {
		t.Errorf("got %+v, want that nothing was sent", f)
	}
	desk.look = func() error { return fault.New(fault.ToolFailed, "the bus is full") }
	_, err = r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Tree: true})
	refused(t, "another fault", err, fault.ToolFailed, "the bus is full")
}

func TestProgramThatEndsByAnActionIsTold(t *testing.T) {
	r, desk := crack(t)
	id := r.id("Action")
	desk.press = func() error { r.end(); return nil }
	got, err := r.Act(t.Context(), r.Call, desktop.Request{Session: r.s.ID, Action: desktop.Click, ID: &id})
	if err == nil {
		t.Fatalf("got %+v, want a fault", got)
	}
	refused(t, "act", err, fault.AppEnded, "`ios-agent app session status "+r.s.ID+"` tells how it ended")
}

func TestElementThatGoesAwayBeforeItsActionIsAnAnswer(t *testing.T) {
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
