package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
)

func TestSpoolHasTheWholeOutput(t *testing.T) {
	h, _ := newHost(t)
	c := helper("talk")
	c.Spool = filepath.Join(t.TempDir(), "made", "on demand")
	c.MaxOutput = 10
	var lines strings.Builder
	c.OnLine = func(_ host.Stream, line []byte) { fmt.Fprintf(&lines, "%s\n", line) }
	r, err := h.Run(t.Context(), c)
	var exit *host.ExitError
	if !errors.As(err, &exit) || exit.Spool != r.Spool || r.SpoolErr != nil {
		t.Fatalf("%v, spool %q, %v", err, r.Spool, r.SpoolErr)
	}
	b, err := os.ReadFile(r.Spool)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(string(b), "\r\n", "\n")
	want := strings.Replace(lines.String(), " no end\n", " no end", 1) // lines that did not end
	if got != strings.TrimSuffix(want, "\n") || int64(len(b)) != r.Truncated+20 {
		t.Errorf("spool of %d bytes is not what came by lines", len(b))
	}
	i, err := os.Stat(r.Spool)
	if err != nil || i.Mode().Perm() != 0o600 || filepath.Ext(r.Spool) != ".log" ||
		!strings.HasPrefix(i.Name(), filepath.Base(c.Name)+"-"+time.Now().Format("2006")) {
		t.Errorf("%s: %v, %v", r.Spool, i.Mode(), err)
	}
}

func TestRunningProcessHasSpoolFile(t *testing.T) {
	h, _ := newHost(t)
	p := newPorch(t)
	c := p.helper("polite", "0")
	c.Spool = t.TempDir()
	proc, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p.next()
	if _, err := os.Stat(proc.Spool); err != nil {
		t.Error(err)
	}
	if err := proc.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, _ := proc.Result()
	if b, err := os.ReadFile(r.Spool); err != nil || string(b) != "bye\n" || r.Spool != proc.Spool {
		t.Errorf("%q, %v", b, err)
	}
	c = p.helper("block")
	c.Spool, c.Timeout = t.TempDir(), 100*time.Millisecond
	r, err = h.Run(t.Context(), c)
	var late *host.TimeoutError
	if !errors.As(err, &late) || late.Spool == "" || late.Spool != r.Spool {
		t.Errorf("%v, spool %q", err, r.Spool)
	}
}

func TestFailedSpoolDoesNotFailRun(t *testing.T) {
	h, _ := newHost(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := helper("flood", "1000000")
	c.Spool = file
	r, err := h.Run(t.Context(), c)
	if err != nil || r.SpoolErr == nil || r.Spool != "" || len(r.Stdout) < 1000000 {
		t.Errorf("%v, %d bytes, spool %q, %v", err, len(r.Stdout), r.Spool, r.SpoolErr)
	}
	c = helper("exit", "0")
	c.Name, c.Spool = filepath.Join(t.TempDir(), "nothing"), t.TempDir()
	if _, err := h.Run(t.Context(), c); err == nil || len(entries(t, c.Spool)) > 0 {
		t.Errorf("a program that is not there left a spool: %v", err)
	}
}

func TestFullSpoolDiskDoesNotFailRun(t *testing.T) {
	h, _ := newHost(t)
	r, err := h.Run(t.Context(), helper("fulldisk", t.TempDir()))
	if want := "1000011 <nil> true true\n"; err != nil || string(r.Stdout) != want {
		t.Errorf("got %q, %v, %s", r.Stdout, err, r.Stderr)
	}
}

// Neither the spool nor the transcript may grow with the output.
func TestSpoolAndRecordCostNoMemory(t *testing.T) {
	h, err := host.New(host.Options{Record: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	const size = 200_000_000
	c := helper("flood", fmt.Sprint(size))
	c.Spool, c.MaxOutput = t.TempDir(), 1<<20
	before, peak, lines := heap(), uint64(0), 0
	c.OnLine = func(host.Stream, []byte) {
		if lines++; lines%100_000 == 0 {
			peak = max(peak, heap())
		}
	}
	r, err := h.Run(context.Background(), c)
	if err := errors.Join(err, r.SpoolErr, h.Close()); err != nil {
		t.Fatal(err)
	}
	if i, err := os.Stat(r.Spool); err != nil || i.Size() != size+int64(len("first\nlast\n")) {
		t.Errorf("spool: %v, %v", i, err)
	}
	grown := (int64(peak) - int64(before)) >> 20
	t.Logf("heap grew by %d MiB", grown)
	if grown >= 8 {
		t.Errorf("heap grew by %d MiB", grown)
	}
}

// heap is what is in use. Without a collection it would count what waits for one, as much as a busy machine lets it grow.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
