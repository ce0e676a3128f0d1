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

// Options say where the store is and what it may hold.
type Options struct {
	Path      string              // telemetry.db
	Hide      func(string) string // takes secrets out of a text before it is stored; nil leaves it
	Now       func() time.Time
	Log       *slog.Logger
	Left      func(session string) bool // it has left, and its filters are gone; nil: none ever does
	KeepFor   time.Duration             // how long entries and documents are kept; 7 days if 0
	KeepBytes int64                     // how large the file may be; 1 GB if 0
}

// What is kept where nothing is said.
const (
	keepFor   = 7 * 24 * time.Hour
	keepBytes = 1 << 30
)

// Store keeps entries and documents. It is safe for concurrent use. Nothing is opened before it is needed.
type Store struct {
	o       Options
	db      *store.Store
	index   *lineindex.Files // changed in turn
	turn    chan struct{}    // held by whoever numbers and writes; it has the next five
	repeats repeats
	packer  packer
	tail    []Entry // of the last block, which is not full
	trimmed time.Time
	records []byte // of the index, for the blocks that are written
	deletes int    // how often everything was deleted

	wake    chan struct{}
	closing chan struct{}
	writers sync.WaitGroup
	mends   sync.WaitGroup

	mu        sync.Mutex // of what follows; never held across I/O
	closed    bool
	running   bool // somebody writes what waits
	queue     []arrival
	queued    int           // bytes
	expiry    time.Duration // until a line that is counted expires; 0 when there is none
	dropped   int64         // since the daemon began,
	untold    int64         // and not said by an entry yet
	loaded    bool          // last is known
	last      int64
	failing   error // why lines cannot be stored,
	unindexed error // and why not in the index
	mending   bool  // somebody adds to the index what it lacks
	filters   []Filter
	feeds     []*Feed // oldest first
	readers   map[*Subscription]bool
}

// version is that of the tables. A file of another one is set aside.
const version = 2

// outline are the columns that say which blocks a query needs.
const outline = "first, last, n, oldest, newest, levels, sum"

var tables = []string{
	"CREATE TABLE block (first INTEGER PRIMARY KEY, last INTEGER, n INTEGER, oldest INTEGER, newest INTEGER, levels INTEGER, " +
		"arrived INTEGER, sum INTEGER, sieve BLOB, head BLOB, body BLOB, raw BLOB)",
	// What is known of each block, without the pages that its row has.
	"CREATE INDEX outline ON block (" + outline + ")",
	"CREATE TABLE document (number INTEGER PRIMARY KEY, kind TEXT, id TEXT, time INTEGER, device TEXT, app TEXT, grp TEXT, " +
		"arrived INTEGER, body BLOB, UNIQUE (kind, id))",
	"CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER)",
}

// The marks: the last number that was given; and when the file was last written, while it is not closed.
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
		s.last = s.o.Now().UnixMilli() // the file before is lost: this is more than it can have given
	}
	if first && open.Valid {
		e := s.own(fmt.Sprintf("the daemon ended without closing the store; up to a second of lines after %s may be missing",
			time.Unix(0, open.Int64).UTC().Format(time.RFC3339)))
		s.enqueue(arrival{e, s.o.Now()})
	}
	return nil
}

// load makes sure that the last number is known. It reports whether there is, or will be, anything to read: reading makes no file.
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
	_ = s.db.Read(func(*sql.DB) error { return nil }) // whoever asks next is told what is wrong
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

// mark says in the file what the last number is, and that it is in use.
func (s *Store) mark(tx *sql.Tx, last int64, now time.Time) error {
	_, err := tx.Exec("INSERT OR REPLACE INTO mark VALUES (?, ?), (?, ?)", markLast, last, markOpen, now.UnixNano())
	return err
}

// Notice says what was wrong with the file, for people: empty when nothing was.
func (s *Store) Notice() string { return s.db.Notice() }

// Usage is how much the store holds, and may hold.
type Usage struct {
	Path      string
	Bytes     int64
	Entries   int64
	Documents int64
	Oldest    time.Time
	Removed   bool   // there were older ones
	Dropped   int64  // since the daemon began
	Notice    string // what was wrong with the file, for people
	KeepFor   time.Duration
	KeepBytes int64
}

// Usage tells how much there is. It does not make the file.
func (s *Store) Usage(ctx context.Context) (Usage, error) {
	u := Usage{Path: s.o.Path, KeepFor: s.o.KeepFor, KeepBytes: s.o.KeepBytes}
	var err error
	if s.load(ctx) {
		_ = s.Flush(ctx) // what it cannot write, Dropped says
		err = s.db.Read(func(db *sql.DB) error {
			var oldest, first, document sql.NullInt64
			err := db.QueryRowContext(ctx, "SELECT coalesce(sum(n), 0), min(oldest), min(first), "+
				"(SELECT count(*) FROM document), (SELECT min(number) FROM document) FROM block").
				Scan(&u.Entries, &oldest, &first, &u.Documents, &document)
			u.Removed = first.Int64 > 1 && (!document.Valid || document.Int64 > 1) // they share their numbers
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

// Delete removes everything that is stored. Numbers go on.
func (s *Store) Delete(ctx context.Context) error {
	s.load(ctx)
	return s.inTurn(ctx, func() error {
		for more := true; more; { // what waits belongs to what is deleted
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

// Close writes what is waiting and closes the file.
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
