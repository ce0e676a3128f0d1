package device

import (
	"context"
	"time"

	"ios-agent/internal/machine/pause"
	"ios-agent/internal/ui"
)

// Clock is how a driver waits between looks, if its server does not wait for a still screen.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// TimeOfDay is the real clock.
type TimeOfDay struct{}

// Now is the time.
func (TimeOfDay) Now() time.Time { return time.Now() }

// Sleep waits; it returns an error if ctx ends first.
func (TimeOfDay) Sleep(ctx context.Context, d time.Duration) error { return pause.For(ctx, d) }

// Watch looks at a screen again and again until it is still. It is for drivers whose server does not wait for a still screen. Glance
// and Whole are required.
type Watch struct {
	Clock Clock
	Gap   time.Duration // pause between two looks at a moving screen
	// Glance looks once and gives the digest of the screen.
	Glance func(ctx context.Context) (digest string, err error)
	// Whole makes a screen from the last glance and further questions. alone means that no other glance confirms it. It is nil if the
	// glance is out of date.
	Whole func(ctx context.Context, alone bool) (*ui.Screen, error)
	// Known reports whether a screen with this digest has been still before, with no action since: it needs no wait. It may be nil.
	Known func(digest string) bool
	// Settled gets the digest of a still screen. It may be nil.
	Settled func(digest string)
}

// Until looks as long as w says. A look counts from its beginning to its end: if two looks in a row are the same, the screen did not
// change between them.
func (o Watch) Until(ctx context.Context, w Wait) (*ui.Screen, error) {
	start := o.Clock.Now()
	limit := start.Add(w.Max)
	first, alike := "", time.Time{} // of the equal looks: their digest, and the time of the first
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
			if ripe { // the screen is still but unchanged since before the input: a reaction may take long
				limit = now.Add(w.Max)
			}
		}
		if err := o.Clock.Sleep(ctx, o.Gap); err != nil {
			return nil, err
		}
	}
}
