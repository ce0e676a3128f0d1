// Package streams feeds the store while apps run: from the logs of devices and the output of launched apps. A Manager starts a stream
// when a session asks with Follow or launches an app with Printed. Streams belong to sessions and end with them; they do not keep a
// daemon alive. Lines known to be missing become an entry.
package streams

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/telemetry"
)

const (
	// Idle is the time without calls after which a session's streams end. Its next call on the device resumes them.
	Idle = 10 * time.Minute
	// MostWants is the maximum number of logs that all sessions follow: each stream is a process.
	MostWants = 64
)

// Options configure a Manager.
type Options struct {
	Store *telemetry.Store
	// Dir is the manager's own folder for the output of launched apps. The file Dir.json has the state for the next daemon.
	Dir string
	// Gone reports whether a launched simulator process has certainly ended; nil: unknown.
	Gone func(pid int) bool
	// Ended is called when an app has ended, or with an empty id when all apps of a device have. It may be nil.
	Ended func(udid, app string)
	// Hide removes secrets from a line. The manager then overwrites the line in its own files too. It may be nil.
	Hide  func(string) string
	Now   func() time.Time // time.Now if nil
	Pause time.Duration    // pause before the restart of a stream, doubled each time; 0 is 250 ms
	Log   *slog.Logger     // nil is silent
}

// Manager follows logs and app output for sessions. It is safe for concurrent use.
type Manager struct {
	o    Options
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	wants    []*want
	streams  []*stream
	consoles []*console
	sweep    *time.Timer // timer for idle streams; nil without streams
	ticking  bool        // a goroutine reads consoles
	earlier  []followed  // logs that are no longer followed
	launches []launch
	stale    bool // the notes need a write
	noting   bool // a goroutine writes the notes

	fills chan struct{} // limits the parallel readers of past logs
	names sync.Map      // program → bundle id
}

// program is a process of a device by name.
type program struct{ udid, name string }

// learn asks under which name an app logs.
func (m *Manager) learn(ctx context.Context, logs device.Logs, udid, app string) (string, error) {
	name, err := logs.LogName(ctx, app)
	if err == nil {
		m.names.Store(program{udid, name}, app)
	}
	return name, err
}

// appOf is the app with a process of a name; empty if it is unknown.
func (m *Manager) appOf(udid, name string) string {
	app, _ := m.names.Load(program{udid, name})
	bundle, _ := app.(string)
	return bundle
}

