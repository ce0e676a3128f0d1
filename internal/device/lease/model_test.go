package lease_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/test/soak"
)

// model is the whole promise in a page: who holds what, until when, and who is next. Times are those of the table's clock.
type model struct {
	now   time.Time
	held  map[string]*modelLease
	queue []*modelWait
	away  func(name string) bool // another home has it
	ids   map[string]string      // of the claim that each was given for last
}

type modelLease struct {
	holder        string
	ttl           time.Duration
	expires, kept time.Time // kept: what survives a crash
	uses          int
	drivers       lease.Names // beside the holder
	implicit      bool        // got by driving it
}

func (l *modelLease) drivenBy(name string) bool { return l.holder == name || l.drivers.Has(name) }

// ownedBy reports whether somebody may act on it in the holder's name.
func (l *modelLease) ownedBy(holder, by string) bool {
	return l.holder == holder && (by == "" || l.drivenBy(by))
}

type modelWait struct {
	holder, by string
	among      []string
	got        string
}

// settle lets time take its toll and serves the queue.
func (m *model) settle() {
	for name, l := range m.held {
		if most := m.now.Add(l.ttl); l.expires.After(most) {
			l.expires = most
		}
		if l.uses == 0 && !l.expires.After(m.now) {
			delete(m.held, name)
		}
	}
	for before := -1; before != len(m.queue); { // what one gets may be what its holder waits for elsewhere in the queue
		before = len(m.queue)
		m.queue = slices.DeleteFunc(m.queue, func(w *modelWait) bool {
			w.got = m.take("", w.holder, w.by, w.among)
			return w.got != ""
		})
	}
}

// take gives the first of what will do that is free or the holder's own; who asks in the holder's name drives it too, and gets nothing
// that another one asked for in that name.
func (m *model) take(id, holder, by string, among []string) string {
	for _, name := range among {
		l := m.held[name]
		if l != nil && l.implicit && l.holder == by && by != holder {
			delete(m.held, name) // who drives it claims it for another
			l = nil
		} else if l != nil && !l.ownedBy(holder, by) || l == nil && m.away(name) {
			continue
		}
		if l == nil {
			l = &modelLease{holder: holder}
			m.held[name], m.ids[name] = l, ""
		}
		if by != holder {
			l.drivers = l.drivers.With(by)
		}
		l.implicit = false
		if id != "" {
			m.ids[name] = id
		}
		l.ttl, l.expires, l.kept = claimTime, m.now.Add(claimTime), m.now.Add(claimTime)
		return name
	}
	return ""
}

func (m *model) use(l *modelLease) {
	if l.expires = m.now.Add(l.ttl); l.expires.Sub(l.kept) > l.ttl/10 {
		l.kept = l.expires
	}
}

// crash forgets what was only in memory, and loses what another home took.
func (m *model) crash() {
	m.queue = nil
	for name, l := range m.held {
		l.uses, l.expires = 0, l.kept.Add(l.ttl/10)
		if m.away(name) {
			delete(m.held, name)
		}
	}
}

const (
	claimTime = 30 * time.Minute
	shortTime = 5 * time.Minute
	grain     = 30 * time.Second // all times are multiples of it
	histories = 1_000            // `make soak` takes ten times as many
	steps     = 30
)

// history is one run of the table beside the model.
type history struct {
	t       *testing.T
	random  *rand.Rand
	journal *memory
	homes   *homes // nil: no guard
	skew    atomic.Int64
	table   *lease.Table
	model   model
	waits   []*wait
	uses    []*using
	said    []string
	claims  []modelClaim
	epochs  map[string]uint64
	highest uint64        // epoch of any lease so far
	ahead   time.Duration // how far the clock was ahead at most
}

type wait struct {
	model *modelWait
	got   string
	done  bool
}

type using struct {
	use   *lease.Use
	name  string
	lease *modelLease
}

func (h *history) clock() time.Time { return time.Now().Add(time.Duration(h.skew.Load())) }

