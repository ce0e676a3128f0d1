// Package capture is the daemon's side of the network: it takes flows from the proxy's spool into the telemetry store and answers what is
// asked about them. It knows nothing of the proxy's process but the folder in which that leaves flows and bodies.
package capture

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/spool"
	"ios-agent/internal/telemetry"
)

// Kind is that of the documents.
const Kind = "flow"

// What is kept where nothing is said.
const (
	mostFlows  = 50_000
	mostBytes  = 256 << 20 // of flows in the store, which keeps lines too
	mostBodies = 512 << 20 // of files
	mostFilled = 96 << 20  // of bodies that calls read at once
)

// How many flows, and about how many bytes, one transaction takes; how long after one the next begins; and after how many new flows it is
// looked whether there are too many.
const (
	batchFlows = 1_000
	batchBytes = 8 << 20
	readEvery  = 50 * time.Millisecond
	trimEvery  = 2_000
)

// Flows that nobody asked for are stored when no device is being driven: so long after the last action, or so long after they came.
const (
	calmAfter = 100 * time.Millisecond
	mostLate  = time.Second
)

// The marks in the store: how far the spool was read.
const (
	markSegment = "spool segment"
	markOffset  = "spool offset"
)

// Options say where flows come from and what is kept.
type Options struct {
	Store  *telemetry.Store
	Spool  string              // folder
	Bodies string              // folder
	Hide   func(string) string // takes known secrets out of a text before it is stored; nil leaves it
	// Decode undoes the coding of a body, and gives at most so many bytes. Without it bodies with a coding are shown as far as flows have
	// them.
	Decode func(coding string, wire []byte, most int64) ([]byte, error)
	Now    func() time.Time
	Log    *slog.Logger

	MostFlows  int   // 50,000 if 0
	MostBytes  int64 // of flows in the store; 256 MB if 0
	MostBodies int64 // bytes of files; 512 MB if 0
	MostFilled int64 // bytes of the bodies that calls read at once; 96 MB if 0
}

// Capture takes flows into the store. It is safe for concurrent use. It has no goroutine while nothing arrives.
type Capture struct {
	o       Options
	turn    chan struct{} // held by whoever reads the spool; it has the next five
	reader  *spool.Reader // nil: neither the position nor what is stored is known yet
	at      spool.Position
	known   index
	fresh   int   // flows since it was looked whether there are too many,
	filed   int64 // and bytes of their bodies in files
	closing chan struct{}
	running sync.WaitGroup
	acted   atomic.Int64 // when a device was driven last, in nanoseconds
	room    room         // for bodies that are read

	mu      sync.Mutex
	closed  bool
	rung    bool // there is more in the spool
	busy    bool // a goroutine reads
	failing error
	waiting map[*waiter]bool
	lost    map[string]int  // flows that are not there, by the reason
	broken  map[string]bool // ids of those that the store has and cannot give
}

// New makes it. Nothing is read before somebody rings or asks.
func New(o Options) *Capture {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Hide == nil {
		o.Hide = func(text string) string { return text }
	}
	o.MostFlows, o.MostBytes = cmp.Or(o.MostFlows, mostFlows), cmp.Or(o.MostBytes, mostBytes)
	o.MostBodies, o.MostFilled = cmp.Or(o.MostBodies, mostBodies), cmp.Or(o.MostFilled, mostFilled)
	return &Capture{
		o: o, turn: make(chan struct{}, 1), closing: make(chan struct{}), waiting: map[*waiter]bool{}, fresh: trimEvery,
		lost: map[string]int{}, broken: map[string]bool{},
		room: room{left: o.MostFilled, freed: make(chan struct{})},
	}
}

// Ring says that there is more in the spool. It does not wait.
func (c *Capture) Ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rung = true
	if c.closed || c.busy {
		return
	}
	c.busy = true
	c.running.Add(1)
	go c.run()
}

// run reads while there is something; between two transactions it waits a little, so that each has many flows.
func (c *Capture) run() {
	defer c.running.Done()
	pause := time.NewTimer(readEvery)
	defer pause.Stop()
	for {
		c.mu.Lock()
		if c.closed || !c.rung {
			c.busy = false
			c.mu.Unlock()
			return
		}
		c.rung = false
		c.mu.Unlock()
		for came := time.Now(); c.acts() && time.Since(came) < mostLate; {
			if !c.rest(pause) {
				break
			}
		}
		_ = c.Sync(context.Background()) // it told the log
		c.rest(pause)
	}
}

// rest waits a little; it reports whether there is more time.
func (c *Capture) rest(pause *time.Timer) bool {
	pause.Reset(readEvery)
	select {
	case <-pause.C:
		return true
	case <-c.closing:
		return false
	}
}

// Acts says that a device is being driven: the processor is needed for that.
func (c *Capture) Acts() { c.acted.Store(time.Now().UnixNano()) }

// acts reports whether one is, and nobody waits for a flow.
func (c *Capture) acts() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) == 0 && time.Since(time.Unix(0, c.acted.Load())) < calmAfter
}

// Sync returns when all that is in the spool can be found.
func (c *Capture) Sync(ctx context.Context) error {
	return c.inTurn(ctx, func() error { return c.tried(ctx, c.read(ctx)) })
}

// tried tells the log that flows cannot be stored, once until they can.
func (c *Capture) tried(ctx context.Context, err error) error {
	c.mu.Lock()
	first := c.failing == nil
	c.failing = err
	c.mu.Unlock()
	if err != nil && first && ctx.Err() == nil {
		c.o.Log.Error("flows cannot be stored", "error", err)
	}
	return err
}

func (c *Capture) inTurn(ctx context.Context, fn func() error) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.turn }()
	return fn()
}

