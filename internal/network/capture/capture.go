// Package capture is the daemon's side of the network. A Capture moves flows from the proxy's spool into the telemetry store and answers
// queries about them: lists, single flows, summaries, and waits for a flow. It must not depend on the proxy's process: the folders of
// flows and bodies are all that the two share.
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

// Kind is the kind of a flow's document in the store.
const Kind = "flow"

// The default limits.
const (
	mostFlows  = 50_000
	mostBytes  = 256 << 20 // of flows; the store has log lines too
	mostBodies = 512 << 20 // of files
	mostFilled = 96 << 20  // of bodies that calls read at once
)

// One transaction takes at most batchFlows flows and about batchBytes bytes; the next begins readEvery later. After trimEvery new flows
// the limits are checked.
const (
	batchFlows = 1_000
	batchBytes = 8 << 20
	readEvery  = 50 * time.Millisecond
	trimEvery  = 2_000
)

// Flows that no call waits for are stored when no device is being driven: calmAfter after the last action, or mostLate after they
// arrived.
const (
	calmAfter = 100 * time.Millisecond
	mostLate  = time.Second
)

// The marks in the store: the position up to which the spool was read.
const (
	markSegment = "spool segment"
	markOffset  = "spool offset"
)

// Options configure a Capture.
type Options struct {
	Store  *telemetry.Store
	Spool  string              // folder
	Bodies string              // folder
	Hide   func(string) string // removes known secrets from a text before it is stored; nil changes nothing
	// Decode undoes the coding of a body, and gives at most most bytes. Without it, a coded body is shown only as far as its flow
	// contains it.
	Decode func(coding string, wire []byte, most int64) ([]byte, error)
	Now    func() time.Time
	Log    *slog.Logger

	MostFlows  int   // 50,000 if 0
	MostBytes  int64 // of flows in the store; 256 MB if 0
	MostBodies int64 // bytes of files; 512 MB if 0
	MostFilled int64 // bytes of the bodies that calls read at once; 96 MB if 0
}

// Capture takes flows into the store. It is safe for concurrent use. It runs no goroutine while no flows arrive.
type Capture struct {
	o       Options
	turn    chan struct{} // held by the goroutine that reads the spool; it guards the next five
	reader  *spool.Reader // nil: begin has not read the position and the index from the store yet
	at      spool.Position
	known   index
	fresh   int   // new flows since the limits were checked,
	filed   int64 // and the bytes of their bodies in files
	closing chan struct{}
	running sync.WaitGroup
	acted   atomic.Int64 // time of the last action on a device, in nanoseconds
	room    room         // for bodies that calls read

	mu      sync.Mutex
	closed  bool
	rung    bool // the spool has unread flows
	busy    bool // a goroutine reads
	failing error
	waiting map[*waiter]bool
	lost    map[string]int  // number of missing flows, by the reason
	broken  map[string]bool // ids of stored flows that cannot be read
}

// New makes a Capture. It reads the spool only after Ring or a query.
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

// Ring says that the spool has new flows. It does not wait.
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

// run reads while the spool has flows; it pauses between two transactions, so that each takes many flows.
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
		_ = c.Sync(context.Background()) // Sync logs the error
		c.rest(pause)
	}
}

// rest pauses for readEvery; it returns false when the Capture closes.
func (c *Capture) rest(pause *time.Timer) bool {
	pause.Reset(readEvery)
	select {
	case <-pause.C:
		return true
	case <-c.closing:
		return false
	}
}

// Acts says that a device is being driven: storing flows waits, because driving needs the processor.
func (c *Capture) Acts() { c.acted.Store(time.Now().UnixNano()) }

// acts reports whether a device is being driven while no call waits for a flow.
func (c *Capture) acts() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) == 0 && time.Since(time.Unix(0, c.acted.Load())) < calmAfter
}

// Sync returns when every flow in the spool is in the store.
func (c *Capture) Sync(ctx context.Context) error {
	return c.inTurn(ctx, func() error { return c.tried(ctx, c.read(ctx)) })
}

// tried logs that flows cannot be stored, once until storing works again.
func (c *Capture) tried(ctx context.Context, err error) error {
	c.mu.Lock()
	first := c.failing == nil
	c.failing = err
	c.mu.Unlock()
	if err != nil && first && ctx.Err() == nil {
		c.o.Log.Error("cannot store flows", "error", err)
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

// read moves the flows of the spool into the store. The position is stored in the same transaction: after a kill -9 each flow is taken
// once.
func (c *Capture) read(ctx context.Context) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	end, err := spool.End(c.o.Spool) // flows that arrive meanwhile wait for the next read: in a flood this loop would never end
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
			c.reader = spool.NewReader(c.o.Spool, c.at) // the next read tries this part again
			return err
		}
		if !b.More || !b.End.Before(end) {
			return c.trim(ctx)
		}
	}
}

// begin reads the position and the index from the store, once.
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

// take stores a batch, and reports the flows that it lacks.
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

// keep stores flows, numbers them, and hands them to the waiting calls.
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

// filed is the number of bytes of a flow's bodies in files.
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
	f.Number = 0 // the store numbers the document
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

// Ended says that the proxy's process has exited: open flows become failed. It returns their number.
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

// Delete removes all flows and bodies. A running proxy continues, and its next flows are stored.
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

// Close stores the flows of the spool and ends the goroutine. The store must be closed after it.
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
