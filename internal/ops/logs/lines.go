// Package logs has the operations on what apps, devices and builds say: read, follow and sum up lines, begin and end to follow a log,
// captures into files, and how much is stored. telemetry/whose decides whose lines are meant.
package logs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/device/logcap"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/op"
	"ios-agent/internal/op/answers"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/steplines"
	"ios-agent/internal/telemetry/whose"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// Lines shows what apps, devices, builds and the daemon said.
type Lines struct{ d Deps }

// Deps are what the operations on logs work with.
type Deps struct {
	Access   access.Access
	Store    *telemetry.Store
	Captures *logcap.Store
	Flows    *capture.Capture // whose bodies are deleted with the logs
	Answers  *answers.Folder  // likewise
	Steps    *steps.Store
	Settle   Settle
	Now      func() time.Time
}

// NewLines makes the operations that read lines.
func NewLines(d Deps) *Lines { return &Lines{d} }

func (l *Lines) Ops() []op.Op {
	groups := []string{"logs"}
	follow := op.NewLive[whichIn, LogLine](op.Spec{
		Name: "follow_logs", Groups: groups, Verb: op.None, Route: "GET /api/v1/logs/follow",
		Summary: "Watch what the app logs and prints as it comes", Hints: op.ReadOnly | op.Idempotent,
	}, l.follow)
	return []op.Op{
		op.New(op.Spec{
			Name: "read_logs", Groups: groups, Verb: "logs", Route: "GET /api/v1/logs", Timeout: time.Minute, Follow: follow.Name,
			Summary: "Show what the app logged and printed: the newest lines, or those of a step",
			Help: "Without a device, an app or a step that is named, it is the app in front on the session's device. The newest lines are shown,\n" +
				"the oldest of them first; `--after` reads on from a cursor, `--before` goes back. `-f` shows new lines as they come.\n" +
				"What is shown was said while somebody listened: `ios-agent launch` and `ios-agent run` begin that. Of a simulator the two minutes\n" +
				"before are there too, as far as its system kept them. Levels: debug, info, notice (Apple's default), warning, error, fault; an\n" +
				"app's info and debug lines are captured once a call asks for them with `--level`.",
			Hints: op.ReadOnly | op.Idempotent, Exclude: [][]string{{"after", "before"}, {"after", "step"}, {"all", "app"}, {"all", "step"}},
			Examples: []string{"logs", "logs --step last", "logs --level error --since 5m", "logs --grep timeout --app Shop", "logs -f"},
		}, l.read),
		follow,
		l.exportOp(),
		op.New(op.Spec{
			Name: "summarize_logs", Groups: groups, Verb: "logs summary", Route: "GET /api/v1/logs/digest", Timeout: time.Minute,
			Summary: "Tell in short what was logged: how many errors and warnings, of which kinds, and which of them are over",
			Hints:   op.ReadOnly | op.Idempotent, Examples: []string{"logs summary", "logs summary --window 1h --all"},
		}, l.summarize),
	}
}

// whoseIn says whose lines are meant.
type whoseIn struct {
	target.Target
	App       string           `json:"app,omitempty" doc:"bundle id or name; else the app in front on the session's device"`
	All       bool             `json:"all,omitempty" doc:"of all apps and devices, of builds and of the daemon"`
	Process   string           `json:"process,omitempty" doc:"only of the process of exactly this name"`
	Subsystem string           `json:"subsystem,omitempty" doc:"only of exactly this subsystem"`
	Source    telemetry.Source `json:"source,omitempty" doc:"only from there"`
}

// whichIn says which of them.
type whichIn struct {
	whoseIn
	Level string `json:"level,omitempty" doc:"this and above" enum:"debug,info,notice,warning,error,fault"`
	Grep  string `json:"grep,omitempty" doc:"a part of the message, in any case"`
	Since string `json:"since,omitempty" doc:"from then on: so long ago, such as 5m, or a moment, such as 2026-01-31T15:04:05Z" ago:"true"`
	After string `json:"after,omitempty" doc:"only what came after this cursor of an earlier answer"`
}

