package world

import (
	"context"
	"slices"

	"ios-agent/internal/virtualxcode/uuid"
)

// Pair is a paired watch and iPhone.
type Pair struct {
	ID           string
	Watch, Phone Device
	Active       bool // the phone uses this watch and not another paired watch
	Connected    bool // both are booted
}

// pairing is a pair in the Store.
type pairing struct {
	ID, Watch, Phone string
	Inactive         bool
}

// defaultPairs is the pair of every new world.
func defaultPairs() []pairing {
	return []pairing{{ID: "A50D83C1-7E42-4B96-9F0A-3C68E1D7B25F", Watch: pairedWatch, Phone: pairedPhone}}
}

// Pairs lists the pairs whose devices exist.
func (w *World) Pairs() (all []Pair) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	for _, p := range w.pairs {
		watch, phone := w.byUDID[p.Watch], w.byUDID[p.Phone]
		if watch == nil || phone == nil {
			continue
		}
		pair := Pair{ID: p.ID, Watch: w.describe(watch, now), Phone: w.describe(phone, now), Active: !p.Inactive}
		pair.Connected = pair.Watch.State == Booted && pair.Phone.State == Booted
		all = append(all, pair)
	}
	return all
}

// Pair pairs a watch with an iPhone, and returns the pair's id. The new pair becomes the phone's active pair.
func (w *World) Pair(ctx context.Context, watch, phone string) (id string, err error) {
	err = w.changePairs(ctx, func() error {
		a, err := w.device(watch)
		if err != nil {
			return err
		}
		b, err := w.device(phone)
		if err != nil {
			return err
		}
		if w.describe(a, w.clock.Now()).Type.Family != watchFamily || w.describe(b, w.clock.Now()).Type.Family != phoneFamily {
			return &Error{Domain: simErrorDomain, Code: 402, Message: "The selected devices are incompatible for pairing"}
		}
		if slices.ContainsFunc(w.pairs, func(p pairing) bool { return p.Watch == watch && w.byUDID[p.Phone] != nil }) {
			return &Error{Domain: simErrorDomain, Code: 401, Message: "The selected devices are already paired"}
		}
		id = uuid.Of("pair", watch, phone)
		w.pairs = append(w.pairs, pairing{ID: id, Watch: watch, Phone: phone})
		w.activate(id)
		return nil
	})
	return id, err
}

// The families that can be paired.
const (
	watchFamily = "Apple Watch"
	phoneFamily = "iPhone"
)

// Unpair ends a pair.
func (w *World) Unpair(ctx context.Context, id string) error {
	return w.changePairs(ctx, func() error {
		if err := w.knownPair(id); err != nil {
			return err
		}
		w.pairs = slices.DeleteFunc(w.pairs, func(p pairing) bool { return p.ID == id })
		return nil
	})
}

// ActivatePair makes a pair the active pair of its phone.
func (w *World) ActivatePair(ctx context.Context, id string) error {
	return w.changePairs(ctx, func() error {
		if err := w.knownPair(id); err != nil {
			return err
		}
		w.activate(id)
		return nil
	})
}

func (w *World) changePairs(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := f(); err != nil {
		return err
	}
	return w.saveShared()
}

func (w *World) knownPair(id string) error {
	if slices.ContainsFunc(w.pairs, func(p pairing) bool { return p.ID == id }) {
		return nil
	}
	return &Error{Code: exitNoDevice, Message: "Invalid device pair: " + id, kind: ErrInvalidDevice}
}

// activate deactivates the phone's other pairs. The caller holds the lock.
func (w *World) activate(id string) {
	i := slices.IndexFunc(w.pairs, func(p pairing) bool { return p.ID == id })
	for j := range w.pairs {
		if w.pairs[j].Phone == w.pairs[i].Phone {
			w.pairs[j].Inactive = j != i
		}
	}
}
