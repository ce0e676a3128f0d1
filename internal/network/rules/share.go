package rules

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
)

// Share is one session's configuration for the flows that it may touch. Its mocks are separate, because all sessions' mocks have one
// order.
type Share struct {
	Owner  string     `json:"owner,omitempty"`  // the session; empty: the session has left
	Bypass []string   `json:"bypass,omitempty"` // hosts whose traffic is forwarded unopened; the proxy matches them
	Only   string     `json:"host,omitempty"`   // the only host to look at, exactly; with a port, only that port; empty: all hosts
	Hold   *Intercept `json:"hold,omitempty"`   // nil holds nothing
	// Throttles make the network worse; the first match applies.
	Throttles []Throttle `json:"throttles,omitempty"`
}

// Drivers are the sessions that drive a device, by its udid. A device without an entry has no driver.
type Drivers map[string][]string

// MayTouch reports whether a session's rules apply to a client's flows. The rules of a device's drivers alone apply to its flows. A
// device without a driver is open to all sessions, and so is a client of an unknown device, because a physical device and a program of
// the Mac look the same. A replayed request belongs to the session that replayed it.
func (d Drivers) MayTouch(session string, c flow.Client) bool {
	if c.Session != "" {
		return c.Session == session
	}
	drivers := d[c.Simulator]
	return len(drivers) == 0 || slices.Contains(drivers, session)
}

// OwnedError says that another session owns something.
type OwnedError struct {
	What  string // for the message, such as: the mock mock_0123abcd
	Owner string
}

func (e *OwnedError) Error() string {
	return fmt.Sprintf("%s belongs to the session %s", e.What, e.Owner)
}

// Fault converts the error for a caller.
func (e *OwnedError) Fault() *fault.Fault {
	return fault.New(fault.Forbidden, "%w", e).With("owner", e.Owner).
		WithHint("if the user wants that, take it over: %s", hint.Do("proxy_take_over", "owner", e.Owner, "reason", "WHY"))
}

// Owned returns an *OwnedError if the owner is another session. Every session may change a thing without an owner.
func Owned(what, owner, by string) error {
	if owner == "" || owner == by {
		return nil
	}
	return &OwnedError{what, owner}
}

// share is a Share that is ready for use.
type share struct {
	Share
	hold      *pattern.Pattern // nil holds nothing
	throttles []*throttle
}

// ready prepares a share; old is the session's previous share, whose identical throttles keep their counts.
func (s Share) ready(old *share) (share, error) {
	throttles, err := readyThrottles(s.Throttles, old)
	if err != nil {
		return share{}, err
	}
	if s.Hold == nil {
		return share{Share: s, throttles: throttles}, nil
	}
	p, err := pattern.Parse(s.Hold.Pattern)
	if err != nil {
		return share{}, err
	}
	i := *s.Hold // a copy: the caller's value must not change
	if !i.Request && !i.Response {
		i.Request = p.RequestTime()
		i.Response = !i.Request
	}
	i.Request = i.Request && p.RequestTime()
	i.Response = i.Response && p.ResponseTime()
	if !i.Request && !i.Response {
		return share{}, fault.New(fault.InvalidInput, "the pattern %s can never hold a flow then", s.Hold.Pattern).
			WithHint("A pattern with ~s, ~c, ~hs, ~bs, ~ts or ~a holds responses, one with ~q requests; ~e holds neither.")
	}
	s.Hold = &i
	return share{s, p, throttles}, nil
}

// holds reports whether the share holds a flow in a phase.
func (s *share) holds(f *flow.Flow, phase Phase) bool {
	if s.hold == nil || phase == AtRequest && !s.Hold.Request || phase == AtResponse && !s.Hold.Response {
		return false
	}
	return s.hold.Match(f)
}

// look adds the parts of a flow that the share needs. It also requests the bodies of flows that may be held, for the user who releases
// them.
func (s *share) look(f *flow.Flow, l *flow.Look) {
	for _, t := range s.throttles {
		l.RequestBody = l.RequestBody || t.needsBody(f)
		if t.fits(f) {
			break // later throttles never apply
		}
	}
	if s.hold == nil {
		return
	}
	if s.Hold.Request {
		could, _ := s.hold.Could(f, pattern.AtRequest)
		l.RequestBody = l.RequestBody || could
	}
	if s.Hold.Response {
		could, needs := s.hold.Could(f, pattern.AtResponse)
		l.Response, l.ResponseBody = l.Response || could, l.ResponseBody || could
		l.RequestBody = l.RequestBody || needs.RequestBody
	}
}

// sees reports whether the share's single host is the host of a flow.
func (s *share) sees(f *flow.Flow) bool {
	u, err := url.Parse(f.Request.URL)
	if err != nil {
		return false
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return strings.EqualFold(strings.Trim(s.Only, "[]"), u.Hostname()) || strings.EqualFold(s.Only, net.JoinHostPort(u.Hostname(), port))
}
