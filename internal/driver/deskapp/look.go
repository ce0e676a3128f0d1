package deskapp

import (
	"context"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// look is the result of one look.
type look struct {
	tree   *desktop.Tree
	screen *ui.Screen
	told   uint64 // number of the app's events before the look
}

// Observe reads the windows. They are still when the app has sent no event for as long as the wait says. An app that sends many events
// but always shows the same is still too.
func (p *process) Observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	began := p.driver.Clock.Now()
	w.Stable = stillFor(w)
	for {
		seen, err := p.settled(ctx, w)
		if err != nil {
			return nil, err
		}
		spent := p.driver.Clock.Now().Sub(began)
		left := w.Patience - spent
		if !seen.screen.Settled || w.Unlike == "" || seen.screen.Digest != w.Unlike || left <= 0 || ctx.Err() != nil {
			seen.screen.Waited = spent
			return seen.screen, nil
		}
		p.ears.wait(ctx, seen.told, left) // an event, or the end of patience: both lead to another look
		w.Min = 0
	}
}

// shortest is the minimum time without an event after which an app counts as still.
const shortest = desktop.UsualSettle / 2

// stillFor is the time without an event after which an app is still. Apps send events at once, so half of the available time is enough.
func stillFor(w device.Wait) time.Duration {
	if w.Max <= 0 {
		return w.Stable
	}
	return min(w.Stable, max(w.Max/2, shortest))
}

// settled looks until the windows are still, or until the wait ends.
func (p *process) settled(ctx context.Context, w device.Wait) (look, error) {
	began := p.driver.Clock.Now()
	var before *ui.Screen
	for {
		told, quiet := p.quiet(ctx, w, began)
		seen, err := p.see(ctx, w.Depth)
		now := p.app.Events()
		spent := p.driver.Clock.Now().Sub(began)
		still := quiet && now == told
		if err == nil {
			still = still || w.Stable > 0 && before != nil && before.Hash() == seen.screen.Hash()
			before = seen.screen
		}
		if still && spent >= w.Min || spent >= w.Max || ctx.Err() != nil || err != nil && !fault.Is(err, fault.AppNotInFront) {
			if err == nil {
				seen.screen.Settled = still
			}
			return seen, err
		}
	}
}

// glance is the time without an event that makes an app still for a look without a wait.
const glance = 100 * time.Millisecond

// quiet waits until the app has sent no event for as long as the wait says, or until it has sent events for that long. It returns the
// number of events until then.
func (p *process) quiet(ctx context.Context, w device.Wait, began time.Time) (told uint64, quiet bool) {
	entered, stable := p.driver.Clock.Now(), w.Stable
	if stable == 0 {
		stable = glance
	}
	for {
		told, at := p.ears.heard()
		if w.Unlike != "" {
			at = later(at, began) // after an input, the app may be about to send its events
		}
		now := p.driver.Clock.Now()
		still := now.Sub(at) >= stable
		enough := still || w.Stable == 0 || now.Sub(entered) >= w.Stable
		if enough && now.Sub(began) >= w.Min || now.Sub(began) >= w.Max || ctx.Err() != nil {
			return told, still
		}
		until := began.Add(w.Min)
		if !enough {
			until = later(until, earlier(at.Add(w.Stable), entered.Add(w.Stable)))
		}
		p.ears.wait(ctx, told, earlier(until, began.Add(w.Max)).Sub(now))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// see looks once.
func (p *process) see(ctx context.Context, depth int) (look, error) {
	told := p.app.Events()
	p.mu.Lock()
	p.stale = false
	p.mu.Unlock()
	tree, err := inTurn{p}.Look(ctx, desktop.Limits{Depth: depth})
	if err != nil {
		p.stir()
		return look{}, err
	}
	if len(tree.Windows) == 0 {
		return look{told: told}, p.windowless()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := look{tree, screenOf(p.name, tree), told}
	p.shown = true
	p.seen = &seen
	return seen, nil
}

// windowless is the fault of a process without a window.
func (p *process) windowless() error {
	p.mu.Lock()
	shown := p.shown
	p.mu.Unlock()
	says := "%s (PID %d) shows no window yet"
	if shown {
		says = "%s (PID %d) no longer shows a window"
	}
	return fault.New(fault.AppNotInFront, says, p.name, p.pid).With("pid", p.pid).
		WithHint("wait for its text: %s; or start it again", hint.Do("wait", "text", "TEXT")).WithDispatch(fault.NotDispatched)
}

// last returns the last look, if any.
func (p *process) last() (look, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		return look{}, false
	}
	return *p.seen, true
}

// present is the current state: the last look, unless an action or an event came after it.
func (p *process) present(ctx context.Context, depth int) (look, error) {
	if err := p.answers(); err != nil {
		return look{}, err
	}
	p.mu.Lock()
	stale := p.stale
	p.mu.Unlock()
	if seen, is := p.last(); is && !stale && seen.told == p.app.Events() {
		return seen, nil
	}
	return p.see(ctx, depth)
}

func (p *process) focused(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.focus = key
}
