package ops

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/op/brief"
	"ios-agent/internal/op/recent"
	"ios-agent/internal/ops/network"
	"ios-agent/internal/ui"
)

// stepFlows tells in the answer of a step which requests its device made meanwhile, and in the answers after it how those ended that
// were on their way. Without a proxy it costs a look at a flag.
type stepFlows struct {
	op.Lines
	network.Services

	mu   sync.Mutex
	told recent.Map[spot, *toldFlows]
}

// toldFlows is the last step of a session on a device, and the requests of it whose end was told.
type toldFlows struct {
	step  string
	began time.Time
	ended map[string]bool
}

// NewStepFlows adds the requests of a step to what its app logged.
func NewStepFlows(lines op.Lines, n network.Services) op.Lines {
	return &stepFlows{Lines: lines, Services: n, told: recent.Map[spot, *toldFlows]{Most: mostTold}}
}

const (
	flowsLimit = 500 * time.Millisecond // an answer does not wait longer for the proxy
	lateLimit  = time.Minute            // what ends so long after a step began is not told any more
	mostEnded  = 1000                   // requests of a step; what is late in a flood nobody reads
)

// Now is the beginning of a step.
func (s *stepFlows) Now(udid string) int64 {
	s.Flows.Acts()
	return s.Lines.Now(udid)
}

// Over tells the requests of a step after what was logged, and those that ended since the step before.
func (s *stepFlows) Over(ctx context.Context, c *op.Call) {
	s.Lines.Over(ctx, c)
	if !s.Proxy.Runs() {
		return
	}
	s.Flows.Acts()
	began, now := c.Began(), time.Now()
	step, _ := c.Step()
	before := s.last(spot{c.Session, c.Device.UDID}, step, began)
	if before != nil && now.Sub(before.began) > lateLimit {
		before = nil
	}
	if began.IsZero() && before == nil {
		return // it looks, and nothing was done before
	}
	from := began
	if before != nil {
		from = before.began
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flowsLimit)
	defer cancel()
	flows, err := s.Proxy.Recent(ctx, proxy.Span{Device: c.Device.UDID, From: from})
	if err != nil {
		return // an answer does not fail because nobody knows what was asked meanwhile
	}
	own := len(flows) // from here on they are those of the call itself
	if !began.IsZero() {
		own = sort.Search(len(flows), func(i int) bool { return !flows[i].Started.Before(began) })
	}
	if before != nil {
		s.tellLate(c, before, flows[:own])
	}
	s.tell(c, began, flows[own:])
}

// last is the step before of a session on a device; a new one takes its place.
func (s *stepFlows) last(at spot, step string, began time.Time) *toldFlows {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, _ := s.told.Get(at)
	if !began.IsZero() {
		s.told.Put(at, &toldFlows{step: step, began: began, ended: map[string]bool{}})
	}
	return before
}

// fresh are the flows whose end was not told yet. From now on it is.
func (s *stepFlows) fresh(of *toldFlows, flows []flow.Facets) (out []*flow.Facets) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range flows {
		if f := &flows[i]; f.Finished() && !of.ended[f.ID] && len(of.ended) < mostEnded {
			of.ended[f.ID] = true
			out = append(out, f)
		}
	}
	return out
}

// tell tells the requests of the call itself.
func (s *stepFlows) tell(c *op.Call, began time.Time, flows []flow.Facets) {
	if len(flows) == 0 {
		return
	}
	s.mu.Lock()
	own, _ := s.told.Get(spot{c.Session, c.Device.UDID})
	s.mu.Unlock()
	if own != nil && own.began.Equal(began) {
		s.fresh(own, flows)
	}
	told, first := requestsOf(c), ""
	told.Count = len(flows)
	for i := range flows {
		if text := failure(&flows[i]); text != "" {
			told.Failed++
			first = cmp.Or(first, text)
		}
		if !flows[i].Finished() {
			told.Open++
		}
	}
	told.First = cmp.Or(first, told.First)
	text := brief.Count(told.Count, "request")
	if told.Open > 0 {
		text += fmt.Sprintf(", %d not answered yet", told.Open)
	}
	c.Notify(op.Notice{Kind: op.Net, Text: text + failedText(told.Failed, first, op.LastStep)})
}

// tellLate tells the requests of the step before that ended after its answer.
func (s *stepFlows) tellLate(c *op.Call, before *toldFlows, flows []flow.Facets) {
	late := s.fresh(before, flows)
	if len(late) == 0 {
		return
	}
	told, failed := requestsOf(c), 0
	told.Late, told.Since = len(late), before.step
	for _, f := range late {
		if text := failure(f); text != "" {
			failed++
			told.First = cmp.Or(told.First, text)
		}
	}
	c.Notify(op.Notice{Kind: op.Net,
		Text: brief.Count(len(late), "request") + " since step " + before.step + failedText(failed, told.First, before.step)})
}

// requestsOf is where a call tells of requests.
func requestsOf(c *op.Call) *op.Requests {
	if c.Net == nil {
		c.Net = &op.Requests{}
	}
	return c.Net
}

// failure is a request that failed, in short: POST /order 500. Empty: it did not.
func failure(f *flow.Facets) string {
	if !f.Broken() && f.Status < 400 {
		return ""
	}
	_, path := flow.Place(flow.ShownURL(f.URL))
	came := fmt.Sprint(f.Status)
	if f.Broken() {
		came = cmp.Or(f.Error, string(f.Kind), "no answer")
	}
	return f.Method + " " + path + " " + came
}

func failedText(failed int, first, step string) string {
	switch failed {
	case 0:
		return ""
	case 1:
		return ", 1 failed: " + ui.Inline(first)
	}
	return fmt.Sprintf(", %d failed: %s (`ios-agent proxy flows --step %s`)", failed, ui.Inline(first), step)
}
