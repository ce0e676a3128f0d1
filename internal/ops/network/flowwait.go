package network

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// WaitFlowIn is the request to wait for.
type WaitFlowIn struct {
	Request string `json:"request,omitempty" doc:"method and part of the path: POST /order" cli:"arg"`
	FlowFilter
	Timeout int  `json:"timeout_ms,omitempty" doc:"longest wait" default:"10000" min:"0" max:"300000" unit:"ms"`
	Soft    bool `json:"soft,omitempty" doc:"no failure on timeout"`
}

// WaitFlowOut is the result of the wait.
type WaitFlowOut struct {
	Matched   bool      `json:"matched"`
	Flow      *FlowLine `json:"flow,omitempty"`
	ElapsedMS int64     `json:"elapsed_ms"`

	what string
	soft bool
}

// Text is the matching request.
func (o WaitFlowOut) Text() string {
	if !o.Matched {
		return fmt.Sprintf("no request %s came within %d ms", oneline.Of(o.what), o.ElapsedMS)
	}
	return fmt.Sprintf("after %d ms: %s", o.ElapsedMS, o.Flow.Text())
}

// Fault is the timeout, unless the wait is soft.
func (o WaitFlowOut) Fault() *fault.Fault {
	if o.Matched || o.soft {
		return nil
	}
	return fault.New(fault.Timeout, "%s", o.Text()).
		WithHint("%s lists the requests; %s explains how an app uses the proxy", hint.Do("list_flows"), hint.Do("proxy_guide"))
}

// lookBack is the maximum age of a matching request, which may have come before the waiting call.
const lookBack = 5 * time.Second

// AskedFor parses a request as people write it: POST /order, or /order.
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
		return fault.New(fault.InvalidInput, "request: %.80q is not a method with a path", text).With("field", "request").
			WithHint("write a method, a space and a part of the path")
	}
	return nil
}

// Wait waits for a request.
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

// Await waits until a matching request has ended; nil: none did in time. A stopped proxy is a fault. Without a start time, older requests
// do not match, except the requests since the session's last step, however long ago it was. Every operation that waits for a request
// calls Await, so that all of them follow these rules.
func (n *Network) Await(ctx context.Context, c *op.Call, f flow.Filter, limit time.Duration) (*flow.Flow, error) {
	if s := n.d.Services.Proxy.Status(); s.State == "stopped" {
		return nil, fault.New(fault.ProxyNotRunning, "cannot wait for a request: the proxy does not run")
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

// firstOf waits for the first matching request until the limit. With a limit of 0 it does not wait and takes the newest captured one.
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
