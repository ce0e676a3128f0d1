package debugger

import (
	"context"
	"fmt"

	"ios-agent/internal/text/lazyregexp"
)

// mostRecords is how many lines of logpoints are kept; the oldest go.
const mostRecords = 1000

// records are the lines that logpoints recorded, the oldest first.
type records struct {
	lines []Record
	lost  int
}

// Record is a line that a logpoint recorded.
type Record struct {
	Breakpoint int    `json:"breakpoint"`
	Text       string `json:"text"`
}

// Records are the newest lines that logpoints recorded, at most so many, and how many older ones there were.
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

// expand writes the values of the expressions that a logpoint's text has in braces.
func (d *Debugger) expand(ctx context.Context, text string, frame int) string {
	return brief(braces.ReplaceAllStringFunc(text, func(part string) string {
		v, err := d.expression(ctx, frame, "", part[1:len(part)-1])
		if err != nil {
			return fmt.Sprintf("<%s>", err)
		}
		return v.Value
	}))
}
