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

// Page is a part of what fits.
type Page struct {
	Limit, Offset int  // Limit 0 is 100
	Newest        bool // the newest first
}

// look runs fn on what is known of all flows: of what is in the spool and in the store now. If the spool cannot be read there are fewer
// flows, which the log says.
func (c *Capture) look(ctx context.Context, fn func() error) error {
	return c.inTurn(ctx, func() error {
		_ = c.tried(ctx, c.read(ctx)) // Missing tells it
		first, err := c.o.Store.First(ctx, Kind)
		if err != nil {
			return err
		}
		if first == 0 {
			first = math.MaxInt64
		}
		c.known.forget(first) // the store removed what is older
		return fn()
	})
}

// whole gives flows of these numbers.
func (c *Capture) whole(ctx context.Context, numbers []int64) ([]flow.Flow, error) {
	docs, err := c.o.Store.Numbered(ctx, numbers)
	flows := make([]flow.Flow, 0, len(docs))
	for _, d := range docs {
		f, err := read(d)
		if err != nil { // the others can be shown
			c.o.Log.Error("a flow cannot be read", "error", err)
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

// Query gives flows in the order of their arrival, and how many fit. A flow arrives again whenever it got further.
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

// List is Query without headers, bodies and messages. It costs little, also of many.
func (c *Capture) List(ctx context.Context, q flow.Filter, p Page) (list []flow.Facets, total int, err error) {
	err = c.look(ctx, func() error {
		list, total = c.known.page(q, p)
		return nil
	})
	return list, total, err
}

// Get gives a flow; found is false when it is not kept, or not any more.
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

// SummaryQuery says what is summed up.
type SummaryQuery struct {
	Window   time.Duration // of flows that started so long ago at most; 0 takes all
	Host     string
	Device   string
	ClientIP string
	Cursor   string // of an earlier summary: only what finished since then, whenever it started
}

// Summary sums up flows that are finished, and gives the cursor for the next summary. A text that is no cursor is a
// *telemetry.CursorError.
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
