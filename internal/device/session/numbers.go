package session

import (
	"log/slog"
	"sync"
	"time"

	"ios-agent/internal/config"
)

// Numbers store the used ref numbers of sessions for the next process.
type Numbers interface {
	// Load gives the highest ref number of a session that may be used; 0 for a new session.
	Load(session string) (int, error)
	// Save returns once the number is durable.
	Save(session string, number int) error
}

// block is how many ref numbers are reserved ahead.
const block = 1000

// numbering reserves the ref numbers of one session, so that no later process uses one again. It reserves the next block in the
// background while numbers are left: a look waits for the disk only if it needs more than a block.
type numbering struct {
	store   *Store
	session string
	loaded  chan struct{} // closed when the first number is known

	mu       sync.Mutex    // guards the fields below; never held across I/O
	floor    int           // all new numbers are above it
	reserved int           // the session may use numbers up to this one
	writing  chan struct{} // closed when the running write ends; nil: no write is running
	failed   bool          // the last write failed
}

// number begins the numbering of a session and reads the stored number in the background.
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

// start sets the numbers above the used ones, unless the session was forgotten meanwhile.
func (n *numbering) start(used int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.failed {
		n.floor, n.reserved = used, used+2*block
	}
}

// begin waits until the first number is known, and gives the number before it.
func (n *numbering) begin() int {
	if n == nil {
		return 0
	}
	<-n.loaded
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.floor
}

// cover returns once all numbers up to last are reserved, and reserves more in the background.
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

// write saves the reserved number and ends the running write.
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

// fail continues with numbers that no later process uses, without a reservation.
func (n *numbering) fail(err error) {
	if n.store.o.Log != nil {
		n.store.o.Log.Warn("cannot reserve ref numbers", "session", n.session, "error", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.failed, n.floor = true, Unreserved(time.Now())
}

// giveBack ends the reservation of unused numbers.
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

// Unreserved is a number above all numbers that were ever reserved: the seconds since 2020. A session would need a ref per second for
// years to reach it. Such refs are long, so they serve only when the earlier numbers are unknown; nine digits last until 2051.
func Unreserved(now time.Time) int {
	return int(now.Sub(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)).Seconds())
}

// Options configure the sessions of a daemon.
type Options struct {
	Numbers Numbers // nil: ref numbers start again in each process
	Choices Choices // nil: chosen devices are forgotten with the process
	// Passing reports whether the next process cannot find a device again, such as a desktop app; nil means that it finds all.
	Passing func(udid string) bool
	Keys    config.Table // the settings of a session; nil: XcodeBuildMCP's
	// Allowed are the user's permissions for the file of a project, as in config.Options.
	Allowed func(project string) []string
	Log     *slog.Logger
}

// start runs fn in a goroutine that Close waits for.
func (st *Store) start(fn func()) {
	st.end.Lock()
	defer st.end.Unlock()
	if st.closed {
		go fn() // a call that outlives Close still finishes, without a wait
		return
	}
	st.work.Go(fn)
}
