package proxy

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"ios-agent/internal/network/rules"
)

// Command is the argument that makes our program the proxy's process.
const Command = "proxy-process"

// FirstPort is the first port to try when none was given.
const FirstPort = 9101

// Loopback is the default listening address.
const Loopback = "127.0.0.1"

// Options configure a Controller.
type Options struct {
	Dir     string // the proxy's folder in the home; Start creates it
	Program string // our own program, started as the process
	Run     Starter
	Own     func() []string       // addresses of ios-agent itself; may be nil
	Spooled func()                // called when the spool has new flows; must not wait; may be nil
	GivenUp func()                // called when the process ended too often to start it again
	Ended   func(context.Context) // called when the process has exited: open flows will not change any more
	// Drivers are the sessions that drive devices now; it may be nil.
	Drivers func(context.Context) rules.Drivers
	Left    func(session string) bool // reports that a session has left, so that its share of the proxy ends; may be nil
	Log     *slog.Logger              // nil is silent
	Now     func() time.Time
	Pause   time.Duration // before a restart, doubled each time; 0 is 250 ms
}

// Controller starts the proxy's process, restarts it after a crash, and talks to it. It is safe for concurrent use.
type Controller struct {
	o     Options
	life  context.Context
	end   context.CancelFunc
	work  sync.WaitGroup
	turn  chan struct{} // held while starting, stopping or changing settings
	reads chan struct{} // held while reading the folder of mocks

	mu       sync.Mutex
	wanted   bool // the proxy should run
	settings Settings
	told     rules.Drivers // the drivers that the process knows
	folder   folder
	link     *link  // nil: no process runs
	why      error  // why the wanted process does not run
	at       string // listening address
	since    time.Time
	crashes  []time.Time
	restarts int
	held     []rules.Held
	last     int64 // number of the newest hold so far
	flows    time.Time
	hits     map[string]int
	bypassed map[string]int64
	changed  chan struct{} // closed at every change
}

// New makes a Controller. Start or Resume starts the process.
func New(o Options) *Controller {
	o.Pause = cmp.Or(o.Pause, 250*time.Millisecond)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Spooled == nil {
		o.Spooled = func() {}
	}
	if o.GivenUp == nil {
		o.GivenUp = func() {}
	}
	if o.Ended == nil {
		o.Ended = func(context.Context) {}
	}
	c := &Controller{o: o, turn: make(chan struct{}, 1), reads: make(chan struct{}, 1), changed: make(chan struct{})}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// take waits for the turn.
func (c *Controller) take(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.life.Done():
		return &stoppedError{"the daemon leaves"}
	}
}

func (c *Controller) give() { <-c.turn }

// tell wakes the calls that wait for a change. The caller must hold the mutex.
func (c *Controller) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Start starts the proxy, for the owner in the settings. It fails if a proxy runs already, even with the same settings.
func (c *Controller) Start(ctx context.Context, s Settings) (Status, error) {
	if err := c.take(ctx); err != nil {
		return Status{}, err
	}
	defer c.give()
	if now := c.Status(); now.State == Running || now.State == Restarting {
		if now.Owner == s.Owner {
			now.Owner = ""
		}
		return now, &runningError{now.Listen, now.Owner}
	}
	if s.Folder != "" {
		f, err := openFolder(s.Folder)
		if err != nil {
			return Status{}, err
		}
		c.mu.Lock()
		c.folder = f
		c.mu.Unlock()
	}
	any := s.Port == 0
	s.Host, s.Port, s.Started = cmp.Or(s.Host, Loopback), cmp.Or(s.Port, FirstPort), c.o.Now().UTC()
	if err := os.MkdirAll(c.o.Dir, 0o700); err != nil {
		return Status{}, err
	}
	if err := c.launch(ctx, s, any); err != nil {
		c.forget()
		return Status{}, err
	}
	if err := c.save(); err != nil {
		return Status{}, errors.Join(err, c.halt(ctx))
	}
	c.work.Go(c.watchFolder)
	c.work.Go(func() { c.watchOwners(s.Started) })
	return c.Status(), nil
}

// launch starts a process, and makes its settings the Controller's. The caller must have the turn.
func (c *Controller) launch(ctx context.Context, s Settings, any bool) error {
	config := c.config(ctx, s)
	config.Next = any
	l, at, err := begin(ctx, c.o.Run, c.o.Program, config, c.hear)
	if err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(at)
	s.Port, _ = strconv.Atoi(port)
	c.mu.Lock()
	c.wanted, c.settings, c.told, c.link, c.at, c.why, c.since = true, s, config.Drivers, l, at, nil, c.o.Now()
	c.tell()
	c.mu.Unlock()
	c.work.Go(func() { c.watch(l) })
	return nil
}

