package telemetry

import (
	"context"
	"database/sql"
	"slices"

	"ios-agent/internal/telemetry/lineindex"
)

// Query gives the matching entries.
func (s *Store) Query(ctx context.Context, q Query) (Page, error) {
	if q.Limit <= 0 {
		q.Limit = 100
	}
	var page Page
	last, err := s.scan(ctx, q, func(sc *scanner, blocks []*block) error {
		page = Page{}
		var look []*block
		for _, b := range blocks {
			if b.known == nil {
				b.known = &known{bits: lineindex.All(b.n), fields: sc.m.byFields(b), texts: sc.m.texts}
			}
			if b.known.fields || b.known.texts {
				look = append(look, b)
			}
		}
		if err := sc.share(len(look), func(sc *scanner, i int) error { return sc.settle(look[i]) }); err != nil {
			return err
		}
		var shown []part
		page.Total, shown = window(blocks, q)
		err := sc.share(len(shown), func(sc *scanner, i int) (err error) {
			shown[i].entries, err = sc.entries(shown[i].of, shown[i].wanted)
			return err
		})
		for _, p := range shown {
			page.Entries = append(page.Entries, p.entries...)
		}
		return err
	})
	if err != nil {
		return Page{}, err
	}
	page.Last = last
	return page, nil
}

// part is the shown part of a block.
type part struct {
	of      *block
	wanted  []int
	entries []Entry
}

// window counts the matches and gives the shown part: oldest first, but counted from the requested end.
func window(blocks []*block, q Query) (total int, shown []part) {
	skip, take := max(0, q.Offset), q.Limit
	walk := slices.Backward(blocks)
	if q.Oldest {
		walk = slices.All(blocks)
	}
	for _, b := range walk {
		n := b.known.bits.Count()
		total += n
		left := max(0, n-skip)
		skip -= n - left
		some := min(left, take)
		if some == 0 {
			continue
		}
		take -= some
		wanted := b.known.bits.Append(nil)
		if q.Oldest {
			wanted = wanted[n-left:][:some]
		} else {
			wanted = wanted[:left][left-some:]
		}
		shown = append(shown, part{of: b, wanted: wanted})
	}
	if !q.Oldest {
		slices.Reverse(shown)
	}
	return total, shown
}

// scan gives the blocks with possible matches in the order of their arrival, and the newest number. The scanner reads their data from
// the same state of the file. scan calls fn again if the file turned out to be damaged and was replaced.
func (s *Store) scan(ctx context.Context, q Query, fn func(*scanner, []*block) error) (int64, error) {
	if !s.load(ctx) {
		return s.Last(), nil
	}
	_ = s.Flush(ctx) // if it fails, Usage and the log report the missing lines
	last := s.Last()
	if q.Upto == 0 || q.Upto > last {
		q.Upto = last // later entries are beyond Last
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
		defer func() { _ = tx.Rollback() }() // read only
		sc := &scanner{ctx: ctx, db: db, tx: tx, m: q.matcher(), index: s.index}
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
