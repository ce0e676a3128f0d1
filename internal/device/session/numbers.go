package session

import (
	"log/slog"
	"sync"
	"time"

	"ios-agent/internal/config"
)

// Numbers keep, for the next process, which ref numbers of a session are used up.
type Numbers interface {
	// Load gives the highest number a session may have given out; 0 for a new session.
	Load(session string) (int, error)
	// Save returns when the number is durable.
	Save(session string, number int) error
}

// block is how many ref numbers are always reserved ahead.
const block = 1000

// numbering reserves the ref numbers of one session, so that no later process gives one of them out again. The next block
// is reserved in the background while there is still one: a look waits for the disk only when it needs more than a block.
type numbering struct {
	store   *Store
	session string
	loaded  chan struct{} // closed when it is known where the numbers begin

	mu       sync.Mutex    // of what follows; never held across I/O
	floor    int           // only numbers above it are given out
	reserved int           // numbers up to this one are the session's
	writing  chan struct{} // closed when the write under way ends; nil: there is none
	failed   bool          // the disk does not take them
}

// number begins the numbering of a session: it is read in the background.
func (st *Store) number(session string) *numbering {
	if st.o.Numbers == nil {
		return nil
	}
	n := &numbering{store: st, session: session, loaded: make(chan struct{})}
	st.start(func() {
		defer close(n.loaded)
		used, err := st.o.Numbers.Load(session)
		if err == nil {
			n.start(used)
			err = st.o.Numbers.Save(session, used+2*block)
		}
		if err != nil {
			n.fail(err)
		}
	})
	return n
}

// start has the numbers begin above those that are used, unless the session was forgotten meanwhile.
func (n *numbering) start(used int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.failed {
		n.floor, n.reserved = used, used+2*block
	}
}

// begin waits until it is known where the numbers begin, and gives the number below the first.
func (n *numbering) begin() int {
	if n == nil {
		return 0
	}
	<-n.loaded
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.floor
}

// cover returns when all numbers up to last are reserved, and has the next ones reserved in the background.
func (n *numbering) cover(last int) {
	if n == nil {
		return
	}
	for {
		n.mu.Lock()
		if n.failed {
			n.mu.Unlock()
			return
		}
		if n.reserved-last < block && n.writing == nil {
			n.writing = make(chan struct{})
			n.store.start(func() { n.write(last + 2*block) })
		}
		writing, covered := n.writing, last <= n.reserved
		n.mu.Unlock()
		if covered {
			return
		}
		<-writing
	}
}

// write saves the number that is reserved from now on, and ends the write under way.
func (n *numbering) write(number int) {
	err := n.store.o.Numbers.Save(n.session, number)
	if err != nil {
		n.fail(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil {
		n.reserved = number
	}
	close(n.writing)
	n.writing = nil
}

// fail goes on with numbers that no later process gives out, although nothing is reserved.
func (n *numbering) fail(err error) {
	if n.store.o.Log != nil {
		n.store.o.Log.Warn("ref numbers cannot be reserved", "session", n.session, "error", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.failed, n.floor = true, Unreserved(time.Now())
}

// giveBack ends the reservation of what was not given out.
func (n *numbering) giveBack(last int) {
	n.mu.Lock()
	if n.failed || n.reserved <= last || n.writing != nil {
		n.mu.Unlock()
		return
	}
	n.reserved, n.writing = last, make(chan struct{})
	n.mu.Unlock()
	n.write(last)
}

// Unreserved is a number above all that were ever reserved: the seconds since 2020. No session is given a ref a second for
// years. Such refs are long, so they are only used where nothing is known of the numbers before; nine digits last until 2051.
func Unreserved(now time.Time) int {
	return int(now.Sub(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)).Seconds())
}

// Options are what the sessions of a daemon work with.
type Options struct {
	Numbers Numbers // nil: ref numbers begin anew in each process
	Choices Choices // nil: chosen devices are forgotten with the process
	// Passing reports a device that the next process cannot find again, such as an app of a desktop; nil: there is none.
	Passing func(udid string) bool
	Keys    config.Table // what can be set for a session; XcodeBuildMCP's alone when nil
	// Allowed is what the user allowed the file of a project to name, as config.Options has it.
	Allowed func(project string) []string
	Log     *slog.Logger
}

// start runs fn in a goroutine that Close waits for.
func (st *Store) start(fn func()) {
	st.end.Lock()
	defer st.end.Unlock()
	if st.closed {
		go fn() // of a call that outlives Close: right, but nobody waits for it
		return
	}
	st.work.Go(fn)
}
