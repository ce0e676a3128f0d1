package process

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// Printed is a part of what a program wrote to a stream. It is what strangers wrote.
type Printed struct {
	Text string
	Lost int64 // bytes before it that are not shown
	More int64 // bytes after it that are not shown
}

// Reading says which part of what a program printed is wanted: the end of it, or what came after a cursor.
type Reading struct {
	Limit int    // bytes of each stream; 0 is UsualPrinted
	After string // a Status's Cursor; empty: the end
}

// The bounds of a Reading.
const (
	UsualPrinted = 2 << 10
	MostPrinted  = kept
)

// cursor is how many bytes of each stream were read.
type cursor struct{ stdout, stderr int64 }

func (c cursor) String() string { return fmt.Sprintf("%d.%d", c.stdout, c.stderr) }

func cursorOf(text string) (c cursor, err error) {
	if _, err := fmt.Sscanf(text, "%d.%d", &c.stdout, &c.stderr); err != nil || c.stdout < 0 || c.stderr < 0 || c.String() != text {
		return c, fault.New(fault.InvalidInput, "%.40q is not a cursor of a session", text).With("field", "after").
			WithHint("take the cursor of an earlier answer, or leave it out for the end of what was printed")
	}
	return c, nil
}

// Read is how the process is, and the part of what it printed that is wanted.
func (s *Session) Read(r Reading) (Status, error) {
	st := s.state()
	if s.process == nil {
		return st, nil
	}
	if r.Limit == 0 {
		r.Limit = UsualPrinted
	}
	var from *cursor
	if r.After != "" {
		c, err := cursorOf(r.After)
		if err != nil {
			return st, err
		}
		from = &c
	}
	var at cursor
	if from == nil {
		st.Stdout, at.stdout = s.printed(host.Stdout, r.Limit, nil)
		st.Stderr, at.stderr = s.printed(host.Stderr, r.Limit, nil)
	} else {
		st.Stdout, at.stdout = s.printed(host.Stdout, r.Limit, &from.stdout)
		st.Stderr, at.stderr = s.printed(host.Stderr, r.Limit, &from.stderr)
	}
	st.Captured, st.Cursor = true, at.String()
	return st, nil
}

// printed is up to a number of bytes of a stream: its end, or the bytes after an offset. next is the offset of the next read.
func (s *Session) printed(on host.Stream, limit int, after *int64) (p Printed, next int64) {
	text, first := s.keeps(on)
	end := first + int64(len(text))
	if after == nil {
		text = lastWhole(text, limit)
		return Printed{Text: clean(text), Lost: end - int64(len(text))}, end
	}
	from := min(max(*after, first), end)
	text = firstWhole(text[from-first:], limit)
	next = from + int64(len(text))
	return Printed{Text: clean(text), Lost: from - min(*after, from), More: end - next}, next
}

// keeps is what is kept of a stream, and how many bytes came before it. A program that prints meanwhile has it read again.
func (s *Session) keeps(on host.Stream) (text []byte, first int64) {
	for range 10 {
		first = s.process.Lost(on)
		if text = s.process.Tail(on); s.process.Lost(on) == first {
			break
		}
	}
	return text, first
}

// lastWhole is the end of a text: whole lines, if it has any.
func lastWhole(text []byte, limit int) []byte {
	cut := text[max(len(text)-limit, 0):]
	if i := bytes.IndexByte(cut, '\n'); len(cut) < len(text) && i >= 0 && i+1 < len(cut) {
		cut = cut[i+1:]
	}
	for len(cut) < len(text) && len(cut) > 0 && !utf8.RuneStart(cut[0]) {
		cut = cut[1:]
	}
	for lines := bytes.Count(cut, newline); lines > mostLines(limit); lines-- {
		cut = cut[bytes.IndexByte(cut, '\n')+1:]
	}
	return cut
}

// firstWhole is the beginning of a text: whole lines, if it has any.
func firstWhole(text []byte, limit int) []byte {
	cut := text[:min(len(text), limit)]
	for lines := bytes.Count(cut, newline); lines > mostLines(limit); lines-- {
		cut = cut[:bytes.LastIndexByte(cut[:len(cut)-1], '\n')+1]
	}
	if i := bytes.LastIndexByte(cut, '\n'); len(cut) < len(text) && i >= 0 {
		return cut[:i+1]
	}
	for len(cut) < len(text) && len(cut) > 1 && !utf8.RuneStart(text[len(cut)]) {
		cut = cut[:len(cut)-1]
	}
	return cut
}

var newline = []byte{'\n'}

// mostLines is how many lines a part has at most: each costs more than its bytes where it is written down.
func mostLines(limit int) int { return max(limit/50, 20) }

func clean(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }

// All is all that is kept of both streams, for a file.
func (s *Session) All() []byte {
	if s.process == nil {
		return nil
	}
	var all bytes.Buffer
	for _, on := range []host.Stream{host.Stdout, host.Stderr} {
		text, first := s.keeps(on)
		fmt.Fprintf(&all, "== %s, from byte %d ==\n%s\n", on, first, text)
	}
	return all.Bytes()
}

// LastLines are the last lines of what a program printed: of its standard output, and of its standard error.
func (st Status) LastLines(most int) (lines []string) {
	for _, p := range []Printed{st.Stdout, st.Stderr} {
		if text := strings.TrimRight(p.Text, "\n"); text != "" {
			all := strings.Split(text, "\n")
			lines = append(lines, all[max(len(all)-most, 0):]...)
		}
	}
	return lines
}
