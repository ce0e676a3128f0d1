package network

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/rules"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/ui"
)

func (n *Network) holdOps() []op.Op {
	hold := networkSpec("proxy_hold", "hold", "POST hold", "Hold requests, or answers, that fit a pattern, to look at them and change them",
		op.Idempotent, `proxy hold "POST /order"`, `proxy hold "~u /login" --responses`)
	hold.Help = "A pattern is one of mitmproxy's filter expressions: ~m method, ~u URL, ~d domain, ~h header, ~b body,\n" +
		"~c status; & | ! and brackets. A new pattern replaces your one before and lets go what that holds. What nobody releases is let go\n" +
		"after 30 seconds, so that no app hangs. A pattern is the session's own: it holds nothing of devices that only others drive."
	hold.Next = []string{"proxy_held"}
	held := networkSpec("proxy_held", "held", "GET hold/held", "Show what is held, or wait until something is", reads,
		"proxy held", "proxy held --wait-ms 30000")
	held.Timeout, held.Next = 3*time.Minute, []string{"proxy_release"}
	release := networkSpec("proxy_release", "release", "POST hold/release", "Let a held request or answer go on, changed if you like", 0,
		"proxy release f_0123456789ab", `proxy release f_0123456789ab --body '{"amount":1}' --header X-Test=1`,
		"proxy release f_0123456789ab --status 500")
	return []op.Op{
		op.New(hold, n.Hold),
		op.New(networkSpec("proxy_unhold", "unhold", "DELETE hold", "Stop holding, and let go what this session holds", op.Idempotent,
			"proxy unhold"), n.Unhold),
		op.New(held, n.Held),
		op.New(release, n.Release),
		op.New(networkSpec("proxy_release_all", "release-all", "POST hold/release-all", "Let everything that this session holds go on unchanged",
			op.Idempotent, "proxy release-all"), n.ReleaseAll),
	}
}

// HoldIn is what to hold.
type HoldIn struct {
	Pattern   string `json:"pattern" doc:"what fits: POST /order, or as mitmproxy writes it: ~m POST & ~u /order" cli:"arg"`
	Responses bool   `json:"responses,omitempty" doc:"hold the answers, not the requests"`
	Both      bool   `json:"both,omitempty" doc:"hold requests and their answers"`
}

// HoldOut is what is held from now on.
type HoldOut struct {
	Pattern   string `json:"pattern,omitempty"`
	Requests  bool   `json:"holds_requests"`
	Responses bool   `json:"holds_responses"`
	Released  int    `json:"released_count,omitempty"` // of what was held before
	Fits
}

// Text says so.
func (o HoldOut) Text() string {
	freed := ""
	if o.Released > 0 {
		freed = fmt.Sprintf("; %s let go", brief.Count(o.Released, "held request"))
	}
	if o.Pattern == "" {
		return "nothing is held any more" + freed
	}
	what := map[bool]string{true: "requests", false: "answers"}[o.Requests]
	if o.Requests && o.Responses {
		what = "requests and answers"
	}
	return fmt.Sprintf("holding %s that fit %s%s%s; each is let go after 30 s: `ios-agent proxy held --wait-ms 30000`", what,
		ui.Quote(o.Pattern), o.Fits, freed)
}

// CheckPattern reads a pattern, so that what is wrong with it is told with its place before anything is done.
func CheckPattern(text string) (*pattern.Pattern, error) {
	p, err := pattern.Parse(text)
	if err != nil {
		if f, is := fault.In(err); is {
			return nil, f.With("field", "pattern")
		}
	}
	return p, err
}

// Hold sets the pattern of what is held.
func (n *Network) Hold(ctx context.Context, c *op.Call, in HoldIn) (HoldOut, error) {
	p, err := CheckPattern(in.Pattern)
	if err != nil {
		return HoldOut{}, err
	}
	out := HoldOut{Pattern: p.String(), Requests: !in.Responses || in.Both, Responses: in.Responses || in.Both}
	if out.Requests && !out.Responses && !p.RequestTime() {
		return HoldOut{}, fault.New(fault.InvalidInput, "the pattern is about the answer: no request fits it").With("field", "pattern").
			WithHint("hold the answers instead: `--responses`")
	}
	out.Fits = n.fits(ctx, p)
	return n.hold(ctx, c, out)
}

// HoldAs is Hold for a pattern that says by itself whether it is about requests or answers.
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

