package quern

import (
	"context"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/steplines"
)

// logSummaryIn is quern's input.
type logSummaryIn struct {
	Window  string `json:"window,omitempty" doc:"time span until now" enum:"30s,1m,5m,15m,1h" default:"5m"`
	Process string `json:"process,omitempty" doc:"exact process name"`
	Cursor  string `json:"since_cursor,omitempty" doc:"cursor of an earlier summary: only later arrivals"`
}

// logSummaryOut is quern's answer.
type logSummaryOut struct {
	Window    string    `json:"window"`
	Generated time.Time `json:"generated_at"`
	Cursor    string    `json:"cursor"`
	Summary   string    `json:"summary"`
	Errors    int       `json:"error_count"`
	Warnings  int       `json:"warning_count"`
	Total     int       `json:"total_count"`
	Issues    []issue   `json:"top_issues"`
	feeding
}

// issue is quern's summary of similar errors or warnings.
type issue struct {
	Pattern  string    `json:"pattern"`
	Count    int       `json:"count"`
	First    time.Time `json:"first_seen"`
	Last     time.Time `json:"last_seen"`
	Resolved bool      `json:"resolved"`
	Process  string    `json:"process"`
	Level    string    `json:"level"`
}

func (v views) logSummary(ctx context.Context, c *op.Call, in logSummaryIn) (logSummaryOut, error) {
	c.Note(steplines.Shown{})
	now := v.core.Said.Now()
	q, length := telemetry.Query{Process: in.Process, WithoutNoise: true, Filters: v.core.Said.FiltersOf(c.Session)}, in.Window
	if err := v.core.Said.Settle(ctx, c); err != nil {
		return logSummaryOut{}, err
	}
	if in.Cursor == "" {
		back, err := time.ParseDuration(in.Window)
		if err != nil {
			return logSummaryOut{}, err
		}
		q.Since = now.Add(-back)
	} else {
		after, err := v.after(in.Cursor)
		if err != nil {
			return logSummaryOut{}, err
		}
		q.After, length = after, "" // the cursor replaces the window
	}
	s, err := v.core.Said.Summarize(ctx, q, length)
	if err != nil {
		return logSummaryOut{}, err
	}
	out := logSummaryOut{
		Window: in.Window, Generated: now.UTC(), Cursor: telemetry.EncodeCursor(s.Last), Summary: s.Prose, Errors: s.Errors, Warnings: s.Warnings,
		Total: s.Total, Issues: make([]issue, len(s.Issues)), feeding: v.feeding(c, s.Total, ""),
	}
	for i, one := range s.Issues {
		out.Issues[i] = issue{one.Pattern, one.Count, one.First.UTC(), one.Last.UTC(), one.Resolved, one.Process, one.Level.String()}
	}
	return out, nil
}

// after is the arrival number of a cursor. A cursor of another store is refused: it would select all entries or none.
func (v views) after(cursor string) (int64, error) {
	after, err := telemetry.ParseCursor(cursor)
	if err == nil && after <= v.core.Said.Last() {
		return after, nil
	}
	return 0, fault.New(fault.InvalidInput, "since_cursor: unknown cursor %.40q", cursor).With("field", "since_cursor").
		WithHint("ask without a cursor, and use the cursor of that answer")
}
