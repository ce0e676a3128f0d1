package lineindex

import (
	"bytes"
	"encoding/binary"
	"errors"

	"ios-agent/internal/telemetry/linetext"
)

// Needle is a text to search for.
type Needle struct {
	pieces [][]byte // every matching line has all of them
	marks  bool     // the pieces have digits
	Exact  bool     // every line with the pieces matches
}

// NewNeedle makes a needle from a folded text. It reports whether records can answer it.
func NewNeedle(folded string) (Needle, bool) {
	var words, marks [][]byte
	pure := true
	text := []byte(folded)
	for i := 0; i < len(text); {
		if class(text[i]) == other {
			pure = false
			i++
			continue
		}
		run, digits := i, false
		word := i
		for ; i < len(text) && class(text[i]) != other; i++ {
			if class(text[i]) == digit {
				words = appendWord(words, text[word:i])
				word, digits = i+1, true
			}
		}
		words = appendWord(words, text[word:i])
		if digits {
			marks = append(marks, text[run:i])
		}
	}
	switch {
	case pure && len(marks) == 1:
		return Needle{pieces: marks, marks: true, Exact: true}, true
	case len(words) > 0:
		return Needle{pieces: words, Exact: pure}, true
	case len(marks) > 0 && len(longest(marks)) >= leastWord: // otherwise nearly every line has it and must be read anyway
		return Needle{pieces: [][]byte{longest(marks)}, marks: true}, true
	}
	return Needle{}, false
}

func appendWord(to [][]byte, word []byte) [][]byte {
	if len(word) < leastWord {
		return to
	}
	return append(to, word)
}

func longest(of [][]byte) (out []byte) {
	for _, one := range of {
		if len(one) > len(out) {
			out = one
		}
	}
	return out
}

// errRecord means that a record is not in our format.
var errRecord = errors.New("a record of the index is damaged")

// View is the record that is asked.
type View struct {
	n             int
	values, words part
	marks         func() ([]byte, error)
	read          []byte // result of marks
}

// part is a group of lists.
type part struct {
	count       int
	keys, lines []byte
}

// number reads a number; an error without one.
func number(from *[]byte) (int, error) {
	v, n := binary.Uvarint(*from)
	if n <= 0 || v > 1<<31 {
		return 0, errRecord
	}
	*from = (*from)[n:]
	return int(v), nil
}

func (p *part) read(from *[]byte) error {
	count, err := number(from)
	if err != nil {
		return err
	}
	length, err := number(from)
	if err != nil || length > len(*from) {
		return errRecord
	}
	p.count, p.keys = count, (*from)[:length]
	*from = (*from)[length:]
	return nil
}

// set prepares a view of a record of n lines, with its words and a function that reads its marks.
func (v *View) set(n int, words []byte, marks func() ([]byte, error)) error {
	v.n, v.marks, v.read = n, marks, nil
	if err := v.values.read(&words); err != nil {
		return err
	}
	v.values.lines = words
	for range v.values.count {
		size, err := number(&words)
		if err != nil || size/kinds > len(words) {
			return errRecord
		}
		words = words[size/kinds:]
	}
	if err := v.words.read(&words); err != nil {
		return err
	}
	v.words.lines = words
	return nil
}

// listReader reads the lines of keys in sequence.
type listReader struct {
	left []byte
	next int // key
}

// lines adds the lines of a key. Keys must ascend over the calls.
func (r *listReader) lines(to *Bits, key, n int) error {
	for ; ; r.next++ {
		size, err := number(&r.left)
		if err != nil || size/kinds > len(r.left) {
			return errRecord
		}
		list := r.left[:size/kinds]
		r.left = r.left[size/kinds:]
		if r.next < key {
			continue
		}
		r.next++
		return addLines(to, size%kinds, list, n)
	}
}

func addLines(to *Bits, kind int, list []byte, n int) error {
	switch kind {
	case every:
		to.Or(All(n))
	case mapped:
		if len(list) > Most/8 {
			return errRecord
		}
		for i, c := range list {
			to[i/8] |= uint64(c) << (i % 8 * 8)
		}
	default:
		for at := 0; len(list) > 0; {
			by, err := number(&list)
			if at += by; err != nil || at >= n {
				return errRecord
			}
			to.Set(at)
		}
	}
	return nil
}

// Value gives the lines with a field value.
func (v *View) Value(field byte, value string) (out Bits, err error) {
	keys := v.values.keys
	for key := range v.values.count {
		length, err := number(&keys)
		if err != nil || length > len(keys) || length == 0 {
			return out, errRecord
		}
		one := keys[:length]
		keys = keys[length:]
		if one[0] == field && string(one[1:]) == value {
			r := listReader{left: v.values.lines}
			err := r.lines(&out, key, v.n)
			out.And(All(v.n))
			return out, err
		}
	}
	return out, nil
}

// Text gives the lines that may have a text. For an exact needle, these are precisely the lines with the text.
func (v *View) Text(n Needle) (Bits, error) {
	out := All(v.n)
	for _, piece := range n.pieces {
		ask := v.word
		if n.marks {
			ask = v.mark
		}
		some, err := ask(piece)
		if err != nil {
			return out, err
		}
		out.And(some)
		if out == (Bits{}) {
			break
		}
	}
	return out, nil
}

func (v *View) word(piece []byte) (out Bits, err error) {
	r := listReader{left: v.words.lines}
	key, counted := 0, 0
	for from := 0; ; {
		at := linetext.Index(v.words.keys[from:], piece)
		if at < 0 {
			return out, nil
		}
		at += from
		key += bytes.Count(v.words.keys[counted:at], []byte{stop})
		counted = at
		if err := r.lines(&out, key, v.n); err != nil {
			return out, err
		}
		end := bytes.IndexByte(v.words.keys[at:], stop)
		if end < 0 {
			return out, errRecord
		}
		from = at + end
	}
}

func (v *View) mark(piece []byte) (out Bits, err error) {
	if v.read == nil {
		if v.read, err = v.marks(); err != nil {
			return out, err
		}
	}
	left := v.read
	length, err := number(&left)
	if err != nil || length > len(left) {
		return out, errRecord
	}
	text, ends := left[:length], left[length:]
	line, end := -1, 0
	for from := 0; ; from = end {
		at := linetext.Index(text[from:], piece)
		if at < 0 {
			return out, nil
		}
		for at += from; end <= at; {
			if length, err = number(&ends); err != nil {
				return out, err
			}
			line, end = line+1, end+length
		}
		if line >= v.n || end > len(text) {
			return out, errRecord
		}
		out.Set(line)
	}
}
