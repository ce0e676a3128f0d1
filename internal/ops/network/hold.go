package network

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/rules"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/ui"
)

func (n *Network) holdOps() []op.Op {
	hold := networkSpec("proxy_hold", "hold", "POST hold", "Hold matching requests or responses until released",
		op.Idempotent, `proxy hold "POST /order"`, `proxy hold "~u /login" --responses`)
	hold.Help = "A pattern is a mitmproxy filter expression: ~m method, ~u URL, ~d domain, ~h header, ~b body,\n" +
		"~c status; & | ! and brackets. A new pattern replaces your previous one and releases what that held. Each request is released\n" +
		"after 30 seconds, so that no app hangs. The pattern does not apply to devices that only other sessions drive."
	hold.Next = []string{"proxy_held"}
	held := networkSpec("proxy_held", "held", "GET hold/held", "Show held requests, or wait for one", reads,
		"proxy held", "proxy held --wait-ms 30000")
	held.Timeout, held.Next = 3*time.Minute, []string{"proxy_release"}
	release := networkSpec("proxy_release", "release", "POST hold/release", "Release a held request or response, optionally changed", 0,
		"proxy release f_0123456789ab", `proxy release f_0123456789ab --body '{"amount":1}' --header X-Test=1`,
		"proxy release f_0123456789ab --status 500")
	return []op.Op{
		op.New(hold, n.Hold),
		op.New(networkSpec("proxy_unhold", "unhold", "DELETE hold", "Stop holding and release what this session holds", op.Idempotent,
			"proxy unhold"), n.Unhold),
		op.New(held, n.Held),
		op.New(release, n.Release),
		op.New(networkSpec("proxy_release_all", "release-all", "POST hold/release-all", "Release all that this session holds, unchanged",
			op.Idempotent, "proxy release-all"), n.ReleaseAll),
	}
}

// HoldIn is the pattern to hold.
type HoldIn struct {
	Pattern   string `json:"pattern" doc:"POST /order, or a mitmproxy filter: ~m POST & ~u /order" cli:"arg"`
	Responses bool   `json:"responses,omitempty" doc:"hold responses, not requests"`
	Both      bool   `json:"both,omitempty" doc:"hold requests and responses"`
}

// HoldOut is the new pattern.
type HoldOut struct {
	Pattern   string `json:"pattern,omitempty"`
	Requests  bool   `json:"holds_requests"`
	Responses bool   `json:"holds_responses"`
	Released  int    `json:"released_count,omitempty"` // released from the previous pattern
	Fits
}

// Text is one line.
func (o HoldOut) Text() string {
	freed := ""
	if o.Released > 0 {
		freed = fmt.Sprintf("; %s released", brief.Count(o.Released, "held request"))
	}
	if o.Pattern == "" {
		return "holding stopped" + freed
	}
	what := map[bool]string{true: "requests", false: "responses"}[o.Requests]
	if o.Requests && o.Responses {
		what = "requests and responses"
	}
	return fmt.Sprintf("holding %s that match %s%s%s; each is released after 30 s; wait for one: %s", what,
		ui.Quote(o.Pattern), o.Fits, freed, hint.Do("proxy_held", "wait_ms", 30000))
}

// CheckPattern parses a pattern. Its fault names the place of the error and the field.
func CheckPattern(text string) (*pattern.Pattern, error) {
	p, err := pattern.Parse(text)
	if err != nil {
		if f, is := fault.In(err); is {
			return nil, f.With("field", "pattern")
		}
	}
	return p, err
}

// Hold sets the pattern of the session's hold.
func (n *Network) Hold(ctx context.Context, c *op.Call, in HoldIn) (HoldOut, error) {
	p, err := CheckPattern(in.Pattern)
	if err != nil {
		return HoldOut{}, err
	}
	out := HoldOut{Pattern: p.String(), Requests: !in.Responses || in.Both, Responses: in.Responses || in.Both}
	if out.Requests && !out.Responses && !p.RequestTime() {
		return HoldOut{}, fault.New(fault.InvalidInput, "the pattern is about responses: no request matches it").With("field", "pattern").
			WithHint("hold the responses instead: set %s", hint.Field("responses"))
	}
	out.Fits = n.fits(ctx, p)
	return n.hold(ctx, c, out)
}

