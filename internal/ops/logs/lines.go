// Package logs offers the operations on log lines of apps, devices and builds: read, watch, summarize, export, follow, capture and delete.
// Lines, Streams and Captures are its main types. Package telemetry/whose decides which lines a call means; package telemetry stores them.
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
	"ios-agent/internal/hint"
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

// Lines reads the log lines of apps, devices, builds and the daemon.
type Lines struct{ d Deps }

// Deps are the services that the operations use.
type Deps struct {
	Access   access.Access
	Store    *telemetry.Store
	Captures *logcap.Store
	Flows    *capture.Capture // its bodies are deleted with the logs
	Answers  *answers.Folder  // deleted with the logs
	Steps    *steps.Store
	Settle   Settle
	Now      func() time.Time
}

// NewLines makes the operations that read lines.
func NewLines(d Deps) *Lines { return &Lines{d} }

// Ops lists the operations that read lines.
func (l *Lines) Ops() []op.Op {
	groups := []string{"logs"}
	follow := op.NewLive[whichIn, LogLine](op.Spec{
		Name: "follow_logs", Groups: groups, Verb: op.None, Route: "GET /api/v1/logs/follow",
		Summary: "Watch the app's logs and output live", Hints: op.ReadOnly | op.Idempotent,
	}, l.follow)
	return []op.Op{
		op.New(op.Spec{
			Name: "read_logs", Groups: groups, Verb: "logs", Route: "GET /api/v1/logs", Timeout: time.Minute, Follow: follow.Name,
			Summary: "Show the app's logs and output",
			Help: "Without a device, app or step, it shows the app in front on the session's device: the newest lines, the oldest first.\n" +
				hint.Field("after") + " continues after a cursor, " + hint.Field("before") + " goes back; on a command line -f follows.\n" +
				"Capture begins with " + hint.Do("launch_app", "bundle_id", "APP") + " or " + hint.Do("run") + ", on a simulator with the two " +
				"minutes before.\nLevels: debug, info, notice (Apple's default), warning, error, fault. Info and debug lines of an app are captured\n" +
				"after the first call with that " + hint.Field("level") + ".",
			Hints: op.ReadOnly | op.Idempotent, Exclude: [][]string{{"after", "before"}, {"after", "step"}, {"all", "app"}, {"all", "step"}},
			Examples: []string{"logs", "logs --step last", "logs --level error --since 5m", "logs --grep timeout --app Shop", "logs -f"},
		}, l.read),
		follow,
		l.exportOp(),
		op.New(op.Spec{
			Name: "summarize_logs", Groups: groups, Verb: "logs summary", Route: "GET /api/v1/logs/digest", Timeout: time.Minute,
			Summary: "Summarize the logs: errors and warnings by kind",
			Hints:   op.ReadOnly | op.Idempotent, Examples: []string{"logs summary", "logs summary --window 1h --all"},
		}, l.summarize),
	}
}

// whoseIn selects lines by their origin.
type whoseIn struct {
	target.Target
	App       string           `json:"app,omitempty" doc:"bundle id or name; default: the app in front"`
	All       bool             `json:"all,omitempty" doc:"all apps, devices, builds and the daemon"`
	Process   string           `json:"process,omitempty" doc:"exact process name"`
	Subsystem string           `json:"subsystem,omitempty" doc:"exact subsystem"`
	Source    telemetry.Source `json:"source,omitempty" doc:"only this source"`
}

// whichIn selects lines by level, text and time.
type whichIn struct {
	whoseIn
	Level string `json:"level,omitempty" doc:"minimum level" enum:"debug,info,notice,warning,error,fault"`
	Grep  string `json:"grep,omitempty" doc:"part of the message, any case"`
	Since string `json:"since,omitempty" doc:"start time: a duration ago (5m) or an RFC 3339 time" ago:"true"`
	After string `json:"after,omitempty" doc:"only lines after this cursor of an earlier answer"`
}

