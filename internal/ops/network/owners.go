package network

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/rules"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/ui"
)

// ofSession names the owner, unless it is the caller.
func ofSession(owner string) string {
	if owner == "" {
		return ""
	}
	return ", of the session " + ui.Inline(owner)
}

// another is the owner, or empty if that is the caller.
func another(owner string, c *op.Call) string {
	if owner == c.Session {
		return ""
	}
	return owner
}

// ProxyShare is another session's use of the proxy.
type ProxyShare struct {
	Session string   `json:"session"`
	Only    string   `json:"only,omitempty"`
	Bypass  []string `json:"bypass,omitempty"`
	Hold    string   `json:"hold,omitempty"`
	Mocks   int      `json:"mock_rules,omitempty"` // made by its calls
}

// Text is one line.
func (o ProxyShare) Text() string {
	var has []string
	for _, part := range []struct{ name, value string }{
		{"sees only", o.Only}, {"bypasses", strings.Join(o.Bypass, ", ")}, {"holds", o.Hold},
	} {
		if part.value != "" {
			has = append(has, part.name+" "+ui.Inline(part.value))
		}
	}
	if o.Mocks > 0 {
		has = append(has, brief.Count(o.Mocks, "mock"))
	}
	return fmt.Sprintf("session %s: %s", ui.Inline(o.Session), cmp.Or(strings.Join(has, ", "), "uses it"))
}

// sharesOfOthers lists the other sessions' uses of the proxy.
func sharesOfOthers(s proxy.Status, c *op.Call) (all []ProxyShare) {
	for _, other := range s.Shares() {
		if other.Owner != c.Session && other.Owner != "" {
			all = append(all, ProxyShare{
				Session: other.Owner, Only: other.Only, Bypass: other.Bypass, Hold: holdPattern(other), Mocks: s.MockCount(other.Owner),
			})
		}
	}
	return all
}

// goesOn reports whether a start keeps the running proxy: the call only adds a device, or the proxy belongs to another session, and the
// call asks for no other settings.
func (n *Network) goesOn(c *op.Call, in ProxyStartIn) bool {
	s := n.d.Services.Proxy.Status()
	elsewhere := in.Listen != proxy.Loopback && string(in.Listen) != s.Host
	other := in.Port != 0 || in.Mocks != "" || len(in.Bypass) > 0 || in.Upstream != "" || in.given() || elsewhere
	return (in.Device != "" || s.Owner != c.Session) && !other && (s.State == proxy.Running || s.State == proxy.Restarting)
}

// uses notes that a session uses the running proxy. Only the owner may set the Mac's proxy.
func (n *Network) uses(ctx context.Context, c *op.Call, system bool) error {
	if system {
		if err := n.d.Services.Proxy.Own(ctx, c.Session); err != nil {
			return err
		}
	}
	return n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error {
		s.Of(c.Session)
		return nil
	})
}

// ProxyTakeOverIn names the session, and the reason.
type ProxyTakeOverIn struct {
	Owner  string `json:"owner,omitempty" doc:"session to take over from; default: all others"`
	Reason string `json:"reason" doc:"why; it is logged"`
}

// TakeOver gives the calling session the proxy, the mocks, filters and holds of other sessions.
func (n *Network) TakeOver(ctx context.Context, c *op.Call, in ProxyTakeOverIn) (ProxyOut, error) {
	taken, err := n.d.Services.Proxy.TakeOver(ctx, in.Owner, c.Session, in.Reason)
	if err != nil {
		return ProxyOut{}, err
	}
	if in.Owner != "" && len(taken) == 0 {
		return ProxyOut{}, fault.New(fault.SessionNotFound, "the session %.80q does not use the proxy", in.Owner).With("field", "owner").
			WithHint("%s lists the sessions that do", hint.Do("proxy_status"))
	}
	out, err := n.Status(ctx, c, op.Nothing{})
	out.Taken = taken
	return out, err
}

// PutMock adds a mock of the calling session, or changes one.
func (n *Network) PutMock(ctx context.Context, c *op.Call, rule mock.Rule) error {
	return n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error { return s.Put(rule, c.Session) })
}

// ReleaseFlow releases a request that the calling session holds, with the change if it is not nil.
func (n *Network) ReleaseFlow(ctx context.Context, c *op.Call, id string, change *flow.Change) error {
	return n.d.Services.Proxy.Release(ctx, c.Session, id, change)
}

// ReleaseFlows releases all requests that the calling session holds, and returns their number.
func (n *Network) ReleaseFlows(ctx context.Context, c *op.Call) (int, error) {
	return n.d.Services.Proxy.ReleaseAll(ctx, c.Session)
}

// CA is the proxy's certificate authority. The error is fs.ErrNotExist if it has not been made yet.
func (n *Network) CA() (*mitm.CA, error) { return n.d.Services.Authority(false) }

// HeldFlows lists the held requests, and the calling session's hold; nil: it has none. It waits up to wait for a request that the session
// holds.
func (n *Network) HeldFlows(ctx context.Context, c *op.Call, wait time.Duration) ([]rules.Held, *rules.Intercept) {
	held, _ := n.d.Services.Proxy.Held(ctx, c.Session, 0, wait)
	return held, n.d.Services.Proxy.Status().ShareOf(c.Session).Hold
}

// Query finds requests, including the latest ones.
func (n *Network) Query(ctx context.Context, f flow.Filter, p capture.Page) ([]flow.Flow, int, error) {
	if err := n.d.Services.Settled(ctx); err != nil {
		return nil, 0, err
	}
	return n.d.Services.Flows.Query(ctx, f, p)
}

// Sum summarizes requests, including the latest ones.
func (n *Network) Sum(ctx context.Context, q capture.SummaryQuery) (flow.Summary, string, error) {
	if err := n.d.Services.Settled(ctx); err != nil {
		return flow.Summary{}, "", err
	}
	return n.d.Services.Flows.Summary(ctx, q)
}
