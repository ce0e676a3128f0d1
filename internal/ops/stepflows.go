package ops

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/op/brief"
	"ios-agent/internal/ui"
)

// stepFlows tells in the answer of a step which requests its device made meanwhile. Without a proxy it costs a look at a flag.
type stepFlows struct {
	op.Lines
	NetworkServices
}

// NewStepFlows adds the requests of a step to what its app logged.
func NewStepFlows(lines op.Lines, n NetworkServices) op.Lines { return &stepFlows{lines, n} }

// flowsLimit is how long an answer waits for what is on its way into the store.
const flowsLimit = 500 * time.Millisecond

// Over tells the requests of a step after what was logged.
func (s *stepFlows) Over(ctx context.Context, c *op.Call) {
	s.Lines.Over(ctx, c)
	began := c.Began()
	if began.IsZero() || !s.Proxy.Runs() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flowsLimit)
	defer cancel()
	_ = s.Settled(ctx) // else the answer has those that are there
	found, err := s.Flows.OfStep(ctx, capture.Step{Device: c.Device.UDID, From: began})
	if err != nil || len(found.Flows) == 0 {
		return // an answer does not fail because a request could not be read
	}
	told := &op.Requests{Count: len(found.Flows), Failed: found.Failed}
	for i := range found.Flows {
		switch f := &found.Flows[i]; {
		case !f.Finished():
			told.Open++
		case told.First == "" && (f.Broken() || f.Status >= 400):
			told.First = failure(f)
		}
	}
	c.Net = told
	c.Notify(op.Notice{Kind: op.Net, Text: requestsText(told)})
}

// failure is a request that failed, in short: POST /order 500.
func failure(f *flow.Facets) string {
	_, path := flow.Place(flow.ShownURL(f.URL))
	came := fmt.Sprint(f.Status)
	if f.Broken() {
		came = cmp.Or(f.Error, string(f.Kind), "no answer")
	}
	return f.Method + " " + path + " " + came
}

func requestsText(r *op.Requests) string {
	text := brief.Count(r.Count, "request")
	if r.Open > 0 {
		text += fmt.Sprintf(", %d not answered yet", r.Open)
	}
	if r.Failed > 0 {
		text += fmt.Sprintf(", %d failed: %s", r.Failed, ui.Inline(r.First))
	}
	if r.Failed > 1 {
		text += fmt.Sprintf(" (`ios-agent proxy flows --step %s`)", op.LastStep)
	}
	return text
}

// ofStep narrows a filter to what went over the wire in a step, and until the next one on its device.
func (n *Network) ofStep(c *op.Call, f flow.Filter, step string) (flow.Filter, string, error) {
	from, to, id, device, err := n.steps.TimesOf(c.Session, step, f.Device)
	f.Since, f.Until, f.Device = from, to, device
	return f, id, err
}
