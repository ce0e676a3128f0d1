package telemetry

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"ios-agent/internal/machine/store"
	"ios-agent/internal/telemetry/lineindex"
	"ios-agent/internal/telemetry/linetext"
)

// Query gives the entries that fit.
func (s *Store) Query(ctx context.Context, q Query) (Page, error) {
	if q.Limit <= 0 {
		q.Limit = 100
	}
	var w window
	last, err := s.scan(ctx, q, func(sc *scanner, blocks []*block) error {
		w = window{skip: max(0, q.Offset), take: q.Limit}
		if !q.Oldest {
			slices.Reverse(blocks)
		}
		for _, b := range blocks {
			if err := w.add(sc, b, q.Oldest); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Page{}, err
	}
	if !q.Oldest {
		slices.Reverse(w.parts)
	}
	return Page{Entries: slices.Concat(w.parts...), Total: w.total, Last: last}, nil
}

// window is the part of what fits that is shown.
type window struct {
	skip, take int
	total      int
	parts      [][]Entry // one for each block that has some
}

func (w *window) add(sc *scanner, b *block, forwards bool) error {
	n, some, err := sc.count(b, w.take > 0)
	defer b.forget()
	if err != nil || n == 0 {
		return err
	}
	w.total += n
	left := max(0, n-w.skip)
	w.skip -= n - left
	shown := min(left, w.take)
	if shown == 0 {
		return nil
	}
	w.take -= shown
	if some == nil {
		some = make([]int, n)
		for i := range some {
			some[i] = i
		}
	}
	if forwards {
		some = some[n-left:][:shown]
	} else {
		some = some[:left][left-shown:]
	}
	entries, err := sc.entries(b, some)
	w.parts = append(w.parts, entries)
	return err
}

// scan gives the blocks that may have what is wanted, in the order of their arrival, and the newest number. What they hold is read
// by the scanner, from the same state of the file. fn is called again when the file turned out to be damaged and is a new one.
func (s *Store) scan(ctx context.Context, q Query, fn func(*scanner, []*block) error) (int64, error) {
	if !s.load(ctx) {
		return s.Last(), nil
	}
	_ = s.Flush(ctx) // if it fails there are fewer lines, which the answer of Usage and the log say
	last := s.Last()
	if q.Upto == 0 || q.Upto > last {
		q.Upto = last // what is stored from now on is later than Last says
	}
	if last == 0 || q.After >= q.Upto {
		return last, ctx.Err()
	}
	lacks := false
	err := s.db.Read(func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // it only read
		sc := &scanner{ctx: ctx, tx: tx, m: q.matcher(), index: s.index}
		defer sc.close()
		blocks, err := sc.blocks()
		if err != nil {
			return err
		}
		lacks = sc.lacks
		return fn(sc, blocks)
	})
	if lacks {
		s.mend()
	}
	return last, err
}

// scanner reads blocks for a query.
type scanner struct {
	ctx    context.Context
	tx     *sql.Tx
	m      *matcher
	index  *lineindex.Files
	lacks  bool // the index lacks blocks that it should have
	stmts  map[string]*sql.Stmt
	ends   []int
	folded []byte
	lows   []int
	hits   []int
	all    []Entry
	raws   []int
	// what was read last
	buffers [3][]byte
}

func (sc *scanner) close() {
	for _, s := range sc.stmts {
		_ = s.Close()
	}
}

// blocks are those that may have something, without what they hold.
func (sc *scanner) blocks() ([]*block, error) {
	p := sc.m.plan()
	sieves := p == nil && sc.m.sifts()
	columns := "first, last, n, oldest, newest, levels, sum"
	if sieves {
		columns += ", sieve"
	}
	rows, err := sc.tx.QueryContext(sc.ctx, "SELECT "+columns+" FROM block WHERE first <= ? ORDER BY first DESC", sc.m.upto())
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
			break // and so are all before it
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
	_ = rows.Close() // before others are read
	return sc.sift(p, out)
}

// possible asks the sieve of a block that the index does not know.
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

// read brings columns of a block into memory, where they are until the next ones are read.
func (sc *scanner) read(b *block, columns string, into ...*[]byte) error {
	if err := sc.ctx.Err(); err != nil {
		return err
	}
	stmt := sc.stmts[columns]
	if stmt == nil {
		var err error
		if stmt, err = sc.tx.PrepareContext(sc.ctx, "SELECT "+columns+" FROM block WHERE first = ?"); err != nil {
			return err
		}
		if sc.stmts == nil {
			sc.stmts = map[string]*sql.Stmt{}
		}
		sc.stmts[columns] = stmt
	}
	rows, err := stmt.Query(b.first)
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

// count says how many entries of a block fit, and which; nil stands for all of them. They are good until the next call. With whole it
// has read all of the block where it had to read a part.
func (sc *scanner) count(b *block, whole bool) (int, []int, error) {
	if sc.hits == nil {
		sc.hits = make([]int, 0, blockEntries)
	}
	byFields, byTexts := sc.m.byFields(b), sc.m.texts
	if b.known != nil {
		byFields, byTexts = b.known.fields, b.known.texts
	}
	var err error
	switch {
	case !byFields && !byTexts && b.known == nil:
		return b.n, nil, nil
	case !byFields && !byTexts && !whole:
		return b.known.bits.Count(), nil, nil
	case !byFields && !byTexts:
		sc.hits = b.known.bits.Append(sc.hits[:0])
		return len(sc.hits), sc.hits, nil
	case whole:
		err = sc.readWhole(b)
	case byTexts && byFields:
		err = sc.read(b, "head, body", &b.head, &b.body)
	case byTexts:
		err = sc.read(b, "body", &b.body)
	default:
		err = sc.read(b, "head", &b.head)
	}
	if err != nil {
		return 0, nil, err
	}
	hits := sc.hits[:0]
	if byTexts {
		if hits, err = sc.byText(hits, b); err != nil {
			return 0, nil, err
		}
	} else {
		for i := range b.n {
			hits = append(hits, i)
		}
	}
	if b.known != nil {
		hits = slices.DeleteFunc(hits, func(i int) bool { return !b.known.bits.Has(i) })
	}
	if byFields && len(hits) > 0 {
		entries, err := sc.fields(b, hits)
		if err != nil {
			return 0, nil, err
		}
		hits = slices.DeleteFunc(hits, func(i int) bool { return !sc.m.fitsFields(&entries[i]) })
	}
	sc.hits = hits
	return len(hits), hits, nil
}

func (sc *scanner) readWhole(b *block) error {
	return sc.read(b, "head, body, raw", &b.head, &b.body, &b.raw)
}

// fields are the entries of a block without their texts, good until those of the next are read; nil wants all of them.
func (sc *scanner) fields(b *block, wanted []int) ([]Entry, error) {
	var err error
	if sc.all, sc.raws, err = b.fields(sc.all, sc.raws, wanted); err != nil {
		return nil, store.Damaged(err)
	}
	return sc.all, nil
}

// byText gives the indexes of the messages that fit.
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
	return slices.DeleteFunc(to, func(i int) bool {
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		return sc.m.unwanted(string(sc.folded[from:ends[i]]))
	}), nil
}

// entries are those of these indexes, whole.
func (sc *scanner) entries(b *block, wanted []int) ([]Entry, error) {
	if b.body == nil {
		if err := sc.readWhole(b); err != nil {
			return nil, err
		}
	}
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

// each calls fn for every entry that fits, in the order of arrival, without raw texts.
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
