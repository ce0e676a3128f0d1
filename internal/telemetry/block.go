package telemetry

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc64"
	"io"
	"slices"
	"strconv"
	"time"

	"ios-agent/internal/telemetry/lineindex"
	"ios-agent/internal/telemetry/linetext"
)

// A block is one row of the file: some hundred consecutive entries. A row per entry would cost more than the entry, both to write and to
// search; and one search finds a text in all messages of a block.
//
//	head: a table of strings (number of them; length and bytes of each), then the fields of each entry
//	body: the lengths of the messages, then the messages
//	raw:  the raw texts of each rawGroup entries, deflated, with the length before them; read only for shown entries
type block struct {
	first, last     int64 // entry numbers
	n               int
	oldest, newest  int64 // by the entries' own clocks, in ns
	levels          int64 // a bit for each level in the block
	arrived         int64 // arrival of the last entry, in ns
	sum             int64 // checksum of head and body; derived data is identified by it
	sieve           linetext.Sieve
	head, body, raw []byte
	known           *known // from the index
}

// The maximum number of entries, bytes of messages and bytes of raw texts of a block (plus one entry).
const (
	blockEntries = lineindex.Most
	blockBytes   = 64 << 10
	blockRaw     = 512 << 10
	rawGroup     = 32
)

// The fields in the table of strings.
const (
	fieldDevice = iota
	fieldApp
	fieldProcess
	fieldSource
	fieldSubsystem
	fieldCategory
	fieldPID     // outside the table
	fieldLevel   // outside the table
	stringFields = fieldPID
)

func (e *Entry) strings() [stringFields]string {
	return [...]string{e.Device, e.App, e.Process, string(e.Source), e.Subsystem, e.Category}
}

// packer makes blocks. It reuses its buffers.
type packer struct {
	deflate *flate.Writer
	folded  []byte
	index   lineindex.Builder
}

// pack makes a block of at least one entry. With full, it also prepares the block's record for the index.
func (p *packer) pack(entries []Entry, arrived time.Time, full bool) (*block, error) {
	b := &block{
		first: entries[0].Number, last: entries[len(entries)-1].Number, n: len(entries), arrived: arrived.UnixNano(),
		oldest: nanos(entries[0].Time), newest: nanos(entries[0].Time), sieve: linetext.NewSieve(),
	}
	p.index.Reset()
	index, table, fields := map[string]uint64{}, []byte(nil), []byte(nil)
	var texts []byte
	number, at := b.first, int64(0)
	for i := range entries {
		e := &entries[i]
		when := nanos(e.Time)
		b.oldest, b.newest, b.levels = min(b.oldest, when), max(b.newest, when), b.levels|1<<e.Level
		fields = binary.AppendUvarint(fields, uint64(e.Number-number))
		fields = binary.AppendVarint(fields, when-at)
		number, at = e.Number, when
		fields = append(fields, byte(e.Level))
		for field, value := range e.strings() {
			id, known := index[value]
			if !known {
				id = uint64(len(index))
				index[value] = id
				table = binary.AppendUvarint(table, uint64(len(value)))
				table = append(table, value...)
			}
			b.sieve.Set(linetext.FieldPlace(byte(field), value))
			fields = binary.AppendUvarint(fields, id)
		}
		b.sieve.Set(linetext.FieldPlace(fieldPID, strconv.Itoa(e.PID)))
		for _, v := range []int{e.PID, e.Count, len(e.Raw)} {
			fields = binary.AppendUvarint(fields, uint64(v))
		}
		b.body = binary.AppendUvarint(b.body, uint64(len(e.Message)))
		texts = append(texts, e.Message...)
		p.folded = linetext.AppendFolded(p.folded[:0], e.Message)
		b.sieve.AddText(p.folded)
		if full {
			p.indexed(e)
		}
	}
	b.sieve = b.sieve.Shrunk()
	b.head = slices.Concat(binary.AppendUvarint(nil, uint64(len(index))), table, fields)
	b.body = append(b.body, texts...)
	b.sum = sum(b.head, b.body)
	return b, p.squeeze(b, entries)
}

// indexed adds an entry with a folded message to the index record.
func (p *packer) indexed(e *Entry) {
	for field, value := range e.strings() {
		p.index.Value(byte(field), value)
	}
	p.index.Value(fieldPID, strconv.Itoa(e.PID))
	p.index.Value(fieldLevel, e.Level.key())
	p.index.Line(p.folded)
}

// sums is the table of the checksum.
var sums = crc64.MakeTable(crc64.ECMA)

func sum(head, body []byte) int64 { return int64(crc64.Update(crc64.Checksum(head, sums), sums, body)) }

// id identifies the block in the index.
func (b *block) id() lineindex.Block {
	return lineindex.Block{First: b.first, Last: b.last, N: b.n, Sum: b.sum}
}

