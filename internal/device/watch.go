package device

import (
	"context"
	"time"

	"ios-agent/internal/machine/pause"
	"ios-agent/internal/ui"
)

// Clock is how a driver waits between looks, where nobody else waits for a still screen.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// TimeOfDay is the clock of everybody.
type TimeOfDay struct{}

// Now is the time.
func (TimeOfDay) Now() time.Time { return time.Now() }

// Sleep waits, and says when ctx ended before.
func (TimeOfDay) Sleep(ctx context.Context, d time.Duration) error { return pause.For(ctx, d) }

// Watch looks at a screen again and again until it is still: for drivers whose other side does not wait for that. Glance and Whole are
// needed.
type Watch struct {
	Clock Clock
	Gap   time.Duration // between two looks at a screen that moves
	// Glance looks once, and gives the digest of what it saw.
	Glance func(ctx context.Context) (digest string, err error)
	// Whole makes a screen of the last glance, with what only further questions tell. Alone: no other glance confirms it. It is nil when
	// the glance is not true any more.
	Whole func(ctx context.Context, alone bool) (*ui.Screen, error)
	// Known reports whether a screen with this digest was still already, and nothing was done since: it is not waited for. It may be nil.
	Known func(digest string) bool
	// Settled is told of a screen that is still. It may be nil.
	Settled func(digest string)
}

// Until looks as long as w says. A look counts from its beginning to its end: what is the same at the end of one and at the beginning of
// another was the same between them.
func (o Watch) Until(ctx context.Context, w Wait) (*ui.Screen, error) {
	start := o.Clock.Now()
	limit := start.Add(w.Max)
	first, alike := "", time.Time{} // of those that are alike: the digest, and when the first one was done
	for {
		began := o.Clock.Now()
		digest, err := o.Glance(ctx)
		if err != nil {
			return nil, err
		}
		known := o.Known != nil && w.Min == 0 && w.Unlike == "" && o.Known(digest)
		alone := alike.IsZero() || first != digest
		if alone {
			first, alike = digest, o.Clock.Now()
		}
		settled := known || w.Stable == 0 || !alone && began.Sub(alike) >= w.Stable
		now := o.Clock.Now()
		if ripe := settled && now.Sub(start) >= w.Min; ripe || !now.Before(limit) {
			screen, err := o.Whole(ctx, alone && !known)
			if err != nil {
				return nil, err
			}
			if screen != nil && (!ripe || screen.Digest != w.Unlike || now.Sub(start) >= w.Patience) {
				screen.Settled, screen.Waited = settled, now.Sub(start)
				if settled && w.Stable > 0 && o.Settled != nil {
					o.Settled(digest)
				}
				return screen, nil
			}
			if ripe { // it is still, but as it was before the input: it may take long to answer
				limit = now.Add(w.Max)
			}
		}
		if err := o.Clock.Sleep(ctx, o.Gap); err != nil {
			return nil, err
		}
	}
}
