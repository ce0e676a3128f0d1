package telemetry

import (
	"database/sql"
	"errors"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"ios-agent/internal/telemetry/lineindex"
)

// The limits and the file suffix of the index beside the store's file. The index has records of blocks that no longer change. It is
// derived data: a block without a record is read from the file, and its record is added later.
const (
	indexSuffix    = "-index"
	indexFiles     = 64
	leastIndexFile = 64 << 10
	mostIndexFile  = 16 << 20
)

// openIndex opens the index of a file that was just opened, and drops the records of other blocks.
func (s *Store) openIndex(db *sql.DB) error {
	first, err := firstBlock(db)
	if err != nil {
		return err
	}
	s.mu.Lock()
	loaded := s.loaded
	s.mu.Unlock()
	if !loaded {
		err = s.index.Load()
	}
	if err = errors.Join(err, s.index.DropBefore(first)); err != nil {
		s.tellIndex(err)
	}
	return nil
}

// firstBlock is the first number of the first block; the maximum without blocks.
func firstBlock(db interface {
	QueryRow(string, ...any) *sql.Row
}) (int64, error) {
	first := int64(math.MaxInt64)
	err := db.QueryRow("SELECT coalesce(min(first), ?) FROM block", first).Scan(&first)
	return first, err
}

// tellIndex logs once that the index cannot be changed. Without the index, searches still find everything, but slower.
func (s *Store) tellIndex(err error) {
	s.mu.Lock()
	first := s.unindexed == nil
	s.unindexed = err
	s.mu.Unlock()
	if first && err != nil {
		s.o.Log.Warn("cannot write the index of lines; searches are slower", "error", err)
	}
}

// known is the index's answer about a block.
type known struct {
	bits          lineindex.Bits // entries that may match
	fields, texts bool           // whether the fields and the messages must still be checked
}

// plan is a query in the form of the index.
type plan struct {
	m      *matcher
	values []values
	search []lineindex.Needle // none or one
	never  []texts
	unsure bool // the index does not know an excluded text
}

// values are the allowed values of a field.
type values struct {
	field byte
	any   []string
}

// texts exclude a line that has all of them.
type texts struct {
	all   []lineindex.Needle
	exact bool
}

// plan prepares the query for the index; nil if the index does not help more than the sieves.
func (m *matcher) plan() *plan {
	p := &plan{m: m}
	if m.search != "" {
		n, ok := lineindex.NewNeedle(m.search)
		if !ok {
			return nil
		}
		p.search = []lineindex.Needle{n}
	}
	p.want()
	for _, part := range m.exclude {
		p.without([]string{part})
	}
	if m.q.WithoutNoise {
		for _, parts := range noise {
			p.without(parts)
		}
	}
	if len(p.search)+len(p.values)+len(p.never) == 0 {
		return nil
	}
	return p
}

// want adds the allowed values of fields.
func (p *plan) want() {
	q := &p.m.q
	wanted := Entry{Device: q.Device, App: q.App, Process: q.Process, Subsystem: q.Subsystem, Category: q.Category}
	for field, value := range wanted.strings() {
		if value != "" {
			p.values = append(p.values, values{byte(field), []string{value}})
		}
	}
	if q.PID != 0 {
		p.values = append(p.values, values{fieldPID, []string{strconv.Itoa(q.PID)}})
	}
	if len(q.Sources) > 0 {
		v := values{field: fieldSource}
		for _, source := range q.Sources {
			v.any = append(v.any, string(source))
		}
		p.values = append(p.values, v)
	}
	if q.Level > Debug {
		v := values{field: fieldLevel}
		for level := q.Level; level <= Fault; level++ {
			v.any = append(v.any, level.key())
		}
		p.values = append(p.values, v)
	}
}

// key is the level in the index.
func (l Level) key() string { return string(rune('0' + l)) }

// without adds texts that exclude a line if it has all of them in this order.
func (p *plan) without(parts []string) {
	t := texts{exact: len(parts) == 1}
	for _, part := range parts {
		if n, ok := lineindex.NewNeedle(part); ok {
			t.all, t.exact = append(t.all, n), t.exact && n.Exact
		}
	}
	if len(t.all) == 0 {
		p.unsure = true
		return
	}
	p.never = append(p.never, t)
}

// ask adds the answer of a record.
func (p *plan) ask(v *lineindex.View, b *block) error {
	filtered := len(p.m.filters) > 0 // the index does not know them
	k := &known{bits: lineindex.All(b.n), fields: p.m.atTheEdge(b) || filtered, texts: p.unsure || filtered}
	b.known = k
	for _, one := range p.values {
		var some lineindex.Bits
		for _, value := range one.any {
			bits, err := v.Value(one.field, value)
			if err != nil {
				return err
			}
			some.Or(bits)
		}
		if k.bits.And(some); k.none() {
			return nil
		}
	}
	for _, n := range p.search {
		some, err := v.Text(n)
		if err != nil {
			return err
		}
		k.texts = k.texts || !n.Exact
		if k.bits.And(some); k.none() {
			return nil
		}
	}
	for _, t := range p.never {
		some := k.bits
		for _, n := range t.all {
			bits, err := v.Text(n)
			if err != nil {
				return err
			}
			if some.And(bits); some == (lineindex.Bits{}) {
				break
			}
		}
		if t.exact {
			k.bits.AndNot(some)
		} else if some != (lineindex.Bits{}) {
			k.texts = true
		}
	}
	return nil
}

func (k *known) none() bool { return k.bits == (lineindex.Bits{}) }

// askedAtOnce is the number of blocks per batch of an index reader, and mostAsking the maximum number of readers.
const (
	askedAtOnce = 32
	mostAsking  = 4
)

// sift keeps the blocks that may have matches according to the index.
func (sc *scanner) sift(p *plan, blocks []*block) ([]*block, error) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), mostAsking, (len(blocks)+askedAtOnce-1)/askedAtOnce) {
		wg.Go(func() {
			reader := sc.index.Reader()
			for sc.ctx.Err() == nil {
				from := int(next.Add(askedAtOnce)) - askedAtOnce
				if from >= len(blocks) {
					return
				}
				for _, b := range blocks[from:min(from+askedAtOnce, len(blocks))] {
					if !reader.Ask(b.id(), func(v *lineindex.View) error { return p.ask(v, b) }) {
						b.known = nil
					}
				}
			}
		})
	}
	wg.Wait()
	out, unknown := blocks[:0], 0
	for _, b := range blocks {
		if b.known == nil {
			unknown++
			possible, err := sc.possible(b)
			if err != nil {
				return nil, err
			}
			if !possible {
				continue
			}
		} else if b.known.none() {
			continue
		}
		out = append(out, b)
	}
	sc.lacks = unknown > 1 // the last block may not be full
	return out, sc.ctx.Err()
}
