package samples

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Summary is what every reader returns.
type Summary interface{ Text(limit int) string }

// Check reads every sample of some folders that sniff recognizes. The UUIDs of a sample must be in what was read; its
// summary must keep the limit and be the golden one. More makes further checks and may add to the golden facts.
func Check[T Summary](t *testing.T, folders []string, sniff func([]byte) int, read func([]byte) (T, error),
	more func(*testing.T, Sample, T) string) {
	t.Helper()
	got := map[string]string{}
	for _, s := range Of(t, folders...) {
		if sniff(s.Data) < 50 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			r, err := read(s.Data)
			if err != nil {
				t.Fatal(err)
			}
			out, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			Contains(t, "UUID", string(out), UUIDs(s.Data))
			for _, limit := range []int{0, 60, 300, 5000} {
				text := r.Text(limit)
				if limit > 0 && len(text) > limit || text == "" || !utf8.ValidString(text) {
					t.Errorf("limit %d: %d bytes", limit, len(text))
				}
			}
			lines := strings.Split(r.Text(900), "\n")
			facts := more(t, s, r)
			got[s.Name] = strings.TrimSpace(facts + "\n" + strings.Join(lines[:min(5, len(lines))], "\n"))
		})
	}
	if len(got) == 0 {
		t.Fatal("no sample was taken for this kind")
	}
	Golden(t, got)
}

// Fuzz is the fuzz target of a reader: it never panics, keeps the limit and can be written as JSON.
func Fuzz[T Summary](f *testing.F, sniff func([]byte) int, read func([]byte) (T, error), seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := sniff(b); n < 0 || n > 100 {
			t.Fatalf("sniffed %d", n)
		}
		r, err := read(b)
		if err != nil {
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("cannot be written: %v", err)
		}
		if text := r.Text(200); len(text) > 200 {
			t.Fatalf("%d bytes of text", len(text))
		}
	})
}
