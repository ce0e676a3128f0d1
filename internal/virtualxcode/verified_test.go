package virtualxcode_test

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/mark"
)

var update = flag.Bool("update", false, "rewrite docs/verified.md")

const preface = `# What is verified

Generated from the marks in the code (` + "`go test ./internal/virtualxcode -update`" + `).

**This project has not run on a Mac yet.** The production code was tested against Virtual Xcode only; its parsers also
against recorded outputs of the real tools. So every imitated behaviour is one of two kinds:

- **Observed**: from a recorded output of the real tool, which the table names.
- **Assumed**: best knowledge, from documentation and from the sources of other programs. The last column says what breaks on a Mac if it is
  wrong; ″ is the same as in the line before.

` + "`make verify-mac`" + ` tests most assumptions on a Mac in a few minutes, and says for each failed step what breaks. Its file
replays on any machine, and turns an assumption into an observation.
`

// document lists the assumptions with their risks, then the harmless assumptions, then the observations.
func document() string {
	marks := virtualxcode.Marks()
	slices.SortStableFunc(marks, func(a, b mark.Mark) int { return cmp.Compare(a.Tool, b.Tool) })
	var risky, harmless, observed strings.Builder
	for _, r := range mark.Risks() {
		breaks := r.Breaks
		for _, behaviour := range assumedOf(marks, r) {
			if r.Harmless() {
				row(&harmless, r.Tool, behaviour, breaks)
			} else {
				row(&risky, r.Tool, behaviour, breaks)
			}
			breaks = "″"
		}
	}
	for _, m := range marks {
		if sample, ok := m.Sample(); ok {
			row(&observed, m.Tool, m.Behaviour, sample)
		}
	}
	const line = "|---|---|---|\n"
	return preface +
		"\n## Assumed\n\n| tool | assumed | what breaks if it is wrong |\n" + line + risky.String() +
		"\n## Assumed, and nothing breaks on a Mac\n\n| tool | assumed | if it is wrong |\n" + line + harmless.String() +
		"\n## Observed\n\n| tool | behaviour | recorded output |\n" + line + observed.String()
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
	}
	b.WriteString("|\n")
}

// assumedOf are the assumptions that a risk is about.
func assumedOf(marks []mark.Mark, r mark.Risk) (behaviours []string) {
	for _, m := range marks {
		if m.Source != mark.Assumed {
			continue
		}
		if first, ok := mark.RiskOf(m); ok && first.Breaks == r.Breaks && first.Tool == r.Tool {
			behaviours = append(behaviours, m.Behaviour)
		}
	}
	return behaviours
}

// TestEveryAssumptionHasARisk: a mark without a risk cannot be judged, and a risk without a mark is out of date.
// .
func TestEveryAssumptionHasARisk(t *testing.T) {
	marks := virtualxcode.Marks()
	for _, m := range marks {
		_, observed := m.Sample()
		if _, ok := mark.RiskOf(m); !ok && m.Source == mark.Assumed {
			t.Errorf("mark/risk.go does not say what breaks if this is wrong: %s: %s", m.Tool, m.Behaviour)
		}
		if !observed && m.Source != mark.Assumed {
			t.Errorf("%s: %s has the source %q", m.Tool, m.Behaviour, m.Source)
		}
	}
	for _, r := range mark.Risks() {
		if len(assumedOf(marks, r)) == 0 {
			t.Errorf("mark/risk.go has %q of %s, and nothing is assumed that would break it", r.Breaks, r.Tool)
		}
		for _, start := range r.About {
			if !slices.ContainsFunc(marks, mark.Risk{Tool: r.Tool, About: []string{start}}.Covers) {
				t.Errorf("mark/risk.go speaks of %q, with which no mark of %s begins", start, r.Tool)
			}
		}
	}
}

func TestVerifiedDocumentIsUpToDate(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "verified.md")
	if *update {
		if err := os.WriteFile(path, []byte(document()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != document() {
		t.Errorf("%s is stale: run go test ./internal/virtualxcode -update (%v)", path, err)
	}
}

// TestEveryUndocumentedKeyIsMarked: what the Swift agent uses of XCTest without Apple's word for it is an assumption, each by its name.
func TestEveryUndocumentedKeyIsMarked(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "agent", "Sources", "AgentXCUI", "Private+XCUI.swift"))
	if err != nil {
		t.Fatal(err)
	}
	cases := regexp.MustCompile(`(?m)^    case (\w+)(?: = "([\w:]+)")?$`).FindAllStringSubmatch(string(source), -1)
	if len(cases) < 5 {
		t.Errorf("only %d keys are found: is the file written in another way now?", len(cases))
	}
	for _, c := range cases {
		key := cmp.Or(c[2], c[1])
		if !slices.ContainsFunc(virtualxcode.Marks(), func(m mark.Mark) bool { return strings.Contains(m.Behaviour, key) }) {
			t.Errorf("no mark of package agent says what is assumed of %s", key)
		}
	}
}
