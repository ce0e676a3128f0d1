package simctl

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/machine/host"
)

const device = "00000000-0000-0000-0000-000000000001"

// script is simctl: it notes what it is asked and answers the same every time.
type script struct {
	asked  []host.Cmd
	stdout string
	stderr string
	code   int
	write  string // to the file that is the last argument
}

func (s *script) Run(_ context.Context, c host.Cmd) (host.Result, error) {
	s.asked = append(s.asked, c)
	if s.write != "" {
		if err := os.WriteFile(c.Args[len(c.Args)-1], []byte(s.write), 0o644); err != nil {
			return host.Result{}, err
		}
	}
	r := host.Result{Stdout: []byte(s.stdout), Stderr: []byte(s.stderr), ExitCode: s.code}
	if s.code != 0 {
		return r, &host.ExitError{Name: c.Name, Code: s.code, StderrTail: s.stderr}
	}
	return r, nil
}

func TestToolRunsExpectedCommandLines(t *testing.T) {
	app := t.TempDir()
	for want, call := range map[string]func(Tool) error{
		"list -j":                        func(x Tool) error { _, err := x.List(t.Context()); return err },
		"boot " + device:                 func(x Tool) error { return x.Boot(t.Context(), device) },
		"bootstatus " + device + " -b":   func(x Tool) error { return x.BootStatus(t.Context(), device) },
		"shutdown " + device:             func(x Tool) error { return x.Shutdown(t.Context(), device) },
		"install " + device + " " + app:  func(x Tool) error { return x.Install(t.Context(), device, app) },
		"terminate " + device + " com.a": func(x Tool) error { return x.Terminate(t.Context(), device, "com.a") },
		"spawn " + device + " log show -x": func(x Tool) error {
			_, err := x.Spawn(t.Context(), device, "log", "show", "-x")
			return err
		},
	} {
		s := &script{stdout: "{}"}
		if err := call(Tool{Run: s, Xcrun: "/bin/xcrun", Env: []string{"DEVELOPER_DIR=/x"}}); err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		c := s.asked[0]
		if got := strings.Join(c.Args, " "); got != "simctl "+want || c.Name != "/bin/xcrun" || c.Timeout <= 0 {
			t.Errorf("want %s, got %+v", want, c)
		}
		if !slices.Equal(c.Env, []string{"DEVELOPER_DIR=/x"}) {
			t.Errorf("%s: env %q", want, c.Env)
		}
	}
}

func TestLaunchPassesOptionsAndReadsPID(t *testing.T) {
	s := &script{stdout: "a remark\ncom.a.b: 4711\n"}
	x := Tool{Run: s, Env: []string{"DEVELOPER_DIR=/x"}}
	o := LaunchOptions{
		Args: []string{"-flag", "two words"}, Env: map[string]string{"B": "2", "A": "1"}, TerminateRunning: true, WaitForDebugger: true,
	}
	pid, err := x.Launch(t.Context(), device, "com.a.b", o)
	if err != nil || pid != 4711 {
		t.Fatalf("pid %d, %v", pid, err)
	}
	c := s.asked[0]
	want := []string{"simctl", "launch", "--terminate-running-process", "--wait-for-debugger", device, "com.a.b", "-flag", "two words"}
	if c.Name != "xcrun" || !slices.Equal(c.Args, want) {
		t.Errorf("%s %q", c.Name, c.Args)
	}
	if !slices.Equal(c.Env, []string{"DEVELOPER_DIR=/x", "SIMCTL_CHILD_A=1", "SIMCTL_CHILD_B=2"}) {
		t.Errorf("env %q", c.Env)
	}
	for _, out := range []string{"", "com.a.b: -1", "com.a.b: x", "com.a.bc: 3"} {
		s.stdout = out
		if pid, err := x.Launch(t.Context(), device, "com.a.b", LaunchOptions{}); err == nil {
			t.Errorf("%q: pid %d", out, pid)
		}
	}
}

func TestVerbsAcceptStateThatIsAlreadyReached(t *testing.T) {
	booted := func(state string) string { return strings.Replace(bootedError, "Booted", state, 1) }
	for name, c := range map[string]struct {
		stderr string
		call   func(Tool) error
		fine   bool
	}{
		"boot a booted one":       {booted("Booted"), func(x Tool) error { return x.Boot(t.Context(), device) }, true},
		"boot a booting one":      {booted("Booting"), func(x Tool) error { return x.Boot(t.Context(), device) }, true},
		"boot one in creation":    {booted("Creating"), func(x Tool) error { return x.Boot(t.Context(), device) }, false},
		"boot, only text":         {"in current state: Booted", func(x Tool) error { return x.Boot(t.Context(), device) }, false},
		"shutdown of one down":    {booted("Shutdown"), func(x Tool) error { return x.Shutdown(t.Context(), device) }, true},
		"shutdown of one booted":  {booted("Booted"), func(x Tool) error { return x.Shutdown(t.Context(), device) }, false},
		"terminate what does not": {notRunningError, func(x Tool) error { return x.Terminate(t.Context(), device, "a") }, true},
		"terminate elsewhere":     {booted("Shutdown"), func(x Tool) error { return x.Terminate(t.Context(), device, "a") }, false},
	} {
		err := c.call(Tool{Run: &script{stderr: c.stderr, code: 149}})
		if (err == nil) != c.fine {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsAreTyped(t *testing.T) {
	x := Tool{Run: &script{stderr: bootedError, code: 149}}
	_, err := x.Spawn(t.Context(), device, "true")
	var e *Error
	var exit *host.ExitError
	if !errors.As(err, &e) || e.Code != 405 || !errors.As(err, &exit) || exit.Code != 149 {
		t.Fatalf("got %v", err)
	}
	if !strings.HasPrefix(err.Error(), "simctl spawn: Unable to boot") {
		t.Errorf("message %q", err)
	}
	_, err = Tool{Run: &script{code: 3}}.Spawn(t.Context(), device, "false")
	if errors.As(err, &e) && e.Code == 3 || !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("a program's own exit: %v", err)
	}
	s := &script{}
	for _, odd := range []string{"", "--help"} {
		if err := (Tool{Run: s}).Boot(t.Context(), odd); err == nil || len(s.asked) > 0 {
			t.Errorf("%q was taken for a device: %v", odd, err)
		}
	}
}

func TestScreenshotReturnsPNGAndRemovesFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := &script{write: "\x89PNG\r\n\x1a\nrest", stderr: "Detected file type 'PNG' from extension"}
	b, err := Tool{Run: s}.Screenshot(t.Context(), device)
	if err != nil || string(b) != s.write {
		t.Fatalf("got %q, %v", b, err)
	}
	args := s.asked[0].Args
	if !slices.Equal(args[:4], []string{"simctl", "io", device, "screenshot"}) {
		t.Errorf("args %q", args)
	}
	for _, s := range []*script{{write: "GIF89a"}, {}, {code: 1, stderr: "no"}} {
		if b, err := (Tool{Run: s}).Screenshot(t.Context(), device); err == nil {
			t.Errorf("accepted %q", b)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
