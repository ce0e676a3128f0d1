package telemetry_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
)

func TestSearchIsInAnyCase(t *testing.T) {
	for _, row := range []struct {
		message, search string
		found           bool
	}{
		{"Request TIMEOUT", "timeout", true},
		{"MyTimeouts", "TIMEOUT", true},
		{"STRASSE", "straße", false},
		{"Straße", "STRAßE", true},
		{"STRAẞE", "straße", true}, // the capital ß
		{"İstanbul", "i", true},
		{"İstanbul", "istanbul", false}, // it is i and a dot above
		{"İstanbul", "İSTANBUL", true},
		{"ΟΔΟΣ", "οδος", true},
		{"ΟΔΟΣ", "οδοσ", true},
		{"ÄÖÜ", "äöü", true},
		{"a 🙂 b", "🙂", true},
		{"a 🙂 b", "🙃", false},
		{"K", "k", true}, // the Kelvin sign
		{`50% of "all" _x_ * y`, `50% OF "ALL" _X_ *`, true},
		{"50 percent", "50%", false},
		{"abc", "a_c", false},
		{"abc", "a*", false},
		{"a\x00b", "\x00B", true},
		{"ab", "\x00", false},
		{"line\nnext", "e\nn", true},
		{"abc", "", true},
	} {
		s := fresh(t)
		s.Add(telemetry.Entry{Message: "abc xyz 123"}) // so that something stands before it
		s.Add(telemetry.Entry{Message: row.message, Process: "P"})
		q := telemetry.Query{Process: "P", Search: row.search}
		page := query(t, s, q)
		if (page.Total == 1) != row.found {
			t.Errorf("%q in %q: %v", row.search, row.message, page.Total)
		}
		if row.search == "" {
			continue
		}
		q = telemetry.Query{Process: "P", Exclude: []string{row.search}}
		if page := query(t, s, q); (page.Total == 0) != row.found {
			t.Errorf("without %q, %q: %v", row.search, row.message, page.Total)
		}
	}
}

// TestNotOverTheEndOfALine: a text that begins in a message and ends in the next is in neither.
func TestNotOverTheEndOfALine(t *testing.T) {
	s := fresh(t)
	for _, m := range []string{"xab", "cdx", "ab", "", "cd", "abc", "abcd", "É ab", "cd"} {
		s.Add(telemetry.Entry{Message: m, Count: 2})
	}
	say(t, s, "abcd ×2", telemetry.Query{Search: "ABCD"})
	say(t, s, "cdx ×2, cd ×2, abcd ×2, cd ×2", telemetry.Query{Search: "cd"})
	say(t, s, "xab ×2", telemetry.Query{Search: "xab"})
}

var alphabet = []string{"a", "B", "ab", "Error", "timeout", " ", " ", "0", "17", "ß", "İ", "🙂", "K", "%", "_", "\n", "σ", "ς", "\x00"}

func random(r *rand.Rand, parts int) string {
	var b strings.Builder
	for range r.IntN(parts + 1) {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// TestAQueryIsWhatFits: over random entries, any query gives what one gets by asking of each entry whether it fits; blocks, sieves and
// pages change nothing.
func TestAQueryIsWhatFits(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 4))
	s := fresh(t)
	base := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	var all []telemetry.Entry
	for i := range 3000 {
		e := telemetry.Entry{
			Time: base.Add(time.Duration(i+r.IntN(200)) * time.Second), Device: one(r, "", "D1", "D2"), App: one(r, "", "com.example.a", "b"),
			Process: one(r, "Shop", "Other"), PID: r.IntN(3), Source: one(r, telemetry.Simulator, telemetry.Console, telemetry.Crash),
			Level: telemetry.Level(r.IntN(6)), Subsystem: one(r, "", "s"), Category: one(r, "", "c"), Message: random(r, 12),
			Raw: one(r, "", random(r, 3)), Count: 2, // no repeats
		}
		if i/500%2 == 1 {
			e.Process = "Rare" // some blocks have none of the others
		}
		s.Add(e)
		e.Number = int64(i + 1)
		all = append(all, e)
		if r.IntN(300) == 0 {
			if err := s.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 400 {
		q := telemetry.Query{
			Level: telemetry.Level(r.IntN(6)) * telemetry.Level(r.IntN(2)), Search: one(r, "", random(r, 3), random(r, 1)),
			Device: one(r, "", "", "D1"), App: one(r, "", "", "b"), Process: one(r, "", "", "Rare", "Shop", "No"), PID: one(r, 0, 0, 1, 7),
			Subsystem: one(r, "", "", "s"), Category: one(r, "", "", "c"), Oldest: r.IntN(2) == 0, Limit: 1 + r.IntN(200),
			Offset: r.IntN(3) * r.IntN(300), WithoutNoise: r.IntN(2) == 0,
		}
		if r.IntN(3) == 0 {
			q.After, q.Upto = int64(r.IntN(3100)), int64(r.IntN(3100))
		}
		if r.IntN(3) == 0 {
			q.Since = base.Add(time.Duration(r.IntN(3000)) * time.Second)
		}
		if r.IntN(3) == 0 {
			q.Until = base.Add(time.Duration(r.IntN(3000)) * time.Second)
		}
		if r.IntN(3) == 0 {
			q.Exclude = []string{random(r, 2), random(r, 2)}
		}
		if r.IntN(3) == 0 {
			q.Sources = []telemetry.Source{one(r, telemetry.Simulator, telemetry.Proxy), telemetry.Crash}
		}
		var want []telemetry.Entry
		for _, e := range all {
			if q.Fits(e) {
				want = append(want, e)
			}
		}
		page := query(t, s, q)
		if page.Total != len(want) || page.Last != 3000 {
			t.Fatalf("%+v: total %d, want %d", q, page.Total, len(want))
		}
		if q.Oldest {
			want = want[min(q.Offset, len(want)):]
			want = want[:min(q.Limit, len(want))]
		} else {
			want = want[:max(0, len(want)-q.Offset)]
			want = want[max(0, len(want)-q.Limit):]
		}
		if !slices.Equal(page.Entries, want) {
			t.Fatalf("%+v:\n got %q\nwant %q", q, texts(page.Entries), texts(want))
		}
	}
}
