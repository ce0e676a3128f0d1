package proxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/rules"
)

func mockOf(id, owner string) mock.Rule {
	return mock.Rule{ID: id, Owner: owner, Pattern: "~u /order", Response: mock.Response{Status: 503, Body: "of " + owner}}
}

// used is a proxy of ann, with a folder of mocks, that bob uses too.
func used() proxy.Settings {
	s := proxy.Settings{Folder: "fixtures", Share: rules.Share{Owner: "ann", Bypass: []string{"a.example"}}}
	s.Of("bob").Only = "b.example"
	s.Mocks = []mock.Rule{mockOf("mock_00000001", "ann"), mockOf("mock_00000002", "bob")}
	return s
}

func TestSettingsKeepOneSharePerSession(t *testing.T) {
	s := used()
	s.Of("ann").Only = "a.example"
	s.Of("bob").Hold = &rules.Intercept{Pattern: "~all"}
	if len(s.More) != 1 || s.Only != "a.example" || s.Hold != nil || s.ShareOf("bob").Hold == nil || s.ShareOf("eve").Only != "" {
		t.Errorf("got %+v, want one share for each session", s.Shares())
	}
	var nobodys proxy.Settings
	if nobodys.Of("bob"); nobodys.Owner != "bob" {
		t.Errorf("a proxy of nobody is %q's, want bob's, who uses it first", nobodys.Owner)
	}
}

func TestMockCanBeChangedByItsOwnerOnly(t *testing.T) {
	owned := func(err error) bool { return errors.As(err, new(*rules.OwnedError)) }
	s := used()
	if err := s.Put(mockOf("mock_00000002", ""), "ann"); !owned(err) || s.Mocks[1].Owner != "bob" {
		t.Errorf("ann changes a mock of bob: got %v, want an OwnedError", err)
	}
	if n, err := s.Remove("mock_00000002", false, "ann"); n != 0 || !owned(err) || len(s.Mocks) != 2 {
		t.Errorf("ann removes a mock of bob: got %d and %v, want 0 and an OwnedError", n, err)
	}
	if n, err := s.Remove("", true, "ann"); n != 1 || err != nil || s.MockCount("bob") != 1 || s.MockCount("ann") != 0 {
		t.Errorf("ann removes all: got %d and %v, and %+v left", n, err, s.Mocks)
	}
	if err := s.Put(mockOf("mock_00000003", ""), "eve"); err != nil || s.MockCount("eve") != 1 || len(s.More) != 2 {
		t.Errorf("eve makes one: got %v and %+v", err, s)
	}
}

func TestTakeOverMovesSharesToNewOwner(t *testing.T) {
	s := used()
	if taken := s.TakeOver("", "bob"); !slices.Equal(taken, []string{"ann"}) {
		t.Errorf("bob took over from %v, want ann", taken)
	}
	if s.Owner != "bob" || s.Folder != "fixtures" || len(s.More) != 0 || s.Only != "b.example" || len(s.Bypass) != 1 ||
		s.MockCount("bob") != 2 {
		t.Errorf("got %+v, want the proxy, its folder, filters and mocks to be bob's", s)
	}
	s = used()
	if taken := s.TakeOver("bob", "ann"); !slices.Equal(taken, []string{"bob"}) || s.Owner != "ann" || s.Only != "b.example" ||
		s.MockCount("ann") != 2 {
		t.Errorf("ann took over from %v: %+v", taken, s)
	}
	s = used()
	if taken := s.TakeOver("ann", "eve"); len(taken) != 1 || s.Owner != "eve" || s.Folder != "fixtures" ||
		s.ShareOf("bob").Only != "b.example" || s.MockCount("bob") != 1 {
		t.Errorf("eve took over from %v, want ann alone: %+v", taken, s)
	}
	if taken := s.TakeOver("nobody", "eve"); len(taken) != 0 {
		t.Errorf("eve took over from %v, who has nothing", taken)
	}
}

// TestProxyStopsOnlyWithoutOtherSessions: a proxy is stopped by a session when no other one has something of it.
func TestProxyStopsOnlyWithoutOtherSessions(t *testing.T) {
	d := newDesk(t)
	d.start(proxy.Settings{Share: rules.Share{Owner: "ann"}})
	if _, err := d.Start(t.Context(), proxy.Settings{Share: rules.Share{Owner: "bob"}}); !fault.Is(err, fault.ProxyRunning) ||
		!strings.Contains(err.Error(), "session ann") {
		t.Errorf("bob starts it too: got %v, want %s that names ann", err, fault.ProxyRunning)
	}
	d.must(d.Own(t.Context(), "ann"))
	for name, err := range map[string]error{"own": d.Own(t.Context(), "bob"), "stop": d.Stop(t.Context(), "bob")} {
		if owned := (*rules.OwnedError)(nil); !errors.As(err, &owned) || owned.Owner != "ann" {
			t.Errorf("bob, %s: got %v, want an OwnedError of ann", name, err)
		}
	}
	d.must(d.Set(t.Context(), func(s *proxy.Settings) error { return s.Put(mockOf("mock_00000001", ""), "bob") }))
	if err := d.MayStop(t.Context(), "ann"); !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), "session bob") {
		t.Errorf("ann stops it while bob has a mock: got %v, want %s that names bob", err, fault.Forbidden)
	}
	d.must(d.Set(t.Context(), func(s *proxy.Settings) error { s.TakeOver("bob", "ann"); return nil }))
	d.must(d.Stop(t.Context(), "ann"))
}

