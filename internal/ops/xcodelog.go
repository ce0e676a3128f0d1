package ops

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple/devicectl"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
	"ios-agent/internal/device/logcap"
	"ios-agent/internal/driver/stream"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// logs are XcodeBuildMCP's tools for captures. A capture lives in the daemon: it ends with stop, or with the daemon.
type logs struct {
	sims     *simulators
	devices  *handhelds
	defaults *sessionDefaults
	store    *logcap.Store
	dir      string
}

const inLogging = "logging"

// The kinds of captures; each begins the name of its files.
const (
	simCapture    = "sim_log"
	deviceCapture = "device_log"
)

func (l *logs) ops() []op.Op {
	logging, device := []string{inLogging}, []string{inLogging, inDevice}
	return []op.Op{
		op.New(op.Spec{
			Name: "start_sim_log_cap", Family: xcode, Groups: logging, Verb: "start-sim-log-cap", Route: "POST /api/v1/xcode/start_sim_log_cap", Timeout: time.Minute,
			Summary:  "Start to capture an app's log on a simulator, with captureConsole also what it prints (the app is launched anew)",
			Examples: []string{`start-sim-log-cap --simulator-name "iPhone 16" --bundle-id com.iosagent.shop --capture-console`},
		}, l.startSim),
		op.New(op.Spec{
			Name: "stop_sim_log_cap", Family: xcode, Groups: logging, Verb: "stop-sim-log-cap", Route: "POST /api/v1/xcode/stop_sim_log_cap", Timeout: time.Minute,
			Summary:  "End a capture on a simulator and give what it captured",
			Examples: []string{"stop-sim-log-cap 0f8fad5b-d9cb-469f-a165-70867728950e"},
		}, l.stopSim),
		op.New(op.Spec{
			Name: "start_device_log_cap", Family: xcode, Groups: device, Verb: "start-device-log-cap", Route: "POST /api/v1/xcode/start_device_log_cap", Timeout: 2 * time.Minute,
			Summary:  "Launch an app anew on a physical device and start to capture what it prints",
			Examples: []string{"start-device-log-cap --device-id 00008140-000A61C23E04801C --bundle-id com.iosagent.shop"},
		}, l.startDevice),
		op.New(op.Spec{
			Name: "stop_device_log_cap", Family: xcode, Groups: device, Verb: "stop-device-log-cap", Route: "POST /api/v1/xcode/stop_device_log_cap", Timeout: time.Minute,
			Summary:  "End a capture on a physical device and give what it captured",
			Examples: []string{"stop-device-log-cap 0f8fad5b-d9cb-469f-a165-70867728950e"},
		}, l.stopDevice),
	}
}

// StartSimLogIn says what to capture.
type StartSimLogIn struct {
	AppSimIn
	Console bool     `json:"captureConsole,omitempty" doc:"also what the app prints; launches the app anew" default:"false"`
	Filter  []string `json:"subsystemFilter,omitempty" doc:"app (the bundle id's own log), all, swiftui (app and SwiftUI), or names of further subsystems" default:"app"`
}

// LogStartedOut is a capture that has begun.
type LogStartedOut struct {
	Message   string   `json:"message"`
	Session   string   `json:"logSessionId"`
	File      string   `json:"logFilePath"`
	Process   int      `json:"processId,omitempty"`
	Sim       string   `json:"simulatorId,omitempty"`
	Device    string   `json:"deviceId,omitempty"`
	Bundle    string   `json:"bundleId"`
	NextSteps []string `json:"nextSteps"`
}

// Text tells to wait: a capture that is stopped at once is empty.
func (o LogStartedOut) Text() string {
	return andNext(fmt.Sprintf("%s\nlog session: %s\nuse the app now, and wait 5 to 10 seconds before you stop: logs arrive late, and what was not logged yet is not in the answer", o.Message, o.Session), o.NextSteps)
}

func (l *logs) startSim(ctx context.Context, c *op.Call, in StartSimLogIn) (LogStartedOut, error) {
	in, target, err := simCall(ctx, l.sims, c, in, func(in *StartSimLogIn) *SimIn { return &in.SimIn }, needsBundle)
	if err != nil {
		return LogStartedOut{}, err
	}
	return l.capture(ctx, c, target, in.Bundle, in.Filter, in.Console, simctl.LaunchOptions{})
}

// launchWithLogs launches an app with its console and its log captured.
func (s *simulators) launchWithLogs(ctx context.Context, c *op.Call, in LaunchSimIn) (LogStartedOut, error) {
	in, target, args, err := s.launching(ctx, c, in)
	if err != nil {
		return LogStartedOut{}, err
	}
	env, err := environment(c.Env, in.Env)
	if err != nil {
		return LogStartedOut{}, err
	}
	return s.logs.capture(ctx, c, target, in.Bundle, []string{"app"}, true, simctl.LaunchOptions{Args: args, Env: env})
}