func (p *packer) squeeze(b *block, entries []Entry) error {
	if !slices.ContainsFunc(entries, func(e Entry) bool { return e.Raw != "" }) {
		return nil
	}
	var out bytes.Buffer
	for group := range slices.Chunk(entries, rawGroup) {
		out.Reset()
		if p.deflate == nil {
			w, err := flate.NewWriter(&out, flate.BestSpeed)
			if err != nil {
				return err
			}
			p.deflate = w
		}
		p.deflate.Reset(&out)
		for i := range group {
			if _, err := io.WriteString(p.deflate, group[i].Raw); err != nil {
				return err
			}
		}
		if err := p.deflate.Close(); err != nil {
			return err
		}
		b.raw = append(binary.AppendUvarint(b.raw, uint64(out.Len())), out.Bytes()...)
	}
	return nil
}

// errBlock means that a block is not in our format.
var errBlock = errors.New("a block of entries is damaged")

// reader reads numbers and texts in sequence. A missing value is zero and sets broken.
type reader struct {
	left   []byte
	broken bool
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.left)
	if n <= 0 {
		r.left, r.broken = nil, true
		return 0
	}
	r.left = r.left[n:]
	return v
}

// skip skips n numbers.
func (r *reader) skip(n int) {
	for i, c := range r.left {
		if c < 0x80 {
			n--
		}
		if n == 0 {
			r.left = r.left[i+1:]
			return
		}
	}
	r.left, r.broken = nil, true
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.left)
	if n <= 0 {
		r.left, r.broken = nil, true
		return 0
	}
	r.left = r.left[n:]
	return v
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.left)) {
		r.left, r.broken = nil, true
		return nil
	}
	out := r.left[:n]
	r.left = r.left[n:]
	return out
}

// forget releases the data.
func (b *block) forget() { b.head, b.body, b.raw = nil, nil, nil }

// fields reads the head of a block: the entries without their texts, and the lengths of the raw texts. It reuses the given slice.
// wanted has ascending indexes; of other entries only the length is read, and reading stops after the group of the last wanted entry. A
// nil wanted reads all.
func (b *block) fields(entries []Entry, raws, wanted []int) ([]Entry, []int, error) {
	r := &reader{left: b.head}
	count := r.uint()
	if count > uint64(len(r.left))+1 {
		return nil, nil, errBlock
	}
	table := make([]string, count)
	for i := range table {
		table[i] = string(r.bytes(r.uint()))
	}
	entries, raws = slices.Grow(entries[:0], b.n)[:b.n], slices.Grow(raws[:0], b.n)[:b.n]
	upto := b.n
	if len(wanted) > 0 {
		upto = min(upto, (wanted[len(wanted)-1]/rawGroup+1)*rawGroup)
	}
	number, at := b.first, int64(0)
	for i := range upto {
		number += int64(r.uint())
		at += r.int()
		if wanted != nil && (len(wanted) == 0 || wanted[0] != i) {
			r.bytes(1)
			r.skip(stringFields + 2)
			raws[i] = int(r.uint())
			continue
		}
		if wanted != nil {
			wanted = wanted[1:]
		}
		e := &entries[i]
		*e = Entry{Number: number, Time: time.Unix(0, at).UTC()}
		if level := r.bytes(1); level != nil {
			e.Level = Level(level[0])
		}
		for field := range stringFields {
			id := r.uint()
			if id >= uint64(len(table)) {
				return nil, nil, errBlock
			}
			e.put(field, table[id])
		}
		e.PID, e.Count, raws[i] = int(r.uint()), int(r.uint()), int(r.uint())
	}
	if r.broken {
		return nil, nil, errBlock
	}
	return entries, raws, nil
}

func (e *Entry) put(field int, value string) {
	switch field {
	case fieldDevice:
		e.Device = value
	case fieldApp:
		e.App = value
	case fieldProcess:
		e.Process = value
	case fieldSource:
		e.Source = Source(value)
	case fieldSubsystem:
		e.Subsystem = value
	case fieldCategory:
		e.Category = value
	}
}

// messages gives the text of the messages and the end of each.
func (b *block) messages(ends []int) ([]int, []byte, error) {
	r := &reader{left: b.body}
	total := uint64(0)
	ends = ends[:0]
	for range b.n {
		total += r.uint()
		ends = append(ends, int(total))
	}
	if r.broken || total != uint64(len(r.left)) {
		return nil, nil, errBlock
	}
	return ends, r.left, nil
}

// raws adds the raw texts to the entries of ascending indexes.
func (b *block) raws(entries []Entry, lengths, wanted []int) error {
	if len(b.raw) == 0 {
		return nil
	}
	groups := &reader{left: b.raw}
	for first := 0; first < len(entries) && len(wanted) > 0; first += rawGroup {
		squeezed := groups.bytes(groups.uint())
		if groups.broken {
			return errBlock
		}
		if wanted[0] >= first+rawGroup {
			continue
		}
		all, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(squeezed)), rawGroup*2*mostRaw))
		if err != nil {
			return errors.Join(errBlock, err)
		}
		texts := &reader{left: all}
		for i := first; i < min(first+rawGroup, len(entries)); i++ {
			text := texts.bytes(uint64(lengths[i]))
			if len(wanted) > 0 && wanted[0] == i {
				entries[i].Raw, wanted = string(text), wanted[1:]
			}
		}
		if texts.broken {
			return errBlock
		}
	}
	return nil
}
