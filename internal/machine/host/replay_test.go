package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// named is a helper whose arguments tell its role too, since an invocation is matched by them.
func named(role string, args ...string) host.Cmd { return helper(role, append(args, role)...) }

func open(t *testing.T, o host.Options) *host.Host {
	t.Helper()
	h, err := host.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// outcome is all that a caller learns from a Run.
type outcome struct {
	result host.Result
	err    error
	lines  []string
	spool  string
	files  []string
}

func observe(t *testing.T, h *host.Host, c host.Cmd) outcome {
	t.Helper()
	var o outcome
	c.Spool = t.TempDir()
	c.OnLine = func(s host.Stream, line []byte) { o.lines = append(o.lines, fmt.Sprintf("%v %q", s, line)) }
	o.result, o.err = h.Run(t.Context(), c)
	if exit, ok := errors.AsType[*host.ExitError](o.err); ok {
		exit.Spool, exit.Args = "", nil
	}
	if late, ok := errors.AsType[*host.TimeoutError](o.err); ok {
		late.Spool = ""
	}
	o.spool = content(o.result.Spool)
	o.result.Spool = ""
	for _, path := range c.Outputs {
		o.files = append(o.files, content(path))
	}
	return o
}

func content(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return "unreadable"
	}
	return string(b)
}

func TestReplayMatchesRecording(t *testing.T) {
	shot := func(dir string) host.Cmd {
		c := named("shot", filepath.Join(dir, "a.png"), "--json-output="+filepath.Join(dir, "b.json"))
		c.Outputs = []string{c.Args[0], filepath.Join(dir, "b.json"), filepath.Join(dir, "never.txt")}
		c.Stdin = strings.NewReader(`{"a": 1}`)
		return c
	}
	broken := errors.New("broken reader")
	halfFed := func(string) host.Cmd {
		c := named("echo")
		c.Stdin = io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
		return c
	}
	just := func(c host.Cmd) func(string) host.Cmd { return func(string) host.Cmd { return c } }
	bounded := named("flood", "3000000")
	bounded.MaxOutput = 1000
	late := named("block")
	late.Env = append(late.Env, porchEnv+"="+newPorch(t).l.Addr().String())
	late.Timeout = 200 * time.Millisecond
	cases := []func(dir string) host.Cmd{
		just(named("exit", "0")), just(named("exit", "7")), just(named("die", "9")), just(named("die", "15")),
		just(named("talk")), just(bounded), just(named("longline", "200000")), just(late), shot, halfFed,
		just(host.Cmd{Name: "no-such-program-here"}),
	}
	dir := t.TempDir()
	var want []outcome
	recording := open(t, host.Options{Record: dir})
	for _, c := range cases {
		want = append(want, observe(t, recording, c(t.TempDir())))
	}
	replay := open(t, host.Options{Replay: dir})
	for i, c := range cases {
		got := observe(t, replay, c(t.TempDir()))
		if missing, ok := errors.AsType[*host.NotFoundError](want[i].err); ok {
			missing.Err = errors.Unwrap(got.err) // its text is what is recorded
		}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("case %d:\n got %.2000v\nwant %.2000v", i, got, want[i])
		}
	}
}

func TestReplayAnswersEqualInvocationsInOrder(t *testing.T) {
	dir := t.TempDir()
	said := func(h *host.Host, text string) string {
		c := named("echo")
		c.Stdin = strings.NewReader(text)
		r, err := h.Run(t.Context(), c)
		if err != nil {
			return err.Error()
		}
		return string(r.Stdout)
	}
	recording := open(t, host.Options{Record: dir})
	for _, text := range []string{"one", "two"} {
		said(recording, text)
	}
	more := open(t, host.Options{Record: dir}) // goes on with the numbers
	said(more, "three")
	me := filepath.Base(os.Args[0])
	if names := entries(t, dir); len(names) != 3 || !strings.HasPrefix(filepath.Base(names[2]), "000003-"+me) {
		t.Fatalf("transcripts %v", names)
	}
	strict, lax := open(t, host.Options{Replay: dir}), open(t, host.Options{Replay: dir, RepeatLast: true})
	for _, text := range []string{"one", "two", "three"} {
		if got := said(strict, ""); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
		said(lax, "")
	}
	if got := said(strict, ""); got != fmt.Sprintf(`replay: all 3 transcripts of [%q "echo"] are used`, me) {
		t.Errorf("a fourth: %q", got)
	}
	if got := said(lax, ""); got != "three" {
		t.Errorf("a fourth, repeated: %q", got)
	}
}

