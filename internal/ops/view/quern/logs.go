package quern

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/steplines"
)

// logging are quern's tools for logs, crashes and builds, with its routes, parameters and answers.
func (v views) logging() []op.Op {
	spec := func(row op.Spec, summary string) op.Spec { return tool(row, "logs", summary, readOnly, time.Minute) }
	filter := spec(setLogFilter, "Filter the log lines of a source for this session; without process and exclude_patterns, remove the filter")
	filter.Hints = op.Idempotent
	parse := spec(parseBuildOutput, "Read the output of xcodebuild as the latest build")
	parse.Hints, parse.Body = op.Idempotent, mostOutput
	return []op.Op{
		op.New(spec(tailLogs, "Show the log lines that arrived last, newest first"), v.tail),
		op.New(spec(queryLogs, "Search the log lines in order of arrival; print() is in the source console"), v.query),
		op.New(spec(getLogSummary, "Summarize the log: counts, frequent errors and warnings, and a cursor"), v.logSummary),
		op.New(spec(getErrors, "Show the newest errors and crashes in order of arrival"), v.errors),
		op.New(spec(getBuildResult, "Show the latest build: errors, warnings and tests"), v.latestBuild),
		op.New(spec(getLatestCrash, "Show the latest crash reports, newest first"), v.crashes),
		op.New(filter, v.setFilter),
		op.New(spec(listLogSources, "List the sources of the log and their state"), v.sources),
		v.streaming(spec(streamLogs, "Follow the log")),
		op.New(parse, v.parseBuild),
	}
}

// logEntry is quern's log entry with all its keys, and the app if it is known.
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

// noDevice is quern's device id of an entry without a device.
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

// levelName is a log level; quern and the core operations use the same names. A filter by a level includes all higher levels.
type levelName string

// Choices lists the levels.
func (levelName) Choices() []string { return telemetry.Levels() }

func (l levelName) level() telemetry.Level {
	level, _ := telemetry.ParseLevel(string(l)) // an empty name is the lowest level
	return level
}

// finer starts to read info and debug lines of the session's apps when a query asks for these levels, and says so.
func (v views) finer(ctx context.Context, c *op.Call, q telemetry.Query, asked levelName) string {
	return v.core.Said.Finer(ctx, c, q, string(asked),
		"no app's log is read; "+hint.Do(launch, "bundle_id", "BUNDLE_ID")+" starts an app with its log")
}

// deviceOf is the device of a filter; quern's "default" is an empty one.
func deviceOf(id string) string {
	if id == noDevice {
		return ""
	}
	return id
}

// tailIn is quern's input.
type tailIn struct {
	Count   int        `json:"count,omitempty" doc:"maximum number" default:"50" min:"1" max:"1000"`
	Level   levelName  `json:"level,omitempty" doc:"lowest level"`
	Process string     `json:"process,omitempty" doc:"exact process name"`
	Source  sourceName `json:"source,omitempty" doc:"only of this source"`
}

// linesOut is an answer with log lines: quern's keys and the sources of the lines.
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

// ask is stored with the session's filters.
func (v views) ask(ctx context.Context, c *op.Call, q telemetry.Query) (telemetry.Page, error) {
	q.Filters = v.core.Said.FiltersOf(c.Session)
	return v.stored(ctx, c, q)
}

// stored queries the log after all lines from before the call are stored.
func (v views) stored(ctx context.Context, c *op.Call, q telemetry.Query) (telemetry.Page, error) {
	c.Note(steplines.Shown{})
	if err := v.core.Said.Settle(ctx, c); err != nil {
		return telemetry.Page{}, err
	}
	return v.core.Said.Query(ctx, q)
}

// queryIn is quern's input.
type queryIn struct {
	Since   op.Instant `json:"since,omitempty" doc:"start time as ISO 8601, in UTC without a zone"`
	Until   op.Instant `json:"until,omitempty" doc:"end time as ISO 8601"`
	Level   levelName  `json:"level,omitempty" doc:"lowest level"`
	Process string     `json:"process,omitempty" doc:"exact process name"`
	Source  sourceName `json:"source,omitempty" doc:"only of this source"`
	Search  string     `json:"search,omitempty" doc:"part of the message, in any case"`
	Limit   int        `json:"limit,omitempty" doc:"maximum number" default:"100" min:"1" max:"1000" more:"true"`
	Offset  int        `json:"offset,omitempty" doc:"number to skip, from the first arrival" default:"0" min:"0"`
	Device  string     `json:"device_id,omitempty" doc:"only of this device"`
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
	Since   op.Instant `json:"since,omitempty" doc:"start time as ISO 8601, in UTC without a zone"`
	Limit   int        `json:"limit,omitempty" doc:"maximum number" default:"50" min:"1" max:"1000" more:"true"`
	Crashes bool       `json:"include_crashes,omitempty" doc:"include crash reports" default:"true"`
}

// errors are the newest errors, as many as the page holds.
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
