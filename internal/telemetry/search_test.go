package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
)

func TestSearchIgnoresCase(t *testing.T) {
	s := fresh(t)
	for i, row := range []struct {
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
		process := fmt.Sprint("P", i)
		s.Add(telemetry.Entry{Message: row.message, Process: process})
		q := telemetry.Query{Process: process, Search: row.search}
		page := query(t, s, q)
		if (page.Total == 1) != row.found {
			t.Errorf("%q in %q: %v", row.search, row.message, page.Total)
		}
		if row.search == "" {
			continue
		}
		q = telemetry.Query{Process: process, Exclude: []string{row.search}}
		if page := query(t, s, q); (page.Total == 0) != row.found {
			t.Errorf("without %q, %q: %v", row.search, row.message, page.Total)
		}
	}
}

// TestSearchStopsAtEndOfLine: a text that begins in a message and ends in the next is in neither.
func TestSearchStopsAtEndOfLine(t *testing.T) {
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

// TestQueryFindsExactlyTheMatches: over random entries, any query gives what one gets by asking of each entry whether it fits; blocks,
// sieves, pages and the index change nothing: when it was just written, when it is opened again, when it is lost, and when it was made
// again.
func TestQueryFindsExactlyTheMatches(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 4))
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s := at(t, path)
	all := randomEntries(t, r, s)
	again := func() {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fits(t, r, s, all, 150)
	whole := s.IndexBytes()
	again()
	s = at(t, path)
	fits(t, r, s, all, 75)
	if n := s.IndexBytes(); n < whole || n == 0 {
		t.Errorf("%d bytes of index, %d before", n, whole)
	}
	again()
	for _, name := range indexFiles(t, path) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	s = at(t, path)
	fits(t, r, s, all, 75) // while it is made again
	if n := s.IndexBytes(); n < whole {
		t.Errorf("%d bytes of index, %d before", n, whole)
	}
	fits(t, r, s, all, 75)
}

func indexFiles(t testing.TB, path string) []string {
	t.Helper()
	found, err := filepath.Glob(path + "-index*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var startOfEntries = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// randomEntries stores 1500 entries.
func randomEntries(t *testing.T, r *rand.Rand, s *telemetry.Store) (all []telemetry.Entry) {
	t.Helper()
	for i := range 1500 {
		e := telemetry.Entry{
			Time:   startOfEntries.Add(time.Duration(i+r.IntN(200)) * time.Second),
			Device: one(r, "", "D1", "D2"), App: one(r, "", "com.example.a", "b"),
			Process: one(r, "Shop", "Other"), PID: r.IntN(3), Source: one(r, telemetry.Simulator, telemetry.Console, telemetry.Crash),
			Level: telemetry.Level(r.IntN(6)), Subsystem: one(r, "", "s"), Category: one(r, "", "c"), Message: random(r, 12),
			Raw: one(r, "", random(r, 3)), Count: 2, // no repeats
		}
		if i/250%2 == 1 {
			e.Process = "Rare" // some blocks have none of the others
		}
		if r.IntN(20) == 0 {
			e.Message += one(r, "Sandbox: deny", "amfi: is NOT valid", "boringssl_x", "sandbox allow") // noise, and nearly
		}
		s.Add(e)
		e.Number = int64(i + 1)
		all = append(all, e)
		if r.IntN(300) == 0 {
			flush(t, s)
		}
	}
	return all
}

// fits asks so many random queries.
func fits(t *testing.T, r *rand.Rand, s *telemetry.Store, all []telemetry.Entry, queries int) {
	t.Helper()
	base := startOfEntries
	for range queries {
		q := telemetry.Query{
			Level:  telemetry.Level(r.IntN(6)) * telemetry.Level(r.IntN(2)),
			Search: one(r, "", random(r, 3), random(r, 1), one(r, "meou", "RORt", "r17", "170", "or 1")),
			Device: one(r, "", "", "D1"), App: one(r, "", "", "b"), Process: one(r, "", "", "Rare", "Shop", "No"), PID: one(r, 0, 0, 1, 7),
			Subsystem: one(r, "", "", "s"), Category: one(r, "", "", "c"), Oldest: r.IntN(2) == 0, Limit: 1 + r.IntN(200),
			Offset: r.IntN(3) * r.IntN(300), WithoutNoise: r.IntN(2) == 0,
		}
		if r.IntN(3) == 0 {
			q.After, q.Upto = int64(r.IntN(1600)), int64(r.IntN(1600))
		}
		if r.IntN(3) == 0 {
			q.Since = base.Add(time.Duration(r.IntN(1500)) * time.Second)
		}
		if r.IntN(3) == 0 {
			q.Until = base.Add(time.Duration(r.IntN(1500)) * time.Second)
		}
		if r.IntN(3) == 0 {
			q.Exclude = []string{random(r, 2), random(r, 2)}
		}
		if r.IntN(3) == 0 {
			q.Sources = []telemetry.Source{one(r, telemetry.Simulator, telemetry.Proxy), telemetry.Crash}
		}
		if r.IntN(3) == 0 {
			q.Filters = []telemetry.Filter{
				{Source: one(r, "", telemetry.Console), Process: one(r, "", "Rare"), Exclude: []string{"e", random(r, 2) + "x"}},
				{Source: telemetry.Crash, Process: "Shop"},
			}
		}
		var want []telemetry.Entry
		for _, e := range all {
			if q.Fits(e) {
				want = append(want, e)
			}
		}
		page := query(t, s, q)
		if page.Total != len(want) || page.Last != 1500 {
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
