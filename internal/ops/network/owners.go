package network

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/fault"
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

// ofSession says whose something is; nothing of the caller's own.
func ofSession(owner string) string {
	if owner == "" {
		return ""
	}
	return ", of the session " + ui.Inline(owner)
}

// another is an owner if it is another session.
func another(owner string, c *op.Call) string {
	if owner == c.Session {
		return ""
	}
	return owner
}

// ProxyShare is what another session has of the proxy.
type ProxyShare struct {
	Session string   `json:"session"`
	Only    string   `json:"only,omitempty"`
	Bypass  []string `json:"bypass,omitempty"`
	Hold    string   `json:"hold,omitempty"`
	Mocks   int      `json:"mock_rules,omitempty"` // that its calls made
}

// Text is a line.
func (o ProxyShare) Text() string {
	var has []string
	for _, part := range []struct{ name, value string }{
		{"sees only", o.Only}, {"passes on unseen", strings.Join(o.Bypass, ", ")}, {"holds", o.Hold},
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

// sharesOfOthers are what other sessions have of the proxy.
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

// goesOn reports whether a proxy that runs is used as it is: for a device, or one of another session, when nothing else is asked of it.
func (n *Network) goesOn(c *op.Call, in ProxyStartIn) bool {
	s := n.d.Services.Proxy.Status()
	elsewhere := in.Listen != proxy.Loopback && string(in.Listen) != s.Host
	other := in.Port != 0 || in.Mocks != "" || len(in.Bypass) > 0 || in.Upstream != "" || in.given() || elsewhere
	return (in.Device != "" || s.Owner != c.Session) && !other && (s.State == proxy.Running || s.State == proxy.Restarting)
}

// uses notes that a session uses the proxy that runs. Only its owner may have the Mac's proxy set to it.
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

// ProxyTakeOverIn says whose, and why.
type ProxyTakeOverIn struct {
	Owner  string `json:"owner,omitempty" doc:"the session that has it; absent: all others"`
	Reason string `json:"reason" doc:"why; it is logged"`
}

// TakeOver makes it the session's.
func (n *Network) TakeOver(ctx context.Context, c *op.Call, in ProxyTakeOverIn) (ProxyOut, error) {
	taken, err := n.d.Services.Proxy.TakeOver(ctx, in.Owner, c.Session, in.Reason)
	if err != nil {
		return ProxyOut{}, err
	}
	if in.Owner != "" && len(taken) == 0 {
		return ProxyOut{}, fault.New(fault.SessionNotFound, "the session %.80q has nothing of the proxy", in.Owner).With("field", "owner").
			WithHint("`ios-agent proxy status` tells which sessions do")
	}
	out, err := n.Status(ctx, c, op.Nothing{})
	out.Taken = taken
	return out, err
}

// PutMock adds a mock of the calling session, or changes one.
func (n *Network) PutMock(ctx context.Context, c *op.Call, rule mock.Rule) error {
	return n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error { return s.Put(rule, c.Session) })
}

// ReleaseFlow lets a request go on that the calling session holds, changed if a change is given.
func (n *Network) ReleaseFlow(ctx context.Context, c *op.Call, id string, change *flow.Change) error {
	return n.d.Services.Proxy.Release(ctx, c.Session, id, change)
}

// ReleaseFlows lets all requests go on that the calling session holds. It answers how many.
func (n *Network) ReleaseFlows(ctx context.Context, c *op.Call) (int, error) {
	return n.d.Services.Proxy.ReleaseAll(ctx, c.Session)
}

// CA is the proxy's certificate authority; fs.ErrNotExist: there is none yet.
func (n *Network) CA() (*mitm.CA, error) { return n.d.Services.Authority(false) }

// HeldFlows are the requests that wait, and the pattern by which the calling session holds some; nil: it holds none. It waits for one of
// the session's own, at most so long.
func (n *Network) HeldFlows(ctx context.Context, c *op.Call, wait time.Duration) ([]rules.Held, *rules.Intercept) {
	held, _ := n.d.Services.Proxy.Held(ctx, c.Session, 0, wait)
	return held, n.d.Services.Proxy.Status().ShareOf(c.Session).Hold
}

// Query finds requests, those too that the proxy has only just seen.
func (n *Network) Query(ctx context.Context, f flow.Filter, p capture.Page) ([]flow.Flow, int, error) {
	if err := n.d.Services.Settled(ctx); err != nil {
		return nil, 0, err
	}
	return n.d.Services.Flows.Query(ctx, f, p)
}

// Sum sums requests up, those too that the proxy has only just seen.
func (n *Network) Sum(ctx context.Context, q capture.SummaryQuery) (flow.Summary, string, error) {
	if err := n.d.Services.Settled(ctx); err != nil {
		return flow.Summary{}, "", err
	}
	return n.d.Services.Flows.Summary(ctx, q)
}
