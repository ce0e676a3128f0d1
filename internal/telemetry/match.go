package telemetry

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/telemetry/linetext"
)

// matcher is a prepared query.
type matcher struct {
	q             Query
	search        string // folded
	exclude       []string
	since, until  int64    // ns
	places        []uint32 // bits of the sieve that must all be set
	sources       []uint32 // bits of which one must be set
	fields, texts bool     // whether an entry's fields and its message decide
	filters       []Filter // prepared
}

// matcher prepares the query.
func (q Query) matcher() *matcher {
	m := &matcher{q: q, search: linetext.Fold(q.Search), since: math.MinInt64, until: math.MaxInt64}
	for _, part := range q.Exclude {
		if part != "" {
			m.exclude = append(m.exclude, linetext.Fold(part))
		}
	}
	if !q.Since.IsZero() {
		m.since = nanos(q.Since)
	}
	if !q.Until.IsZero() {
		m.until = nanos(q.Until)
	}
	m.places = linetext.Places(m.search)
	wanted := Entry{Device: q.Device, App: q.App, Process: q.Process, Subsystem: q.Subsystem, Category: q.Category}
	for field, value := range wanted.strings() {
		if value != "" {
			m.places, m.fields = append(m.places, linetext.FieldPlace(byte(field), value)), true
		}
	}
	if q.PID != 0 {
		m.places, m.fields = append(m.places, linetext.FieldPlace(fieldPID, strconv.Itoa(q.PID))), true
	}
	for _, source := range q.Sources {
		m.sources, m.fields = append(m.sources, linetext.FieldPlace(fieldSource, string(source))), true
	}
	for _, f := range q.Filters {
		m.filters = append(m.filters, f.ready())
	}
	m.fields = m.fields || len(m.filters) > 0
	m.texts = m.search != "" || len(m.exclude) > 0 || q.WithoutNoise || len(m.filters) > 0
	return m
}

// upto is the last wanted number.
func (m *matcher) upto() int64 {
	if m.q.Upto == 0 {
		return math.MaxInt64
	}
	return m.q.Upto
}

// sifts reports whether a sieve can exclude blocks.
func (m *matcher) sifts() bool { return len(m.places)+len(m.sources) > 0 }

// possible reports whether a block may have a matching entry. It does not need the block's texts.
func (m *matcher) possible(b *block) bool {
	if b.last <= m.q.After || b.first > m.upto() || b.newest < m.since || b.oldest > m.until || b.levels>>m.q.Level == 0 {
		return false
	}
	if !m.sifts() {
		return true
	}
	if n := len(b.sieve); n == 0 || n&(n-1) != 0 {
		return true // the file is damaged; reading the block reports it
	}
	if slices.ContainsFunc(m.places, func(at uint32) bool { return !b.sieve.Has(at) }) {
		return false
	}
	return len(m.sources) == 0 || slices.ContainsFunc(m.sources, b.sieve.Has)
}

// byFields reports whether some entries of a possible block may fail the field conditions.
func (m *matcher) byFields(b *block) bool {
	return m.fields || m.atTheEdge(b) || b.levels&(1<<m.q.Level-1) != 0
}

// atTheEdge reports whether some entries of a possible block may be too early or too late.
func (m *matcher) atTheEdge(b *block) bool {
	return b.first <= m.q.After || b.last > m.upto() || b.oldest < m.since || b.newest > m.until
}

// fitsFields is fits without the message.
func (m *matcher) fitsFields(e *Entry) bool {
	q := &m.q
	if e.Number <= q.After || e.Number > m.upto() || e.Level < q.Level {
		return false
	}
	if when := nanos(e.Time); when < m.since || when > m.until {
		return false
	}
	return (q.Device == "" || q.Device == e.Device) && (q.App == "" || q.App == e.App) &&
		(q.Process == "" || q.Process == e.Process) && (q.PID == 0 || q.PID == e.PID) &&
		(q.Subsystem == "" || q.Subsystem == e.Subsystem) && (q.Category == "" || q.Category == e.Category) &&
		(len(q.Sources) == 0 || slices.Contains(q.Sources, e.Source))
}

// fits reports whether an entry matches.
func (m *matcher) fits(e *Entry) bool {
	return m.fitsFields(e) && m.fitsText(e.Message) && (len(m.filters) == 0 || m.passes(e, linetext.Fold(e.Message)))
}

// passes reports whether every filter allows an entry. Fields and message decide together.
func (m *matcher) passes(e *Entry, folded string) bool {
	return !slices.ContainsFunc(m.filters, func(f Filter) bool { return f.keepsOut(e, folded) })
}

func (m *matcher) fitsText(message string) bool {
	if !m.texts {
		return true
	}
	folded := linetext.Fold(message)
	return strings.Contains(folded, m.search) && !m.unwanted(folded)
}

func (m *matcher) unwanted(folded string) bool {
	for _, part := range m.exclude {
		if strings.Contains(folded, part) {
			return true
		}
	}
	return m.q.WithoutNoise && noisy(folded)
}

// Fits reports whether an entry matches, apart from Limit and Offset.
func (q Query) Fits(e Entry) bool { return q.matcher().fits(&e) }

// The first and the last time in nanoseconds since 1970.
var begin, end = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

func nanos(t time.Time) int64 {
	if t.Before(begin) {
		return math.MinInt64
	}
	if t.After(end) {
		return math.MaxInt64
	}
	return t.UnixNano()
}
