// Package lease decides which session may use a resource, and until when. A Table gives a resource to one holder at a time, first come,
// first served. Each lease has an epoch, a number that only grows: a command of an older epoch fails, however late it arrives. The
// package does no I/O of its own: its caller passes in the clock, the journal and the lock against other homes. It does not know what a
// device is.
package lease

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is how a lease began.
type Kind string

// The kinds of leases.
const (
	Claim    Kind = "claim"    // a session asked for it
	Implicit Kind = "implicit" // the first use took it
	Repair   Kind = "repair"   // the pool has it while it repairs a broken resource
)

// Lease is the state of one resource. Without a holder the resource is free, or dirty until its reset.
type Lease struct {
	Resource string
	Holder   string
	Kind     Kind
	Epoch    uint64 // of the current or last holder
	Since    time.Time
	Used     time.Time // time of the last claim, use or release
	Expires  time.Time
	TTL      time.Duration
	Reset    string // reset before the next holder; empty or NoReset: none
	Dirty    bool   // the reset is still to be done
	// CoDrivers may use the resource as the holder does, until this lease ends. They claimed it in the holder's name.
	CoDrivers Names
	// Claim is the claim of the last grant, also after the end of the lease.
	Claim ClaimID

	turn uint64 // number of its grant; 0: granted by an earlier process, or the holder had it already
}

// ClaimID identifies a claim and its repeats. The zero value identifies none.
type ClaimID struct {
	ID   string // from the client
	Wish string // holder, devices and options: a claim with the same id and another wish is an error
}

// DrivenBy reports whether a session may use the resource, as its holder or as a co-driver.
func (l Lease) DrivenBy(name string) bool {
	return l.Held() && (l.Holder == name || l.CoDrivers.Has(name))
}

// A Who identifies the actor on a lease: its holder, or another session in the holder's name.
type Who struct {
	Holder string
	By     string // empty or the holder: the holder itself
}

// Owns reports whether the actor owns a lease. The holder's name alone is not enough, because every session can see it: an actor in the
// holder's name must have claimed the lease in that name.
func (w Who) Owns(l Lease) bool {
	return l.Held() && l.Holder == w.Holder && (w.By == "" || w.By == w.Holder || l.CoDrivers.Has(w.By))
}

// name is the name of the refused actor.
func (w Who) name() string { return cmp.Or(w.By, w.Holder) }

// Names is a set of names, sorted, one per line. Two equal sets are equal values.
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

// With is the set with one more name. It leaves out a name of several lines.
func (n Names) With(name string) Names {
	if name == "" || strings.Contains(name, "\n") || n.Has(name) {
		return n
	}
	all := append(n.List(), name)
	slices.Sort(all)
	return Names(strings.Join(all, "\n"))
}

// NoReset asks for no reset. An empty Reset keeps the earlier choice.
const NoReset = "none"

// Held reports whether the resource has a holder.
func (l Lease) Held() bool { return l.Holder != "" }

// Free reports whether the resource can be claimed.
func (l Lease) Free() bool { return l.Holder == "" && !l.Dirty }

// Request is a wish to hold resources.
type Request struct {
	Holder string
	By     string // session that asks in the holder's name and becomes a co-driver of the free resources; empty or the holder: none
	Kind   Kind
	TTL    time.Duration
	Reset  string
	Claim  ClaimID // a repeat of the claim gets the same resources
	Count  int     // number of resources, all or none; 0 is one
	// Among lists the acceptable resources, best first, including held ones. The table calls it again after every change and under its
	// mutex: it must be quick and must not call the table.
	Among func(look func(resource string) Lease) []string
	Wait  bool // wait until the request succeeds or ctx ends
}

// The events of a lease.
const (
	Claimed   = "claimed"
	Renewed   = "renewed"
	Released  = "released"
	Expired   = "expired"
	TakenOver = "taken over"
	Lost      = "lost" // another home took it while this home's daemon was down
	Cleaned   = "cleaned"
)

// Event is one event of a lease.
type Event struct {
	At     time.Time
	What   string
	Lease  Lease  // after the event
	From   string // the earlier holder
	Reason string
}

// Journal stores leases for the next process. Both methods may be as slow as the disk; the table never calls them under its mutex.
type Journal interface {
	// Load gives the saved leases. An error means that some leases cannot be read, now or by this program.
	Load() (Kept, error)
	// Save returns when all of the events are durable, or none of them. One goroutine calls it at a time. A *ForgottenError means that
	// the saved leases are lost and that this call saved nothing.
	Save([]Event) error
}

// Kept is the content of a journal.
type Kept struct {
	Leases []Lease
	Epoch  uint64 // the highest epoch ever saved, even if the leases are lost
}

// Guard locks other homes on this host out of a resource. Calls for one resource run one after the other, calls for different resources
// in parallel, and never under the table's mutex.
type Guard interface {
	// Lock locks a resource or extends its lock; an *ElsewhereError if another home has the resource.
	Lock(resource string, until time.Time) error
	Unlock(resource string)
}

// BusyError says that the wanted resources are taken.
type BusyError struct {
	Held      []Lease           // by other holders, or dirty; in the order of the wish
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
		return "no such resource exists"
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

// NotHolderError says that a lease belongs to another holder.
type NotHolderError struct {
	Lease Lease // current state; without a holder if the resource is free
	Who   string
}

func (e *NotHolderError) Error() string {
	if !e.Lease.Held() {
		return fmt.Sprintf("%s has no holder", e.Lease.Resource)
	}
	return fmt.Sprintf("%s is held by %s, not by %s", e.Lease.Resource, e.Lease.Holder, e.Who)
}

// LostError says that a lease ended while a command waited for its turn.
type LostError struct {
	Resource string
	Epoch    uint64 // epoch of the command
	Now      Lease
}

func (e *LostError) Error() string {
	return fmt.Sprintf("the lease %d on %s ended before the command's turn; the last one is %d", e.Epoch, e.Resource, e.Now.Epoch)
}

// RepeatError says that a claim's id was used before and that the earlier answer does not fit.
type RepeatError struct {
	ID    string
	Ended bool // the earlier claim's devices were released or taken; otherwise the id belongs to another claim
}

func (e *RepeatError) Error() string {
	if e.Ended {
		return fmt.Sprintf("the devices of the earlier claim %q were released", e.ID)
	}
	return fmt.Sprintf("the claim id %q belongs to a claim of another session or for other devices", e.ID)
}

// JournalError says that a lease was not given because it could not be made durable.
type JournalError struct{ Err error }

func (e *JournalError) Error() string { return fmt.Sprintf("cannot save the lease: %v", e.Err) }

// Unwrap gives the journal's own error.
func (e *JournalError) Unwrap() error { return e.Err }

// ForgottenError says that a journal lost its leases while the process ran.
type ForgottenError struct{ Path string }

func (e *ForgottenError) Error() string { return e.Path + " lost its leases" }

// StateError says that some leases cannot be read. The table gives no lease until it can read them, because the holders are unknown.
type StateError struct{ Err error }

func (e *StateError) Error() string { return fmt.Sprintf("cannot read the leases: %v", e.Err) }

// Unwrap gives the journal's own error.
func (e *StateError) Unwrap() error { return e.Err }
