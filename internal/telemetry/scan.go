package telemetry

import (
	"cmp"
	"context"
	"database/sql"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ios-agent/internal/machine/store"
	"ios-agent/internal/telemetry/lineindex"
	"ios-agent/internal/telemetry/linetext"
)

// scanner reads blocks for a query.
type scanner struct {
	ctx    context.Context
	db     *sql.DB
	tx     *sql.Tx
	m      *matcher
	index  *lineindex.Files
	lacks  bool // the index lacks blocks that it should have
	stmts  map[string]*sql.Stmt
	ends   []int
	folded []byte
	lows   []int
	bounds []int // end of each message in folded
	hits   []int
	all    []Entry
	raws   []int
	// data of the last read
	buffers [3][]byte
}

func (sc *scanner) close() {
	for _, s := range sc.stmts {
		_ = s.Close()
	}
}

// blocks are the blocks with possible matches, without their data.
func (sc *scanner) blocks() ([]*block, error) {
	p := sc.m.plan()
	sieves := p == nil && sc.m.sifts()
	columns, from := outline, "block INDEXED BY outline"
	if sieves {
		columns, from = outline+", sieve", "block"
	}
	rows, err := sc.tx.QueryContext(sc.ctx, "SELECT "+columns+" FROM "+from+" WHERE first <= ? ORDER BY first DESC", sc.m.upto())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []*block
	var raw sql.RawBytes
	for rows.Next() {
		b := &block{}
		into := []any{&b.first, &b.last, &b.n, &b.oldest, &b.newest, &b.levels, &b.sum, &raw}
		if !sieves {
			into = into[:len(into)-1]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		if b.n < 1 || b.n > blockEntries {
			return nil, store.Damaged(errBlock)
		}
		if b.last <= sc.m.q.After {
			break // all earlier blocks are too old as well
		}
		b.sieve = linetext.Sieve(raw)
		if sc.m.possible(b) {
			b.sieve = nil
			out = append(out, b)
		}
	}
	slices.Reverse(out)
	if err := rows.Err(); err != nil || p == nil {
		return out, err
	}
	_ = rows.Close() // close before the next query
	return sc.sift(p, out)
}

// possible asks the sieve of a block without an index record.
func (sc *scanner) possible(b *block) (bool, error) {
	if !sc.m.sifts() {
		return true, nil
	}
	var sieve []byte
	err := sc.read(b, "sieve", &sieve)
	b.sieve = sieve
	ok := sc.m.possible(b)
	b.sieve = nil
	return ok, err
}

// read reads columns of a block into memory. They are valid until the next read.
func (sc *scanner) read(b *block, columns string, into ...*[]byte) error {
	if err := sc.ctx.Err(); err != nil {
		return err
	}
	stmt := sc.stmts[columns]
	if stmt == nil {
		var err error
		if stmt, err = sc.tx.PrepareContext(sc.ctx, "SELECT "+columns+" FROM block WHERE first = ? AND sum = ?"); err != nil {
			return err
		}
		if sc.stmts == nil {
			sc.stmts = map[string]*sql.Stmt{}
		}
		sc.stmts[columns] = stmt
	}
	rows, err := stmt.Query(b.first, b.sum)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or(rows.Err(), sql.ErrNoRows)
	}
	raw, to := make([]sql.RawBytes, len(into)), make([]any, len(into))
	for i := range raw {
		to[i] = &raw[i]
	}
	if err := rows.Scan(to...); err != nil {
		return err
	}
	for i := range into {
		sc.buffers[i] = append(sc.buffers[i][:0], raw[i]...)
		*into[i] = sc.buffers[i]
	}
	return rows.Err()
}

// A search of fewer than shareLeast blocks uses one core; mostMates is the maximum number of helpers.
const (
	shareLeast = 8
	mostMates  = 3
)

// share calls fn for 0 to n-1 on several cores, each with a connection of its own if one is free. A helper may see a newer state of the
// file than sc, so it reads a block by number and checksum. sc repeats the calls that failed there.
func (sc *scanner) share(n int, fn func(*scanner, int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	undone := make([]bool, n)
	begin, begun := context.WithCancel(sc.ctx) // stop waiting for connections when all work is done: other queries may wait for this one
	defer begun()
	for range min(runtime.GOMAXPROCS(0)-1, mostMates, n/shareLeast) {
		wg.Go(func() {
			mate, end := sc.mate(begin)
			if mate == nil {
				return
			}
			defer end()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				undone[i] = fn(mate, i) != nil
			}
		})
	}
	var err error
	for i := int(next.Add(1)) - 1; i < n && err == nil; i = int(next.Add(1)) - 1 {
		err = fn(sc, i)
	}
	begun()
	wg.Wait()
	for i := 0; i < n && err == nil; i++ {
		if undone[i] {
			err = fn(sc, i)
		}
	}
	return err
}

