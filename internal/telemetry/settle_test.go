package telemetry_test

import (
	"path/filepath"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
)

// TestSettleStoresCountedRepeats: an error that is said again within seconds is stored with its count as soon as somebody
// settles; what is no error waits, and no line is counted twice.
func TestSettleStoresCountedRepeats(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := telemetry.New(telemetry.Options{Path: filepath.Join(t.TempDir(), "telemetry.db"), Now: func() time.Time { return now }})
	say := func(level telemetry.Level, text string, times int) {
		for range times {
			s.Add(telemetry.Entry{Device: "U", App: "a", Level: level, Message: text})
		}
	}
	counts := func(after int64) (n int) {
		page, err := s.Query(t.Context(), telemetry.Query{After: after, Level: telemetry.Error})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			n += e.Count
		}
		return n
	}
	settle := func() int64 {
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.Last()
	}
	say(telemetry.Error, "broken", 1)
	say(telemetry.Info, "fine", 3)
	first := settle()
	if n := counts(0); n != 1 {
		t.Fatalf("%d errors at first", n)
	}
	say(telemetry.Error, "broken", 3)
	settle()
	if n := counts(first); n != 3 {
		t.Errorf("%d errors again", n)
	}
	if before := s.Last(); settle() != before {
		t.Error("nothing was said, and something was stored")
	}
	now = now.Add(time.Minute)
	if settle(); counts(0) != 4 {
		t.Errorf("%d errors in the end", counts(0))
	}
	page, err := s.Query(t.Context(), telemetry.Query{Search: "fine"})
	if err != nil || len(page.Entries) != 2 || page.Entries[0].Count+page.Entries[1].Count != 3 {
		t.Errorf("%+v %v", page, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
