package logs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/logcap"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/test/fakedevice"
)

// talker is a phone whose log can be followed, and whose apps print.
type talker struct {
	phone
	filters chan device.LogFilter
	how     device.Launch
	refuse  error
}

// tape is a log that is followed until it is closed.
type tape struct{ done chan struct{} }

func (t *tape) Done() <-chan struct{} { return t.done }
func (t *tape) Err() error            { return nil }
func (t *tape) Close() error {
	select {
	case <-t.done:
	default:
		close(t.done)
	}
	return nil
}

func (p *talker) FollowLog(_ context.Context, what device.LogFilter, line func(string)) (device.Stream, error) {
	if p.refuse != nil {
		return nil, p.refuse
	}
	p.filters <- what
	line("logged")
	return &tape{make(chan struct{})}, nil
}

func (p *talker) LogName(context.Context, string) (string, error) { return "Shop", nil }

func (p *talker) LaunchConsole(_ context.Context, _ string, how device.Launch, line func(string)) (device.Stream, int, error) {
	p.how = how
	line("printed")
	return &tape{make(chan struct{})}, 42, nil
}

// newTalker is a phone that talks, and the rooms that listen.
func newTalker(t *testing.T) (*stand, *talker) {
	t.Helper()
	s := newStand(t)
	p := &talker{phone: phone{&fakedevice.Paper{}}, filters: make(chan device.LogFilter, 10)}
	s.deps.Access = fakedevice.Free(t, p)
	said := streams.New(streams.Options{Store: s.store, Dir: filepath.Join(t.TempDir(), "streams")})
	t.Cleanup(func() {
		if err := said.Close(); err != nil {
			t.Errorf("closing the streams: %v", err)
		}
	})
	s.deps.Access.Said = said
	s.deps.Captures = logcap.New(logcap.Options{Dir: t.TempDir()})
	s.Room = fakedevice.Open(t, logs.NewStreams(s.deps).Ops())
	return s, p
}

func TestLogIsFollowedAndStopped(t *testing.T) {
	s, p := newTalker(t)
	if e := s.Must("logs_stop", `{}`, nil); e.Stdout != "the log of Paper Phone was not followed by this session" {
		t.Errorf("before: got %q, want that nothing was followed", e.Stdout)
	}
	var got struct{ Status, UDID, App, Level string }
	e := s.Must("logs_start", `{"app":"shop","level":"debug"}`, &got)
	if got.Status != "following" || got.UDID != fakedevice.UDID || got.App != shop || got.Level != "debug" ||
		e.Stdout != "following the log of com.example.shop on Paper Phone, level debug and above" {
		t.Errorf("got %+v and %q, want the log of the app followed", got, e.Stdout)
	}
	if f := <-p.filters; f.Process != "Shop" || f.Level != device.LogDebug {
		t.Errorf("got the filter %+v, want the process Shop at debug", f)
	}
	e = s.Must("logs_stop", `{"app":"com.example.shop"}`, &got)
	if got.Status != "stopped" || e.Stdout != "stopped following the log of com.example.shop on Paper Phone" {
		t.Errorf("got %+v and %q, want it stopped", got, e.Stdout)
	}
	if s.Must("logs_stop", `{"app":"com.example.shop"}`, &got); got.Status != "not following" {
		t.Errorf("again: got %+v, want that nothing was followed", got)
	}
}

func TestLogOfTheWholeDeviceIsFollowed(t *testing.T) {
	s, p := newTalker(t)
	e := s.Must("logs_start", `{"all":true}`, nil)
	if e.Stdout != "following the log of Paper Phone, level default and above" {
		t.Errorf("got %q, want the log of the device", e.Stdout)
	}
	if f := <-p.filters; f.Process != "" {
		t.Errorf("got the filter %+v, want no process", f)
	}
	s.Call.Session = "b"
	if e := s.Must("logs_stop", `{}`, nil); !strings.Contains(e.Stdout, "was not followed by this session") {
		t.Errorf("another session: got %q, want that it follows nothing", e.Stdout)
	}
	s.Call.Session = "a"
	if e := s.Must("logs_stop", `{}`, nil); e.Stdout != "stopped following the log of Paper Phone" {
		t.Errorf("got %q, want it stopped", e.Stdout)
	}
}

