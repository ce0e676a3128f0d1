// Package store opens and guards a SQLite file of the daemon, such as its durable state. A Store opens the file at the first use, migrates
// it, sets a damaged file aside, and leaves the file of a newer program unchanged. Only the daemon opens the file. The owners of the tables
// define their meaning; the package must not know it.
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

// Options name the file and its tables.
type Options struct {
	Path string
	// Migrations bring a file from version i to i+1. They are only added, never changed.
	Migrations []string
	// Expendable is the version of a file whose loss does no harm (expendable.go); 0 for a file that must survive.
	Expendable int
	// Opened gets a file that was just opened, before any caller does.
	Opened func(*sql.DB) error
	Log    *slog.Logger
	Now    func() time.Time // time.Now if nil
}

// Store is one database file. It is safe for concurrent use; writers take turns.
type Store struct {
	o       Options
	opening chan struct{} // one caller at a time opens the file

	mu     sync.Mutex // guards the fields below; never held across I/O
	in     *handle
	notice string
}

// handle is an open file.
type handle struct {
	db      *sql.DB
	readers *sql.DB // the same as db, except for an expendable file
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

// NewerError says that a newer program wrote the file. The store leaves it as it is.
type NewerError struct {
	Path           string
	Version, Known int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has version %d of a newer ios-agent; this ios-agent reads versions up to %d",
		e.Path, e.Version, e.Known)
}

// Fault is the fault with a way out as its hint.
func (e *NewerError) Fault() *fault.Fault {
	return fault.New(fault.StateFailed, "%w", e).With("path", e.Path).
		WithHint("install the newer ios-agent again; or stop the daemon with %s and move the file away, which also ends its claims",
			hint.Command("ios-agent daemon stop"))
}

// New makes the store of a file and opens the file at the first use.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Store{o: o, opening: make(chan struct{}, 1)}
}

// busyWait is the time limit for another process's lock on the file. Usually the daemon is the only process that opens it.
const busyWait = 5 * time.Second

// Path is the path of the file.
func (s *Store) Path() string { return s.o.Path }

// Absent reports whether the file does not exist.
func (s *Store) Absent() bool {
	_, err := os.Stat(s.o.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// Write runs fn in one transaction. When Write returns nil, the changes are on the disk; otherwise they are undone. Write sets a damaged
// file aside; then, and when the file could not be written, it runs fn once again. Errors other than a *NewerError are *FailedErrors.
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

// reopen makes the next call open the file again. Opening sets a damaged file aside; and a file that could not be written may be writable
// by now, but an open file never becomes writable.
func (s *Store) reopen() {
	_ = s.exchange(nil).Close() // no change in it was reported as done
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

// Read runs fn on the database, or on a copy of the file if the file cannot be opened for writing.
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

// Notice describes a problem with the file at its opening for people; it is empty for a good file.
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

// exchange sets the store's open file and returns the previous one.
func (s *Store) exchange(in *handle) *handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.in
	s.in = in
	return before
}

// opened returns the open file. It is nil before the first use, and after the file was deleted, because writes to a deleted file are lost.
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
	_ = in.Close() // the file is deleted
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

// prepare opens, checks and migrates. It gives the file its mode before SQLite makes other files beside it, which get the same mode.
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

// connect opens a file. With synchronous FULL every commit reaches the disk; with one connection writers take turns.
func connect(path string) (*sql.DB, error) {
	return dial(path, 1, "journal_mode(WAL)", "synchronous(FULL)")
}

// dial opens a file with a maximum number of connections, each with these pragmas.
func dial(path string, connections int, pragmas ...string) (*sql.DB, error) {
	options := fmt.Sprintf("?_pragma=busy_timeout(%d)", busyWait.Milliseconds())
	if connections == 1 { // for writers: a transaction that reads first could find at its first write that another one has written
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

// escape escapes a path for a URI.
func escape(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// errDamaged says that the database found damage in its own pages.
var errDamaged = errors.New("the file is damaged")

// check reads the whole file, which is small: damage that is found later has spread to newer data.
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
		code := no.Code() & 0xff // the other bits say where SQLite found it
		return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
	}
	return errors.Is(err, errDamaged)
}

// setAside renames a damaged file, so that a person can look at it and the store can make a new one.
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

// The endings of a database's files: the file itself and the files that SQLite puts beside it. aside is the ending of a file that was set
// aside.
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
