package uiread

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/hint"
	"ios-agent/internal/text/lazyregexp"
	"ios-agent/internal/text/parse"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// Kind describes UI trees for the operation parse.
func Kind() parse.Kind {
	return parse.Kind{
		Name:    "ui-tree",
		Summary: "a UI tree of idb, AXe, WebDriverAgent, Appium, XCTest or ios-agent",
		Sniff:   sniff,
		Read: func(b []byte) (parse.Result, error) {
			t, err := Read(b)
			if err != nil {
				return nil, err
			}
			return result{t, t.Screen()}, nil
		},
	}
}

// signs are the words that only a UI tree has, and how certain each makes it.
var signs = []struct {
	word    string
	certain int
}{
	{"<XCUIElementType", 98}, {"<AppiumAUT", 98}, {`"AXUniqueId"`, 95}, {`"AXFrame"`, 95}, {`"AXLabel"`, 95}, {`"rawIdentifier"`, 95},
	{`"actions_available"`, 95}, {`"XCUIElementType`, 90}, {`"AXValue"`, 90}, {`"role_description"`, 80}, {`"elements"`, 40},
}

var outlineHead = lazyregexp.New(`(?m)^` + outlineStart + `[0-9a-z]+ title:"`)

// enough is the number of examined bytes: the top of a tree shows its form.
const enough = 64 << 10

func sniff(b []byte) int {
	head := bytes.TrimPrefix(b[:min(len(b), enough)], []byte("\ufeff"))
	best := 0
	for _, sign := range signs {
		if sign.certain > best && bytes.Contains(head, []byte(sign.word)) {
			best = sign.certain
		}
	}
	switch trimmed := bytes.TrimSpace(head); {
	case outlineHead.Match(head):
		best = max(best, 95)
	case form(trimmed) == formJSON && bytes.Contains(head, []byte(`"frame"`)) && bytes.Contains(head, []byte(`"type"`)):
		best = max(best, 60)
	case form(trimmed) == formJSON && bytes.Contains(head, []byte(`"backend"`)) && bytes.Contains(head, []byte(`"truncated"`)):
		best = max(best, 50)
	case form(trimmed) == formText:
		best = max(best, sniffText(head))
	}
	return best
}

// sniffText counts the first lines that begin with an element's type and look like a listing of a tree.
func sniffText(head []byte) int {
	lines, known := 0, 0
	for line := range strings.Lines(string(head)) {
		_, content := unindent(strings.TrimRight(line, "\r\n"))
		if strings.TrimSpace(content) == "" {
			continue
		}
		if lines++; lines > 40 {
			break
		}
		if outlineLine(content) != nil || describedLine(content) != nil {
			known++
		}
	}
	if lines == 0 || known*5 < lines*4 {
		return 0
	}
	return 30 + min(known, 20)
}

// result is a tree as the operation parse shows it.
type result struct {
	tree   *Tree
	screen *ui.Screen
}

// Text is the outline.
func (r result) Text(lines int) string {
	text := fmt.Sprintf("%d elements, written by %s", r.tree.Nodes(), r.tree.Source)
	if r.tree.Flat {
		text += ", flat: it does not say what lies in what"
	}
	for _, w := range r.tree.Warnings {
		text += "\nwarning: " + ui.Inline(w)
	}
	all := strings.Split(text+"\n"+outline.Of(r.screen, outline.Choice{}, "", &ui.Refs{}), "\n")
	if lines > 0 && len(all) > lines {
		all = append(all[:lines], fmt.Sprintf("… %d more lines; %s 0 shows all", len(all)-lines, hint.Field("lines")))
	}
	return strings.Join(all, "\n")
}

// value is the whole result: the snapshot, and the source's facts beyond it.
type value struct {
	Source   string         `json:"source"`
	Count    int            `json:"element_count"`
	Flat     bool           `json:"flat"`
	Warnings []string       `json:"warnings"`
	Document map[string]any `json:"document,omitempty"`
	ui.Snapshot
}

// Value is the whole result.
func (r result) Value() any {
	v := value{
		Source: r.tree.Source, Count: r.tree.Nodes(), Flat: r.tree.Flat, Warnings: append([]string{}, r.tree.Warnings...),
		Document: r.tree.Document, Snapshot: r.screen.Snapshot("", &ui.Refs{}, time.Time{}),
	}
	v.Timestamp = "" // a file does not say when
	return v
}
