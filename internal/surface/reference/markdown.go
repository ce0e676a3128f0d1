package reference

import (
	"slices"
	"strings"
	"time"
)

// table is a Markdown table. Empty columns are left out.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) String() string {
	if len(t.rows) == 0 {
		return ""
	}
	keep := t.used()
	rule := slices.Repeat([]string{"---"}, len(t.head))
	var b strings.Builder
	b.WriteString(row(t.head, keep))
	b.WriteString(strings.ReplaceAll(row(rule, keep), " ", ""))
	for _, r := range t.rows {
		b.WriteString(row(r, keep))
	}
	return b.String()
}

func (t *table) used() []bool {
	keep := make([]bool, len(t.head))
	for _, r := range t.rows {
		for i, cell := range r {
			keep[i] = keep[i] || cell != ""
		}
	}
	return keep
}

func row(cells []string, keep []bool) string {
	var kept []string
	for i, cell := range cells {
		if keep[i] {
			kept = append(kept, oneLine.Replace(cell))
		}
	}
	return "| " + strings.Join(kept, " | ") + " |\n"
}

var oneLine = strings.NewReplacer("|", `\|`, "\n", " ")

// code formats text as code; an empty text stays empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// short writes 1m for 1m0s.
func short(d time.Duration) string {
	return strings.Replace(strings.Replace(d.String(), "m0s", "m", 1), "h0m", "h", 1)
}
