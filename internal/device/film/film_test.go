package film_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/film"
	"ios-agent/internal/fault"
)

// camera is a device that writes a film: a file that is whole when the recording is closed.
type camera struct {
	slow   chan struct{} // the camera runs when this is closed; nil: at once
	saves  chan struct{} // the file is written when this is closed; nil: at once
	begins error
	closed int
}

func (c *camera) Record(ctx context.Context, path, _ string) (io.Closer, error) {
	if c.slow != nil {
		select {
		case <-c.slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if c.begins != nil {
		return nil, c.begins
	}
	return &running{c, path}, nil
}

type running struct {
	of   *camera
	path string
}

func (r *running) Close() error {
	if r.of.saves != nil {
		<-r.of.saves
	}
	r.of.closed++
	return os.WriteFile(r.path, []byte("film"), 0o600)
}

// one is a request for a film of device A by a session.
func one(t *testing.T, session string) film.Request {
	t.Helper()
	owner := device.Owner{Session: session, UDID: "A"}
	return film.Request{Owner: owner, Path: filepath.Join(t.TempDir(), "a.mp4"), Codec: "h264", Limit: time.Minute}
}

func mustBe(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	if !fault.Is(err, code) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want %s %q", err, code, text)
	}
}

func TestRecordingRunsFromStartToStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c, r := film.New(film.Options{}), &camera{}, one(t, "ann")
		if err := s.Start(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
		mustBe(t, s.Start(t.Context(), c, r), fault.InvalidInput, "is already being recorded to "+r.Path)
		if live := s.Live(device.Owner{UDID: "A"}); len(live) != 1 || live[0].Owner != r.Owner || live[0].Path != r.Path {
			t.Errorf("%+v", live)
		}
		time.Sleep(3 * time.Second)
		done, err := s.Stop(t.Context(), "A")
		if err != nil || done.Bytes != 4 || done.Took != 3*time.Second || done.Path != r.Path {
			t.Errorf("%+v, %v", done, err)
		}
		_, err = s.Stop(t.Context(), "A")
		mustBe(t, err, fault.InvalidInput, "no recording is running")
		if c.closed != 1 || len(s.Live(device.Owner{})) != 0 {
			t.Errorf("closed %d times", c.closed)
		}
	})
}

func TestRecordingStopsAtItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c, r := film.New(film.Options{}), &camera{}, one(t, "ann")
		if err := s.Start(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
		time.Sleep(r.Limit + time.Second)
		if b, err := os.ReadFile(r.Path); err != nil || string(b) != "film" {
			t.Errorf("%q, %v", b, err)
		}
		_, err := s.Stop(t.Context(), "A")
		mustBe(t, err, fault.InvalidInput, "no recording is running")

		// The limit of the first film does not stop the second.
		if err := s.Start(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
		time.Sleep(r.Limit - time.Second)
		if _, err := s.Stop(t.Context(), "A"); err != nil || c.closed != 2 {
			t.Error(err, c.closed)
		}
	})
}

// TestSlowCameraDoesNotBlockOtherRecordings: while one camera starts, the store answers, other devices are filmed, and who stops the
// film that is starting gets it.
func TestSlowCameraDoesNotBlockOtherRecordings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, slow, r := film.New(film.Options{}), &camera{slow: make(chan struct{})}, one(t, "ann")
		started := make(chan error)
		go func() { started <- s.Start(t.Context(), slow, r) }()
		synctest.Wait()
		mustBe(t, s.Start(t.Context(), &camera{}, r), fault.InvalidInput, "already being recorded")
		if live := s.Live(device.Owner{}); len(live) != 0 {
			t.Errorf("%+v", live)
		}
		other := one(t, "bob")
		other.Owner.UDID = "B"
		if err := s.Start(t.Context(), &camera{}, other); err != nil {
			t.Error(err)
		}
		if _, err := s.Stop(t.Context(), "B"); err != nil {
			t.Error(err)
		}
		stopped := make(chan error)
		go func() { _, err := s.Stop(t.Context(), "A"); stopped <- err }()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Stop(gone, "A"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		synctest.Wait()
		close(slow.slow)
		if err := errors.Join(<-started, <-stopped); err != nil || slow.closed != 1 {
			t.Error(err, slow.closed)
		}
	})
}

// TestRecordingIsWrittenOnce: while a film is written, it is not stopped again and no other begins on the device.
func TestRecordingIsWrittenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c, r := film.New(film.Options{}), &camera{saves: make(chan struct{})}, one(t, "ann")
		if err := s.Start(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
		stopped := make(chan error)
		go func() { _, err := s.Stop(t.Context(), "A"); stopped <- err }()
		synctest.Wait()
		_, err := s.Stop(t.Context(), "A")
		mustBe(t, err, fault.InvalidInput, "no recording is running")
		mustBe(t, s.Start(t.Context(), c, r), fault.InvalidInput, "already being recorded")
		close(c.saves)
		if err := <-stopped; err != nil || c.closed != 1 {
			t.Error(err, c.closed)
		}
	})
}

func TestFailedCameraStartFreesDevice(t *testing.T) {
	s, r := film.New(film.Options{}), one(t, "ann")
	broken := errors.New("no camera")
	if err := s.Start(t.Context(), &camera{begins: broken}, r); !errors.Is(err, broken) {
		t.Error(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Start(gone, &camera{slow: make(chan struct{})}, r); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Start(t.Context(), &camera{}, r); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(filepath.Dir(r.Path)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stop(t.Context(), "A"); err == nil {
		t.Error("a film that cannot be written was written")
	}
	if len(s.Live(device.Owner{})) != 0 {
		t.Error("the place was kept")
	}
}

func TestEndAllStopsOnlyOwnersRecordings(t *testing.T) {
	s, c := film.New(film.Options{}), &camera{}
	for udid, session := range map[string]string{"A": "ann", "B": "ann", "C": "bob"} {
		r := one(t, session)
		r.Owner.UDID = udid
		if err := s.Start(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.EndAll(t.Context(), func(o device.Owner) bool { return o.Session == "ann" }); err != nil || c.closed != 2 {
		t.Error(err, c.closed)
	}
	if live := s.Live(device.Owner{}); len(live) != 1 || live[0].Owner.Session != "bob" {
		t.Errorf("%+v", live)
	}
	if err := s.EndAll(t.Context(), func(device.Owner) bool { return true }); err != nil || c.closed != 3 {
		t.Error(err, c.closed)
	}
}
