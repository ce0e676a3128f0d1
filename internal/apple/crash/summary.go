package crash

import (
	"cmp"
	"fmt"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/apple/pattern"
	"ios-agent/internal/op/brief"
)

const shownFrames = 12

// Text is the report in at most limit bytes: what crashed, of what, and where.
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
	e := r.Exception
	w.Line(brief.Join(", ", brief.Join(" ", "exception", e.Type, e.Signal), e.Subtype, e.Codes, e.Note))
	if r.Termination != "" {
		w.Line("termination " + r.Termination)
	}
	for _, s := range r.Reasons {
		w.Line("reason: " + s)
	}
	for _, b := range r.Backtraces {
		b.write(w, b.Name)
	}
	if t := r.CrashedThread(); t != nil {
		t.write(w, brief.Join(" ", fmt.Sprintf("thread %d crashed", t.Index), t.Name, t.Queue))
	}
	for _, m := range r.More {
		w.Line("also: " + brief.Join(" ", m.BugType, m.Exception.Type, m.Exception.Signal, m.Termination))
	}
	if r.Incident != "" {
		w.Line("incident " + r.Incident)
	}
	return w.String()
}

func (t Thread) write(w *brief.Writer, title string) {
	w.Line(title + ":")
	n := min(len(t.Frames), shownFrames)
	for i, f := range t.Frames[:n] {
		w.Linef("  %d %s", i, f)
	}
	if len(t.Frames) > n {
		w.Linef("  … %d more frames", len(t.Frames)-n)
	}
}

func (f Frame) String() string {
	at := ""
	if f.File != "" {
		at = fmt.Sprintf("(%s:%d)", f.File, f.Line)
	}
	where := fmt.Sprintf("%s + %d", cmp.Or(f.Symbol, f.Address), f.Offset)
	return brief.Join(" ", f.Image, where, at)
}

var (
	reportHead = pattern.New(`(?m)^(?:Incident Identifier|CrashReporter Key|Hardware Model|Process|Exception Type|Crashed Thread` +
		`|Triggered by Thread):\s`)
	threadAny = pattern.New(`(?m)^Thread \d+(?: Crashed)?:`)
)

// Sniff says how sure it is, of 100, that the text is a crash report.
func Sniff(b []byte) int {
	o := jsondoc.Look(b)
	switch {
	case o.Has("bug_type") && (o.Next || o.HasAny("incident_id", "os_version")):
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
	return 0
}
