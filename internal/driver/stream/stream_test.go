package stream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/driver/stream"
	"ios-agent/internal/machine/host"
)

func newHost(t *testing.T) *host.Host {
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
	return h
}

// shell is a small program that has begun when it prints "ready".
func shell(script string) stream.Program {
	ready := func(line string) bool { return line == "ready" }
	return stream.Program{Cmd: host.Cmd{Name: "sh", Args: []string{"-c", script}}, Remark: ready, Ready: ready}
}

// lines collects what a stream delivers.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

func (l *lines) get() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

func TestStreamOmitsReadyRemarkFromLines(t *testing.T) {
	var got lines
	s, err := stream.Start(t.Context(), newHost(t), shell("echo a; echo ready; echo b >&2; exec sleep 100"), got.add)
	if err != nil {
		t.Fatal(err)
	}
	if s.Said() != "ready" || s.Err() != nil {
		t.Error(s.Said(), s.Err())
	}
	select {
	case <-s.Done():
		t.Error("it has ended")
	default:
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	<-s.Done()
	if s.Err() != nil || s.Killed() {
		t.Error("an end that was asked for is not told as one by itself:", s.Err(), s.Killed())
	}
	if all := got.get(); !slices.Contains(all, "a") || slices.Contains(all, "ready") {
		t.Errorf("%q", all)
	}
}

func TestStartExplainsFailedProgram(t *testing.T) {
	p := shell("echo no >&2; exit 7")
	p.Explain = func(stderr []byte, err error) error { return fmt.Errorf("explained %q: %w", stderr, err) }
	_, err := stream.Start(t.Context(), newHost(t), p, func(string) {})
	var exit *host.ExitError
	if !errors.As(err, &exit) || exit.Code != 7 || !strings.HasPrefix(err.Error(), `explained "no\n"`) {
		t.Errorf("%v", err)
	}
	p.Cmd = host.Cmd{Name: filepath.Join(t.TempDir(), "none")}
	var missing *host.NotFoundError
	if _, err := stream.Start(t.Context(), newHost(t), p, func(string) {}); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
}

func TestErrReportsExitOfEndedProgram(t *testing.T) {
	for script, fails := range map[string]bool{"echo ready; echo x; exit 3": true, "echo ready; echo x": false, "echo x": false} {
		var got lines
		s, err := stream.Start(t.Context(), newHost(t), shell(script), got.add)
		if err != nil {
			t.Fatal(script, err)
		}
		<-s.Done()
		var exit *host.ExitError
		if errors.As(s.Err(), &exit) != fails || !slices.Equal(got.get(), []string{"x"}) {
			t.Errorf("%s: %v, %q", script, s.Err(), got.get())
		}
		if err := s.Close(); err != nil || errors.As(s.Err(), &exit) != fails {
			t.Errorf("%s, after Close: %v, %v", script, err, s.Err())
		}
	}
}

func TestSilentProgramCountsAsReady(t *testing.T) {
	p := shell("exec sleep 100")
	p.Wait = time.Millisecond
	s, err := stream.Start(t.Context(), newHost(t), p, func(string) {})
	if err != nil || s.Said() != "" {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestCancelledStartLeavesNoProcess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stopped := filepath.Join(t.TempDir(), "stopped")
	p := shell(fmt.Sprintf("trap 'touch %s; exit 0' INT; echo begun; while :; do sleep 0.01; done", stopped))
	p.Wait = time.Minute
	_, err := stream.Start(ctx, newHost(t), p, func(string) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(stopped); err != nil {
		t.Error("the program was left running")
	}
}

func TestCloseKillsProgramThatIgnoresInterrupt(t *testing.T) {
	p := shell("trap '' INT; echo ready; while :; do sleep 0.01; done")
	p.Cmd.Grace = 10 * time.Millisecond
	s, err := stream.Start(t.Context(), newHost(t), p, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || !s.Killed() || s.Err() != nil {
		t.Error(err, s.Killed(), s.Err())
	}
}
