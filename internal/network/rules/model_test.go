package rules_test

import (
	"context"
	"errors"
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
	pattern  string // empty holds nothing
	said     []string
	finished bool
}

// asked is a flow that the rules were asked about.
type asked struct {
	id      string
	cancel  context.CancelFunc
	came    <-chan outcome
	until   time.Time
	changed bool
	gone    bool
}

func (m *model) ask() {
	f := request("GET", "https://a/orders")
	ctx, cancel := context.WithCancel(m.t.Context())
	a := &asked{id: f.ID, cancel: cancel, came: ask(ctx, m.r, f), until: time.Now().Add(rules.Hold)}
	synctest.Wait()
	if m.pattern == "~u orders" && !m.finished {
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
	everyone := func(*asked) bool { return true }
	switch rnd.IntN(12) {
	case 0, 1, 2, 3:
		m.ask()
	case 4:
		time.Sleep(time.Duration(1+rnd.IntN(20)) * time.Second)
		m.end(rules.TimedOut, func(a *asked) bool { return !a.until.After(time.Now()) })
	case 5, 6:
		a := m.any(rnd)
		a.changed = rnd.IntN(2) == 0
		change, reason := (*flow.Change)(nil), rules.Manual
		if a.changed {
			change, reason = &flow.Change{Remove: []string{"cookie"}}, rules.Modified
		}
		err := m.r.Release(a.id, change)
		n := m.end(reason, func(o *asked) bool { return o == a })
		if (n == 0) != errors.As(err, new(*rules.NotHeldError)) || n == 1 && err != nil {
			m.t.Errorf("release of %s: %v", a.id, err)
		}
	case 7:
		a := m.any(rnd)
		bad := "not a url"
		if err := m.r.Release(a.id, &flow.Change{URL: &bad}); err == nil {
			m.t.Errorf("a wrong change of %s is made", a.id)
		}
	case 8:
		if a := m.any(rnd); a.cancel != nil {
			a.gone = true
			a.cancel()
			m.end(rules.ClientGone, func(o *asked) bool { return o == a })
		}
	case 9:
		n := m.r.ReleaseAll()
		if had := m.end(rules.AllReleased, everyone); had != n {
			m.t.Errorf("%d were released of %d", n, had)
		}
	case 10:
		to := []string{"", "~u orders", "~u orders", "~u other"}[rnd.IntN(4)]
		c := rules.Config{}
		if to != "" {
			c = hold(to)
		}
		if err := m.r.Set(c); err != nil {
			m.t.Error(err)
		}
		if to != m.pattern {
			m.end(rules.InterceptCleared, everyone)
		}
		m.pattern = to
	case 11:
		m.look()
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
		if h.Flow.ID != m.held[i].id || h.Released != "" || !h.Until.Equal(m.held[i].until) {
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

// TestModel takes random walks and compares every step with the model.
func TestModel(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			rnd, h := rand.New(rand.NewPCG(seed, 18)), &heard{}
			m := &model{t: t, h: h, r: rules.New(rules.Options{Told: h.told})}
			for step := 0; step < 60 && !t.Failed(); step++ {
				m.step(rnd)
				m.compare()
			}
			m.r.Close()
			m.end(rules.Shutdown, func(*asked) bool { return true })
			m.finished = true
			m.ask()
			m.look()
			m.compare()
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
	}
}
