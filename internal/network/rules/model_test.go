package rules_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/rules"
)

// model is what the rules promise about held flows, in a page: a list, and what became of each.
type model struct {
	t        *testing.T
	r        *rules.Rules
	h        *heard
	held     []*asked
	all      []*asked
	after    int64 // what one who waits has seen
	seen     int
	patterns [2]string // of the sessions; empty holds nothing
	drivers  rules.Drivers
	said     []string
	finished bool
}

// The sessions, in the order of their shares, and the devices; an empty one is not known.
var (
	sessions = [2]string{"ann", "bob"}
	devices  = []string{"", "one", "two"}
)

func either(rnd *rand.Rand) string { return sessions[rnd.IntN(2)] }

// mayTouch says it again, in the model's words.
func (m *model) mayTouch(session, device string) bool {
	return device == "" || len(m.drivers[device]) == 0 || slices.Contains(m.drivers[device], session)
}

// set gives the rules what the model has.
func (m *model) set() {
	c := rules.Config{Drivers: maps.Clone(m.drivers)}
	for i, name := range sessions {
		s := rules.Share{Owner: name}
		if m.patterns[i] != "" {
			s.Hold = &rules.Intercept{Pattern: m.patterns[i]}
		}
		c.Shares = append(c.Shares, s)
	}
	if err := m.r.Set(c); err != nil {
		m.t.Error(err)
	}
}

// asked is a flow that the rules were asked about.
type asked struct {
	id      string
	device  string
	owner   string // the session that holds it; empty: none does
	cancel  context.CancelFunc
	came    <-chan outcome
	until   time.Time
	changed bool
	gone    bool
}

func (m *model) ask(device string) {
	f := request("GET", "https://a/orders")
	f.Client.Simulator = device
	ctx, cancel := context.WithCancel(m.t.Context())
	a := &asked{id: f.ID, device: device, cancel: cancel, came: ask(ctx, m.r, f), until: time.Now().Add(rules.Hold)}
	synctest.Wait()
	for i, name := range slices.Backward(sessions[:]) {
		if m.patterns[i] == "~u orders" && m.mayTouch(name, device) {
			a.owner = name
		}
	}
	if a.owner != "" && !m.finished {
		m.held, m.all = append(m.held, a), append(m.all, a)
		m.said = append(m.said, "held "+a.id)
		return
	}
	m.outcome(a)
}

// end takes flows out of the model, and compares what they got.
func (m *model) end(reason rules.Reason, which func(*asked) bool) (n int) {
	synctest.Wait()
	m.held = slices.DeleteFunc(m.held, func(a *asked) bool {
		if !which(a) {
			return false
		}
		n++
		m.said = append(m.said, string(reason)+" "+a.id)
		m.outcome(a)
		return true
	})
	return n
}

func (m *model) outcome(a *asked) {
	defer a.cancel()
	select {
	case o := <-a.came:
		if (o.err != nil) != a.gone || (o.verdict.Change != nil) != a.changed || o.verdict.Answer != nil {
			m.t.Errorf("%s got %+v", a.id, o)
		}
	default:
		m.t.Errorf("%s is still held", a.id)
	}
}

// any is one of the held flows, or one that is none.
func (m *model) any(rnd *rand.Rand) *asked {
	if len(m.held) == 0 || rnd.IntN(8) == 0 {
		return &asked{id: "f_000000000000"}
	}
	return m.held[rnd.IntN(len(m.held))]
}

func (m *model) step(rnd *rand.Rand) {
	switch rnd.IntN(13) {
	case 0, 1, 2, 3:
		m.ask(devices[rnd.IntN(len(devices))])
	case 4:
		time.Sleep(time.Duration(1+rnd.IntN(20)) * time.Second)
		m.end(rules.TimedOut, func(a *asked) bool { return !a.until.After(time.Now()) })
	case 5, 6:
		m.release(rnd)
	case 7:
		a := m.any(rnd)
		bad := "not a url"
		if err := m.r.Release(a.id, a.owner, &flow.Change{URL: &bad}); err == nil {
			m.t.Errorf("a wrong change of %s is made", a.id)
		}
	case 8:
		if a := m.any(rnd); a.cancel != nil {
			a.gone = true
			a.cancel()
			m.end(rules.ClientGone, func(o *asked) bool { return o == a })
		}
	case 9:
		by := either(rnd)
		n := m.r.ReleaseAll(by)
		if had := m.end(rules.AllReleased, func(a *asked) bool { return a.owner == by }); had != n {
			m.t.Errorf("%s released %d, want %d", by, n, had)
		}
	case 10:
		i, to := rnd.IntN(2), []string{"", "~u orders", "~u orders", "~u other"}[rnd.IntN(4)]
		changed := to != m.patterns[i]
		m.patterns[i] = to
		m.set()
		m.end(rules.InterceptCleared, func(a *asked) bool { return changed && a.owner == sessions[i] })
	case 11:
		m.drivers[devices[1+rnd.IntN(2)]] = [][]string{nil, {"ann"}, {"bob"}, {"ann", "bob"}}[rnd.IntN(4)]
		m.set()
		m.end(rules.InterceptCleared, func(a *asked) bool { return !m.mayTouch(a.owner, a.device) })
	case 12:
		m.look()
	}
}

