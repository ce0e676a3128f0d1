package telemetry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/telemetry"
)

// clock is a time that moves when a test says so.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)} }

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

// at makes the store of a file, closed at the end.
func at(t testing.TB, path string, change ...func(*telemetry.Options)) *telemetry.Store {
	o := telemetry.Options{Path: path}
	for _, c := range change {
		c(&o)
	}
	s := telemetry.New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func fresh(t testing.TB, change ...func(*telemetry.Options)) *telemetry.Store {
	return at(t, filepath.Join(t.TempDir(), "telemetry.db"), change...)
}

func query(t testing.TB, s *telemetry.Store, q telemetry.Query) telemetry.Page {
	t.Helper()
	page, err := s.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func texts(entries []telemetry.Entry) (out []string) {
	for _, e := range entries {
		text := e.Message
		if e.Count > 1 {
			text += fmt.Sprintf(" ×%d", e.Count)
		}
		out = append(out, text)
	}
	return out
}

func say(t testing.TB, s *telemetry.Store, want string, q telemetry.Query) telemetry.Page {
	t.Helper()
	page := query(t, s, q)
	if got := strings.Join(texts(page.Entries), ", "); got != want {
		t.Errorf("%+v:\n got %s\nwant %s", q, got, want)
	}
	return page
}

func TestEntryIsReadBackUnchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s := at(t, path)
	e := telemetry.Entry{
		Time: time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC), Device: "UDID", App: "com.example.shop", Process: "Shop", PID: 4711,
		Source: telemetry.Simulator, Level: telemetry.Fault, Subsystem: "sub", Category: "cat", Message: "line\nwith \x00 and ß 🙂",
		Raw: `{"raw":1}`, Count: 3,
	}
	s.Add(e)
	s.Add(telemetry.Entry{Message: "plain"})
	page := query(t, s, telemetry.Query{})
	if page.Total != 2 || page.Last != 2 || len(page.Entries) != 2 {
		t.Fatalf("%+v", page)
	}
	e.Number = 1
	if page.Entries[0] != e {
		t.Errorf("\n got %#v\nwant %#v", page.Entries[0], e)
	}
	if plain := page.Entries[1]; plain.Number != 2 || plain.Count != 1 || plain.Time.IsZero() || plain.Raw != "" {
		t.Errorf("%#v", plain)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

// TestQueryReturnsPagesInOrder: the last ones oldest first, the ones before them, the first ones.
func TestQueryReturnsPagesInOrder(t *testing.T) {
	s := fresh(t)
	for i := range 1200 {
		s.Add(telemetry.Entry{Message: fmt.Sprint("line ", i+1)})
		if i%700 == 0 {
			if err := s.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if p := say(t, s, "line 1199, line 1200", telemetry.Query{Limit: 2}); p.Total != 1200 || p.Last != 1200 {
		t.Error(p.Total, p.Last)
	}
	say(t, s, "line 1197, line 1198", telemetry.Query{Limit: 2, Offset: 2})
	say(t, s, "line 1, line 2", telemetry.Query{Limit: 2, Oldest: true})
	say(t, s, "line 513, line 514", telemetry.Query{Limit: 2, Offset: 512, Oldest: true})
	say(t, s, "line 701, line 702", telemetry.Query{Limit: 2, After: 700, Oldest: true})
	if p := say(t, s, "line 699, line 700", telemetry.Query{Limit: 2, After: 600, Upto: 700}); p.Total != 100 {
		t.Error(p.Total)
	}
	say(t, s, "", telemetry.Query{After: 1200})
	if p := query(t, s, telemetry.Query{}); len(p.Entries) != 100 || p.Entries[0].Number != 1101 {
		t.Error(len(p.Entries))
	}
}

func TestDocumentsAreStoredAndQueried(t *testing.T) {
	s := fresh(t, func(o *telemetry.Options) {
		o.Hide = func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
	})
	s.Add(telemetry.Entry{Message: "one"})
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, d := range []telemetry.Document{
		{Kind: "crash", ID: "a", App: "shop", Group: "g", Body: []byte(`{"n":1}`)},
		{Kind: "build", ID: "a", Body: []byte(`{"password":"hunter2","n":10000000000000001}`)},
		{Kind: "crash", ID: "b", App: "shop", Body: []byte(`{"n":3}`)},
		{Kind: "crash", ID: "a", App: "shop", Group: "g", Body: []byte(`{"n":4}`)},
	} {
		if err := s.Keep(t.Context(), d); err != nil {
			t.Fatal(i, err)
		}
	}
	for want, q := range map[string]telemetry.DocumentQuery{
		`2: 5 crash a {"n":4}; 4 crash b {"n":3}`:               {Kind: "crash"},
		`1: 5 crash a {"n":4}`:                                  {Group: "g"},
		`2: 5 crash a {"n":4}`:                                  {App: "shop", Limit: 1},
		`1: 3 build a {"n":10000000000000001,"password":"***"}`: {Kind: "build", ID: "a"},
		`0: `: {Kind: "crash", After: 5},
	} {
		found, total, err := s.Documents(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, d := range found {
			parts = append(parts, fmt.Sprintf("%d %s %s %s", d.Number, d.Kind, d.ID, d.Body))
		}
		if got := fmt.Sprintf("%d: %s", total, strings.Join(parts, "; ")); got != want {
			t.Errorf("%+v:\n got %s\nwant %s", q, got, want)
		}
	}
	if s.Last() != 5 {
		t.Error(s.Last())
	}
}

// TestReadingCreatesNoFile: a store that holds nothing has no file.
func TestReadingCreatesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s := at(t, path)
	query(t, s, telemetry.Query{})
	if _, _, err := s.Documents(t.Context(), telemetry.DocumentQuery{}); err != nil || s.Last() != 0 {
		t.Error(err, s.Last())
	}
	if u, err := s.Usage(t.Context()); err != nil || u.Bytes != 0 || u.Path != path {
		t.Errorf("%+v %v", u, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made")
	}
}

func TestSourcesReportStateAndLoss(t *testing.T) {
	s := fresh(t)
	f := s.Open(telemetry.State{ID: "simlog-1", Type: "simctl_log_stream", Source: telemetry.Simulator, Device: "D", App: "com.example"})
	f.Add(telemetry.Entry{Message: "a"})
	f.Lose(3, "the stream broke")
	other := s.Open(telemetry.State{ID: "crash", Source: telemetry.Crash, Status: "watching"})
	e := query(t, s, telemetry.Query{Device: "D", App: "com.example", Sources: []telemetry.Source{telemetry.Simulator}}).Entries
	if len(e) != 2 || !strings.Contains(e[1].Message, "3 lines are missing here: the stream broke") {
		t.Errorf("%+v", e)
	}
	f.Close()
	other.Status("error", os.ErrPermission)
	got := s.Sources()
	if len(got) != 2 || got[0].ID != "crash" || got[0].Status != "error" || got[0].Error == "" ||
		got[1].Captured != 1 || got[1].Lost != 3 || got[1].Status != "stopped" {
		t.Errorf("%+v", got)
	}
	for range 200 {
		s.Open(telemetry.State{}).Close()
	}
	if n := len(s.Sources()); n != 51 { // and the one that is open
		t.Error(n)
	}
}

func TestFiltersHideLinesPerOwner(t *testing.T) {
	s := fresh(t)
	set := func(f telemetry.Filter) {
		t.Helper()
		if err := s.SetFilter(f); err != nil {
			t.Fatal(err)
		}
	}
	set(telemetry.Filter{Owner: "ann", Source: telemetry.Simulator, Process: "Shop", Exclude: []string{"NOISE"}})
	set(telemetry.Filter{Owner: "bob", Exclude: []string{"other"}})
	f := s.Open(telemetry.State{Source: telemetry.Simulator})
	f.Add(telemetry.Entry{Process: "Shop", Message: "kept"})
	f.Add(telemetry.Entry{Process: "Shop", Message: "some noise"})
	f.Add(telemetry.Entry{Process: "Other", Message: "other"})
	s.Add(telemetry.Entry{Source: telemetry.Console, Message: "noise of a console"})
	f.Lose(3, "the stream broke")
	const missing = "3 lines are missing here: the stream broke"
	say(t, s, "kept, some noise, other, noise of a console, "+missing, telemetry.Query{})
	say(t, s, "kept, noise of a console, "+missing, telemetry.Query{Filters: s.FiltersOf("ann")})
	say(t, s, "kept, some noise, noise of a console, "+missing, telemetry.Query{Filters: s.FiltersOf("bob")})
	if n := s.Sources()[0].Captured; n != 3 {
		t.Errorf("captured: got %d, want 3: a filter keeps nothing from the store", n)
	}
	followed := s.Follow(telemetry.Query{Filters: s.FiltersOf("ann")})
	defer followed.Close()
	f.Add(telemetry.Entry{Process: "Other", Message: "later"})
	f.Add(telemetry.Entry{Process: "Shop", Message: "last"})
	if e := <-followed.C; e.Message != "last" {
		t.Errorf("ann follows %q, want the line of her process", e.Message)
	}
	set(telemetry.Filter{Owner: "ann", Source: telemetry.Simulator})
	if got := s.Filters(); len(got) != 1 || got[0].Owner != "bob" {
		t.Errorf("filters: got %+v, want that of bob", got)
	}
}

// TestFiltersEndWithTheirSession, and are not more than so many.
func TestFiltersEndWithTheirSession(t *testing.T) {
	left := ""
	s := fresh(t, func(o *telemetry.Options) { o.Left = func(name string) bool { return left == "all" || left == name } })
	for i := range telemetry.MostFilters {
		if err := s.SetFilter(telemetry.Filter{Owner: fmt.Sprint("s", i), Process: "Shop"}); err != nil {
			t.Fatal(err)
		}
	}
	one := telemetry.Filter{Owner: "ann", Process: "Shop"}
	if err := s.SetFilter(one); !fault.Is(err, fault.TooMany) {
		t.Errorf("one more: got %v, want %s", err, fault.TooMany)
	}
	left = "s7"
	if err := s.SetFilter(one); err != nil || len(s.FiltersOf("s7")) != 0 || len(s.FiltersOf("ann")) != 1 {
		t.Errorf("when one has left: got %v and %+v of ann", err, s.FiltersOf("ann"))
	}
	if left = "all"; len(s.Filters()) != 0 {
		t.Errorf("when all have left: got %d filters, want none", len(s.Filters()))
	}
	s.EndFilters("ann")
	if left = ""; len(s.FiltersOf("ann")) != 0 || len(s.FiltersOf("s8")) != 1 {
		t.Errorf("after ann's were ended: got %+v of ann, want none", s.FiltersOf("ann"))
	}
}

func TestFollowDeliversMatchingEntries(t *testing.T) {
	s := fresh(t)
	s.Add(telemetry.Entry{Message: "before"})
	query(t, s, telemetry.Query{})
	sub := s.Follow(telemetry.Query{Search: "ERR"})
	s.Add(telemetry.Entry{Message: "an error"})
	s.Add(telemetry.Entry{Message: "nothing"})
	if e := <-sub.C; e.Message != "an error" || e.Number != 2 {
		t.Errorf("%+v", e)
	}
	for i := range 1500 {
		s.Add(telemetry.Entry{Message: fmt.Sprint("error ", i)})
	}
	if err := s.Flush(t.Context()); err != nil || sub.Lost() != 500 {
		t.Error(err, sub.Lost())
	}
	sub.Close()
	sub.Close()
	end := s.Follow(telemetry.Query{})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, open := <-end.C; open {
		t.Error("it goes on after the end")
	}
}
