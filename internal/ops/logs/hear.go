package logs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
)

// pastWait is how long a reader waits for lines that were logged before their stream began.
const pastWait = 3 * time.Second

// hear waits until what an app of a device said can be found, with empty ids what all said. Who reads of all devices has what was followed
// on them before the daemon was restarted be followed again; who reads of one has found it, and that was done then.
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

// fine are the levels below Apple's default, which a log is followed at only when somebody asks for them.
var fine = map[telemetry.Level]device.LogLevel{telemetry.Debug: device.LogDebug, telemetry.Info: device.LogInfo}

// finer has lines of a level that is below Apple's default come in from now on, where the call asks for them, and says what that means for
// its answer: nothing where they came in before. How is what begins it where nothing is followed that could be raised.
func (d Deps) finer(ctx context.Context, c *op.Call, q telemetry.Query, asked, how string) string {
	level, is := fine[q.Level]
	ofLogs := len(q.Sources) == 0 || slices.Contains(q.Sources, telemetry.Simulator) || slices.Contains(q.Sources, telemetry.Device)
	if asked == "" || !is || !ofLogs {
		return ""
	}
	var raised []string
	captured := false
	if q.Device == "" {
		d.Access.HearAll(ctx, c.Session) // before it is looked what is followed
	}
	if d.Access.Said != nil {
		raised, captured = d.Access.Said.Raise(device.Owner{Session: c.Session, UDID: q.Device}, q.App, level)
	}
	switch {
	case len(raised) > 0:
		return fmt.Sprintf("%s lines of %s are captured from now on; until now its log was followed at Apple's default level",
			level, strings.Join(raised, ", "))
	case captured:
		return ""
	}
	return string(level) + " lines are not captured: " + how
}

// startFine begins to follow the log of an app at a level.
func startFine(level string) string {
	return fmt.Sprintf("`ios-agent logs start APP --level %s` begins that, with `--all` instead of APP for the whole device", level)
}
