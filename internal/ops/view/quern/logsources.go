package quern

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
)

// words are quern's names of two sources: the log of a physical device, and the output of an app. Entries have the core names.
var words = []struct {
	name string
	is   telemetry.Source
}{
	{"syslog", telemetry.Device}, {"app_drain", telemetry.Console},
}

// sourceName is a source by its core name or by quern's.
type sourceName string

// Choices lists the names.
func (sourceName) Choices() []string {
	names := telemetry.Source("").Choices()
	for _, w := range words {
		names = append(names, w.name)
	}
	return names
}

// source is the source with this name; an empty name stands for all.
func (n sourceName) source() telemetry.Source {
	for _, w := range words {
		if w.name == string(n) {
			return w.is
		}
	}
	if known := telemetry.Source(n); slices.Contains(telemetry.Sources(), known) {
		return known
	}
	return ""
}

func (n sourceName) sources() []telemetry.Source {
	if n == "" {
		return nil
	}
	return []telemetry.Source{n.source()}
}

// feeding names the sources of an answer: an empty answer means little if no source is running.
type feeding struct {
	Sources []string `json:"sources"`                 // ids of the running sources
	Missing []string `json:"missing_lines,omitempty"` // their missing lines, with the reason
	Note    string   `json:"note,omitempty"`
}

// feeding collects the sources; found is the number of matching entries, finer the note about a requested level.
func (v views) feeding(c *op.Call, found int, finer string) feeding {
	out, heard := feeding{Sources: []string{}}, false
	for _, s := range v.core.Said.Sources() {
		if s.Status == "stopped" || s.Status == "error" {
			continue
		}
		out.Sources = append(out.Sources, s.ID)
		if s.Missing != "" {
			out.Missing = append(out.Missing, s.ID+": "+s.Missing)
		}
		heard = heard || s.Source.OfApps()
	}
	slices.Sort(out.Sources)
	if out.Note = finer; finer != "" {
		return out
	}
	if found == 0 && !heard {
		out.Note = "no app's log is read now: " + hint.Do(launch, "bundle_id", "BUNDLE_ID") + " starts an app with its log"
	} else if len(v.core.Said.FiltersOf(c.Session)) > 0 {
		out.Note = "a filter of this session leaves lines out: " + hint.Do(listLogSources.FullName()) + " shows the filter"
	}
	return out
}

// sourcesOut is quern's answer.
type sourcesOut struct {
	Sources []sourceState `json:"sources"`
	Filters []filterState `json:"filters,omitempty"`
}

// filterState is a filter of a session. It does not affect other sessions.
type filterState struct {
	Source  string   `json:"source"`
	Process string   `json:"process,omitempty"`
	Exclude []string `json:"exclude_patterns,omitempty"`
	Owner   string   `json:"owner,omitempty"` // the session, if it is another one
}

func (v views) filters(c *op.Call) (all []filterState) {
	for _, f := range v.core.Said.Filters() {
		one := filterState{Source: cmp.Or(string(f.Source), everySource), Process: f.Process, Exclude: f.Exclude}
		if f.Owner != c.Session {
			one.Owner = f.Owner
		}
		all = append(all, one)
	}
	return all
}

// sourceState is quern's state of a source, and the lines that it lost.
type sourceState struct {
	ID       string     `json:"id"`
	Type     string     `json:"type"`
	Status   string     `json:"status"`
	Device   string     `json:"device_id"`
	Captured int64      `json:"entries_captured"`
	Started  *time.Time `json:"started_at"`
	Error    *string    `json:"error"`
	Source   string     `json:"source"` // name of the source in filters
	Lost     int64      `json:"entries_lost"`
	Missing  string     `json:"missing_lines,omitempty"` // missing entries, with the reason
	App      string     `json:"bundle_id,omitempty"`
}

// standing are the sources that quern always lists, in their initial state.
var standing = []sourceState{
	{ID: "crash", Type: "crash_reporter", Status: "watching", Source: string(telemetry.Crash)},
	{ID: "build", Type: "xcodebuild", Status: "ready", Source: string(telemetry.Build)},
	{ID: "server-log", Type: "server", Status: "streaming", Source: string(telemetry.Server)},
}

