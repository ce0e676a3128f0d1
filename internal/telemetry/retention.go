package telemetry

import (
	"database/sql"
	"fmt"
	"time"
)

// How often the age of what is stored is looked at; how many blocks or documents are removed in one step; and how many pages the
// file is made smaller by then.
const (
	trimEvery  = time.Minute
	trimAtOnce = 32
	freeAtOnce = 2_000
)

// trim removes what is too old, and the oldest of what is too much: a step at each transaction, in its turn, so that nobody waits for it.
func (s *Store) trim(now time.Time) {
	byAge := now.Sub(s.trimmed) >= trimEvery || now.Before(s.trimmed)
	err := s.db.Write(func(tx *sql.Tx) error {
		removed := int64(0)
		if byAge {
			n, err := remove(tx, "arrived < ?", now.Add(-s.o.KeepFor).UnixNano(), trimAtOnce)
			if err != nil {
				return err
			}
			removed = n
		}
		if err := s.trimSize(tx); err != nil {
			return err
		}
		if removed < trimAtOnce && byAge {
			s.trimmed = now // nothing is left to do for a while
		}
		return free(tx)
	})
	if err != nil {
		s.o.Log.Warn("old lines could not be removed", "error", err)
	}
}

// trimSize removes the oldest until there is not too much, or enough was removed for one step.
func (s *Store) trimSize(tx *sql.Tx) error {
	for range trimAtOnce {
		large, err := s.tooLarge(tx)
		if err != nil || !large {
			return err
		}
		if n, err := remove(tx, "?", 1, 1); err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// tooLarge reports whether what is in use is more than may be kept.
func (s *Store) tooLarge(tx *sql.Tx) (bool, error) {
	var pages, unused, each int64
	err := tx.QueryRow("SELECT * FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&pages, &unused, &each)
	return (pages-unused)*each > s.o.KeepBytes, err
}

// remove deletes the oldest blocks and documents that a condition takes, of both together so many at most, and says how many.
func remove(tx *sql.Tx, condition string, value int64, most int) (int64, error) {
	oldest, err := tx.Query("SELECT first FROM block WHERE "+condition+" UNION ALL SELECT number FROM document WHERE "+
		condition+" ORDER BY 1 LIMIT ?", value, value, most)
	if err != nil {
		return 0, err
	}
	defer oldest.Close()
	var n, upto int64
	for oldest.Next() {
		if err := oldest.Scan(&upto); err != nil {
			return 0, err
		}
		n++
	}
	if err := oldest.Err(); err != nil || n == 0 {
		return 0, err
	}
	_ = oldest.Close() // there is one connection
	if _, err := tx.Exec("DELETE FROM block WHERE first <= ? AND ("+condition+")", upto, value); err != nil {
		return 0, err
	}
	_, err = tx.Exec("DELETE FROM document WHERE number <= ? AND ("+condition+")", upto, value)
	return n, err
}

// free gives pages that are not used any more back to the disk. Each step of the statement gives one.
func free(tx *sql.Tx) error {
	rows, err := tx.Query(fmt.Sprintf("PRAGMA incremental_vacuum(%d)", freeAtOnce))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