// HoldAs is Hold for a pattern that itself decides between requests and responses.
func (n *Network) HoldAs(ctx context.Context, c *op.Call, text string) (HoldOut, error) {
	p, err := CheckPattern(text)
	if err != nil {
		return HoldOut{}, err
	}
	return n.hold(ctx, c, HoldOut{Pattern: text, Requests: p.RequestTime(), Responses: !p.RequestTime()})
}

func (n *Network) hold(ctx context.Context, c *op.Call, out HoldOut) (HoldOut, error) {
	held, _ := n.d.Services.Proxy.Held(ctx, c.Session, 0, 0)
	out.Released = len(slices.DeleteFunc(held, func(h rules.Held) bool { return h.Owner != c.Session }))
	err := n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error {
		mine := s.Of(c.Session)
		if mine.Hold = nil; out.Pattern != "" {
			mine.Hold = &rules.Intercept{Pattern: out.Pattern, Request: out.Requests, Response: out.Responses}
		}
		return nil
	})
	return out, err
}

// Unhold ends the hold.
func (n *Network) Unhold(ctx context.Context, c *op.Call, _ op.Nothing) (HoldOut, error) {
	return n.hold(ctx, c, HoldOut{})
}

// HeldIn says whether to wait.
type HeldIn struct {
	Wait  int   `json:"wait_ms,omitempty" doc:"longest wait for a request, if none is held" min:"0" max:"120000" unit:"ms"`
	After int64 `json:"after,omitempty" doc:"cursor of an earlier answer: wait for a later request" min:"0"`
}

// HeldFlow is a held request.
type HeldFlow struct {
	FlowLine
	Phase     string    `json:"phase"` // request or response
	HeldMS    int64     `json:"held_ms"`
	Request   FlowPart  `json:"request"`
	Response  *FlowPart `json:"response,omitempty"`
	ReleaseMS int64     `json:"released_in_ms"`  // automatically
	Owner     string    `json:"owner,omitempty"` // the session that holds it, if another
}

// HeldOut is the list of held requests, the oldest first.
type HeldOut struct {
	Pattern string     `json:"pattern,omitempty"`
	Held    []HeldFlow `json:"held"`
	Total   int        `json:"total"`
	Next    int64      `json:"next_after"` // for after
}

// Text has a line for each request, and its body.
func (o HeldOut) Text() string {
	w := brief.New(0)
	switch {
	case len(o.Held) == 0 && o.Pattern == "":
		w.Line("no pattern is set; set one: " + hint.Do("proxy_hold", "pattern", "PATTERN"))
	case len(o.Held) == 0:
		w.Linef("no held requests; the pattern is %s", ui.Quote(o.Pattern))
	default:
		w.Linef("%s held", brief.Count(len(o.Held), "request"))
	}
	for _, h := range o.Held {
		w.Linef("%s  %s, released in %d ms%s", h.FlowLine.Text(), h.Phase, h.ReleaseMS, ofSession(h.Owner))
		part := &h.Request
		if h.Response != nil {
			part = h.Response
		}
		if part.Body != "" {
			w.Linef("  body: %s", ui.Quote(part.Body))
		}
	}
	return w.String()
}