func TestLogsStartRefusesInvalidRequest(t *testing.T) {
	s, _ := newTalker(t)
	s.Refused("logs_start", `{}`, fault.InvalidInput, "app")
	s.Refused("logs_start", `{"app":"shop","all":true}`, fault.InvalidInput, "all")
	s.Refused("logs_start", `{"app":"Nobody"}`, fault.AppNotFound, "Nobody")
	s.Refused("logs_start", `{"app":"a/b"}`, fault.InvalidInput, "is not the bundle id or the name of an app")
	s.Refused("logs_stop", `{"app":"a/b"}`, fault.InvalidInput, "is not the bundle id or the name of an app")
	s.Refused("logs_start", `{"all":true,"udid":"X"}`, fault.DeviceNotFound, "X")
	s.Refused("logs_stop", `{"udid":"X"}`, fault.DeviceNotFound, "X")
	mute := newStand(t)
	fakedevice.Open(t, logs.NewStreams(mute.deps).Ops()).Refused("logs_start", `{"all":true}`, fault.Unsupported, "which cannot show its log")
}

func TestCaptureIsWrittenToAFile(t *testing.T) {
	s, p := newTalker(t)
	captures, c := logs.NewCaptures(s.deps), &op.Call{Session: "a", Env: map[string]string{}}
	in := logs.CaptureIn{Kind: logs.SimulatorCapture, Bundle: shop, Log: true, Console: true, Subsystems: []string{shop}}
	in.Args = []string{"--fresh"}
	out, err := captures.Start(t.Context(), c, in)
	if err != nil || out.PID != 42 || out.ID == "" || out.File == "" {
		t.Fatalf("got %+v, %v, want a capture with the pid of the app", out, err)
	}
	if f := <-p.filters; len(f.Subsystems) != 1 || f.Subsystems[0] != shop || len(p.how.Args) != 1 {
		t.Errorf("got the filter %+v and the launch %+v, want the subsystem and the argument", f, p.how)
	}
	if live := captures.Live("a"); len(live) != 1 || len(captures.Live("b")) != 0 {
		t.Errorf("got %d captures, want one, of its session only", len(live))
	}
	if _, found, err := captures.Stop(t.Context(), &op.Call{Session: "b"}, logs.SimulatorCapture, out.ID); found || err != nil {
		t.Errorf("another session: got found %t, %v, want that it has none", found, err)
	}
	if _, found, err := captures.Stop(t.Context(), c, logs.DeviceCapture, out.ID); found || err != nil {
		t.Errorf("another kind: got found %t, %v, want none", found, err)
	}
	if _, found, err := captures.Stop(t.Context(), c, logs.SimulatorCapture, out.ID); !found || err != nil {
		t.Fatalf("got found %t, %v, want it ended", found, err)
	}
	text, err := os.ReadFile(out.File)
	for _, want := range []string{"--- log of com.example.shop on Paper Phone ---", "logged", "printed"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("got %q (%v), want %q in it", text, err, want)
		}
	}
	if live := captures.Live("a"); len(live) != 0 {
		t.Errorf("got %d captures after the end, want none", len(live))
	}
}

func TestCaptureRefusesInvalidInput(t *testing.T) {
	s, p := newTalker(t)
	captures, c := logs.NewCaptures(s.deps), &op.Call{Session: "a"}
	start := func(change func(*logs.CaptureIn)) error {
		in := logs.CaptureIn{Kind: logs.SimulatorCapture, Bundle: shop, Log: true}
		change(&in)
		_, err := captures.Start(t.Context(), c, in)
		return err
	}
	if err := start(func(in *logs.CaptureIn) { in.Bundle = "-x" }); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("got %v, want %s", err, fault.InvalidInput)
	}
	if err := start(func(in *logs.CaptureIn) { in.Target = target.Target{UDID: "X"} }); !fault.Is(err, fault.DeviceNotFound) {
		t.Errorf("got %v, want %s", err, fault.DeviceNotFound)
	}
	p.refuse = errors.New("silence")
	if err := start(func(*logs.CaptureIn) {}); err == nil || !strings.Contains(err.Error(), "silence") {
		t.Errorf("got %v, want the phone's reason", err)
	}
	mute := logs.NewCaptures(newStand(t).deps)
	for _, in := range []logs.CaptureIn{{Bundle: shop, Log: true}, {Bundle: shop, Console: true}} {
		if _, err := mute.Start(t.Context(), c, in); !fault.Is(err, fault.Unsupported) {
			t.Errorf("%+v: got %v, want %s", in, err, fault.Unsupported)
		}
	}
}
