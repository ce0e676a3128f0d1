package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

func TestExitErrorHasCodeAndStderrTail(t *testing.T) {
	h, _ := newHost(t)
	r, err := h.Run(t.Context(), helper("exit", "7"))
	var exit *host.ExitError
	if !errors.As(err, &exit) || exit.Code != 7 || exit.Signal != "" || r.ExitCode != 7 {
		t.Fatalf("got %+v, %#v", r, err)
	}
	if exit.StderrTail != "on stderr" || string(r.Stderr) != "on stderr\n" {
		t.Errorf("stderr %q, tail %q", r.Stderr, exit.StderrTail)
	}
	if !strings.HasSuffix(err.Error(), "exit code 7: on stderr") {
		t.Errorf("message %q", err)
	}
	if r, err = h.Run(t.Context(), helper("exit", "0")); err != nil || r.ExitCode != 0 || r.Took <= 0 {
		t.Errorf("exit 0: %+v, %v", r, err)
	}
}

func TestExitErrorNamesSignal(t *testing.T) {
	h, _ := newHost(t)
	for sig, name := range map[string]string{"9": "SIGKILL", "15": "SIGTERM"} {
		r, err := h.Run(t.Context(), helper("die", sig))
		var exit *host.ExitError
		if !errors.As(err, &exit) || exit.Signal != name || exit.Code != -1 || r.Signal != name {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestMissingProgramIsNotFoundError(t *testing.T) {
	h, _ := newHost(t)
	for _, name := range []string{"no-such-program-here", filepath.Join(t.TempDir(), "nothing")} {
		_, err := h.Run(t.Context(), host.Cmd{Name: name})
		var missing *host.NotFoundError
		if !errors.As(err, &missing) || missing.Name != name {
			t.Errorf("%s: %#v", name, err)
		}
	}
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := helper("exit", "0")
	c.Dir = filepath.Join(t.TempDir(), "nothing")
	for what, c := range map[string]host.Cmd{"interpreter": {Name: script}, "working directory": c} {
		_, err := h.Run(t.Context(), c)
		var missing *host.NotFoundError
		if err == nil || errors.As(err, &missing) {
			t.Errorf("missing %s: %v", what, err)
		}
	}
}

func TestRunPassesStdinEnvAndDir(t *testing.T) {
	h, _ := newHost(t)
	echo := helper("echo")
	echo.Stdin = strings.NewReader("hello")
	env := helper("env", "GREETING")
	env.Env = append(env.Env, "GREETING=one", "GREETING=two")
	cwd := helper("cwd")
	cwd.Dir, _ = filepath.EvalSymlinks(t.TempDir())
	for want, c := range map[string]host.Cmd{"hello": echo, "two": env, cwd.Dir: cwd} {
		if r, err := h.Run(t.Context(), c); err != nil || string(r.Stdout) != want {
			t.Errorf("want %q, got %q, %v", want, r.Stdout, err)
		}
	}
}

func TestRunReturnsWhileStdinStaysOpen(t *testing.T) {
	h, _ := newHost(t)
	r, w := io.Pipe()
	defer w.Close()
	c := helper("exit", "0")
	c.Stdin = r
	if _, err := h.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func TestTimeoutEndsTheWholeGroup(t *testing.T) {
	h, _ := newHost(t)
	p := newPorch(t)
	c := p.helper("parent")
	c.Timeout, c.Grace = 2*time.Second, 100*time.Millisecond
	_, err := h.Run(t.Context(), c)
	var late *host.TimeoutError
	if !errors.As(err, &late) || late.After != c.Timeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %#v", err)
	}
	for _, g := range p.party(2) {
		g.gone(t)
	}
}

func TestCancelledContextStopsProgram(t *testing.T) {
	h, _ := newHost(t)
	p := newPorch(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { p.next(); cancel() }()
	r, err := h.Run(ctx, p.helper("polite", "0"))
	if !errors.Is(err, context.Canceled) || string(r.Stdout) != "bye\n" {
		t.Fatalf("got %q, %v", r.Stdout, err)
	}
	if _, err := h.Run(ctx, helper("exit", "0")); !errors.Is(err, context.Canceled) {
		t.Errorf("run with a dead context: %v", err)
	}
}

func TestRunReturnsWhileGrandchildHoldsPipe(t *testing.T) {
	h, _ := newHost(t)
	p := newPorch(t)
	r, err := h.Run(t.Context(), p.helper("leaver"))
	if err != nil || string(r.Stdout) != "before\n" {
		t.Fatalf("got %q, %v", r.Stdout, err)
	}
	g := p.next()
	if !processes.Alive(g.pid, "") {
		t.Error("a grandchild of a program that ended by itself was killed")
	}
	proc, err := os.FindProcess(g.pid)
	if err == nil {
		err = proc.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	g.gone(t)
}

func TestHugeOutputIsBounded(t *testing.T) {
	h, _ := newHost(t)
	const size = 50 << 20
	c := helper("flood", fmt.Sprint(size))
	c.MaxOutput = 1 << 20
	var lines int
	c.OnLine = func(host.Stream, []byte) { lines++ }
	r, err := h.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Stdout) != c.MaxOutput || int(r.Truncated)+len(r.Stdout) != size/100*100+len("first\nlast\n") {
		t.Errorf("kept %d, dropped %d", len(r.Stdout), r.Truncated)
	}
	if !strings.HasPrefix(string(r.Stdout), "first\n") || !strings.HasSuffix(string(r.Stdout), "\nlast\n") {
		t.Errorf("head %q, tail %q", r.Stdout[:10], r.Stdout[len(r.Stdout)-10:])
	}
	if want := size/100 + 2; lines != want {
		t.Errorf("%d lines, want %d", lines, want)
	}
}

func TestVeryLongLineIsReportedWhole(t *testing.T) {
	h, _ := newHost(t)
	const size = 5_000_000
	c := helper("longline", fmt.Sprint(size))
	var lengths []int
	c.OnLine = func(_ host.Stream, line []byte) { lengths = append(lengths, len(line)) }
	if _, err := h.Run(t.Context(), c); err != nil || !slices.Equal(lengths, []int{size}) {
		t.Fatalf("lines of %v bytes, %v", lengths, err)
	}
}

func TestOnLineGetsLinesOfBothStreams(t *testing.T) {
	h, _ := newHost(t)
	c := host.Cmd{Name: "sh", Args: []string{"-c", `printf 'a\r\n\nb'; printf 'e\n' >&2`}}
	got := map[host.Stream][]string{}
	c.OnLine = func(s host.Stream, line []byte) { got[s] = append(got[s], string(line)) }
	if _, err := h.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got[host.Stdout], []string{"a", "", "b"}) || !slices.Equal(got[host.Stderr], []string{"e"}) {
		t.Errorf("got %q", got)
	}
}

func TestFiftyProgramsRunConcurrently(t *testing.T) {
	h, _ := newHost(t)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			c := helper("echo")
			c.Stdin = strings.NewReader(fmt.Sprint("run ", i))
			if r, err := h.Run(t.Context(), c); err != nil || string(r.Stdout) != fmt.Sprint("run ", i) {
				t.Errorf("run %d: %q, %v", i, r.Stdout, err)
			}
		})
	}
	wg.Wait()
}

