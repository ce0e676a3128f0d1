package capture

import (
	"iter"
	"slices"
	"time"

	"ios-agent/internal/network/flow"
)

// slack is by how much the clocks of the proxy and the daemon may differ: a flow arrives after it started, but for that.
const slack = time.Minute

// index is what is known of the flows in the store: some hundred bytes of each, so that looking through all of them costs a few
// milliseconds. It is for whoever has the turn.
type index struct {
	rows   []row          // by number
	places map[string]int // of a flow's last row
	gone   int            // rows whose flow arrived again
}

type row struct {
	flow.Facets
	arrived time.Time
	gone    bool
}

// add takes what arrived last.
func (x *index) add(f flow.Facets, arrived time.Time) {
	if x.places == nil {
		x.places = map[string]int{}
	}
	if at, known := x.places[f.ID]; known {
		x.rows[at] = row{Facets: flow.Facets{Number: x.rows[at].Number}, gone: true}
		x.gone++
	}
	x.places[f.ID] = len(x.rows)
	x.rows = append(x.rows, row{Facets: f, arrived: arrived})
	if x.gone > 1000 && x.gone > len(x.rows)/2 {
		x.pack(0)
	}
}

// forget takes out what has a lower number.
func (x *index) forget(first int64) {
	at, _ := slices.BinarySearchFunc(x.rows, first, func(r row, number int64) int { return int(min(max(r.Number-number, -1), 1)) })
	if at > 0 {
		x.pack(at)
	}
}

// pack makes the rows anew, from that one on, without those that are gone.
func (x *index) pack(from int) {
	kept := make([]row, 0, len(x.rows)-from)
	places := make(map[string]int, len(x.rows)-from)
	for _, r := range x.rows[from:] {
		if !r.gone {
			places[r.ID] = len(kept)
			kept = append(kept, r)
		}
	}
	x.rows, x.places, x.gone = kept, places, 0
}

// fitting are those that fit, newest first. It ends where all that is left arrived before what is wanted can have started.
func (x *index) fitting(q flow.Filter) iter.Seq[*flow.Facets] {
	return func(yield func(*flow.Facets) bool) {
		for i := range slices.Backward(x.rows) {
			r := &x.rows[i]
			if r.gone {
				continue
			}
			if r.Number <= q.After || !q.Since.IsZero() && r.arrived.Before(q.Since.Add(-slack)) {
				return
			}
			if q.FitsFacets(&r.Facets) && !yield(&r.Facets) {
				return
			}
		}
	}
}

// page is a part of what fits, and how many do.
func (x *index) page(q flow.Filter, p Page) (list []flow.Facets, total int) {
	if p.Limit <= 0 {
		p.Limit = 100
	}
	var fit []*flow.Facets
	for f := range x.fitting(q) {
		fit = append(fit, f)
	}
	if !p.Newest {
		slices.Reverse(fit)
	}
	part := fit[min(max(p.Offset, 0), len(fit)):]
	for _, f := range part[:min(p.Limit, len(part))] {
		list = append(list, *f)
	}
	return list, len(fit)
}