// Held shows the held requests.
func (n *Network) Held(ctx context.Context, c *op.Call, in HeldIn) (HeldOut, error) {
	held, last := n.d.Services.Proxy.Held(ctx, c.Session, in.After, time.Duration(in.Wait)*time.Millisecond)
	out := HeldOut{Pattern: holdPattern(n.d.Services.Proxy.Status().ShareOf(c.Session)), Held: []HeldFlow{}, Total: len(held), Next: last}
	for _, h := range held {
		f := flow.Redacted(h.Flow, flow.Names{})
		age := n.d.Now().Sub(h.Since)
		one := HeldFlow{
			FlowLine: flowLine(&f), Phase: string(h.Phase), HeldMS: age.Milliseconds(), ReleaseMS: max(0, h.Until.Sub(n.d.Now()).Milliseconds()),
			Request: flowPart(f.Request.Protocol, f.Request.Header, f.Request.Body), Owner: another(h.Owner, c),
		}
		one.State = string(flow.Held)
		if f.Response != nil {
			part := flowPart(f.Response.Protocol, f.Response.Header, f.Response.Body)
			one.Response = &part
		}
		out.Held = append(out.Held, one)
	}
	return out, nil
}

// holdPattern is the pattern of a session's hold; empty: none.
func holdPattern(s rules.Share) string {
	if s.Hold == nil {
		return ""
	}
	return s.Hold.Pattern
}

// ReleaseIn is a held request, and the changes to it.
type ReleaseIn struct {
	ID     string     `json:"flow_id" doc:"id of a held request" cli:"arg"`
	Method string     `json:"method,omitempty" doc:"new method of a request"`
	URL    op.Address `json:"url,omitempty" doc:"new URL of a request"`
	Status int        `json:"status,omitempty" doc:"new status of a response" min:"100" max:"599"`
	Header []string   `json:"header,omitempty" doc:"headers to set, as NAME=VALUE; a name may repeat" pairs:"true" private:"true"`
	Remove []string   `json:"remove_header,omitempty" doc:"headers to remove"`
	Body   *string    `json:"body,omitempty" doc:"new body" private:"true"`
}

// ReleasedOut is the released requests.
type ReleasedOut struct {
	ID      string `json:"flow_id,omitempty"`
	Changed bool   `json:"was_changed,omitempty"`
	Count   int    `json:"count"`
}

// Text is one line.
func (o ReleasedOut) Text() string {
	switch {
	case o.ID == "":
		return brief.Count(o.Count, "held request") + " released"
	case o.Changed:
		return o.ID + " released, changed; see its result: " + hint.Do("show_flow", "flow_id", o.ID)
	}
	return o.ID + " released; see its result: " + hint.Do("show_flow", "flow_id", o.ID)
}

// change is the change to the request.
func (in ReleaseIn) change() (*flow.Change, error) {
	c := &flow.Change{Remove: in.Remove}
	if in.Method != "" {
		c.Method = &in.Method
	}
	if in.URL != "" {
		c.URL = (*string)(&in.URL)
	}
	if in.Status != 0 {
		c.Status = &in.Status
	}
	if in.Body != nil {
		body := []byte(*in.Body)
		c.Body = &body
	}
	header, err := fieldsOf(in.Header)
	if err != nil {
		return nil, err
	}
	c.Set = header
	return c, nil
}

// fieldsOf parses headers.
func fieldsOf(pairs []string) (out flow.Header, err error) {
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fault.New(fault.InvalidInput, "header: %.80q is not NAME=VALUE", name).With("field", "header")
		}
		out = append(out, flow.Field{Name: name, Value: value})
	}
	return out, nil
}

// Release releases one request.
func (n *Network) Release(ctx context.Context, c *op.Call, in ReleaseIn) (ReleasedOut, error) {
	change, err := in.change()
	if err != nil {
		return ReleasedOut{}, err
	}
	return ReleasedOut{ID: in.ID, Changed: !change.Empty(), Count: 1}, n.d.Services.Proxy.Release(ctx, c.Session, in.ID, change)
}

// ReleaseAll releases all requests that the session holds.
func (n *Network) ReleaseAll(ctx context.Context, c *op.Call, _ op.Nothing) (ReleasedOut, error) {
	count, err := n.d.Services.Proxy.ReleaseAll(ctx, c.Session)
	return ReleasedOut{Count: count}, err
}
