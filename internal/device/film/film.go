// Package film keeps the recordings of screens that are under way: at most one a device. A recording that nobody stops is
// stopped by its limit.
package film

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Options configure a Store.
type Options struct {
	Now func() time.Time // time.Now if nil
}

// Store holds the recordings under way. It is safe for concurrent use.
type Store struct {
	now func() time.Time

	mu   sync.Mutex
	live map[string]*recording // by udid
}

// New makes an empty store.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{now: o.Now, live: map[string]*recording{}}
}

// Request is a recording to start.
type Request struct {
	Owner device.Owner // its udid is the device
	Path  string
	Codec string
	Limit time.Duration // the recording stops by itself after so long; 0: never
}

// Film is a recording: one under way, or one that was written.
type Film struct {
	Owner device.Owner
	Path  string
	Began time.Time
	Took  time.Duration // until it was stopped
	Bytes int64         // of the file; 0 while it is under way
}

// recording is the place of a device's recording, from before the camera starts until the file is written.
type recording struct {
	Film
	started chan struct{} // closed when the camera runs or has failed

	// Set before started is closed.
	camera io.Closer
	limit  *time.Timer

	stopping bool // guarded by the store's mutex: somebody stops it
}

// Start starts a recording and returns when the camera runs. The context covers this only. A device that is being recorded
// is an INVALID_INPUT.
func (s *Store) Start(ctx context.Context, camera device.Film, r Request) error {
	one := &recording{Film: Film{Owner: r.Owner, Path: r.Path}, started: make(chan struct{})}
	if err := s.keep(one); err != nil {
		return err
	}
	defer close(one.started)
	running, err := camera.Record(ctx, r.Path, r.Codec)
	if err != nil {
		s.forget(one)
		return err
	}
	one.camera, one.Began = running, s.now()
	if r.Limit > 0 {
		one.limit = time.AfterFunc(r.Limit, func() { _, _ = s.stop(context.Background(), one) }) // nobody waits for this film
	}
	return nil
}

// Stop stops the recording of a device and returns when the file is written. A device that is not being recorded is an
// INVALID_INPUT. One whose camera is starting is stopped when it runs.
func (s *Store) Stop(ctx context.Context, udid string) (Film, error) {
	one := s.of(udid)
	if one == nil {
		return Film{}, notFilmed()
	}
	return s.stop(ctx, one)
}

// EndAll stops every recording whose owner fits.
func (s *Store) EndAll(ctx context.Context, fits func(device.Owner) bool) error {
	var errs []error
	for _, one := range s.all(fits) {
		if _, err := s.stop(ctx, one); err != nil && !errors.Is(err, errNotFilmed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Live lists the recordings under way of an owner, the oldest first.
func (s *Store) Live(owner device.Owner) []Film {
	var films []Film
	for _, one := range s.all(func(o device.Owner) bool { return o.Matches(owner) }) {
		select {
		case <-one.started:
			films = append(films, one.Film)
		default: // the camera is starting
		}
	}
	slices.SortFunc(films, func(a, b Film) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Path, b.Path)) })
	return films
}

// stop stops a recording for the first caller that asks; for others it is not being recorded any more.
func (s *Store) stop(ctx context.Context, one *recording) (Film, error) {
	select {
	case <-one.started:
	case <-ctx.Done():
		return Film{}, ctx.Err()
	}
	if !s.take(one) {
		return Film{}, notFilmed()
	}
	defer s.forget(one)
	if one.limit != nil {
		one.limit.Stop()
	}
	done := one.Film
	done.Took = s.now().Sub(one.Began)
	if err := one.camera.Close(); err != nil {
		return Film{}, err
	}
	info, err := os.Stat(one.Path)
	if err != nil {
		return Film{}, fault.New(fault.ScreenshotFailed, "the film was not written: %w", err)
	}
	done.Bytes = info.Size()
	return done, nil
}

// errNotFilmed is inside the fault of notFilmed.
var errNotFilmed = errors.New("no recording is running on this device")

func notFilmed() error {
	return fault.New(fault.InvalidInput, "%w", errNotFilmed).
		WithHint("%s starts a recording", hint.Do("record_video", "out", "FILE"))
}

// keep takes the device's place: of two callers at once, one gets a film and one a refusal.
func (s *Store) keep(one *recording) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.live[one.Owner.UDID]; now != nil {
		return fault.New(fault.InvalidInput, "this device is already being recorded to %s", now.Path).
			WithHint("%s ends it", hint.Do("record_video", "stop", true))
	}
	s.live[one.Owner.UDID] = one
	return nil
}

// take makes the caller the one who stops a recording.
func (s *Store) take(one *recording) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live[one.Owner.UDID] != one || one.stopping {
		return false
	}
	one.stopping = true
	return true
}

func (s *Store) forget(one *recording) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, one.Owner.UDID)
}

func (s *Store) of(udid string) *recording {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live[udid]
}

func (s *Store) all(fits func(device.Owner) bool) (all []*recording) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.live {
		if fits(one.Owner) && !one.stopping {
			all = append(all, one)
		}
	}
	return all
}
