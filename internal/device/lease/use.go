package lease

import (
	"context"
	"time"
)

// Use is a command under way: while there is one, its lease does not run out.
type Use struct {
	table    *Table
	resource string
	holder   string
	epoch    uint64 // 0: used without a lease
}

// Use begins a command of a holder, or of a co-driver under its holder's lease. A free resource is leased to it for ttl; with
// a ttl of zero it is used without a lease as long as nobody has one. A *BusyError when another holder has it.
//
// A journal that fails does not keep a command from its device: the lease then lasts as long as this process.
func (t *Table) Use(ctx context.Context, resource, holder string, ttl time.Duration) (*Use, error) {
	if err := t.enter(ctx); err != nil {
		return nil, err
	}
	if t.pump(); ttl <= 0 && t.look(resource).Free() {
		t.mu.Unlock()
		return &Use{t, resource, holder, 0}, nil
	}
	w := newWaiter(Request{Holder: holder, Kind: Implicit, TTL: ttl, Among: func(func(string) Lease) []string { return []string{resource} }})
	w.use = true
	if err := t.stand(ctx, w); err != nil {
		return nil, err
	}
	u := &Use{t, resource, holder, w.got[0].Epoch}
	if w.ticket == nil {
		return u, nil
	}
	err := t.durable(ctx, w.ticket)
	if err != nil && ctx.Err() == nil {
		err = u.Check() // fallBack keeps it, unless another has it
	}
	if err != nil {
		t.mu.Lock()
		t.drop(u.epoch)
		t.mu.Unlock()
		t.giveBack(w)
		return nil, err
	}
	return u, nil
}

// touch renews a lease by use; the journal hears of it when it makes a difference.
func (t *Table) touch(l Lease) Lease {
	now := t.o.Now()
	l.Used, l.Expires = now, now.Add(l.TTL)
	t.now[l.Resource] = l
	if l.Expires.Sub(t.kept[l.Resource].Expires) > slack(l.TTL) {
		t.put(Event{At: now, What: Renewed, Lease: l})
	}
	return l
}

// Check reports, when it is the command's turn, whether it still may run; a *LostError when its lease is gone, a
// *BusyError when another has one now.
func (u *Use) Check() error {
	t := u.table
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.look(u.resource)
	switch {
	case l.Held() && !l.DrivenBy(u.holder):
		return &BusyError{Held: []Lease{l}}
	case u.epoch != 0 && (l.Epoch != u.epoch || !l.Held()), l.Dirty:
		return &LostError{u.resource, u.epoch, l}
	}
	return nil
}

// Epoch is that of the lease the command runs under; 0 without one.
func (u *Use) Epoch() uint64 { return u.epoch }

// MayDrive reports whether a session may drive the resource now: its holder, a co-driver, or anybody while it is free.
func (u *Use) MayDrive(session string) bool {
	t := u.table
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.look(u.resource)
	return !l.Held() || l.DrivenBy(session)
}

// Done ends the command and renews its lease.
func (u *Use) Done() {
	t := u.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if u.epoch == 0 {
		return
	}
	t.drop(u.epoch)
	if t.closed {
		return
	}
	if l := t.look(u.resource); l.Held() && l.Epoch == u.epoch {
		t.touch(l)
	}
	t.pump()
}

func (t *Table) drop(epoch uint64) {
	if t.uses[epoch]--; t.uses[epoch] == 0 {
		delete(t.uses, epoch)
	}
}
