package streams

import (
	"encoding/json"
	"strings"
	"time"

	"ios-agent/internal/apple/oslog"
	"ios-agent/internal/device"
	"ios-agent/internal/telemetry"
)

// reader makes entries from the lines of a log stream. An event may be one line of JSON or several.
type reader struct {
	add   func(telemetry.Entry)
	appOf func(process string) string
	text  bool            // text lines for people, as from a physical device
	least telemetry.Level // minimum level: not every program can filter

	dropped func() // called when the program reports dropped lines; may be nil

	lines oslog.Reader
	last  telemetry.Entry
}

// start prepares it for the first line.
func (r *reader) start() *reader {
	r.lines.Each = r.entry
	if r.text {
		r.lines.Remark = r.more
	}
	return r
}

// event is the used part of a JSON line. A busy app logs thousands of lines per second, and oslog, which keeps every field, takes ten
// times as long.
type event struct {
	Time      string `json:"timestamp"`
	Kind      string `json:"eventType"`
	Level     string `json:"messageType"`
	Message   string `json:"eventMessage"`
	Format    string `json:"formatString"`
	Process   string `json:"processImagePath"`
	PID       int    `json:"processID"`
	Subsystem string `json:"subsystem"`
	Category  string `json:"category"`
}

func (r *reader) line(text string) {
	var e event
	if strings.HasPrefix(text, `{"`) && json.Unmarshal([]byte(text), &e) == nil && e.Time != "" {
		r.said(oslog.Entry{
			Time: e.Time, Level: e.Level, Process: e.Process[strings.LastIndexByte(e.Process, '/')+1:], PID: e.PID, Subsystem: e.Subsystem,
			Category: e.Category, Message: e.Message,
		}, e.Kind, e.Format)
		return
	}
	if oslog.Dropped(text) {
		if r.dropped != nil {
			r.dropped()
		}
		return
	}
	_, _ = r.lines.Write([]byte(text + "\n")) // cannot fail
	if r.text {
		r.lines.End() // deliver the entry with its first line: the next line may come much later
	}
}

func (r *reader) entry(e oslog.Entry) { r.said(e, extra(e, "eventType"), extra(e, "formatString")) }

func (r *reader) said(e oslog.Entry, kind, format string) {
	entry, is := entryOf(e, kind, format)
	if !is {
		return
	}
	entry.App = r.appOf(entry.Process)
	if r.last = entry; entry.Level >= r.least {
		r.add(entry)
	}
}

// more adds a continuation line to the entry before.
func (r *reader) more(text string) {
	if r.last.Process != "" && r.last.Level >= r.least {
		e := r.last
		e.Message = text
		r.add(e)
	}
}

// least is the minimum level of entries for a log level.
func least(level device.LogLevel) telemetry.Level {
	switch level {
	case device.LogDebug:
		return telemetry.Debug
	case device.LogInfo:
		return telemetry.Info
	}
	return telemetry.Notice
}

// levels maps Apple's level names to the store's.
var levels = map[string]telemetry.Level{
	"debug": telemetry.Debug, "info": telemetry.Info, "default": telemetry.Notice, "notice": telemetry.Notice, "": telemetry.Notice,
	"warning": telemetry.Warning, "error": telemetry.Error, "fault": telemetry.Fault, "critical": telemetry.Fault,
	"alert": telemetry.Fault, "emergency": telemetry.Fault,
}

// entryOf makes an entry from Apple's log; false for signposts, activities and empty messages.
func entryOf(e oslog.Entry, kind, format string) (telemetry.Entry, bool) {
	if kind != "" && kind != "logEvent" {
		return telemetry.Entry{}, false
	}
	message := e.Message
	if message == "" {
		message = format
	}
	if strings.TrimSpace(message) == "" {
		return telemetry.Entry{}, false
	}
	level, known := levels[strings.ToLower(e.Level)]
	if !known {
		level = telemetry.Notice
	}
	return telemetry.Entry{
		Time: moment(e.Time), Process: e.Process, PID: e.PID, Level: level, Subsystem: e.Subsystem, Category: e.Category, Message: message,
	}, true
}

func extra(e oslog.Entry, name string) (text string) {
	_ = json.Unmarshal(e.Extra[name], &text) // a value of another type is ignored
	return text
}

// moment reads a time as Apple's tools write it; zero without one. A time without a zone is local.
func moment(text string) time.Time {
	for _, layout := range []string{"2006-01-02 15:04:05.999999999-0700", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t
		}
	}
	t, err := time.ParseInLocation("Jan _2 15:04:05.999999999", text, time.Local)
	if err != nil {
		return time.Time{}
	}
	now := time.Now()
	t = t.AddDate(now.Year(), 0, 0)
	if t.After(now.AddDate(0, 0, 1)) { // the time is from last year
		t = t.AddDate(-1, 0, 0)
	}
	return t
}