func (h *history) open() {
	o := lease.Options{Journal: h.journal, Now: h.clock}
	if h.homes != nil {
		o.Guard = process{h.homes, h.homes.pid}
	}
	h.table = lease.NewTable(o)
}

// away reports whether another home has a resource.
func (h *history) away(name string) bool { return h.homes != nil && h.homes.elsewhere(name) }

func (h *history) pick(of ...string) string { return of[h.random.IntN(len(of))] }

func (h *history) holder() string   { return h.pick("ada", "bob", "cyd") }
func (h *history) by() string       { return h.pick("", "", "ada", "bob", "eve") }
func (h *history) resource() string { return h.pick("D1", "D2", "D3") }

func (h *history) among() []string {
	all := []string{"D1", "D2", "D3"}
	h.random.Shuffle(3, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1+h.random.IntN(3)]
}

// step does one thing to both and compares what they answer.
func (h *history) step() {
	moves := []func(){
		h.claim, h.claim, h.claim, h.repeat, h.repeat, h.queueUp, h.queueUp, h.release, h.release, h.release, h.renew, h.takeOver,
		h.begin, h.begin, h.finish, h.finish, h.pass, h.pass, h.jump, h.other, h.other, h.crash, h.lose,
	}
	h.model.now = h.clock()
	h.model.settle()
	moves[h.random.IntN(len(moves))]()
	h.model.now = h.clock()
	h.model.settle()
	h.table.Poke()
	synctest.Wait()
	h.compare()
}

func (h *history) note(format string, args ...any) {
	h.said = append(h.said, fmt.Sprintf(format, args...))
}

func (h *history) claim() {
	c := modelClaim{modelWait{holder: h.holder(), by: h.by(), among: h.among()}, fmt.Sprint("claim ", len(h.claims))}
	h.claims = append(h.claims, c)
	h.ask(c, h.model.take(c.id, c.holder, c.by, c.among))
}

// modelClaim is a claim with an id.
type modelClaim struct {
	modelWait
	id string
}

func (h *history) ask(c modelClaim, want string) {
	r := request(c.holder, c.among...)
	r.By, r.Claim = c.by, lease.ClaimID{ID: c.id, Wish: c.holder}
	got, err := h.table.Acquire(h.t.Context(), r)
	h.note("%s claims %v, asked by %q, as %s: %v", c.holder, c.among, c.by, c.id, err)
	if (err == nil) != (want != "") || err == nil && got[0].Resource != want {
		h.fail("claim: %v %v, the model says %q", got, err, want)
	}
}

// repeat makes a claim again: it gets what it got, and nothing when that has ended. Only when somebody else was given that since,
// it is a claim like another.
func (h *history) repeat() {
	if len(h.claims) == 0 {
		return
	}
	c := h.claims[h.random.IntN(len(h.claims))]
	ended := false
	for _, name := range []string{"D1", "D2", "D3"} {
		if h.model.ids[name] == c.id && h.model.held[name] != nil {
			epoch := h.epochs[name]
			h.ask(c, h.model.take(c.id, c.holder, c.by, []string{name}))
			if l := get(h.t, h.table, name); l.Epoch != epoch {
				h.fail("the repeat of a claim has the epoch %d, and not %d", l.Epoch, epoch)
			}
			return
		}
		ended = ended || h.model.ids[name] == c.id
	}
	if ended {
		h.ask(c, "")
		return
	}
	h.ask(c, h.model.take(c.id, c.holder, c.by, c.among))
}

func (h *history) queueUp() {
	w := &wait{model: &modelWait{holder: h.holder(), by: h.by(), among: h.among()}}
	h.note("%s waits for %v, asked by %q", w.model.holder, w.model.among, w.model.by)
	h.model.queue = append(h.model.queue, w.model)
	h.waits = append(h.waits, w)
	r := request(w.model.holder, w.model.among...)
	r.Wait, r.By = true, w.model.by
	table := h.table
	go func() {
		if got, err := table.Acquire(h.t.Context(), r); err == nil {
			w.got = got[0].Resource
		}
		w.done = true
	}()
	synctest.Wait()
}

