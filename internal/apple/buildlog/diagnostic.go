package buildlog

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/text/lazyregexp"
)

var (
	xctestFailure  = lazyregexp.New(`^(-\[[^\]]+\]|[\p{L}_][\w.]*\.[\p{L}_]\w*(?:\(\))?) : (.*)$`)
	includedFrom   = "In file included from "
	multipleChoice = "xcodebuild: WARNING: Using the first of multiple matching destinations:"
	nsError        = lazyregexp.New(`^Error Domain=(\S+) Code=(-?\d+) "(.*?)"(?: UserInfo=|$)`)
	prettyMark     = lazyregexp.New(`^(❌|⚠️|⚠|\[x\]|\[!\])\s+(?:(?:error|warning): )?(.*)$`)
	runtimeTrap    = lazyregexp.New(`^(?:(.*?):(\d+): )?[Ff]atal error: (.*)$`)
)

// diagnostic reads the first line of a diagnostic.
func (r *Reader) diagnostic(s string) bool {
	if r.trap(s) {
		return true
	}
	if strings.HasPrefix(s, includedFrom) {
		r.closeCurrent()
		if len(r.include) < maxNotes {
			r.include = append(r.include, strings.TrimSuffix(strings.TrimPrefix(s, includedFrom), ":"))
		}
		return true
	}
	if strings.HasSuffix(s, multipleChoice) {
		r.open(Diagnostic{Severity: Note, Tool: "xcodebuild", Message: strings.TrimSuffix(multipleChoice, ":")[len("xcodebuild: WARNING: "):],
			Category: Destination}, nothing)
		r.block = r.current.places.Line
		return true
	}
	if m := nsErrorIn(s); m != nil {
		r.objectError(m[3], s)
		return true
	}
	if !strings.Contains(s, ": ") && !strings.HasSuffix(s, ":") && s[0] < utf8.RuneSelf && s[0] != '[' {
		return false // every form below has it
	}
	h, ok := parseHead(s)
	if !ok {
		h, ok = prettyHead(s)
	}
	if !ok {
		return false
	}
	r.begin(h)
	return true
}

// begin opens the diagnostic of a head.
func (r *Reader) begin(h head) {
	if h.severity == Note && h.File == "" {
		r.graph(h.message)
	}
	d := Diagnostic{Place: h.Place, Severity: h.severity, Tool: h.tool, Message: h.message, Project: h.project}
	switch {
	case h.target != "":
		d.Targets = []string{h.target}
	case r.target != "" && (h.File != "" || h.tool != "") && h.tool != "xcodebuild" && r.log.Progress.Stage != RunningTests:
		d.Targets, d.Project = []string{r.target}, r.project
	}
	if m := xctestFailure.FindStringSubmatch(h.message); m != nil && h.severity == Error {
		d.Test, d.Category = m[1], Testing
		d.Message = m[2]
		next := nothing
		if !balanced(d.Message) {
			next = quoted
		}
		r.open(d, next)
		return
	}
	d.Includes, r.include = r.include, nil
	next := source
	switch {
	case h.tool == "xcodebuild":
		next = report
	case h.File == "" || h.Line == 0:
		next = details
	}
	r.open(d, next)
}

// open makes a diagnostic the current one.
func (r *Reader) open(d Diagnostic, next expect) {
	r.closeCurrent()
	d.Count = 1
	r.current = &draft{Diagnostic: d, reading: next}
}

// closeCurrent stores the current diagnostic.
func (r *Reader) closeCurrent() {
	d := r.current
	if d == nil {
		return
	}
	r.current = nil
	d.Places = d.places.List
	if d.held != "" {
		held := d.held
		d.held = ""
		r.commit(d.Diagnostic)
		r.process(held)
		return
	}
	r.commit(d.Diagnostic)
}

// commit counts a repeated diagnostic, or stores a new one.
func (r *Reader) commit(d Diagnostic) {
	if d.Category == "" {
		d.Category = r.categorise(d)
	}
	d.Consequence = d.Consequence || consequence(d)
	if d.Severity.Bad() && d.Category != Testing {
		r.taskErrors++
	}
	if d.Test != "" {
		r.tests.fail(r, d)
	}
	key := r.keyOf(d)
	if at, ok := r.byKey[key]; ok {
		r.again(&r.log.Diagnostics[at], d)
		return
	}
	line := r.lineKey(d)
	if at, ok := r.byLine[line]; ok && d.Column > 0 {
		known := &r.log.Diagnostics[at]
		known.Place, known.Excerpt, known.Notes, known.FixIts = d.Place, d.Excerpt, d.Notes, d.FixIts
		delete(r.byLine, line)
		r.byKey[key] = at
		return
	}
	r.keep(d, key)
}

