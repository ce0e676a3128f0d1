package telemetry

import (
	"container/list"
	"time"
)

// An equal line within repeatWithin of the last one is counted but not stored. After mostRepeats of them, or when no more come, one
// entry stands for all.
const (
	repeatWithin = 5 * time.Second
	mostRepeats  = 100
	mostKeys     = 10_000 // remembered lines
	mostKeyBytes = 4 << 20
)

type repeatKey struct {
	device, app, process, message string
	source                        Source
	level                         Level
	pid                           int
}

type repeat struct {
	key    repeatKey
	last   Entry     // the last of the equal entries
	at     time.Time // its arrival
	copies int       // equal entries without a stored one
}

// repeats has the lines of the last seconds by the time of their arrival, because the clocks of devices differ.
type repeats struct {
	known   map[repeatKey]*list.Element
	order   list.List // of *repeat, by arrival
	waiting int       // number of them with copies
	bytes   int
}

// add gives the entries to store after the arrival of e.
func (r *repeats) add(to []Entry, e Entry, at time.Time) []Entry {
	to = r.expire(to, at)
	if e.Source == Build || e.Source == Crash || e.Count > 1 {
		return append(to, e)
	}
	key := repeatKey{e.Device, e.App, e.Process, e.Message, e.Source, e.Level, e.PID}
	if have := r.known[key]; have != nil {
		one := have.Value.(*repeat)
		if one.copies++; one.copies == 1 {
			r.waiting++
		}
		r.bytes += len(e.Raw) - len(one.last.Raw)
		one.last, one.at = e, at
		r.order.MoveToBack(have)
		if one.copies >= mostRepeats {
			return r.forget(to, have)
		}
		return to
	}
	if r.known == nil {
		r.known = map[repeatKey]*list.Element{}
	}
	r.bytes += size(&e)
	for r.order.Len() > 0 && (len(r.known) >= mostKeys || r.bytes > mostKeyBytes) {
		to = r.forget(to, r.order.Front())
	}
	r.known[key] = r.order.PushBack(&repeat{key: key, last: e, at: at})
	return append(to, e)
}

// expire gives the entries of lines whose repeats have ended.
func (r *repeats) expire(to []Entry, now time.Time) []Entry {
	for {
		first := r.order.Front()
		if first == nil || now.Sub(first.Value.(*repeat).at) < repeatWithin {
			return to
		}
		to = r.forget(to, first)
	}
}

// all gives all counted entries, at the end.
func (r *repeats) all(to []Entry) []Entry {
	for r.order.Len() > 0 {
		to = r.forget(to, r.order.Front())
	}
	return to
}

func (r *repeats) forget(to []Entry, of *list.Element) []Entry {
	one := r.order.Remove(of).(*repeat)
	delete(r.known, one.key)
	r.bytes -= size(&one.last)
	if one.copies == 0 {
		return to
	}
	r.waiting--
	one.last.Count = one.copies
	return append(to, one.last)
}

// next is the time until the first line with copies expires; false without such a line.
func (r *repeats) next(now time.Time) (time.Duration, bool) {
	if r.waiting == 0 {
		return 0, false
	}
	for e := r.order.Front(); e != nil; e = e.Next() {
		if one := e.Value.(*repeat); one.copies > 0 {
			return max(0, repeatWithin-now.Sub(one.at)), true
		}
	}
	return 0, false
}