func (h *history) release() {
	holder, by, name := h.holder(), h.by(), h.resource()
	l := h.model.held[name]
	_, err := h.table.Release(h.t.Context(), lease.Who{Holder: holder, By: by}, name)
	h.note("%s releases %s, asked by %q: %v", holder, name, by, err)
	owned := l != nil && l.ownedBy(holder, by)
	if (err == nil) != (l == nil || owned) {
		h.fail("release: %v", err)
	}
	if owned {
		delete(h.model.held, name)
	}
}

func (h *history) renew() {
	holder, by, name := h.holder(), h.by(), h.resource()
	l := h.model.held[name]
	_, err := h.table.Renew(h.t.Context(), lease.Who{Holder: holder, By: by}, name)
	h.note("%s renews %s, asked by %q: %v", holder, name, by, err)
	if (err == nil) != (l != nil && l.ownedBy(holder, by)) {
		h.fail("renew: %v", err)
	}
	if err == nil {
		l.expires = h.model.now.Add(l.ttl)
		l.kept = l.expires
	}
}

func (h *history) takeOver() {
	holder, by, name := h.holder(), h.by(), h.resource()
	h.note("%s takes %s over, asked by %q", holder, name, by)
	r := request(holder)
	r.By = by
	_, _, err := h.table.TakeOver(h.t.Context(), r, name, "why not")
	if away := h.model.held[name] == nil && h.away(name); (err == nil) == away {
		h.fail("take over: %v", err)
	}
	if err != nil {
		return
	}
	delete(h.model.held, name)
	h.model.take("", holder, by, []string{name})
}

// begin is a command, or a boot that may take for ever: nothing that is in use runs out.
func (h *history) begin() {
	holder, name := h.pick("ada", "bob", "cyd", "eve"), h.resource()
	l := h.model.held[name]
	use, err := h.table.Use(h.t.Context(), name, holder, shortTime)
	h.note("%s uses %s: %v", holder, name, err)
	if (err == nil) != (l == nil && !h.away(name) || l != nil && l.drivenBy(holder)) {
		h.fail("use: %v", err)
	}
	if err != nil {
		return
	}
	if l == nil {
		l = &modelLease{holder: holder, implicit: true, ttl: shortTime, expires: h.model.now.Add(shortTime), kept: h.model.now.Add(shortTime)}
		h.model.held[name], h.model.ids[name] = l, ""
	}
	l.uses++
	h.model.use(l)
	h.uses = append(h.uses, &using{use, name, l})
}

func (h *history) finish() {
	if len(h.uses) == 0 {
		return
	}
	i := h.random.IntN(len(h.uses))
	u := h.uses[i]
	h.uses = slices.Delete(h.uses, i, i+1)
	valid := h.model.held[u.name] == u.lease
	h.note("a use of %s ends", u.name)
	if err := u.use.Check(); (err == nil) != valid {
		h.fail("check: %v, the model says %v", err, valid)
	}
	u.use.Done()
	if u.lease.uses--; valid {
		h.model.use(u.lease)
	}
}

func (h *history) pass() {
	d := time.Duration(h.random.IntN(40)) * time.Minute
	h.note("%s pass", d)
	for ; d > 0; d -= grain { // what ends on the way is given on at once, and may end again
		time.Sleep(grain)
		h.model.now = h.clock()
		h.model.settle()
	}
}

// jump moves the clock without time passing, either way; not back when a journal has nothing but the clock to go by.
func (h *history) jump() {
	by := time.Duration(h.random.IntN(240)-120) * time.Minute
	if h.journal.epoch == 0 {
		by = by.Abs()
	}
	h.skew.Add(int64(by))
	h.ahead = max(h.ahead, time.Duration(h.skew.Load()))
	h.note("the clock jumps to %s", h.clock())
}

// other is another home that takes what is free, or gives back what it has.
func (h *history) other() {
	if h.homes == nil {
		return
	}
	name := h.resource()
	h.note("the other home has %s: %v", name, h.homes.other(name))
}