func (l *logs) capture(ctx context.Context, c *op.Call, target Target, bundle string, filter []string, console bool, how simctl.LaunchOptions) (LogStartedOut, error) {
	predicate, err := predicateFor(bundle, filter)
	if err != nil {
		return LogStartedOut{}, err
	}
	h, _, err := l.sims.device(ctx, c, target)
	if err != nil {
		return LogStartedOut{}, err
	}
	udid, name := h.Info().UDID, h.Info().Name
	if err := l.ableToLog(ctx, udid, name); err != nil {
		return LogStartedOut{}, err
	}
	tool := l.sims.simctl()
	sources := []logcap.Source{l.follow(osLog, stream.Program{
		Cmd: tool.LogStream(udid, predicate), Remark: simctl.LogHeading, Ready: simctl.LogHeading,
		Explain: func(_ []byte, err error) error { return asFault(err, fault.ToolFailed, "capturing the log of "+name) },
	}, new(string))}
	said := ""
	if console {
		own := func(line string) bool { _, is := simctl.ConsolePID(line, bundle); return is }
		sources = append(sources, l.follow(consoleLog, stream.Program{
			Cmd: tool.Console(udid, bundle, how), Remark: own, Ready: own, Wait: 10 * time.Second,
			Explain: func(stderr []byte, err error) error { return simLogFault(stderr, err, bundle, name) },
		}, &said))
	}
	s, err := l.begin(ctx, simCapture, fmt.Sprintf("--- log of %s on %s ---", bundle, name), sources)
	if err != nil {
		return LogStartedOut{}, asFault(err, fault.ToolFailed, "capturing the log of "+name)
	}
	out := LogStartedOut{
		Message: "capturing the log of " + bundle + " on " + name, Session: s.ID, File: s.File, Sim: udid, Bundle: bundle,
		NextSteps: []string{nextCall("stop_sim_log_cap", "logSessionId", s.ID)},
	}
	if console {
		out.Process, _ = simctl.ConsolePID(said, bundle)
		out.Message = "capturing the log and the console of " + bundle + " on " + name + ", which was launched anew and ends with the capture"
	}
	return out, nil
}

// The streams of a capture.
const (
	osLog      = "os_log"
	consoleLog = "console"
)

// ableToLog asks for the state: a log stream of a simulator that is off would simply stay empty.
func (l *logs) ableToLog(ctx context.Context, udid, name string) error {
	state, err := l.sims.pool.State(ctx, udid)
	if err == nil && state != "booted" {
		err = fault.New(fault.DeviceNotBooted, "%s is not booted", name).WithHint("boot it first: %s", nextCall("boot_sim", "simulatorId", udid))
	}
	return err
}

// follow is a source that runs a program; said gets the line by which the program told that it had begun.
func (l *logs) follow(name string, p stream.Program, said *string) logcap.Source {
	return logcap.Source{Name: name, Start: func(ctx context.Context, line func(string)) (device.Stream, error) {
		s, err := stream.Start(ctx, l.sims.parts.Start, p, line)
		if err != nil {
			return nil, err
		}
		*said = s.Said()
		return s, nil
	}}
}

func (l *logs) begin(ctx context.Context, kind, header string, sources []logcap.Source) (*logcap.Session, error) {
	s, err := l.store.Begin(ctx, logcap.Request{Kind: kind, Header: header, Sources: sources})
	if errors.Is(err, logcap.ErrTooMany) {
		return nil, fault.New(fault.InvalidInput, "%w", err).WithHint("stop some of them first")
	}
	return s, err
}

// simLogFault tells an app that is not there from a tool that failed, by simctl's own domain and code.
func simLogFault(stderr []byte, err error, bundle, name string) error {
	if no := simctl.ParseError(stderr); no != nil && no.Has(simctl.DomainLaunch, 4) {
		return fault.New(fault.AppNotFound, "%s cannot be opened on %s: %w", bundle, name, no).WithHint("install it first with install_app_sim")
	}
	return toolFault(err, fault.AppLaunchFailed, "launching "+bundle+" on "+name)
}

// asFault leaves a fault as it is.
func asFault(err error, code fault.Code, what string) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	return toolFault(err, code, what)
}

// safeID is what may stand in a predicate and on a command line as the name of an app.
var safeID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func checkBundle(bundle string) error {
	if safeID.MatchString(bundle) {
		return nil
	}
	return fault.New(fault.InvalidInput, "%.80q is no bundle id: letters, digits, dots, hyphens and underscores", bundle).With("field", "bundleId")
}

// predicateFor makes the filter of a log stream; empty is everything.
func predicateFor(bundle string, filter []string) (string, error) {
	if err := checkBundle(bundle); err != nil {
		return "", err
	}
	names := []string{bundle}
	for _, f := range filter {
		switch f {
		case "app":
		case "all":
			if len(filter) > 1 {
				return "", fault.New(fault.InvalidInput, "subsystemFilter: all stands alone").With("field", "subsystemFilter")
			}
			return "", nil
		case "swiftui":
			names = append(names, "com.apple.SwiftUI")
		default:
			if !slices.Contains(names, f) {
				names = append(names, f)
			}
		}
	}
	predicate, err := simctl.FromSubsystems(names...)
	if err != nil {
		return "", fault.New(fault.InvalidInput, "subsystemFilter: %w", err).With("field", "subsystemFilter")
	}
	return predicate, nil
}

