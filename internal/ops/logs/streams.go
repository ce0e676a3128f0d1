package logs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/internal/text/oneline"
)

// Streams starts, stops and lists the sources of lines.
type Streams struct{ d Deps }

// NewStreams makes the operations on the sources of lines.
func NewStreams(d Deps) *Streams { return &Streams{d} }

// Ops lists the operations on the sources of lines.
func (s *Streams) Ops() []op.Op {
	groups := []string{"logs"}
	return []op.Op{
		op.New(op.Spec{
			Name: "logs_start", Groups: groups, Verb: "logs start", Route: "POST /api/v1/logs/start", Timeout: time.Minute,
			Summary: "Start following the log of an app or a device",
			Help: "The log at Apple's default level and the output of an app are followed from its launch on. This is for info and debug\n" +
				"messages, for apps that other programs launch, and with " + hint.Field("all") + " for the whole device. It ends with " +
				hint.Do("logs_stop") + ",\nwhen another session gets the device, and after ten minutes without a call of this session.",
			Hints: op.Idempotent, Exclude: [][]string{{"app", "all"}}, Require: [][]string{{"app", "all"}}, Next: []string{"log_sources"},
			Examples: []string{"logs start com.iosagent.shop --level debug", "logs start --all"},
		}, s.start),
		op.New(op.Spec{
			Name: "logs_stop", Groups: groups, Verb: "logs stop", Route: "POST /api/v1/logs/stop", Timeout: time.Minute,
			Summary: "Stop following a log; its lines stay", Hints: op.Idempotent,
			Examples: []string{"logs stop", "logs stop com.iosagent.shop"},
		}, s.stop),
		op.New(op.Spec{
			Name: "log_sources", Groups: groups, Verb: "logs sources", Route: "GET /api/v1/logs/feeds", Timeout: time.Minute,
			Summary: "List the sources of lines: state, captured and lost lines",
			Hints:   op.ReadOnly | op.Idempotent, Examples: []string{"logs sources"},
		}, s.sources),
	}
}

type logsStartIn struct {
	target.Target
	App        string   `json:"app,omitempty" doc:"its bundle id or name" cli:"arg"`
	All        bool     `json:"all,omitempty" doc:"the whole device"`
	Level      string   `json:"level,omitempty" doc:"minimum level" enum:"default,info,debug" default:"default"`
	Subsystems []string `json:"subsystems,omitempty" doc:"only these subsystems"`
}

// logsOut is a log that was started or stopped.
type logsOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`
	App    string `json:"app,omitempty"`
	Level  string `json:"level,omitempty"`

	device string
}

// Text is one line.
func (o logsOut) Text() string {
	device := oneline.Of(o.device)
	what := "the log of " + device
	if o.App != "" {
		what = "the log of " + o.App + " on " + device
	}
	switch o.Status {
	case "following":
		return fmt.Sprintf("following %s, level %s and above", what, o.Level)
	case "stopped":
		return "stopped following " + what
	}
	return what + " was not followed by this session"
}

func (s *Streams) start(ctx context.Context, c *op.Call, in logsStartIn) (logsOut, error) {
	h, _, err := s.d.Access.Device(ctx, c, in.Target)
	if err != nil {
		return logsOut{}, err
	}
	out := logsOut{Status: "following", UDID: h.Info().UDID, Level: in.Level, device: h.Info().Name}
	var following *streams.Following
	owner := device.Owner{Session: c.Session, UDID: out.UDID}
	err = s.d.Access.Do(ctx, h, func() error {
		if _, err := device.As[device.Logs](h.Device); err != nil {
			return err
		}
		if !in.All {
			if err := appref.CheckApp(in.App); err != nil {
				return err
			}
			if out.App, err = appref.BundleOf(ctx, h, in.App); err != nil {
				return err
			}
		}
		following = s.d.Access.Said.Follow(h.Device, streams.Request{
			Owner: owner, App: out.App, All: in.All, Level: device.LogLevel(in.Level), Subsystems: in.Subsystems,
		})
		return nil
	})
	if err != nil {
		return out, err
	}
	if err := following.Begun(ctx); err != nil {
		s.d.Access.Said.Stop(owner, out.App)
		return out, appref.Nearby(ctx, h, out.App, err)
	}
	return out, nil
}

type logsStopIn struct {
	target.Target
	App string `json:"app,omitempty" doc:"bundle id or name; default: all logs of this session on the device" cli:"arg"`
}

// stop needs the lease, like start: a session without it follows no log on the device.
func (s *Streams) stop(ctx context.Context, c *op.Call, in logsStopIn) (logsOut, error) {
	h, _, err := s.d.Access.Device(ctx, c, in.Target)
	if err != nil {
		return logsOut{}, err
	}
	out := logsOut{Status: "stopped", UDID: h.Info().UDID, device: h.Info().Name}
	err = s.d.Access.Do(ctx, h, func() error {
		if in.App == "" {
			return nil
		}
		if err := appref.CheckApp(in.App); err != nil {
			return err
		}
		out.App, err = appref.BundleOf(ctx, h, in.App)
		return err
	})
	if err == nil && s.d.Access.Said.Stop(device.Owner{Session: c.Session, UDID: out.UDID}, out.App) == 0 {
		out.Status = "not following"
	}
	return out, err
}

// SourceOut is a source of lines.
type SourceOut struct {
	ID       string    `json:"id"`
	Type     string    `json:"type"`
	Source   string    `json:"source"`
	UDID     string    `json:"udid,omitempty"`
	App      string    `json:"app,omitempty"`
	Session  string    `json:"session,omitempty"`
	Status   string    `json:"status"`
	Captured int64     `json:"captured"`
	Lost     int64     `json:"lost"`
	Missing  string    `json:"missing_lines,omitempty"` // the missing lines, and why
	Started  time.Time `json:"started_at"`
	Problem  string    `json:"problem,omitempty"` // why it gives no lines
}

type sourcesOut struct {
	Sources []SourceOut `json:"feeds"`
}

// Text has a line for each source.
func (o sourcesOut) Text() string {
	if len(o.Sources) == 0 {
		return "no log is followed; start with " + hint.Do("launch_app", "bundle_id", "APP") + " or " + hint.Do("logs_start", "all", true)
	}
	var lines []string
	for _, s := range o.Sources {
		line := fmt.Sprintf("%s  %s, %d lines", s.ID, s.Status, s.Captured)
		if s.Lost > 0 {
			line += fmt.Sprintf(", %d lost", s.Lost)
		}
		if s.Missing != "" {
			line += "; " + s.Missing
		}
		if s.Problem != "" {
			line += ": " + s.Problem
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (s *Streams) sources(ctx context.Context, c *op.Call, _ struct{}) (sourcesOut, error) {
	s.d.Access.EndOff(ctx)
	s.d.Access.HearAll(ctx, c.Session)
	out := sourcesOut{Sources: []SourceOut{}}
	for _, one := range s.d.Store.Sources() {
		out.Sources = append(out.Sources, SourceOut{
			ID: one.ID, Type: one.Type, Source: string(one.Source), UDID: one.Device, App: one.App, Session: one.Session, Status: one.Status,
			Captured: one.Captured, Lost: one.Lost, Missing: one.Missing, Started: one.Started, Problem: one.Error,
		})
	}
	return out, nil
}
