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

// Share is what one session wants of the flows that it may touch. Its mocks are beside it, in the order of all.
type Share struct {
	Owner  string     `json:"owner,omitempty"`  // the session; empty: it has left
	Bypass []string   `json:"bypass,omitempty"` // hosts that are passed on unseen; the proxy matches them
	Only   string     `json:"host,omitempty"`   // the only host that is looked at, exactly; with a port, only that. Empty is all
	Hold   *Intercept `json:"hold,omitempty"`   // nil holds nothing
	// Throttles make the network worse; the first that fits counts.
	Throttles []Throttle `json:"throttles,omitempty"`
}

// Drivers are the sessions that drive a device, by its udid. A device that is not there is nobody's.
type Drivers map[string][]string

// MayTouch reports whether what a session wants is done to a client's flows. A device that sessions drive is theirs alone. One that
// nobody drives is everybody's, and so is a client of no known device: a physical device and a program of the Mac cannot be told
// apart. What a session had sent again is its own.
func (d Drivers) MayTouch(session string, c flow.Client) bool {
	if c.Session != "" {
		return c.Session == session
	}
	drivers := d[c.Simulator]
	return len(drivers) == 0 || slices.Contains(drivers, session)
}

// OwnedError says that another session owns something.
type OwnedError struct {
	What  string // in the message: the mock mock_0123abcd
	Owner string
}

func (e *OwnedError) Error() string {
	return fmt.Sprintf("%s belongs to the session %s", e.What, e.Owner)
}

// Fault is the error for a caller.
func (e *OwnedError) Fault() *fault.Fault {
	return fault.New(fault.Forbidden, "%w", e).With("owner", e.Owner).
		WithHint("if the user wants that, take it over: %s", hint.Do("proxy_take_over", "owner", e.Owner, "reason", "WHY"))
}

// Owned refuses to change what belongs to another session; an *OwnedError. What nobody owns anybody may change.
func Owned(what, owner, by string) error {
	if owner == "" || owner == by {
		return nil
	}
	return &OwnedError{what, owner}
}

// share is a Share, ready for use.
type share struct {
	Share
	hold      *pattern.Pattern // nil holds nothing
	throttles []*throttle
}

// ready makes a share of use; old is what the session had before, whose throttles go on counting.
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
	i := *s.Hold // the caller's stays as it is
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

// holds says whether the share holds a flow in a phase.
func (s *share) holds(f *flow.Flow, phase Phase) bool {
	if s.hold == nil || phase == AtRequest && !s.Hold.Request || phase == AtResponse && !s.Hold.Response {
		return false
	}
	return s.hold.Match(f)
}

// look adds what the share has to see of a flow. Bodies of what may be held are wanted too: who releases a flow wants to see it.
func (s *share) look(f *flow.Flow, l *flow.Look) {
	for _, t := range s.throttles {
		l.RequestBody = l.RequestBody || t.needsBody(f)
		if t.fits(f) {
			break // those after it are never asked
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

// sees says whether the one host that the share looks at is that of a flow.
func (s *share) sees(f *flow.Flow) bool {
	u, err := url.Parse(f.Request.URL)
	if err != nil {
		return false
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return strings.EqualFold(strings.Trim(s.Only, "[]"), u.Hostname()) || strings.EqualFold(s.Only, net.JoinHostPort(u.Hostname(), port))
}
