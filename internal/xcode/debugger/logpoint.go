package debugger

import (
	"context"
	"fmt"

	"ios-agent/internal/text/lazyregexp"
)

// mostRecords is the maximum number of stored lines of logpoints; the oldest are dropped.
const mostRecords = 1000

// records are the recorded lines of logpoints, oldest first.
type records struct {
	lines []Record
	lost  int
}

// Record is a recorded line of a logpoint.
type Record struct {
	Breakpoint int    `json:"breakpoint"`
	Text       string `json:"text"`
}

// Records are the newest recorded lines, up to most, and the number of older lines.
func (d *Debugger) Records(most int) (all []Record, older int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	older = max(0, len(d.recorded.lines)-most)
	return append([]Record{}, d.recorded.lines[older:]...), older + d.recorded.lost
}

func (d *Debugger) record(id int, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count(id)
	if len(d.recorded.lines) == mostRecords {
		d.recorded.lines = append([]Record{}, d.recorded.lines[mostRecords/10:]...)
		d.recorded.lost += mostRecords / 10
	}
	d.recorded.lines = append(d.recorded.lines, Record{id, text})
}

// count counts a hit of a breakpoint. The caller has the mutex.
func (d *Debugger) count(id int) { d.hits[id]++ }

var braces = lazyregexp.New(`\{([^{}]+)\}`)

// expand replaces the expressions in braces of a logpoint's text by their values.
func (d *Debugger) expand(ctx context.Context, text string, frame int) string {
	return brief(braces.ReplaceAllStringFunc(text, func(part string) string {
		v, err := d.expression(ctx, frame, "", part[1:len(part)-1])
		if err != nil {
			return fmt.Sprintf("<%s>", err)
		}
		return v.Value
	}))
}
