package telemetry

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// headIndex covers all of a document except its body, so that a scan over a kind reads no bodies. It is made with the first bulk write,
// so that older files stay unchanged.
const headIndex = "CREATE INDEX IF NOT EXISTS document_head ON document (kind, number, id, time, device, app, grp, arrived)"

// KeepMany stores documents in one transaction and in their order: when it returns, all are in the file, or none. marks are numbers
// stored with them, for a caller that must know its position. KeepMany returns the number of each document. It stores bodies unchanged:
// the caller must remove secrets before.
func (s *Store) KeepMany(ctx context.Context, docs []Document, marks map[string]int64) ([]int64, error) {
	now := s.o.Now()
	numbers := make([]int64, len(docs))
	err := s.inTurn(ctx, func() error {
		last := int64(0)
		err := s.db.Write(func(tx *sql.Tx) error {
			last = s.known()
			if err := putMany(tx, docs, numbers, &last, now); err != nil {
				return err
			}
			for name, value := range marks {
				if _, err := tx.Exec("INSERT OR REPLACE INTO mark VALUES (?, ?)", markOf+name, value); err != nil {
					return err
				}
			}
			return s.mark(tx, last, now)
		})
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.last = last
		s.mu.Unlock()
		s.trim(now)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return numbers, nil
}

// markOf is the prefix of callers' mark names.
const markOf = "of "

func putMany(tx *sql.Tx, docs []Document, numbers []int64, last *int64, now time.Time) error {
	if _, err := tx.Exec(headIndex); err != nil {
		return err
	}
	put, err := tx.Prepare("INSERT OR REPLACE INTO document (number, kind, id, time, device, app, grp, arrived, body) " +
		"VALUES (?,?,?,?,?,?,?,?,?)")
	if err != nil {
		return err
	}
	defer put.Close()
	for i, d := range docs {
		*last++
		numbers[i] = *last
		if d.Time.IsZero() {
			d.Time = now
		}
		if _, err := put.Exec(*last, d.Kind, d.ID, nanos(d.Time), d.Device, d.App, d.Group, now.UnixNano(), d.Body); err != nil {
			return err
		}
	}
	return nil
}

// Mark is a number that was stored with documents; 0 if it was not.
func (s *Store) Mark(ctx context.Context, name string) (int64, error) {
	if !s.load(ctx) {
		return 0, ctx.Err()
	}
	value := int64(0)
	err := s.db.Read(func(db *sql.DB) error {
		err := db.QueryRowContext(ctx, "SELECT value FROM mark WHERE name = ?", markOf+name).Scan(&value)
		if errors.Is(err, sql.ErrNoRows) {
			value = 0
			return nil
		}
		return err
	})
	return value, err
}

// Head is a document without its body.
type Head struct {
	Document
	Arrived time.Time
}

// Heads gives all documents of a kind without their bodies, oldest first.
func (s *Store) Heads(ctx context.Context, kind string) ([]Head, error) {
	if !s.load(ctx) {
		return nil, ctx.Err()
	}
	var out []Head
	err := s.db.Read(func(db *sql.DB) error {
		out = nil
		rows, err := db.QueryContext(ctx, "SELECT number, id, time, device, app, grp, arrived FROM document WHERE kind = ? ORDER BY number", kind)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			h := Head{Document: Document{Kind: kind}}
			var at, arrived int64
			if err := rows.Scan(&h.Number, &h.ID, &at, &h.Device, &h.App, &h.Group, &arrived); err != nil {
				return err
			}
			h.Time, h.Arrived = time.Unix(0, at).UTC(), time.Unix(0, arrived).UTC()
			out = append(out, h)
		}
		return rows.Err()
	})
	return out, err
}

// First is the number of the oldest document of a kind; 0 without one. Documents are removed oldest first.
func (s *Store) First(ctx context.Context, kind string) (int64, error) {
	if !s.load(ctx) {
		return 0, ctx.Err()
	}
	var first sql.NullInt64
	err := s.db.Read(func(db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT min(number) FROM document WHERE kind = ?", kind).Scan(&first)
	})
	return first.Int64, err
}

// Numbered gives the documents with these numbers, in that order, from one state of the file. It leaves out removed ones.
func (s *Store) Numbered(ctx context.Context, numbers []int64) ([]Document, error) {
	if len(numbers) == 0 || !s.load(ctx) {
		return nil, ctx.Err()
	}
	var out []Document
	err := s.db.Read(func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // read only
		get, err := tx.PrepareContext(ctx, "SELECT number, kind, id, time, device, app, grp, body FROM document WHERE number = ?")
		if err != nil {
			return err
		}
		defer get.Close()
		out = make([]Document, 0, len(numbers))
		for _, number := range numbers {
			var d Document
			var at int64
			err := get.QueryRowContext(ctx, number).Scan(&d.Number, &d.Kind, &d.ID, &at, &d.Device, &d.App, &d.Group, &d.Body)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			d.Time = time.Unix(0, at).UTC()
			out = append(out, d)
		}
		return nil
	})
	return out, err
}

// Discard removes the documents of a kind up to a number. Only a part of the disk space is freed at once, the rest with later writes.
func (s *Store) Discard(ctx context.Context, kind string, upto int64) error {
	return s.inTurn(ctx, func() error {
		if s.db.Absent() {
			return nil
		}
		return s.db.Write(func(tx *sql.Tx) error {
			if _, err := tx.Exec("DELETE FROM document WHERE kind = ? AND number <= ?", kind, upto); err != nil {
				return err
			}
			return free(tx)
		})
	})
}
