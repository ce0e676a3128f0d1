// Package store is the daemon's durable state: one SQLite file, opened by the daemon only, at the first use. Store opens the file, migrates
// it, sets a damaged file aside, and leaves the file of a newer program unchanged. The owners of the tables define their meaning; the
// package must not know it.
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

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Options say which file it is and what belongs into it.
type Options struct {
	Path string
	// Migrations bring a file from version i to i+1. They are never changed, only added to.
	Migrations []string
	// Expendable, where it is not 0, is the version of a file whose loss hurts nobody: see expendable.go.
	Expendable int
	// Opened looks at a file that was just opened, before anybody else does.
	Opened func(*sql.DB) error
	Log    *slog.Logger
	Now    func() time.Time // time.Now if nil
}

// Store is one database file. It is safe for concurrent use; writers take turns.
type Store struct {
	o       Options
	opening chan struct{} // one caller at a time opens the file

	mu     sync.Mutex // of what follows; never held across I/O
	in     *handle
	notice string
}

// handle is a file that is open.
type handle struct {
	db      *sql.DB
	readers *sql.DB // db itself, but for an expendable file
	file    os.FileInfo
}

func (h *handle) Close() error {
	if h == nil {
		return nil
	}
	if h.readers == h.db {
		return h.db.Close()
	}
	return errors.Join(h.readers.Close(), h.db.Close())
}

// NewerError says that a newer program wrote the file. It is left as it is.
type NewerError struct {
	Path           string
	Version, Known int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has version %d of a newer ios-agent; this ios-agent reads versions up to %d",
		e.Path, e.Version, e.Known)
}

// Fault says what can be done about it.
func (e *NewerError) Fault() *fault.Fault {
	return fault.New(fault.StateFailed, "%w", e).With("path", e.Path).
		WithHint("install the newer ios-agent again; or stop the daemon with %s and move the file away, which also ends its claims",
			hint.Command("ios-agent daemon stop"))
}

// New makes the store of a file, which is opened at the first use.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Store{o: o, opening: make(chan struct{}, 1)}
}

// busyWait is how long to wait for another process's lock on the file. Usually no other process has one.
const busyWait = 5 * time.Second

// Path is where the file is.
func (s *Store) Path() string { return s.o.Path }

