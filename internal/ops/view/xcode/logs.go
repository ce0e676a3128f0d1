package xcode

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/oneline"
)

// captures are the tools that capture logs. The daemon runs a capture until a stop call, or until the daemon itself ends.
func (v views) captures() []op.Op {
	start := tool(startDeviceLogCap, "Relaunch an app on a physical device and capture its output", 0, inLogging, inDevice)
	return []op.Op{
		sim(v, taking(time.Minute, tool(startSimLogCap,
			"Start to capture an app's log on a simulator", 0, inLogging),
			`start-sim-log-cap --simulator-name "iPhone 16" --bundle-id com.iosagent.shop --capture-console`), v.startSimCapture, needsBundle),
		op.New(taking(time.Minute, tool(stopSimLogCap, "End a log capture on a simulator and show its log", 0, inLogging),
			"stop-sim-log-cap 0f8fad5b-d9cb-469f-a165-70867728950e"), v.stopSimCapture),
		op.New(v.deviceSpec(taking(2*time.Minute, start,
			"start-device-log-cap --device-id 00008140-000A61C23E04801C --bundle-id com.iosagent.shop"), needsBundle), v.startDeviceCapture),
		op.New(taking(time.Minute, tool(stopDeviceLogCap,
			"End a log capture on a physical device and show it", 0, inLogging, inDevice),
			"stop-device-log-cap 0f8fad5b-d9cb-469f-a165-70867728950e"), v.stopDeviceCapture),
		sim(v, taking(time.Minute, tool(launchAppLogsSim,
			"Launch an app on a simulator and capture its console and log", 0, inSimulator),
			`launch-app-logs-sim --simulator-name "iPhone 16" --bundle-id com.iosagent.shop`), v.launchWithLogs, needsBundle),
	}
}

type startSimCaptureIn struct {
	simAppIn
	Console bool     `json:"captureConsole,omitempty" doc:"also capture the app's output; relaunches the app" default:"false"`
	Filter  []string `json:"subsystemFilter,omitempty" doc:"app, all, swiftui (app and SwiftUI), or subsystems" default:"app"`
}

type captureStartedOut struct {
	Message   string   `json:"message"`
	Session   string   `json:"logSessionId"`
	File      string   `json:"logFilePath"`
	Process   int      `json:"processId,omitempty"`
	Sim       string   `json:"simulatorId,omitempty"`
	Device    string   `json:"deviceId,omitempty"`
	Bundle    string   `json:"bundleId"`
	NextSteps []string `json:"nextSteps"`
}

// Text asks the reader to wait: a capture that ends at once is empty.
func (o captureStartedOut) Text() string {
	return andNext(fmt.Sprintf("%s\nlog session: %s\nuse the app now, and wait 5 to 10 seconds before you stop the capture: "+
		"log lines arrive late", o.Message, o.Session), o.NextSteps)
}

func (v views) startSimCapture(ctx context.Context, c *op.Call, in startSimCaptureIn, on target.Target) (captureStartedOut, error) {
	subsystems, err := subsystemsOf(in.Bundle, in.Filter)
	if err != nil {
		return captureStartedOut{}, err
	}
	return v.capture(ctx, c, logs.CaptureIn{Target: on, Bundle: in.Bundle, Subsystems: subsystems, Console: in.Console})
}

func (v views) launchWithLogs(ctx context.Context, c *op.Call, in launchSimIn, on target.Target) (captureStartedOut, error) {
	args, err := in.arguments()
	if err != nil {
		return captureStartedOut{}, err
	}
	return v.capture(ctx, c, logs.CaptureIn{
		Target: on, Bundle: in.Bundle, Subsystems: []string{in.Bundle}, Console: true, LaunchHow: target.LaunchHow{Args: args, Env: in.Env},
	})
}

func (v views) capture(ctx context.Context, c *op.Call, in logs.CaptureIn) (captureStartedOut, error) {
	in.Kind, in.Log = logs.SimulatorCapture, true
	s, err := v.core.Logs.Start(ctx, c, in)
	switch {
	case fault.Is(err, fault.AppNotFound):
		return captureStartedOut{}, fault.From(err).
			WithHint("install the app first: %s", nextCall(installAppSim, "appPath", "PATH_TO_YOUR_APP"))
	case fault.Is(err, fault.DeviceNotBooted):
		return captureStartedOut{}, fault.From(err).WithHint("boot the simulator first: %s", nextCall(bootSim, "simulatorId", c.Device.UDID))
	case err != nil:
		return captureStartedOut{}, err
	}
	out := captureStartedOut{
		Message: "capturing the log of " + in.Bundle + " on " + c.Device.Name, Session: s.ID, File: s.File, Process: s.PID,
		Sim: c.Device.UDID, Bundle: in.Bundle, NextSteps: []string{nextCall(stopSimLogCap, "logSessionId", s.ID)},
	}
	if in.Console {
		out.Message = "capturing the log and the console of " + in.Bundle + " on " + c.Device.Name +
			"; the app was relaunched and ends with the capture"
	}
	return out, nil
}

