package crash

import (
	"cmp"
	"strconv"
	"strings"

	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/lazyregexp"
)

var (
	field      = lazyregexp.New(`^([A-Z][A-Za-z/ -]{1,40}?):\s*(.*)$`)
	threadName = lazyregexp.New(`^Thread (\d+) name:\s*(.*)$`)
	threadHead = lazyregexp.New(`^Thread (\d+)( Crashed| Highlighted)?:(?::?\s*(.*))?$`)
	backtrace  = lazyregexp.New(`^(Application Specific Backtrace \d+|Last Exception Backtrace|Heaviest stack.*):$`)
	frameLine  = lazyregexp.New(`^(\d+)\s+(.+?)\s+(0x[0-9a-fA-F]+)(?:\s+(.*))?$`)
	imageLine  = lazyregexp.New(`^\s*(0x[0-9a-fA-F]+) -\s+(0x[0-9a-fA-F]+|\?\?\?)\s+\+?(.+?)\s+<([^>]*)>\s*(.*)$`) // the UUID may be "(null)"
	bareImage  = lazyregexp.New(`^\s*(0x[0-9a-fA-F]+) -\s+(0x[0-9a-fA-F]+|\?\?\?)\s+\+?(.+?)\s+(/.*)$`)            // without a UUID
	nameParts  = lazyregexp.New(`^(.*?)(?:\s+(arm\w*|x86_64h?|i386|arm64e?))?(?:\s+\((.*)\))?$`)
	process    = lazyregexp.New(`^(.*?)\s*\[(\d+)\]$`)
	version    = lazyregexp.New(`^(.*?)\s*\((.*)\)$`)
	exception  = lazyregexp.New(`^(\S+)(?: \((.*)\))?$`)
	source     = lazyregexp.New(`^(.*?)(?: \+ (\d+))?(?: \(([^()]+):(\d+)\))?$`)
	plainFrame = lazyregexp.New(`^0x[0-9a-fA-F]+ \+ (\d+)(?: \((.*?)(?: \+ (\d+))?\))?$`)
	sectionEnd = lazyregexp.New(`^[A-Z][A-Za-z /()0-9-]+:$`)
)

// readText reads the report that Apple's and other crash reporters write for people; nil if the text has another form.
func readText(data string) *Report {
	r := &Report{Form: FormText, Crashed: -1, Fields: map[string]string{}, Sections: map[string]string{}}
	t := textReader{report: r}
	for _, line := range lines.All([]byte(data)) {
		t.line(strings.TrimRight(line, " \t"))
	}
	if r.Fields["Exception Type"] == "" && r.Fields["Incident Identifier"] == "" && (r.Fields["Process"] == "" || len(r.Threads) == 0) &&
		!r.sampled() {
		return nil
	}
	r.fromFields()
	return r
}

type textReader struct {
	report  *Report
	thread  *Thread
	names   map[int]string
	section string
	images  bool
	tree    *callPath // of a sampled thread
}

func (t *textReader) line(s string) {
	r := t.report
	switch {
	case strings.TrimSpace(s) == "":
		if t.section != "" && !t.images {
			t.add("")
		}
		t.thread = nil
	case strings.TrimSpace(s) == "Binary Images:":
		t.images, t.section, t.thread = true, "Binary Images", nil
	case t.images && t.image(s):
	case t.heads(s):
	case t.thread != nil && t.frame(s):
	case sectionEnd.MatchString(s):
		t.section, t.images, t.thread = strings.TrimSuffix(s, ":"), false, nil
	case t.section != "":
		t.add(s)
	default:
		if m := field.FindStringSubmatch(s); m != nil {
			if _, seen := r.Fields[m[1]]; !seen {
				r.Fields[m[1]] = m[2]
				return
			}
		}
		t.section = "Other"
		t.add(s)
	}
}

func (t *textReader) add(s string) {
	sections := t.report.Sections
	if old, ok := sections[t.section]; ok {
		s = old + "\n" + s
	}
	sections[t.section] = s
}

