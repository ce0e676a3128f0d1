package network

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// WaitFlowIn says for which request.
type WaitFlowIn struct {
	Request string `json:"request,omitempty" doc:"its method and a part of its path, such as POST /order" cli:"arg"`
	FlowFilter
	Timeout int  `json:"timeout_ms,omitempty" doc:"how long" default:"10000" min:"0" max:"300000" unit:"ms"`
	Soft    bool `json:"soft,omitempty" doc:"no failure when time runs out"`
}

// WaitFlowOut is what came.
type WaitFlowOut struct {
	Matched   bool      `json:"matched"`
	Flow      *FlowLine `json:"flow,omitempty"`
	ElapsedMS int64     `json:"elapsed_ms"`

	what string
	soft bool
}

// Text is the request that came.
func (o WaitFlowOut) Text() string {
	if !o.Matched {
		return fmt.Sprintf("no request %s came within %d ms", oneline.Of(o.what), o.ElapsedMS)
	}
	return fmt.Sprintf("after %d ms: %s", o.ElapsedMS, o.Flow.Text())
}

// Fault is for a wait that ran out of time.
func (o WaitFlowOut) Fault() *fault.Fault {
	if o.Matched || o.soft {
		return nil
	}
	return fault.New(fault.Timeout, "%s", o.Text()).
		WithHint("`ios-agent proxy flows` shows what came; `ios-agent proxy guide` tells how an app uses the proxy")
}

// lookBack is how old a request may be that was waited for: it may have come before the call that waits.
const lookBack = 5 * time.Second

// AskedFor reads a request as people write it: POST /order, or /order.
func AskedFor(text string, f *flow.Filter) error {
	method, path, both := strings.Cut(strings.TrimSpace(text), " ")
	switch {
	case both:
		f.Method, f.Path = method, strings.TrimSpace(path)
	case strings.ContainsAny(method, "/.?"):
		f.Path = method
	default:
		f.Method = method
	}
	if strings.ContainsAny(f.Path, " \t\n") || strings.ContainsFunc(f.Method, func(r rune) bool { return r < '!' || r > '~' }) {
		return fault.New(fault.InvalidInput, "request: %.80q is no method with a path", text).With("field", "request").
			WithHint("write a method, a space and a part of the path")
	}
	return nil
}

// Wait waits for a flow.
func (n *Network) Wait(ctx context.Context, c *op.Call, in WaitFlowIn) (WaitFlowOut, error) {
	f, err := n.filter(in.FlowFilter)
	if err != nil {
		return WaitFlowOut{}, err
	}
	if in.Request != "" {
		if err := AskedFor(in.Request, &f); err != nil {
			return WaitFlowOut{}, err
		}
	}
	return n.Finished(ctx, c, f, time.Duration(in.Timeout)*time.Millisecond, in.Soft)
}

// Finished is Await in the shape of our own operations.
func (n *Network) Finished(ctx context.Context, c *op.Call, f flow.Filter, limit time.Duration, soft bool) (WaitFlowOut, error) {
	out := WaitFlowOut{what: ui.Quote(strings.TrimSpace(strings.Join([]string{f.Method, f.Host, f.Path}, " "))), soft: soft}
	began := time.Now()
	found, err := n.Await(ctx, c, f, limit)
	out.ElapsedMS = time.Since(began).Milliseconds()
	if err != nil || found == nil {
		return out, err
	}
	shown := flow.Redacted(*found, flow.Names{})
	line := flowLine(&shown)
	out.Matched, out.Flow = true, &line
	return out, nil
}

// Await waits until a flow that fits has ended; nil: none did in time. A stopped proxy is a fault. Without a start time, older flows do
// not match, except those of the session's last step, however long ago that step was. Every operation that waits for a flow calls Await,
// so that none of them can leave one of these rules out.
func (n *Network) Await(ctx context.Context, c *op.Call, f flow.Filter, limit time.Duration) (*flow.Flow, error) {
	if s := n.d.Services.Proxy.Status(); s.State == "stopped" {
		return nil, fault.New(fault.ProxyNotRunning, "no request can come: the proxy does not run")
	}
	if f.Since.IsZero() {
		f.Since = n.d.Now().Add(-lookBack)
		if began, _, _, _, err := n.d.Steps.TimesOf(c.Session, steps.Last, f.Device); err == nil && began.Before(f.Since) {
			f.Since = began
		}
	}
	f.Finished = true
	if err := n.d.Services.Settled(ctx); err != nil {
		return nil, err
	}
	defer c.Waits("a request", limit)()
	return n.firstOf(ctx, f, limit)
}

// firstOf is the first flow that fits, waited for until the limit; a limit of 0 waits for none and takes the newest that is there.
func (n *Network) firstOf(ctx context.Context, f flow.Filter, limit time.Duration) (*flow.Flow, error) {
	if limit == 0 {
		found, _, err := n.d.Services.Flows.Query(ctx, f, capture.Page{Limit: 1, Newest: true})
		if err != nil || len(found) == 0 {
			return nil, err
		}
		return &found[0], nil
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found, err := n.d.Services.Flows.Wait(within, f, 0)
	switch {
	case err == nil:
		return &found, nil
	case within.Err() != nil && ctx.Err() == nil:
		return nil, nil
	}
	return nil, err
}
