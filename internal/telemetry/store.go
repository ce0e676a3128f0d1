package telemetry

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/store"
	"ios-agent/internal/telemetry/lineindex"
)

// Options configure a Store.
type Options struct {
	Path      string              // path of telemetry.db
	Hide      func(string) string // removes secrets from a text before it is stored; may be nil
	Now       func() time.Time
	Log       *slog.Logger
	Left      func(session string) bool // reports whether a session has ended, with its filters; may be nil
	KeepFor   time.Duration             // retention of entries and documents; 7 days if 0
	KeepBytes int64                     // maximum size of the file; 1 GB if 0
}

// The default limits.
const (
	keepFor   = 7 * 24 * time.Hour
	keepBytes = 1 << 30
)

// Store has entries and documents. It is safe for concurrent use, and opens its file at the first use.
type Store struct {
	o       Options
	db      *store.Store
	index   *lineindex.Files // changed in turn
	turn    chan struct{}    // held during numbering and writing; guards the next five fields
	repeats repeats
	packer  packer
	tail    []Entry // entries of the incomplete last block
	trimmed time.Time
	records []byte // index records of the blocks in writing
	deletes int    // number of Delete calls

	wake    chan struct{}
	closing chan struct{}
	writers sync.WaitGroup
	mends   sync.WaitGroup

	mu        sync.Mutex // guards the fields below; never held across I/O
	closed    bool
	running   bool // a goroutine writes the queue
	queue     []arrival
	queued    int           // bytes in the queue
	expiry    time.Duration // until a counted line expires; 0 without one
	dropped   int64         // since the daemon's start
	untold    int64         // without an entry about it so far
	loaded    bool          // last is known
	last      int64
	failing   error // why lines cannot be stored
	unindexed error // why the index cannot be written
	mending   bool  // a goroutine adds missing blocks to the index
	filters   []Filter
	feeds     []*Feed // oldest first
	readers   map[*Subscription]bool
}

// version is the version of the tables. A file of another version is set aside.
const version = 2

// outline has the columns that decide which blocks a query needs.
const outline = "first, last, n, oldest, newest, levels, sum"

var tables = []string{
	"CREATE TABLE block (first INTEGER PRIMARY KEY, last INTEGER, n INTEGER, oldest INTEGER, newest INTEGER, levels INTEGER, " +
		"arrived INTEGER, sum INTEGER, sieve BLOB, head BLOB, body BLOB, raw BLOB)",
	// The index holds the outline of each block without the pages of its data.
	"CREATE INDEX outline ON block (" + outline + ")",
	"CREATE TABLE document (number INTEGER PRIMARY KEY, kind TEXT, id TEXT, time INTEGER, device TEXT, app TEXT, grp TEXT, " +
		"arrived INTEGER, body BLOB, UNIQUE (kind, id))",
	"CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER)",
}

// The marks: the last used number; and the time of the last write, unless the file is closed.
const (
	markLast = "last"
	markOpen = "open"
)

// New makes the store of a file.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.KeepFor, o.KeepBytes = cmp.Or(o.KeepFor, keepFor), cmp.Or(o.KeepBytes, keepBytes)
	s := &Store{
		o: o, turn: make(chan struct{}, 1), wake: make(chan struct{}, 1), closing: make(chan struct{}),
		readers: map[*Subscription]bool{},
		index:   lineindex.New(o.Path+indexSuffix, min(max(o.KeepBytes/indexFiles, leastIndexFile), mostIndexFile)),
	}
	s.db = store.New(store.Options{Path: o.Path, Migrations: tables, Expendable: version, Opened: s.opened, Log: o.Log, Now: o.Now})
	return s
}

// opened reads the marks of a file that was just opened.
func (s *Store) opened(db *sql.DB) error {
	var last, open sql.NullInt64
	err := db.QueryRow("SELECT (SELECT value FROM mark WHERE name = ?), (SELECT value FROM mark WHERE name = ?)", markLast, markOpen).
		Scan(&last, &open)
	if err != nil {
		return err
	}
	if err := s.openIndex(db); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.loaded
	s.loaded, s.last = true, max(s.last, last.Int64)
	if first && !last.Valid && s.db.Notice() != "" {
		s.last = s.o.Now().UnixMilli() // the earlier file is lost: this is above all of its numbers
	}
	if first && open.Valid {
		e := s.own(fmt.Sprintf("the daemon ended without closing the store; up to a second of lines after %s may be missing",
			time.Unix(0, open.Int64).UTC().Format(time.RFC3339)))
		s.enqueue(arrival{e, s.o.Now()})
	}
	return nil
}

