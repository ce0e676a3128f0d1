// Package telemetry is what apps, devices and builds said: one store of entries in the order of their arrival, with the documents
// (crash reports, builds) that belong to them.
package telemetry

import (
	"fmt"
	"strings"
	"time"
)

// Level is how serious an entry is.
type Level int8

// The levels, least first. A filter by level means that level and those above.
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

// Levels are the names, least first.
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

// Entry is one line that something said.
type Entry struct {
	Number    int64 // of its arrival; the store gives it, counting from 1, and never gives it again
	Time      time.Time
	Device    string // udid
	App       string // bundle id, where it is known
	Process   string
	PID       int
	Source    Source
	Level     Level
	Subsystem string
	Category  string
	Message   string
	Raw       string // as it stood; empty where the message is all there was
	Count     int    // how many equal lines it stands for; 0 is taken as 1
}

// Query says which entries are wanted. The zero value of a field takes all.
type Query struct {
	After, Upto   int64 // arrival numbers: later than After, not later than Upto
	Since, Until  time.Time
	Level         Level
	Device, App   string
	Process       string // exact
	PID           int
	Subsystem     string
	Category      string
	Sources       []Source
	Search        string   // a part of the message, in any case
	Exclude       []string // parts of messages that are not wanted, in any case
	Oldest        bool     // the first Limit entries instead of the last ones
	Limit, Offset int      // Limit 0 is 100
	WithoutNoise  bool     // leaves out what the noise list knows
	Filters       []Filter // what one of them keeps out is not wanted
}

// Page is what a query gives: entries oldest first, and how many fit altogether.
type Page struct {
	Entries []Entry
	Total   int
	Last    int64 // the newest arrival number in the store: ask for what came After it
}

// Summary is what was said in a time, in short.
type Summary struct {
	Errors, Warnings, Total int // counted with repeats; errors and warnings without noise
	Noise                   int // errors and warnings that the noise list knows
	Issues                  []Issue
	Prose                   string
	Last                    int64 // cursor for the next summary: the newest arrival number
}

// Issue is one kind of error or warning: messages that are equal but for numbers and ids.
type Issue struct {
	Pattern     string
	Process     string
	Level       Level
	Count       int
	First, Last time.Time
	Resolved    bool
}

// Document is a thing that is kept whole beside the entries: a crash report, a build.
type Document struct {
	Kind   string // crash, build
	ID     string // keeping one of the same kind and id again replaces it
	Number int64  // of its arrival, in the same count as the entries
	Time   time.Time
	Device string
	App    string
	Group  string // what belongs together, such as crashes of one signature
	Body   []byte // JSON
}

// DocumentQuery says which documents are wanted. The zero value of a field takes all.
type DocumentQuery struct {
	Kind, ID, Device, App, Group string
	Since                        time.Time
	After                        int64
	Limit                        int // 0 is 10
}

// Filter says what of a source a session does not want to read. It holds until it is replaced, or the session has left; all is stored.
type Filter struct {
	Owner   string // the session
	Source  Source // empty: of all
	Process string // only what this process says is wanted
	Exclude []string
}

// State is a source that feeds the store, for people.
type State struct {
	ID       string
	Type     string // simctl_log_stream, console, crash_reporter, xcodebuild, server, …
	Source   Source
	Device   string
	App      string
	Session  string // whose it is
	Status   string // streaming, watching, ready, stopped, error
	Captured int64  // entries
	Lost     int64  // lines that are known to be missing
	Missing  string // which lines are missing, how many or not, and why: the last gap
	Started  time.Time
	Error    string
}
