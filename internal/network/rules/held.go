package rules

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/network/flow"
)

// Phase is the point at which a flow is held.
type Phase string

// The phases.
const (
	AtRequest  Phase = "request"
	AtResponse Phase = "response"
)

// Reason is why a flow was released.
type Reason string

// The reasons.
const (
	Manual           Reason = "manual"
	Modified         Reason = "modified"
	TimedOut         Reason = "timeout"
	AllReleased      Reason = "release_all"
	InterceptCleared Reason = "intercept_cleared"
	Shutdown         Reason = "shutdown"
	ClientGone       Reason = "client_gone"
	TooMany          Reason = "too_many" // not held at all, because too many other flows are
)

// Held is a flow that is or was held.
type Held struct {
	Sequence int64     `json:"sequence"`        // grows with every hold
	Owner    string    `json:"owner,omitempty"` // the session whose pattern holds it
	Phase    Phase     `json:"phase"`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until"` // time of the automatic release
	Flow     flow.Flow `json:"flow"`
	Released Reason    `json:"released,omitempty"` // empty while the flow is held; a released flow has no bodies
}

// Event is a hold or a release: Held.Released is empty in the first.
type Event struct{ Held Held }

// NotHeldError says that the flow with this id is not held.
type NotHeldError struct{ ID string }

func (e *NotHeldError) Error() string { return fmt.Sprintf("flow %s is not held", e.ID) }

// hold is a held flow with its waiting goroutine.
type hold struct {
	Held
	done    chan struct{} // closed when it is released
	verdict flow.Verdict  // set before
}

// mostGone is the number of released flows to remember, for callers that poll for new holds.
const mostGone = 1000

// hold waits while a session's pattern holds the flow.
func (r *Rules) hold(ctx context.Context, f *flow.Flow, phase Phase) (flow.Verdict, error) {
	h := r.begin(f, phase)
	r.tell()
	if h == nil {
		return flow.Verdict{}, nil
	}
	late := time.NewTimer(Hold)
	defer late.Stop()
	select {
	case <-h.done:
	case <-late.C:
		r.end(h, TimedOut)
	case <-ctx.Done():
		r.end(h, ClientGone)
		if h.Released == ClientGone {
			return flow.Verdict{}, context.Cause(ctx)
		}
	}
	return h.verdict, nil
}

// begin registers a hold, or returns nil if no pattern holds the flow. It tests the pattern without the lock; if the rules were replaced
// in the meantime, it tests the new ones, so that a cleared pattern holds no flow.
func (r *Rules) begin(f *flow.Flow, phase Phase) *hold {
	for {
		s := r.setting()
		by := s.holder(f, phase)
		if by == nil {
			return nil
		}
		now := time.Now()
		h := &hold{done: make(chan struct{}), Held: Held{Owner: by.Owner, Phase: phase, Since: now, Until: now.Add(Hold), Flow: copied(f)}}
		r.mu.Lock()
		if r.now != s {
			r.mu.Unlock()
			continue
		}
		held := r.register(h)
		r.mu.Unlock()
		if !held {
			return nil
		}
		return h
	}
}

// register gives a hold its number and reports it, if the flow can be held. The caller must hold the lock.
func (r *Rules) register(h *hold) bool {
	h.Sequence = r.next
	r.next++
	h.Flow.State = flow.Held
	switch {
	case r.closed:
		return false
	case len(r.held) >= MostHeld:
		h.Released = TooMany
		r.remember(h)
		return false
	}
	r.held = append(r.held, h)
	r.events = append(r.events, Event{h.Held})
	close(r.woken)
	r.woken = make(chan struct{})
	return true
}

// end releases a hold whose own goroutine gives up, unless it was released already. Afterwards the verdict is set.
func (r *Rules) end(h *hold, why Reason) {
	r.mu.Lock()
	if h.Released == "" {
		r.release(h, why, nil)
	}
	r.mu.Unlock()
	r.tell()
}

// release releases a held flow. The caller must hold the lock.
func (r *Rules) release(h *hold, why Reason, c *flow.Change) {
	h.Released, h.verdict.Change = why, c
	r.held = slices.DeleteFunc(r.held, func(o *hold) bool { return o == h })
	r.remember(h)
	close(h.done)
}

