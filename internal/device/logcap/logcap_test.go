package logcap_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/logcap"
	"ios-agent/internal/driver/stream"
	"ios-agent/internal/machine/host"
)

// rig is a store, and the host that runs the programs of its streams.
type rig struct {
	*logcap.Store
	t    *testing.T
	dir  string
	host *host.Host
	last device.Stream // that began
}

func newRig(t *testing.T) *rig {
	t.Helper()
	h, err := host.New(host.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(t.TempDir(), "logs")
	return &rig{logcap.New(logcap.Options{Dir: dir}), t, dir, h, nil}
}

// shell is the stream of a small program, begun when it prints "ready".
func (r *rig) shell(script string) logcap.Source {
	ready := func(line string) bool { return line == "ready" }
	return logcap.Source{Name: "shell", Start: func(ctx context.Context, line func(string)) (device.Stream, error) {
		s, err := stream.Start(ctx, r.host, stream.Program{
			Cmd: host.Cmd{Name: "sh", Args: []string{"-c", script}}, Ready: ready, Remark: ready, Wait: time.Minute,
		}, line)
		if err != nil {
			return nil, err
		}
		r.last = s
		return s, nil
	}}
}

func (r *rig) begin(sources ...logcap.Source) *logcap.Session {
	r.t.Helper()
	return r.beginFor(device.Owner{}, sources...)
}

func (r *rig) beginFor(o device.Owner, sources ...logcap.Source) *logcap.Session {
	r.t.Helper()
	one, err := r.Begin(r.t.Context(), logcap.Request{Kind: "test", Header: "head", Owner: o, Sources: sources})
	if err != nil {
		r.t.Fatal(err)
	}
	return one
}

// quiet is a program that prints nothing until it is interrupted, and touches a file then.
func (r *rig) quiet(touches string) logcap.Source {
	return r.shell(fmt.Sprintf("trap 'touch %s; exit 0' INT; echo ready; while :; do sleep 0.01; done", touches))
}

const forever = "echo ready; exec sleep 100"

func TestCapturesEveryStreamInOneFile(t *testing.T) {
	r := newRig(t)
	one := r.begin(r.shell("echo a; echo ready; exec sleep 100"), r.shell("echo b >&2; echo ready; exec sleep 100"))
	c, ok, err := r.End("test", one.ID)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if c.Text != "head\na\nb\n" || c.Lines != 2 || len(c.Ended) != 0 {
		t.Errorf("%+v", c)
	}
	if _, ok, _ := r.End("test", one.ID); ok {
		t.Error("a capture is given once")
	}
	if b, err := os.ReadFile(one.File); err != nil || string(b) != c.Text {
		t.Errorf("the file: %v %q", err, b)
	}
}

func TestOtherKindCannotEndCapture(t *testing.T) {
	r := newRig(t)
	one := r.begin(r.shell(forever))
	if _, ok, _ := r.End("other", one.ID); ok {
		t.Error("it was given to another kind")
	}
	if _, ok, err := r.End("test", one.ID); !ok || err != nil {
		t.Error(ok, err)
	}
}

func TestFailedStreamStopsOtherStreams(t *testing.T) {
	r := newRig(t)
	stopped := filepath.Join(t.TempDir(), "stopped")
	_, err := r.Begin(t.Context(), logcap.Request{Kind: "test", Sources: []logcap.Source{r.quiet(stopped), r.shell("echo no >&2; exit 7")}})
	var failed *host.ExitError
	if !errors.As(err, &failed) || failed.Code != 7 || !strings.Contains(failed.StderrTail, "no") {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat(stopped); err != nil {
		t.Error("the first stream was left running")
	}
	if left := r.Live(device.Owner{}); len(left) > 0 {
		t.Errorf("it still counts as a capture under way: %+v", left)
	}
}

func TestCaptureThatEndedByItselfIsReported(t *testing.T) {
	for script, want := range map[string]string{
		"echo ready; echo x; exit 3": "shell ended by itself: sh: exit code 3",
		"echo ready; echo x":         "shell ended by itself",
	} {
		r := newRig(t)
		one := r.begin(r.shell(script))
		<-r.last.Done()
		c, ok, err := r.End("test", one.ID)
		if err != nil || !ok || len(c.Ended) != 1 || c.Ended[0] != want || c.Text != "head\nx\n" {
			t.Errorf("%s: %v %v %+v", script, ok, err, c)
		}
	}
}

func TestLargeCapturesAreCut(t *testing.T) {
	r := newRig(t)
	const line = "0123456789012345678901234567890123456789012345678901234567890123456789"
	one := r.begin(r.shell(`i=0; while [ $i -lt 4000 ]; do echo "$i ` + line + `"; i=$((i+1)); done; echo ready; exec sleep 100`))
	c, _, err := r.End("test", one.ID)
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Contains(c.Text, "\n0 ") && strings.Contains(c.Text, "\n3999 ")
	if len(c.Text) > logcap.Inline+100 || c.Left == 0 || !whole || c.Lines != 4000 {
		t.Errorf("%d bytes, left %d, %d lines", len(c.Text), c.Left, c.Lines)
	}
	for line := range strings.Lines(c.Text) {
		if strings.Contains(line, "0123") && len(line) < 70 {
			t.Errorf("half a line: %q", line)
		}
	}
}

func TestOldFilesAreRemovedAndLiveOnesAreNot(t *testing.T) {
	r := newRig(t)
	live := r.begin(r.shell(forever))
	old := filepath.Join(r.dir, "test_old.log")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	longAgo := time.Now().Add(-logcap.Retention - time.Hour)
	for _, file := range []string{old, live.File} {
		if err := os.Chtimes(file, longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
	}
	r.begin(r.shell(forever))
	if _, err := os.Stat(old); err == nil {
		t.Error("the old file is still there")
	}
	if _, err := os.Stat(live.File); err != nil {
		t.Error("the file of a capture under way was removed")
	}
}

func TestBeginRefusesTooManyCaptures(t *testing.T) {
	r := newRig(t)
	for range logcap.MostSessions {
		r.begin(r.shell(forever))
	}
	_, err := r.Begin(t.Context(), logcap.Request{Kind: "test", Sources: []logcap.Source{r.shell("echo ready")}})
	if !errors.Is(err, logcap.ErrTooMany) {
		t.Errorf("%v", err)
	}
}

// TestEndAllStopsOnlyOwnersCaptures: what a session or a device owns can be listed and ended, and nothing else ends with it.
func TestEndAllStopsOnlyOwnersCaptures(t *testing.T) {
	ann, bob := device.Owner{Session: "ann", UDID: "A"}, device.Owner{Session: "bob", UDID: "B"}
	shared := device.Owner{Session: "bob", UDID: "A"}
	for _, c := range []struct {
		end  device.Owner
		left []device.Owner
	}{
		{device.Owner{Session: "bob"}, []device.Owner{ann}},
		{device.Owner{UDID: "A"}, []device.Owner{bob}},
		{shared, []device.Owner{ann, bob}},
		{device.Owner{Session: "nobody"}, []device.Owner{ann, bob, shared}},
		{device.Owner{}, nil},
	} {
		r := newRig(t)
		files := map[device.Owner]string{}
		for _, o := range []device.Owner{ann, bob, shared} {
			files[o] = filepath.Join(t.TempDir(), "stopped")
			one := r.beginFor(o, r.quiet(files[o]))
			if got, ok := r.Get("test", one.ID); !ok || got.Owner != o {
				t.Errorf("%+v belongs to %+v", one, got)
			}
		}
		if err := r.EndAll("the end", func(o device.Owner) bool { return o.Matches(c.end) }); err != nil {
			t.Error(err)
		}
		left := map[device.Owner]bool{}
		for _, one := range r.Live(device.Owner{}) {
			left[one.Owner] = true
		}
		for o, stopped := range files {
			_, err := os.Stat(stopped)
			if want := slices.Contains(c.left, o); left[o] != want || errors.Is(err, os.ErrNotExist) != want {
				t.Errorf("end %+v: %+v is live: %v, was stopped: %v", c.end, o, left[o], err == nil)
			}
		}
	}
}

// TestEndAllStopsStartingCapture: a session that goes away leaves no capture behind that was just beginning.
func TestEndAllStopsStartingCapture(t *testing.T) {
	r := newRig(t)
	stopped := filepath.Join(t.TempDir(), "stopped")
	hangs := logcap.Source{Name: "hangs", Start: func(ctx context.Context, _ func(string)) (device.Stream, error) {
		if err := r.EndAll("the end", func(o device.Owner) bool { return o.Session == "ann" }); err != nil {
			t.Error(err)
		}
		<-ctx.Done() // EndAll ends the beginning
		return nil, ctx.Err()
	}}
	_, err := r.Begin(t.Context(), logcap.Request{
		Kind: "test", Owner: device.Owner{Session: "ann"}, Sources: []logcap.Source{r.quiet(stopped), hangs},
	})
	if !errors.Is(err, logcap.ErrEnded) {
		t.Error(err)
	}
	if _, err := os.Stat(stopped); err != nil {
		t.Error("the first stream was left running")
	}
	if left := r.Live(device.Owner{}); len(left) > 0 {
		t.Errorf("%+v", left)
	}
}
