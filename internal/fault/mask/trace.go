package mask

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Traces find the secrets that an earlier process knew, without their values: for each form in which programs write a secret they have its
// length and a keyed sum. A file can keep them; a reader of the file can try guesses, as with a file of hashed passwords. A trace does not
// find a secret that is cut short or has marks between its digits; a known secret is found there too.
type Traces struct {
	Key []byte  `json:"key"` // random; each home has its own
	All []Trace `json:"traces"`
}

// Trace is one secret.
type Trace struct {
	Shown string `json:"shown"` // placeholder
	Forms []Form `json:"forms"`
}

// Form is one spelling of a secret, in lower case, without its text.
type Form struct {
	Runes int    `json:"runes"`
	Hint  uint16 `json:"hint"` // part of a rolling sum, which is cheap to compute: few other texts have the same
	Sum   []byte `json:"sum"`
}

// Of makes the trace of a secret with this set's key.
func (t *Traces) Of(value, shown string) Trace {
	one := Trace{Shown: shown}
	for _, form := range Forms(value) {
		text := folded(form)
		f := Form{len(text), hint(t.rolled(text)), t.sum(text)}
		if f.Runes >= Least && !slices.ContainsFunc(one.Forms, f.is) {
			one.Forms = append(one.Forms, f)
		}
	}
	return one
}

func (f Form) is(other Form) bool { return f.Runes == other.Runes && hmac.Equal(f.Sum, other.Sum) }

// Index returns the index of a secret's trace; -1 if it has none.
func (t *Traces) Index(value string) int { return slices.IndexFunc(t.All, t.Of(value, "").same) }

// same reports whether two traces are of the same secret: then their longest forms are equal.
func (t Trace) same(other Trace) bool {
	return len(t.Forms) > 0 && len(other.Forms) > 0 && t.Forms[0].is(other.Forms[0])
}

// without returns the traces of all other secrets, and leaves its receiver unchanged.
func (t *Traces) without(value string) *Traces {
	if t == nil {
		return nil
	}
	i := t.Index(value)
	if i < 0 {
		return t
	}
	return &Traces{t.Key, slices.Delete(slices.Clone(t.All), i, i+1)}
}

// empty reports whether there is nothing to find.
func (t *Traces) empty() bool { return t == nil || len(t.All) == 0 }

// hide replaces each secret in a text by its placeholder. It takes the longest forms first, because a long one may contain a short one.
func (t *Traces) hide(text string) string {
	if t.empty() {
		return text
	}
	byLength := map[int][]shownForm{}
	for _, one := range t.All {
		for _, f := range one.Forms {
			byLength[f.Runes] = append(byLength[f.Runes], shownForm{f, one.Shown})
		}
	}
	lengths := make([]int, 0, len(byLength))
	for n := range byLength {
		lengths = append(lengths, n)
	}
	slices.SortFunc(lengths, func(a, b int) int { return cmp.Compare(b, a) })
	for _, n := range lengths {
		text = t.hideOf(text, n, byLength[n])
	}
	return text
}

type shownForm struct {
	Form
	shown string
}

// hideOf hides the forms of one length. It moves a window of that length over the text and updates a rolling sum of the window's
// characters; only a window with a matching hint costs an HMAC.
func (t *Traces) hideOf(text string, n int, forms []shownForm) string {
	if n <= 0 || utf8.RuneCountInString(text) < n {
		return text
	}
	window, at := folded(text), starts(text)
	base, high := t.base(), uint64(1) // high is the weight of the rune that leaves the window
	for range n - 1 {
		high *= base
	}
	var b strings.Builder
	from, sum := 0, t.rolled(window[:n])
	for i := 0; i+n <= len(window); i++ {
		if i > 0 {
			sum = (sum-uint64(window[i-1])*high)*base + uint64(window[i+n-1])
		}
		if at[i] < from { // inside the match before
			continue
		}
		if skip := named(text[at[i]:]); skip > 0 {
			b.WriteString(text[from : at[i]+skip])
			from = at[i] + skip
			continue
		}
		if shown, is := t.found(window[i:i+n], hint(sum), forms); is {
			b.WriteString(text[from:at[i]])
			b.WriteString(shown)
			from = at[i+n]
		}
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// found returns the placeholder of a text that is a secret.
func (t *Traces) found(text []rune, near uint16, forms []shownForm) (shown string, is bool) {
	for _, f := range forms {
		if f.Hint == near && hmac.Equal(f.Sum, t.sum(text)) {
			return f.shown, true
		}
	}
	return "", false
}

func (t *Traces) sum(text []rune) []byte {
	h := hmac.New(sha256.New, t.Key)
	_, _ = h.Write([]byte(string(text))) // a hash accepts every write
	return h.Sum(nil)
}

// rolled returns a sum of a text that hideOf can update for the next window. The key decides its base.
func (t *Traces) rolled(text []rune) (sum uint64) {
	base := t.base()
	for _, r := range text {
		sum = sum*base + uint64(r)
	}
	return sum
}

func (t *Traces) base() uint64 {
	var b [8]byte
	copy(b[:], t.Key)
	return binary.LittleEndian.Uint64(b[:]) | 1
}

// hint is the part of a rolled sum that is stored: it reveals little about a short text.
func hint(sum uint64) uint16 { return uint16(sum >> 48) }

// folded returns the characters of a text in lower case, one for each character of the text.
func folded(text string) []rune {
	all := []rune(text)
	for i, r := range all {
		all[i] = unicode.ToLower(r)
	}
	return all
}

// starts returns the offset of each character of a text, and at last the offset of its end.
func starts(text string) (all []int) {
	for i := range text {
		all = append(all, i)
	}
	return append(all, len(text))
}
