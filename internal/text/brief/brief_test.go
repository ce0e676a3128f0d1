package brief

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestListCountsOmittedItems(t *testing.T) {
	w := New(200)
	w.Line("head")
	w.List("errors", 10, func(i int) []string { return []string{strings.Repeat("x", 40), "  detail"} })
	got := w.String()
	if len(got) > 200 || !strings.HasSuffix(got, "… 7 more errors") || strings.Count(got, "detail") != 2 {
		t.Errorf("%d: %q", len(got), got)
	}
}

func TestListShowsPartOfLongItem(t *testing.T) {
	w := New(300)
	w.List("errors", 2, func(int) []string { return []string{strings.Repeat("é", 400)} })
	got := w.String()
	if !strings.HasPrefix(got, "éé") || !strings.HasSuffix(got, "… 1 more errors") || !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}

func FuzzBounded(f *testing.F) {
	f.Add("one\ntwo", 20, 3)
	f.Fuzz(func(t *testing.T, s string, limit, n int) {
		if limit < 1 || limit > 1<<16 || n < 0 || n > 1000 {
			t.Skip("no summary has such a limit or so many items")
		}
		w := New(limit)
		w.Line(s)
		w.List("items", n, func(int) []string { return []string{s, s} })
		if got := w.String(); len(got) > limit || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%d bytes, limit %d: %q", len(got), limit, got)
		}
	})
}
