package world

import (
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// timer holds steps of an app that run at a given time. No goroutine waits for it: before a caller reads or touches a device, all due
// actions happen in order. So the screen depends on the clock alone.
type timer struct {
	Number int // number of the timer in the app; launching are the steps of its start
	At     time.Time
}

const launching = -1

// maxTimers is the maximum number of running timers, for apps whose timers start timers.
const maxTimers = 256

// StartTimer implements app.Stage. A timer with the same name restarts.
func (s stage) StartTimer(t *app.Timer) {
	if t.Name != "" {
		s.StopTimer(t.Name)
	}
	if len(s.Timers) < maxTimers {
		s.Timers = append(s.Timers, timer{Number: t.Number, At: s.now.Add(t.After)})
	}
}

// StopTimer implements app.Stage.
func (s stage) StopTimer(name string) {
	s.Timers = slices.DeleteFunc(s.Timers, func(t timer) bool {
		return t.Number >= 0 && s.bundle.App.Timers[t.Number].Name == name
	})
}

// catchUp runs the due timers and delivers the due answers, in order of time, each at its own time. If an answer is due but has not
// arrived, catchUp returns it: p must not continue without it.
func (p *process) catchUp(now time.Time) (late <-chan struct{}) {
	for p.Fatal == nil && !p.Left {
		i := p.nextTimer()
		if c, at := p.nextCall(); c != nil && !at.After(now) && (i < 0 || !p.Timers[i].At.Before(at)) {
			if c.Answer == nil {
				return c.task.Done()
			}
			p.on.dirty = true
			p.finish(c, at, now)
			continue
		}
		if i < 0 || p.Timers[i].At.After(now) {
			return nil
		}
		p.on.dirty = true
		t := p.Timers[i]
		p.Timers = slices.Delete(p.Timers, i, i+1)
		if t.Number == launching {
			p.begin(t.At)
			continue
		}
		def := p.bundle.App.Timers[t.Number]
		if def.Every {
			p.Timers = append(p.Timers, timer{Number: t.Number, At: t.At.Add(def.After)})
		}
		p.use(def.Do, t.At)
	}
	return nil
}

// nextTimer is the index of the earliest timer, or -1. Of two timers at the same time the older comes first.
func (p *process) nextTimer() int {
	next := -1
	for i, t := range p.Timers {
		if next < 0 || t.At.Before(p.Timers[next].At) {
			next = i
		}
	}
	return next
}

func (p *process) begin(now time.Time) {
	p.use(p.bundle.App.Launch, now)
	stage{p, now}.appear(p.Stack[0])
	p.use(nil, now)
}

// advance runs all due actions on d. It is called, under the lock, before a caller reads or touches a device. late is a request whose
// answer must come first.
func (d *device) advance(now time.Time) (late <-chan struct{}) {
	d.deliver(now)
	for _, p := range slices.Clone(d.Running) {
		if p.busy.at(now) {
			continue
		}
		p.refresh()
		if waits := p.catchUp(now); waits != nil {
			late = waits
		}
		d.settle(p, now)
	}
	d.world.report(d)
	return late
}