// remember keeps a released flow for Wait, and reports its release. The caller must hold the lock.
func (r *Rules) remember(h *hold) {
	gone := h.Held
	gone.Flow.Request.Body.Content = nil
	if gone.Flow.Response != nil {
		response := *gone.Flow.Response
		response.Body.Content = nil
		gone.Flow.Response = &response
	}
	if r.gone = append(r.gone, gone); len(r.gone) > mostGone {
		r.gone = slices.Clone(r.gone[len(r.gone)-mostGone/2:])
	}
	r.events = append(r.events, Event{gone})
}

// releaseAll releases the holds that fit. The caller must hold the lock.
func (r *Rules) releaseAll(why Reason, fits func(*hold) bool) (n int) {
	for _, h := range slices.Clone(r.held) {
		if fits(h) {
			r.release(h, why, nil)
			n++
		}
	}
	return n
}

// Held are the held flows in the order of their arrival.
func (r *Rules) Held() []Held {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.those(nil)
}

// those appends the held flows to all. The caller must hold the lock.
func (r *Rules) those(all []Held) []Held {
	for _, h := range r.held {
		all = append(all, h.Held)
	}
	return all
}

// Last is the greatest sequence number so far: Wait(Last()) waits for the next hold.
func (r *Rules) Last() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next - 1
}

// Now is an argument for Wait: the flows held now, or else the next held flow.
const Now = -1

// Wait gives the flows that were held after a sequence number, in its order; if the list is empty, it waits for the next hold. A caller
// that continues with the last number misses none: flows released in the meantime are in the list, with their reason. When the context
// ends, Wait returns an empty list.
func (r *Rules) Wait(ctx context.Context, after int64) []Held {
	for {
		r.mu.Lock()
		found, woken := r.since(after), r.woken
		after = max(after, r.next-1) // matters only if found is empty
		r.mu.Unlock()
		if len(found) > 0 {
			return found
		}
		select {
		case <-woken:
		case <-ctx.Done():
			return nil
		}
	}
}

// since are the flows that were held after a number. The caller must hold the lock.
func (r *Rules) since(after int64) []Held {
	if after < 0 {
		return r.those(nil)
	}
	var found []Held
	for _, h := range r.those(slices.Clip(r.gone)) {
		if h.Sequence > after {
			found = append(found, h)
		}
	}
	slices.SortFunc(found, func(a, b Held) int { return int(a.Sequence - b.Sequence) })
	return found
}

// Release releases a flow that a session holds, with a change if one is given. An id that is not held is a *NotHeldError, and a hold of
// another session is an *OwnedError. An invalid change is a *ChangeError, and the flow stays held.
func (r *Rules) Release(id, by string, c *flow.Change) error {
	defer r.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.held, func(h *hold) bool { return h.Flow.ID == id })
	if i < 0 {
		return &NotHeldError{id}
	}
	if err := Owned("the hold of flow "+id, r.held[i].Owner, by); err != nil {
		return err
	}
	if c.Empty() {
		r.release(r.held[i], Manual, nil)
		return nil
	}
	if err := CheckChange(c, r.held[i].Phase); err != nil {
		return err
	}
	r.release(r.held[i], Modified, c)
	return nil
}

// ReleaseAll releases all flows that a session holds, unchanged, and returns their number.
func (r *Rules) ReleaseAll(by string) int {
	defer r.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.releaseAll(AllReleased, func(h *hold) bool { return Owned("", h.Owner, by) == nil })
}

// Close releases all flows; later flows pass.
func (r *Rules) Close() {
	defer r.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.releaseAll(Shutdown, func(*hold) bool { return true })
}

// tell reports the events in their order. Only one goroutine reports at a time: a second one leaves its events to the first.
func (r *Rules) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tells {
		return
	}
	r.tells = true
	for len(r.events) > 0 {
		events := r.events
		r.events = nil
		r.mu.Unlock()
		for _, e := range events {
			if r.told != nil {
				r.told(e)
			}
		}
		r.mu.Lock()
	}
	r.tells = false
}

// copied is a copy of a flow that no other goroutine changes. Bodies and lines are shared: changes replace them whole and never write to
// them.
func copied(f *flow.Flow) flow.Flow {
	c := *f
	c.Request.Header, c.Messages = slices.Clone(f.Request.Header), slices.Clone(f.Messages)
	if f.Response != nil {
		response := *f.Response
		response.Header = slices.Clone(response.Header)
		c.Response = &response
	}
	return c
}
