// Package store is the daemon's durable state: one SQLite file, opened by the daemon only. It opens, migrates, and sets a
// damaged file aside; what the tables mean is their owners' business. Nothing is opened before it is needed.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Store is one database file. It is safe for concurrent use; writers take turns.
type Store struct {
	Path string
	// Migrations bring a file from version i to i+1. They are never changed, only added to.
	Migrations []string
	Log        *slog.Logger
	Now        func() time.Time

	mu     sync.Mutex
	db     *sql.DB
	notice string
}

// busyWait is how long a lock of another process on the file is waited for. There should be none.
const busyWait = 5 * time.Second

// Write runs fn in one transaction. What it did is on the disk when Write returns nil, and undone otherwise.
func (s *Store) Write(fn func(*sql.Tx) error) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	if err := fn(tx); err != nil {
		return fmt.Errorf("%s: %w", s.Path, errors.Join(err, tx.Rollback()))
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	return nil
}

// Read runs fn on the database.
func (s *Store) Read(fn func(*sql.DB) error) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	return fn(db)
}

// Notice says what had to be done to open the file, for people: empty when nothing.
func (s *Store) Notice() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notice
}

// Close closes the file.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return err
}

func (s *Store) open() (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		return s.db, nil
	}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return nil, fmt.Errorf("the store's folder: %w", err)
	}
	db, err := s.connect()
	if damaged(err) {
		if err := s.setAside(err); err != nil {
			return nil, err
		}
		db, err = s.connect()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	s.db = db
	return db, nil
}

// connect opens, checks and migrates. FULL makes every commit reach the disk; one connection makes writers take turns.
func (s *Store) connect() (*sql.DB, error) {
	options := fmt.Sprintf("?_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate", busyWait.Milliseconds())
	db, err := sql.Open("sqlite", "file:"+escape(s.Path)+options)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err = check(db); err == nil {
		err = s.migrate(db)
	}
	if err == nil {
		err = os.Chmod(s.Path, 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// escape makes a path safe in a URI.
func escape(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// errDamaged is what the database itself says of its pages.
var errDamaged = errors.New("the file is damaged")

// check reads the whole file, which is small: a damage that is found later has been built upon.
func check(db *sql.DB) error {
	var verdict string
	if err := db.QueryRowContext(context.Background(), "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, verdict)
	}
	return nil
}

func damaged(err error) bool {
	var no *sqlite.Error
	if errors.As(err, &no) {
		code := no.Code() & 0xff // the rest says where it was found
		return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
	}
	return errors.Is(err, errDamaged)
}

// setAside keeps a damaged file for whoever wants to look, and makes room for a clean one.
func (s *Store) setAside(why error) error {
	aside := s.Path + ".damaged-" + s.Now().UTC().Format("20060102T150405.000")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(s.Path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("setting the damaged %s aside: %w", s.Path+suffix, err)
		}
	}
	s.notice = fmt.Sprintf("%s was damaged (%v) and is set aside as %s; what it knew, claims above all, is forgotten", s.Path, why, aside)
	s.Log.Error("the store was damaged", "path", s.Path, "error", why, "aside", aside)
	return nil
}

func (s *Store) migrate(db *sql.DB) error {
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > len(s.Migrations) {
		return fmt.Errorf("the file is of version %d, from a newer ios-agent; this one knows %d", version, len(s.Migrations))
	}
	for ; version < len(s.Migrations); version++ {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		_, err = tx.Exec(s.Migrations[version] + fmt.Sprintf(";PRAGMA user_version = %d", version+1))
		if err != nil {
			return errors.Join(fmt.Errorf("migration %d: %w", version+1, err), tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}
