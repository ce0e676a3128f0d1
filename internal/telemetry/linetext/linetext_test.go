package linetext_test

import (
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/telemetry/linetext"
)

func TestTemplateReplacesNumbersAndIDs(t *testing.T) {
	for message, want := range map[string]string{
		"HTTP 401 on /v1/x":        "HTTP <N> on /v1/x",
		"at 0x1f from 10.0.0.1:80": "at <HEX> from <IP>",
		"a 1, 2, 3 b":              "a <N> b",
		"took 234ms on iOS18":      "took 234ms on iOS18",
		"took 2.5 s":               "took <N> s",
		"-5 and +6":                "-<N> and +<N>",
		"id 0F8FAD5B-D9CB-469F-A165-70867728950E, 0f8fad5b-d9cb-469f-a165-70867728950e": "id <UUID>, <UUID>",
		"0f8fad5b-d9cb-469f-a165-70867728950ef":                                         "0f8fad5b-d9cb-469f-a165-70867728950ef",
		"1.2.3.4.5":                                                                     "<IP>.<N>",
		"0x":                                                                            "0x",
		"10x1f":                                                                         "10x1f",
		"é7 7é 7":                                                                       "é7 7é <N>",
		"":                                                                              "",
		"12":                                                                            "<N>",
		"1, 2 of 3 . 4.":                                                                "<N> of <N>.",
		"a_1":                                                                           "a_<N>",
		"🙂1":                                                                            "🙂<N>",
	} {
		if got := linetext.Template(message); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

// FuzzTemplate: it never fails, is the same when it is done again, and does not depend on which digits there are.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"a 1, 2, 3 b", "0x1f 10.0.0.1:80", "id 0F8FAD5B-D9CB-469F-A165-70867728950E", "é7\xff7"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message string) {
		once := linetext.Template(message)
		if again := linetext.Template(once); again != once {
			t.Errorf("%q: %q, then %q", message, once, again)
		}
		other := strings.Map(func(r rune) rune {
			if '0' < r && r <= '9' { // a 0 may be that of 0x
				return '0' + (r-'0')%9 + 1
			}
			return r
		}, message)
		if strings.ToValidUTF8(message, "\uFFFD") == message && linetext.Template(other) != once {
			if strings.ContainsAny(once, "123456789") { // digits that touch letters stay
				return
			}
			t.Errorf("%q is %q, %q is %q", message, once, other, linetext.Template(other))
		}
	})
}

// FuzzSearch: a text is found in many lines at once exactly as in each by itself, the sieve of the lines lets it through, and ASCII is
// folded eight bytes at a time as one by one.
func FuzzSearch(f *testing.F) {
	for _, seed := range [][2]string{{"Request timed out|after 5 s", "TIMED"}, {"İ|ß|🙂", "i"}, {"ab|cd", "bc"}, {"a\x00b|\xff", "\x00"},
		{"id=0123401230123412345|0123412345", "12345"}, {"aaaaaaaaaaaaaaaaaab|", "aab"}, {"0123456789abc|xyz", "yz"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, lines, search string) {
		needle := linetext.Fold(search)
		sieve := linetext.NewSieve()
		var folded []byte
		var ends, want []int
		for i, line := range strings.Split(lines, "|") {
			from := len(folded)
			folded = linetext.AppendFolded(folded, line)
			ends = append(ends, len(folded))
			sieve.AddText(folded[from:])
			if needle != "" && strings.Contains(linetext.Fold(line), needle) {
				want = append(want, i)
			}
			if small, plain := linetext.AppendSmall(nil, []byte(line)); plain && string(small) != linetext.Fold(line) {
				t.Errorf("%q: %q", line, small)
			}
		}
		if linetext.Fold(needle) != needle {
			t.Errorf("%q is %q, then %q", search, needle, linetext.Fold(needle))
		}
		if needle == "" {
			return
		}
		if got, want := linetext.Index(folded, []byte(needle)), strings.Index(string(folded), needle); got != want {
			t.Errorf("%q in %q: at %d, want %d", needle, folded, got, want)
		}
		if got := linetext.Found(nil, []byte(needle), folded, ends); !slices.Equal(got, want) {
			t.Errorf("%q in %q: %v, want %v", search, lines, got, want)
		}
		sieve = sieve.Shrunk()
		if len(want) > 0 && slices.ContainsFunc(linetext.Places(needle), func(at uint32) bool { return !sieve.Has(at) }) {
			t.Errorf("the sieve of %q keeps %q out", lines, search)
		}
	})
}