// mate is another scanner for the same query, until end is called; nil without a free connection.
func (sc *scanner) mate(begin context.Context) (mate *scanner, end func()) {
	conn, err := sc.db.Conn(begin)
	if err != nil {
		return nil, nil
	}
	tx, err := conn.BeginTx(sc.ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		_ = conn.Close() // no query ran on it
		return nil, nil
	}
	mate = &scanner{ctx: sc.ctx, db: sc.db, tx: tx, m: sc.m, index: sc.index}
	return mate, func() {
		mate.close()
		_ = tx.Rollback() // read only
		_ = conn.Close()
	}
}

// settle decides the matches that the index left open in a block.
func (sc *scanner) settle(b *block) error {
	k := *b.known
	defer b.forget()
	var err error
	switch {
	case k.texts && k.fields:
		err = sc.read(b, "head, body", &b.head, &b.body)
	case k.texts:
		err = sc.read(b, "body", &b.body)
	default:
		err = sc.read(b, "head", &b.head)
	}
	if err != nil {
		return err
	}
	if k.texts {
		if sc.hits, err = sc.byText(sc.hits[:0], b); err != nil {
			return err
		}
		var some lineindex.Bits
		for _, i := range sc.hits {
			some.Set(i)
		}
		k.bits.And(some)
	}
	if k.fields && !k.none() {
		sc.hits = k.bits.Append(sc.hits[:0])
		entries, err := sc.fields(b, sc.hits)
		if err != nil {
			return err
		}
		k.bits = lineindex.Bits{}
		for _, i := range sc.hits {
			if sc.m.fitsFields(&entries[i]) && (len(sc.m.filters) == 0 || sc.m.passes(&entries[i], sc.message(i))) {
				k.bits.Set(i)
			}
		}
	}
	*b.known = known{bits: k.bits}
	return nil
}

// fields are the entries of a block without their texts; nil wants all. They are valid until the next call.
func (sc *scanner) fields(b *block, wanted []int) ([]Entry, error) {
	var err error
	if sc.all, sc.raws, err = b.fields(sc.all, sc.raws, wanted); err != nil {
		return nil, store.Damaged(err)
	}
	return sc.all, nil
}

// byText gives the indexes of the messages that match.
func (sc *scanner) byText(to []int, b *block) ([]int, error) {
	ends, text, err := b.messages(sc.ends)
	if err != nil {
		return nil, store.Damaged(err)
	}
	sc.ends = ends
	var plain bool
	if sc.folded, plain = linetext.AppendSmall(sc.folded[:0], text); !plain {
		sc.folded, sc.lows = sc.folded[:0], sc.lows[:0]
		from := 0
		for _, end := range ends {
			sc.folded = linetext.AppendFolded(sc.folded, string(text[from:end]))
			sc.lows, from = append(sc.lows, len(sc.folded)), end
		}
		ends = sc.lows
	}
	sc.bounds = ends
	if sc.m.search != "" {
		to = linetext.Found(to, []byte(sc.m.search), sc.folded, ends)
	} else {
		for i := range ends {
			to = append(to, i)
		}
	}
	if len(sc.m.exclude) == 0 && !sc.m.q.WithoutNoise {
		return to, nil
	}
	return slices.DeleteFunc(to, func(i int) bool { return sc.m.unwanted(sc.message(i)) }), nil
}

// message is the folded message of an index, in the block whose texts were read last.
func (sc *scanner) message(i int) string {
	from := 0
	if i > 0 {
		from = sc.bounds[i-1]
	}
	return string(sc.folded[from:sc.bounds[i]])
}

// entries are the complete entries of these indexes.
func (sc *scanner) entries(b *block, wanted []int) ([]Entry, error) {
	if err := sc.read(b, "head, body, raw", &b.head, &b.body, &b.raw); err != nil {
		return nil, err
	}
	defer b.forget()
	all, err := sc.fields(b, wanted)
	if err != nil {
		return nil, err
	}
	ends, text, err := b.messages(sc.ends)
	if err != nil {
		return nil, store.Damaged(err)
	}
	sc.ends = ends
	if err := b.raws(all, sc.raws, wanted); err != nil {
		return nil, store.Damaged(err)
	}
	out := make([]Entry, 0, len(wanted))
	for _, i := range wanted {
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		all[i].Message = string(text[from:ends[i]])
		out = append(out, all[i])
	}
	return out, nil
}

// each calls fn for every matching entry in the order of arrival, without raw texts.
func (sc *scanner) each(blocks []*block, fn func(*Entry)) error {
	for _, b := range blocks {
		if err := sc.eachOf(b, fn); err != nil {
			return err
		}
	}
	return nil
}

func (sc *scanner) eachOf(b *block, fn func(*Entry)) error {
	if err := sc.read(b, "head, body", &b.head, &b.body); err != nil {
		return err
	}
	defer b.forget()
	all, err := sc.fields(b, nil)
	if err != nil {
		return err
	}
	ends, text, err := b.messages(sc.ends)
	if err != nil {
		return store.Damaged(err)
	}
	sc.ends = ends
	whole, from := string(text), 0
	for i, end := range ends {
		e := &all[i]
		e.Message, from = whole[from:end], end
		if sc.m.fits(e) {
			fn(e)
		}
	}
	return nil
}