// New makes a manager without a running stream.
func New(o Options) *Manager {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Pause <= 0 {
		o.Pause = 250 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Ended == nil {
		o.Ended = func(string, string) {}
	}
	m := &Manager{o: o, fills: make(chan struct{}, pastLines)}
	before := m.readNotes()
	m.earlier, m.launches = before.Followed, before.Launches
	m.life, m.end = context.WithCancel(context.Background())
	return m
}

// Request selects the log that a session wants to follow.
type Request struct {
	Owner      device.Owner
	App        string // bundle id; empty with All
	All        bool   // the log of the whole device
	Level      device.LogLevel
	Subsystems []string
	// On means that the device was on a moment ago.
	On bool
	// Launch means that the app is about to be launched, so its earlier lines are not needed.
	Launch bool

	lacks gap
}

// spec is the content of one stream.
type spec struct {
	udid, app  string
	all        bool
	level      device.LogLevel
	subsystems string // sorted, separated by spaces
}

func (r Request) spec() spec {
	s := spec{udid: r.Owner.UDID, app: r.App, all: r.All, level: r.Level}
	if s.all {
		s.app = ""
	}
	if s.level == "" {
		s.level = device.LogDefault
	}
	names := slices.Clone(r.Subsystems)
	slices.Sort(names)
	s.subsystems = strings.Join(slices.Compact(names), " ")
	return s
}

var fineness = []device.LogLevel{device.LogDefault, device.LogInfo, device.LogDebug}

// covers reports whether a stream shows everything of another spec.
func (s spec) covers(o spec) bool {
	return s.udid == o.udid && (s.all || !o.all && s.app == o.app) && (s.subsystems == "" || s.subsystems == o.subsystems) &&
		slices.Index(fineness, s.level) >= slices.Index(fineness, o.level)
}

// want is one session's wish to follow a log.
type want struct {
	owner  device.Owner
	spec   spec
	device device.Device
	on     bool
	used   time.Time
	asleep bool // its session was idle; its next call on the device wakes it
	lacks  gap  // the gap before its stream
}

// Follow begins to follow a log for a session, and returns at once: failures become the state of the source. Sessions with the same
// wish share one stream. A stream that shows everything of another replaces it, so that no line comes twice.
func (m *Manager) Follow(d device.Device, r Request) *Following {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := r.spec()
	if m.closed {
		return &Following{}
	}
	i := slices.IndexFunc(m.wants, func(w *want) bool { return w.owner == r.Owner && w.spec == s })
	if i < 0 {
		if len(m.wants) >= MostWants {
			m.forgetOldest()
		}
		if r.Launch {
			r.lacks.from = m.o.Now()
		}
		i, m.wants = len(m.wants), append(m.wants, &want{owner: r.Owner, spec: s, lacks: r.lacks})
		m.forget(func(f followed) bool { return f.is(m.wants[i]) })
		m.note()
	}
	w := m.wants[i]
	w.device, w.on, w.used, w.asleep = d, r.On, m.o.Now(), false
	for _, one := range m.reconcile() {
		if !one.spec.covers(s) {
			continue
		}
		one.nudge()
		if logs, able := device.Has[device.Logs](d); able && one.spec != s {
			m.work.Go(func() { _, _ = m.learn(m.life, logs, s.udid, s.app) }) // until then, its lines lack the app's name
		}
		return &Following{one}
	}
	return &Following{}
}

// forgetOldest makes room. It needs the mutex.
func (m *Manager) forgetOldest() {
	oldest := slices.MinFunc(m.wants, func(a, b *want) int { return a.used.Compare(b.used) })
	m.wants = slices.DeleteFunc(m.wants, func(w *want) bool { return w == oldest })
}

// reconcile starts wanted streams and ends unwanted ones, and returns the others. It needs the mutex.
func (m *Manager) reconcile() []*stream {
	var needed []*want
	for _, w := range m.wants {
		if w.asleep || slices.ContainsFunc(needed, func(n *want) bool { return n.spec.covers(w.spec) }) {
			continue
		}
		needed = slices.DeleteFunc(needed, func(n *want) bool { return w.spec.covers(n.spec) })
		needed = append(needed, w)
	}
	var goesOn []*stream
	for _, w := range needed {
		i := slices.IndexFunc(m.streams, func(s *stream) bool { return s.spec == w.spec })
		if i >= 0 {
			goesOn = append(goesOn, m.streams[i])
			continue
		}
		goesOn = append(goesOn, m.begin(w))
	}
	for _, s := range m.streams {
		if !slices.Contains(goesOn, s) {
			s.cancel()
		}
	}
	m.streams = goesOn
	m.schedule()
	return goesOn
}

// schedule sets the timer that ends idle streams. It needs the mutex.
func (m *Manager) schedule() {
	if m.sweep != nil {
		m.sweep.Stop()
		m.sweep = nil
	}
	var first time.Time
	for _, used := range m.uses() {
		if first.IsZero() || used.Before(first) {
			first = used
		}
	}
	if !first.IsZero() && !m.closed {
		m.sweep = time.AfterFunc(max(first.Add(Idle).Sub(m.o.Now()), time.Second), m.Sweep)
	}
}

// uses are the times of last use of the running streams and consoles. It needs the mutex.
func (m *Manager) uses() (all []time.Time) {
	for _, w := range m.wants {
		if !w.asleep {
			all = append(all, w.used)
		}
	}
	for _, c := range m.consoles {
		if !c.asleep {
			all = append(all, c.used)
		}
	}
	return all
}

// Sweep ends the streams of idle sessions. The manager calls it by itself in time.
func (m *Manager) Sweep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	late := m.o.Now().Add(-Idle)
	for _, w := range m.wants {
		if !w.asleep && !w.used.After(late) {
			w.asleep = true
			w.lacks = gap{m.o.Now().Add(-backlash), "the session was idle for a while, so the log was not followed"}
		}
	}
	for _, c := range m.consoles {
		c.asleep = c.asleep || !c.used.After(late)
	}
	m.reconcile()
}

// Heard records a call of a session, so its streams stay in use. A call that worked on a device also resumes streams that were idle or
// waited for that device.
func (m *Manager) Heard(session, udid string, worked bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, woken := m.o.Now(), false
	for _, w := range m.wants {
		if w.owner.Session != session {
			continue
		}
		if w.asleep && worked && w.owner.UDID == udid {
			w.asleep, woken = false, true
		}
		w.used = now
	}
	for _, c := range m.consoles {
		if c.owner.Session == session {
			c.used, c.asleep = now, c.asleep && c.owner.UDID != udid
		}
	}
	if woken {
		m.reconcile()
	}
	if !worked || udid == "" {
		return
	}
	for _, s := range m.streams {
		if s.spec.udid == udid && s.waitsForDevice() {
			s.nudge()
		}
	}
	m.tick()
}

// Stop ends a session's streams of an app, or of the whole device if app is empty, and returns their number.
func (m *Manager) Stop(owner device.Owner, app string) (ended int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wants = slices.DeleteFunc(m.wants, func(w *want) bool {
		gone := w.owner == owner && (app == "" || w.spec.app == app)
		if gone {
			ended++
		}
		return gone
	})
	if m.forget(func(f followed) bool { return f.Device == owner.UDID && (app == "" || f.App == app) }) || ended > 0 {
		m.note()
	}
	m.reconcile()
	return ended
}

// EndAll ends everything with a matching owner.
func (m *Manager) EndAll(fits func(device.Owner) bool) {
	m.mu.Lock()
	m.wants = slices.DeleteFunc(m.wants, func(w *want) bool {
		gone := fits(w.owner)
		if gone {
			m.remember(w)
			m.note()
		}
		return gone
	})
	m.reconcile()
	over := m.takeConsoles(func(c *console) bool { return fits(c.owner) })
	m.mu.Unlock()
	for _, c := range over {
		c.finish(keepFiles) // its app still runs
	}
}

// Close ends everything and waits for it.
func (m *Manager) Close() error {
	m.mu.Lock()
	if len(m.wants) > 0 {
		m.note() // with the times of last use
	}
	m.closed = true
	if m.sweep != nil {
		m.sweep.Stop()
	}
	m.end()
	over := m.takeConsoles(func(*console) bool { return true })
	m.mu.Unlock()
	m.work.Wait()
	for _, c := range over {
		c.finish(keepFiles)
	}
	return nil
}
