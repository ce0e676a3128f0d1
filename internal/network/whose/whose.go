// Package whose finds out who made a connection to us: the process, the simulator it runs in, the app. It is asked once for each
// connection, when that is accepted. What it cannot know it leaves empty and says why; it never guesses.
package whose

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"

	"ios-agent/internal/machine/processes"
	"ios-agent/internal/network/flow"
)

// Why nothing, or less than everything, is known of a client.
var (
	// errGone is the end of a program between its connection and our look.
	errGone = errors.New("the program that connected has ended")
	// errElsewhere is a client that is no program of this machine.
	errElsewhere = errors.New("the connection comes from another machine")
	errUnseen    = errors.New("no process that we may look into has this connection")
)

// otherUserError is a program of another user: the system does not tell which.
type otherUserError struct{ uid int }

func (e otherUserError) Error() string {
	return fmt.Sprintf("the connection belongs to another user of this machine (uid %d)", e.uid)
}

// Finder finds out who connected. It remembers what processes are, and is safe for concurrent use. The zero value works.
type Finder struct {
	mu     sync.Mutex
	known  map[int]identity // by pid; believed only of a process with the same start time
	recent []int            // the pids that connected last, the latest first
}

// identity is what is known of a process for as long as it lives.
type identity struct {
	start  string
	client flow.Client
}

// most bounds both memories. Who connects is anybody on this machine.
const (
	mostKnown  = 1024
	mostRecent = 16
)

// New makes a finder.
func New() *Finder { return &Finder{} }

// Of says who is at the other end of a connection: local is our end of it, remote theirs.
func (f *Finder) Of(local, remote net.Addr) flow.Client {
	ours, theirs := addrPort(local), addrPort(remote)
	if !ours.IsValid() || !theirs.IsValid() {
		return flow.Client{Address: remote.String(), Unknown: "the connection is not one of TCP"}
	}
	pid, err := holder(theirs, ours, f.candidates())
	if err != nil {
		if elsewhere(ours, theirs) {
			err = errElsewhere
		}
		return flow.Client{Address: theirs.String(), Unknown: err.Error(), Foreign: foreign(err)}
	}
	client := f.process(pid)
	client.Address = theirs.String()
	return client
}

// foreign reports whether a socket of this machine is not known to be our user's. One that was closed at once tells no user: who sends a
// request and does not wait for the answer would else be served whoever it is. Where the system tells nothing of any socket, nobody is
// foreign.
func foreign(err error) bool {
	return errors.As(err, new(otherUserError)) || errors.Is(err, errGone)
}

// addrPort is an address of TCP, an IPv4 one always in its own form.
func addrPort(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
}

// elsewhere reports whether a client without a socket on this machine is one of another machine: a program here that connects to an
// address of this machine has one of its addresses itself.
func elsewhere(ours, theirs netip.AddrPort) bool {
	if theirs.Addr().IsLoopback() || theirs.Addr() == ours.Addr() {
		return false
	}
	all, err := net.InterfaceAddrs()
	for _, a := range all {
		if p, isNet := a.(*net.IPNet); isNet {
			if own, ok := netip.AddrFromSlice(p.IP); ok && own.Unmap() == theirs.Addr() {
				return false
			}
		}
	}
	return err == nil
}

// process says what a process is, from memory if it is still the same one.
func (f *Finder) process(pid int) flow.Client {
	start, err := processes.StartTime(pid)
	if err != nil {
		return gone(pid, err)
	}
	f.mu.Lock()
	f.note(pid)
	known, ok := f.known[pid]
	f.mu.Unlock()
	if ok && known.start == start {
		return known.client
	}
	p, err := processes.Known(pid)
	if err != nil {
		return gone(pid, err)
	}
	client := identify(p, processes.Known)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= mostKnown { // it costs one look at each living process to fill it again
		f.known = map[int]identity{}
	}
	f.known[pid] = identity{p.Start, client}
	return client
}

func gone(pid int, err error) flow.Client {
	if errors.Is(err, fs.ErrNotExist) {
		err = errGone
	}
	return flow.Client{PID: pid, Unknown: err.Error()}
}

// note moves a pid to the front of those that connected last. The caller holds the lock.
func (f *Finder) note(pid int) {
	next := make([]int, 1, mostRecent)
	next[0] = pid
	for _, other := range f.recent {
		if other != pid && len(next) < mostRecent {
			next = append(next, other)
		}
	}
	f.recent = next
}

// candidates are the processes to look at first: who connected a moment ago most likely does again.
func (f *Finder) candidates() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.recent // note makes a new one each time
}

// name is what people call a program.
func name(p processes.Ancestor) string {
	if p.Path != "" {
		return filepath.Base(p.Path)
	}
	if len(p.Args) > 0 {
		return filepath.Base(p.Args[0])
	}
	return ""
}

// mine reports whether a user is the one we run as: others' processes are theirs.
func mine(uid int) bool { return uid == os.Getuid() }
