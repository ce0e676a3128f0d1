// Package film records the screens of devices. A Store has at most one running recording per device: Start begins it and Stop saves it.
// A recording without a Stop ends at its time limit. The store does not choose the device or the final file.
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

// Store has the running recordings. It is safe for concurrent use.
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
	Limit time.Duration // maximum duration; 0: unlimited
}

// Film is a running or saved recording.
type Film struct {
	Owner device.Owner
	Path  string
	Began time.Time
	Took  time.Duration // duration
	Bytes int64         // of the file; 0 while it is being recorded
}

// recording is the state of a device's recording, from before the camera starts until the file is written.
type recording struct {
	Film
	started chan struct{} // closed when the camera runs or has failed

	// camera is set before started is closed.
	camera io.Closer
	limit  *time.Timer

	stopping bool // guarded by the store's mutex: a caller stops it
}

// Start starts a recording and returns once the camera runs. The context covers only the start. If the device is already being
// recorded, Start returns INVALID_INPUT.
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
		one.limit = time.AfterFunc(r.Limit, func() { _, _ = s.stop(context.Background(), one) }) // the limit has no waiting caller
	}
	return nil
}

// Stop stops the recording of a device and returns once the file is written. Without a recording it returns INVALID_INPUT. A recording
// whose camera is starting stops once the camera runs.
func (s *Store) Stop(ctx context.Context, udid string) (Film, error) {
	one := s.of(udid)
	if one == nil {
		return Film{}, notFilmed()
	}
	return s.stop(ctx, one)
}

// EndAll stops every recording whose owner matches.
func (s *Store) EndAll(ctx context.Context, fits func(device.Owner) bool) error {
	var errs []error
	for _, one := range s.all(fits) {
		if _, err := s.stop(ctx, one); err != nil && !errors.Is(err, errNotFilmed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Live lists the running recordings of an owner, the oldest first.
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

// stop stops a recording for the first caller; for later callers no recording is running.
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
		return Film{}, fault.New(fault.ScreenshotFailed, "cannot write the recording: %w", err)
	}
	done.Bytes = info.Size()
	return done, nil
}

// errNotFilmed is wrapped by the fault of notFilmed.
var errNotFilmed = errors.New("no recording is running on this device")

func notFilmed() error {
	return fault.New(fault.InvalidInput, "%w", errNotFilmed).
		WithHint("%s starts a recording", hint.Do("record_video", "out", "FILE"))
}

// keep reserves the device: of two simultaneous callers, the second gets a fault.
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

// take makes the caller the only stopper of a recording.
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
