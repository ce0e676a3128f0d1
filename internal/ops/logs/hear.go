package logs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
)

// pastWait is the longest wait of a reader for lines that were logged before their stream began.
const pastWait = 3 * time.Second

// hear waits until the lines of an app on a device are in the store; empty ids mean all apps and devices. A reader of all devices also
// resumes the logs that were followed before the daemon restarted. For a single device, finding the device has already done that.
func (d Deps) hear(ctx context.Context, c *op.Call, udid, app string) error {
	short, cancel := context.WithTimeout(ctx, pastWait)
	defer cancel()
	if udid == "" {
		d.Access.HearAll(short, c.Session)
	}
	if d.Access.Said != nil {
		d.Access.Said.Filled(short, udid, app)
	}
	if d.Settle != nil {
		return d.Settle(ctx, udid, app)
	}
	return d.Store.Flush(ctx)
}

// fine are the levels below Apple's default. A log is followed at one of them only after a call asks for it.
var fine = map[telemetry.Level]device.LogLevel{telemetry.Debug: device.LogDebug, telemetry.Info: device.LogInfo}

// finer starts to capture lines below Apple's default level if the call asks for them. It returns a note for the answer, which is empty if
// such lines were captured before. how is the advice for the case that no log is followed whose level it could raise.
func (d Deps) finer(ctx context.Context, c *op.Call, q telemetry.Query, asked, how string) string {
	level, is := fine[q.Level]
	ofLogs := len(q.Sources) == 0 || slices.Contains(q.Sources, telemetry.Simulator) || slices.Contains(q.Sources, telemetry.Device)
	if asked == "" || !is || !ofLogs {
		return ""
	}
	var raised []string
	captured := false
	if q.Device == "" {
		d.Access.HearAll(ctx, c.Session) // first, so that Raise finds them
	}
	if d.Access.Said != nil {
		raised, captured = d.Access.Said.Raise(device.Owner{Session: c.Session, UDID: q.Device}, q.App, level)
	}
	switch {
	case len(raised) > 0:
		return fmt.Sprintf("%s lines of %s are captured from now on; until now only Apple's default level was",
			level, strings.Join(raised, ", "))
	case captured:
		return ""
	}
	return string(level) + " lines are not captured: " + how
}

// startFine is the advice to follow the log of an app at a level.
func startFine(level string) string {
	return fmt.Sprintf("start with %s; for the whole device, with %s", hint.Do("logs_start", "app", "APP", "level", level),
		hint.Do("logs_start", "all", true, "level", level))
}