// StopLogIn names a capture.
type StopLogIn struct {
	Session string `json:"logSessionId" doc:"the session that start gave" cli:"arg"`
}

// LogsOut is what was captured.
type LogsOut struct {
	Message string   `json:"message"`
	Session string   `json:"logSessionId"`
	Logs    string   `json:"logs"`
	Lines   int      `json:"lines"`
	Seconds float64  `json:"seconds"`
	File    string   `json:"logFilePath"`
	Left    int64    `json:"bytesOnlyInFile,omitempty"`
	Lost    int64    `json:"bytesLost,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Text is the log after a line that tells where it begins: what follows is the app's, not ours.
func (o LogsOut) Text() string {
	text := o.Message
	for _, n := range o.Notes {
		text += "\nnote: " + n
	}
	return text + "\n--- Captured Logs ---\n" + strings.TrimRight(o.Logs, "\n")
}

// few is how many lines are so few that the answer says why there may be no more.
const few = 5

func (l *logs) stopSim(ctx context.Context, _ *op.Call, in StopLogIn) (LogsOut, error) {
	return l.end(ctx, in.Session, simCapture, "Log capture session not found", []string{
		"what an app prints is captured only with captureConsole: true",
		"its log is captured where the subsystem is the bundle id; subsystemFilter: [\"all\"] shows all of the simulator's",
	})
}

func (l *logs) stopDevice(ctx context.Context, _ *op.Call, in StopLogIn) (LogsOut, error) {
	return l.end(ctx, in.Session, deviceCapture, "Device log capture session not found", []string{
		"only what the app prints to its console is captured; os_log does not leave a physical device this way",
	})
}

func (l *logs) end(_ context.Context, id, kind, unknown string, why []string) (LogsOut, error) {
	c, ok, err := l.store.End(kind, id)
	if !ok {
		return LogsOut{}, fault.New(fault.SessionNotFound, "%s: %s", unknown, id)
	}
	if err != nil {
		return LogsOut{}, fault.New(fault.ToolFailed, "ending the capture: %w", err).With("log_file", c.File)
	}
	out := LogsOut{
		Message: fmt.Sprintf("captured %d lines in %.1f s", c.Lines, c.Ran.Seconds()), Session: id, Logs: c.Text, Lines: c.Lines,
		Seconds: c.Ran.Seconds(), File: c.File, Left: c.Left, Lost: c.Lost, Notes: c.Ended,
	}
	if c.Left > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d bytes in the middle are only in %s", c.Left, c.File))
	}
	if c.Lost > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d bytes did not fit into the file", c.Lost))
	}
	if c.Lines < few {
		out.Notes = append(out.Notes, fmt.Sprintf("that is little: the capture ran %.1f s; let it run 5 to 10 seconds while the app is used", c.Ran.Seconds()))
		out.Notes = append(out.Notes, why...)
	}
	return out, nil
}

// StartDeviceLogIn names the app and the device.
type StartDeviceLogIn struct {
	DeviceIn
	Bundle string   `json:"bundleId,omitempty" doc:"the app's bundle id"`
	Args   []string `json:"args,omitempty" doc:"arguments for the app"`
	Env    []string `json:"env,omitempty" doc:"environment for the app, as NAME=VALUE" pairs:"true"`
}

func (l *logs) startDevice(ctx context.Context, c *op.Call, in StartDeviceLogIn) (LogStartedOut, error) {
	in, err := complete(l.defaults, c, in, needsDevice, needsBundle)
	if err != nil {
		return LogStartedOut{}, err
	}
	if err := checkBundle(in.Bundle); err != nil {
		return LogStartedOut{}, err
	}
	env, err := nameValues("start_device_log_cap", envKey, in.Env)
	if err != nil {
		return LogStartedOut{}, err
	}
	document := filepath.Join(l.dir, fmt.Sprintf("launch-%d.json", time.Now().UnixNano()))
	cmd, err := l.devices.tool().Console(in.Device, in.Bundle, document, devicectl.LaunchOptions{Args: in.Args, Env: env})
	if err != nil {
		return LogStartedOut{}, fault.New(fault.InvalidInput, "%w", err).With("field", "deviceId")
	}
	s, err := l.begin(ctx, deviceCapture, fmt.Sprintf("--- console of %s on device %s ---", in.Bundle, in.Device), []logcap.Source{l.follow(consoleLog, stream.Program{
		Cmd: cmd, Remark: devicectl.ConsoleRemark, Ready: devicectl.ConsoleStarted, Wait: 20 * time.Second,
	}, new(string))})
	if err != nil {
		if no := devicectl.ReadRefusal(document); no != nil {
			err = no
		}
		return LogStartedOut{}, l.devices.explain(ctx, err, in.Device, fault.AppLaunchFailed, "launching "+in.Bundle)
	}
	return LogStartedOut{
		Message: "capturing the console of " + in.Bundle + " on device " + in.Device + "; the app was launched anew and ends with the capture",
		Session: s.ID, File: s.File, Device: in.Device, Bundle: in.Bundle,
		NextSteps: []string{nextCall("stop_device_log_cap", "logSessionId", s.ID)},
	}, nil
}