func (c *Controller) config(ctx context.Context, s Settings) Config {
	out := Config{
		Dir: c.o.Dir, Listen: net.JoinHostPort(s.Host, strconv.Itoa(s.Port)), Bypass: s.bypass(),
		Upstream: cmp.Or(s.Upstream, s.Chained), Authorities: s.Authorities, Insecure: s.Insecure,
		Config: rules.Config{Shares: s.Shares(), Drivers: c.drivers(ctx)},
	}
	if c.o.Own != nil {
		out.Own = c.o.Own()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out.Mocks = s.allMocks(c.folder)
	return out
}

// hear handles an event of the process.
func (c *Controller) hear(from *link, said line) {
	if said.Event == eventFlows {
		c.o.Spooled()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil && c.link != from {
		return // the event comes from a replaced process
	}
	switch said.Event {
	case eventFlows:
		c.flows, c.hits = c.o.Now(), said.Hits
	case eventHeld:
		if said.Held != nil {
			c.held, c.last = append(c.held, *said.Held), max(c.last, said.Held.Sequence)
		}
	case eventReleased:
		c.held = slices.DeleteFunc(c.held, func(h rules.Held) bool { return h.Flow.ID == said.Flow })
	case eventFailed:
		c.o.Log.Warn("the proxy stopped accepting connections", "error", said.Error)
	}
	c.tell()
}

const (
	mostCrashes = 8 // in a minute; after that the process is not restarted
	crashWindow = time.Minute
)

// watch restarts the process when it exits unexpectedly.
func (c *Controller) watch(l *link) {
	<-l.over
	c.o.Ended(context.Background())
	close(l.told)
	c.mu.Lock()
	if c.link != l {
		c.mu.Unlock()
		return // the exit was requested
	}
	_, err := l.process.Result()
	if err == nil {
		err = errors.New("the process ended unexpectedly")
	}
	now := c.o.Now()
	c.crashes = append(slices.DeleteFunc(c.crashes, func(t time.Time) bool { return now.Sub(t) > crashWindow }), now)
	c.link, c.why, c.held = nil, err, nil
	n := len(c.crashes)
	c.tell()
	c.mu.Unlock()
	c.o.Log.Warn("the proxy's process ended; restarting", "error", err, "times", n)
	c.again(n)
}

// again starts processes until one runs, the proxy is stopped, or the number of attempts is used up.
func (c *Controller) again(times int) {
	for ; times <= mostCrashes; times++ {
		pause := time.NewTimer(c.o.Pause << (times - 1) / 2)
		select {
		case <-pause.C:
		case <-c.life.Done():
			pause.Stop()
			return
		}
		done, err := c.retry()
		if done {
			return
		}
		c.o.Log.Warn("cannot restart the proxy's process", "error", err)
	}
	c.mu.Lock()
	c.why = &brokenError{mostCrashes, c.why}
	c.o.Log.Error("giving up on the proxy", "error", c.why)
	c.wanted = false
	c.tell()
	c.mu.Unlock()
	c.o.GivenUp()
}

// retry starts a process with the current settings. done says that one runs or that the proxy is stopped.
func (c *Controller) retry() (done bool, err error) {
	if c.take(c.life) != nil {
		return true, nil
	}
	defer c.give()
	c.mu.Lock()
	s, wanted, runs := c.settings, c.wanted, c.link != nil
	c.mu.Unlock()
	if !wanted || runs {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(c.life, startLimit)
	defer cancel()
	if err := c.launch(ctx, s, false); err != nil {
		c.mu.Lock()
		c.why = err
		c.mu.Unlock()
		return false, err
	}
	c.mu.Lock()
	c.restarts++
	c.mu.Unlock()
	return true, nil
}

// startLimit is how long a process may take to listen.
const startLimit = time.Minute

// live is the running process. It waits while the process is being restarted.
func (c *Controller) live(ctx context.Context) (*link, error) {
	for {
		c.mu.Lock()
		l, wanted, why, changed := c.link, c.wanted, c.why, c.changed
		c.mu.Unlock()
		switch {
		case l != nil && !l.ended():
			return l, nil
		case l != nil: // watch is handling its end
		case !wanted && why != nil:
			return nil, &stoppedError{why.Error()}
		case !wanted:
			return nil, &stoppedError{}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.life.Done():
			return nil, &stoppedError{"the daemon leaves"}
		}
	}
}

// Stop ends the proxy for a session. It forgets settings, mocks and holds; captured flows stay. While another session has a share of the
// proxy, Stop returns a *rules.OwnedError.
func (c *Controller) Stop(ctx context.Context, by string) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	defer c.give()
	now := c.Status()
	if now.State == Stopped {
		return &stoppedError{now.Error}
	}
	if err := now.mayStop(by); err != nil {
		return err
	}
	if err := c.removeNotes(); err != nil {
		return err
	}
	return c.halt(ctx)
}

// halt ends the running process. The caller must have the turn.
func (c *Controller) halt(ctx context.Context) error {
	c.mu.Lock()
	l := c.link
	c.mu.Unlock()
	c.forget()
	if l == nil {
		return nil
	}
	err := l.end(context.WithoutCancel(ctx))
	select {
	case <-l.told: // otherwise the next process's flows could be mistaken for this one's open flows
	case <-ctx.Done():
	}
	return err
}

// forget resets the Controller to its state before Start.
func (c *Controller) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted, c.link, c.why, c.at, c.settings, c.folder = false, nil, nil, "", Settings{}, folder{}
	c.held, c.crashes, c.restarts, c.hits, c.bypassed = nil, nil, 0, nil, nil
	c.tell()
}

// Close ends the process and leaves the note: the next daemon starts the proxy again.
func (c *Controller) Close() error {
	c.end()
	c.turn <- struct{}{} // c.end makes the holder of the turn give it back soon
	err := c.halt(context.Background())
	<-c.turn
	c.work.Wait()
	return err
}