func (v views) sources(ctx context.Context, c *op.Call, _ noIn) (sourcesOut, error) {
	v.core.Said.EndOff(ctx)
	v.core.Said.Hear(ctx, c)
	out := sourcesOut{Sources: []sourceState{}, Filters: v.filters(c)}
	for _, s := range v.core.Said.Sources() {
		row := sourceState{
			ID: s.ID, Type: s.Type, Status: s.Status, Device: s.Device, Captured: s.Captured, Source: string(s.Source), Lost: s.Lost,
			Missing: s.Missing, App: s.App,
		}
		if s.Device == "" {
			row.Device = noDevice
		}
		if !s.Started.IsZero() {
			at := s.Started.UTC()
			row.Started = &at
		}
		if s.Error != "" {
			row.Error = &s.Error
		}
		out.Sources = append(out.Sources, row)
	}
	for _, row := range standing {
		if slices.ContainsFunc(out.Sources, func(s sourceState) bool { return s.Source == row.Source }) {
			continue
		}
		stored, err := v.stored(ctx, c, telemetry.Query{Sources: []telemetry.Source{telemetry.Source(row.Source)}, Limit: 1})
		if err != nil {
			return sourcesOut{}, err
		}
		row.Device, row.Captured = noDevice, int64(stored.Total)
		out.Sources = append(out.Sources, row)
	}
	return out, nil
}

// filterIn is quern's input.
type filterIn struct {
	Source  filterName `json:"source" doc:"source, or all"`
	Process string     `json:"process,omitempty" doc:"show only lines of this process"`
	Exclude []string   `json:"exclude_patterns,omitempty" doc:"hide lines that contain one of these texts, in any case"`
}

// everySource is the filter's word for all sources.
const everySource = "all"

// filterName is a source, or all.
type filterName string

// Choices lists the names.
func (filterName) Choices() []string { return append(sourceName("").Choices(), everySource) }

// filterOut is quern's answer.
type filterOut struct {
	Status string `json:"status"`
	Note   string `json:"note"`
}

// The limits of a filter, which is compared with every line of the log.
const (
	mostPatterns = 100
	mostPattern  = 500
)

// Check refuses a filter that is too large or excludes everything.
func (in filterIn) Check() error {
	refused := func(format string, args ...any) *fault.Fault {
		return fault.New(fault.InvalidInput, "set_log_filter: "+format, args...).With("field", "exclude_patterns")
	}
	if len(in.Exclude) > mostPatterns {
		return refused("too many exclude_patterns: %d", len(in.Exclude)).WithHint("give at most %d", mostPatterns)
	}
	for _, pattern := range in.Exclude {
		if len(pattern) > mostPattern {
			return refused("a pattern of %d bytes is too long", len(pattern)).WithHint("give at most %d bytes for each", mostPattern)
		}
		if strings.TrimSpace(pattern) == "" {
			return refused("an empty pattern would exclude every line").WithHint("leave the empty pattern out")
		}
	}
	return nil
}

func (v views) setFilter(_ context.Context, c *op.Call, in filterIn) (filterOut, error) {
	if err := in.Check(); err != nil {
		return filterOut{}, err
	}
	f := telemetry.Filter{Owner: c.Session, Source: sourceName(in.Source).source(), Process: in.Process, Exclude: in.Exclude}
	return filterOut{"accepted", inWords(f)}, v.core.Said.SetFilter(f)
}

// inWords describes a filter.
func inWords(f telemetry.Filter) string {
	whose := "all sources"
	if f.Source != "" {
		whose = "the source " + string(f.Source)
	}
	only := "all lines"
	if f.Process != "" {
		only = fmt.Sprintf("only lines of the process %q", f.Process)
	}
	note := "this session sees " + only + " of " + whose
	if len(f.Exclude) > 0 {
		quoted := make([]string, len(f.Exclude))
		for i, part := range f.Exclude {
			quoted[i] = strconv.Quote(part)
		}
		note += " except lines that contain " + strings.Join(quoted, " or ")
	}
	return note + "; all lines are stored, and other sessions are not affected"
}
