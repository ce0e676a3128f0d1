package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/telemetry/linetext"
	"ios-agent/internal/text/brief"
)

// The limits of a summary: distinguished issues, listed issues, and length of a pattern.
const (
	mostKinds   = 2_000
	mostIssues  = 20
	mostPattern = 300
)

// kind identifies the errors or warnings of one issue.
type kind struct {
	process, pattern string
	failed           bool // error or fault, as opposed to warning
}

// voice is the origin of an error or of a success: a successful sign-in of an app on one phone says nothing about its downloads or
// about another phone.
type voice struct{ device, app, process, category string }

func voiceOf(e *Entry) voice { return voice{e.Device, e.App, e.Process, e.Category} }

// mostVoices is the maximum number of origins with errors that are followed. Errors of further origins never count as resolved.
const mostVoices = 2_000

// summer makes a summary of entries in the order of their arrival, with bounded memory.
type summer struct {
	sum    Summary
	kinds  map[kind]*Issue
	latest map[*Issue]map[voice]int64 // number of the last entry of an issue, by origin
	good   map[voice]int64            // of origins with errors: number of the last entry about a success
}

func newSummer() *summer {
	return &summer{kinds: map[kind]*Issue{}, latest: map[*Issue]map[voice]int64{}, good: map[voice]int64{}}
}

// failed records an error of an origin.
func (s *summer) failed(one *Issue, of voice, number int64) {
	if _, known := s.good[of]; !known {
		if len(s.good) >= mostVoices {
			of, number = voice{}, math.MaxInt64
		} else {
			s.good[of] = 0
		}
	}
	if s.latest[one] == nil {
		s.latest[one] = map[voice]int64{}
	}
	s.latest[one][of] = number
}

// over reports whether every origin of an error has reported a success since.
func (s *summer) over(one *Issue) bool {
	for of, number := range s.latest[one] {
		if s.good[of] <= number {
			return false
		}
	}
	return true
}

func (s *summer) add(e *Entry) {
	s.sum.Total += e.Count
	if e.Level < Error {
		if _, failed := s.good[voiceOf(e)]; failed && goesWell(e.Message) {
			s.good[voiceOf(e)] = e.Number
		}
	}
	if e.Level < Warning {
		return
	}
	if Noise(e.Message) {
		s.sum.Noise += e.Count
		return
	}
	k := kind{e.Process, linetext.Template(e.Message), e.Level >= Error}
	if k.failed {
		s.sum.Errors += e.Count
	} else {
		s.sum.Warnings += e.Count
	}
	one := s.kinds[k]
	if one == nil {
		if len(s.kinds) >= mostKinds {
			return
		}
		one = &Issue{Pattern: k.pattern, Process: k.process, Level: e.Level, First: e.Time, Last: e.Time}
		s.kinds[k] = one
	}
	one.Count += e.Count
	one.Level = max(one.Level, e.Level)
	if e.Time.Before(one.First) {
		one.First = e.Time
	}
	if e.Time.After(one.Last) {
		one.Last = e.Time
	}
	if k.failed {
		s.failed(one, voiceOf(e), e.Number)
	}
}

// wells are the words that report a success.
var wells = []string{"succeeded", "successfully", "success", "resolved", "connected", "refreshed", "recovered", "completed"}

// goesWell reports whether a message has one of them as a whole word.
func goesWell(message string) bool {
	folded := linetext.Fold(message)
	for _, well := range wells {
		if !strings.Contains(folded, well) {
			continue
		}
		if slices.Contains(strings.FieldsFunc(folded, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
		}), well) {
			return true
		}
	}
	return false
}

// summary is the result, with the most frequent issues first.
func (s *summer) summary(subject, window string) Summary {
	var all []Issue
	for k, one := range s.kinds {
		one.Resolved = k.failed && s.over(one)
		if len(one.Pattern) > mostPattern {
			one.Pattern = strings.ToValidUTF8(one.Pattern[:mostPattern], "") + "…"
		}
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Level, a.Level), a.First.Compare(b.First),
			cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Process, b.Process))
	})
	s.sum.Prose = s.prose(all, subject, window)
	s.sum.Issues = all[:min(len(all), mostIssues)]
	return s.sum
}

func (s *summer) prose(all []Issue, subject, window string) string {
	when := ""
	if window != "" {
		when = " in the last " + window
	}
	if s.sum.Total == 0 {
		if subject == "" {
			return "No log entries" + when + "."
		}
		return "No log entries of " + subject + when + "."
	}
	parts := []string{fmt.Sprintf("%s logged %s%s.", cmp.Or(subject, "The system"), brief.CountOf(s.sum.Total, "entry", "entries"), when)}
	open := pick(all, func(i Issue) bool { return i.Level >= Error && !i.Resolved })
	gone := pick(all, func(i Issue) bool { return i.Resolved })
	if len(open) > 0 {
		parts = append(parts, "Unresolved errors: "+top(open)+".")
	}
	if len(gone) > 0 {
		parts = append(parts, brief.CountOf(len(gone), "kind of error was resolved", "kinds of errors were resolved")+": "+top(gone)+".")
	}
	if s.sum.Errors == 0 {
		parts = append(parts, "No errors detected.")
	}
	if warned := pick(all, func(i Issue) bool { return i.Level == Warning }); len(warned) > 0 {
		parts = append(parts, "Warnings: "+top(warned)+".")
	}
	if s.sum.Noise > 0 {
		parts = append(parts, brief.CountOf(s.sum.Noise, "line of known noise is", "lines of known noise are")+" left out.")
	}
	return strings.Join(parts, " ")
}

func pick(all []Issue, wanted func(Issue) bool) (out []Issue) {
	for _, i := range all {
		if wanted(i) {
			out = append(out, i)
		}
	}
	return out
}

// top names the three most frequent issues.
func top(issues []Issue) string {
	var out []string
	for _, i := range issues[:min(3, len(issues))] {
		out = append(out, fmt.Sprintf("%s (%dx)", i.Pattern, i.Count))
	}
	return strings.Join(out, ", ")
}

// Summarize describes the matching entries. window is the time span in words; it may be empty. Summarize first stores the repeats that
// are only counted so far, so that the next summary does not count them again.
func (s *Store) Summarize(ctx context.Context, q Query, window string) (Summary, error) {
	if s.load(ctx) {
		_ = s.settle(ctx, Debug) // if it fails, Usage and the log report the missing lines
	}
	all := newSummer()
	last, err := s.scan(ctx, q, func(sc *scanner, blocks []*block) error {
		all = newSummer()
		return sc.each(blocks, all.add)
	})
	if err != nil {
		return Summary{}, err
	}
	out := all.summary(cmp.Or(q.Process, q.App), window)
	out.Last = last
	return out, nil
}