// lose is a journal that loses its leases: while the daemon runs, which writes them anew, or before the next one starts. Then
// nobody has anything any more. Also the number beside the leases may be lost, unless the clock went back too.
func (h *history) lose() {
	switch h.random.IntN(3) {
	case 0:
		h.note("the leases are deleted under the daemon")
		h.journal.forget()
		return
	case 1:
		h.note("the leases are lost")
		h.journal.cut()
		h.journal = &memory{epoch: h.journal.epoch}
	case 2:
		if time.Duration(h.skew.Load()) < h.ahead {
			return
		}
		h.note("everything is lost")
		h.journal.cut()
		h.journal = &memory{}
		time.Sleep(grain) // no daemon ends and starts in no time
	}
	clear(h.model.held)
	clear(h.model.ids)
	h.crash()
}

// crash is a daemon killed and another one started: it knows what the journal has. The other home is quick.
func (h *history) crash() {
	h.note("crash")
	h.journal.cut()
	if h.homes != nil {
		h.homes.crash(h.resource())
	}
	h.table = nil
	h.waits, h.uses = nil, nil
	if h.journal.lost { // and nothing was written since
		clear(h.model.held)
		clear(h.model.ids)
	}
	h.model.crash()
	h.journal = h.journal.copy()
	h.open()
	if err := h.table.Load(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	synctest.Wait()
}

func (h *history) compare() {
	for _, w := range h.waits {
		if w.got != w.model.got || w.done != (w.model.got != "") {
			h.fail("%s waited for %v and got %q; the model says %q", w.model.holder, w.model.among, w.got, w.model.got)
		}
	}
	h.waits = slices.DeleteFunc(h.waits, func(w *wait) bool { return w.done })
	if n := h.table.Waiting(); n != len(h.model.queue) {
		h.fail("%d wait; the model says %d", n, len(h.model.queue))
	}
	all, err := h.table.All(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	before := h.highest
	for name, l := range all {
		if h.highest = max(h.highest, l.Epoch); l.Epoch != 0 && l.Epoch <= before && l.Epoch != h.epochs[name] {
			h.fail("%s has the epoch %d, and %d was given before", name, l.Epoch, before)
		}
		h.epochs[name] = l.Epoch
		m := h.model.held[name]
		if m == nil && l.Held() || m != nil && (l.Holder != m.holder || l.CoDrivers != m.drivers || !l.Expires.Equal(m.expires)) {
			h.fail("%s is %+v; the model says %+v", name, l, m)
		}
		if !l.Held() && l.CoDrivers != "" {
			h.fail("%s is nobody's and has the co-drivers %q", name, l.CoDrivers)
		}
		if h.homes != nil && h.homes.ours(name) != (m != nil) {
			h.fail("%s is locked: %v; the model says %+v", name, h.homes.ours(name), m)
		}
	}
	if h.homes != nil && len(h.homes.wrong) > 0 {
		h.fail("%v", h.homes.wrong)
	}
}

func (h *history) fail(format string, args ...any) {
	h.t.Helper()
	for _, line := range h.said {
		h.t.Log(line)
	}
	h.t.Fatalf(format, args...)
}

// TestHistories holds the table against the model through random lives: claims, waiting, use, take-overs, hours that pass,
// clocks that jump, daemons that are killed; half of them beside another home that takes what is free.
func TestHistories(t *testing.T) {
	for seed := range soak.Seeds(t, soak.Many(histories)) {
		synctest.Test(t, func(t *testing.T) {
			h := &history{t: t, random: rand.New(rand.NewPCG(seed, 1)), journal: &memory{}, epochs: map[string]uint64{}}
			h.model = model{held: map[string]*modelLease{}, ids: map[string]string{}}
			h.model.away = h.away
			if seed%2 == 1 {
				h.homes = &homes{now: h.clock, locks: map[string]owned{}, calls: map[string]int{}}
			}
			h.open()
			for range steps {
				h.step()
			}
			h.journal.cut() // no timer may outlive the bubble's end
			if err := h.table.Close(); err != nil {
				t.Log(err)
			}
		})
		if t.Failed() {
			t.Fatalf("history %d", seed)
		}
	}
}