// heads reads the line above a stack.
func (t *textReader) heads(s string) bool {
	r := t.report
	if m := threadName.FindStringSubmatch(s); m != nil {
		if t.names == nil {
			t.names = map[int]string{}
		}
		n, _ := strconv.Atoi(m[1])
		t.names[n] = m[2]
		return true
	}
	if m := threadHead.FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1])
		x := Thread{Index: n, Name: cmp.Or(m[3], t.names[n]), Crashed: m[2] == " Crashed"}
		if q, ok := strings.CutPrefix(x.Name, "Dispatch queue: "); ok {
			x.Name, x.Queue = "", q
		}
		if x.Crashed {
			r.Crashed = n
		}
		r.Threads = append(r.Threads, x)
		t.thread, t.section, t.images = &r.Threads[len(r.Threads)-1], "", false
		return true
	}
	if t.sampledThread(s) {
		return true
	}
	if m := backtrace.FindStringSubmatch(s); m != nil {
		r.Backtraces = append(r.Backtraces, Thread{Name: m[1]})
		t.thread, t.section, t.images = &r.Backtraces[len(r.Backtraces)-1], "", false
		return true
	}
	return false
}

func (t *textReader) frame(s string) bool {
	m := frameLine.FindStringSubmatch(s)
	if m == nil {
		return t.sampledFrame(s)
	}
	f := Frame{Image: strings.TrimSpace(m[2]), Address: m[3]}
	if p := plainFrame.FindStringSubmatch(m[4]); p != nil {
		f.Symbol = p[2]
		f.Offset, _ = strconv.ParseUint(cmp.Or(p[3], p[1]), 10, 64)
	} else if p := source.FindStringSubmatch(m[4]); p != nil {
		f.Symbol, f.File = p[1], p[3]
		f.Offset, _ = strconv.ParseUint(p[2], 10, 64)
		f.Line, _ = strconv.Atoi(p[4])
	}
	t.thread.Frames = append(t.thread.Frames, f)
	return true
}

func (t *textReader) image(s string) bool {
	m := imageLine.FindStringSubmatch(s)
	if m == nil {
		if m = bareImage.FindStringSubmatch(s); m == nil {
			return false
		}
		m = []string{m[0], m[1], m[2], m[3], "", m[4]}
	}
	i := Image{Base: m[1], End: m[2], UUID: m[4], Path: m[5], Name: m[3]}
	if p := nameParts.FindStringSubmatch(m[3]); p != nil {
		i.Name, i.Arch, i.Version = p[1], p[2], p[3]
	}
	t.report.Images = append(t.report.Images, i)
	return true
}

// fromFields sets the fields from the lines above the stacks.
func (r *Report) fromFields() {
	f := r.Fields
	r.App, r.Event, r.Duration = cmp.Or(f["Process"], f["Command"]), f["Event"], f["Duration"]
	r.PID, _ = strconv.Atoi(f["PID"])
	if m := process.FindStringSubmatch(r.App); m != nil {
		r.App = m[1]
		r.PID, _ = strconv.Atoi(m[2])
	}
	r.BundleID, r.Path, r.OS = f["Identifier"], f["Path"], f["OS Version"]
	r.Model, r.Arch = cmp.Or(f["Hardware Model"], f["Hardware model"]), cmp.Or(f["Code Type"], f["Architecture"])
	r.Version = f["Version"]
	if m := version.FindStringSubmatch(r.Version); m != nil {
		r.Version, r.Build = m[1], m[2]
	}
	r.Time, r.Incident, r.Termination = f["Date/Time"], f["Incident Identifier"], f["Termination Reason"]
	r.Exception = Exception{Type: f["Exception Type"], Codes: f["Exception Codes"], Subtype: f["Exception Subtype"], Note: f["Exception Note"]}
	if m := exception.FindStringSubmatch(r.Exception.Type); m != nil {
		r.Exception.Type, r.Exception.Signal = m[1], m[2]
		if strings.HasPrefix(m[1], "SIG") && m[2] == "" {
			r.Exception.Signal = m[1]
		}
	}
	for _, key := range []string{"Crashed Thread", "Triggered by Thread"} {
		word, _, _ := strings.Cut(strings.TrimSpace(f[key]), " ")
		if n, err := strconv.Atoi(strings.TrimSuffix(word, ",")); err == nil {
			r.Crashed = n
		}
	}
	for _, key := range []string{"Application Specific Information", "Dyld Error Message", "Application Specific Signatures"} {
		if s := strings.TrimSpace(r.Sections[key]); s != "" {
			r.Reasons = append(r.Reasons, strings.Split(s, "\n")...)
		}
	}
	if s := f["Reason"]; s != "" {
		r.Reasons = append(r.Reasons, s)
	}
	r.turnSampled()
}
