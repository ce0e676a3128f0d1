// Package logcap captures the output of devices. A Store writes the lines of one or several streams into a file: Begin starts a capture
// and End returns its text. The streams belong to a driver; the capture only ends them. Files older than three days are removed.
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
	// MostSessions is the maximum number of captures: each has processes.
	MostSessions = 32
	// MostBytes is the maximum size of a file. Later lines are counted but not written.
	MostBytes = 64 << 20
	// Inline is the maximum part of a file in an answer: its beginning and its end.
	Inline = 192 << 10
)

// ErrTooMany means that MostSessions captures are under way.
var ErrTooMany = fmt.Errorf("the limit of %d captures is reached", MostSessions)

// ErrEnded means that EndAll ended a capture before its start was complete.
var ErrEnded = errors.New("the capture was ended before it started")

// Source is one stream of a capture.
type Source struct {
	Name string // for people: console, os_log
	// Start begins the stream, as FollowLog of device.Logs does. The context covers only the start.
	Start func(ctx context.Context, line func(string)) (device.Stream, error)
}

// Request is a capture to begin.
type Request struct {
	Kind    string // prefix of the file name; End needs it too
	Header  string // first line of the file
	Owner   device.Owner
	Sources []Source
	Covers  Cover
}

// Cover describes the content of a capture for its readers.
type Cover struct {
	Console bool // the app's output
	All     bool // the log of all subsystems
}

// Options configure a Store.
type Options struct {
	Dir  string              // its own folder: old files in it are removed
	Now  func() time.Time    // time.Now if nil
	Hide func(string) string // removes secrets from a line before it is written; may be nil
}

// Session is a running capture.
type Session struct {
	ID    string
	File  string
	Kind  string
	Owner device.Owner
	Began time.Time

	covers  Cover
	cancel  context.CancelFunc // cancels its start
	sink    *sink
	streams []running

	// The store's mutex guards the fields below.
	begun bool
	ended string // reason of EndAll
}

// Live reports whether EndAll has not ended the capture.
func (one Session) Live() bool { return one.ended == "" }

// running is a source with a started stream.
type running struct {
	name   string
	stream device.Stream
}

// Begin starts the sources one after the other. If one cannot start, Begin ends the earlier ones and returns its error. The context
// covers only the start.
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

// Capture is the result of a capture.
type Capture struct {
	File  string
	Text  string // at most Inline bytes, in whole lines
	Lines int    // number of the app's lines, including lines missing in Text
	Left  int64  // bytes missing in Text
	Lost  int64  // bytes missing in the file
	Ran   time.Duration
	Ended []string // streams that ended by themselves, with the reasons
	Cover Cover
}

// End ends a capture and returns its result. It returns the result of a capture that EndAll ended, once. ok is false if the kind and id
// match no capture.
func (s *Store) End(kind, id string) (c Capture, ok bool, err error) {
	one := s.take(kind, id)
	if one == nil {
		return Capture{}, false, nil
	}
	c, err = s.finish(one)
	return c, true, err
}

// finish ends a session that was removed from the store.
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

// over reports whether and how a stream has ended by itself.
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

// EndAll ends every capture whose owner matches. End still returns their results with the reason. For a capture that is starting, Begin
// returns ErrEnded.
func (s *Store) EndAll(why string, fits func(device.Owner) bool) error {
	var errs []error
	for _, one := range s.takeAll(fits) {
		errs = append(errs, one.end())
		s.keepEnded(one, why)
	}
	return errors.Join(errs...)
}
