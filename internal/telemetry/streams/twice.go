package streams

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/telemetry"
)

const (
	near      = 250 * time.Millisecond // maximum difference of a line's time in `log show` and `log stream`
	mostTwice = 50_000                 // maximum number of remembered lines
)

// twice compares the lines of a stream with the lines of the past log, so that a line from both is stored once. It counts lines: a line
// that was logged three times is stored three times. It is safe for concurrent use.
type twice struct {
	seed   maphash.Seed
	mu     sync.Mutex
	over   bool
	n      int
	live   map[uint64][]mention // from the stream or the store
	past   map[uint64][]mention
	newest time.Time // of the filled-in lines
}

// mention is a stored line that may also come from the other side.
type mention struct {
	at     time.Time
	copies int // a stored entry may stand for several lines
}

func newTwice() *twice { return &twice{seed: maphash.MakeSeed()} }

func (t *twice) key(e telemetry.Entry) uint64 {
	type said struct {
		process, subsystem, category, message string
		level                                 telemetry.Level
		pid                                   int
	}
	return maphash.Comparable(t.seed, said{e.Process, e.Subsystem, e.Category, e.Message, e.Level, e.PID})
}

// quiet reports whether every further line of the stream is new.
func (t *twice) quiet() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over && len(t.past) == 0
}

// heard records a line of the stream; false if it was filled in already.
func (t *twice) heard(e telemetry.Entry) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over && e.Time.After(t.newest.Add(near)) {
		t.past = nil // all later lines are new
	}
	if take(t.past, t.key(e), e.Time) {
		return false
	}
	if !t.over {
		t.note(&t.live, e)
	}
	return true
}

// stored records a line that the store had before the stream began.
func (t *twice) stored(e telemetry.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.note(&t.live, e)
}

// shown records a line of the past; false if the stream or the store had it.
func (t *twice) shown(e telemetry.Entry) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if take(t.live, t.key(e), e.Time) {
		return false
	}
	if e.Time.After(t.newest) {
		t.newest = e.Time
	}
	t.note(&t.past, e)
	return true
}

// end records that no more lines are filled in.
func (t *twice) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over, t.live = true, nil
}

func (t *twice) note(in *map[uint64][]mention, e telemetry.Entry) {
	if t.n++; t.n > mostTwice {
		return
	}
	if *in == nil {
		*in = map[uint64][]mention{}
	}
	k := t.key(e)
	(*in)[k] = append((*in)[k], mention{e.Time, max(e.Count, 1)})
}

// take finds and removes a line with the same text at about the same time. An entry for several lines has the time of the last one.
func take(from map[uint64][]mention, k uint64, at time.Time) bool {
	all := from[k]
	i := slices.IndexFunc(all, func(m mention) bool {
		return at.Sub(m.at).Abs() <= near || m.copies > 1 && at.Before(m.at)
	})
	if i < 0 {
		return false
	}
	if all[i].copies--; all[i].copies == 0 {
		if from[k] = slices.Delete(all, i, i+1); len(from[k]) == 0 {
			delete(from, k)
		}
	}
	return true
}
