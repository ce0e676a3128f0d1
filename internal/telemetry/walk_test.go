package telemetry_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
)

// fill adds so many lines of a text each, of two processes in turn.
func fill(t testing.TB, s *telemetry.Store, n int, text string) {
	t.Helper()
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	for i := range n {
		s.Add(telemetry.Entry{
			Time: at.Add(time.Duration(i) * time.Millisecond), Process: [...]string{"Shop", "Maps"}[i%2], Message: fmt.Sprint(i+1, " ", text),
		})
		if i%500 == 499 {
			flush(t, s) // else the queue is full
		}
	}
	flush(t, s)
}

// TestWalkReturnsSameEntriesAsQuery: the same entries in the same order, over blocks that are full and one that is not.
func TestWalkReturnsSameEntriesAsQuery(t *testing.T) {
	s := fresh(t)
	const n = 10_000
	fill(t, s, n, "line")
	for name, q := range map[string]telemetry.Query{
		"all":        {},
		"a process":  {Process: "Maps"},
		"a text":     {Search: "7 LINE"},
		"a text out": {Exclude: []string{"1"}, Process: "Shop"},
		"between":    {After: 700, Upto: 5_300},
		"one":        {After: 4_999, Upto: 5_000},
		"the first":  {Upto: 1},
		"none":       {After: 1, Upto: 1},
		"late":       {Since: time.Date(2026, 2, 3, 4, 5, 15, 0, time.UTC)},
		"the end":    {After: n - 1, Upto: n + 5},
		"no such":    {Process: "none"},
	} {
		all := q
		all.Limit, all.Oldest = n, true
		want, got := query(t, s, all), []telemetry.Entry(nil)
		q.Limit, q.Offset = 1, 3 // say nothing
		if err := s.Walk(t.Context(), q, func(e telemetry.Entry) error { got = append(got, e); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(got) != want.Total || len(got) != len(want.Entries) {
			t.Fatalf("%s: got %d entries, want %d", name, len(got), want.Total)
		}
		for i := range got {
			if got[i] != want.Entries[i] {
				t.Fatalf("%s: entry %d: got %+v, want %+v", name, i, got[i], want.Entries[i])
			}
		}
	}
}

// TestWalkUsesLittleMemory: in the middle of a walk, what is in memory is a small part of what is walked over.
func TestWalkUsesLittleMemory(t *testing.T) {
	s := fresh(t)
	const n, each = 20_000, 1_000 // 20 MB
	fill(t, s, n, strings.Repeat("x", each))
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, seen, most := live(), 0, int64(0)
	err := s.Walk(t.Context(), telemetry.Query{}, func(telemetry.Entry) error {
		if seen++; seen%(n/4) == 0 {
			most = max(most, live()-before)
		}
		return nil
	})
	if err != nil || seen != n {
		t.Errorf("got %d entries and %v, want %d", seen, err, n)
	}
	if bound := int64(n * each / 4); most > bound {
		t.Errorf("got %d bytes in memory, want at most %d of %d", most, bound, n*each)
	}
}

// TestWalkStopsOnErrorOrCancellation: with the first error of its reader, with its caller, and where there is no file.
func TestWalkStopsOnErrorOrCancellation(t *testing.T) {
	s := fresh(t)
	enough := errors.New("enough")
	if err := s.Walk(t.Context(), telemetry.Query{}, func(telemetry.Entry) error { return enough }); err != nil {
		t.Errorf("an empty store: got %v, want nothing", err)
	}
	fill(t, s, 3, "line")
	seen := 0
	if err := s.Walk(t.Context(), telemetry.Query{}, func(telemetry.Entry) error { seen++; return enough }); err != enough || seen != 1 {
		t.Errorf("got %d entries and %v, want one and its error", seen, err)
	}
}
