package xcresult

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/text/brief"
)

// Text is the document in at most limit bytes.
func (r *Result) Text(limit int) string {
	w := brief.New(limit)
	switch {
	case r.Summary != nil:
		r.Summary.text(w)
	case r.Tests != nil:
		r.Tests.text(w)
	case r.Details != nil:
		r.Details.text(w)
	case r.Activities != nil:
		r.Activities.text(w)
	case r.Metrics != nil:
		metricsText(w, r.Metrics)
	case r.Build != nil:
		r.Build.text(w)
	case r.Coverage != nil:
		r.Coverage.text(w)
	case r.FileCoverage != nil:
		r.FileCoverage.text(w)
	case r.Graph != nil:
		r.Graph.text(w)
	default:
		w.Line(string(r.Form))
		w.Line(string(r.Document))
	}
	return w.String()
}

func (d Device) String() string {
	return brief.Join(", ", d.Name, brief.Join(" ", d.Platform, d.OS), d.ID)
}

func (s *Summary) text(w *brief.Writer) {
	w.Linef("%s: %s tests: %d passed, %d failed, %d skipped, %d expected failures", brief.Join(" — ", s.Result, s.Title),
		fmt.Sprint(s.Total), s.Passed, s.Failed, s.Skipped, s.ExpectedFailures)
	for _, r := range s.Runs {
		w.Line("on " + r.Device.String())
	}
	w.List("failed tests", len(s.Failures), func(i int) []string {
		f := s.Failures[i]
		return []string{"failed " + brief.Join("/", f.Target, brief.Join("", f.Identifier)), "  " + f.Text}
	})
	for _, i := range s.Insights {
		w.Line("insight: " + brief.Join(" — ", i.Impact, i.Text))
	}
}

func (t *Tests) text(w *brief.Writer) {
	counts := map[string]int{}
	var failed []Case
	cases := t.Cases()
	for _, c := range cases {
		counts[c.Result]++
		if c.Result == Failed {
			failed = append(failed, c)
		}
	}
	w.Linef("%s: %d passed, %d failed, %d skipped, %d expected failures", brief.Count(len(cases), "test"), counts[Passed],
		counts[Failed], counts[Skipped], counts[ExpectedFailure])
	for _, d := range t.Devices {
		w.Line("on " + d.String())
	}
	w.List("failed tests", len(failed), func(i int) []string { return failed[i].lines() })
}

func (c Case) lines() []string {
	name := c.Identifier
	if name == "" {
		name = c.Name
	}
	out := []string{"failed " + brief.Join("/", c.Bundle, name)}
	if c.Details != "" {
		out[0] += " (" + c.Details + ")"
	}
	seen := map[string]bool{}
	for _, m := range c.Messages {
		place := m.File
		if m.Line > 0 {
			place = fmt.Sprintf("%s:%d", m.File, m.Line)
		}
		line := "  " + brief.Join(": ", place, m.Text)
		if seen[line] {
			continue // each repetition has the same message
		}
		seen[line] = true
		if m.Of != "" {
			line += " [" + m.Of + "]"
		}
		out = append(out, line)
	}
	return out
}

func (d *Details) text(w *brief.Writer) {
	w.Linef("%s %s: %s", d.Result, d.Identifier, brief.Join(", ", d.Duration, d.Description))
	for _, dev := range d.Devices {
		w.Line("on " + dev.String())
	}
	for _, n := range d.Runs {
		n.walk(nil, func(n Node, above []Node) {
			if len(n.Children) == 0 || n.Type == NodeFailure {
				w.Line(strings.Repeat("  ", len(above)) + brief.Join(" ", n.Type+":", n.Name, n.Result, n.Duration))
			}
		})
	}
}

func (a *Activities) text(w *brief.Writer) {
	w.Linef("activities of %s", a.Identifier)
	for _, r := range a.Runs {
		w.Line("on " + r.Device.String())
		var rows []string
		for _, x := range r.Activities {
			x.rows("  ", &rows)
		}
		w.List("activities", len(rows), func(i int) []string { return rows[i : i+1] })
	}
}

