package crash

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// Reports of hangs and of excessive resource use are samples over a time: fields, the heaviest stack, and a tree of calls for each thread,
// outermost first.
var (
	sampledHead = lazyregexp.New(`(?m)^(?:Date/Time|End time|OS Version|Architecture|Report Version|Command|Path|Event|Duration|Steps` +
		`|Hardware model|Active cpus):\s`)
	sampledEvent = lazyregexp.New(`(?m)^(?:Event|Steps|Duration|Heaviest stack[^\n]*):`)
	sampledLine  = lazyregexp.New(`^(\s*)\*?(\d+)\s+(.*) \(([^()]+)\)(?:\s+\[(0x[0-9a-fA-F]+)\])?(?:\s.*)?$`)
	sampledPlace = lazyregexp.New(`^(?:(.+?)(?::(\d+)(?:,\d+)?)? in )?(.+?)(?: \+ (\d+))?$`)
	sampledStart = lazyregexp.New(`^\s+Thread (0x[0-9a-fA-F]+)\s+(.*)$`)
	plusOffset   = lazyregexp.New(`^(.*) \+ (\d+)$`)
)

const (
	heaviest   = "Heaviest stack"
	mainThread = "com.apple.main-thread"
)

// sampled reports whether the fields belong to a sampled report.
func (r *Report) sampled() bool {
	f := r.Fields
	return (f["Command"] != "" || f["Process"] != "") && (f["Event"] != "" || f["Duration"] != "" || len(r.Backtraces) > 0)
}

// sampledThread reads the head of a thread's tree.
func (t *textReader) sampledThread(s string) bool {
	m := sampledStart.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	r := t.report
	r.Threads = append(r.Threads, Thread{Index: len(r.Threads), Name: strings.TrimSpace(m[1] + " " + m[2])})
	t.thread, t.section, t.images, t.tree = &r.Threads[len(r.Threads)-1], "", false, &callPath{}
	return true
}

// callPath is the first path from the root of a tree of calls to a leaf. Branches are stored as text.
type callPath struct {
	indent int
	ended  bool
}

// takes reports whether a line of the tree continues the path.
func (p *callPath) takes(indent int) bool {
	if indent <= p.indent {
		p.ended = true
	}
	p.indent = indent
	return !p.ended
}

// sampledFrame reads a line of the heaviest stack or of a tree.
func (t *textReader) sampledFrame(s string) bool {
	m := sampledLine.FindStringSubmatch(s)
	inHeaviest := strings.HasPrefix(t.thread.Name, heaviest)
	if m == nil || !inHeaviest && t.tree == nil || !inHeaviest && !t.tree.takes(len(m[1])) {
		return false
	}
	f := Frame{Symbol: m[3], Address: m[5]}
	if p := plusOffset.FindStringSubmatch(f.Symbol); p != nil {
		f.Symbol = p[1]
		f.Offset, _ = strconv.ParseUint(p[2], 10, 64)
	}
	if p := sampledPlace.FindStringSubmatch(m[4]); p != nil {
		f.File, f.Image = p[1], strings.Trim(p[3], "<>")
		f.Line, _ = strconv.Atoi(p[2])
		if f.Symbol == "???" {
			f.Symbol = ""
			f.Offset, _ = strconv.ParseUint(p[4], 10, 64)
		}
	}
	t.thread.Frames = append(t.thread.Frames, f)
	return true
}

// turnSampled puts the frames of samples into the order of other reports, innermost first, and finds the thread that hung.
func (r *Report) turnSampled() {
	if !r.sampled() {
		return
	}
	names := map[string]string{}
	for _, i := range r.Images {
		names[i.UUID] = i.Name
	}
	for _, t := range slices.Concat(r.Threads, r.Backtraces) {
		for i, f := range t.Frames {
			t.Frames[i].Image = cmp.Or(names[f.Image], f.Image)
		}
	}
	for _, b := range r.Backtraces {
		if strings.HasPrefix(b.Name, heaviest) {
			slices.Reverse(b.Frames)
		}
	}
	for i := range r.Threads {
		t := &r.Threads[i]
		if !strings.HasPrefix(t.Name, "0x") {
			continue
		}
		slices.Reverse(t.Frames)
		if r.Crashed < 0 && strings.Contains(t.Name, mainThread) {
			r.Crashed = t.Index
		}
	}
}
