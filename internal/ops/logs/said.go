package logs

import (
	"context"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/builds"
)

// Settle waits until the lines that an app of a device wrote so far are in the store.
type Settle func(ctx context.Context, udid, app string) error

// Said gives the views of other families access to log lines. It has only the methods of the store that a view may call.
type Said struct{ d Deps }

// NewSaid makes Said.
func NewSaid(d Deps) Said { return Said{d} }

// Now is the time.
func (s Said) Now() time.Time { return s.d.Now() }

// Settle waits until earlier lines are in the store. It resumes the logs that were followed before the daemon restarted.
func (s Said) Settle(ctx context.Context, c *op.Call) error { return s.d.hear(ctx, c, "", "") }

// Hear resumes the logs that were followed before the daemon restarted.
func (s Said) Hear(ctx context.Context, c *op.Call) { s.d.Access.HearAll(ctx, c.Session) }

// Finer starts to capture lines below Apple's default level if a call asks for them, and returns a note for the answer. how is the advice
// for the case that no log is followed whose level it could raise.
func (s Said) Finer(ctx context.Context, c *op.Call, q telemetry.Query, asked, how string) string {
	return s.d.finer(ctx, c, q, asked, how)
}

// Query finds entries.
func (s Said) Query(ctx context.Context, q telemetry.Query) (telemetry.Page, error) {
	return s.d.Store.Query(ctx, q)
}

// Summarize sums entries up.
func (s Said) Summarize(ctx context.Context, q telemetry.Query, window string) (telemetry.Summary, error) {
	return s.d.Store.Summarize(ctx, q, window)
}

// Follow subscribes to new entries.
func (s Said) Follow(q telemetry.Query) *telemetry.Subscription { return s.d.Store.Follow(q) }

// Usage is the amount of stored data.
func (s Said) Usage(ctx context.Context) (telemetry.Usage, error) { return s.d.Store.Usage(ctx) }

// EndOff ends the sources of devices that another program shut down or deleted.
func (s Said) EndOff(ctx context.Context) { s.d.Access.EndOff(ctx) }

// Sources lists the sources of entries with their states.
func (s Said) Sources() []telemetry.State { return s.d.Store.Sources() }

// Last is the number of the newest entry.
func (s Said) Last() int64 { return s.d.Store.Last() }

// SetFilter sets a filter of a session.
func (s Said) SetFilter(f telemetry.Filter) error { return s.d.Store.SetFilter(f) }

// Filters are the filters of all sessions.
func (s Said) Filters() []telemetry.Filter { return s.d.Store.Filters() }

// FiltersOf are the filters of a session.
func (s Said) FiltersOf(session string) []telemetry.Filter { return s.d.Store.FiltersOf(session) }

// LastBuild is the caller's newest stored build, or nil.
func (s Said) LastBuild(ctx context.Context, c *op.Call) (*builds.Result, error) {
	return builds.LastOf(ctx, s.d.Store, builds.Whose{Session: c.Session, Dir: c.Dir})
}

// Heard returns a fault if a device does not exist and has left no lines.
func (s Said) Heard(ctx context.Context, udid string) error {
	page, err := s.d.Store.Query(ctx, telemetry.Query{Device: udid, Limit: 1})
	if err != nil || page.Total > 0 {
		return err
	}
	return s.d.Access.There(ctx, udid)
}

// KeepBuild stores the result of a build.
func (s Said) KeepBuild(ctx context.Context, r builds.Result) (builds.Result, error) {
	return builds.Keep(ctx, s.d.Store, r)
}
