package streams

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/telemetry"
)

const (
	beginWait = 30 * time.Second // maximum time for a stream to begin
	mostPause = 30 * time.Second // maximum pause between two attempts
	proven    = time.Minute      // a stream that ran this long counts as working
)

// stream is one followed log, from its first want until its last. Its program may be restarted again and again.
type stream struct {
	m      *Manager
	spec   spec
	device device.Device
	on     bool // the device was on at the time of the request
	cancel context.CancelFunc
	wake   chan struct{} // try again now
	begun  chan struct{} // closed when the first attempt has succeeded or failed

	mu      sync.Mutex
	err     error         // why the log is not followed now
	filling chan struct{} // closed when its past is filled in; nil: no filling is running
}

// Following is a log that a session follows.
type Following struct{ s *stream }

// Begun waits until the log is being followed, or returns the reason why it is not.
func (f *Following) Begun(ctx context.Context) error {
	if f.s == nil {
		return fault.New(fault.Cancelled, "the daemon is stopping")
	}
	select {
	case <-f.s.begun:
	case <-ctx.Done():
		return ctx.Err()
	}
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.s.err
}

// begin makes and starts a stream. It needs the manager's mutex.
func (m *Manager) begin(w *want) *stream {
	ctx, cancel := context.WithCancel(m.life)
	s := &stream{
		m: m, spec: w.spec, device: w.device, on: w.on, cancel: cancel, wake: make(chan struct{}, 1), begun: make(chan struct{}),
	}
	lacks := w.lacks
	w.lacks = gap{from: m.o.Now().Add(-backlash)} // a later stream of this want begins where another stream ended
	kind, from := "simctl_log_stream", telemetry.Simulator
	if physical(w.device) {
		kind, from = "device_log", telemetry.Device
	}
	feed := m.o.Store.Open(telemetry.State{
		ID: s.spec.id(), Type: kind, Source: from, Device: s.spec.udid, App: s.spec.app,
		Session: w.owner.Session, Status: "starting", Started: m.o.Now(),
	})
	m.work.Go(func() {
		defer cancel()
		defer feed.Close()
		s.run(ctx, feed, lacks)
	})
	return s
}

func physical(d device.Device) bool { return d.Info().Type == device.TypePhysical }

// id names a stream for people.
func (s spec) id() string {
	what := s.app
	if s.all {
		what = "all"
	}
	id := fmt.Sprintf("log-%s-%s", s.udid[:min(8, len(s.udid))], what)
	if s.level != device.LogDefault {
		id += "-" + string(s.level)
	}
	if s.subsystems != "" {
		id += "-" + strings.ReplaceAll(s.subsystems, " ", "+")
	}
	return id
}

// nudge makes a waiting stream try again now.
func (s *stream) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run follows the log until the context ends. For a device that is off, it waits without asking: the next call on the device wakes it.
func (s *stream) run(ctx context.Context, feed *telemetry.Feed, lacks gap) {
	first := sync.OnceFunc(func() { close(s.begun) })
	defer first()
	for pause := s.m.o.Pause; ctx.Err() == nil; {
		drain(s.wake)
		from := s.m.o.Now()
		running, before, err := s.start(ctx, feed, lacks)
		s.note(err)
		if err == nil {
			filled := s.fill(ctx, before)
			feed.Status("streaming", nil)
			first()
			select {
			case <-running.Done():
				err = running.Err()
			case <-ctx.Done():
			}
			closedGap := filled()
			if closed := running.Close(); closed != nil {
				s.m.o.Log.Warn("a log stream ended with an error", "stream", s.spec.id(), "error", closed)
			}
			if ctx.Err() != nil {
				break
			}
			if err == nil {
				err = fault.New(fault.ToolFailed, "log stream ended by itself")
			}
			if closedGap {
				lacks.from = s.m.o.Now().Add(-backlash)
			}
			lacks.why = "log stream ended by itself and was begun again"
			s.note(err)
			if s.m.o.Now().Sub(from) > proven {
				pause = s.m.o.Pause
			}
			s.on = false // a device that is shut down ends the stream too
		}
		var late <-chan time.Time
		switch {
		case ctx.Err() != nil:
		case fault.Is(err, fault.DeviceNotFound):
			s.m.Off(s.spec.udid)
			feed.Status("stopped", err)
		case fault.Is(err, fault.DeviceNotBooted):
			s.m.Off(s.spec.udid)
			lacks.why = "the device was off"
			feed.Status("stopped", fault.New(fault.DeviceNotBooted, "the device is off; the log is followed again when it is on"))
		default:
			feed.Status("error", err)
			late = time.After(pause)
			pause = min(2*pause, mostPause)
		}
		if lacks.why == "" {
			lacks.why = "cannot follow the log yet"
		}
		first()
		wake := s.wake
		if slices.ContainsFunc([]fault.Code{fault.Unsupported, fault.InvalidInput, fault.DeviceNotFound}, func(c fault.Code) bool {
			return fault.Is(err, c)
		}) { // the error is permanent
			wake, late = nil, nil
		}
		select {
		case <-late:
		case <-wake:
			s.on = false
		case <-ctx.Done():
		}
	}
	s.note(context.Canceled)
	feed.Status("stopped", nil)
}

// waitsForDevice reports whether the device was off at the last attempt.
func (s *stream) waitsForDevice() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fault.Is(s.err, fault.DeviceNotBooted)
}

func drain(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}

func (s *stream) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// start starts the program, and prepares the filling of the gap before it; nil if the device cannot show its past log.
func (s *stream) start(ctx context.Context, feed *telemetry.Feed, lacks gap) (device.Stream, *past, error) {
	ctx, cancel := context.WithTimeout(ctx, beginWait)
	defer cancel()
	logs, err := device.As[device.Logs](s.device)
	if err != nil && physical(s.device) {
		return nil, nil, fault.New(fault.Unsupported, "%w", err).
			WithHint("its log comes through usbmuxd; %s shows what is missing", hint.Do("doctor", "device", s.spec.udid))
	}
	if err != nil {
		return nil, nil, err
	}
	what := device.LogFilter{Level: s.spec.level, Events: true, On: s.on}
	if s.spec.subsystems != "" {
		what.Subsystems = strings.Fields(s.spec.subsystems)
	}
	if !s.spec.all {
		if what.Process, err = s.m.learn(ctx, logs, s.spec.udid, s.spec.app); err != nil {
			return nil, nil, err
		}
	}
	before := s.past(ctx, feed, what, lacks)
	lost := sync.OnceFunc(func() { // the entry must come before the first line after the gap
		if before == nil && lacks.why != "" {
			feed.Lose(0, lacks.why)
		}
	})
	r := s.reader(func(e telemetry.Entry) {
		lost()
		if before == nil || before.isNew(e) {
			feed.Add(e)
		}
	})
	r.dropped = func() { feed.LoseSome("log stream was too slow and dropped an unknown number of lines") }
	running, err := logs.FollowLog(ctx, what, r.line)
	if err == nil {
		lost()
	}
	return running, before, err
}

// reader makes a reader for lines of the log.
func (s *stream) reader(add func(telemetry.Entry)) *reader {
	r := &reader{
		add: add, appOf: func(process string) string { return s.m.appOf(s.spec.udid, process) }, text: physical(s.device),
		least: least(s.spec.level),
	}
	return r.start()
}
