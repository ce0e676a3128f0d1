package telemetry

import (
	"cmp"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/telemetry/linetext"
)

// MostFilters is the maximum number of filters of all sessions.
const MostFilters = 500

// SetFilter replaces the filter of its owner for its source. A filter without an effect is removed.
func (s *Store) SetFilter(f Filter) error {
	f.Exclude = slices.DeleteFunc(slices.Clone(f.Exclude), func(part string) bool { return part == "" })
	left := s.left()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(s.filters), func(o Filter) bool {
		return left[o.Owner] || o.Owner == f.Owner && o.Source == f.Source
	})
	if f.Process != "" || len(f.Exclude) > 0 {
		all = append(all, f)
	}
	if len(all) > MostFilters {
		return fault.New(fault.TooMany, "log filter limit reached (%d for all sessions)", MostFilters).
			WithHint("filter in the reading call instead, or remove a filter")
	}
	slices.SortFunc(all, func(a, b Filter) int {
		return cmp.Or(cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Source, b.Source))
	})
	s.filters = all
	return nil
}

// left are the filter owners whose sessions have ended. It asks outside the mutex.
func (s *Store) left() map[string]bool {
	s.mu.Lock()
	all := s.filters // replaced, never changed
	s.mu.Unlock()
	left := map[string]bool{}
	for _, f := range all {
		if _, asked := left[f.Owner]; !asked {
			left[f.Owner] = s.o.Left != nil && s.o.Left(f.Owner)
		}
	}
	return left
}

// Filters are the filters of all active sessions.
func (s *Store) Filters() []Filter {
	left := s.left()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.filters), func(f Filter) bool { return left[f.Owner] })
}

// EndFilters forgets the filters of a session that had ended and is back.
func (s *Store) EndFilters(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.filters = slices.DeleteFunc(slices.Clone(s.filters), func(f Filter) bool { return f.Owner == session })
}

// FiltersOf are the filters of a session.
func (s *Store) FiltersOf(session string) []Filter {
	return slices.DeleteFunc(s.Filters(), func(f Filter) bool { return f.Owner != session })
}

// ready prepares the filter for comparison with lines.
func (f Filter) ready() Filter {
	f.Exclude = slices.Clone(f.Exclude)
	for i, part := range f.Exclude {
		f.Exclude[i] = linetext.Fold(part)
	}
	return f
}

// keepsOut reports whether a prepared filter excludes an entry with a folded message. It never excludes an entry about missing lines.
func (f *Filter) keepsOut(e *Entry, folded string) bool {
	if f.Source != "" && f.Source != e.Source || e.Process == ServerProcess && e.Source != Server {
		return false
	}
	return f.Process != "" && f.Process != e.Process ||
		slices.ContainsFunc(f.Exclude, func(part string) bool { return strings.Contains(folded, part) })
}
