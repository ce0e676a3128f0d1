package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

func TestStartedProcessOutlivesContextUntilStop(t *testing.T) {
	h, dir := newHost(t)
	p := newPorch(t)
	ctx, cancel := context.WithCancel(t.Context())
	proc, err := h.Start(ctx, p.helper("polite", "3"))
	if err != nil {
		t.Fatal(err)
	}
	g := p.next()
	cancel()
	if g.pid != proc.PID || !processes.Alive(proc.PID, "") {
		t.Fatalf("pid %d, guest %d", proc.PID, g.pid)
	}
	if _, err := os.Stat(filepath.Join(dir, fmt.Sprint(proc.PID)+".json")); err != nil {
		t.Error(err)
	}
	if err := proc.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	r, err := proc.Result()
	var exit *host.ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || string(r.Stdout) != "bye\n" {
		t.Errorf("got %+v, %v", r, err)
	}
	if err := proc.Stop(t.Context()); err != nil {
		t.Errorf("second stop: %v", err)
	}
}

func TestStopKillsProcessThatIgnoresSignal(t *testing.T) {
	h, _ := newHost(t)
	p := newPorch(t)
	c := p.helper("stubborn")
	c.Grace = 50 * time.Millisecond
	byGrace, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Grace = time.Hour
	byContext, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p.next()
	p.next()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for proc, ctx := range map[*host.Process]context.Context{byGrace: t.Context(), byContext: over} {
		if err := proc.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		if r, _ := proc.Result(); r.Signal != "SIGKILL" {
			t.Errorf("ended by %q", r.Signal)
		}
	}
}

func TestProcessKeepsTheTail(t *testing.T) {
	h, _ := newHost(t)
	c := helper("flood", "1000000")
	c.MaxOutput = 1000
	proc, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := proc.Result()
	if err != nil || len(r.Stdout) != 1000 || !strings.HasSuffix(string(r.Stdout), "\nlast\n") {
		t.Errorf("kept %d, %v", len(r.Stdout), err)
	}
	if got := proc.Tail(host.Stdout); string(got) != string(r.Stdout) {
		t.Errorf("tail %q", got)
	}
}

func TestCloseStopsChildrenAndRefusesNewOnes(t *testing.T) {
	h, _ := newHost(t)
	p := newPorch(t)
	for range 3 {
		if _, err := h.Start(t.Context(), p.helper("block")); err != nil {
			t.Fatal(err)
		}
	}
	guests := []guest{p.next(), p.next(), p.next()}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for _, g := range guests {
		g.gone(t)
	}
	if _, err := h.Run(t.Context(), helper("exit", "0")); !errors.Is(err, host.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

// TestStartRecreatesDeletedChildrenFolder: a home that is deleted under a daemon costs no program that it runs afterwards.
func TestStartRecreatesDeletedChildrenFolder(t *testing.T) {
	h, dir := newHost(t)
	p := newPorch(t)
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Start(t.Context(), p.helper("block")); err != nil {
		t.Fatalf("got %v, want a program that runs", err)
	}
	p.next()
	if got := entries(t, dir); len(got) != 1 {
		t.Errorf("got %v, want the entry of the program", got)
	}
}

// A daemon is killed; its child and grandchild live on, until the next daemon reaps them.
func TestReapEndsProcessesOfDeadOwner(t *testing.T) {
	h, dir := newHost(t)
	p := newPorch(t)
	outside, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	daemon, err := outside.Start(t.Context(), p.helper("owner", dir))
	if err != nil {
		t.Fatal(err)
	}
	left := p.party(2)
	if orphans, err := h.Reap(); err != nil || len(orphans) != 0 {
		t.Fatalf("reaped from a live owner: %v, %v", orphans, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := daemon.Stop(over); err != nil { // straight to SIGKILL
		t.Fatal(err)
	}
	orphans, err := h.Reap()
	if err != nil || len(orphans) != 1 || orphans[0].PID != left["parent"].pid {
		t.Fatalf("reaped %v, %v; want %d", orphans, err, left["parent"].pid)
	}
	for _, g := range left {
		g.gone(t)
	}
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("entries left: %v", names)
	}
}

func TestReapLeavesReusedPidsAlone(t *testing.T) {
	h, dir := newHost(t)
	p := newPorch(t)
	outside, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { outside.Close() })
	stranger, err := outside.Start(t.Context(), p.helper("block"))
	if err != nil {
		t.Fatal(err)
	}
	p.next()
	for name, start := range map[string]string{"reused": "12345", "unknown": ""} {
		b, _ := json.Marshal(map[string]any{
			"pid": stranger.PID, "pgid": stranger.PID, "start": start, "argv0": name,
			"owner": map[string]any{"pid": os.Getpid(), "start": "not ours"},
		})
		if err := os.WriteFile(filepath.Join(dir, name+".json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "garbled.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	orphans, err := h.Reap()
	if len(orphans) != 0 || err == nil || !strings.Contains(err.Error(), "garbled.json") {
		t.Errorf("got %v, %v", orphans, err)
	}
	if !processes.Alive(stranger.PID, "") {
		t.Error("a stranger was killed")
	}
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("entries left: %v", names)
	}
}

func TestAliveComparesStartTime(t *testing.T) {
	start, err := processes.StartTime(os.Getpid())
	if err != nil || start == "" {
		t.Fatalf("start time %q, %v", start, err)
	}
	if !processes.Alive(os.Getpid(), start) || !processes.Alive(os.Getpid(), "") {
		t.Error("we are dead")
	}
	if processes.Alive(os.Getpid(), start+"0") || processes.Alive(0, "") || processes.Alive(-1, "") {
		t.Error("somebody else is alive")
	}
	if !processes.Alive(1, "") {
		t.Error("process 1 is dead")
	}
	h, _ := newHost(t)
	proc, err := h.Start(t.Context(), helper("exit", "0"))
	if err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	if _, err := processes.StartTime(proc.PID); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("start time of the dead: %v", err)
	}
}

func TestStartDetachedWritesOutputToLog(t *testing.T) {
	p := newPorch(t)
	log := filepath.Join(t.TempDir(), "service.log")
	c := p.helper("polite", "0")
	pid, err := host.StartDetached(c.Name, c.Args, c.Env, log)
	if err != nil {
		t.Fatal(err)
	}
	g := p.next()
	if g.pid != pid {
		t.Fatalf("pid %d, guest %d", pid, g.pid)
	}
	proc, _ := os.FindProcess(pid)
	if err := proc.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	g.gone(t)
	b, err := os.ReadFile(log)
	if err != nil || string(b) != "bye\n" {
		t.Errorf("log %q, %v", b, err)
	}
	if i, err := os.Stat(log); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("log mode %v, %v", i.Mode(), err)
	}
	var missing *host.NotFoundError
	if _, err := host.StartDetached(filepath.Join(t.TempDir(), "no"), nil, nil, log); !errors.As(err, &missing) {
		t.Errorf("missing service: %v", err)
	}
}
