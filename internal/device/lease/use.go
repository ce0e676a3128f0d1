package lease

import (
	"context"
	"time"
)

// Use is a running command. Its lease does not expire while it runs.
type Use struct {
	table    *Table
	resource string
	holder   string
	epoch    uint64 // 0: the command has no lease
}

// Use begins a command of a holder, or of a co-driver under the holder's lease. It leases a free resource for ttl. With a ttl of zero,
// the command runs without a lease as long as the resource is free. It returns a *BusyError if another holder has the resource.
//
// A failing journal does not stop the command: its lease then lasts as long as this process.
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
		err = u.Check() // fallBack keeps the lease unless another holder has it
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

// touch renews a lease by use. The journal gets only renewals that make a difference.
func (t *Table) touch(l Lease) Lease {
	now := t.o.Now()
	l.Used, l.Expires = now, now.Add(l.TTL)
	t.now[l.Resource] = l
	if l.Expires.Sub(t.kept[l.Resource].Expires) > slack(l.TTL) {
		t.put(Event{At: now, What: Renewed, Lease: l})
	}
	return l
}

// Check reports whether a command may still run when its turn comes; a *LostError if its lease has ended, a *BusyError if another
// holder has the resource.
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

// Epoch is the epoch of the command's lease; 0 without a lease.
func (u *Use) Epoch() uint64 { return u.epoch }

// MayDrive reports whether a session may drive the resource now: the holder, a co-driver, or any session while the resource is free.
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
