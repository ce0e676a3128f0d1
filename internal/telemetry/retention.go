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
	first := int64(0)
	err := s.db.Write(func(tx *sql.Tx) error {
		removed := int64(0)
		if byAge {
			n, _, err := remove(tx, "arrived < ?", now.Add(-s.o.KeepFor).UnixNano(), trimAtOnce)
			if err != nil {
				return err
			}
			removed = n
		}
		n, err := s.trimSize(tx)
		if err != nil {
			return err
		}
		if removed+n > 0 {
			if first, err = firstBlock(tx); err != nil {
				return err
			}
		}
		if removed < trimAtOnce && byAge {
			s.trimmed = now // nothing is left to do for a while
		}
		return free(tx)
	})
	if err != nil {
		s.tell(fmt.Errorf("removing old ones: %w", err))
		return
	}
	if first > 0 {
		if err := s.index.DropBefore(first); err != nil {
			s.tellIndex(err)
		}
	}
}

// trimSize removes the oldest until there is not too much, or enough was removed for one step, and says how many that were.
func (s *Store) trimSize(tx *sql.Tx) (removed int64, err error) {
	beside := s.index.Bytes() // goes with the blocks
	for range trimAtOnce {
		used, err := inUse(tx)
		if err != nil || used+beside <= s.o.KeepBytes {
			return removed, err
		}
		n, upto, err := remove(tx, "?", 1, 1)
		if err != nil || n == 0 {
			return removed, err
		}
		removed, beside = removed+n, beside-s.index.BytesOf(upto)
	}
	return removed, nil
}

// inUse is how many bytes of the file are in use.
func inUse(tx *sql.Tx) (int64, error) {
	var pages, unused, each int64
	err := tx.QueryRow("SELECT * FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&pages, &unused, &each)
	return (pages - unused) * each, err
}

// remove deletes the oldest blocks and documents that a condition takes, of both together so many at most, and says how many, and
// the number of the last.
func remove(tx *sql.Tx, condition string, value int64, most int) (n, upto int64, err error) {
	oldest, err := tx.Query("SELECT first FROM block WHERE "+condition+" UNION ALL SELECT number FROM document WHERE "+
		condition+" ORDER BY 1 LIMIT ?", value, value, most)
	if err != nil {
		return 0, 0, err
	}
	defer oldest.Close()
	for oldest.Next() {
		if err := oldest.Scan(&upto); err != nil {
			return 0, 0, err
		}
		n++
	}
	if err := oldest.Err(); err != nil || n == 0 {
		return 0, 0, err
	}
	_ = oldest.Close() // there is one connection
	if _, err := tx.Exec("DELETE FROM block WHERE first <= ? AND ("+condition+")", upto, value); err != nil {
		return 0, 0, err
	}
	_, err = tx.Exec("DELETE FROM document WHERE number <= ? AND ("+condition+")", upto, value)
	return n, upto, err
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