// subsystemsOf are the subsystems that a filter names; an empty result stands for all.
func subsystemsOf(bundle string, filter []string) ([]string, error) {
	names := []string{bundle}
	for _, f := range filter {
		switch f {
		case "app":
		case "all":
			if len(filter) > 1 {
				return nil, fault.New(fault.InvalidInput, "subsystemFilter: all excludes other values").With("field", "subsystemFilter")
			}
			return nil, nil
		case "swiftui":
			names = append(names, "com.apple.SwiftUI")
		default:
			if !slices.Contains(names, f) {
				names = append(names, f)
			}
		}
	}
	return names, nil
}

type stopCaptureIn struct {
	Session string `json:"logSessionId" doc:"log session, from the start" cli:"arg"`
}

type capturedOut struct {
	Message string   `json:"message"`
	Session string   `json:"logSessionId"`
	Logs    string   `json:"logs" lines:"behind a margin"`
	Lines   int      `json:"lines"`
	Seconds float64  `json:"seconds"`
	File    string   `json:"logFilePath"`
	Left    int64    `json:"bytesOnlyInFile,omitempty"`
	Lost    int64    `json:"bytesLost,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Text is the log after a heading, so that a reader can tell the app's lines from the tool's.
func (o capturedOut) Text() string {
	return withNotes(o.Message, o.Notes) + "\n--- Captured Logs ---\n" + oneline.Under(o.Logs)
}

// longEnough is the time after which late log lines have arrived.
const longEnough = 5 * time.Second

// few is the number of lines below which the answer gives reasons for the short log.
const few = 5

func (v views) stopSimCapture(ctx context.Context, c *op.Call, in stopCaptureIn) (capturedOut, error) {
	return v.endCapture(ctx, c, in.Session, captureKind{logs.SimulatorCapture, "Log capture session not found", simulatorHas})
}

// simulatorHas are the reasons why a capture on a simulator may lack lines.
func simulatorHas(console, all bool) (why []string) {
	if !console {
		why = append(why, "captureConsole: true also captures the app's output")
	}
	if !all {
		why = append(why, "the capture had a filter; subsystemFilter: [\"all\"] captures all subsystems of the simulator")
	}
	return why
}

func (v views) stopDeviceCapture(ctx context.Context, c *op.Call, in stopCaptureIn) (capturedOut, error) {
	return v.endCapture(ctx, c, in.Session, captureKind{logs.DeviceCapture, "Device log capture session not found", func(_, _ bool) []string {
		return []string{"a capture on a physical device has only the app's console output, not os_log"}
	}})
}

// captureKind is a kind of capture: of a simulator or of a physical device.
type captureKind struct {
	kind    string
	unknown string                           // message for an unknown session id
	why     func(console, all bool) []string // reasons for a short log
}

func (v views) endCapture(ctx context.Context, c *op.Call, id string, of captureKind) (capturedOut, error) {
	done, found, err := v.core.Logs.Stop(ctx, c, of.kind, id)
	if err != nil {
		return capturedOut{}, err
	}
	if !found {
		return capturedOut{}, fault.New(fault.SessionNotFound, "%s: %s", of.unknown, id)
	}
	out := capturedOut{
		Message: fmt.Sprintf("captured %d lines in %.1f s", done.Lines, done.Ran.Seconds()), Session: id, Logs: done.Text, Lines: done.Lines,
		Seconds: done.Ran.Seconds(), File: done.File, Left: done.Left, Lost: done.Lost, Notes: done.Ended,
	}
	if done.Left > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d bytes in the middle are only in %s", done.Left, done.File))
	}
	if done.Lost > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d bytes did not fit into the file", done.Lost))
	}
	if done.Lines < few {
		little := fmt.Sprintf("few lines: the capture ran %.1f s", done.Ran.Seconds())
		if done.Ran < longEnough {
			little += "; let it run 5 to 10 seconds while you use the app"
		}
		out.Notes = append(append(out.Notes, little), of.why(done.Cover.Console, done.Cover.All)...)
	}
	return out, nil
}

type startDeviceCaptureIn struct {
	deviceIn
	Bundle string   `json:"bundleId,omitempty" doc:"the app's bundle id"`
	Args   []string `json:"args,omitempty" doc:"arguments for the app" private:"true"`
	Env    []string `json:"env,omitempty" doc:"environment for the app, as NAME=VALUE" pairs:"true" private:"true"`
}

func (v views) startDeviceCapture(ctx context.Context, c *op.Call, in startDeviceCaptureIn) (captureStartedOut, error) {
	s, err := v.core.Logs.Start(ctx, c, logs.CaptureIn{
		Target: in.target(), Kind: logs.DeviceCapture, Bundle: in.Bundle, Console: true, LaunchHow: target.LaunchHow{Args: in.Args, Env: in.Env},
	})
	if err != nil {
		return captureStartedOut{}, err
	}
	return captureStartedOut{
		Message: "capturing the console of " + in.Bundle + " on device " + c.Device.UDID + "; the app was relaunched and ends with the capture",
		Session: s.ID, File: s.File, Process: s.PID, Device: c.Device.UDID, Bundle: in.Bundle,
		NextSteps: []string{nextCall(stopDeviceLogCap, "logSessionId", s.ID)},
	}, nil
}
