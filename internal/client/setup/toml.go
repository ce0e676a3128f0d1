package setup

import (
	"bytes"
	"slices"
	"strings"

	"ios-agent/internal/machine/docfile"
)

// tables is TOML text that is edited where it lies: an edit replaces one value or adds one line or one section, and
// every other byte stays.
type tables struct {
	text []byte
	found
}

// inTOML turns a function on tables into an edit.
func inTOML(change func(*tables) error) func([]byte) ([]byte, error) {
	return func(before []byte) ([]byte, error) {
		t, err := openTOML(before)
		if err == nil {
			err = change(t)
		}
		if err != nil {
			return nil, err
		}
		return t.text, nil
	}
}

func openTOML(text []byte) (*tables, error) {
	t := &tables{text: bytes.Clone(text)}
	return t, t.rescan()
}

func (t *tables) rescan() (err error) {
	t.found, err = scanTOML(t.text)
	return err
}

// set gives a key of a table a value, as TOML, and makes the table when it is not there. A value that means the same is
// not touched. Where the table is written in a way that cannot grow by a line, it is left alone.
func (t *tables) set(table []string, key, value string) error {
	path := append(slices.Clone(table), key)
	if p, ok := t.pair(path); ok {
		if p.means == value {
			return nil
		}
		return t.splice(p.start, p.end, value)
	}
	if err := t.closed(table, path); err != nil {
		return err
	}
	line := key + " = " + value
	if i, ok := t.header(table); ok {
		at, pad := t.endOf(i)
		return t.splice(at, at, newlineOf(t.text)+pad+line)
	}
	return t.splice(len(t.text), len(t.text), t.section(table, line))
}

// closed says why a table cannot get the key at path: something else is there, or defines the table from outside.
func (t *tables) closed(table, path []string) error {
	for _, p := range t.pairs {
		switch {
		case isPrefix(p.path, path):
			return t.refuse(p.start, p.path, "is written as one value")
		case isPrefix(path, p.path):
			return t.refuse(p.start, path, "has keys of its own")
		case isPrefix(table, p.path) && !t.within(p.table, table):
			return t.refuse(p.start, table, "is written with dotted keys")
		}
	}
	for _, h := range t.headers {
		switch {
		case h.list && isPrefix(h.path, table):
			return t.refuse(h.start, h.path, "is a list of tables")
		case isPrefix(path, h.path):
			return t.refuse(h.start, path, "is a table")
		}
	}
	return nil
}

// within reports whether a section is the table's, or that of a table in it.
func (t *tables) within(section int, table []string) bool {
	return section >= 0 && isPrefix(table, t.headers[section].path)
}

func (t *tables) refuse(at int, path []string, why string) error {
	return &docfile.Problem{Line: lineAt(t.text, at), Message: strings.Join(path, ".") + " " + why}
}

// endOf is where a section's last line ends, and how its lines begin.
func (t *tables) endOf(section int) (at int, pad string) {
	from, at := t.headers[section].start, t.headers[section].end
	for _, p := range t.pairs {
		if p.table == section && p.end > at { // what is in an inline table ends before it
			from, at = p.from, p.end
		}
	}
	pad, _ = padding(t.text, from)
	if end := bytes.IndexByte(t.text[at:], '\n'); end >= 0 {
		return at + len(bytes.TrimSuffix(t.text[at:at+end], []byte("\r"))), pad
	}
	return len(t.text), pad
}

// section is a new one, set off by a blank line.
func (t *tables) section(table []string, line string) string {
	nl := newlineOf(t.text)
	lead := nl
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(t.text, []byte(bom)))) == 0 || bytes.HasSuffix(t.text, []byte("\n"+nl)):
		lead = ""
	case !bytes.HasSuffix(t.text, []byte("\n")):
		lead = nl + nl
	}
	return lead + "[" + strings.Join(table, ".") + "]" + nl + line + nl
}

func (t *tables) splice(from, to int, with string) error {
	t.text = slices.Concat(t.text[:from], []byte(with), t.text[to:])
	return t.rescan()
}

func isPrefix(short, long []string) bool {
	return len(short) <= len(long) && slices.Equal(short, long[:len(short)])
}
