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

// Use begins a command of a holder. A free resource is leased to it for ttl; with a ttl of zero it is used without a lease
// as long as nobody has one. A *BusyError when another holder has it.
//
// A journal that fails does not keep a command from its device: the lease then lasts as long as this process.
func (t *Table) Use(ctx context.Context, resource, holder string, ttl time.Duration) (*Use, error) {
	t.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pump()
	l := t.look(resource)
	switch {
	case l.Holder == holder:
		t.touch(l)
	case !l.Free():
		return nil, &BusyError{Held: []Lease{l}}
	case ttl <= 0:
		return &Use{t, resource, holder, 0}, nil
	default:
		var err error
		if l, err = t.begin(l, Request{Holder: holder, Kind: Implicit, TTL: ttl}); err != nil {
			return nil, err
		}
	}
	t.uses[l.Epoch]++
	t.arm()
	return &Use{t, resource, holder, l.Epoch}, nil
}

// begin leases a free resource to its first user.
func (t *Table) begin(l Lease, r Request) (Lease, error) {
	now := t.Now()
	if other := t.lock(l.Resource, now.Add(r.TTL)); other != nil {
		return l, &BusyError{Elsewhere: []*ElsewhereError{other}}
	}
	l = t.grant(l, r, now)
	t.uses[l.Epoch]++ // it must not run out while it is written
	defer t.drop(l.Epoch)
	if t.wait() == nil {
		return l, nil
	}
	if other := t.look(l.Resource); !other.Free() {
		return l, &BusyError{Held: []Lease{other}}
	}
	t.now[l.Resource], t.kept[l.Resource] = l, l
	_ = t.lock(l.Resource, l.Expires)
	return l, nil
}

// touch renews a lease by use; the journal hears of it when it makes a difference.
func (t *Table) touch(l Lease) {
	now := t.Now()
	l.Used, l.Expires = now, now.Add(l.TTL)
	t.now[l.Resource] = l
	if l.Expires.Sub(t.kept[l.Resource].Expires) > slack(l.TTL) {
		t.put(Event{At: now, What: Renewed, Lease: l})
		_ = t.lock(l.Resource, l.Expires)
	}
}

// Check reports, when it is the command's turn, whether it still may run; a *LostError when its lease is gone, a
// *BusyError when another has one now.
func (u *Use) Check() error {
	t := u.table
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.look(u.resource)
	switch {
	case l.Held() && l.Holder != u.holder:
		return &BusyError{Held: []Lease{l}}
	case u.epoch != 0 && (l.Epoch != u.epoch || !l.Held()), l.Dirty:
		return &LostError{u.resource, u.epoch, l}
	}
	return nil
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
	if l := t.look(u.resource); l.Held() && l.Epoch == u.epoch {
		t.touch(l)
	}
	t.pump()
}

func (t *Table) drop(epoch uint64) {
	if t.uses[epoch]--; t.uses[epoch] <= 0 {
		delete(t.uses, epoch)
	}
}
