package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// A program that must not be signalled is ended by the end of its input: by Stop, whose context may be over, and by Close.
func TestStopAndCloseEndProgramByStdin(t *testing.T) {
	for name, end := range map[string]func(h *host.Host, p *host.Process) error{
		"stop": func(_ *host.Host, p *host.Process) error {
			over, cancel := context.WithCancel(t.Context())
			cancel()
			return p.Stop(over)
		},
		"close": func(h *host.Host, _ *host.Process) error { return h.Close() },
	} {
		h, _ := newHost(t)
		p := newPorch(t)
		c := p.helper("until-eof")
		r, w := io.Pipe() // which nobody closes: Stop ends the program's input all the same
		defer w.Close()
		c.Stdin, c.EndByStdin, c.Grace = r, true, time.Minute
		proc, err := h.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		p.next()
		if err := end(h, proc); err != nil {
			t.Fatal(err)
		}
		if r, err := proc.Result(); err != nil || r.Signal != "" || string(r.Stdout) != "no signal\n" {
			t.Errorf("%s: %q %+v, %v", name, r.Stdout, r, err)
		}
	}
}

// When its owner dies, what it prints goes nowhere. The signal of that must not end it before it has seen the end of its input.
func TestEndByStdinProgramIgnoresSIGPIPE(t *testing.T) {
	h, _ := newHost(t)
	r, w := io.Pipe()
	defer w.Close()
	c := host.Cmd{Name: "sh", Args: []string{"-c", `kill -s PIPE $$; echo "$1"`, "sh", `a "b" $HOME`}, Stdin: r, EndByStdin: true}
	res, err := h.Run(t.Context(), c)
	if err != nil || string(res.Stdout) != "a \"b\" $HOME\n" {
		t.Errorf("%q, %v", res.Stdout, err)
	}
	var missing *host.NotFoundError
	if _, err := h.Start(t.Context(), host.Cmd{Name: "there-is-no-such-program", Stdin: r, EndByStdin: true}); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
}

// One that ignores the end of its input is killed after the grace, and not before.
func TestProgramThatIgnoresStdinEndIsKilled(t *testing.T) {
	h, _ := newHost(t)
	p := newPorch(t)
	c := p.helper("block")
	r, w := io.Pipe()
	defer w.Close()
	c.Stdin, c.EndByStdin, c.Grace = r, true, 50*time.Millisecond
	proc, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p.next()
	if err := proc.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, _ := proc.Result(); r.Signal != "SIGKILL" || r.Took < 50*time.Millisecond {
		t.Errorf("%+v", r)
	}
}

// What a dead owner left is not reaped when a signal must not reach it; its entry goes when it is gone.
func TestReapSkipsEndByStdinPrograms(t *testing.T) {
	h, dir := newHost(t)
	p := newPorch(t)
	outside, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	stranger, err := outside.Start(t.Context(), p.helper("block"))
	if err != nil {
		t.Fatal(err)
	}
	p.next()
	start, err := processes.StartTime(stranger.PID)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(map[string]any{
		"pid": stranger.PID, "pgid": stranger.PID, "start": start, "argv0": "debugger", "end_by_stdin": true,
		"owner": map[string]any{"pid": os.Getpid(), "start": "not ours"},
	})
	if err := os.WriteFile(filepath.Join(dir, "1.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if orphans, err := h.Reap(); err != nil || len(orphans) != 0 || !processes.Alive(stranger.PID, start) || len(entries(t, dir)) != 1 {
		t.Errorf("reaped %v, %v", orphans, err)
	}
	if err := stranger.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if orphans, err := h.Reap(); err != nil || len(orphans) != 0 || len(entries(t, dir)) != 0 {
		t.Errorf("reaped %v, %v", orphans, err)
	}
}

// TestChildEntryRecordsEndByStdin: it is what a later daemon goes by.
func TestChildEntryRecordsEndByStdin(t *testing.T) {
	h, dir := newHost(t)
	p := newPorch(t)
	c := p.helper("until-eof")
	r, w := io.Pipe()
	defer w.Close()
	c.Stdin, c.EndByStdin = r, true
	proc, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p.next()
	names := entries(t, dir)
	entry, err := os.ReadFile(names[0])
	if err != nil || len(names) != 1 || !bytes.Contains(entry, []byte(`"end_by_stdin":true`)) {
		t.Errorf("%q, %s, %v", names, entry, err)
	}
	if err := proc.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// Output that is not made of lines is told as it arrives.
func TestOnOutputGetsTextWithoutLineEnd(t *testing.T) {
	h, _ := newHost(t)
	r, w := io.Pipe()
	heard := make(chan string)
	c := helper("echo")
	c.Stdin = r
	c.OnOutput = func(s host.Stream, b []byte) { heard <- s.String() + " " + string(b) }
	proc, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte("no line"))
	if got := <-heard; got != "stdout no line" {
		t.Errorf("%q", got)
	}
	w.Close()
	<-proc.Done()
}

func TestInspectReportsOwnProcess(t *testing.T) {
	d, err := processes.Inspect(os.Getpid())
	if err != nil || d.User != os.Geteuid() || d.Traced || d.Path == "" {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := processes.Inspect(1 << 30); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%+v, %v", d, err)
	}
	if scope := processes.PtraceScope(); scope < 0 || scope > 3 {
		t.Error(scope)
	}
}
