package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ios-agent/internal/machine/regularfile"
)

// An expendable file may be large, and its loss does no harm. It is opened without reading it whole. A commit survives the end of the
// process, but not a loss of power. Readers have connections of their own and do not wait for writers. A file of another version is set
// aside like a damaged one, and only the last such file is kept. The space of deleted rows can return to the disk.

// readersAtOnce is the number of connections that can read an expendable file at the same time.
const readersAtOnce = 4

func connectExpendable(path string) (*handle, error) {
	// SQLite accepts the first two only before the file has a page.
	db, err := dial(path, 1, "page_size(8192)", "auto_vacuum(INCREMENTAL)", "journal_mode(WAL)", "synchronous(NORMAL)",
		"journal_size_limit(16777216)")
	if err != nil {
		return nil, err
	}
	readers, err := dial(path, readersAtOnce, "query_only(1)")
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &handle{db: db, readers: readers}, nil
}

// create makes the tables of a new file. It treats a file of another version as damaged.
func (s *Store) create(db *sql.DB) error {
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == s.o.Expendable {
		return nil
	}
	var tables int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if tables > 0 {
		return fmt.Errorf("%w: it has version %d, this ios-agent writes version %d", errDamaged, version, s.o.Expendable)
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	for _, part := range append(s.o.Migrations, fmt.Sprintf("PRAGMA user_version = %d", s.o.Expendable)) {
		if _, err := tx.Exec(part); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// discard sets aside an expendable file in which a call found damage: opening it again would not find the damage.
func (s *Store) discard(why error) error {
	if s.o.Expendable == 0 || !damaged(why) {
		return nil
	}
	s.opening <- struct{}{}
	defer func() { <-s.opening }()
	return s.setAside(why)
}

// forgetAside removes expendable files that were set aside.
func (s *Store) forgetAside() {
	if s.o.Expendable == 0 {
		return
	}
	found, err := filepath.Glob(regularfile.Pattern(s.o.Path) + aside + "*")
	for _, name := range found {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		s.o.Log.Warn("an old file is left", "error", err)
	}
}

// Remove deletes an expendable file and the files that were set aside. Open readers can continue.
func (s *Store) Remove() error {
	s.opening <- struct{}{}
	defer func() { <-s.opening }()
	err := s.exchange(nil).Close()
	s.forgetAside()
	for _, suffix := range beside {
		if no := os.Remove(s.o.Path + suffix); !errors.Is(no, fs.ErrNotExist) {
			err = errors.Join(err, no)
		}
	}
	s.setNotice("")
	return s.failed(err)
}

// Damaged marks an error as inconsistent content of the file. When a function of Read or Write returns it, the store sets an expendable
// file aside.
func Damaged(err error) error { return fmt.Errorf("%w: %w", errDamaged, err) }