func (a Activity) rows(indent string, to *[]string) {
	mark := ""
	if a.Failure {
		mark = "✘ "
	}
	*to = append(*to, indent+mark+a.Title)
	for _, f := range a.Attachments {
		*to = append(*to, indent+"  attachment "+f.Name)
	}
	for _, c := range a.Children {
		c.rows(indent+"  ", to)
	}
}

func metricsText(w *brief.Writer, all []TestMetrics) {
	w.Linef("metrics of %s", brief.Count(len(all), "test"))
	w.List("tests", len(all), func(i int) []string {
		out := []string{all[i].Identifier}
		for _, r := range all[i].Runs {
			for _, m := range r.Metrics {
				out = append(out, fmt.Sprintf("  %s: average %.6g %s of %d", m.Name, average(m), m.Unit, len(m.Measurements)))
			}
		}
		return out
	})
}

func average(m Metric) float64 {
	sum := 0.0
	for _, n := range m.Measurements {
		f, _ := n.Float64()
		sum += f
	}
	return sum / float64(max(len(m.Measurements), 1))
}

func (b *Build) text(w *brief.Writer) {
	w.Linef("%s: %s, %s, %s", brief.Join(" — ", b.Status, b.Title), brief.Count(b.ErrorCount, "error"),
		brief.Count(b.WarningCount, "warning"), brief.Count(b.AnalyzerWarningCount, "analyzer warning"))
	if b.Destination.Name != "" {
		w.Line("for " + b.Destination.String())
	}
	for _, l := range []struct {
		word   string
		issues []Issue
	}{{"error", b.Errors}, {"warning", b.Warnings}, {"analyzer warning", b.AnalyzerWarnings}} {
		w.List(l.word+"s", len(l.issues), func(i int) []string {
			return []string{brief.Join(": ", ParseLocation(l.issues[i].Source).String(), l.word, l.issues[i].Message)}
		})
	}
}

func (c *Coverage) text(w *brief.Writer) {
	w.Linef("coverage %.1f%%: %d of %d lines", 100*c.LineCoverage, c.CoveredLines, c.ExecutableLines)
	w.List("targets", len(c.Targets), func(i int) []string {
		t := c.Targets[i]
		out := []string{fmt.Sprintf("%.1f%% %s: %d of %d lines", 100*t.LineCoverage, t.Name, t.CoveredLines, t.ExecutableLines)}
		for _, f := range t.Files {
			out = append(out, fmt.Sprintf("  %.1f%% %s", 100*f.LineCoverage, f.Path))
		}
		return out
	})
}

func (f *FileCoverage) text(w *brief.Writer) {
	for _, path := range slices.Sorted(maps.Keys(*f)) {
		ran, can := 0, 0
		for _, l := range (*f)[path] {
			if l.Executable {
				can++
				if l.Executions > 0 {
					ran++
				}
			}
		}
		w.Linef("%s: %d of %d executable lines ran", path, ran, can)
	}
}

func (g *Graph) text(w *brief.Writer) {
	counts := map[string]int{}
	for _, i := range g.Issues {
		counts[i.Kind]++
	}
	w.Linef("%s: %s, %s, %s, %s", brief.Join(" ", g.Type, "object"), brief.Count(counts["error"], "error"),
		brief.Count(counts["warning"], "warning"), brief.Count(counts["test failure"], "test failure"), brief.Count(len(g.Tests), "test"))
	for _, a := range g.Actions {
		w.Line(brief.Join(", ", brief.Join(" ", a.Command, a.Title), "build "+a.BuildStatus, "action "+a.Status, a.Device, a.OS, a.DeviceID))
	}
	for _, kind := range []string{"error", "test failure", "analyzer warning", "warning"} {
		var issues []GraphIssue
		for _, i := range g.Issues {
			if i.Kind == kind {
				issues = append(issues, i)
			}
		}
		w.List(kind+"s", len(issues), func(i int) []string {
			return []string{brief.Join(": ", issues[i].Location.String(), kind, issues[i].Test, issues[i].Message)}
		})
	}
	var failed []GraphTest
	for _, t := range g.Tests {
		if t.Status != "Success" && t.Status != "" {
			failed = append(failed, t)
		}
	}
	w.List("tests", len(failed), func(i int) []string {
		return append([]string{failed[i].Status + " " + failed[i].Identifier}, failed[i].Failures...)
	})
}