// release has one of the sessions release one of the flows: only the session that holds it can.
func (m *model) release(rnd *rand.Rand) {
	a, by := m.any(rnd), either(rnd)
	changed := rnd.IntN(2) == 0
	change, reason := (*flow.Change)(nil), rules.Manual
	if changed {
		change, reason = &flow.Change{Remove: []string{"cookie"}}, rules.Modified
	}
	err := m.r.Release(a.id, by, change)
	if a.owner != "" && a.owner != by {
		if owned := (*rules.OwnedError)(nil); !errors.As(err, &owned) || owned.Owner != a.owner {
			m.t.Errorf("%s released %s of %s: %v", by, a.id, a.owner, err)
		}
		return
	}
	a.changed = changed
	n := m.end(reason, func(o *asked) bool { return o == a })
	if (n == 0) != errors.As(err, new(*rules.NotHeldError)) || n == 1 && err != nil {
		m.t.Errorf("release of %s: %v", a.id, err)
	}
}

// look is one who waits: it is told every flow once, in the order in which they were held.
func (m *model) look() {
	ctx, cancel := context.WithCancel(m.t.Context())
	cancel() // it does not wait, it only looks
	for _, h := range m.r.Wait(ctx, m.after) {
		if m.seen == len(m.all) || h.Flow.ID != m.all[m.seen].id || h.Sequence <= m.after {
			m.t.Errorf("%s, number %d, was not expected", h.Flow.ID, h.Sequence)
			return
		}
		m.after, m.seen = h.Sequence, m.seen+1
	}
	if m.seen != len(m.all) {
		m.t.Errorf("%d of %d flows were seen", m.seen, len(m.all))
	}
}

// compare holds the rules to the model.
func (m *model) compare() {
	synctest.Wait()
	held := m.r.Held()
	if len(held) != len(m.held) {
		m.t.Errorf("%d are held, not %d", len(held), len(m.held))
		return
	}
	for i, h := range held {
		if h.Flow.ID != m.held[i].id || h.Owner != m.held[i].owner || h.Released != "" || !h.Until.Equal(m.held[i].until) {
			m.t.Errorf("%d: %+v", i, h)
		}
	}
	m.h.mu.Lock()
	defer m.h.mu.Unlock()
	var said []string
	for _, e := range m.h.all {
		word := "held"
		if e.Held.Released != "" {
			word = string(e.Held.Released)
		}
		said = append(said, word+" "+e.Held.Flow.ID)
	}
	if !slices.Equal(sortedRuns(said), sortedRuns(m.said)) {
		m.t.Errorf("told\n%v, not\n%v", said, m.said)
	}
}

// sortedRuns sorts neighbours that happened at one moment: timers of one second have no order.
func sortedRuns(said []string) []string {
	out := slices.Clone(said)
	for from := 0; from < len(out); {
		to := from
		for to < len(out) && word(out[to]) == word(out[from]) && word(out[from]) == string(rules.TimedOut) {
			to++
		}
		slices.Sort(out[from:to])
		from = max(to, from+1)
	}
	return out
}

func word(said string) string {
	w, _, _ := strings.Cut(said, " ")
	return w
}

// TestRulesMatchModelOnRandomWalks takes random walks and compares every step with the model.
func TestRulesMatchModelOnRandomWalks(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			rnd, h := rand.New(rand.NewPCG(seed, 18)), &heard{}
			m := &model{t: t, h: h, drivers: rules.Drivers{}, r: rules.New(rules.Options{Told: h.told})}
			for step := 0; step < 60 && !t.Failed(); step++ {
				m.step(rnd)
				m.compare()
			}
			m.r.Close()
			m.end(rules.Shutdown, func(*asked) bool { return true })
			m.finished = true
			m.ask("")
			m.look()
			m.compare()
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
	}
}
