// Package lease decides who may use what, and until when. A lease has an epoch, a number that only grows: a command under
// an older epoch is refused, however late it arrives. Waiting is first come, first served. The package does no I/O of its
// own: time, the journal and the lock against other homes are handed in, and it does not know what a device is.
package lease

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind says how a lease came about.
type Kind string

// The kinds of leases.
const (
	Claim    Kind = "claim"    // asked for
	Implicit Kind = "implicit" // taken by the first use
	Repair   Kind = "repair"   // ours, while a broken resource is repaired
)

// Lease is what is known of one resource. Without a holder it is free, or to be cleaned first.
type Lease struct {
	Resource string
	Holder   string
	Kind     Kind
	Epoch    uint64 // of the present or last holder
	Since    time.Time
	Used     time.Time // last claimed, used or released
	Expires  time.Time
	TTL      time.Duration
	Reset    string // what has to be done before the next holder gets it; empty or NoReset is nothing
	Dirty    bool   // it still has to be done
	// CoDrivers may use it as the holder does, until this lease ends: they claimed it in the holder's name.
	CoDrivers Names
	// Claim is the claim that it was given for last, also after its end.
	Claim ClaimID

	turn uint64 // which of all grants it was given by; 0: by one before this process, or it was the holder's already
}

// ClaimID names a claim, so that its repeat is told from another claim. The zero value names none.
type ClaimID struct {
	ID   string // the client's
	Wish string // who wants what: a claim with the same id and another wish is no repeat
}

// DrivenBy reports whether somebody may use it: the holder or a co-driver.
func (l Lease) DrivenBy(name string) bool {
	return l.Held() && (l.Holder == name || l.CoDrivers.Has(name))
}

// Who acts on a lease: its holder, or somebody in the holder's name.
type Who struct {
	Holder string
	By     string // empty or the holder: the holder itself
}

// Owns reports whether a lease is theirs. To know the holder's name is not enough, as everybody is told it: who acts in it must be the one
// who claimed in it.
func (w Who) Owns(l Lease) bool {
	return l.Held() && l.Holder == w.Holder && (w.By == "" || w.By == w.Holder || l.CoDrivers.Has(w.By))
}

// name is who was refused.
func (w Who) name() string { return cmp.Or(w.By, w.Holder) }

// Names is a set of names: sorted, one a line. Two equal sets are equal values.
type Names string

// Has reports whether a name is in the set.
func (n Names) Has(name string) bool { return slices.Contains(n.List(), name) }

// List is the names in order.
func (n Names) List() []string {
	if n == "" {
		return nil
	}
	return strings.Split(string(n), "\n")
}

// With is the set and one more name. A name of several lines is left out.
func (n Names) With(name string) Names {
	if name == "" || strings.Contains(name, "\n") || n.Has(name) {
		return n
	}
	all := append(n.List(), name)
	slices.Sort(all)
	return Names(strings.Join(all, "\n"))
}

// NoReset says that nothing has to be done; an empty Reset says nothing and leaves what was said before.
const NoReset = "none"

// Held reports whether somebody has it.
func (l Lease) Held() bool { return l.Holder != "" }

// Free reports whether it can be had.
func (l Lease) Free() bool { return l.Holder == "" && !l.Dirty }

// Request is what somebody wants to hold.
type Request struct {
	Holder string
	By     string // who asks in the holder's name: it becomes a co-driver of what is free; empty or the holder is nobody
	Kind   Kind
	TTL    time.Duration
	Reset  string
	Claim  ClaimID // a repeat of it gets what the first got
	Count  int     // all of so many, or none; 0 is one
	// Among names what will do, best first, including what is taken now. It is called again whenever something changed,
	// and under the table's mutex: it must be quick and must not call the table.
	Among func(look func(resource string) Lease) []string
	Wait  bool // until it can be had or ctx ends
}

// The words for what happens to a lease.
const (
	Claimed   = "claimed"
	Renewed   = "renewed"
	Released  = "released"
	Expired   = "expired"
	TakenOver = "taken over"
	Lost      = "lost" // to another home, while we were not running
	Cleaned   = "cleaned"
)

