package setup

import "bytes"

// blank makes the plain text of a document. Line ends stay, so that what is wrong is found in the right line.
func (d *document) blank() {
	d.plain = d.text
	if !d.loose {
		return
	}
	d.plain = bytes.Clone(d.text)
	comma := -1 // one that nothing has followed yet
	for i := 0; i < len(d.plain); {
		to := i + 1
		switch c := d.plain[i]; {
		case c == '"':
			to = stringEnd(d.plain, i)
			comma = -1
		case c == '/':
			if to = commentEnd(d.plain, i); to == i {
				return // whoever reads it as JSON finds the place
			}
			erase(d.plain[i:to])
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0 && opened(d.plain[:comma]):
			d.plain[comma] = ' '
			comma = -1
		case bytes.IndexByte([]byte(" \t\r\n"), c) < 0:
			comma = -1
		}
		i = to
	}
}

// opened reports whether something stands before a trailing comma: a comma alone is a mistake.
func opened(before []byte) bool {
	before = bytes.TrimRight(before, " \t\r\n")
	return len(before) > 0 && bytes.IndexByte([]byte("{[,:"), before[len(before)-1]) < 0
}

func erase(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// stringEnd is where a string that begins at an offset has ended.
func stringEnd(text []byte, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"', '\n':
			return i + 1
		}
	}
	return len(text)
}

// commentEnd is where a comment that begins at an offset has ended; the offset itself when there is none.
func commentEnd(text []byte, from int) int {
	rest := text[from:]
	if bytes.HasPrefix(rest, []byte("//")) {
		if end := bytes.IndexAny(rest, "\r\n"); end >= 0 {
			return from + end
		}
		return len(text)
	}
	if bytes.HasPrefix(rest, []byte("/*")) {
		if end := bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			return from + 2 + end + 2
		}
	}
	return from
}

// remarks finds where what is said about a value on its line ends, a comma and comments, and whether there was a comma: after a last
// value it trails.
func (d *document) remarks(from int) (end int, comma bool) {
	end = from
	if !d.loose {
		return end, false
	}
	for i := from; i < len(d.text); {
		c := d.text[i]
		after := commentEnd(d.text, i)
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case c == ',' && !comma:
			comma, after = true, i+1
		case after == i:
			return end, comma
		}
		i, end = after, after
	}
	return end, comma
}
