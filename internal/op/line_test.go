package op

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                               nil,
		"  tap   @e7 ":                   {"tap", "@e7"},
		`fill @e5 "a b" --submit`:        {"fill", "@e5", "a b", "--submit"},
		`type 'it''s' "\"q\"" a\ b`:      {"type", "its", `"q"`, "a b"},
		`type ''`:                        {"type", ""},
		`type 'back\slash' "new\\line"`:  {"type", `back\slash`, `new\line`},
		`type $(rm -rf /) ; echo > file`: {"type", "$(rm", "-rf", "/)", ";", "echo", ">", "file"},
	} {
		got, err := Words(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`type "open`, `type 'open`, `type \`} {
		if got, err := Words(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, line := range []string{`a "b c" 'd'`, `\`, `"`, "a\tb\nc"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Words(line)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words { // what was split can be put together again
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		again, err := Words(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(again, words) {
			t.Fatalf("%q: %q, then %q, %v", line, words, again, err)
		}
	})
}
