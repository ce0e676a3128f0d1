//go:build macaxfake

package macax

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebitengine/purego"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
)

// pid is the process that the fake app says it is.
const pid = 4242

// The numbers of elements in testdata/ax.c.
const (
	windowID = 2
	buttonID = 5
	labelID  = 8
	listID   = 11
	groupID  = 22
)

// built is the folder of the libraries: the fake frameworks, and a variant without the optional functions.
var built struct{ now, old string }

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "macax")
	if err == nil {
		built.now, err = compile(dir, "now.so")
	}
	if err == nil {
		built.old, err = compile(dir, "old.so", "-DOLD")
	}
	code := 1
	switch {
	case err == nil:
		code = m.Run()
	case errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") != "true":
		fmt.Println("skipped: the fake frameworks need gcc:", err)
		code = 0
	default:
		fmt.Println(err)
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func compile(dir, name string, more ...string) (path string, err error) {
	sources, err := filepath.Glob("testdata/*.c")
	if err != nil || len(sources) == 0 {
		return "", fmt.Errorf("no sources: %w", err)
	}
	path = filepath.Join(dir, name)
	args := append(append([]string{"-shared", "-fPIC", "-g", "-O1", "-Wall", "-Werror", "-o", path}, more...), sources...)
	out, err := exec.Command("gcc", append(args, "-lm", "-lpthread")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return path, nil
}

// fake is the fake frameworks' own side.
type fake struct {
	reset                                                  func(pid int32)
	live, made                                             func() int64
	told, wrong                                            func() string
	forget, cycle, idle                                    func()
	trust, hang, hide, deep, wide, kill, silence, minimize func(int32)
	shift, mayPicture, single, mute, modal                 func(int32)
	active, stubborn, cover, lag, userClicks, noImage      func(int32)
	responsible                                            func(pid int32)
	session                                                func(int32)
	asked                                                  func() int32
	second                                                 func() int32
	errors                                                 func(perform, set, observer, notification axError)
	timeout                                                func() float32
	pools, pushed, observers, registered, manual, downs    func() int32
	title                                                  func(id int32, title string)
}

func control(t testing.TB, library string) *fake {
	t.Helper()
	handle, err := purego.Dlopen(library, purego.RTLD_NOW)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{}
	for name, to := range map[string]any{
		"reset": &f.reset, "live": &f.live, "made": &f.made, "told": &f.told, "wrong": &f.wrong, "forget": &f.forget, "cycle": &f.cycle,
		"idle":  &f.idle,
		"trust": &f.trust, "hang": &f.hang, "hide": &f.hide, "deep": &f.deep, "wide": &f.wide, "kill": &f.kill, "silence": &f.silence,
		"minimize": &f.minimize, "hold_shift": &f.shift, "allow_pictures": &f.mayPicture, "second_window": &f.second, "errors": &f.errors,
		"timeout": &f.timeout, "pools": &f.pools, "pushed": &f.pushed, "observers": &f.observers, "registered": &f.registered,
		"active": &f.active, "stubborn": &f.stubborn, "cover": &f.cover, "lag": &f.lag, "user_clicks": &f.userClicks,
		"no_image": &f.noImage, "responsible": &f.responsible, "session": &f.session, "asked": &f.asked,
		"manual": &f.manual, "single": &f.single, "modal": &f.modal, "mute": &f.mute, "downs": &f.downs, "title": &f.title,
	} {
		purego.RegisterLibFunc(to, handle, "fake_"+name)
	}
	f.reset(pid)
	return f
}

func libraries(path string) Libraries { return Libraries{path, path, path, path} }

// newDesktop is a desktop over the fake frameworks. At the end each object must be released as often as it was retained.
func newDesktop(t testing.TB, path string) (*Desktop, *fake) {
	t.Helper()
	f := control(t, path)
	before := f.live()
	d := New(Options{Libraries: libraries(path), Alive: func(int) error { return nil }, Pace: time.Nanosecond, Press: time.Nanosecond,
		Drop: time.Nanosecond})
	t.Cleanup(func() {
		kept := 0 // names that a library keeps
		if l, err := d.load(); err == nil {
			kept = len(l.names)
		}
		if left := f.live() - before - int64(kept); left != 0 {
			t.Errorf("%d objects are left", left)
		}
		if wrong := f.wrong(); wrong != "" {
			t.Errorf("the frameworks complain:\n%s", wrong)
		}
		if f.pools() != 0 || f.observers() != 0 || f.registered() != 0 {
			t.Errorf("left: %d pools, %d observers, %d notifications", f.pools(), f.observers(), f.registered())
		}
	})
	return d, f
}

// open opens the fake app.
func open(t testing.TB) (*App, *fake) {
	t.Helper()
	d, f := newDesktop(t, built.now)
	a, err := d.Open(t.Context(), pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a.(*App), f
}

func look(t testing.TB, a *App) *desktop.Tree {
	t.Helper()
	tree, err := a.Look(t.Context(), desktop.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// find is the first element with a title, or else with a value.
func find(t testing.TB, tree *desktop.Tree, name string) (found *desktop.Node) {
	t.Helper()
	tree.Walk(func(n *desktop.Node) bool {
		if n.Title == name || n.Value != nil && *n.Value == name {
			found = n
		}
		return found == nil
	})
	if found == nil {
		t.Fatalf("there is no %q", name)
	}
	return found
}

// wantFault checks an error's code and that its message or hint has texts.
func wantFault(t testing.TB, err error, code fault.Code, texts ...string) *fault.Fault {
	t.Helper()
	f, is := errors.AsType[*fault.Fault](err)
	if !is || f.Code != code {
		t.Fatalf("%v, and not %s", err, code)
	}
	for _, text := range texts {
		if !strings.Contains(f.Message+"\n"+f.Hint, text) {
			t.Errorf("%q is not in %q, hint %q", text, f.Message, f.Hint)
		}
	}
	return f
}

// soon bounds a wait that should be short, so that a hang is found.
func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