// Unhold holds nothing any more.
func (n *Network) Unhold(ctx context.Context, c *op.Call, _ op.Nothing) (HoldOut, error) {
	return n.hold(ctx, c, HoldOut{})
}

// HeldIn says whether to wait.
type HeldIn struct {
	Wait  int   `json:"wait_ms,omitempty" doc:"wait so long for the next one, if none is held" min:"0" max:"120000" unit:"ms"`
	After int64 `json:"after,omitempty" doc:"cursor of an earlier answer: wait for one that came later" min:"0"`
}

// HeldFlow is a flow that waits.
type HeldFlow struct {
	FlowLine
	Phase     string    `json:"phase"` // request or response
	HeldMS    int64     `json:"held_ms"`
	Request   FlowPart  `json:"request"`
	Response  *FlowPart `json:"response,omitempty"`
	ReleaseMS int64     `json:"released_in_ms"`  // by itself
	Owner     string    `json:"owner,omitempty"` // the session that holds it, if it is another one
}

// HeldOut is what is held, the oldest first.
type HeldOut struct {
	Pattern string     `json:"pattern,omitempty"`
	Held    []HeldFlow `json:"held"`
	Total   int        `json:"total"`
	Next    int64      `json:"next_after"` // read on after it
}

// Text is a line for each, and its body.
func (o HeldOut) Text() string {
	w := brief.New(0)
	switch {
	case len(o.Held) == 0 && o.Pattern == "":
		w.Line("nothing is held, and no pattern is set: `ios-agent proxy hold PATTERN`")
	case len(o.Held) == 0:
		w.Linef("nothing is held; the pattern is %s", ui.Quote(o.Pattern))
	default:
		w.Linef("%s held", brief.Count(len(o.Held), "request"))
	}
	for _, h := range o.Held {
		w.Linef("%s  %s, let go by itself in %d ms%s", h.FlowLine.Text(), h.Phase, h.ReleaseMS, ofSession(h.Owner))
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

// Held shows what is held.
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

// holdPattern is the pattern of what a session holds; empty: nothing.
func holdPattern(s rules.Share) string {
	if s.Hold == nil {
		return ""
	}
	return s.Hold.Pattern
}

// ReleaseIn is what to let go, and how to change it.
type ReleaseIn struct {
	ID     string     `json:"flow_id" doc:"of a held one" cli:"arg"`
	Method string     `json:"method,omitempty" doc:"another method, of a request"`
	URL    op.Address `json:"url,omitempty" doc:"another URL, of a request"`
	Status int        `json:"status,omitempty" doc:"another status, of an answer" min:"100" max:"599"`
	Header []string   `json:"header,omitempty" doc:"headers to set, as NAME=VALUE; several of one name are kept" pairs:"true" private:"true"`
	Remove []string   `json:"remove_header,omitempty" doc:"headers to leave out"`
	Body   *string    `json:"body,omitempty" doc:"another body" private:"true"`
}

// ReleasedOut is what was let go.
type ReleasedOut struct {
	ID      string `json:"flow_id,omitempty"`
	Changed bool   `json:"was_changed,omitempty"`
	Count   int    `json:"count"`
}

// Text says so.
func (o ReleasedOut) Text() string {
	switch {
	case o.ID == "":
		return brief.Count(o.Count, "held request") + " let go"
	case o.Changed:
		return o.ID + " goes on, changed; `ios-agent proxy show " + o.ID + "` tells what comes of it"
	}
	return o.ID + " goes on; `ios-agent proxy show " + o.ID + "` tells what comes of it"
}

// change is what a caller wants changed.
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

// fieldsOf reads headers.
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

// Release lets one go.
func (n *Network) Release(ctx context.Context, c *op.Call, in ReleaseIn) (ReleasedOut, error) {
	change, err := in.change()
	if err != nil {
		return ReleasedOut{}, err
	}
	return ReleasedOut{ID: in.ID, Changed: !change.Empty(), Count: 1}, n.d.Services.Proxy.Release(ctx, c.Session, in.ID, change)
}

// ReleaseAll lets all go that the session holds.
func (n *Network) ReleaseAll(ctx context.Context, c *op.Call, _ op.Nothing) (ReleasedOut, error) {
	count, err := n.d.Services.Proxy.ReleaseAll(ctx, c.Session)
	return ReleasedOut{Count: count}, err
}
