package telemetry

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// headIndex has all of a document but its body: documents of a kind are looked through without reading what they hold. It is made
// with the first documents that come many at once, so that a file from before stays as it is.
const headIndex = "CREATE INDEX IF NOT EXISTS document_head ON document (kind, number, id, time, device, app, grp, arrived)"

// KeepMany stores documents in one transaction, in their order: all are in the file when it returns, or none. Marks are numbers that are
// stored with them, for whoever must know up to where that was. It gives the number of each document.
func (s *Store) KeepMany(ctx context.Context, docs []Document, marks map[string]int64) ([]int64, error) {
	now := s.o.Now()
	hidden := make([]Document, len(docs))
	for i, d := range docs {
		if d.Time.IsZero() {
			d.Time = now
		}
		d.Body = s.hideJSON(d.Body)
		if s.o.Hide != nil {
			d.Group = s.o.Hide(d.Group)
		}
		hidden[i] = d
	}
	numbers := make([]int64, len(docs))
	err := s.inTurn(ctx, func() error {
		last := int64(0)
		err := s.db.Write(func(tx *sql.Tx) error {
			last = s.known()
			if err := s.putMany(tx, hidden, numbers, &last, now); err != nil {
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

// markOf begins the names of marks of others.
const markOf = "of "

func (s *Store) putMany(tx *sql.Tx, docs []Document, numbers []int64, last *int64, now time.Time) error {
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
		if _, err := put.Exec(*last, d.Kind, d.ID, nanos(d.Time), d.Device, d.App, d.Group, now.UnixNano(), d.Body); err != nil {
			return err
		}
	}
	return nil
}

// Mark is a number that was stored with documents; 0 when it was not.
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

// Choose looks through the heads of documents, newest first, of one state of the file. fn says of each whether it is wanted whole, and
// whether to go on. Those that are wanted are given in the order in which they were seen. Since and Limit of the query do not count. fn is
// called from the first again when the file turned out to be damaged and is a new one: begin is called before.
func (s *Store) Choose(ctx context.Context, q DocumentQuery, begin func(), fn func(*Head) (take, more bool)) ([]Document, error) {
	begin()
	if !s.load(ctx) {
		return nil, ctx.Err()
	}
	var out []Document
	err := s.db.Read(func(db *sql.DB) error {
		begin()
		out = nil
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // it only read
		if out, err = heads(ctx, tx, q, fn); err != nil {
			return err
		}
		return bodies(ctx, tx, out)
	})
	return out, err
}

func heads(ctx context.Context, tx *sql.Tx, q DocumentQuery, fn func(*Head) (take, more bool)) ([]Document, error) {
	where, values := []string{"kind = ?", "number > ?"}, []any{q.Kind, q.After}
	for _, one := range [][2]string{{"id", q.ID}, {"device", q.Device}, {"app", q.App}, {"grp", q.Group}} {
		if one[1] != "" {
			where, values = append(where, one[0]+" = ?"), append(values, one[1])
		}
	}
	rows, err := tx.QueryContext(ctx, "SELECT number, id, time, device, app, grp, arrived FROM document WHERE "+
		strings.Join(where, " AND ")+" ORDER BY number DESC", values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Document
	for rows.Next() {
		h := Head{Document: Document{Kind: q.Kind}}
		var at, arrived int64
		if err := rows.Scan(&h.Number, &h.ID, &at, &h.Device, &h.App, &h.Group, &arrived); err != nil {
			return nil, err
		}
		h.Time, h.Arrived = time.Unix(0, at).UTC(), time.Unix(0, arrived).UTC()
		take, more := fn(&h)
		if take {
			out = append(out, h.Document)
		}
		if !more {
			break
		}
	}
	return out, rows.Err()
}

func bodies(ctx context.Context, tx *sql.Tx, docs []Document) error {
	if len(docs) == 0 {
		return nil
	}
	get, err := tx.PrepareContext(ctx, "SELECT body FROM document WHERE number = ?")
	if err != nil {
		return err
	}
	defer get.Close()
	for i := range docs {
		if err := get.QueryRowContext(ctx, docs[i].Number).Scan(&docs[i].Body); err != nil {
			return err
		}
	}
	return nil
}

// Discard removes documents of a kind up to a number. It gives back a part of the disk only: the rest follows as more is stored.
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
