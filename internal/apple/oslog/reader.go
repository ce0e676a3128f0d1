package oslog

import (
	"bytes"
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/lazyregexp"
)

// Reader reads a log as it comes. It is an io.Writer.
type Reader struct {
	Each   func(Entry)  // called for each entry when it is complete
	Remark func(string) // called for each line outside of entries; may be nil

	split   lines.Splitter
	style   Style
	current *Entry
	more    []string
	size    int
	object  []byte // a JSON object that spans several lines
}

// maxMessage is the maximum stored length of one message.
const maxMessage = 1 << 18

// Write takes any part of the log. The relay of a device ends each message by NUL: the text after it is a new entry, whatever its form.
func (r *Reader) Write(p []byte) (int, error) {
	r.start()
	for rest := p; ; {
		message, after, ended := bytes.Cut(rest, []byte{0})
		if _, err := r.split.Write(message); err != nil || !ended {
			return len(p), err
		}
		if _, err := r.split.Write([]byte{'\n'}); err != nil {
			return len(p), err
		}
		r.flush()
		rest = after
	}
}

// End emits the last entry.
func (r *Reader) End() {
	r.start()
	r.split.End()
	if len(r.object) > 0 {
		r.remark(string(r.object))
		r.object = nil
	}
	r.flush()
}

func (r *Reader) start() {
	if r.split.Line == nil {
		r.split.Line = r.line
	}
}

const (
	stamp  = `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+(?:[+-]\d{4})?`
	origin = `(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\) )?(?:\[([\w.-]+):([^\]]*)\] )?`
)

// forms are tried in this order. The groups are named after the fields that they fill.
var forms = []struct {
	style  Style
	re     *lazyregexp.Regexp
	fields []string
}{
	{Default, lazyregexp.New(`^(` + stamp + `) (0x[0-9a-f]+)\s+(\w+)\s+(0x[0-9a-f]+)\s+(\d+)\s+\d+\s+(.+?): ` + origin + `(.*)$`),
		[]string{"time", "thread", "level", "activity", "pid", "process", "sender", "subsystem", "category", "message"}},
	{Compact, lazyregexp.New(`^(` + stamp + `) ([A-Z][a-z]?)\s+(.+?)\[(\d+):([0-9a-f]+)\] ` + origin + `(.*)$`),
		[]string{"time", "level", "process", "pid", "thread", "sender", "subsystem", "category", "message"}},
	{Syslog, lazyregexp.New(`^(` + stamp + `)\s+(\S+) (.+?)\[(\d+)\](?: <(\w+)>)?: ` + origin + `(.*)$`),
		[]string{"time", "host", "process", "pid", "level", "sender", "subsystem", "category", "message"}},
	{Syslog, lazyregexp.New(`^(` + stamp + `)\s+([^\[\]{}]+?)(?:\{(.*?)\})?\[(\d+)\] <(\w+)>: (.*)$`), // pymobiledevice3
		[]string{"time", "process", "sender", "pid", "level", "message"}},
	{NSLog, lazyregexp.New(`^(` + stamp + `) ([^\[\]]+?)\[(\d+):([0-9a-f]+)\] +(.*)$`),
		[]string{"time", "process", "pid", "thread", "message"}},
	{BSD, lazyregexp.New(`^([A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d(?:\.\d+)?) (\S+) ([^\[\]]+?)(?:\(([^()]*)\))?\[(\d+)\]` +
		`(?: \((.*?)\))?(?: <(\w+)>)?: ?(.*)$`),
		[]string{"time", "host", "process", "sender", "pid", "service", "level", "message"}},
	{BSD, lazyregexp.New(`^([A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d) (?:(\S+) )?(--- last message repeated \d+ times? ---)$`),
		[]string{"time", "host", "message"}},
	{Device, lazyregexp.New(`^([^\s\[\]()<>:]+)(?:\(([^()]*)\))?\[(\d+)\] <(\w+)>: (.*)$`),
		[]string{"process", "sender", "pid", "level", "message"}},
}

// letters are the levels of the compact style.
var letters = map[string]string{"Df": "Default", "Db": "Debug", "In": "Info", "I": "Info", "E": "Error", "Er": "Error",
	"F": "Fault", "Ft": "Fault", "A": "Activity", "Ac": "Activity", "St": "State", "Lo": "Loss", "Si": "Signpost", "S": "Signpost"}

func (r *Reader) line(s string) {
	if r.jsonLine(s) {
		return
	}
	e, style, ok := parseLine(s)
	if ok {
		r.flush()
		r.current, r.style, r.size = &e, style, len(e.Message)
		return
	}
	if r.current == nil {
		if strings.TrimSpace(s) != "" {
			r.remark(s)
		}
		return
	}
	if r.size += len(s) + 1; r.size <= maxMessage {
		r.more = append(r.more, s)
	}
}

// parseLine reads the first line of an entry.
func parseLine(s string) (Entry, Style, bool) {
	if s == "" || !dateOrName(s) {
		return Entry{}, nowStyle, false
	}
	for _, f := range forms {
		m := f.re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		var e Entry
		for i, name := range f.fields {
			e.set(name, m[i+1])
		}
		if f.style == Compact {
			if long := letters[e.Level]; long != "" {
				e.Level = long
			}
		}
		if f.style == BSD || f.style == Device {
			e.Message = unvis(e.Message)
		}
		return e, f.style, true
	}
	return Entry{}, nowStyle, false
}

