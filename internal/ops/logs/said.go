package logs

import (
	"context"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/builds"
)

// Settle waits until what the app of a device has said so far is in the store.
type Settle func(ctx context.Context, udid, app string) error

// Said is what apps, devices and builds said, for the views of other families. Its methods are those of the store that a view may call.
type Said struct{ d Deps }

// NewSaid makes the store of lines as views ask it.
func NewSaid(d Deps) Said { return Said{d} }

// Now is the time.
func (s Said) Now() time.Time { return s.d.Now() }

// Settle waits until what was said before the call can be found. What was followed before the daemon was restarted is followed again.
func (s Said) Settle(ctx context.Context, c *op.Call) error { return s.d.hear(ctx, c, "", "") }

// Hear has what was followed before the daemon was restarted be followed again.
func (s Said) Hear(ctx context.Context, c *op.Call) { s.d.Access.HearAll(ctx, c.Session) }

// Finer has lines of a level that is below Apple's default come in from now on, where a call asks for them, and says what that means;
// how is what begins it where nothing is followed that could be raised.
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

// Follow gives entries as they come.
func (s Said) Follow(q telemetry.Query) *telemetry.Subscription { return s.d.Store.Follow(q) }

// Usage is how much is stored.
func (s Said) Usage(ctx context.Context) (telemetry.Usage, error) { return s.d.Store.Usage(ctx) }

// EndOff ends the sources of devices that somebody else switched off or deleted.
func (s Said) EndOff(ctx context.Context) { s.d.Access.EndOff(ctx) }

// Sources are the sources of entries, and how they are doing.
func (s Said) Sources() []telemetry.State { return s.d.Store.Sources() }

// Last is the number of the newest entry.
func (s Said) Last() int64 { return s.d.Store.Last() }

// SetFilter sets a filter of a session.
func (s Said) SetFilter(f telemetry.Filter) error { return s.d.Store.SetFilter(f) }

// Filters are the filters of all sessions.
func (s Said) Filters() []telemetry.Filter { return s.d.Store.Filters() }

// FiltersOf are the filters of a session.
func (s Said) FiltersOf(session string) []telemetry.Filter { return s.d.Store.FiltersOf(session) }

// LastBuild is the newest build of the caller that was kept; nil: none was.
func (s Said) LastBuild(ctx context.Context, c *op.Call) (*builds.Result, error) {
	return builds.LastOf(ctx, s.d.Store, builds.Whose{Session: c.Session, Dir: c.Dir})
}

// Heard is a fault when a device is not there and has left no line.
func (s Said) Heard(ctx context.Context, udid string) error {
	page, err := s.d.Store.Query(ctx, telemetry.Query{Device: udid, Limit: 1})
	if err != nil || page.Total > 0 {
		return err
	}
	return s.d.Access.There(ctx, udid)
}

// KeepBuild keeps what came of a build.
func (s Said) KeepBuild(ctx context.Context, r builds.Result) (builds.Result, error) {
	return builds.Keep(ctx, s.d.Store, r)
}
