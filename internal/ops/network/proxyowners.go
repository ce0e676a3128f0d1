package network

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/op/brief"
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
	s := n.Proxy.Status()
	elsewhere := in.Listen != proxy.Loopback && in.Listen != s.Host
	other := in.Port != 0 || in.Mocks != "" || len(in.Bypass) > 0 || in.Upstream != "" || elsewhere
	return (in.Device != "" || s.Owner != c.Session) && !other && (s.State == proxy.Running || s.State == proxy.Restarting)
}

// uses notes that a session uses the proxy that runs. Only its owner may have the Mac's proxy set to it.
func (n *Network) uses(ctx context.Context, c *op.Call, system bool) error {
	if system {
		if err := n.Proxy.Own(ctx, c.Session); err != nil {
			return err
		}
	}
	return n.Proxy.Set(ctx, func(s *proxy.Settings) error {
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
	taken, err := n.Proxy.TakeOver(ctx, in.Owner, c.Session, in.Reason)
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
