package logcap_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device/logcap"
	"ios-agent/internal/machine/host"
)

func store(t *testing.T) (*logcap.Store, *host.Host) {
	t.Helper()
	h, err := host.New(host.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return &logcap.Store{Dir: filepath.Join(t.TempDir(), "logs"), Start: h, Now: time.Now}, h
}

// shell is a stream of a small program, ready when it says so.
func shell(script string) logcap.Stream {
	ready := func(line string) bool { return line == "ready" }
	return logcap.Stream{Name: "shell", Cmd: host.Cmd{Name: "sh", Args: []string{"-c", script}}, Ready: ready, Chatter: ready}
}

func begin(t *testing.T, s *logcap.Store, streams ...logcap.Stream) *logcap.Session {
	t.Helper()
	one, err := s.Begin(t.Context(), logcap.Request{Kind: "test", Header: "head", Streams: streams})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func TestCapturesEveryStreamInOneFile(t *testing.T) {
	s, _ := store(t)
	one := begin(t, s, shell("echo a; echo ready; exec sleep 100"), shell("echo b >&2; echo ready; exec sleep 100"))
	c, ok, err := s.End(t.Context(), "test", one.ID)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if c.Text != "head\na\nb\n" || c.Lines != 2 || len(c.Ended) != 0 {
		t.Errorf("%+v", c)
	}
	if _, ok, _ := s.End(t.Context(), "test", one.ID); ok {
		t.Error("a capture is given once")
	}
	if b, err := os.ReadFile(one.File); err != nil || string(b) != c.Text {
		t.Errorf("the file: %v %q", err, b)
	}
}

func TestAnotherKindDoesNotEndIt(t *testing.T) {
	s, _ := store(t)
	one := begin(t, s, shell("echo ready; exec sleep 100"))
	if _, ok, _ := s.End(t.Context(), "other", one.ID); ok {
		t.Error("it was given to another kind")
	}
	if _, ok, err := s.End(t.Context(), "test", one.ID); !ok || err != nil {
		t.Error(ok, err)
	}
}

func TestAStreamThatCannotBeginEndsTheOthers(t *testing.T) {
	s, h := store(t)
	stopped := filepath.Join(t.TempDir(), "stopped")
	first := shell(fmt.Sprintf("trap 'touch %s; exit 0' INT; echo ready; while :; do sleep 0.01; done", stopped))
	_, err := s.Begin(t.Context(), logcap.Request{Kind: "test", Streams: []logcap.Stream{first, shell("echo no >&2; exit 7")}})
	var failed *logcap.FailedError
	if !errors.As(err, &failed) || !strings.Contains(failed.Output, "no") {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat(stopped); err != nil {
		t.Error("the first stream was left running")
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhatEndedByItselfIsTold(t *testing.T) {
	s, _ := store(t)
	one := begin(t, s, shell("echo ready; echo x; exit 3"))
	for c, ok := (logcap.Capture{}), true; ok; { // ends when the program is seen to have ended
		var err error
		if c, ok, err = s.End(t.Context(), "test", one.ID); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if len(c.Ended) == 1 && strings.Contains(c.Ended[0], "exit code 3") {
			return
		}
		one = begin(t, s, shell("echo ready; echo x; exit 3"))
	}
}

func TestLargeCapturesAreCut(t *testing.T) {
	s, _ := store(t)
	one := begin(t, s, shell(`i=0; while [ $i -lt 4000 ]; do echo "$i 0123456789012345678901234567890123456789012345678901234567890123456789"; i=$((i+1)); done; echo ready; exec sleep 100`))
	c, _, err := s.End(t.Context(), "test", one.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Text) > logcap.Inline+100 || c.Left == 0 || !strings.Contains(c.Text, "\n3999 ") || !strings.Contains(c.Text, "\n0 ") || c.Lines != 4000 {
		t.Errorf("%d bytes, left %d, %d lines", len(c.Text), c.Left, c.Lines)
	}
	for line := range strings.Lines(c.Text) {
		if strings.Contains(line, "0123") && len(line) < 70 {
			t.Errorf("half a line: %q", line)
		}
	}
}

func TestOldFilesAreRemovedAndLiveOnesAreNot(t *testing.T) {
	s, _ := store(t)
	live := begin(t, s, shell("echo ready; exec sleep 100"))
	old := filepath.Join(s.Dir, "test_old.log")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	longAgo := time.Now().Add(-logcap.Retention - time.Hour)
	for _, file := range []string{old, live.File} {
		if err := os.Chtimes(file, longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
	}
	begin(t, s, shell("echo ready; exec sleep 100"))
	if _, err := os.Stat(old); err == nil {
		t.Error("the old file is still there")
	}
	if _, err := os.Stat(live.File); err != nil {
		t.Error("the file of a capture under way was removed")
	}
}

func TestThereIsALimit(t *testing.T) {
	s, _ := store(t)
	for range logcap.MostSessions {
		begin(t, s, shell("echo ready; exec sleep 100"))
	}
	if _, err := s.Begin(t.Context(), logcap.Request{Kind: "test", Streams: []logcap.Stream{shell("echo ready")}}); !errors.Is(err, logcap.ErrTooMany) {
		t.Errorf("%v", err)
	}
}
