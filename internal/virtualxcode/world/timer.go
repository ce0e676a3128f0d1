package world

import (
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// timer is steps of an app that are to run at a time. No goroutine waits for it: before a device is read or touched,
// everything that was due happens, in order. So what is seen depends on the clock alone.
type timer struct {
	Number int // of the timer in the app; launching are the steps of its start
	At     time.Time
}

const launching = -1

// maxTimers bounds how many can run at once, for apps that start new ones from old ones.
const maxTimers = 256

// StartTimer implements app.Stage. One of the same name begins anew.
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

// catchUp runs the timers that are due at now and tells the app the answers it waits for, the earliest first, each at
// its own time. An answer that is due and not there yet is returned: p must not go on without it.
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

// nextTimer is the place of the timer that is due first, -1 without any. Of two at one time the older goes first.
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

// advance lets everything on d happen that was due by now. It is called, under the lock, before a device is read or
// touched. late is the answer to a request that has to come first.
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
