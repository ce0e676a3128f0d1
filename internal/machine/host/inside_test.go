package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"ios-agent/internal/machine/host"
)

// mains are programs as functions.
var mains = map[string]host.Main{
	"cat": func(_ context.Context, in host.Invocation) int {
		_, _ = io.Copy(in.Stdout, in.Stdin)
		return 0
	},
	"tell": func(_ context.Context, in host.Invocation) int {
		fmt.Fprintln(in.Stdout, in.Args, in.Dir, in.Env["INSIDE"], in.Env["PATH"] != "")
		fmt.Fprintln(in.Stderr, "last words")
		return 3
	},
	"polite": func(ctx context.Context, in host.Invocation) int {
		<-ctx.Done()
		fmt.Fprintln(in.Stdout, "bye")
		return 75
	},
	"stubborn": func(ctx context.Context, in host.Invocation) int {
		fmt.Fprintln(in.Stdout, "hello")
		_, _ = in.Stdin.Read(make([]byte, 1)) // until its input ends
		fmt.Fprintln(in.Stdout, "unheard")
		return 0
	},
}

func insideHost(t *testing.T) *host.Host {
	h, err := host.New(host.Options{Inside: func(name string) host.Main { return mains[name] }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func TestInsideProgramGetsArgsEnvAndStdin(t *testing.T) {
	h := insideHost(t)
	dir := t.TempDir()
	r, err := h.Run(t.Context(), host.Cmd{Name: "tell", Args: []string{"a", "b"}, Dir: dir, Env: []string{"INSIDE=1"}})
	var exit *host.ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || exit.StderrTail != "last words" {
		t.Errorf("the error is %#v", err)
	}
	if want := "[a b] " + dir + " 1 true\n"; string(r.Stdout) != want {
		t.Errorf("stdout is %q, not %q", r.Stdout, want)
	}
	var lines []string
	r, err = h.Run(t.Context(), host.Cmd{Name: "cat", Stdin: strings.NewReader("one\ntwo"),
		OnLine: func(_ host.Stream, line []byte) { lines = append(lines, string(line)) }})
	if err != nil || string(r.Stdout) != "one\ntwo" || len(lines) != 2 {
		t.Errorf("%q, %q, %v", r.Stdout, lines, err)
	}
	var missing *host.NotFoundError
	if _, err := h.Run(t.Context(), host.Cmd{Name: "ls"}); !errors.As(err, &missing) {
		t.Errorf("a program that is not inside: %v", err)
	}
	if _, err := h.Run(t.Context(), host.Cmd{Name: "cat", Dir: dir + "/no"}); !errors.Is(err, os.ErrNotExist) || errors.As(err, &missing) {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

// TestStopEndsInsideProgram stops one that obeys, and kills one that does not: what it says then is not heard.
func TestStopEndsInsideProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := insideHost(t)
		p, err := h.Start(t.Context(), host.Cmd{Name: "polite"})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if r, _ := p.Result(); r.ExitCode != 75 || r.Signal != "" || string(r.Stdout) != "bye\n" {
			t.Errorf("the polite one ended as %+v", r)
		}
		never, end := io.Pipe()
		p, err = h.Start(t.Context(), host.Cmd{Name: "stubborn", Stdin: never})
		if err != nil {
			t.Fatal(err)
		}
		stopped := make(chan error)
		go func() { stopped <- p.Stop(t.Context()) }()
		synctest.Wait() // the grace passes only when all wait
		var stuck *host.StuckError
		if err := <-stopped; !errors.As(err, &stuck) {
			t.Errorf("a function that never returns: %v", err)
		}
		end.Close()
		if r, _ := p.Result(); r.Signal != "SIGKILL" || string(r.Stdout) != "hello\n" {
			t.Errorf("the stubborn one ended as %+v", r)
		}
	})
}
