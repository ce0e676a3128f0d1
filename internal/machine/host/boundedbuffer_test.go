package host

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// The capture against the obvious implementation: keep everything, cut at the end.
func TestCaptureKeepsHeadAndTail(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		limit := 1 + r.IntN(40)
		c := headAndTail(limit)
		if r.IntN(2) == 0 {
			c = tailOnly(limit)
		}
		var all []byte
		for range r.IntN(12) {
			p := make([]byte, r.IntN(30))
			for i := range p {
				p[i] = byte(r.IntN(256))
			}
			all = append(all, p...)
			c.add(p)
		}
		want := all
		if len(all) > limit {
			want = append(bytes.Clone(all[:c.headCap]), all[len(all)-c.tailCap:]...)
		}
		got, dropped := c.bytes()
		if !bytes.Equal(got, want) || int(dropped) != len(all)-len(want) {
			t.Fatalf("limit %d: got %v (%d dropped), want %v", limit, got, dropped, want)
		}
	}
}

func TestLastLinesReturnsRequestedNumber(t *testing.T) {
	for in, want := range map[string]string{
		"":              "",
		"one":           "one",
		"a\nb\nc\n":     "b\nc",
		"a\nb":          "a\nb",
		"\n\na\nb\n\n":  "a\nb",
		"a\n\nb\n":      "\nb",
		"x\na\r\nb\r\n": "a\r\nb\r",
	} {
		if got := lastLines([]byte(in), 2); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
