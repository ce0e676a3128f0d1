// Package whose identifies the client of a connection: the process, its simulator and its app. A Finder does it once for each connection,
// right after it was accepted. It must not guess: unknown facts stay empty, and the client has the reason. Own does the same for servers.
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

// Reasons why a client, or a part of it, is unknown.
var (
	// errGone means that the program ended before it was looked up.
	errGone = errors.New("the program that connected has ended")
	// errElsewhere means that the client runs on another machine.
	errElsewhere = errors.New("the connection comes from another machine")
	errUnseen    = errors.New("none of the user's processes has this connection")
)

// otherUserError is a program of another user; the system does not show which one.
type otherUserError struct{ uid int }

func (e otherUserError) Error() string {
	return fmt.Sprintf("the connection belongs to another user of this machine (uid %d)", e.uid)
}

// Finder identifies clients. It caches processes, and is safe for concurrent use. The zero value is ready for use.
type Finder struct {
	mu     sync.Mutex
	known  map[int]identity // by pid; valid only for a process with the same start time
	recent []int            // the pids that connected last, the latest first
}

// identity is what the Finder remembers about a process for as long as it lives.
type identity struct {
	start  string
	client flow.Client
}

// Limits of both caches, because any program of this machine can connect.
const (
	mostKnown  = 1024
	mostRecent = 16
)

// New makes a Finder.
func New() *Finder { return &Finder{} }

// Of identifies the client of a connection: local is the proxy's end, remote the client's.
func (f *Finder) Of(local, remote net.Addr) flow.Client {
	ours, theirs := addrPort(local), addrPort(remote)
	if !ours.IsValid() || !theirs.IsValid() {
		return flow.Client{Address: remote.String(), Unknown: "not a TCP connection"}
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

// foreign reports whether a socket of this machine may belong to another user. A closed socket no longer shows its user: without this
// rule, a program that sends a request and closes at once would be served, whatever its user. If the system shows no owner for any
// socket, no client is foreign.
func foreign(err error) bool {
	return errors.As(err, new(otherUserError)) || errors.Is(err, errGone)
}

// addrPort is a TCP address; an IPv4 address is always in its own form.
func addrPort(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
}

// elsewhere reports whether a client without a socket on this machine is on another machine: a local program that connects to an address
// of this machine has a local address too.
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

// process identifies a process, from the cache if it is still the same one.
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
	if f.known == nil || len(f.known) >= mostKnown { // refilling it costs one lookup for each live process
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

// note moves a pid to the front of the recent ones. The caller must hold the lock.
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

// candidates are the processes to check first: recent clients are likely to connect again.
func (f *Finder) candidates() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.recent // note makes a new slice each time
}

// name is a readable name of a program.
func name(p processes.Ancestor) string {
	if p.Path != "" {
		return filepath.Base(p.Path)
	}
	if len(p.Args) > 0 {
		return filepath.Base(p.Args[0])
	}
	return ""
}

// mine reports whether a user is the one we run as.
func mine(uid int) bool { return uid == os.Getuid() }