// betweenIn bounds lines that were kept.
type betweenIn struct {
	Until  string `json:"until,omitempty" doc:"until then, as since" ago:"true"`
	Step   string `json:"step,omitempty" doc:"from this step to the next on its device: last, or such as s12" match:"^(last|s[0-9]{1,9})$"`
	Before string `json:"before,omitempty" doc:"only what came before this cursor"`
}

// readLogsIn is a page of lines.
type readLogsIn struct {
	whichIn
	betweenIn
	Oldest bool `json:"oldest,omitempty" doc:"the first lines instead of the last ones"`
	Limit  int  `json:"limit,omitempty" doc:"at most so many lines" default:"100" min:"1" max:"1000" more:"true"`
}

// LogLine is one line.
type LogLine struct {
	Number    int64     `json:"line"` // of its arrival; cursors are that
	Time      time.Time `json:"time"`
	UDID      string    `json:"udid,omitempty"`
	App       string    `json:"bundle_id,omitempty"`
	Process   string    `json:"process,omitempty"`
	PID       int       `json:"pid,omitempty"`
	Source    string    `json:"source"`
	Level     string    `json:"level"`
	Subsystem string    `json:"subsystem,omitempty"`
	Category  string    `json:"category,omitempty"`
	Message   string    `json:"message"`
	Count     int       `json:"count"` // of equal lines that it stands for
}

func logLine(e telemetry.Entry) LogLine {
	return LogLine{
		e.Number, e.Time.UTC(), e.Device, e.App, e.Process, e.PID, string(e.Source), e.Level.String(), e.Subsystem, e.Category, e.Message,
		max(e.Count, 1),
	}
}

// Text is the line for people and models. All of it but the time and the level was said by others: see ADR 13.
func (l LogLine) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s ", l.Time.Local().Format("15:04:05.000"), strings.ToUpper(l.Level[:1]))
	if b.WriteString(ui.Inline(cmp.Or(l.Process, l.Source))); l.PID > 0 {
		fmt.Fprintf(&b, "[%d]", l.PID)
	}
	if from := strings.Trim(l.Subsystem+":"+l.Category, ":"); from != "" {
		b.WriteString(" " + ui.Inline(from))
	}
	b.WriteString("  " + quoteLong(l.Message))
	if l.Count > 1 {
		fmt.Fprintf(&b, " (×%d)", l.Count)
	}
	return b.String()
}

// mostMessage is how much of one message a text shows: JSON has all of it.
const mostMessage = 400

func quoteLong(text string) string { return ui.QuoteWhole(brief.Clip(text, mostMessage)) }

// LogSource is a source that was listened to.
type LogSource struct {
	Source   string `json:"source"`
	Type     string `json:"type"`
	Status   string `json:"status"`
	UDID     string `json:"udid,omitempty"`
	App      string `json:"bundle_id,omitempty"`
	Captured int64  `json:"captured"`
	Lost     int64  `json:"lost"`
	Missing  string `json:"missing_lines,omitempty"` // which lines are, and why
	Problem  string `json:"problem,omitempty"`
}

// LogsOut is a page of lines, oldest first.
type LogsOut struct {
	Lines   []LogLine   `json:"log_lines"`
	Total   int         `json:"total"` // that fit
	HasMore bool        `json:"has_more"`
	Cursor  string      `json:"cursor"`           // read on after it
	Before  string      `json:"before,omitempty"` // what is older is before it
	Step    string      `json:"step,omitempty"`
	App     string      `json:"bundle_id,omitempty"`
	Sources []LogSource `json:"log_sources"`
	Note    string      `json:"note,omitempty"`

	of      string // whose lines
	forward bool   // the page goes on from a cursor
}

// mostLogText is how many bytes of lines a text has: about 2,500 tokens.
const mostLogText = 10_000

