package telemetry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ios-agent/internal/telemetry"
)

// indexed stores lines, of which one of ten has a word, and gives the file, closed.
func indexed(t *testing.T, lines int, word string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s := at(t, path)
	addLines(t, s, 0, lines, word)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func addLines(t *testing.T, s *telemetry.Store, from, to int, word string) {
	t.Helper()
	for i := from; i < to; i++ {
		text := fmt.Sprintf("line %d of %s is id%05d", i, word, i)
		if i%10 == 3 {
			text += " Timeout" + word
		}
		s.Add(telemetry.Entry{Message: text, App: "com.example." + word, Level: telemetry.Level(i % 6)})
	}
	flush(t, s)
}

// found are queries that the index answers, in short.
func found(t *testing.T, s *telemetry.Store, words ...string) (out []int) {
	t.Helper()
	for _, word := range words {
		for _, q := range []telemetry.Query{
			{Search: "timeout" + word}, {Search: "Eout" + word}, {Search: "of " + word + " IS"}, {Search: word, Level: telemetry.Error},
			{App: "com.example." + word}, {Search: "timeout", App: "com.example." + word}, {Exclude: []string{"timeout" + word}},
		} {
			out = append(out, query(t, s, q).Total)
		}
	}
	for _, search := range []string{"id00007", "123", "ine", "timeout"} {
		out = append(out, query(t, s, telemetry.Query{Search: search, Limit: 3}).Total)
	}
	return append(out, query(t, s, telemetry.Query{Level: telemetry.Fault, Oldest: true}).Total)
}

// TestDamagedIndexDoesNotChangeAnswers: whatever happens to the files of the index, the answers are those of the file of lines; and what is
// missing is made again.
func TestDamagedIndexDoesNotChangeAnswers(t *testing.T) {
	const lines = 2000
	only := func(t *testing.T, path string) string {
		t.Helper()
		names := indexFiles(t, path)
		if len(names) != 1 {
			t.Fatal(names)
		}
		return names[0]
	}
	for name, ruin := range map[string]func(t *testing.T, path string){
		"whole":   func(*testing.T, string) {},
		"missing": func(t *testing.T, path string) { change(t, only(t, path), func([]byte) []byte { return nil }) },
		"removed": func(t *testing.T, path string) {
			if err := os.Remove(only(t, path)); err != nil {
				t.Fatal(err)
			}
		},
		"torn": func(t *testing.T, path string) {
			change(t, only(t, path), func(raw []byte) []byte { return raw[:len(raw)-100] })
		},
		"torn in a head": func(t *testing.T, path string) {
			change(t, only(t, path), func(raw []byte) []byte { return append(raw, raw[:20]...) })
		},
		"only zeros at the end": func(t *testing.T, path string) {
			change(t, only(t, path), func(raw []byte) []byte { clear(raw[len(raw)-5000:]); return append(raw, make([]byte, 9000)...) })
		},
		"another version": func(t *testing.T, path string) {
			change(t, only(t, path), func(raw []byte) []byte { raw[0]++; return raw })
		},
		"a folder": func(t *testing.T, path string) {
			name := only(t, path)
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(name, 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"of another file": func(t *testing.T, path string) {
			other, err := os.ReadFile(only(t, indexed(t, lines, "banana")))
			if err != nil {
				t.Fatal(err)
			}
			change(t, only(t, path), func([]byte) []byte { return other })
		},
		"the records of both": func(t *testing.T, path string) {
			other, err := os.ReadFile(only(t, indexed(t, lines, "banana")))
			if err != nil {
				t.Fatal(err)
			}
			change(t, only(t, path), func(raw []byte) []byte { return append(raw, other...) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := indexed(t, lines, "apple")
			s := at(t, path)
			want := fmt.Sprint(found(t, s, "apple", "banana"))
			if want != "[200 200 2000 666 2000 200 1800 0 0 0 0 0 0 2000 1 12 2000 200 333]" {
				t.Fatal(want)
			}
			whole := s.IndexBytes()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			ruin(t, path)
			s = at(t, path)
			for range 2 {
				if got := fmt.Sprint(found(t, s, "apple", "banana")); got != want {
					t.Errorf("\n got %s\nwant %s", got, want)
				}
				if n := s.IndexBytes(); n != whole {
					t.Errorf("the index has %d bytes, it had %d", n, whole)
				}
			}
		})
	}
}

// change writes a file anew.
func change(t *testing.T, path string, to func([]byte) []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, to(raw), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestFlippedIndexByteDoesNotChangeAnswers: any byte of it may be another one.
func TestFlippedIndexByteDoesNotChangeAnswers(t *testing.T) {
	path := indexed(t, 1100, "apple")
	name := indexFiles(t, path)[0]
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for flip := -1; flip < len(whole); flip += max(1, len(whole)/25) {
		raw := append([]byte(nil), whole...)
		if flip >= 0 {
			raw[flip] ^= 0x10
		}
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		s := at(t, path)
		got := fmt.Sprint(found(t, s, "apple"))
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("byte %d:\n got %s\nwant %s", flip, got, want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIndexIgnoresLinesThatTheFileLost: after a loss of power the file may have less than the index, and the same numbers are given to
// others.
func TestIndexIgnoresLinesThatTheFileLost(t *testing.T) {
	path := indexed(t, 600, "apple")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := at(t, path)
	addLines(t, s, 600, 2000, "apple")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	s = at(t, path)
	addLines(t, s, 600, 2000, "berry")
	got := fmt.Sprint(found(t, s, "apple", "berry"))
	if want := "[60 60 600 200 600 60 1940 140 140 1400 466 1400 140 1860 1 12 2000 200 333]"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestIndexCountsMatchesWithoutBlocks: the number of lines that have a word, a part of one, a number or a value of a field is known without
// a look at the blocks. Here they cannot be read; who wants to see their lines finds it.
func TestIndexCountsMatchesWithoutBlocks(t *testing.T) {
	path := indexed(t, 2000, "apple")
	execute(t, path, "UPDATE block SET head = x'', body = x'', sieve = x'' WHERE first < 1500")
	s := at(t, path)
	for _, row := range []struct {
		want int
		q    telemetry.Query
	}{
		{200, telemetry.Query{Search: "TIMEOUTapple"}},
		{1800, telemetry.Query{Exclude: []string{"meou"}}},
		{2, telemetry.Query{Search: "999"}},
		{2000, telemetry.Query{App: "com.example.apple"}},
		{666, telemetry.Query{Level: telemetry.Error}},
		{666, telemetry.Query{Level: telemetry.Error, Search: "pple", WithoutNoise: true}},
		{66, telemetry.Query{Search: "timeout", App: "com.example.apple", Level: telemetry.Fault}},
	} {
		row.q.Limit = 1
		if got := query(t, s, row.q).Total; got != row.want {
			t.Errorf("%+v: %d, want %d", row.q, got, row.want)
		}
	}
	say(t, s, "", telemetry.Query{Search: "id00007"})
	if u := usage(t, s); u.Notice == "" {
		t.Error("nobody says that a block cannot be read")
	}
}

// TestDeleteRemovesIndexBeingBuilt: nothing of what is deleted comes back.
func TestDeleteRemovesIndexBeingBuilt(t *testing.T) {
	path := indexed(t, 5000, "private")
	for _, name := range indexFiles(t, path) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	s := at(t, path)
	if n := query(t, s, telemetry.Query{Search: "private"}).Total; n != 5000 {
		t.Error(n)
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.IndexBytes(); n != 0 || len(indexFiles(t, path)) != 0 {
		t.Errorf("%d bytes in %v", n, indexFiles(t, path))
	}
}
