package buildlog

import (
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

var (
	undefinedLine = lazyregexp.New(`^(?:ld: )?Undefined symbols(?: for architecture \S+)?:$`)
	duplicateLine = lazyregexp.New(`^(?:ld: )?duplicate symbol '?(.+?)'? in:$`)
	symbolLine    = lazyregexp.New(`^\s+"?(.+?)"?, referenced from:$`)
	linkerEnd     = lazyregexp.New(`^ld: (?:symbol\(s\) not found|\d+ duplicate symbols?) for `)
)

// linker reads messages of ld without the word "error".
func (r *Reader) linker(s string) bool {
	if s[0] != 'l' && s[0] != 'U' && s[0] != 'd' {
		return false
	}
	switch {
	case undefinedLine.MatchString(s):
		r.open(Diagnostic{Severity: Error, Category: Link, Tool: "ld", Message: strings.TrimSuffix(strings.TrimPrefix(s, "ld: "), ":")}, nothing)
		r.block = r.undefined
	case duplicateLine.MatchString(s):
		name := duplicateLine.FindStringSubmatch(s)[1]
		r.open(Diagnostic{Severity: Error, Category: Link, Tool: "ld", Message: "duplicate symbol " + name,
			Symbols: []Symbol{{Name: name}}}, nothing)
		r.block = r.reference
	case linkerEnd.MatchString(s):
		r.closeCurrent()
		r.open(Diagnostic{Severity: Error, Category: Link, Tool: "ld", Message: s[len("ld: "):], Consequence: r.afterSymbols()}, details)
	case strings.HasPrefix(s, "ld: ") && len(s) > len("ld: "):
		r.open(Diagnostic{Severity: Error, Category: Link, Tool: "ld", Message: s[len("ld: "):]}, details)
	default:
		return false
	}
	if r.target != "" {
		r.current.Targets, r.current.Project = []string{r.target}, r.project
	}
	return true
}

// undefined reads the list of undefined symbols and their users.
func (r *Reader) undefined(s string) bool {
	d := r.current
	if m := symbolLine.FindStringSubmatch(s); m != nil {
		if len(d.Symbols) < maxList {
			d.Symbols = append(d.Symbols, Symbol{Name: m[1]})
		}
		return true
	}
	return len(d.Symbols) > 0 && r.reference(s)
}

func (r *Reader) reference(s string) bool {
	d := r.current
	if s == "" || s[0] != ' ' && s[0] != '\t' {
		return false
	}
	last := &d.Symbols[len(d.Symbols)-1]
	if len(last.References) < maxNotes {
		last.References = append(last.References, strings.TrimSpace(s))
	}
	return true
}

// afterSymbols reports whether the last item was a list of symbols: ld's count of them then adds nothing.
func (r *Reader) afterSymbols() bool {
	n := len(r.log.Diagnostics)
	return n > 0 && len(r.log.Diagnostics[n-1].Symbols) > 0
}
