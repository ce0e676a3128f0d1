package daemon

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/resident"
)

// TestFrozenDaemonIsReported: a daemon that takes connections and says nothing is told of, with what to do; what may have been done is
// unknown.
func TestFrozenDaemonIsReported(t *testing.T) {
	b := newBench(t)
	l, err := resident.Listen(b.place, resident.Info{Build: "old"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := b.client(older())
	c.Patience = 50 * time.Millisecond
	for name, want := range map[string]fault.Code{"quick": fault.DaemonUnreachable, "work": fault.OutcomeUnknown} {
		e := b.call(c, name)
		if e.Error == nil || e.Error.Code != want || !strings.Contains(e.Error.Hint, "daemon stop") {
			t.Errorf("%s: %+v", name, e.Error)
		}
	}
	if _, err := c.Ask(t.Context()); err == nil || !strings.Contains(fault.From(err).Hint, "daemon stop") {
		t.Error(err)
	}
}

// TestManySessionsDoNotRemoveActiveOne: one call too many is refused with the bound, before anything is done.
func TestCallsAreBounded(t *testing.T) {
	b := newBench(t)
	s := &Server{catalogue: b.catalogue()}
	var ends []func()
	for range mostCalls {
		end, err := s.begin()
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	_, err := s.begin()
	if f := fault.From(err); f == nil || f.Code != fault.TooMany || !strings.Contains(f.Message, "1000") {
		t.Errorf("%v", err)
	}
	ends[0]()
	if _, err := s.begin(); err != nil {
		t.Errorf("a place that was given back: %v", err)
	}
}

// TestConnectionsAreBounded: more wait, and a listener that is closed does not wait for ever.
func TestConnectionsAreBounded(t *testing.T) {
	raw, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	l := limit(raw, 2)
	accepted := make(chan net.Conn)
	ended := make(chan error)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- c
		}
	}()
	for range 3 {
		c, err := net.Dial("unix", raw.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Error("a third connection")
	default:
	}
	first.Close()
	first.Close() // gives back one place, not two
	third := <-accepted
	l.Close()
	if err := <-ended; err == nil {
		t.Error("it goes on")
	}
	second.Close()
	third.Close()
}