func TestReplayWithoutTranscriptNamesNearest(t *testing.T) {
	h := open(t, host.Options{Replay: "testdata/transcripts"})
	c := host.Cmd{Name: "/elsewhere/xcrun", Args: []string{"simctl", "list", "runtimes", "--token", "hunter2"}}
	_, err := h.Run(t.Context(), c)
	var e *host.NotRecordedError
	if !errors.As(err, &e) || !slices.Equal(e.Argv, []string{"xcrun", "simctl", "list", "runtimes", "--token", "<secret>"}) {
		t.Fatalf("got %#v", err)
	}
	if len(e.Nearest) != 2 || !slices.Equal(e.Nearest[0], []string{"xcrun", "simctl", "list", "devices", "-j"}) {
		t.Errorf("nearest %q", e.Nearest)
	}
	if _, err := h.Start(t.Context(), host.Cmd{Name: "nothing"}); !errors.As(err, &e) || len(e.Nearest) > 0 {
		t.Errorf("got %#v", err)
	}
}

// The checked-in transcripts are of another machine, and written by hand: they guard the format.
func TestReplayReadsTranscriptsOfOtherMachine(t *testing.T) {
	h := open(t, host.Options{Replay: "testdata/transcripts"})
	shot := filepath.Join(t.TempDir(), "screen.png")
	c := host.Cmd{Name: "xcrun", Args: []string{"simctl", "io", "booted", "screenshot", shot}, Outputs: []string{shot}}
	r, err := h.Run(t.Context(), c)
	if err != nil || !strings.HasPrefix(content(shot), "\x89PNG") || r.Took != 1500*time.Millisecond {
		t.Errorf("%+v, %v, file %q", r, err, content(shot))
	}
	if want := "Detected file type 'PNG' from extension\n"; string(r.Stderr) != want {
		t.Errorf("stderr %q", r.Stderr)
	}
	c.Outputs, c.Args = nil, []string{"simctl", "list", "devices", "-j"}
	if r, err := h.Run(t.Context(), c); err != nil || !strings.Contains(string(r.Stdout), `"devices"`) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestReplayedStartLivesUntilItIsStopped(t *testing.T) {
	dir := t.TempDir()
	recording := open(t, host.Options{Record: dir})
	p := newPorch(t)
	proc, err := recording.Start(t.Context(), p.helper("polite", "3"))
	if err != nil {
		t.Fatal(err)
	}
	p.next()
	if err := proc.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, _ := proc.Result()

	// In a bubble: Wait returns when the replay can do nothing more by itself.
	synctest.Test(t, func(t *testing.T) {
		h, err := host.New(host.Options{Replay: dir, RepeatLast: true})
		if err != nil {
			t.Fatal(err)
		}
		stopped, err := h.Start(context.Background(), helper("polite", "3"))
		if err != nil {
			t.Fatal(err)
		}
		closed, err := h.Start(context.Background(), helper("polite", "3"))
		if err != nil || closed.PID == stopped.PID || processes.Alive(closed.PID, "") {
			t.Fatal(closed, err)
		}
		synctest.Wait()
		select {
		case <-stopped.Done():
			t.Error("it left by itself")
		default:
		}
		if err := errors.Join(stopped.Stop(context.Background()), h.Close()); err != nil {
			t.Error(err)
		}
		for _, proc := range []*host.Process{stopped, closed} {
			if r, err := proc.Result(); !reflect.DeepEqual(r, want) || err == nil {
				t.Errorf("got %+v, %v; want %+v", r, err, want)
			}
		}
	})
}

// What took its time in the recording, a timeout and a grace, takes none in the replay.
func TestReplayDoesNotWaitForTimeouts(t *testing.T) {
	dir := t.TempDir()
	recording := open(t, host.Options{Record: dir})
	p := newPorch(t)
	c := p.helper("stubborn")
	c.Timeout, c.Grace = 300*time.Millisecond, 50*time.Millisecond
	want, err := recording.Run(t.Context(), c)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	c.Timeout, c.Grace = time.Hour, time.Hour
	got, err := open(t, host.Options{Replay: dir}).Run(t.Context(), c)
	var late *host.TimeoutError
	if !errors.As(err, &late) || late.After != time.Hour || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestRecordAndReplayRunConcurrently(t *testing.T) {
	dir := t.TempDir()
	run := func(h *host.Host) {
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				c := named("echo", fmt.Sprint(i))
				c.Stdin = strings.NewReader(fmt.Sprint("run ", i))
				if r, err := h.Run(t.Context(), c); err != nil || string(r.Stdout) != fmt.Sprint("run ", i) {
					t.Errorf("run %d: %q, %v", i, r.Stdout, err)
				}
			})
		}
		wg.Wait()
	}
	run(open(t, host.Options{Record: dir}))
	if n := len(entries(t, dir)); n != 30 {
		t.Errorf("%d transcripts", n)
	}
	run(open(t, host.Options{Replay: dir}))
}

func TestReplayRefusesADamagedFolder(t *testing.T) {
	for name, text := range map[string]string{
		"half":    `{"v":1,"argv":["x"],"events":[`,
		"version": `{"v":2,"argv":["x"],"events":[]}`,
		"slip":    `{"v":1,"argv":["x"],"event":[]}`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "000001-x.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := host.New(host.Options{Replay: dir}); err == nil || !strings.Contains(err.Error(), "000001-x.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := host.New(host.Options{Replay: filepath.Join(t.TempDir(), "nothing")}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
