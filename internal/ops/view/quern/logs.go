package quern

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/steplines"
)

// logging are quern's rows about logs, crashes and builds, with its routes, parameters and answers.
func (v views) logging() []op.Op {
	spec := func(row op.Spec, summary string) op.Spec { return tool(row, "logs", summary, readOnly, time.Minute) }
	filter := spec(setLogFilter, "Say what of a source this session is shown: the lines of one process, "+
		"or all but those that contain one of exclude_patterns; a call with the source alone takes its filter away")
	filter.Hints = op.Idempotent
	parse := spec(parseBuildOutput, "Read what xcodebuild printed, and keep it as the latest build")
	parse.Hints, parse.Body = op.Idempotent, mostOutput
	return []op.Op{
		op.New(spec(tailLogs, "Show the log lines that arrived last, the last one first"), v.tail),
		op.New(spec(queryLogs, "Search the log lines in the order of their arrival, page by page: by time, level, process, "+
			"source and text; print() is in the source console"), v.query),
		op.New(spec(getLogSummary, "Tell in short what was logged: counts, the most frequent errors and "+
			"warnings, and a cursor to ask later for what is new"), v.logSummary),
		op.New(spec(getErrors, "Show the newest errors and crashes of the log in the order of their arrival"), v.errors),
		op.New(spec(getBuildResult, "Show what came of the latest build: errors, warnings and tests"), v.latestBuild),
		op.New(spec(getLatestCrash, "Show the latest crash reports, newest first"), v.crashes),
		op.New(filter, v.setFilter),
		op.New(spec(listLogSources, "List what feeds the log, and how it is doing"), v.sources),
		v.streaming(spec(streamLogs, "Watch the log as it is written")),
		op.New(parse, v.parseBuild),
	}
}

// logEntry is quern's, with all its keys, and the app where it is known.
type logEntry struct {
	ID        string    `json:"id"`
	Time      time.Time `json:"timestamp"`
	Device    string    `json:"device_id"`
	Process   string    `json:"process"`
	Subsystem string    `json:"subsystem"`
	Category  string    `json:"category"`
	PID       *int      `json:"pid"`
	Level     string    `json:"level"`
	Message   string    `json:"message"`
	Source    string    `json:"source"`
	Raw       string    `json:"raw"`
	Count     int       `json:"repeat_count"`
	App       string    `json:"bundle_id,omitempty"`
}

// noDevice is what quern calls the device of an entry that has none.
const noDevice = "default"

// entryID is the arrival number, as long as quern's ids.
func entryID(number int64) string { return fmt.Sprintf("%08x", number) }

func entryOf(e telemetry.Entry) logEntry {
	out := logEntry{
		ID: entryID(e.Number), Time: e.Time.UTC(), Device: e.Device, Process: e.Process, Subsystem: e.Subsystem, Category: e.Category,
		Level: e.Level.String(), Message: e.Message, Source: string(e.Source), Raw: e.Raw, Count: max(e.Count, 1), App: e.App,
	}
	if e.Device == "" {
		out.Device = noDevice
	}
	if e.PID != 0 {
		out.PID = &e.PID
	}
	if e.Raw == "" {
		out.Raw = e.Message
	}
	return out
}

func entriesOf(all []telemetry.Entry) []logEntry {
	out := make([]logEntry, len(all))
	for i, e := range all {
		out[i] = entryOf(e)
	}
	return out
}

// levelName is a level in quern's words, which are ours. A filter means that level and those above.
type levelName string

// Choices are the levels.
func (levelName) Choices() []string { return telemetry.Levels() }

func (l levelName) level() telemetry.Level {
	level, _ := telemetry.ParseLevel(string(l)) // an empty one is the least
	return level
}

// finer has info and debug lines of the apps that this session follows come in once it asks for them, and says so.
func (v views) finer(ctx context.Context, c *op.Call, q telemetry.Query, asked levelName) string {
	return v.core.Said.Finer(ctx, c, q, string(asked), "no app's log is followed; launch_app begins that, then ask again")
}

// deviceOf is the device of a filter: quern's clients say "default" when they mean none.
func deviceOf(id string) string {
	if id == noDevice {
		return ""
	}
	return id
}

// tailIn is quern's input.
type tailIn struct {
	Count   int        `json:"count,omitempty" doc:"how many" default:"50" min:"1" max:"1000"`
	Level   levelName  `json:"level,omitempty" doc:"this level and those above"`
	Process string     `json:"process,omitempty" doc:"only of this process, exactly"`
	Source  sourceName `json:"source,omitempty" doc:"only of this source"`
}

