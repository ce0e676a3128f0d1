// Package rules decides about flows while they pass: a host that alone is looked at, mocks, a pattern that holds flows until somebody
// releases them. It is what the proxy asks (flow.Rules). It opens no file or connection itself; only a mock's body file is read for it.
package rules

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/pattern"
)

// Hold is how long a flow is held if nobody releases it.
const Hold = 30 * time.Second

// MostHeld is how many flows are held at once. More pass, and are told as such.
const MostHeld = 500

// Config is all that the rules are told, at once.
type Config struct {
	Host      string      `json:"host,omitempty"` // the only one that is looked at, exactly; with a port, only that. Empty is all
	Mocks     []mock.Rule `json:"mocks,omitempty"`
	Intercept *Intercept  `json:"intercept,omitempty"` // nil holds nothing
}

// Intercept is which flows are held, and when. If it says neither, requests are held when the pattern can hold for one, else responses.
type Intercept struct {
	Pattern  string `json:"pattern"`
	Request  bool   `json:"request,omitempty"`
	Response bool   `json:"response,omitempty"`
}

// Options are what a Rules needs.
type Options struct {
	// Told hears of holds and releases, one after the other, in their order. It must not wait, and not call the rules. Nil hears nothing.
	Told func(Event)
	// First is the sequence number of the first hold. A process that follows another takes a greater one: the time in microseconds.
	First int64
}

// Rules is the state. It is safe for concurrent use.
type Rules struct {
	told func(Event)

	mu     sync.Mutex
	now    *setting // replaced whole, never changed
	held   []*hold  // in the order of their sequence
	gone   []Held   // the last that were held, without bodies
	next   int64
	woken  chan struct{} // closed and made again at every hold
	closed bool
	events []Event // not yet told
	tells  bool    // somebody tells them
}

var _ flow.Rules = (*Rules)(nil)

// setting is a Config, ready for use.
type setting struct {
	Config
	mocks     *mock.Set
	intercept *pattern.Pattern // nil holds nothing
}

// New makes rules that let everything pass.
func New(o Options) *Rules {
	return &Rules{told: o.Told, now: &setting{}, next: max(o.First, 1), woken: make(chan struct{})}
}

// Set replaces everything, or nothing if something is wrong. To set the same again changes nothing. When the intercept is another one,
// what the old one held is released.
func (r *Rules) Set(c Config) error {
	r.mu.Lock()
	old := r.now
	r.mu.Unlock()
	s, err := prepare(c, old.mocks)
	if err != nil {
		return err
	}
	r.mu.Lock()
	changed := !same(r.now.Intercept, s.Intercept)
	r.now = s
	if changed {
		r.releaseAll(InterceptCleared)
	}
	r.mu.Unlock()
	r.tell()
	return nil
}

// Check says what is wrong with a config, and sets nothing.
func Check(c Config) error {
	_, err := prepare(c, nil)
	return err
}

func same(a, b *Intercept) bool { return a == b || a != nil && b != nil && *a == *b }

func prepare(c Config, old *mock.Set) (*setting, error) {
	s := &setting{Config: c}
	var err error
	if s.mocks, err = mock.NewSet(c.Mocks, old, time.Now); err != nil {
		return nil, err
	}
	if c.Intercept == nil {
		return s, nil
	}
	if s.intercept, err = pattern.Parse(c.Intercept.Pattern); err != nil {
		return nil, err
	}
	i := *c.Intercept // the caller's stays as it is
	if !i.Request && !i.Response {
		i.Request = s.intercept.RequestTime()
		i.Response = !i.Request
	}
	i.Request = i.Request && s.intercept.RequestTime()
	i.Response = i.Response && s.intercept.ResponseTime()
	if !i.Request && !i.Response {
		return nil, fault.New(fault.InvalidInput, "the pattern %s can never hold a flow then", c.Intercept.Pattern).
			WithHint("A pattern with ~s, ~c, ~hs, ~bs, ~ts or ~a holds responses, one with ~q requests; ~e holds neither.")
	}
	s.Intercept = &i
	return s, nil
}

// Config is what is set, with the phases that were worked out.
func (r *Rules) Config() Config { return r.setting().Config }

// Hits is how often each mock answered.
func (r *Rules) Hits() map[string]int { return r.setting().mocks.Hits() }

func (r *Rules) setting() *setting {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Look is of flow.Rules. Bodies of what may be held are wanted too: who releases a flow wants to see it.
func (r *Rules) Look(f *flow.Flow) flow.Look {
	s := r.setting()
	if s.hides(f) {
		return flow.Look{Hidden: true}
	}
	var l flow.Look
	_, l.RequestBody = s.mocks.Look(f)
	if s.Intercept == nil {
		return l
	}
	if s.Intercept.Request {
		could, _ := s.intercept.Could(f, pattern.AtRequest)
		l.RequestBody = l.RequestBody || could
	}
	if s.Intercept.Response {
		could, needs := s.intercept.Could(f, pattern.AtResponse)
		l.Response, l.ResponseBody = could, could
		l.RequestBody = l.RequestBody || needs.RequestBody
	}
	return l
}

// hides says whether a flow is of another host than the one that is looked at.
func (s *setting) hides(f *flow.Flow) bool {
	if s.Host == "" {
		return false
	}
	u, err := url.Parse(f.Request.URL)
	if err != nil {
		return true
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return !strings.EqualFold(strings.Trim(s.Host, "[]"), u.Hostname()) && !strings.EqualFold(s.Host, net.JoinHostPort(u.Hostname(), port))
}

// Request is of flow.Rules: the first mock that fits answers, and before the server is asked the flow may be held.
func (r *Rules) Request(ctx context.Context, f *flow.Flow) (flow.Verdict, error) {
	s := r.setting()
	if s.hides(f) {
		return flow.Verdict{}, nil
	}
	if a := s.mocks.Answer(f); a != nil {
		return flow.Verdict{Answer: a}, nil
	}
	return r.hold(ctx, f, AtRequest)
}

// Response is of flow.Rules.
func (r *Rules) Response(ctx context.Context, f *flow.Flow) (flow.Verdict, error) {
	return r.hold(ctx, f, AtResponse)
}

// holds says whether the intercept holds a flow in a phase.
func (s *setting) holds(f *flow.Flow, phase Phase) bool {
	if s.Intercept == nil || s.hides(f) {
		return false
	}
	if phase == AtRequest && !s.Intercept.Request || phase == AtResponse && !s.Intercept.Response {
		return false
	}
	return s.intercept.Match(f)
}
