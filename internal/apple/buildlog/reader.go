package buildlog

import (
	"hash/maphash"
	"strings"

	"ios-agent/internal/apple/lines"
)

// Limits of the stored data. A log of any length needs at most some tens of megabytes.
const (
	maxList    = 1000 // of every list that has no bound of its own
	maxExcerpt = 40
	maxNotes   = 40
	maxDetails = 400 // lines of one message
	maxTail    = 30  // last lines of a command
)

// bounds are the limits of the larger items.
type bounds struct {
	diagnostics int
	tests       int
	seen        int // hashes of what was seen before
}

// Reader reads a log as it comes. The zero value is ready; it is not safe for concurrent use.
type Reader struct {
	// Watch, if set, gets each test that ends while the log is still being written.
	Watch func(Test)

	split lines.Splitter
	log   Log
	ended bool
	most  bounds // set by start, unless a test has set it

	current *draft              // the diagnostic whose excerpt and notes may still follow
	block   func(string) bool   // a list being read: reports whether a line belongs to it
	flush   func()              // ends the block
	include []string            // "In file included from" before the next diagnostic
	byKey   map[uint64]int      // diagnostics by all they say
	byLine  map[uint64]int      // those known only by line, from the margin of another's excerpt
	onLine  map[uint64]struct{} // the places of all that are kept
	seen    map[uint64]struct{} // counted diagnostics and files that are dropped
	seed    maphash.Seed

	task       string // of the step whose output is being read
	target     string
	project    string
	taskErrors int
	tail       []string

	tests tests
}

// Write takes any part of the log.
func (r *Reader) Write(p []byte) (int, error) {
	r.start()
	return r.split.Write(p)
}

// Line takes one line without its end. A caller uses either Line or Write.
func (r *Reader) Line(s string) {
	r.start()
	r.line(lines.Clean([]byte(s)))
}

// End says that the log is complete and returns what it holds.
func (r *Reader) End() *Log {
	r.start()
	if !r.ended {
		r.split.End()
		r.endBlock()
		r.closeCurrent()
		r.ended = true
		r.settle()
	}
	return &r.log
}

// Progress is how far the run is.
func (r *Reader) Progress() Progress { return r.log.Progress }

func (r *Reader) start() {
	if r.split.Line != nil {
		return
	}
	r.split.Line = r.line
	if r.most == (bounds{}) {
		r.most = bounds{diagnostics: 3000, tests: 50_000, seen: 200_000}
	}
	r.byKey, r.byLine, r.seen = map[uint64]int{}, map[uint64]int{}, map[uint64]struct{}{}
	r.onLine = map[uint64]struct{}{}
	r.seed = maphash.MakeSeed()
	r.tests.init()
}

// line processes one clean line.
func (r *Reader) line(s string) {
	r.log.Lines++
	s = unwrap(s)
	r.process(strings.TrimRight(s, " \t"))
}

// process reads one line. Its meaning depends first on the open diagnostic or list, then on its form.
func (r *Reader) process(s string) {
	if r.block != nil {
		if r.block(s) {
			return
		}
		r.endBlock()
	}
	if r.current != nil && r.current.takes(r, s) {
		return
	}
	if strings.TrimSpace(s) == "" {
		return
	}
	if r.quick(s) {
		r.closeCurrent()
		return
	}
	if r.understands(s) {
		return
	}
	r.closeCurrent()
	r.keepTail(s)
}

// understands tries the forms of a line in this order. Each closes the open diagnostic itself, unless the line belongs
// to it.
func (r *Reader) understands(s string) bool {
	return r.banner(s) || r.xctest(s) || r.swiftTesting(s) || r.diagnostic(s) || r.linker(s) || r.command(s) || r.opening(s) ||
		r.prettyTest(s) || r.step(s)
}

// quick recognizes most lines of every log: the indented echo of command lines, which says nothing by itself.
func (r *Reader) quick(s string) bool {
	if len(s) < 6 || s[0] != ' ' || s[3] != ' ' || s[4] == ' ' {
		return false
	}
	switch s[4] {
	case '/', 'c', 'b', 'e', 's', 'w', '@', '-':
	default:
		return false
	}
	for _, echo := range echoes {
		if strings.HasPrefix(s[4:], echo) {
			return true
		}
	}
	return false
}

var echoes = []string{"/Applications/", "/usr/", "/bin/", "cd ", "builtin-", "export ", "setenv ", "write-file ", "@/", "-"}

func (r *Reader) endBlock() {
	flush := r.flush
	r.block, r.flush = nil, nil
	if flush != nil {
		flush()
	}
}

// hash is the key of some texts.
func (r *Reader) hash(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, p := range parts {
		_, _ = h.WriteString(p)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// once reports whether an item is new. It is false for all when too many are remembered.
func (r *Reader) once(parts ...string) bool {
	k := r.hash(parts...)
	if _, ok := r.seen[k]; ok || len(r.seen) >= r.most.seen {
		return false
	}
	r.seen[k] = struct{}{}
	return true
}

// add appends to a list that has a bound.
func (r *Reader) add(list *[]string, s string) {
	if len(*list) >= maxList {
		r.log.LeftOff.Other++
		return
	}
	*list = append(*list, s)
}

// keepTail remembers the last lines of a command, in case it fails without saying why.
func (r *Reader) keepTail(s string) {
	if len(r.tail) == maxTail {
		copy(r.tail, r.tail[1:])
		r.tail = r.tail[:maxTail-1]
	}
	if len(s) > 2000 {
		s = strings.ToValidUTF8(s[:2000], "") + "…"
	}
	r.tail = append(r.tail, s)
}
