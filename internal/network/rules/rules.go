// Package rules decides about flows while they pass the proxy, which calls it as flow.Rules. Rules has mocks, patterns that hold flows
// until they are released, throttles, bypassed hosts, and a single host to look at. Each belongs to a session, and does not apply to a
// device that only other sessions drive. The package must not open files or connections itself, except a mock's files.
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

// Hold is how long a flow is held before its automatic release.
const Hold = 30 * time.Second

// MostHeld is the maximum number of held flows. Further flows pass, and are reported with the reason TooMany.
const MostHeld = 500

// Config is the whole configuration of the rules.
type Config struct {
	Shares  []Share     `json:"shares,omitempty"` // one per session; the first match holds a flow
	Mocks   []mock.Rule `json:"mocks,omitempty"`
	Drivers Drivers     `json:"drivers,omitempty"`
}

// Intercept says which flows are held, and when. Without Request and Response, requests are held if the pattern can match one, otherwise
// responses.
type Intercept struct {
	Pattern  string `json:"pattern"`
	Request  bool   `json:"request,omitempty"`
	Response bool   `json:"response,omitempty"`
}

// Options configure Rules.
type Options struct {
	// Told receives holds and releases, one after the other, in their order. It must not wait, and must not call the rules. It may be
	// nil.
	Told func(Event)
	// First is the sequence number of the first hold. A process that follows another needs a greater number: the time in microseconds.
	First int64
}

// Rules is the state of the rules. It is safe for concurrent use.
type Rules struct {
	told func(Event)

	mu     sync.Mutex
	now    *setting // replaced as a whole, never changed
	held   []*hold  // in the order of their sequence
	gone   []Held   // the last released flows, without bodies
	next   int64
	woken  chan struct{} // closed and replaced at every hold
	closed bool
	events []Event // to be reported
	tells  bool    // a goroutine is reporting them
}

var _ flow.Rules = (*Rules)(nil)

// setting is a Config that is ready for use.
type setting struct {
	Config
	mocks  *mock.Set
	shares []share // in the order of the Config's
}

// New makes rules that let everything pass.
func New(o Options) *Rules {
	return &Rules{told: o.Told, now: &setting{}, next: max(o.First, 1), woken: make(chan struct{})}
}

// Set replaces the whole configuration; after an error the old one stays. Setting the same again changes nothing. A held flow is released
// if its session's hold was changed or no longer applies to it.
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

// keeps reports whether a flow held under the old setting stays held under this one.
func (s *setting) keeps(h *hold, was *setting) bool {
	before, now := was.of(h.Owner), s.of(h.Owner)
	return before != nil && now != nil && same(before.Hold, now.Hold) && s.Drivers.MayTouch(h.Owner, h.Flow.Client)
}

// of is the share of a session; nil without one.
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

// Config is the current configuration, with the phases filled in.
func (r *Rules) Config() Config { return r.setting().Config }

// Hits is the number of answers of each mock.
func (r *Rules) Hits() map[string]int { return r.setting().mocks.Hits() }

func (r *Rules) setting() *setting {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Bypasses reports whether a share's host is forwarded unopened for a client.
func (r *Rules) Bypasses(c flow.Client, host string) bool {
	s := r.setting()
	return slices.ContainsFunc(s.shares, func(one share) bool {
		return slices.Contains(one.Bypass, host) && s.Drivers.MayTouch(one.Owner, c)
	})
}

// touching are the shares of the sessions whose rules apply to a flow.
func (s *setting) touching(f *flow.Flow) iter.Seq[*share] {
	return func(yield func(*share) bool) {
		for i := range s.shares {
			if s.Drivers.MayTouch(s.shares[i].Owner, f.Client) && !yield(&s.shares[i]) {
				return
			}
		}
	}
}

// mocksFor are the mocks of the sessions whose rules apply to a flow.
func (s *setting) mocksFor(f *flow.Flow) *mock.Set {
	return s.mocks.Of(func(owner string) bool { return s.Drivers.MayTouch(owner, f.Client) })
}

// Look implements flow.Rules.
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

// hides reports whether a session looks at a single host only, and no session looks at the flow's host.
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

// Request implements flow.Rules: the first matching mock answers; otherwise the flow may be held before it is sent.
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

// elsewhere adds another address to a change, unless the release of the flow gave one already.
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

// Response implements flow.Rules.
func (r *Rules) Response(ctx context.Context, f *flow.Flow) (flow.Verdict, error) {
	return r.hold(ctx, f, AtResponse)
}

// holder is the share that holds a flow in a phase, or nil.
func (s *setting) holder(f *flow.Flow, phase Phase) *share {
	for one := range s.touching(f) {
		if one.holds(f, phase) && !s.hides(f) {
			return one
		}
	}
	return nil
}
