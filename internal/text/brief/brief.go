// Package brief writes summaries of a limited length. A Writer adds lines and lists while they fit; it counts the items that do not fit and
// says how many are missing. Clip shortens one text, Count writes a number with its noun.
package brief

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limit is the default size of a summary in bytes: about 400 tokens of a language model.
const Limit = 1600

const (
	maxLine = 600 // maximum size of one line; readers rarely need more of a value
	reserve = 48  // kept free for the line that counts the rest
)

// Writer builds one summary.
type Writer struct {
	limit int
	b     strings.Builder
}

// New makes a Writer for at most limit bytes; 0 or less means Limit.
func New(limit int) *Writer {
	if limit <= 0 {
		limit = Limit
	}
	return &Writer{limit: limit}
}

// Linef adds one line and shortens it if necessary. It reports whether there was room.
func (w *Writer) Linef(format string, args ...any) bool {
	return w.Line(fmt.Sprintf(format, args...))
}

// Line adds a text, which may have several lines.
func (w *Writer) Line(s string) bool {
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " \t\r")
		room := w.limit - w.b.Len() - 1
		if room < min(16, len(line)) || room < 0 {
			return false
		}
		w.b.WriteString(Clip(line, min(room, maxLine)))
		w.b.WriteByte('\n')
	}
	return true
}

// List adds items of one or more lines each, as long as they fit, and counts the rest: "… 12 more errors". Of an item that fits only in
// part, it adds the first line.
func (w *Writer) List(what string, n int, item func(i int) []string) { w.ListOf(what, n, n, item) }

// ListOf is List for the first n of total: it counts the items that are not in the list like the items that do not fit.
func (w *Writer) ListOf(what string, n, total int, item func(i int) []string) {
	for i := range n {
		lines := item(i)
		if w.fits(lines, i < total-1) {
			for _, l := range lines {
				w.Line(l)
			}
			continue
		}
		if len(lines) > 1 && w.fits(lines[:1], true) {
			w.Line(lines[0])
			i++
		} else if i == 0 && len(lines) > 0 && w.limit-w.b.Len() > 2*reserve {
			w.Line(Clip(lines[0], w.limit-w.b.Len()-reserve))
			i++
		}
		if total > i {
			w.Linef("… %d more %s", total-i, what)
		}
		return
	}
	if total > n {
		w.Linef("… %d more %s", total-n, what)
	}
}

// Fits reports whether one more line fits, together with the line that counts the rest.
func (w *Writer) Fits(line string) bool { return w.fits([]string{line}, true) }

func (w *Writer) fits(lines []string, more bool) bool {
	size := w.b.Len()
	for _, l := range lines {
		for part := range strings.SplitSeq(l, "\n") {
			size += min(len(part), maxLine) + 1
		}
	}
	if more {
		size += reserve
	}
	return size <= w.limit
}

// String is the summary, without a newline at its end.
func (w *Writer) String() string { return strings.TrimRight(w.b.String(), "\n") }

// Clip shortens s to at most n bytes, at the edge of a character, and marks the cut.
func Clip(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	n -= len(mark)
	if n <= 0 {
		return ""
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}

// Count returns a number with its noun: "1 error", "2 errors".
func Count(n int, one string) string { return CountOf(n, one, one+"s") }

// CountOf is Count for a noun with an irregular plural: "1 entry", "2 entries".
func CountOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// Join joins the parts that are not empty.
func Join(sep string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}
