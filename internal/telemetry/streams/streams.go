// Package streams is where the store's lines come from while apps run: the logs of devices and the consoles of launched apps. What
// is followed belongs to the sessions that asked for it, and ends with them; it keeps no daemon alive. What is known to be missing
// becomes an entry.
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
	// Idle is after how long a session that makes no call follows nothing any more. Its next call on the device resumes.
	Idle = 10 * time.Minute
	// MostWants is how much all sessions may follow at once: each stream is a process.
	MostWants = 64
)

// Options configure a Manager.
type Options struct {
	Store *telemetry.Store
	// Dir is the manager's own folder, for what launched apps print. Beside it is a file, Dir with .json, of what the next daemon has to
	// know.
	Dir string
	// Gone reports whether a process that was launched on a simulator has ended for sure; nil: nobody knows.
	Gone func(pid int) bool
	// Ended is told that an app was seen to end, or with an empty id that all apps of a device did; nil tells nobody.
	Ended func(udid, app string)
	// Hide takes secrets out of a line. Where it did, the line is overwritten in a file of ours too; nil leaves them.
	Hide  func(string) string
	Now   func() time.Time // time.Now if nil
	Pause time.Duration    // before a stream that ended by itself is begun again, twice as long each time; 0 is 250 ms
	Log   *slog.Logger     // nil is silent
}

// Manager follows logs and consoles for sessions. It is safe for concurrent use.
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
	sweep    *time.Timer // ends what is idle; nil when nothing runs
	ticking  bool        // a goroutine reads consoles
	earlier  []followed  // what was followed, and is no longer
	launches []launch
	stale    bool // the notes
	noting   bool // a goroutine writes them

	fills chan struct{} // taken by each program that shows a past
	names sync.Map      // program → bundle id
}

// program is a process by its name, on a device.
type program struct{ udid, name string }

// learn finds out under which name an app logs.
func (m *Manager) learn(ctx context.Context, logs device.Logs, udid, app string) (string, error) {
	name, err := logs.LogName(ctx, app)
	if err == nil {
		m.names.Store(program{udid, name}, app)
	}
	return name, err
}

// appOf is the app that has a process of that name; empty where that is not known.
func (m *Manager) appOf(udid, name string) string {
	app, _ := m.names.Load(program{udid, name})
	bundle, _ := app.(string)
	return bundle
}

// New makes a manager. Nothing runs before something is followed.
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

// Request is what a session wants to follow of a device's log.
type Request struct {
	Owner      device.Owner
	App        string // bundle id; empty with All
	All        bool   // everything that is logged on the device
	Level      device.LogLevel
	Subsystems []string
	// On says that the device was on a moment ago.
	On bool
	// Launch says that the app is about to be launched: what was logged before is of no interest.
	Launch bool

	lacks gap
}

// spec is what one stream shows.
type spec struct {
	udid, app  string
	all        bool
	level      device.LogLevel
	subsystems string // sorted, with spaces between
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

// covers reports whether a stream shows everything that another would.
func (s spec) covers(o spec) bool {
	return s.udid == o.udid && (s.all || !o.all && s.app == o.app) && (s.subsystems == "" || s.subsystems == o.subsystems) &&
		slices.Index(fineness, s.level) >= slices.Index(fineness, o.level)
}

// want is that a session follows something.
type want struct {
	owner  device.Owner
	spec   spec
	device device.Device
	on     bool
	used   time.Time
	asleep bool // its session was idle; its next call on the device wakes it
	lacks  gap  // what it is to be told of the time before
}

// Follow begins to follow a log for a session, and returns at once: what goes wrong becomes the state of the source. Sessions that
// want the same share one stream, and where a stream shows all that another would there is only that one: no line comes twice.
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
			m.work.Go(func() { _, _ = m.learn(m.life, logs, s.udid, s.app) }) // its lines are there without the app's name
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

// reconcile begins the streams that are wanted and ends the others, and gives those that go on. It needs the mutex.
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

// schedule has what is idle ended when it is time. It needs the mutex.
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

// uses are when what runs was last used. It needs the mutex.
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

// Sweep ends what belongs to sessions that have been idle. The manager calls it by itself when it is time.
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

// Heard notes that a session made a call: what it follows is in use. A call that worked on a device resumes what waits for that
// device to be on, or was idle.
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

// Stop ends what a session follows of an app, or of the whole device when app is empty, and tells how many things that were.
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

// EndAll ends everything whose owner fits.
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
		m.note() // when each was last used
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