// load makes sure that the last number is known. It reports whether there is or will be anything to read: a read does not make the
// file.
func (s *Store) load(ctx context.Context) bool {
	s.mu.Lock()
	loaded, waiting := s.loaded, len(s.queue) > 0
	s.mu.Unlock()
	if loaded || waiting {
		return true
	}
	if s.db.Absent() {
		return false
	}
	_ = s.db.Read(func(*sql.DB) error { return nil }) // the next caller gets the error
	return true
}

// Last is the newest arrival number.
func (s *Store) Last() int64 {
	s.load(context.Background())
	return s.known()
}

func (s *Store) known() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// mark writes the last number into the file, and that the file is in use.
func (s *Store) mark(tx *sql.Tx, last int64, now time.Time) error {
	_, err := tx.Exec("INSERT OR REPLACE INTO mark VALUES (?, ?), (?, ?)", markLast, last, markOpen, now.UnixNano())
	return err
}

// Notice describes a problem of the file, for people; empty without one.
func (s *Store) Notice() string { return s.db.Notice() }

// Usage is the size of the store and its limits.
type Usage struct {
	Path      string
	Bytes     int64
	Entries   int64
	Documents int64
	Oldest    time.Time
	Removed   bool   // older entries were removed
	Dropped   int64  // since the daemon's start
	Notice    string // problem of the file, for people
	KeepFor   time.Duration
	KeepBytes int64
}

// Usage gives the size of the store. It does not make the file.
func (s *Store) Usage(ctx context.Context) (Usage, error) {
	u := Usage{Path: s.o.Path, KeepFor: s.o.KeepFor, KeepBytes: s.o.KeepBytes}
	var err error
	if s.load(ctx) {
		_ = s.Flush(ctx) // Dropped counts the lines that it cannot write
		err = s.db.Read(func(db *sql.DB) error {
			var oldest, first, document sql.NullInt64
			err := db.QueryRowContext(ctx, "SELECT coalesce(sum(n), 0), min(oldest), min(first), "+
				"(SELECT count(*) FROM document), (SELECT min(number) FROM document) FROM block").
				Scan(&u.Entries, &oldest, &first, &u.Documents, &document)
			u.Removed = first.Int64 > 1 && (!document.Valid || document.Int64 > 1) // both share one sequence of numbers
			if oldest.Valid {
				u.Oldest = time.Unix(0, oldest.Int64).UTC()
			}
			return err
		})
	}
	found, _ := filepath.Glob(regularfile.Pattern(s.o.Path) + "*")
	for _, name := range found {
		if info, err := os.Stat(name); err == nil {
			u.Bytes += info.Size()
		}
	}
	u.Notice = s.db.Notice()
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.Dropped = s.dropped; s.failing != nil {
		u.Notice = strings.TrimPrefix(u.Notice+"; ", "; ") + "cannot store lines: " + s.failing.Error()
	}
	return u, err
}

// Delete removes everything stored. The numbering continues.
func (s *Store) Delete(ctx context.Context) error {
	s.load(ctx)
	return s.inTurn(ctx, func() error {
		for more := true; more; { // queued entries are deleted too
			_, _, more = s.takeBatch()
		}
		s.repeats, s.tail = repeats{}, nil
		s.deletes++
		if err := s.index.Remove(); err != nil {
			return err
		}
		if s.db.Absent() && s.known() == 0 {
			return s.db.Remove()
		}
		if err := s.db.Remove(); err != nil {
			return err
		}
		return s.db.Write(func(tx *sql.Tx) error { return s.mark(tx, s.known(), s.o.Now()) })
	})
}

// Close writes the queue and closes the file.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	close(s.closing)
	s.writers.Wait()
	s.mends.Wait()
	err := s.inTurn(context.Background(), func() error {
		err := s.writeAll(true)
		s.mu.Lock()
		used := s.loaded
		s.mu.Unlock()
		if !used || s.db.Absent() {
			return err
		}
		return errors.Join(err, s.db.Write(func(tx *sql.Tx) error {
			_, err := tx.Exec("DELETE FROM mark WHERE name = ?", markOpen)
			return err
		}))
	})
	s.endSubscriptions()
	return errors.Join(err, s.db.Close(), s.index.Close())
}
