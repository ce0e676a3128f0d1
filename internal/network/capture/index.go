package capture

import (
	"iter"
	"slices"
	"time"

	"ios-agent/internal/network/flow"
)

// slack is the greatest difference between the clocks of the proxy and the daemon: with equal clocks a flow never arrives before it
// started.
const slack = time.Minute

// index has the facets of the flows in the store: some hundred bytes of each, so that a search through all of them takes a few
// milliseconds. It is guarded by the Capture's turn.
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

// add adds the flow that arrived last.
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

// forget removes the rows with a number below first.
func (x *index) forget(first int64) {
	at, _ := slices.BinarySearchFunc(x.rows, first, func(r row, number int64) int { return int(min(max(r.Number-number, -1), 1)) })
	if at > 0 {
		x.pack(at)
	}
}

// pack rebuilds the rows from index from on, without the rows that are gone.
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

// fitting gives the flows that fit, newest first. It stops at the first row that arrived too early for the filter's start time.
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

// page is one page of the flows that fit, with the number of all that fit.
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