// TestShareEndsWhenItsSessionLeaves: its held flows are released, its mocks, filters and folder removed; the next session owns the proxy.
func TestShareEndsWhenItsSessionLeaves(t *testing.T) {
	d, server := newDesk(t), echo(t)
	var left atomic.Value
	left.Store("")
	d.Controller = proxy.New(proxy.Options{
		Dir: d.dir, Program: "ios-agent", Run: d.run, Pause: time.Millisecond, Left: func(name string) bool { return name == left.Load() },
	})
	folder := t.TempDir()
	d.must(os.WriteFile(filepath.Join(folder, "a.yaml"), []byte("mocks: [{match: ~u /folder, status: 418}]"), 0o600))
	d.start(proxy.Settings{Folder: folder, Share: rules.Share{Owner: "ann", Only: "127.0.0.1"}})
	d.must(d.Set(t.Context(), func(s *proxy.Settings) error {
		s.Of("ann").Hold = &rules.Intercept{Pattern: "~u /held"}
		s.Of("bob").Hold = &rules.Intercept{Pattern: "~u /other"}
		return errors.Join(s.Put(mockOf("mock_00000001", ""), "ann"), s.Put(mockOf("mock_00000002", ""), "bob"))
	}))
	if code, _ := d.send("GET", server.URL+"/folder", ""); code != 418 {
		t.Errorf("a mock of the folder answers %d, want 418", code)
	}
	if got := d.Status().Rules; len(got) != 3 || got[2].Owner != "ann" {
		t.Errorf("got %+v, want the folder's rule to be ann's", got)
	}
	answered := make(chan string, 1)
	go func() {
		_, text := d.send("GET", server.URL+"/held", "")
		answered <- text
	}()
	if held, _ := d.Held(t.Context(), "ann", 0, time.Minute); len(held) != 1 || held[0].Owner != "ann" {
		t.Errorf("held: got %+v, want one of ann", held)
	}
	left.Store("ann")
	d.Reread(t.Context())
	if text := <-answered; !strings.HasPrefix(text, "GET /held") {
		t.Errorf("what ann held was answered %q", text)
	}
	s := d.Status()
	if s.Owner != "bob" || s.Folder != "" || s.Only != "" || len(s.Rules) != 1 || s.Rules[0].Owner != "bob" || s.State != proxy.Running {
		t.Errorf("got %+v, want what bob has and no more", s)
	}
	left.Store("bob")
	d.must(d.Own(t.Context(), "eve"))
	if s := d.Status(); s.Owner != "" || s.Hold != nil || len(s.Rules) != 0 || s.State != proxy.Running {
		t.Errorf("got %+v, want a proxy of nobody that runs", s)
	}
	d.must(d.Stop(t.Context(), "eve"))
}

// TestScopeSendsDriversToProcess: a change of the drivers reaches the process before Scope returns, and a process that is started again
// knows it.
func TestScopeSendsDriversToProcess(t *testing.T) {
	d := newDesk(t)
	var now atomic.Pointer[rules.Drivers]
	now.Store(&rules.Drivers{})
	asked := 0
	d.Controller = proxy.New(proxy.Options{
		Dir: d.dir, Program: "ios-agent", Run: d.run, Pause: time.Millisecond,
		Drivers: func(context.Context) rules.Drivers { asked++; return *now.Load() },
	})
	d.must(d.Scope(t.Context())) // nothing runs
	if asked != 0 {
		t.Errorf("without a proxy the drivers were asked for %d times", asked)
	}
	d.start(proxy.Settings{Share: rules.Share{Owner: "ann"}})
	note, err := os.ReadFile(filepath.Join(d.dir, "running.json"))
	d.must(err)
	now.Store(&rules.Drivers{"phone": {"bob"}})
	d.must(d.Scope(t.Context()))
	d.must(d.Scope(t.Context()))
	again, err := os.ReadFile(filepath.Join(d.dir, "running.json"))
	d.must(err)
	if string(again) != string(note) {
		t.Errorf("who drives is noted for the next daemon: %s", again)
	}
}

// TestSettingsOfOlderVersionHaveNoOwner: the settings in a note of an earlier version are used, without an owner.
func TestSettingsOfOlderVersionHaveNoOwner(t *testing.T) {
	var s proxy.Settings
	note := `{"port":9101,"listen_host":"127.0.0.1","bypass":["a.example"],"host":"b.example","hold":{"pattern":"~all"},` +
		`"started":"2026-01-02T15:04:05Z"}`
	if err := json.Unmarshal([]byte(note), &s); err != nil {
		t.Fatal(err)
	}
	if one := s.Shares()[0]; one.Owner != "" || one.Only != "b.example" || len(one.Bypass) != 1 || one.Hold == nil {
		t.Errorf("got %+v, want the settings of the note", one)
	}
}
