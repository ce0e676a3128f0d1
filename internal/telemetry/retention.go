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
			n, err := remove(tx, "arrived < ?", now.Add(-s.o.KeepFor).UnixNano())
			if err != nil {
				return err
			}
			removed = n
		}
		large, err := s.tooLarge(tx)
		if err != nil {
			return err
		}
		if large {
			n, err := remove(tx, "?", 1)
			if err != nil {
				return err
			}
			removed += n
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

// tooLarge reports whether what is in use is more than may be kept.
func (s *Store) tooLarge(tx *sql.Tx) (bool, error) {
	var pages, unused, each int64
	err := tx.QueryRow("SELECT * FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&pages, &unused, &each)
	return (pages-unused)*each > s.o.KeepBytes, err
}

// remove deletes the oldest blocks and documents that a condition takes: those that came first, of both.
func remove(tx *sql.Tx, condition string, value int64) (int64, error) {
	done, err := tx.Query("SELECT first, 'block' FROM block WHERE "+condition+" UNION ALL SELECT number, 'document' FROM document WHERE "+
		condition+" ORDER BY 1 LIMIT ?", value, value, trimAtOnce)
	if err != nil {
		return 0, err
	}
	defer done.Close()
	var blocks, documents int64
	var upto int64
	for done.Next() {
		var kind string
		if err := done.Scan(&upto, &kind); err != nil {
			return 0, err
		}
		if kind == "block" {
			blocks++
		} else {
			documents++
		}
	}
	if err := done.Err(); err != nil || blocks+documents == 0 {
		return 0, err
	}
	_ = done.Close()
	if _, err := tx.Exec("DELETE FROM block WHERE first <= ? AND ("+condition+")", upto, value); err != nil {
		return 0, err
	}
	_, err = tx.Exec("DELETE FROM document WHERE number <= ? AND ("+condition+")", upto, value)
	return blocks + documents, err
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