func TestBrokenStdinIsReported(t *testing.T) {
	h, _ := newHost(t)
	broken := errors.New("broken reader")
	c := helper("echo")
	c.Stdin = io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
	if r, err := h.Run(t.Context(), c); !errors.Is(err, broken) || string(r.Stdout) != "half" {
		t.Errorf("got %q, %v", r.Stdout, err)
	}
	c = helper("exit", "0") // wants none of it
	c.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
	if _, err := h.Run(t.Context(), c); err != nil {
		t.Error(err)
	}
}

// TestSecretsAreNotInherited: what a user has typed by name is for a field of an app, not for programs.
func TestSecretsAreNotInherited(t *testing.T) {
	t.Setenv("IOS_AGENT_SECRET_SHOP", "hunter2")
	t.Setenv("OPENAI_API_KEY", "sk-1")
	t.Setenv("LC_ALL", "C")
	h := open(t, host.Options{})
	for _, c := range []struct {
		name, want string
		inherit    []string
	}{
		{"IOS_AGENT_SECRET_SHOP", "", nil}, {"IOS_AGENT_SECRET_SHOP", "", []string{"IOS_AGENT_SECRET_SHOP"}}, {"OPENAI_API_KEY", "", nil},
		{"LC_ALL", "C", nil},
		{"OPENAI_API_KEY", "", []string{"PATH"}}, {"LC_ALL", "C", []string{"LC_*"}}, {"OPENAI_API_KEY", "sk-1", []string{"OPENAI_API_KEY"}},
	} {
		cmd := helper("env", c.name)
		cmd.Inherit = c.inherit
		r, err := h.Run(t.Context(), cmd)
		if err != nil || string(r.Stdout) != c.want {
			t.Errorf("%s of %q: %q %v", c.name, c.inherit, r.Stdout, err)
		}
	}
}
