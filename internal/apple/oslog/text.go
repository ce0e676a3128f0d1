package oslog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/brief"
)

// bad are the levels that a reader looks for first.
var bad = []string{"Fault", "Error", "Critical", "Emergency", "Alert"}

// Text is the log in at most limit bytes: counts by level, errors first, then the last entries.
func (l *Log) Text(limit int) string {
	w := brief.New(limit)
	var levels []string
	for k, n := range l.Levels {
		levels = append(levels, fmt.Sprintf("%d %s", n, k))
	}
	slices.Sort(levels)
	count := fmt.Sprintf("entries: %d", len(l.Entries)+l.LeftOff)
	w.Line(brief.Join(", ", string(l.Style)+" log", count, strings.Join(levels, ", "), l.span()))
	var errors []Entry
	for _, e := range l.Entries {
		if slices.Contains(bad, e.Level) {
			errors = append(errors, e)
		}
	}
	w.List("errors", len(errors), func(i int) []string { return []string{errors[i].String()} })
	last := l.Entries[max(0, len(l.Entries)-20):]
	if len(errors) == 0 {
		w.List("entries", len(last), func(i int) []string { return []string{last[i].String()} })
	}
	return w.String()
}

func (l *Log) span() string {
	if len(l.Entries) == 0 || l.Entries[0].Time == "" {
		return ""
	}
	return l.Entries[0].Time + " to " + l.Entries[len(l.Entries)-1].Time
}

// String is the entry on one line.
func (e Entry) String() string {
	who := e.Process
	if e.PID > 0 {
		who += fmt.Sprintf("[%d]", e.PID)
	}
	from := brief.Join(":", e.Subsystem, e.Category)
	if from != "" {
		from = "[" + from + "]"
	}
	message := strings.ReplaceAll(e.Message, "\n", " ⏎ ")
	return brief.Join(" ", e.Time, e.Level, who+":", from, brief.Clip(message, 300))
}

// Sniff returns a percentage for the text being such a log: most of its first lines begin entries.
func Sniff(b []byte) int {
	b = b[:min(len(b), 1<<16)]
	o := jsondoc.Look(b)
	if o.Kind != 0 && len(o.Keys) > 0 {
		if o.Has("eventMessage") && o.HasAny("timestamp", "processID", "messageType") {
			return 98
		}
		return 0
	}
	if bytes.Contains(b, []byte("\nTest Suite '")) || bytes.Contains(b, []byte("\n** ")) {
		return 0
	}
	heads, others, first := 0, 0, false
	for i, s := range lines.All(bytes.ReplaceAll(b, []byte{0}, []byte{'\n'})) {
		if i > 400 {
			break
		}
		t := strings.TrimSpace(s)
		if t == "" {
			continue
		}
		if strings.HasPrefix(s, "Timestamp  ") && (strings.Contains(s, "Process[PID:TID]") || strings.Contains(s, "Activity")) {
			return 98
		}
		if _, style, ok := parseLine(s); ok && style != NSLog { // every log of Xcode has such lines
			heads++
			first = first || heads == 1 && others <= 2
		} else {
			others++
		}
	}
	switch {
	case heads == 0 || !first:
		return 0
	case heads >= others, heads >= 3:
		return 85
	}
	return 60
}
