package atspi

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
)

func env(pairs ...string) func(string) string {
	all := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return all[name] }
}

// bare program: one with an environment of exactly these variables; it ends with the test.
func sleeper(t *testing.T, user uint32, environment ...string) int {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.Env = append([]string{"A=b"}, environment...)
	if user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() // it may have ended
		cmd.Wait()
	})
	return cmd.Process.Pid
}

// TestOpenFailureNamesObstacle: the fault names the obstacle and the remedy.
func TestOpenFailureNamesObstacle(t *testing.T) {
	refusing := func(context.Context, string, ...dbus.ConnOption) (*dbus.Conn, error) {
		return nil, errors.New("nobody there")
	}
	silent := &fakeBus{programs: []*fakeProgram{gtk3App().program}, before: func(c fakeCall) *fakeReply {
		if c.member == "Hello" {
			return &fakeReply{silent: true}
		}
		return nil
	}}
	for _, row := range []struct {
		name string
		pid  func(t *testing.T) int
		o    Options
		code fault.Code
		says []string
	}{
		{name: "no process", pid: func(*testing.T) int { return 1 << 30 }, code: fault.AppNotRunning,
			says: []string{"process 1073741824 is not running"}},
		{name: "pid 0", pid: func(*testing.T) int { return 0 }, code: fault.InvalidInput, says: []string{"invalid process id 0"}},
		{name: "pid -5", pid: func(*testing.T) int { return -5 }, code: fault.InvalidInput, says: []string{"invalid process id -5"}},
		{name: "no display", pid: func(t *testing.T) int { return sleeper(t, 0) }, o: Options{Getenv: env()}, code: fault.ToolMissing,
			says: []string{"DISPLAY is not set", "Xvfb"}},
		{name: "wayland", pid: func(t *testing.T) int { return sleeper(t, 0, "WAYLAND_DISPLAY=wayland-0") },
			o: Options{Getenv: env("DISPLAY", ":9")}, code: fault.Unsupported, says: []string{"Wayland (wayland-0)", "GDK_BACKEND=x11",
				"QT_QPA_PLATFORM=xcb", "XWayland"}},
		{name: "a dead display", pid: func(t *testing.T) int { return sleeper(t, 0, "DISPLAY=/nowhere/x:3") }, o: Options{Getenv: env()},
			code: fault.ToolMissing, says: []string{"display /nowhere/x:3 does not answer", "XAUTHORITY"}},
		{name: "no display of that name", pid: func(t *testing.T) int { return sleeper(t, 0, "DISPLAY=nonsense") }, o: Options{Getenv: env()},
			code: fault.ToolMissing, says: []string{`invalid display name "nonsense"`}},
		{name: "no session bus", pid: func(t *testing.T) int { return sleeper(t, 0) }, o: Options{blind: true, Getenv: env()},
			code: fault.ToolMissing,
			says: []string{"no session bus", "dbus-run-session"}},
		{name: "a dead session bus", pid: func(t *testing.T) int { return sleeper(t, 0, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere") },
			o: Options{blind: true, Getenv: env(), Dial: refusing}, code: fault.ToolMissing, says: []string{"no session bus"}},
		{name: "a bus that is silent", pid: func(t *testing.T) int { return sleeper(t, 0, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere") },
			o: Options{blind: true, Getenv: env(), Dial: silent.dial,
				Answer: 50 * time.Millisecond}, code: fault.ToolMissing, says: []string{"no session bus"}},
		{name: "no at-spi", pid: func(t *testing.T) int { return sleeper(t, 0) }, o: Options{blind: true,
			Getenv: env("DBUS_SESSION_BUS_ADDRESS", "fake"),
			Dial:   (&fakeBus{noA11y: true}).dial}, code: fault.ToolMissing, says: []string{"no accessibility bus", "at-spi2-core"}},
		{name: "not on the bus", pid: func(t *testing.T) int { return sleeper(t, 0) }, o: Options{blind: true,
			Getenv: env("DBUS_SESSION_BUS_ADDRESS", "fake"),
			Dial:   (&fakeBus{}).dial, Patience: time.Millisecond}, code: fault.Unsupported,
			says: []string{"not on the accessibility bus", "force-renderer-accessibility", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			app, err := New(row.o).Open(t.Context(), row.pid(t))
			f, is := fault.In(err)
			if app != nil || !is || f.Code != row.code {
				t.Fatalf("%v, %v", app, err)
			}
			for _, s := range row.says {
				if !strings.Contains(f.Message+" "+f.Hint, s) {
					t.Errorf("%q is missing in %q, hint %q", s, f.Message, f.Hint)
				}
			}
		})
	}
}

// TestOpenRefusesProcessOfAnotherUser: as root, the rule is asked as another user would ask it, in a process of that user.
func TestOpenRefusesProcessOfAnotherUser(t *testing.T) {
	const nobody = 65534
	if os.Getenv("IOS_AGENT_TEST_PID") != "" {
		var pid int
		for _, c := range os.Getenv("IOS_AGENT_TEST_PID") {
			pid = pid*10 + int(c-'0')
		}
		_, err := New(Options{}).Open(t.Context(), pid)
		if !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), "belongs to another user") {
			t.Fatalf("%v", err)
		}
		return
	}
	if os.Geteuid() != 0 {
		if _, err := New(Options{}).Open(t.Context(), 1); !fault.Is(err, fault.Forbidden) {
			t.Errorf("the first process: %v", err)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	readable := t.TempDir() + "/test"
	for _, dir := range []string{t.TempDir(), readable[:len(readable)-5], readable[:len(readable)-9]} {
		os.Chmod(dir, 0o755)
	}
	if raw, err := os.ReadFile(self); err != nil || os.WriteFile(readable, raw, 0o755) != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(readable, "-test.run", "^TestOpenRefusesProcessOfAnotherUser$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = []string{"IOS_AGENT_TEST_PID=" + itoa(sleeper(t, 0)), "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestOpenRefusesProcessOfAnotherUser") {
		t.Errorf("%v\n%s", err, out)
	}
	if err := allowed(sleeper(t, nobody)); err != nil {
		t.Errorf("root may drive all: %v", err)
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// TestProcessEnvironmentSelectsDisplayAndBus: display and bus come from the environment of the process; the daemon's fills in missing
// values.
func TestProcessEnvironmentSelectsDisplayAndBus(t *testing.T) {
	daemon := env("DISPLAY", ":1", "XAUTHORITY", "/d/auth", "DBUS_SESSION_BUS_ADDRESS", "unix:path=/d/bus", "HOME", "/d")
	for name, row := range map[string]struct {
		own  []string
		want place
	}{
		"all its own": {[]string{"DISPLAY=:7", "HOME=/p", "DBUS_SESSION_BUS_ADDRESS=unix:path=/p/bus", "AT_SPI_BUS_ADDRESS=unix:path=/p/a"},
			place{display: ":7", authority: "/p/.Xauthority", session: "unix:path=/p/bus", access: "unix:path=/p/a"}},
		"nothing": {nil, place{display: ":1", authority: "/d/auth", other: "unix:path=/d/bus"}},
		"a display and no authority": {[]string{"DISPLAY=:7"},
			place{display: ":7", other: "unix:path=/d/bus"}},
		"wayland": {[]string{"WAYLAND_DISPLAY=w", "XDG_RUNTIME_DIR=/nowhere"}, place{wayland: "w", other: "unix:path=/d/bus"}},
	} {
		if got := environOf(sleeper(t, 0, row.own...), daemon).place(); got != row.want {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
	}
	if got := environOf(1<<30, daemon).place(); got.display != ":1" || got.session != "unix:path=/d/bus" {
		t.Errorf("one that cannot be read: %+v", got)
	}
}

// TestOpenNamesChildThatShowsWindows: a script whose child shows the windows.
func TestOpenNamesChildThatShowsWindows(t *testing.T) {
	app := gtk3App()
	app.program.pid = sleeper(t, 0)
	_, err := fakeDesktop(&fakeBus{programs: []*fakeProgram{app.program}}, nil).Open(t.Context(), os.Getpid())
	f, is := fault.In(err)
	if !is || f.Code != fault.Unsupported || f.Details["child"] != app.program.pid {
		t.Errorf("%v", err)
	}
}

// TestPrepareEnablesAccessibilityOnce: the bus is started and enabled, once; without a session there is a fault.
func TestPrepareEnablesAccessibilityOnce(t *testing.T) {
	f := &fakeBus{}
	d := fakeDesktop(f, nil)
	for range 2 {
		more, err := d.Prepare(t.Context(), env("DBUS_SESSION_BUS_ADDRESS", "fake"))
		if err != nil || !f.enabled || !slices.Contains(more, "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1") || !slices.Contains(more, "NO_AT_BRIDGE=0") {
			t.Errorf("%q, %v", more, err)
		}
	}
	if f.calls["Set"] != 1 {
		t.Errorf("set %d times: %v", f.calls["Set"], maps.Collect(maps.All(f.calls)))
	}
	if _, err := d.Prepare(t.Context(), env()); !fault.Is(err, fault.ToolMissing) {
		t.Errorf("no session: %v", err)
	}
	if _, err := fakeDesktop(&fakeBus{noA11y: true}, nil).Prepare(t.Context(), env("DBUS_SESSION_BUS_ADDRESS", "x")); !fault.Is(err,
		fault.ToolMissing) {
		t.Errorf("no at-spi: %v", err)
	}
	if _, err := New(Options{}).Prepare(t.Context(), env("DBUS_SESSION_BUS_ADDRESS", "x")); !fault.Is(err, fault.ToolMissing) {
		t.Errorf("no display: %v", err)
	}
	// All that is missing is named at once.
	if _, err := New(Options{}).Prepare(t.Context(), env()); !fault.Is(err, fault.ToolMissing) ||
		!strings.Contains(err.Error(), "DISPLAY and DBUS_SESSION_BUS_ADDRESS are not set") {
		t.Errorf("neither display nor session: got %v, want both named", err)
	}
	if _, err := New(Options{Getenv: env()}).Windows(t.Context(), env()); !fault.Is(err, fault.ToolMissing) {
		t.Errorf("windows without a display: %v", err)
	}
}

// TestInputWithoutDisplayIsFault: input and pictures are faults, never panics.
func TestInputWithoutDisplayIsFault(t *testing.T) {
	a := openFake(t, &fakeBus{programs: []*fakeProgram{gtk3App().program}}, nil)
	_, _, captured := a.Capture(t.Context(), "")
	at := look(t, a).Windows[0].Bounds.Centre()
	for what, err := range map[string]error{
		"capture": captured, "click": a.Click(t.Context(), at, 1, 1), "type": a.Type(t.Context(), "x"), "scroll": a.Scroll(t.Context(), at, 0, 1),
		"press": a.Press(t.Context(), desktop.Chord{Key: "a"}, 1), "hold": a.Hold(t.Context(), at, 0),
		"drag": a.Drag(t.Context(), desktop.Move{From: at}),
	} {
		if !fault.Is(err, fault.ToolMissing) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestUnlistedProgramIsFoundByProcess: a program that the registry forgot is found by its process.
func TestUnlistedProgramIsFoundByProcess(t *testing.T) {
	app := gtk3App()
	app.program.unlisted = true
	titled(t, look(t, openFake(t, &fakeBus{programs: []*fakeProgram{app.program}}, nil)), "Bold")
}
