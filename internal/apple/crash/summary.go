package crash

import (
	"cmp"
	"fmt"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/lazyregexp"
)

const shownFrames = 12

// Text is the report in at most limit bytes: the event, the process and the place; the app's own frames come first.
func (r *Report) Text(limit int) string {
	w := brief.New(limit)
	v := r.Version
	if r.Build != "" {
		v += " (" + r.Build + ")"
	}
	pid := ""
	if r.PID > 0 {
		pid = fmt.Sprintf("pid %d", r.PID)
	}
	w.Line(brief.Join(", ", brief.Join(" ", r.App, r.BundleID, v), pid, r.OS, r.Model, r.Time))
	if r.Kind != Crash {
		w.Line(brief.Join(", ", string(r.Kind)+": "+r.About(), r.Duration))
	}
	if e := r.Exception; e != (Exception{}) {
		w.Line(brief.Join(", ", brief.Join(" ", "exception", e.Type, e.Signal), e.Subtype, e.Codes, e.Note))
	}
	if r.Termination != "" {
		w.Line("termination " + r.Termination)
	}
	for _, s := range r.Reasons {
		w.Line("reason: " + s)
	}
	if r.Memory != nil {
		r.Memory.write(w)
	}
	r.writeOwn(w)
	for _, b := range r.Backtraces {
		b.write(w, b.Name)
	}
	if t := r.CrashedThread(); t != nil {
		t.write(w, brief.Join(" ", fmt.Sprintf("thread %d", t.Index), r.word(), t.Name, t.Queue))
	}
	for _, m := range r.More {
		w.Line("also: " + brief.Join(" ", m.BugType, m.Exception.Type, m.Exception.Signal, m.Termination))
	}
	if r.Incident != "" {
		w.Line("incident " + r.Incident)
	}
	return w.String()
}

// word is the verb for the thread of a report.
func (r *Report) word() string {
	if r.Kind == Hang {
		return "hung"
	}
	return "crashed"
}

// ownFrames is the maximum number of the app's frames before the stacks.
const ownFrames = 5

func (r *Report) writeOwn(w *brief.Writer) {
	top := r.Top(ownFrames)
	if len(top) == 0 || !top[0].Own {
		return
	}
	w.Line("in the app:")
	for _, f := range top {
		w.Linef("  %s", f)
	}
}

func (t Thread) write(w *brief.Writer, title string) {
	w.Line(title + ":")
	n := len(t.Frames)
	if n > shownFrames+1 { // a line about one omitted frame is as long as the frame
		n = shownFrames
	}
	for i, f := range t.Frames[:n] {
		w.Linef("  %d %s", i, f)
	}
	if len(t.Frames) > n {
		w.Linef("  … %d more frames", len(t.Frames)-n)
	}
}

func (f Frame) String() string {
	at := ""
	if f.Line > 0 {
		at = fmt.Sprintf("(%s:%d)", f.File, f.Line)
	} else if f.File != "" {
		at = "(" + f.File + ")"
	}
	where := fmt.Sprintf("%s + %d", cmp.Or(f.Symbol, f.Address), f.Offset)
	return brief.Join(" ", f.Image, where, at)
}

var (
	reportHead = lazyregexp.New(`(?m)^(?:Incident Identifier|CrashReporter Key|Hardware Model|Process|Exception Type|Crashed Thread` +
		`|Triggered by Thread):\s`)
	threadAny = lazyregexp.New(`(?m)^Thread \d+(?: Crashed)?:`)
)

// Sniff returns a percentage for the text being a crash report.
func Sniff(b []byte) int {
	o := jsondoc.Look(b)
	switch {
	case o.Has("bug_type") && (o.Next || o.HasAny("incident_id", "os_version", "app_name", "timestamp")):
		return 98
	case o.HasAny("crashDiagnostics", "hangDiagnostics", "cpuExceptionDiagnostics", "diskWriteExceptionDiagnostics"):
		return 95
	case o.Has("procName", "threads"), o.Has("exception", "usedImages"):
		return 90
	case o.Kind != 0 && len(o.Keys) > 0:
		return 0
	}
	head := b[:min(len(b), 1<<14)]
	if found := reportHead.FindAll(head, -1); len(found) >= 3 && (threadAny.Match(b) || len(found) >= 4) {
		return 95
	}
	if found := sampledHead.FindAll(head, -1); len(found) >= 5 && sampledEvent.Match(head) {
		return 90
	}
	return 0
}