func dateOrName(s string) bool { return s[0] != ' ' && s[0] != '\t' }

func (e *Entry) set(name, value string) {
	if name == "pid" {
		e.PID, _ = strconv.Atoi(value)
		return
	}
	if name == "service" { // launchd names the service
		if value != "" {
			e.Sender = value
		}
		return
	}
	*map[string]*string{
		"time": &e.Time, "level": &e.Level, "process": &e.Process, "thread": &e.Thread, "activity": &e.Activity, "sender": &e.Sender,
		"subsystem": &e.Subsystem, "category": &e.Category, "host": &e.Host, "message": &e.Message,
	}[name] = value
}

func (r *Reader) flush() {
	if r.current == nil {
		return
	}
	for len(r.more) > 0 && strings.TrimSpace(r.more[len(r.more)-1]) == "" {
		r.more = r.more[:len(r.more)-1]
	}
	e := *r.current
	if len(r.more) > 0 {
		e.Message += "\n" + strings.Join(r.more, "\n")
	}
	r.current, r.more = nil, nil
	r.Each(e)
}

func (r *Reader) remark(s string) {
	if r.Remark != nil {
		r.Remark(s)
	}
}

// jsonLine takes a line of the styles json and ndjson: one object a line, or an array that is written piece by piece, with "},{" between
// its objects.
func (r *Reader) jsonLine(s string) bool {
	t := strings.TrimSpace(s)
	if len(r.object) == 0 && !strings.HasPrefix(t, `{"`) && t != "{" && t != "[{" && !strings.HasPrefix(t, `[{"`) && t != "[" &&
		t != "]" && t != "},{" && !strings.HasPrefix(t, `,{`) {
		return false
	}
	if len(r.object) > 0 && strings.HasPrefix(s, `{"`) && json.Valid([]byte(s)) { // the object before was cut off
		r.remark(string(r.object))
		r.object = nil
	}
	if len(r.object) > 2*maxMessage {
		r.remark(string(r.object[:maxMessage]))
		r.object = nil
	}
	r.object = append(append(r.object, s...), '\n')
	if end := t[max(len(t)-1, 0):]; end != "}" && end != "{" && end != "]" && end != "," {
		return true // in the middle of an object
	}
	r.objects()
	return true
}

// objects removes the complete objects from the front and emits them.
func (r *Reader) objects() {
	for {
		b := bytes.TrimLeft(r.object, " \t\r\n,[]")
		if len(b) == 0 {
			r.object = r.object[:0]
			return
		}
		var raw json.RawMessage
		dec := json.NewDecoder(bytes.NewReader(b))
		if b[0] != '{' || dec.Decode(&raw) != nil {
			r.object = append(r.object[:0], b...)
			return
		}
		r.object = append(r.object[:0], b[dec.InputOffset():]...)
		r.entry(raw)
	}
}

type event struct {
	Time      string        `json:"timestamp,omitempty"`
	Message   string        `json:"eventMessage,omitempty"`
	Level     string        `json:"messageType,omitempty"`
	Process   string        `json:"processImagePath,omitempty"`
	PID       int           `json:"processID,omitempty"`
	Thread    json.Number   `json:"threadID,omitempty"`
	Activity  json.Number   `json:"activityIdentifier,omitempty"`
	Sender    string        `json:"senderImagePath,omitempty"`
	Subsystem string        `json:"subsystem,omitempty"`
	Category  string        `json:"category,omitempty"`
	Extra     jsondoc.Extra `json:"-"`
}

// entry emits one object; an object of another kind is a remark.
func (r *Reader) entry(raw json.RawMessage) {
	var v event
	if jsondoc.Into(raw, &v, &v.Extra) != nil || v.Time == "" && v.Message == "" {
		r.remark(string(raw))
		return
	}
	r.flush()
	r.style = JSON
	e := Entry{Time: v.Time, Level: v.Level, Process: path.Base(v.Process), PID: v.PID, Thread: v.Thread.String(),
		Activity: v.Activity.String(),
		Sender:   path.Base(v.Sender), Subsystem: v.Subsystem, Category: v.Category, Message: v.Message, Extra: v.Extra}
	if v.Process == "" {
		e.Process = ""
	}
	if v.Sender == "" {
		e.Sender = ""
	}
	for key, p := range map[string]string{"processImagePath": v.Process, "senderImagePath": v.Sender} {
		if p != "" {
			if e.Extra == nil {
				e.Extra = jsondoc.Extra{}
			}
			e.Extra[key], _ = json.Marshal(p)
		}
	}
	r.Each(e)
}

// unvis decodes syslog's form of bytes outside of ASCII: \M-f is 0xe6, \M^H is 0x88, \^A is 0x01.
func unvis(s string) string {
	if !strings.Contains(s, `\M`) && !strings.Contains(s, `\^`) {
		return s
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], `\M-`) && i+3 < len(s):
			b = append(b, s[i+3]|0x80)
			i += 3
		case strings.HasPrefix(s[i:], `\M^`) && i+3 < len(s):
			b = append(b, control(s[i+3])|0x80)
			i += 3
		case strings.HasPrefix(s[i:], `\^`) && i+2 < len(s):
			b = append(b, control(s[i+2]))
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

func control(c byte) byte {
	if c == '?' {
		return 0x7f
	}
	return c & 0x1f
}
