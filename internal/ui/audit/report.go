package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/hint"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/ui"
)

// Report holds the findings on all screens of a call.
type Report struct {
	Score   int      `json:"score"`           // of the worst screen
	Count   int      `json:"count"`           // of findings
	New     int      `json:"new,omitempty"`   // not in the baseline
	Known   int      `json:"known,omitempty"` // in the baseline
	Screens []Screen `json:"screens"`

	absent   []Entry // in the baseline, but not found any more
	baseline bool
}

// Add adds the findings of one more screen.
func (r *Report) Add(s Screen) {
	r.Screens = append(r.Screens, s)
	r.sum()
}

// sum counts the findings again. The score is that of the worst screen: a good screen does not make up for it.
func (r *Report) sum() {
	r.Score, r.Count, r.New, r.Known = 100, 0, 0, 0
	for i := range r.Screens {
		r.Score = min(r.Score, r.Screens[i].Score)
		for _, f := range r.Screens[i].Findings {
			r.Count++
			switch f.State {
			case New:
				r.New++
			case Known:
				r.Known++
			}
		}
	}
}

// shown are the findings of a screen that count, the worst first, grouped by rule.
func (s Screen) shown() []Finding {
	all := slices.DeleteFunc(slices.Clone(s.Findings), func(f Finding) bool { return f.State == Known })
	order := map[string]int{}
	for i, r := range Rules() {
		order[r.ID] = i
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(order[a.Rule], order[b.Rule]), cmp.Compare(a.Severity.rank(), b.Severity.rank()))
	})
	return all
}

// Text lists the findings by screen and rule, up to a maximum number. Text in quotes comes from the app.
func (r Report) Text(most int) string {
	lines := []string{r.Line()}
	left := 0
	for _, s := range r.Screens {
		shown := s.shown()
		head := ui.Quote(s.Title)
		if s.App != "" {
			head += " in " + s.App
		}
		head += fmt.Sprintf(": score %d, %s", s.Score, brief.Count(s.Elements, "element"))
		if s.After != "" {
			head += ", after " + ui.Quote(s.After)
		}
		lines = append(lines, head)
		rule := ""
		for _, f := range shown {
			if most <= 0 {
				left++
				continue
			}
			most--
			if f.Rule != rule {
				rule = f.Rule
				lines = append(lines, "  "+ruleLine(rule, shown))
			}
			lines = append(lines, "    "+f.Line())
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("%d more: %s shows more, %s writes all to a file", left, hint.Field("limit"), hint.Field("out")))
	}
	return strings.Join(lines, "\n")
}

func ruleLine(rule string, shown []Finding) string {
	n := 0
	for _, f := range shown {
		if f.Rule == rule {
			n++
		}
	}
	title := ""
	for _, r := range Rules() {
		if r.ID == rule {
			title = r.Title
		}
	}
	return fmt.Sprintf("%s (%d): %s", rule, n, title)
}

// Line is a finding in a line: element, problem and fix.
func (f Finding) Line() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s: %s → %s", f.Ref, f.Severity, f.Message, f.Fix.brief()))
}

// brief is the shortest form of the fix.
func (f Fix) brief() string {
	switch {
	case f.Identifier != "":
		return f.Swift
	case f.Label != "":
		return f.Swift
	}
	return f.Say
}

// Line is the score in a line.
func (r Report) Line() string {
	text := fmt.Sprintf("score %d of 100, %s", r.Score, brief.Count(r.Count, "finding"))
	if r.baseline {
		text = fmt.Sprintf("score %d of 100, %s, %d known", r.Score, brief.Count(r.New, "new finding"), r.Known)
		if len(r.absent) > 0 {
			text += fmt.Sprintf(", %d fixed since: write the baseline again to remove them", len(r.absent))
		}
	}
	if len(r.Screens) > 1 {
		text += fmt.Sprintf(" on %d screens", len(r.Screens))
	}
	return text
}

// Worst are the lines of the worst findings that count, up to a maximum number.
func (r Report) Worst(most int) (lines []string) {
	var all []Finding
	for _, s := range r.Screens {
		all = append(all, s.shown()...)
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) })
	for _, f := range all[:min(most, len(all))] {
		lines = append(lines, f.Rule+": "+f.Message)
	}
	return lines
}
