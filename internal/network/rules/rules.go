// Package rules decides about flows while they pass: a host that alone is looked at, mocks, a pattern that holds flows until somebody
// releases them. Each belongs to a session, and touches the flows of no device that only others drive. It is what the proxy asks
// (flow.Rules). It opens no file or connection itself; only a mock's body file is read for it.
package rules

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
)

// Hold is how long a flow is held if nobody releases it.
const Hold = 30 * time.Second

// MostHeld is how many flows are held at once. More pass, and are told as such.
const MostHeld = 500

// Config is all that the rules are told, at once.
type Config struct {
	Shares  []Share     `json:"shares,omitempty"` // one a session; of two that hold a flow, the first does
	Mocks   []mock.Rule `json:"mocks,omitempty"`
	Drivers Drivers     `json:"drivers,omitempty"`
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
	mocks  *mock.Set
	shares []share // as those of the Config
}

// New makes rules that let everything pass.
func New(o Options) *Rules {
	return &Rules{told: o.Told, now: &setting{}, next: max(o.First, 1), woken: make(chan struct{})}
}

// Set replaces everything, or nothing if something is wrong. To set the same again changes nothing. What a hold that is another one
// now held, or one that may not touch the flow any more, is released.
func (r *Rules) Set(c Config) error {
	r.mu.Lock()
	old := r.now
	r.mu.Unlock()
	s, err := prepare(c, old)
	if err != nil {
		return err
	}
	r.mu.Lock()
	was := r.now
	r.now = s
	r.releaseAll(InterceptCleared, func(h *hold) bool { return !s.keeps(h, was) })
	r.mu.Unlock()
	r.tell()
	return nil
}

// keeps says whether what was held under another setting is held under this one.
func (s *setting) keeps(h *hold, was *setting) bool {
	before, now := was.of(h.Owner), s.of(h.Owner)
	return before != nil && now != nil && same(before.Hold, now.Hold) && s.Drivers.MayTouch(h.Owner, h.Flow.Client)
}

// of is the share of a session; nil if it has none.
func (s *setting) of(session string) *share {
	if i := slices.IndexFunc(s.shares, func(one share) bool { return one.Owner == session }); i >= 0 {
		return &s.shares[i]
	}
	return nil
}

func same(a, b *Intercept) bool { return a == b || a != nil && b != nil && *a == *b }

func prepare(c Config, old *setting) (*setting, error) {
	s := &setting{Config: c}
	s.Shares = slices.Clone(c.Shares)
	var err error
	if s.mocks, err = mock.NewSet(c.Mocks, old.mocks, time.Now); err != nil {
		return nil, err
	}
	for i, one := range c.Shares {
		ready, err := one.ready(old.of(one.Owner))
		if err != nil {
			return nil, err
		}
		s.shares, s.Shares[i] = append(s.shares, ready), ready.Share
	}
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

// Bypasses says whether a host that a share names is passed on unseen for a client.
func (r *Rules) Bypasses(c flow.Client, host string) bool {
	s := r.setting()
	return slices.ContainsFunc(s.shares, func(one share) bool {
		return slices.Contains(one.Bypass, host) && s.Drivers.MayTouch(one.Owner, c)
	})
}

// touching are the shares of those who may touch a flow.
func (s *setting) touching(f *flow.Flow) iter.Seq[*share] {
	return func(yield func(*share) bool) {
		for i := range s.shares {
			if s.Drivers.MayTouch(s.shares[i].Owner, f.Client) && !yield(&s.shares[i]) {
				return
			}
		}
	}
}

// mocksFor are the mocks of those who may touch a flow.
func (s *setting) mocksFor(f *flow.Flow) *mock.Set {
	return s.mocks.Of(func(owner string) bool { return s.Drivers.MayTouch(owner, f.Client) })
}

// Look is of flow.Rules.
func (r *Rules) Look(f *flow.Flow) flow.Look {
	s := r.setting()
	if s.hides(f) {
		return flow.Look{Hidden: true}
	}
	var l flow.Look
	_, l.RequestBody = s.mocksFor(f).Look(f)
	for one := range s.touching(f) {
		one.look(f, &l)
	}
	return l
}

// hides says whether somebody looks at one host only, and nobody at that of the flow.
func (s *setting) hides(f *flow.Flow) (hidden bool) {
	for one := range s.touching(f) {
		if one.Only == "" {
			continue
		}
		if one.sees(f) {
			return false
		}
		hidden = true
	}
	return hidden
}

// Request is of flow.Rules: the first mock that fits answers, and before the server is asked the flow may be held.
func (r *Rules) Request(ctx context.Context, f *flow.Flow) (flow.Verdict, error) {
	s := r.setting()
	if s.hides(f) {
		return flow.Verdict{}, nil
	}
	pace := s.pace(f)
	if pace != nil && pace.Lost != "" {
		return flow.Verdict{Pace: pace}, nil
	}
	answer := s.mocksFor(f).Answer(f)
	if answer != nil && answer.To == "" {
		return flow.Verdict{Answer: answer, Pace: pace}, nil
	}
	v, err := r.hold(ctx, f, AtRequest)
	v.Pace = pace
	if answer != nil {
		v.Change = elsewhere(v.Change, answer.To)
	}
	return v, err
}

// elsewhere is a change that also sends a request to another address, unless somebody named one when it was released.
func elsewhere(c *flow.Change, to string) *flow.Change {
	out := flow.Change{}
	if c != nil {
		out = *c
	}
	if out.URL == nil {
		out.URL = &to
	}
	return &out
}

// Response is of flow.Rules.
func (r *Rules) Response(ctx context.Context, f *flow.Flow) (flow.Verdict, error) {
	return r.hold(ctx, f, AtResponse)
}

// holder is the share that holds a flow in a phase; nil if none does.
func (s *setting) holder(f *flow.Flow, phase Phase) *share {
	for one := range s.touching(f) {
		if one.holds(f, phase) && !s.hides(f) {
			return one
		}
	}
	return nil
}