// linesOut is an answer that has lines. Beside quern's keys it says where they are from.
type linesOut struct {
	Entries []logEntry `json:"entries"`
	Total   int        `json:"total"`
	feeding
}

func (v views) tail(ctx context.Context, c *op.Call, in tailIn) (linesOut, error) {
	q := telemetry.Query{Level: in.Level.level(), Process: in.Process, Sources: in.Source.sources(), Limit: in.Count}
	finer := v.finer(ctx, c, q, in.Level)
	page, err := v.ask(ctx, c, q)
	slices.Reverse(page.Entries)
	return linesOut{entriesOf(page.Entries), len(page.Entries), v.feeding(c, len(page.Entries), finer)}, err
}

// ask is stored without what the session's filters keep out.
func (v views) ask(ctx context.Context, c *op.Call, q telemetry.Query) (telemetry.Page, error) {
	q.Filters = v.core.Said.FiltersOf(c.Session)
	return v.stored(ctx, c, q)
}

// stored waits until what was said before the call can be found.
func (v views) stored(ctx context.Context, c *op.Call, q telemetry.Query) (telemetry.Page, error) {
	c.Note(steplines.Shown{})
	if err := v.core.Said.Settle(ctx, c); err != nil {
		return telemetry.Page{}, err
	}
	return v.core.Said.Query(ctx, q)
}

// queryIn is quern's input.
type queryIn struct {
	Since   op.Instant `json:"since,omitempty" doc:"from this moment on, as ISO 8601; without a zone it is UTC"`
	Until   op.Instant `json:"until,omitempty" doc:"up to this moment, as ISO 8601"`
	Level   levelName  `json:"level,omitempty" doc:"this level and those above"`
	Process string     `json:"process,omitempty" doc:"only of this process, exactly"`
	Source  sourceName `json:"source,omitempty" doc:"only of this source"`
	Search  string     `json:"search,omitempty" doc:"a part of the message, in any case"`
	Limit   int        `json:"limit,omitempty" doc:"how many" default:"100" min:"1" max:"1000" more:"true"`
	Offset  int        `json:"offset,omitempty" doc:"how many to pass over, from the first that arrived" default:"0" min:"0"`
	Device  string     `json:"device_id,omitempty" doc:"only of this device; absent: of all"`
}

// queryOut is quern's answer.
type queryOut struct {
	Entries []logEntry `json:"entries"`
	Total   int        `json:"total"`
	More    bool       `json:"has_more"`
	feeding
}

func (v views) query(ctx context.Context, c *op.Call, in queryIn) (queryOut, error) {
	since, err := in.Since.Time()
	if err != nil {
		return queryOut{}, err
	}
	until, err := in.Until.Time()
	if err != nil {
		return queryOut{}, err
	}
	q := telemetry.Query{
		Since: since, Until: until, Level: in.Level.level(), Process: in.Process, Sources: in.Source.sources(), Search: in.Search,
		Device: deviceOf(in.Device), Oldest: true, Limit: in.Limit, Offset: in.Offset,
	}
	finer := v.finer(ctx, c, q, in.Level)
	page, err := v.ask(ctx, c, q)
	if device := deviceOf(in.Device); err == nil && page.Total == 0 && device != "" {
		err = v.core.Said.Heard(ctx, device)
	}
	return queryOut{entriesOf(page.Entries), page.Total, in.Offset+in.Limit < page.Total, v.feeding(c, page.Total, finer)}, err
}

// errorsIn is quern's input.
type errorsIn struct {
	Since   op.Instant `json:"since,omitempty" doc:"from this moment on, as ISO 8601; without a zone it is UTC"`
	Limit   int        `json:"limit,omitempty" doc:"how many" default:"50" min:"1" max:"1000" more:"true"`
	Crashes bool       `json:"include_crashes,omitempty" doc:"crash reports too" default:"true"`
}

// errors are the newest ones: those that fit into the page and are last.
func (v views) errors(ctx context.Context, c *op.Call, in errorsIn) (linesOut, error) {
	since, err := in.Since.Time()
	if err != nil {
		return linesOut{}, err
	}
	q := telemetry.Query{Since: since, Level: telemetry.Error, Limit: in.Limit}
	if !in.Crashes {
		q.Sources = slices.DeleteFunc(telemetry.Sources(), func(s telemetry.Source) bool { return s == telemetry.Crash })
	}
	page, err := v.ask(ctx, c, q)
	return linesOut{entriesOf(page.Entries), page.Total, v.feeding(c, page.Total, "")}, err
}
