package simctl

import (
	"fmt"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/world"
)

// entry is an entry of a log with the data that follow from its process.
type entry struct {
	world.Entry
	device world.Device
}

// image is the path of the program that logged: system programs are in the runtime, apps in a folder with their name.
func (e entry) image() string {
	if e.Process == "SpringBoard" {
		return e.device.Runtime.Root() + "/System/Library/CoreServices/SpringBoard.app/SpringBoard"
	}
	if strings.HasSuffix(e.Process, "d") && strings.HasPrefix(e.Subsystem, "com.apple.") {
		return e.device.Runtime.Root() + "/usr/libexec/" + e.Process
	}
	return e.device.DataPath + "/Containers/Bundle/Application/" + e.Process + ".app/" + e.Process
}

// origin is the subsystem and category before a message.
func (e entry) origin() string {
	if e.Subsystem == "" && e.Category == "" {
		return ""
	}
	return fmt.Sprintf("[%s:%s] ", e.Subsystem, e.Category)
}

// thread is the thread that logged; each process has one.
func (e entry) thread() int { return 0x18b0000 + e.PID }

// logStyle is one way to print a log.
type logStyle struct {
	head, between, tail string
	line                func(entry) string
	count               bool // show prints the number of entries at the end
}

func logStyles() map[string]logStyle {
	const heading = "Timestamp                       Thread     Type        Activity             PID    TTL  \n"
	plain := logStyle{head: heading, line: defaultLine}
	return map[string]logStyle{
		"":        plain,
		"default": plain,
		"compact": {head: "Timestamp               Ty Process[PID:TID]\n", line: compactLine},
		"syslog":  {head: "Timestamp                       (process)[PID]    \n", line: syslogLine},
		"json": {head: "[", between: ",", tail: "]\n", line: func(e entry) string {
			return strings.TrimSuffix(applejson.Encode(jsonEntry(e)), "\n")
		}},
		"ndjson": {count: true, line: func(e entry) string { return applejson.Style{}.Line(jsonEntry(e)) + "\n" }},
	}
}

const logTime = "2006-01-02 15:04:05.000000-0700"

func defaultLine(e entry) string {
	return fmt.Sprintf("%s %-10s %-11s %-20s %-6d %-4d %s: %s%s\n", e.Time.Format(logTime), fmt.Sprintf("0x%x", e.thread()), e.Level, "0x0",
		e.PID, 0, e.Process, e.origin(), e.Message)
}

func compactLine(e entry) string {
	kinds := map[world.Level]string{world.LevelDefault: "Df", world.LevelDebug: "Db", world.LevelInfo: "I", world.LevelError: "E",
		world.LevelFault: "F"}
	return fmt.Sprintf("%s %-2s %s[%d:%x] %s%s\n", e.Time.Format("2006-01-02 15:04:05.000"), kinds[e.Level], e.Process, e.PID, e.thread(),
		e.origin(), e.Message)
}

func syslogLine(e entry) string {
	return fmt.Sprintf("%s  localhost %s[%d]: %s%s\n", e.Time.Format(logTime), e.Process, e.PID, e.origin(), e.Message)
}

func jsonEntry(e entry) object {
	const image = "2F16B6B6-41B5-34D4-88A1-06CAFCE952EF" // every program has the same UUID in Virtual Xcode
	return object{
		{"timezoneName", ""},
		{"messageType", string(e.Level)},
		{"eventType", "logEvent"},
		{"source", nil},
		{"formatString", "%{public}s"},
		{"userID", 501},
		{"activityIdentifier", 0},
		{"subsystem", e.Subsystem},
		{"category", e.Category},
		{"threadID", e.thread()},
		{"senderImageUUID", image},
		{"backtrace", object{{"frames", array{object{{"imageOffset", 109999}, {"imageUUID", image}}}}}},
		{"bootUUID", ""},
		{"processImagePath", e.image()},
		{"senderImagePath", e.image()},
		{"timestamp", e.Time.Format(logTime)},
		{"machTimestamp", e.Time.UnixNano()},
		{"eventMessage", e.Message},
		{"processImageUUID", image},
		{"traceID", 3714562696282116},
		{"processID", e.PID},
		{"senderProgramCounter", 109999},
		{"parentActivityIdentifier", 0},
	}
}

// logPrinter prints entries.
type logPrinter struct {
	*call
	logReader
	printed int
}

// dropped prints that the stream dropped entries. Like Apple's log it prints no number, in any style.
func (p *logPrinter) dropped() {
	if !p.ignoresDropped {
		fmt.Fprintln(p.Stdout, "=== Messages dropped during live streaming (use `log show` to see what they were)")
	}
}

// filtering repeats the predicate.
func (p *logPrinter) filtering() {
	fmt.Fprintf(p.Stdout, "Filtering the log data using \"%s\"\n", p.text)
}

// past prints the first lines of show.
func (p *logPrinter) past() {
	if p.text != "" {
		p.filtering()
	}
	if p.skips {
		fmt.Fprintln(p.Stdout, "Skipping info and debug messages, pass --info and/or --debug to include.")
	}
	p.open()
}

func (p *logPrinter) open() { fmt.Fprint(p.Stdout, p.style.head) }

func (p *logPrinter) close() { fmt.Fprint(p.Stdout, p.style.tail) }

func (p *logPrinter) print(entries []world.Entry) {
	for _, e := range entries {
		if !p.wants(e) {
			continue
		}
		if p.printed > 0 {
			fmt.Fprint(p.Stdout, p.style.between)
		}
		fmt.Fprint(p.Stdout, p.style.line(entry{e, p.logReader.device}))
		p.printed++
	}
}