// read takes what is in the spool into the store. The position is stored with the flows: after a kill -9 each is taken once.
func (c *Capture) read(ctx context.Context) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	end, err := spool.End(c.o.Spool) // what comes meanwhile is for the next: in a flood this would never end
	if err != nil {
		return err
	}
	for {
		b, err := c.reader.Next(batchFlows, batchBytes)
		if err == nil && b.End != c.at {
			if err = c.take(ctx, b); err == nil {
				c.at = b.End
				err = c.reader.Forget(b.End)
			}
		}
		if err != nil {
			c.reader = spool.NewReader(c.o.Spool, c.at) // it tries that part again
			return err
		}
		if !b.More || !b.End.Before(end) {
			return c.trim(ctx)
		}
	}
}

// begin learns what the store has, at first.
func (c *Capture) begin(ctx context.Context) error {
	if c.reader != nil {
		return nil
	}
	var at spool.Position
	var errs [3]error
	at.Segment, errs[0] = c.o.Store.Mark(ctx, markSegment)
	at.Offset, errs[1] = c.o.Store.Mark(ctx, markOffset)
	heads, err := c.o.Store.Heads(ctx, Kind)
	errs[2] = err
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	c.known = index{}
	for _, h := range heads {
		f := flow.Facets{ID: h.ID, Number: h.Number, Started: h.Time, Device: h.Device, App: h.App}
		if f.ReadLine(h.Group) {
			c.known.add(f, h.Arrived)
		}
	}
	c.at, c.reader = at, spool.NewReader(c.o.Spool, at)
	return nil
}

// take stores a batch, and tells of it.
func (c *Capture) take(ctx context.Context, b spool.Batch) error {
	last := map[string]int{} // a flow that came several times is stored once
	for i := range b.Flows {
		last[b.Flows[i].ID] = i
	}
	flows := make([]flow.Flow, 0, len(last))
	for i := range b.Flows {
		if last[b.Flows[i].ID] == i {
			flows = append(flows, b.Flows[i])
		}
	}
	marks := map[string]int64{markSegment: b.End.Segment, markOffset: b.End.Offset}
	if err := c.keep(ctx, flows, marks); err != nil {
		return err
	}
	c.miss(int(b.Dropped), b.Why)
	c.miss(b.Torn, "the proxy ended while it wrote them")
	return nil
}

// keep stores flows, numbers them, and tells those who wait.
func (c *Capture) keep(ctx context.Context, flows []flow.Flow, marks map[string]int64) error {
	docs, facets := make([]telemetry.Document, len(flows)), make([]flow.Facets, len(flows))
	for i := range flows {
		c.hide(&flows[i])
		var err error
		if docs[i], facets[i], err = document(&flows[i]); err != nil {
			return err
		}
	}
	numbers, err := c.o.Store.KeepMany(ctx, docs, marks)
	if err != nil {
		return err
	}
	now := c.o.Now()
	for i := range flows {
		flows[i].Number, facets[i].Number = numbers[i], numbers[i]
		c.known.add(facets[i], now)
		c.filed += filed(&flows[i])
		if e, failed := entry(&flows[i]); failed {
			c.o.Store.Add(e)
		}
	}
	c.fresh += len(flows)
	c.tell(flows)
	return nil
}

// filed is how much of a flow is in files.
func filed(f *flow.Flow) (n int64) {
	if f.Request.Body.File != "" {
		n = f.Request.Body.Size
	}
	if f.Response != nil && f.Response.Body.File != "" {
		n += f.Response.Body.Size
	}
	return n
}

func document(f *flow.Flow) (telemetry.Document, flow.Facets, error) {
	f.Number = 0 // the document has it
	body, err := json.Marshal(f)
	if err != nil {
		return telemetry.Document{}, flow.Facets{}, fmt.Errorf("flow %s: %w", f.ID, err)
	}
	facets := f.Facets()
	facets.Size = int64(len(body))
	return telemetry.Document{
		Kind: Kind, ID: f.ID, Time: f.Started, Device: f.Client.Simulator, App: f.Client.App, Group: facets.Line(), Body: body,
	}, facets, nil
}

// Ended says that the proxy's process is gone: flows that wait for more get nothing any more. It gives how many there were.
func (c *Capture) Ended(ctx context.Context) (int, error) {
	ended := 0
	err := c.inTurn(ctx, func() error {
		if err := c.read(ctx); err != nil {
			return err
		}
		var open []int64
		for f := range c.known.fitting(flow.Filter{}) {
			if !f.Finished() {
				open = append(open, f.Number)
			}
		}
		found, err := c.whole(ctx, open)
		if err != nil || len(found) == 0 {
			return err
		}
		for i := range found {
			found[i].State = flow.Failed
			found[i].Trouble = flow.Trouble{Kind: flow.ProxyEnded, Error: "the proxy ended before the request did"}
		}
		ended = len(found)
		return c.keep(ctx, found, nil)
	})
	return ended, err
}

// Delete removes all flows and bodies. A proxy that runs goes on, and what it sees from now on is kept.
func (c *Capture) Delete(ctx context.Context) error {
	return c.inTurn(ctx, func() error {
		if err := spool.Remove(c.o.Spool); err != nil {
			return err
		}
		if err := c.o.Store.Discard(ctx, Kind, c.o.Store.Last()); err != nil {
			return err
		}
		c.reader = nil // the store may have been deleted too, with the marks
		return c.trimBodies(-1)
	})
}

// Close reads what is in the spool and ends what waits. The store is closed after it.
func (c *Capture) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	close(c.closing)
	c.mu.Unlock()
	c.running.Wait()
	return c.Sync(context.Background())
}
