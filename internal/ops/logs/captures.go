package logs

import (
	"context"
	"errors"
	"fmt"

	"ios-agent/internal/device"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/device/logcap"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// Captures captures the log and the output of apps into files. A capture belongs to the session that started it, and ends with Stop or with
// the daemon.
type Captures struct{ d Deps }

// NewCaptures makes Captures.
func NewCaptures(d Deps) *Captures { return &Captures{d} }

// The kinds of captures, which are also the prefixes of their file names.
const (
	SimulatorCapture = "sim_log"
	DeviceCapture    = "device_log"
)

// The streams of a capture.
const (
	osLog      = "os_log"
	consoleLog = "console"
)

// CaptureIn says what to capture.
type CaptureIn struct {
	target.Target
	Kind       string
	Bundle     string
	Log        bool     // the app's log, on devices that support it
	Subsystems []string // only these; empty: all
	Console    bool     // the app's output: the app is launched again, and ends with the capture
	target.LaunchHow
}

// CaptureOut is a started capture.
type CaptureOut struct {
	ID   string
	File string
	PID  int // of the app, if it was launched and the tools report it
}

// Start begins a capture. It takes the device's lease, because it may launch the app.
func (l *Captures) Start(ctx context.Context, c *op.Call, in CaptureIn) (CaptureOut, error) {
	if err := appref.CheckBundle(in.Bundle); err != nil {
		return CaptureOut{}, err
	}
	env, err := appref.Harmless(appref.Environment(c.Env, in.Env))
	if err != nil {
		return CaptureOut{}, err
	}
	h, _, err := l.d.Access.Device(ctx, c, in.Target)
	if err != nil {
		return CaptureOut{}, err
	}
	out, info := CaptureOut{}, h.Info()
	request := logcap.Request{
		Kind: in.Kind, Header: fmt.Sprintf("--- log of %s on %s ---", in.Bundle, info.Name),
		Owner:  device.Owner{Session: c.Session, UDID: info.UDID},
		Covers: logcap.Cover{Console: in.Console, All: in.Log && len(in.Subsystems) == 0},
	}
	if in.Log {
		logs, err := device.As[device.Logs](h.Device)
		if err != nil {
			return CaptureOut{}, err
		}
		start := func(ctx context.Context, line func(string)) (device.Stream, error) {
			return logs.FollowLog(ctx, device.LogFilter{Subsystems: in.Subsystems}, line)
		}
		request.Sources = append(request.Sources, logcap.Source{Name: osLog, Start: start})
	}
	if in.Console {
		console, err := device.As[device.Console](h.Device)
		if err != nil {
			return CaptureOut{}, err
		}
		how := device.Launch{Args: in.Args, Env: env}
		start := func(ctx context.Context, line func(string)) (s device.Stream, err error) {
			s, out.PID, err = console.LaunchConsole(ctx, in.Bundle, how, line)
			return s, err
		}
		request.Sources = append(request.Sources, logcap.Source{Name: consoleLog, Start: start})
	}
	drive := l.d.Access.Do
	if in.Console { // it launches the app
		drive = l.d.Access.Away
	}
	err = drive(ctx, h, func() error {
		s, err := l.d.Captures.Begin(ctx, request)
		if err == nil {
			out.ID, out.File = s.ID, s.File
		}
		return err
	})
	if errors.Is(err, logcap.ErrTooMany) {
		return CaptureOut{}, fault.New(fault.InvalidInput, "%w", err).WithHint("stop some of them first")
	}
	return out, err
}

// Stop ends a capture of this session and returns it; found is false if the session has no capture of this kind and id. Ending a capture
// may end its app, so Stop fails if another session has claimed the device meanwhile.
func (l *Captures) Stop(ctx context.Context, c *op.Call, kind, id string) (capture logcap.Capture, found bool, err error) {
	one, ok := l.d.Captures.Get(kind, id)
	if !ok || one.Owner.Session != c.Session {
		return logcap.Capture{}, false, nil
	}
	if h, _, err := l.d.Access.Device(ctx, c, target.Target{UDID: one.Owner.UDID}); err == nil && one.Live() {
		if err := l.d.Access.Pool.MayDrive(ctx, h, c.Session); err != nil {
			return logcap.Capture{}, true, err
		}
	}
	capture, found, err = l.d.Captures.End(kind, id)
	if err != nil {
		return capture, found, fault.New(fault.ToolFailed, "cannot end the capture: %w", err).With("log_file", capture.File)
	}
	return capture, found, nil
}

// Live lists the running captures of a session.
func (l *Captures) Live(session string) []*logcap.Session {
	return l.d.Captures.Live(device.Owner{Session: session})
}
