package telemetry

import (
	"context"
	"database/sql"

	"ios-agent/internal/telemetry/lineindex"
	"ios-agent/internal/telemetry/linetext"
)

// mendAtOnce is the number of blocks added to the index at a time.
const mendAtOnce = 16

// mend starts to add missing blocks to the index, unless it is already running. Blocks are missing after a loss of index files, or if
// the daemon was killed before it could add them.
func (s *Store) mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mending || s.closed {
		return
	}
	s.mending = true
	s.mends.Go(func() {
		err := s.mendAll()
		s.mu.Lock()
		s.mending = false
		s.mu.Unlock()
		if err != nil {
			s.tellIndex(err)
		}
	})
}

func (s *Store) mendAll() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	var deletes int
	if err := s.inTurn(ctx, func() error { deletes = s.deletes; return nil }); err != nil {
		return nil // the store is closed
	}
	lacking, err := s.lacking(ctx)
	var p packer
	for len(lacking) > 0 && err == nil {
		some := lacking[:min(mendAtOnce, len(lacking))]
		lacking = lacking[len(some):]
		var records []byte
		if records, err = s.recordsOf(ctx, &p, some); err != nil {
			break
		}
		err = s.inTurn(ctx, func() error {
			if s.deletes != deletes {
				lacking = nil // drop the data that was read
				return nil
			}
			return s.index.Append(records)
		})
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// lacking are the blocks without a needed index record, without their data: all except the last block, which may still grow.
func (s *Store) lacking(ctx context.Context) (out []*block, err error) {
	err = s.db.Read(func(db *sql.DB) error {
		out = nil
		rows, err := db.QueryContext(ctx, "SELECT first, last, n, sum FROM block ORDER BY first")
		if err != nil {
			return err
		}
		defer rows.Close()
		var before *block
		for rows.Next() {
			b := &block{}
			if err := rows.Scan(&b.first, &b.last, &b.n, &b.sum); err != nil {
				return err
			}
			if before != nil && !s.index.Has(before.id()) {
				out = append(out, before)
			}
			before = b
		}
		return rows.Err()
	})
	return out, err
}

// recordsOf makes the records of blocks. It skips deleted or changed blocks.
func (s *Store) recordsOf(ctx context.Context, p *packer, blocks []*block) (records []byte, err error) {
	err = s.db.Read(func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // read only
		sc := &scanner{ctx: ctx, tx: tx}
		defer sc.close()
		records = nil
		for _, b := range blocks {
			if b.n < 1 || b.n > lineindex.Most || sc.read(b, "head, body", &b.head, &b.body) != nil || sum(b.head, b.body) != b.sum {
				continue // a reader of the block gets the error
			}
			if p.reindex(sc, b) == nil {
				records = append(records, p.index.Record(b.id())...)
			}
			b.forget()
		}
		return ctx.Err()
	})
	return records, err
}

// reindex makes the record of a block from the file.
func (p *packer) reindex(sc *scanner, b *block) error {
	entries, err := sc.fields(b, nil)
	if err != nil {
		return err
	}
	ends, text, err := b.messages(sc.ends)
	if err != nil {
		return err
	}
	p.index.Reset()
	from := 0
	for i, end := range ends {
		p.folded = linetext.AppendFolded(p.folded[:0], string(text[from:end]))
		p.indexed(&entries[i])
		from = end
	}
	return nil
}
