// Package telemetry stores the output of apps, devices and builds. A Store has one sequence of entries in the order of their arrival,
// together with documents such as crash reports and builds. Sources add entries through a Feed; readers use Query, Summarize, Follow
// and Walk. The package starts no program and asks no device.
package telemetry

import (
	"fmt"
	"strings"
	"time"
)

// Level is the severity of an entry.
type Level int8

// The levels, least severe first. A filter by level includes all levels above it.
const (
	Debug Level = iota
	Info
	Notice
	Warning
	Error
	Fault
)

var levels = []string{"debug", "info", "notice", "warning", "error", "fault"}

func (l Level) String() string {
	if l < Debug || l > Fault {
		return fmt.Sprintf("level %d", int8(l))
	}
	return levels[l]
}

// Levels are the names of the levels, least severe first.
func Levels() []string { return append([]string(nil), levels...) }

// ParseLevel reads a level's name. Apple's "Default" is a notice.
func ParseLevel(name string) (Level, bool) {
	name = strings.ToLower(name)
	if name == "default" {
		return Notice, true
	}
	for i, l := range levels {
		if l == name {
			return Level(i), true
		}
	}
	return 0, false
}

// Entry is one line of output.
type Entry struct {
	Number    int64 // number of its arrival; the store counts from 1 and never reuses a number
	Time      time.Time
	Device    string // udid
	App       string // bundle id, if it is known
	Process   string
	PID       int
	Source    Source
	Level     Level
	Subsystem string
	Category  string
	Message   string
	Raw       string // the original line; empty if it equals the message
	Count     int    // number of equal lines; 0 counts as 1
}

// Query selects entries. The zero value of a field selects all.
type Query struct {
	After, Upto   int64 // arrival numbers: above After, up to Upto
	Since, Until  time.Time
	Level         Level
	Device, App   string
	Process       string // exact match
	PID           int
	Subsystem     string
	Category      string
	Sources       []Source
	Search        string   // part of the message, in any case
	Exclude       []string // excluded parts of messages, in any case
	Oldest        bool     // the first Limit entries instead of the last
	Limit, Offset int      // Limit 0 is 100
	WithoutNoise  bool     // leaves out known noise
	Filters       []Filter // entries that one of them excludes are left out
}

// Page is the result of a query: entries oldest first, and the number of all matches.
type Page struct {
	Entries []Entry
	Total   int
	Last    int64 // newest arrival number in the store: pass it as After to read later entries
}

// Summary is a short description of the entries of a time span.
type Summary struct {
	Errors, Warnings, Total int // counted with repeats; errors and warnings without noise
	Noise                   int // errors and warnings on the noise list
	Issues                  []Issue
	Prose                   string
	Last                    int64 // cursor for the next summary: the newest arrival number
}

// Issue is one kind of error or warning: messages that are equal except for numbers and ids.
type Issue struct {
	Pattern     string
	Process     string
	Level       Level
	Count       int
	First, Last time.Time
	Resolved    bool
}

// Document is a whole stored beside the entries: a crash report or a build.
type Document struct {
	Kind   string // crash, build
	ID     string // a document with the same kind and id is replaced
	Number int64  // number of its arrival, in the same sequence as the entries
	Time   time.Time
	Device string
	App    string
	Group  string // groups documents, such as crashes of one signature
	Body   []byte // JSON
}

// DocumentQuery selects documents. The zero value of a field selects all.
type DocumentQuery struct {
	Kind, ID, Device, App, Group string
	Since                        time.Time
	After                        int64
	Limit                        int // 0 is 10
}

// Filter excludes entries of a source from a session's reads. It lasts until it is replaced or the session has ended. The store still
// has all entries.
type Filter struct {
	Owner   string // session of the filter
	Source  Source // empty: all sources
	Process string // only this process is wanted
	Exclude []string
}

// State describes a source of entries, for people.
type State struct {
	ID       string
	Type     string // simctl_log_stream, console, crash_reporter, xcodebuild, server, …
	Source   Source
	Device   string
	App      string
	Session  string // session of the source
	Status   string // streaming, watching, ready, stopped, error
	Captured int64  // number of entries
	Lost     int64  // number of lines known to be missing
	Missing  string // the last gap: missing lines, their number if known, and the reason
	Started  time.Time
	Error    string
}