// betweenIn selects stored lines.
type betweenIn struct {
	Until  string `json:"until,omitempty" doc:"end time, like since" ago:"true"`
	Step   string `json:"step,omitempty" doc:"from this step to the next on its device: last or s12" match:"^(last|s[0-9]{1,9})$"`
	Before string `json:"before,omitempty" doc:"only lines before this cursor"`
}

// readLogsIn is a page of lines.
type readLogsIn struct {
	whichIn
	betweenIn
	Oldest bool `json:"oldest,omitempty" doc:"the first lines, not the last"`
	Limit  int  `json:"limit,omitempty" doc:"maximum number of lines" default:"100" min:"1" max:"1000" more:"true"`
}

// LogLine is one line.
type LogLine struct {
	Number    int64     `json:"line"` // number by arrival; cursors are such numbers
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
	Count     int       `json:"count"` // number of equal lines that this one stands for
}

func logLine(e telemetry.Entry) LogLine {
	return LogLine{
		e.Number, e.Time.UTC(), e.Device, e.App, e.Process, e.PID, string(e.Source), e.Level.String(), e.Subsystem, e.Category, e.Message,
		max(e.Count, 1),
	}
}

// Text is the line for people and models. All of it but the time and the level is foreign text: see ADR 13.
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

// mostMessage is the maximum number of bytes of a message in a text; JSON has all of it.
const mostMessage = 400

func quoteLong(text string) string { return ui.QuoteWhole(brief.Clip(text, mostMessage)) }

// LogSource is a source of lines.
type LogSource struct {
	Source   string `json:"source"`
	Type     string `json:"type"`
	Status   string `json:"status"`
	UDID     string `json:"udid,omitempty"`
	App      string `json:"bundle_id,omitempty"`
	Captured int64  `json:"captured"`
	Lost     int64  `json:"lost"`
	Missing  string `json:"missing_lines,omitempty"` // the missing lines, and why
	Problem  string `json:"problem,omitempty"`
}

// LogsOut is a page of lines, oldest first.
type LogsOut struct {
	Lines   []LogLine   `json:"log_lines"`
	Total   int         `json:"total"` // matching lines
	HasMore bool        `json:"has_more"`
	Cursor  string      `json:"cursor"`           // for after, to continue
	Before  string      `json:"before,omitempty"` // for before, to read older lines
	Step    string      `json:"step,omitempty"`
	App     string      `json:"bundle_id,omitempty"`
	Sources []LogSource `json:"log_sources"`
	Note    string      `json:"note,omitempty"`

	of      string // whose lines
	forward bool   // the page continues after a cursor
}

// mostLogText is the maximum number of bytes of lines in a text: about 2,500 tokens.
const mostLogText = 10_000

// Text has a line for each line, as many of the newest as there is room for.
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
		at := strconv.FormatInt(o.Lines[last-1].Number, 10)
		lines = append(lines, fmt.Sprintf("… %d more after these: %s", left, hint.Do("read_logs", "after", at)))
	case left > 0 && len(first) > 0:
		at := strconv.FormatInt(first[0].Number, 10)
		lines = append(lines, fmt.Sprintf("… %d more before these: %s", left, hint.Do("read_logs", "before", at)))
	}
	if o.Note != "" {
		lines = append(lines, "note: "+o.Note)
	}
	return strings.Join(lines, "\n")
}

// had lists the sources of the answer, with their problems.
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
		return "no source is captured"
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
		missing := fmt.Sprintf("the logs of %s are not captured now; start with %s or %s", meant.Of,
			hint.Do("launch_app", "bundle_id", "APP"), hint.Do("logs_start", "all", true))
		out.Note = strings.TrimPrefix(finer+"; "+missing, "; ")
	}
	return out, nil
}

// query reads the store after pending lines have arrived. If it finds nothing for an app that is unknown by name, the result is that fault:
// the name could also be that of a process.
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
