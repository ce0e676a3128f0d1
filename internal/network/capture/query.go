package capture

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/telemetry"
)

// Page selects a part of the flows that fit.
type Page struct {
	Limit, Offset int  // Limit 0 is 100
	Newest        bool // newest first
}

// look runs fn on the index of all flows, after it moved the flows of the spool into the store. If the spool cannot be read, fn sees
// fewer flows, and the log has the error.
func (c *Capture) look(ctx context.Context, fn func() error) error {
	return c.inTurn(ctx, func() error {
		_ = c.tried(ctx, c.read(ctx)) // Missing reports the error
		first, err := c.o.Store.First(ctx, Kind)
		if err != nil {
			return err
		}
		if first == 0 {
			first = math.MaxInt64
		}
		c.known.forget(first) // the store removed the older flows
		return fn()
	})
}

// whole gives the flows with these numbers.
func (c *Capture) whole(ctx context.Context, numbers []int64) ([]flow.Flow, error) {
	docs, err := c.o.Store.Numbered(ctx, numbers)
	flows := make([]flow.Flow, 0, len(docs))
	for _, d := range docs {
		f, err := read(d)
		if err != nil { // the other flows can still be shown
			c.o.Log.Error("cannot read a flow", "error", err)
			c.cannotRead(d.ID)
			continue
		}
		flows = append(flows, f)
	}
	return flows, err
}

func read(d telemetry.Document) (f flow.Flow, err error) {
	if err := json.Unmarshal(d.Body, &f); err != nil {
		return flow.Flow{}, fmt.Errorf("flow %s: %w", d.ID, err)
	}
	f.Number = d.Number
	return f, nil
}

// Query gives flows in the order of their arrival, and the number of all that fit. A flow arrives again at each change of its state.
func (c *Capture) Query(ctx context.Context, q flow.Filter, p Page) (flows []flow.Flow, total int, err error) {
	err = c.look(ctx, func() error {
		var list []flow.Facets
		list, total = c.known.page(q, p)
		numbers := make([]int64, len(list))
		for i := range list {
			numbers[i] = list[i].Number
		}
		flows, err = c.whole(ctx, numbers)
		return err
	})
	return flows, total, err
}

// List is Query without headers, bodies and messages. It is cheap for many flows too.
func (c *Capture) List(ctx context.Context, q flow.Filter, p Page) (list []flow.Facets, total int, err error) {
	err = c.look(ctx, func() error {
		list, total = c.known.page(q, p)
		return nil
	})
	return list, total, err
}

// Get gives a flow; found is false when the flow was never stored or was removed.
func (c *Capture) Get(ctx context.Context, id string) (f flow.Flow, found bool, err error) {
	if err := c.Sync(ctx); err != nil && ctx.Err() != nil {
		return flow.Flow{}, false, err
	}
	docs, _, err := c.o.Store.Documents(ctx, telemetry.DocumentQuery{Kind: Kind, ID: id, Limit: 1})
	if err != nil || id == "" || len(docs) == 0 {
		return flow.Flow{}, false, err
	}
	f, err = read(docs[0])
	return f, err == nil, err
}

// SummaryQuery selects the flows of a summary.
type SummaryQuery struct {
	Window   time.Duration // maximum age of a flow's start; 0 takes all flows
	Host     string
	Device   string
	ClientIP string
	Cursor   string // of an earlier summary: only flows that finished after it
}

// Summary sums up finished flows, and gives the cursor for the next summary. An invalid cursor is a *telemetry.CursorError.
func (c *Capture) Summary(ctx context.Context, q SummaryQuery) (sum flow.Summary, cursor string, err error) {
	filter := flow.Filter{Host: q.Host, Device: q.Device, ClientIP: q.ClientIP, Finished: true}
	if q.Cursor != "" {
		if filter.After, err = telemetry.ParseCursor(q.Cursor); err != nil {
			return flow.Summary{}, "", err
		}
	} else if q.Window > 0 {
		filter.Since = c.o.Now().Add(-q.Window)
	}
	last := int64(0)
	err = c.look(ctx, func() error {
		last = c.o.Store.Last()
		var summer flow.Summer
		for f := range c.known.fitting(filter) {
			summer.Add(f)
		}
		sum = summer.Summary()
		return nil
	})
	return sum, telemetry.EncodeCursor(max(last, filter.After)), err
}
