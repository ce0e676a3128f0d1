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

// look is what one look showed.
type look struct {
	tree   *desktop.Tree
	screen *ui.Screen
	told   uint64 // how many events the app had told before
}

// Observe looks at the windows. What the app tells says when they are still: nothing for as long as the wait says. An app that tells
// much and shows always the same is still too.
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
		p.ears.wait(ctx, seen.told, left) // an event, or the end of patience: both are looked at
		w.Min = 0
	}
}

// shortest is the least time without a word after which an app is called still, however little time there is.
const shortest = desktop.UsualSettle / 2

// stillFor is how long an app must have told nothing to be still. It tells at once, so half of the time there is will do.
func stillFor(w device.Wait) time.Duration {
	if w.Max <= 0 {
		return w.Stable
	}
	return min(w.Stable, max(w.Max/2, shortest))
}

// settled looks until the windows are still, or for as long as the wait allows.
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

// glance is how long nothing must have been told that a look without a wait finds still.
const glance = 100 * time.Millisecond

// quiet waits until the app has told nothing for as long as the wait says, or until it has told something for that long. It gives what
// the app has told until then.
func (p *process) quiet(ctx context.Context, w device.Wait, began time.Time) (told uint64, quiet bool) {
	entered, stable := p.driver.Clock.Now(), w.Stable
	if stable == 0 {
		stable = glance
	}
	for {
		told, at := p.ears.heard()
		if w.Unlike != "" {
			at = later(at, began) // an input was sent: the app may be about to tell what came of it
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

// windowless is the fault of a process that shows no window.
func (p *process) windowless() error {
	p.mu.Lock()
	shown := p.shown
	p.mu.Unlock()
	says := "%s (PID %d) shows no window yet"
	if shown {
		says = "%s (PID %d) shows no window any more"
	}
	return fault.New(fault.AppNotInFront, says, p.name, p.pid).With("pid", p.pid).
		WithHint("wait for its text: %s; or start it again", hint.Do("wait", "text", "TEXT")).WithDispatch(fault.NotDispatched)
}

// last is the last look; false when there was none.
func (p *process) last() (look, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		return look{}, false
	}
	return *p.seen, true
}

// present is what is shown now: the last look, if nothing was done and the app has told nothing since.
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
