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

// Command is the word of the command line that makes our program the proxy's process.
const Command = "proxy-process"

// FirstPort is the port that is tried first when none was asked for.
const FirstPort = 9101

// Loopback is where it listens unless somebody asks otherwise.
const Loopback = "127.0.0.1"

// Options configure a Controller.
type Options struct {
	Dir     string // of the home; made when a proxy is started
	Program string // our own, which is started as the process
	Run     Starter
	Own     func() []string       // addresses of ios-agent itself; nil: none
	Spooled func()                // there is more in the spool; must not wait. nil: nobody reads it
	GivenUp func()                // it ended too often, and is not started again
	Ended   func(context.Context) // the process is gone: of flows that are open nothing more comes
	// Drivers are the sessions that drive devices now; nil: nobody drives any.
	Drivers func(context.Context) rules.Drivers
	Left    func(session string) bool // it has left: what it has of the proxy ends; nil: none ever does
	Log     *slog.Logger              // nil is silent
	Now     func() time.Time
	Pause   time.Duration // before a process that ended is started again, twice as long each time; 0 is 250 ms
}

// Controller starts the proxy's process, keeps it running, and speaks with it. It is safe for concurrent use.
type Controller struct {
	o     Options
	life  context.Context
	end   context.CancelFunc
	work  sync.WaitGroup
	turn  chan struct{} // one at a time starts, stops or changes settings
	reads chan struct{} // one at a time reads the folder of mocks

	mu       sync.Mutex
	wanted   bool // it is to run
	settings Settings
	told     rules.Drivers // that the process knows
	folder   folder
	link     *link  // nil: no process runs
	why      error  // it does not run although it is wanted
	at       string // where it takes connections
	since    time.Time
	crashes  []time.Time
	restarts int
	held     []rules.Held
	last     int64 // the newest that was ever held
	flows    time.Time
	hits     map[string]int
	bypassed map[string]int64
	changed  chan struct{} // closed at every change
}

// New makes a controller. Nothing runs before Start or Resume.
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

// take waits for the turn to change something.
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

// tell wakes who waits for a change. The caller has the mutex.
func (c *Controller) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Start starts the proxy, for the owner that the settings name. One that runs already is an error, whatever its settings.
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

// launch starts a process with settings that become the controller's. The caller has the turn.
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

// hear takes what the process tells.
func (c *Controller) hear(from *link, said line) {
	if said.Event == eventFlows {
		c.o.Spooled()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil && c.link != from {
		return // of one that was replaced
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
		c.o.Log.Warn("the proxy takes no connections any more", "error", said.Error)
	}
	c.tell()
}

const (
	mostCrashes = 8 // in a minute; then no new process is started
	crashWindow = time.Minute
)

// watch starts a new process when one ended by itself.
func (c *Controller) watch(l *link) {
	<-l.over
	c.o.Ended(context.Background())
	close(l.told)
	c.mu.Lock()
	if c.link != l {
		c.mu.Unlock()
		return // it was told to
	}
	_, err := l.process.Result()
	if err == nil {
		err = errors.New("it ended by itself")
	}
	now := c.o.Now()
	c.crashes = append(slices.DeleteFunc(c.crashes, func(t time.Time) bool { return now.Sub(t) > crashWindow }), now)
	c.link, c.why, c.held = nil, err, nil
	n := len(c.crashes)
	c.tell()
	c.mu.Unlock()
	c.o.Log.Warn("the proxy's process ended; a new one is started", "error", err, "times", n)
	c.again(n)
}

// again starts a process until one runs, nobody wants it any more, or it was tried often enough.
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
		c.o.Log.Warn("the proxy's process did not start again", "error", err)
	}
	c.mu.Lock()
	c.why = &brokenError{mostCrashes, c.why}
	c.o.Log.Error("the proxy is given up", "error", c.why)
	c.wanted = false
	c.tell()
	c.mu.Unlock()
	c.o.GivenUp()
}

// retry starts a process with the settings there are. It is done when one runs, or when none is wanted.
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

// live is the process that runs. One that is just being started again is waited for.
func (c *Controller) live(ctx context.Context) (*link, error) {
	for {
		c.mu.Lock()
		l, wanted, why, changed := c.link, c.wanted, c.why, c.changed
		c.mu.Unlock()
		switch {
		case l != nil && !l.ended():
			return l, nil
		case l != nil: // its end is being noted
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

// Stop ends the proxy for a session. Its settings, mocks and holds are forgotten; what it captured is kept. While another session has
// something of it, it is an *rules.OwnedError.
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

// halt ends the process that runs. The caller has the turn.
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
	case <-l.told: // else what the next one tells could be taken for what this one left open
	case <-ctx.Done():
	}
	return err
}

// forget makes it as it was before a start.
func (c *Controller) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted, c.link, c.why, c.at, c.settings, c.folder = false, nil, nil, "", Settings{}, folder{}
	c.held, c.crashes, c.restarts, c.hits, c.bypassed = nil, nil, 0, nil, nil
	c.tell()
}

// Close ends the process and leaves the note of it: the next daemon starts it again.
func (c *Controller) Close() error {
	c.end()
	c.turn <- struct{}{} // who has the turn gives it soon, now that the life is over
	err := c.halt(context.Background())
	<-c.turn
	c.work.Wait()
	return err
}
