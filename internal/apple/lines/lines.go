// Package lines turns a tool's output into clean lines: without colours, carriage returns and invisible characters, and of bounded length.
// A Splitter takes the output as it comes; the lines do not depend on how the bytes are split. The package does not know any tool.
package lines

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// MaxLine is the maximum length of a line in bytes. Command lines of linkers reach some hundred kilobytes.
const MaxLine = 1 << 20

// Splitter cuts a stream into lines. It is an io.Writer; End emits a last line without a newline.
type Splitter struct {
	Line func(string) // called for each line, without its end

	rest []byte
	cut  bool // the line in rest is longer than MaxLine
	Cut  int  // how many lines were shortened
}

// Write takes any part of the stream.
func (s *Splitter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.hold(p)
			return n, nil
		}
		if len(s.rest) == 0 && !s.cut && i <= MaxLine {
			s.emit(p[:i])
		} else {
			s.hold(p[:i])
			s.flush()
		}
		p = p[i+1:]
	}
}

// End emits the rest.
func (s *Splitter) End() {
	if len(s.rest) > 0 || s.cut {
		s.flush()
	}
}

func (s *Splitter) hold(p []byte) {
	if room := MaxLine - len(s.rest); len(p) > room {
		p, s.cut = p[:max(room, 0)], true
	}
	s.rest = append(s.rest, p...)
}

func (s *Splitter) flush() {
	if s.cut {
		s.Cut++
	}
	s.emit(s.rest)
	s.rest, s.cut = s.rest[:0], false
	if cap(s.rest) > 1<<16 {
		s.rest = nil // a very long line must not hold its memory for the rest of the stream
	}
}

// emit emits one raw line. A carriage return inside it means a progress display that overwrites itself: each state of it is a line.
func (s *Splitter) emit(raw []byte) {
	raw = bytes.TrimRight(raw, "\r")
	for {
		i := bytes.IndexByte(raw, '\r')
		if i < 0 {
			s.Line(Clean(raw))
			return
		}
		s.Line(Clean(raw[:i]))
		raw = raw[i+1:]
	}
}

// All returns the lines of a whole text.
func All(b []byte) []string {
	var all []string
	s := Splitter{Line: func(l string) { all = append(all, l) }}
	_, _ = s.Write(b)
	s.End()
	return all
}

// Clean removes colours, other terminal sequences and zero-width characters from a line and makes it valid UTF-8.
func Clean(raw []byte) string {
	if bytes.IndexByte(raw, escape) >= 0 {
		raw = stripEscapes(raw)
	}
	plain := true
	for _, c := range raw {
		if c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return string(raw)
	}
	return strings.Map(visible, strings.ToValidUTF8(string(raw), "\uFFFD"))
}

// visible drops characters that only disturb matching. The zero-width joiner stays: emoji in test names need it.
func visible(r rune) rune {
	switch r {
	case '\u200B', '\u2060', '\uFEFF':
		return -1
	}
	return r
}

const escape = 0x1b

// stripEscapes removes ESC [ … letter, ESC ] … BEL (or ESC \), and ESC with one other character.
func stripEscapes(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != escape {
			out = append(out, b[i])
			continue
		}
		i++
		if i >= len(b) {
			break
		}
		switch b[i] {
		case '[':
			for i++; i < len(b) && (b[i] < 0x40 || b[i] > 0x7e); i++ {
			}
		case ']':
			for i++; i < len(b) && b[i] != 0x07 && b[i] != escape; i++ {
			}
			if i+1 < len(b) && b[i] == escape && b[i+1] == '\\' {
				i++
			}
		case '(', ')':
			i++
		}
	}
	return out
}
