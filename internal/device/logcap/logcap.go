// Package logcap captures what apps print and log: it runs the programs that show it and keeps their lines in one file
// until it is told to stop. The programs die with the host that runs them; files older than three days are removed.
package logcap

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/machine/host"
)

const (
	// Retention is how long a file is kept after its last line.
	Retention = 3 * 24 * time.Hour
	// MostSessions is how many captures there may be at once: each holds processes.
	MostSessions = 32
	// MostBytes is how large a file gets. What comes later is counted and not written.
	MostBytes = 64 << 20
	// Inline is how much of a file an answer carries: the beginning and the end.
	Inline = 192 << 10

	suffix = ".log"
)

// Starter starts long-lived programs; *host.Host is one.
type Starter interface {
	Start(ctx context.Context, c host.Cmd) (*host.Process, error)
}

var _ Starter = (*host.Host)(nil)

// ErrTooMany means that MostSessions captures are under way.
var ErrTooMany = fmt.Errorf("%d captures are under way", MostSessions)

// Stream is one program that shows lines.
type Stream struct {
	Name string // for people: console, os_log
	Cmd  host.Cmd
	// Chatter tells the program's own remarks from what it shows. They are not kept.
	Chatter func(line string) bool
	// Ready tells by a line that the program has begun. Begin waits for it, but not for ever: one that stays silent
	// and lives is taken for ready.
	Ready    func(line string) bool
	Patience time.Duration
}

// Request is a capture to begin.
type Request struct {
	Kind    string // begins the file's name, and tells apart whose sessions are whose
	Header  string // the file's first line
	Streams []Stream
}

// Store holds the captures under way. It is safe for concurrent use.
type Store struct {
	Dir   string // its own: whatever is old in there is removed
	Start Starter
	Now   func() time.Time

	mu   sync.Mutex
	live map[string]*Session
}

// Session is a capture under way.
type Session struct {
	ID   string
	File string

	kind    string
	began   time.Time
	sink    *sink
	streams []*running
}

// FailedError says that a stream ended before it was ready, with all it had said.
type FailedError struct {
	Stream string
	Output string
	Err    error
}

func (e *FailedError) Error() string { return e.Stream + ": " + strings.TrimSpace(e.Err.Error()) }

// Unwrap returns how the program ended.
func (e *FailedError) Unwrap() error { return e.Err }

// Begin starts the streams, one after the other. When one cannot start, those before it are ended. The context covers
// the beginning only.
func (s *Store) Begin(ctx context.Context, r Request) (*Session, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	s.sweep()
	id := newID()
	one := &Session{ID: id, File: filepath.Join(s.Dir, r.Kind+"_"+id+suffix), kind: r.Kind, began: s.Now()}
	if err := s.keep(one); err != nil {
		return nil, err
	}
	err := one.begin(ctx, s.Start, r)
	if err != nil {
		s.forget(id)
		return nil, errors.Join(err, one.end(context.WithoutCancel(ctx)))
	}
	return one, nil
}

func (one *Session) begin(ctx context.Context, start Starter, r Request) (err error) {
	if one.sink, err = openSink(one.File, r.Header); err != nil {
		return err
	}
	for _, stream := range r.Streams {
		begun, err := run(ctx, start, stream, one.sink)
		if begun != nil {
			one.streams = append(one.streams, begun)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Said is the line by which a stream of the session told that it was ready; empty when it did not.
func (one *Session) Said(stream string) string {
	for _, r := range one.streams {
		if r.stream.Name == stream {
			return r.said()
		}
	}
	return ""
}

// Capture is what was captured.
type Capture struct {
	File  string
	Text  string // at most Inline bytes, whole lines
	Lines int    // of the app, whatever of them is in Text
	Left  int64  // bytes that are not in Text
	Lost  int64  // bytes that are not in the file either
	Ran   time.Duration
	Ended []string // streams that had ended before they were told to, and how
}

// End ends a capture and gives what it has. ok is false when there is none of that kind and id.
func (s *Store) End(ctx context.Context, kind, id string) (c Capture, ok bool, err error) {
	s.mu.Lock()
	one := s.live[id]
	if one == nil || one.kind != kind {
		s.mu.Unlock()
		return Capture{}, false, nil
	}
	delete(s.live, id)
	s.mu.Unlock()

	c = Capture{File: one.File, Ran: s.Now().Sub(one.began)}
	for _, r := range one.streams {
		if how, over := r.over(); over {
			c.Ended = append(c.Ended, r.stream.Name+" "+how)
		}
	}
	err = one.end(ctx)
	c.Lines, c.Lost = one.sink.counts()
	text, left, readErr := read(one.File)
	c.Text, c.Left = text, left
	return c, true, errors.Join(err, readErr)
}

func (one *Session) end(ctx context.Context) error {
	var errs []error
	for _, r := range slices.Backward(one.streams) {
		errs = append(errs, r.process.Stop(ctx))
	}
	return errors.Join(append(errs, one.sink.close())...)
}

func (s *Store) keep(one *Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.live) >= MostSessions {
		return ErrTooMany
	}
	if s.live == nil {
		s.live = map[string]*Session{}
	}
	s.live[one.ID] = one
	return nil
}

func (s *Store) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, id)
}

// sweep removes old files, but none that is being written: a quiet app may say nothing for days.
func (s *Store) sweep() {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return // nothing to sweep, or nothing we may
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	writing := map[string]bool{}
	for _, one := range s.live {
		writing[filepath.Base(one.File)] = true
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.IsDir() || writing[e.Name()] || s.Now().Sub(info.ModTime()) < Retention {
			continue
		}
		_ = os.Remove(filepath.Join(s.Dir, e.Name())) // one that stays is tried again by the next capture
	}
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