// Text is a line for every line, the newest that fit.
func (o LogsOut) Text() string {
	texts, size, from := make([]string, len(o.Lines)), 0, 0
	for i, line := range o.Lines {
		texts[i] = line.Text()
	}
	for i := range texts {
		at := len(texts) - 1 - i
		if o.forward {
			at = i
		}
		if size += len(texts[at]) + 1; size > mostLogText {
			from = len(texts) - i
			break
		}
	}
	shown, first, last := texts[from:], o.Lines[from:], len(o.Lines)
	if o.forward {
		shown, first, last = texts[:len(texts)-from], o.Lines, len(texts)-from
	}
	head := fmt.Sprintf("%d of %d lines of %s", len(shown), o.Total, oneline.Of(o.of))
	if len(shown) == o.Total {
		head = fmt.Sprintf("%s of %s", brief.Count(o.Total, "line"), oneline.Of(o.of))
	}
	lines := append([]string{head + "; " + o.had()}, shown...)
	switch left := o.Total - len(shown); {
	case left > 0 && o.forward:
		lines = append(lines, fmt.Sprintf("… %d more came after: `ios-agent logs --after %d`", left, o.Lines[last-1].Number))
	case left > 0 && len(first) > 0:
		lines = append(lines, fmt.Sprintf("… %d more came before: `ios-agent logs --before %d`", left, first[0].Number))
	}
	if o.Note != "" {
		lines = append(lines, "note: "+o.Note)
	}
	return strings.Join(lines, "\n")
}

// had says which sources the answer had.
func (o LogsOut) had() string {
	var had []string
	for _, s := range o.Sources {
		word := s.Source
		if s.Problem != "" {
			word += " (" + s.Status + ": " + ui.Inline(s.Problem) + ")"
		} else if s.Status != "streaming" && s.Status != "watching" && s.Status != "ready" {
			word += " (" + s.Status + ")"
		}
		switch lost := fmt.Sprintf("%d lines lost", s.Lost); {
		case s.Lost > 0 && s.Missing != "":
			word += " (" + lost + "; " + oneline.Of(s.Missing) + ")"
		case s.Lost > 0:
			word += " (" + lost + ")"
		case s.Missing != "":
			word += " (" + oneline.Of(s.Missing) + ")"
		}
		if !slices.Contains(had, word) {
			had = append(had, word)
		}
	}
	if len(had) == 0 {
		return "no source was listened to"
	}
	slices.Sort(had)
	return "sources: " + strings.Join(had, ", ")
}

func (l *Lines) read(ctx context.Context, c *op.Call, in readLogsIn) (LogsOut, error) {
	meant, err := l.between(ctx, c, in.whichIn, in.betweenIn)
	if err != nil {
		return LogsOut{}, err
	}
	q := meant.Query
	q.Limit, q.Oldest = in.Limit, in.Oldest || in.After != ""
	finer := l.d.finer(ctx, c, q, in.Level, startFine(in.Level))
	page, err := l.query(ctx, c, q, meant)
	if err != nil {
		return LogsOut{}, err
	}
	out := LogsOut{
		Lines: []LogLine{}, Total: page.Total, HasMore: page.Total > len(page.Entries), Cursor: strconv.FormatInt(page.Last, 10),
		Step: meant.Step, App: q.App, Sources: l.sources(meant), Note: finer, of: meant.Of, forward: q.Oldest,
	}
	for _, e := range page.Entries {
		out.Lines = append(out.Lines, logLine(e))
	}
	if n := len(out.Lines); n > 0 && out.HasMore {
		if out.forward {
			out.Cursor = strconv.FormatInt(out.Lines[n-1].Number, 10)
		} else {
			out.Before = strconv.FormatInt(out.Lines[0].Number, 10)
		}
	}
	if !listened(out.Sources) && meant.Device && in.Source == "" {
		nobody := "nobody listens to " + meant.Of + " now: `ios-agent launch` or `ios-agent logs start --all` begins it"
		out.Note = strings.TrimPrefix(finer+"; "+nobody, "; ")
	}
	return out, nil
}

// query asks after everything that was said is in the store. An app that was meant by its name may be a process.
func (l *Lines) query(ctx context.Context, c *op.Call, q telemetry.Query, m whose.Meant) (telemetry.Page, error) {
	if err := l.d.hear(ctx, c, q.Device, q.App); err != nil {
		return telemetry.Page{}, err
	}
	c.Note(steplines.Shown{})
	page, err := l.d.Store.Query(ctx, q)
	if err == nil && page.Total == 0 && m.Unknown != nil {
		return page, m.Unknown
	}
	return page, err
}