// Absent reports that the file does not exist.
func (s *Store) Absent() bool {
	_, err := os.Stat(s.o.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// Write runs fn in one transaction. When Write returns nil, its changes are on the disk; otherwise they are undone. A damaged file is set
// aside; then, and when the file could not be written, fn is run once again. Errors other than a *NewerError are *FailedErrors.
func (s *Store) Write(fn func(*sql.Tx) error) error {
	err := s.write(fn)
	if damaged(err) || unwritable(err) {
		s.reopen()
		if err = s.discard(err); err == nil {
			err = s.write(fn)
		}
	}
	return s.failed(err)
}

// reopen lets the next call open the file again: it then sets a damaged file aside, and a file that could not be written may be writable by
// now. An open file never becomes writable.
func (s *Store) reopen() {
	_ = s.exchange(nil).Close() // nothing in it was promised to anybody
}

func (s *Store) write(fn func(*sql.Tx) error) error {
	in, err := s.open()
	if err != nil {
		return err
	}
	tx, err := in.db.Begin()
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Read runs fn on the database; on a copy of it when the file can be read and not written.
func (s *Store) Read(fn func(*sql.DB) error) error {
	in, err := s.open()
	if err == nil {
		err = fn(in.readers)
		if s.o.Expendable == 0 || !damaged(err) {
			return s.failed(err)
		}
		s.reopen()
		if err = s.discard(err); err == nil {
			in, err = s.open()
		}
		if err == nil {
			return s.failed(fn(in.readers))
		}
	}
	var newer *NewerError
	if !errors.As(err, &newer) && !s.Absent() && onCopy(s.o.Path, fn) == nil {
		return nil
	}
	return s.failed(err)
}

// Notice describes for people a problem with the file at its opening; empty for a good file.
func (s *Store) Notice() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notice
}

func (s *Store) setNotice(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice = text
}

// Close closes the file.
func (s *Store) Close() error {
	return s.exchange(nil).Close()
}

// exchange makes an open file the store's and gives the one before.
func (s *Store) exchange(in *handle) *handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.in
	s.in = in
	return before
}

// opened is the open file; nil before the first use, or after the file was deleted: writes to a deleted file are lost.
func (s *Store) opened() *handle {
	s.mu.Lock()
	in := s.in
	s.mu.Unlock()
	if in == nil {
		return nil
	}
	if now, err := os.Stat(s.o.Path); err == nil && os.SameFile(now, in.file) {
		return in
	}
	s.setNotice(s.o.Path + " was deleted while it was in use; the daemon creates a new one")
	s.o.Log.Error("the store was deleted", "path", s.o.Path)
	s.exchange(nil)
	_ = in.Close() // of a file that is nobody's
	return nil
}

func (s *Store) open() (*handle, error) {
	s.opening <- struct{}{}
	defer func() { <-s.opening }()
	if in := s.opened(); in != nil {
		return in, nil
	}
	if err := os.MkdirAll(filepath.Dir(s.o.Path), 0o700); err != nil {
		return nil, err
	}
	if s.o.Expendable == 0 {
		if err := s.refuseNewer(); err != nil {
			return nil, err
		}
	}
	in, err := s.prepare()
	if damaged(err) {
		if err := s.setAside(err); err != nil {
			return nil, err
		}
		in, err = s.prepare()
	}
	if err != nil {
		return nil, err
	}
	s.exchange(in)
	return in, nil
}

// prepare opens, checks and migrates. The file is ours alone before SQLite makes others beside it, which get the same mode.
func (s *Store) prepare() (*handle, error) {
	f, err := os.OpenFile(s.o.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return nil, err
	}
	in, err := s.connect()
	if err != nil {
		return nil, err
	}
	if s.o.Expendable > 0 {
		err = s.create(in.db)
	} else if err = check(in.db); err == nil {
		err = s.migrate(in.db)
	}
	if err == nil && s.o.Opened != nil {
		err = s.o.Opened(in.db)
	}
	if err == nil {
		in.file, err = os.Stat(s.o.Path)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// connect opens the file.
func (s *Store) connect() (*handle, error) {
	if s.o.Expendable > 0 {
		return connectExpendable(s.o.Path)
	}
	db, err := connect(s.o.Path)
	return &handle{db: db, readers: db}, err
}

// connect opens a file. FULL makes every commit reach the disk; one connection makes writers take turns.
func connect(path string) (*sql.DB, error) {
	return dial(path, 1, "journal_mode(WAL)", "synchronous(FULL)")
}

// dial opens a file with a maximum number of connections, each with these pragmas.
func dial(path string, connections int, pragmas ...string) (*sql.DB, error) {
	options := fmt.Sprintf("?_pragma=busy_timeout(%d)", busyWait.Milliseconds())
	if connections == 1 { // it writes: what begins to read and then writes would find that somebody else wrote in between
		options += "&_txlock=immediate"
	}
	for _, p := range pragmas {
		options += "&_pragma=" + p
	}
	db, err := sql.Open("sqlite", "file:"+escape(path)+options)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// escape makes a path safe in a URI.
func escape(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// errDamaged is what the database itself says of its pages.
var errDamaged = errors.New("the file is damaged")

// check reads the whole file, which is small: damage that is found later has spread to what was written since.
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

// setAside renames a damaged file, so that somebody can look at it and a clean one can be made.
func (s *Store) setAside(why error) error {
	s.forgetAside()
	aside := s.o.Path + aside + s.o.Now().UTC().Format("20060102T150405.000")
	for _, suffix := range beside {
		if err := os.Rename(s.o.Path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("setting the damaged %s aside: %w", s.o.Path+suffix, err)
		}
	}
	lost := "what it knew, claims above all, is forgotten"
	if s.o.Expendable > 0 {
		lost = "a new one is begun"
	}
	s.setNotice(fmt.Sprintf("%s was damaged (%v) and is set aside as %s; %s", s.o.Path, why, aside, lost))
	s.o.Log.Error("the store was damaged", "path", s.o.Path, "error", why, "aside", aside)
	return nil
}

// A file and what SQLite puts beside it; and what follows its name when it is set aside.
var beside = []string{"", "-wal", "-shm"}

const aside = ".damaged-"

func (s *Store) migrate(db *sql.DB) error {
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	for ; version < len(s.o.Migrations); version++ {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		_, err = tx.Exec(s.o.Migrations[version] + fmt.Sprintf(";PRAGMA user_version = %d", version+1))
		if err != nil {
			return errors.Join(fmt.Errorf("migration %d: %w", version+1, err), tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}