// Event is one thing that happened to a lease.
type Event struct {
	At     time.Time
	What   string
	Lease  Lease  // as it is now
	From   string // whose it was before
	Reason string
}

// Journal keeps leases for the next process. Both methods may take as long as the disk does; neither is called under the
// table's mutex.
type Journal interface {
	// Load gives what was saved. An error means that there are leases which cannot be read, now or by this program.
	Load() (Kept, error)
	// Save returns when all of it is durable, or none of it. It is called by one goroutine at a time. A *ForgottenError means
	// that what was saved before is gone, and that nothing was saved now.
	Save([]Event) error
}

// Kept is what a journal has.
type Kept struct {
	Leases []Lease
	Epoch  uint64 // no higher one was ever saved, also when the leases themselves are gone
}

// Guard keeps other homes on this host away from a resource. Calls for one resource come one after the other, calls for
// different resources at the same time; none is made under the table's mutex.
type Guard interface {
	// Lock locks a resource, or extends the lock we have; an *ElsewhereError when another home has it.
	Lock(resource string, until time.Time) error
	Unlock(resource string)
}

// BusyError says that what was wanted is taken.
type BusyError struct {
	Held      []Lease           // by others, or still to be reset; in the order they were wanted
	Elsewhere []*ElsewhereError // by other homes
}

func (e *BusyError) Error() string {
	var who []string
	for _, l := range e.Held {
		if l.Held() {
			who = append(who, l.Resource+" is held by "+l.Holder)
		} else {
			who = append(who, l.Resource+" is being reset")
		}
	}
	for _, o := range e.Elsewhere {
		who = append(who, o.Error())
	}
	if len(who) == 0 {
		return "nothing that would do is there"
	}
	return strings.Join(who, ", ")
}

// ElsewhereError says that another home has a resource.
type ElsewhereError struct {
	Resource string
	Home     string
	PID      int
	Until    time.Time
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("%s is in use by the ios-agent home %s (pid %d)", e.Resource, e.Home, e.PID)
}

// NotHolderError says that a lease is not the caller's to touch.
type NotHolderError struct {
	Lease Lease // as it is; without a holder when nobody has it
	Who   string
}

func (e *NotHolderError) Error() string {
	if !e.Lease.Held() {
		return fmt.Sprintf("nobody holds %s", e.Lease.Resource)
	}
	return fmt.Sprintf("%s is held by %s, not by %s", e.Lease.Resource, e.Lease.Holder, e.Who)
}

// LostError says that a lease ended while a command waited for its turn.
type LostError struct {
	Resource string
	Epoch    uint64 // the command's
	Now      Lease
}

func (e *LostError) Error() string {
	return fmt.Sprintf("the lease %d on %s ended before the command's turn; the last one is %d", e.Epoch, e.Resource, e.Now.Epoch)
}

// RepeatError says that a claim's id was used before, and that this is no repeat that can be answered.
type RepeatError struct {
	ID    string
	Ended bool // what it got was given back or taken away since; else the id is another claim's
}

func (e *RepeatError) Error() string {
	if e.Ended {
		return fmt.Sprintf("the claim %q got its devices before, and has ended", e.ID)
	}
	return fmt.Sprintf("the claim %q was made by another session, or for other devices", e.ID)
}

// JournalError says that a lease could not be made durable, and so was not given.
type JournalError struct{ Err error }

func (e *JournalError) Error() string { return fmt.Sprintf("the lease cannot be kept: %v", e.Err) }

// Unwrap gives the store's own error.
func (e *JournalError) Unwrap() error { return e.Err }

// ForgottenError says that a journal lost what it had while the process ran.
type ForgottenError struct{ Path string }

func (e *ForgottenError) Error() string { return e.Path + " lost the leases that were in it" }

// StateError says that there are leases which cannot be read. Nothing is given until they can: who holds what is not known.
type StateError struct{ Err error }

func (e *StateError) Error() string { return fmt.Sprintf("the leases cannot be read: %v", e.Err) }

// Unwrap gives the store's own error.
func (e *StateError) Unwrap() error { return e.Err }
