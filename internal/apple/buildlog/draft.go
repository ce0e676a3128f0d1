package buildlog

import (
	"strconv"
	"strings"

	"ios-agent/internal/apple/destinations"
	"ios-agent/internal/text/lazyregexp"
)

// draft is a diagnostic that is still being read: its excerpt, its notes or further lines of its message may follow.
type draft struct {
	Diagnostic
	places destinations.Reader
	note   *Remark // the note the excerpt belongs to now; nil: the diagnostic itself

	reading expect
	held    string // a line that is source code only if marks follow it
	line    int    // of the source, in an excerpt with a margin
	blank   bool   // a blank line was read
}

// expect is the kind of line that may come next.
type expect int

const (
	nothing expect = iota
	source         // the source line, or an excerpt with a margin
	marks          // ^~~~ under the held line
	fixIt          // the compiler's proposed text, under the marks
	margin         // more of an excerpt with line numbers
	details        // indented lines of the message; blank lines end it
	report         // indented lines and blank lines: xcodebuild's own errors
	quoted         // any line, until the quotes of a failed comparison are closed
)

var (
	marginLine = lazyregexp.New(`^\s*(\d+)? ?\|(.*)$`)
	inMargin   = lazyregexp.New("^[ |]*[|`]- (error|warning|note|remark): (.*)$")
	caretLine  = lazyregexp.New(`^[\s~^\-<>|]*[\^~][\s~^\-<>|]*$`)
	reference  = lazyregexp.New(`^\[#\w+\]: `)
)

// takes reports whether a line belongs to the draft.
func (d *draft) takes(r *Reader, s string) bool {
	empty := strings.TrimSpace(s) == ""
	switch d.reading {
	case source:
		if d.margin(r, s) {
			return true
		}
		if _, head := parseHead(s); head || empty || d.column() == 0 {
			d.reading = nothing
			break
		}
		d.held, d.reading = s, marks
		return true
	case marks:
		d.marks(r, s)
		return true
	case fixIt:
		d.reading = nothing
		if !empty && (s[0] == ' ' || s[0] == '\t') && !r.quick(s) {
			d.excerpt(s)
			d.fix(strings.TrimSpace(s))
			return true
		}
	case margin:
		if d.margin(r, s) {
			return true
		}
		d.reading = nothing
	case details, report:
		if d.detail(s, empty) {
			return true
		}
		d.reading = nothing
	case quoted:
		if len(d.Details) < maxExcerpt && !isTestLine(s) {
			d.Details = append(d.Details, s)
			if balanced(d.Message + strings.Join(d.Details, "\n")) {
				d.reading = nothing
			}
			return true
		}
		d.reading = nothing
	}
	if empty {
		d.blank = true
		return true
	}
	if s[0] == '[' && reference.MatchString(s) {
		d.details(s)
		return true
	}
	return d.takesNote(r, s)
}

// marks reads the line below the held one. Only marks in this line prove that the held line is source code.
func (d *draft) marks(r *Reader, s string) {
	held := d.held
	d.held = ""
	if strings.ContainsAny(s, "^~") && caretLine.MatchString(s) {
		d.excerpt(held)
		d.excerpt(s)
		d.reading = fixIt
		return
	}
	d.reading = nothing
	r.process(held)
	r.process(s)
}

// takesNote reads a note after its diagnostic. After a blank line, only a note with a place belongs to it: xcodebuild prints remarks of its
// own.
func (d *draft) takesNote(r *Reader, s string) bool {
	h, ok := parseHead(s)
	if !ok || h.severity != Note || d.Test != "" || h.File == "" && (d.blank || d.Line == 0) {
		return false
	}
	if len(d.Notes) >= maxNotes {
		d.reading, d.note = source, new(Remark) // it is dropped
		d.note.Place = h.Place
		return true
	}
	d.Notes = append(d.Notes, Remark{Place: h.Place, Message: h.message})
	d.note, d.reading, d.blank = &d.Notes[len(d.Notes)-1], source, false
	return true
}

func (d *draft) column() int {
	if d.note != nil {
		return d.note.Column
	}
	return d.Column
}

func (d *draft) excerpt(s string) {
	to := &d.Excerpt
	if d.note != nil {
		to = &d.note.Excerpt
	}
	if len(*to) < maxExcerpt {
		*to = append(*to, s)
	}
}

func (d *draft) fix(s string) {
	to := &d.FixIts
	if d.note != nil {
		to = &d.note.FixIts
	}
	if len(*to) < maxNotes {
		*to = append(*to, s)
	}
}

func (d *draft) details(s string) {
	if len(d.Details) < maxDetails {
		d.Details = append(d.Details, s)
	}
}

// detail takes a further line of a message without a place.
func (d *draft) detail(s string, empty bool) bool {
	if empty {
		return d.reading == report
	}
	if s[0] != ' ' && s[0] != '\t' {
		return false
	}
	if !d.places.Line(s) {
		d.details(strings.TrimSpace(s))
	}
	return true
}

// margin reads a line of an excerpt with line numbers: clang's since Xcode 15, Swift's since 6.0. Swift writes nearby diagnostics into it
// too.
func (d *draft) margin(r *Reader, s string) bool {
	if strings.IndexByte(s, '|') < 0 {
		return false
	}
	m := marginLine.FindStringSubmatch(s)
	if m == nil || m[1] == "" && d.reading == source && d.line == 0 && !strings.HasPrefix(s, " ") {
		return false
	}
	file, main := d.File, d.Message
	if d.note != nil {
		file, main = d.note.File, d.note.Message
	}
	d.reading = margin
	d.excerpt(s)
	if m[1] != "" {
		d.line, _ = strconv.Atoi(m[1])
		return true
	}
	in := inMargin.FindStringSubmatch(m[2])
	if in == nil {
		if fix := strings.TrimSpace(m[2]); fix != "" && !caretLine.MatchString(m[2]) {
			d.fix(fix) // clang writes its fix-it under the marks
		}
		return true
	}
	if in[2] == main {
		return true
	}
	place := Place{File: file, Line: d.line}
	if in[1] == "error" || in[1] == "warning" {
		r.aside(place, Severity(in[1]), in[2])
		return true
	}
	d.marginNote(place, in[2])
	return true
}

// marginNote adds a note from the margin, once.
func (d *draft) marginNote(p Place, message string) {
	for _, n := range d.Notes {
		if n.Message == message && n.Line == p.Line && n.File == p.File {
			return
		}
	}
	if len(d.Notes) < maxNotes {
		at := -1
		if d.note != nil {
			at = len(d.Notes) - 1
		}
		d.Notes = append(d.Notes, Remark{Place: p, Message: message})
		if at >= 0 && at < len(d.Notes) {
			d.note = &d.Notes[at] // the slice may have moved
		}
	}
}

// balanced reports whether the quoted values of a failed comparison are complete.
func balanced(s string) bool { return strings.Count(s, `("`) <= strings.Count(s, `")`) }