func (r *Reader) keep(d Diagnostic, key uint64) {
	kept, bad := len(r.log.Diagnostics), d.Severity == Error || d.Severity == Fatal
	if kept >= r.most.diagnostics && (!bad || kept >= 2*r.most.diagnostics) {
		if r.once("left", strconv.FormatUint(key, 16)) {
			r.count(d)
			r.log.LeftOff.Diagnostics++
		}
		return
	}
	r.count(d)
	r.byKey[key] = len(r.log.Diagnostics)
	r.onLine[r.lineKey(d)] = struct{}{}
	r.log.Diagnostics = append(r.log.Diagnostics, d)
}

func (r *Reader) count(d Diagnostic) {
	switch {
	case d.Category == Testing && d.Test != "" || d.Consequence:
	case d.Severity.Bad():
		r.log.Errors++
	case d.Severity == Warning:
		r.log.Warnings++
	}
}

// again records that a diagnostic was printed once more, perhaps for another target.
func (r *Reader) again(known *Diagnostic, d Diagnostic) {
	known.Count++
	for _, t := range d.Targets {
		if !slices.Contains(known.Targets, t) && len(known.Targets) < maxList {
			known.Targets = append(known.Targets, t)
		}
	}
	if len(known.Excerpt) == 0 {
		known.Excerpt = d.Excerpt
	}
	if len(known.Notes) == 0 {
		known.Notes = d.Notes
	}
	if len(known.FixIts) == 0 {
		known.FixIts = d.FixIts
	}
}

// aside adds a diagnostic known only from the margin of another's excerpt: its column is unknown.
func (r *Reader) aside(p Place, sev Severity, message string) {
	d := Diagnostic{Place: p, Severity: sev, Message: message, Count: 1, Category: Compile}
	line := r.lineKey(d)
	if _, ok := r.onLine[line]; ok {
		return
	}
	at := len(r.log.Diagnostics)
	r.keep(d, r.keyOf(d))
	if len(r.log.Diagnostics) > at {
		r.byLine[line] = at
	}
}

func (r *Reader) keyOf(d Diagnostic) uint64 {
	symbols := ""
	for _, s := range d.Symbols {
		symbols += s.Name + "\n"
	}
	return r.hash(string(d.Severity), d.File, strconv.Itoa(d.Line), strconv.Itoa(d.Column), d.Object, d.Tool, d.Message, d.Test,
		strings.Join(d.Details, "\n"), symbols)
}

func (r *Reader) lineKey(d Diagnostic) uint64 {
	return r.hash("line", string(d.Severity), d.File, strconv.Itoa(d.Line), d.Message)
}

// objectError attaches an NSError to the error that it explains, or makes it a separate error.
func (r *Reader) objectError(description, s string) {
	r.closeCurrent()
	if n := len(r.log.Diagnostics); n > 0 {
		last := &r.log.Diagnostics[n-1]
		if last.Severity.Bad() && strings.Contains(last.Message, description) && len(last.Details) < maxDetails {
			last.Details = append(last.Details, s)
			return
		}
	}
	r.open(Diagnostic{Severity: Error, Message: description, Details: []string{s}}, details)
}

// prettyHead reads a diagnostic in the form of xcpretty and xcbeautify.
func prettyHead(s string) (h head, ok bool) {
	if s[0] < utf8.RuneSelf && s[0] != '[' {
		return h, false
	}
	m := prettyMark.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return h, false
	}
	h.severity = Error
	if m[1] != "❌" && m[1] != "[x]" {
		h.severity = Warning
	}
	h.message, h.target, h.project = cutTarget(m[2])
	if place, message, found := strings.Cut(h.message, ": "); found {
		if p, ok := parsePlace(place); ok {
			h.Place, h.message = p, message
		}
	}
	return h, h.message != ""
}

// trap reads the last words of a Swift program that ends itself. While a test runs, they are the reason of its crash.
func (r *Reader) trap(s string) bool {
	if !strings.Contains(s, "atal error: ") || !r.tests.running() {
		return false
	}
	m := runtimeTrap.FindStringSubmatch(s)
	if m == nil || dated.MatchString(s) {
		return false
	}
	r.closeCurrent()
	f := Failure{Message: "Fatal error: " + m[3]}
	f.File = m[1]
	f.Line, _ = strconv.Atoi(m[2])
	r.tests.trap = &f
	return true
}

func nsErrorIn(s string) []string {
	if !strings.HasPrefix(s, "Error Domain=") {
		return nil
	}
	return nsError.FindStringSubmatch(s)
}
