package lineindex

import (
	"encoding/binary"
	"hash/crc32"
)

// A record describes a block:
//
//	head:  magic, the block's id, and the length and checksum of both parts; then the checksum of the head
//	words: the values of fields, each with its lines; then all runs of three or more letters of the folded messages, each once, with
//	       its lines
//	marks: the runs of letters and digits with at least one digit, of all lines; then the length of each line's part. Most of these runs
//	       appear in one line only, so they have no list of lines
//
// A text of letters alone can only appear inside one run of letters, and a text of letters and digits only inside one mixed run. For
// such texts the record is as exact as the message.
const (
	magic      = 0x31786c69 // "ilx1"; other formats have other numbers
	headLength = 52
	leastWord  = 3
	stop       = 0 // ends each run; no run contains it
)

var table = crc32.MakeTable(crc32.Castagnoli)

// Block identifies a block among all blocks ever written.
type Block struct {
	First, Last int64
	N           int
	Sum         int64 // checksum of the content
}

// Builder makes records. It can be reused.
type Builder struct {
	n             int
	words, values lists
	marks, ends   []byte
	key, out      []byte
}

// lists are keys with the lines of each.
type lists struct {
	index map[string]int
	keys  []byte // words with a stop after each, values with their length before each
	lines []Bits
}

func (l *lists) reset() {
	if l.index == nil {
		l.index = map[string]int{}
	}
	clear(l.index)
	l.keys, l.lines = l.keys[:0], l.lines[:0]
}

// at is the lines of a key, and whether the key is new.
func (l *lists) at(key []byte) (*Bits, bool) {
	i, known := l.index[string(key)]
	if !known {
		i = len(l.lines)
		l.index[string(key)] = i
		l.lines = append(l.lines, Bits{})
	}
	return &l.lines[i], !known
}

// Reset begins a new record.
func (b *Builder) Reset() {
	b.words.reset()
	b.values.reset()
	b.n, b.marks, b.ends = 0, b.marks[:0], b.ends[:0]
}

// The classes of bytes. Every byte outside ASCII counts as a letter.
const (
	other = iota
	letter
	digit
)

func class(c byte) int {
	switch {
	case 'a' <= c && c <= 'z' || c >= 0x80:
		return letter
	case '0' <= c && c <= '9':
		return digit
	}
	return other
}

// Line adds the next line.
func (b *Builder) Line(folded []byte) {
	before := len(b.marks)
	for i := 0; i < len(folded); {
		if class(folded[i]) == other {
			i++
			continue
		}
		run, word, digits := i, i, false
		for ; i < len(folded); i++ {
			c := class(folded[i])
			if c == letter {
				continue
			}
			b.word(folded[word:i])
			if c == other {
				break
			}
			word, digits = i+1, true
		}
		if i == len(folded) {
			b.word(folded[word:])
		}
		if digits {
			b.marks = append(append(b.marks, folded[run:i]...), stop)
		}
	}
	b.ends = binary.AppendUvarint(b.ends, uint64(len(b.marks)-before))
	b.n++
}

func (b *Builder) word(w []byte) {
	if len(w) < leastWord {
		return
	}
	lines, fresh := b.words.at(w)
	lines.Set(b.n)
	if fresh {
		b.words.keys = append(append(b.words.keys, w...), stop)
	}
}

// Value adds a field value to the line that is added next.
func (b *Builder) Value(field byte, value string) {
	b.key = append(append(b.key[:0], field), value...)
	lines, fresh := b.values.at(b.key)
	lines.Set(b.n)
	if fresh {
		b.values.keys = append(binary.AppendUvarint(b.values.keys, uint64(len(b.key))), b.key...)
	}
}

// Record is the record of the added lines. It is valid until the next Reset, and the block must have as many lines.
func (b *Builder) Record(of Block) []byte {
	out := append(b.out[:0], make([]byte, headLength)...)
	for _, l := range []*lists{&b.values, &b.words} {
		out = binary.AppendUvarint(out, uint64(len(l.lines)))
		out = binary.AppendUvarint(out, uint64(len(l.keys)))
		out = append(out, l.keys...)
		for i := range l.lines {
			out = appendLines(out, &l.lines[i], b.n)
		}
	}
	words := len(out) - headLength
	out = binary.AppendUvarint(out, uint64(len(b.marks)))
	out = append(out, b.marks...)
	out = append(out, b.ends...)
	h := head{Block: of, parts: [2]int{words, len(out) - headLength - words}}
	h.sums = [2]uint32{crc32.Checksum(out[headLength:][:words], table), crc32.Checksum(out[headLength+words:], table)}
	h.put(out)
	b.out = out
	return out
}

// The encodings of a key's lines: the lowest bits of the number choose one, the others are the length.
const (
	listed = iota // the distance from the previous one
	mapped        // a bit for each
	every         // all of them
	kinds
)

func appendLines(to []byte, lines *Bits, n int) []byte {
	count := lines.Count()
	if count == n {
		return append(to, every)
	}
	size := (n + 7) / 8
	if count < size {
		var room [Most]int
		list, last := make([]byte, 0, 2*Most), 0
		for _, i := range lines.Append(room[:0]) {
			list = binary.AppendUvarint(list, uint64(i-last))
			last = i
		}
		if len(list) < size {
			return append(binary.AppendUvarint(to, uint64(len(list)*kinds+listed)), list...)
		}
	}
	to = binary.AppendUvarint(to, uint64(size*kinds+mapped))
	for i := range size {
		to = append(to, byte(lines[i/8]>>(i%8*8)))
	}
	return to
}

// head is the beginning of a record.
type head struct {
	Block
	parts [2]int
	sums  [2]uint32
}

func (h *head) length() int64 { return headLength + int64(h.parts[0]) + int64(h.parts[1]) }

func (h *head) put(to []byte) {
	le := binary.LittleEndian
	le.PutUint32(to, magic)
	le.PutUint64(to[4:], uint64(h.First))
	le.PutUint64(to[12:], uint64(h.Last))
	le.PutUint64(to[20:], uint64(h.Sum))
	le.PutUint32(to[28:], uint32(h.N))
	for i := range h.parts {
		le.PutUint32(to[32+8*i:], uint32(h.parts[i]))
		le.PutUint32(to[36+8*i:], h.sums[i])
	}
	le.PutUint32(to[48:], crc32.Checksum(to[:48], table))
}

// get reads a head, and reports whether it is valid.
func (h *head) get(from []byte) bool {
	le := binary.LittleEndian
	if le.Uint32(from) != magic || le.Uint32(from[48:]) != crc32.Checksum(from[:48], table) {
		return false
	}
	h.First, h.Last, h.Sum = int64(le.Uint64(from[4:])), int64(le.Uint64(from[12:])), int64(le.Uint64(from[20:]))
	h.N = int(le.Uint32(from[28:]))
	for i := range h.parts {
		h.parts[i], h.sums[i] = int(le.Uint32(from[32+8*i:])), le.Uint32(from[36+8*i:])
	}
	return h.N > 0 && h.N <= Most
}
