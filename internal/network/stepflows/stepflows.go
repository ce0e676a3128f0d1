// Package stepflows adds to the answer of a step the requests that its device made during the step, and to later answers how the open ones
// ended. Flows is an observer of calls, which asks the proxy for the flows. It must cost almost no time while the proxy does not run, and
// must not make an answer fail.
package stepflows

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"ios-agent/internal/device/steps"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/op/recent"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/ui"
)

// Proxy has the requests of devices.
type Proxy interface {
	Runs() bool
	Recent(context.Context, proxy.Span) ([]flow.Facets, error)
}

// Options configure Flows.
type Options struct {
	Proxy Proxy
	Acts  func() // called when a step begins and when a call ends
}

// Flows adds the requests of devices to the answers of calls.
type Flows struct {
	Options

	mu   sync.Mutex
	told recent.Map[op.Pair, *toldFlows]
}

// New makes an observer.
func New(o Options) *Flows {
	return &Flows{Options: o, told: recent.Map[op.Pair, *toldFlows]{Most: mostTold}}
}

var _ op.Observer = (*Flows)(nil)

// toldFlows is the last step of a session on a device, with its requests whose end was reported.
type toldFlows struct {
	step  string
	began time.Time
	ended map[string]bool
}

const (
	mostTold   = 1000                   // number of sessions on devices to remember
	flowsLimit = 500 * time.Millisecond // maximum wait for the proxy
	lateLimit  = time.Minute            // age of a step after which the ends of its requests are ignored
	mostEnded  = 1000                   // maximum number of requests remembered per step
)

// Begin starts watching a call.
func (s *Flows) Begin(c *op.Call) op.Watch { return &watch{s, c} }

// watch watches one call.
type watch struct {
	*Flows
	call *op.Call
}

// Act is called at the beginning of a step.
func (w *watch) Act() {
	if w.call.Device != nil {
		w.Acts()
	}
}

// End reports the requests of a step, and the requests of the previous step that ended since then. It cannot make the answer fail.
func (w *watch) End(ctx context.Context, x *op.Exchange) {
	if x.Call.Device != nil && x.Mode != op.Stream && w.Proxy.Runs() {
		w.over(ctx, x)
		x.Waited()
	}
}

func (s *Flows) over(ctx context.Context, x *op.Exchange) {
	s.Acts()
	step, began := x.Call.Step()
	at := x.Call.Pair()
	before := s.last(at, step, began)
	if before != nil && time.Since(before.began) > lateLimit {
		before = nil
	}
	if began.IsZero() && before == nil {
		return // the call only reads, and the session has done no step before
	}
	from := began
	if before != nil {
		from = before.began
	}
	ctx, cancel := context.WithTimeout(ctx, flowsLimit)
	defer cancel()
	flows, err := s.Proxy.Recent(ctx, proxy.Span{Device: at.UDID, From: from})
	if err != nil {
		return // an answer must not fail because its requests are unknown
	}
	own := len(flows) // flows from this index on belong to the call itself
	if !began.IsZero() {
		own = sort.Search(len(flows), func(i int) bool { return !flows[i].Started.Before(began) })
	}
	told := &op.Requests{}
	if before != nil {
		s.tellLate(x, told, before, flows[:own])
	}
	s.tell(x, told, began, flows[own:])
}

// last is the previous step of a session on a device; a new step replaces it.
func (s *Flows) last(at op.Pair, step string, began time.Time) *toldFlows {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, _ := s.told.Get(at)
	if !began.IsZero() {
		s.told.Put(at, &toldFlows{step: step, began: began, ended: map[string]bool{}})
	}
	return before
}

// fresh are the flows whose end was not reported before, and marks them as reported.
func (s *Flows) fresh(of *toldFlows, flows []flow.Facets) (out []*flow.Facets) {
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

// tell reports the requests of the call itself.
func (s *Flows) tell(x *op.Exchange, told *op.Requests, began time.Time, flows []flow.Facets) {
	if len(flows) == 0 {
		return
	}
	s.mu.Lock()
	own, _ := s.told.Get(x.Call.Pair())
	s.mu.Unlock()
	if own != nil && own.began.Equal(began) {
		s.fresh(own, flows)
	}
	first := ""
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
	x.Notify(op.Notice{Kind: op.Net, Text: text + failedText(told.Failed, first, steps.Last)})
	x.AttachNet(told)
}

// tellLate reports the requests of the previous step that ended after its answer.
func (s *Flows) tellLate(x *op.Exchange, told *op.Requests, before *toldFlows, flows []flow.Facets) {
	late := s.fresh(before, flows)
	if len(late) == 0 {
		return
	}
	failed := 0
	told.Late, told.Since = len(late), before.step
	for _, f := range late {
		if text := failure(f); text != "" {
			failed++
			told.First = cmp.Or(told.First, text)
		}
	}
	x.Notify(op.Notice{Kind: op.Net,
		Text: brief.Count(len(late), "request") + " since step " + before.step + failedText(failed, told.First, before.step)})
	x.AttachNet(told)
}

// failure is a failed request in short, such as POST /order 500; empty for a successful one.
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
	return fmt.Sprintf(", %d failed: %s (%s)", failed, ui.Inline(first), hint.Do("list_flows", "step", step))
}
