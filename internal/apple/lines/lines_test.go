package lines

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestCleanRemovesEscapeSequences(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                "plain",
		"\x1b[1;31merror:\x1b[0m x":            "error: x",
		"\x1b]8;;http://a\x07link\x1b]8;;\x07": "link",
		"\x1b]0;title\x1b\\x":                  "x",
		"\x1b(Bx":                              "x",
		"a\u200Bb\uFEFFc":                      "abc",
		"\xffx":                                "\uFFFDx",
		"ends in \x1b":                         "ends in ",
		"\x1b[31":                              "",
		"👩\u200D👧":                             "👩\u200D👧",
	} {
		if got := Clean([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestAllSplitsAtEveryLineEnding(t *testing.T) {
	got := All([]byte("a\r\nb\n\n 10%\r 20%\r\nlast"))
	if want := []string{"a", "b", "", " 10%", " 20%", "last"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if All(nil) != nil {
		t.Error("lines out of nothing")
	}
}

func TestLongLinesAreCut(t *testing.T) {
	s := Splitter{}
	var got []int
	s.Line = func(l string) { got = append(got, len(l)) }
	for range 3 {
		_, _ = s.Write([]byte(strings.Repeat("x", MaxLine/2)))
	}
	_, _ = s.Write([]byte("\nshort"))
	s.End()
	if !slices.Equal(got, []int{MaxLine, 5}) || s.Cut != 1 {
		t.Errorf("got %v, %d cut", got, s.Cut)
	}
}

func FuzzChunks(f *testing.F) {
	f.Add([]byte("a\r\nb\x1b[0mc\rd\n\xe2\x9c"), 1)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		if n < 1 {
			n = 1
		}
		var got []string
		s := Splitter{Line: func(l string) { got = append(got, l) }}
		for chunk := range slices.Chunk(b, n) {
			_, _ = s.Write(bytes.Clone(chunk))
		}
		s.End()
		if want := All(b); !slices.Equal(got, want) {
			t.Fatalf("in chunks of %d: %q, want %q", n, got, want)
		}
	})
}
