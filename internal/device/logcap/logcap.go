// Package logcap captures what devices show line by line: it keeps the lines of one or several streams in a file until it
// is told to stop. The streams are a driver's; a capture ends them. Files older than three days are removed.
package logcap

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"ios-agent/internal/device"
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
)

// ErrTooMany means that MostSessions captures are under way.
var ErrTooMany = fmt.Errorf("%d captures are under way", MostSessions)

// ErrEnded means that a capture was ended by EndAll before it had begun.
var ErrEnded = errors.New("the capture was ended before it had begun")

// Source is one stream of a capture.
type Source struct {
	Name string // for people: console, os_log
	// Start begins the stream, as FollowLog of device.Logs does. The context covers the beginning only.
	Start func(ctx context.Context, line func(string)) (device.Stream, error)
}

// Request is a capture to begin.
type Request struct {
	Kind    string // begins the file's name; End must name it too
	Header  string // the file's first line
	Owner   device.Owner
	Sources []Source
	Covers  Cover
}

// Cover is what a capture holds, for who reads it.
type Cover struct {
	Console bool // what the app prints
	All     bool // the log of all subsystems
}

// Options configure a Store.
type Options struct {
	Dir  string              // its own: whatever is old in there is removed
	Now  func() time.Time    // time.Now if nil
	Hide func(string) string // takes the secrets out of a line before it is written; nil writes it as it is
}

// Session is a capture under way.
type Session struct {
	ID    string
	File  string
	Kind  string
	Owner device.Owner
	Began time.Time

	covers  Cover
	cancel  context.CancelFunc // ends its beginning
	sink    *sink
	streams []running

	// Guarded by the store's mutex.
	begun bool
	ended string // why EndAll ended it
}

// Live reports whether it goes on: EndAll has not ended it.
func (one Session) Live() bool { return one.ended == "" }

// running is a source whose stream has begun.
type running struct {
	name   string
	stream device.Stream
}

// Begin starts the sources, one after the other. When one cannot start, those before it are ended, and the error is that
// source's. The context covers the beginning only.
func (s *Store) Begin(ctx context.Context, r Request) (*Session, error) {
	if err := s.sweep(); err != nil {
		return nil, err
	}
	id := newID()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	one := &Session{
		ID: id, File: filepath.Join(s.dir, r.Kind+"_"+id+suffix), Kind: r.Kind, Owner: r.Owner, Began: s.now(), covers: r.Covers,
		cancel: cancel,
	}
	if err := s.keep(one); err != nil {
		return nil, err
	}
	err := one.begin(ctx, r, s.hide)
	switch there := s.settle(one, err == nil); {
	case err == nil && there:
		return one, nil
	case !there:
		err = ErrEnded
	}
	if ended := one.end(); ended != nil {
		err = errors.Join(err, ended)
	}
	return nil, err
}

func (one *Session) begin(ctx context.Context, r Request, hide func(string) string) (err error) {
	if one.sink, err = openSink(one.File, r.Header); err != nil {
		return err
	}
	for _, source := range r.Sources {
		stream, err := source.Start(ctx, func(line string) { one.sink.add(hide(line)) })
		if err != nil {
			return err
		}
		one.streams = append(one.streams, running{source.Name, stream})
	}
	return nil
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
	Cover Cover
}

// End ends a capture and gives what it has; one that EndAll ended gives it once too. ok is false when there is none of that kind and id.
func (s *Store) End(kind, id string) (c Capture, ok bool, err error) {
	one := s.take(kind, id)
	if one == nil {
		return Capture{}, false, nil
	}
	c, err = s.finish(one)
	return c, true, err
}

// finish ends a session that was taken from the store.
func (s *Store) finish(one *Session) (Capture, error) {
	c := Capture{File: one.File, Ran: s.now().Sub(one.Began), Cover: one.covers}
	var err error
	if one.ended != "" {
		c.Ended = []string{one.ended}
	} else {
		for _, r := range one.streams {
			if how, over := r.over(); over {
				c.Ended = append(c.Ended, r.name+" "+how)
			}
		}
		err = one.end()
	}
	c.Lines, c.Lost = one.sink.lines, one.sink.lost
	text, left, readErr := read(one.File)
	c.Text, c.Left = text, left
	return c, errors.Join(err, readErr)
}

// over tells whether a stream has ended by itself, and how.
func (r running) over() (how string, is bool) {
	select {
	case <-r.stream.Done():
	default:
		return "", false
	}
	if err := r.stream.Err(); err != nil {
		return "ended by itself: " + err.Error(), true
	}
	return "ended by itself", true
}

// end closes the streams, the last one first, and then the file.
func (one *Session) end() error {
	var errs []error
	for _, r := range slices.Backward(one.streams) {
		errs = append(errs, r.stream.Close())
	}
	return errors.Join(append(errs, one.sink.close())...)
}

// EndAll ends every capture whose owner fits. What they have can still be had with End, which tells why they ended. A capture
// that is beginning is ended by its Begin, which returns ErrEnded.
func (s *Store) EndAll(why string, fits func(device.Owner) bool) error {
	var errs []error
	for _, one := range s.takeAll(fits) {
		errs = append(errs, one.end())
		s.keepEnded(one, why)
	}
	return errors.Join(errs...)
}
