package logs

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/steplines"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// mostFollowed is the number of lines to read at once.
const mostFollowed = 500

// follow emits new lines, or all lines after a cursor, until ctx ends. It reads from the store, so a slow reader loses no lines.
func (l *Lines) follow(ctx context.Context, c *op.Call, in whichIn, emit func(any) error) error {
	m, err := l.which(ctx, c, in, "")
	if err != nil {
		return err
	}
	q := m.Query
	if q.Device == "" {
		l.d.Access.HearAll(ctx, c.Session)
	}
	l.d.finer(ctx, c, q, in.Level, "") // a stream has no place for the note; a single read shows it
	q.Oldest, q.Limit = true, mostFollowed
	if in.After == "" && in.Since == "" {
		q.After = l.d.Store.Last()
	}
	more := l.d.Store.Follow(telemetry.Query{Device: q.Device, App: q.App}) // before the first query, so that no line is missed
	defer more.Close()
	for {
		page, err := l.d.Store.Query(ctx, q)
		if ctx.Err() != nil {
			return nil // the reader has ended the stream
		}
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if err := emit(logLine(e)); err != nil {
				return err
			}
			q.After = e.Number
		}
		if page.Total > len(page.Entries) {
			continue
		}
		q.After = max(q.After, page.Last)
		select {
		case <-more.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// summaryIn selects the lines to summarize.
type summaryIn struct {
	whoseIn
	Window string `json:"window,omitempty" doc:"time span" enum:"30s,1m,5m,15m,1h" default:"5m"`
	After  string `json:"after,omitempty" doc:"only lines after this cursor of an earlier summary"`
}

// LogIssue is one kind of error or warning.
type LogIssue struct {
	Pattern  string    `json:"pattern"`
	Process  string    `json:"process,omitempty"`
	Level    string    `json:"level"`
	Count    int       `json:"count"`
	First    time.Time `json:"first_seen"`
	Last     time.Time `json:"last_seen"`
	Resolved bool      `json:"resolved"` // each source later logged a success in the same category, on every device
}

// LogSummaryOut is a summary of lines.
type LogSummaryOut struct {
	Window   string      `json:"window"`
	Errors   int         `json:"error_count"`
	Warnings int         `json:"warning_count"`
	Total    int         `json:"total"`
	Issues   []LogIssue  `json:"issues"`
	Prose    string      `json:"prose"`
	Cursor   string      `json:"cursor"`
	App      string      `json:"bundle_id,omitempty"`
	Sources  []LogSource `json:"log_sources"`

	of string
}

// mostIssues is the maximum number of kinds of errors and warnings in a text.
const mostIssues = 10

// Text is the counts and the kinds. The prose is only in JSON: it mixes text of apps with text of ios-agent.
func (o LogSummaryOut) Text() string {
	lines := []string{fmt.Sprintf("%s, %s, %s in the last %s of %s; %s", brief.Count(o.Errors, "error"), brief.Count(o.Warnings, "warning"),
		brief.Count(o.Total, "line"), o.Window, oneline.Of(o.of), LogsOut{Sources: o.Sources}.had())}
	for n, i := range o.Issues {
		if n == mostIssues {
			lines = append(lines, fmt.Sprintf("… %d more kinds; the result as JSON has all", len(o.Issues)-n))
			break
		}
		line := fmt.Sprintf("%s %s  %s (×%d)", strings.ToUpper(i.Level[:1]), ui.Inline(i.Process), quoteLong(i.Pattern), i.Count)
		if i.Resolved {
			line += ", resolved"
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, "… later lines only: "+hint.Do("summarize_logs", "after", o.Cursor)), "\n")
}

func (l *Lines) summarize(ctx context.Context, c *op.Call, in summaryIn) (LogSummaryOut, error) {
	m, err := l.which(ctx, c, whichIn{whoseIn: in.whoseIn, Since: in.Window, After: in.After}, "")
	if err != nil {
		return LogSummaryOut{}, err
	}
	if err := l.d.hear(ctx, c, m.Query.Device, m.Query.App); err != nil {
		return LogSummaryOut{}, err
	}
	said, err := l.d.Store.Summarize(ctx, m.Query, in.Window)
	if err != nil {
		return LogSummaryOut{}, err
	}
	if c.Note(steplines.Shown{}); said.Total == 0 && m.Unknown != nil {
		return LogSummaryOut{}, m.Unknown
	}
	out := LogSummaryOut{
		Window: in.Window, Errors: said.Errors, Warnings: said.Warnings, Total: said.Total, Issues: []LogIssue{}, Prose: said.Prose,
		Cursor: strconv.FormatInt(said.Last, 10), App: m.Query.App, Sources: l.sources(m), of: m.Of,
	}
	for _, i := range said.Issues {
		out.Issues = append(out.Issues, LogIssue{
			i.Pattern, i.Process, i.Level.String(), i.Count, i.First.UTC(), i.Last.UTC(), i.Resolved,
		})
	}
	return out, nil
}
