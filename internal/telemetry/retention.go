package telemetry

import (
	"database/sql"
	"fmt"
	"time"
)

// The interval of the age check, the number of blocks or documents removed per step, and the number of pages freed per step.
const (
	trimEvery  = time.Minute
	trimAtOnce = 32
	freeAtOnce = 2_000
)

// trim removes entries that are too old, and the oldest beyond the size limit. It does one step per transaction, in its turn, so that
// no caller waits long.
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
			s.trimmed = now // done for a while
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

// trimSize removes the oldest until the size is below the limit or the step is complete, and gives the number removed.
func (s *Store) trimSize(tx *sql.Tx) (removed int64, err error) {
	beside := s.index.Bytes() // removed together with the blocks
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

// inUse is the used size of the file in bytes.
func inUse(tx *sql.Tx) (int64, error) {
	var pages, unused, each int64
	err := tx.QueryRow("SELECT * FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&pages, &unused, &each)
	return (pages - unused) * each, err
}

// remove deletes the oldest blocks and documents that match a condition, up to a maximum of both together. It gives their number and
// the last deleted number.
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
	_ = oldest.Close() // the store has one connection
	if _, err := tx.Exec("DELETE FROM block WHERE first <= ? AND ("+condition+")", upto, value); err != nil {
		return 0, 0, err
	}
	_, err = tx.Exec("DELETE FROM document WHERE number <= ? AND ("+condition+")", upto, value)
	return n, upto, err
}

// free returns unused pages to the disk. Each step of the statement frees one.
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
