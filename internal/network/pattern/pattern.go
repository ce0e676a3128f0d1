// Package pattern reads the filter expressions of mitmproxy. A Pattern selects flows; Parse makes one. The package must not wait for or
// open anything.
//
// It differs from mitmproxy in four points, so that a pattern means what it looks like. In quotes a backslash escapes only a quote and
// itself, so that "\d" is a digit and not a d. Regular expressions have the syntax of Go (RE2). Texts that mitmproxy reads as a piece of
// a URL by accident, such as an & at the end or a word with a bracket at its end, are errors. And a method followed by a path is a
// request, as lists of flows print it.
package pattern

import "ios-agent/internal/network/flow"

// Most is the maximum length of a pattern, in bytes.
const Most = 4096

// mostDepth is the maximum nesting of brackets and !.
const mostDepth = 64

// Pattern is a condition on flows. It is safe for concurrent use.
type Pattern struct {
	text string
	root node
}

// String is the parsed text; for a method and a path, the pattern that Plain made.
func (p *Pattern) String() string { return p.text }

// Match reports whether the pattern selects a flow, judged by its current state.
func (p *Pattern) Match(f *flow.Flow) bool { return p.root.match(f) }

// Phase is a point in a flow's progress at which a pattern is tested.
type Phase int

// The phases: before a request is forwarded, and before the app gets its answer.
const (
	AtRequest Phase = iota
	AtResponse
)

// Needs lists the parts of a flow, beyond the head of its request, that a pattern needs for its test.
type Needs struct {
	RequestBody  bool
	Response     bool // the head of the response
	ResponseBody bool
}

// Needs is what the pattern reads of any flow.
func (p *Pattern) Needs() Needs {
	_, parts := p.root.could(nil, AtResponse)
	_, before := p.root.could(nil, AtRequest)
	n := (parts | before).needs()
	n.Response = n.Response || !p.RequestTime()
	return n
}

// Could says, from the head of a flow's request alone, whether the pattern can match in a phase, and what else it must read to decide. A
// nil flow stands for any flow.
func (p *Pattern) Could(f *flow.Flow, phase Phase) (bool, Needs) {
	is, parts := p.root.could(f, phase)
	n := parts.needs()
	n.Response = n.Response || phase == AtResponse && is != no
	return is != no, n
}

// RequestTime reports whether the pattern can match before a request is forwarded.
func (p *Pattern) RequestTime() bool {
	is, _ := p.root.could(nil, AtRequest)
	return is != no
}

// ResponseTime reports whether the pattern can match after the server's answer.
func (p *Pattern) ResponseTime() bool {
	is, _ := p.root.could(nil, AtResponse)
	return is != no
}

// truth is a preliminary answer.
type truth int

const (
	unknown truth = iota
	yes
	no
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (t truth) not() truth {
	switch t {
	case yes:
		return no
	case no:
		return yes
	}
	return unknown
}

// parts are the pieces of a flow that an operator reads.
type parts uint8

const (
	requestHead parts = 1 << iota
	requestBody
	responseHead
	responseBody
)

func (p parts) needs() Needs {
	return Needs{
		RequestBody: p&requestBody != 0, Response: p&(responseHead|responseBody) != 0, ResponseBody: p&responseBody != 0,
	}
}

// node is a piece of a pattern. could decides from the request's head alone, or for any flow when the flow is nil; the parts are the
// pieces that may still change an unknown answer.
type node interface {
	match(f *flow.Flow) bool
	could(f *flow.Flow, phase Phase) (truth, parts)
}

type not struct{ of node }

func (n not) match(f *flow.Flow) bool { return !n.of.match(f) }

func (n not) could(f *flow.Flow, phase Phase) (truth, parts) {
	is, p := n.of.could(f, phase)
	return is.not(), p
}

// list is an "and" when the first no decides it, an "or" when the first yes does.
type list struct {
	of     []node
	decide truth
}

func (l list) match(f *flow.Flow) bool {
	for _, n := range l.of {
		if truthOf(n.match(f)) == l.decide {
			return l.decide == yes
		}
	}
	return l.decide != yes
}

func (l list) could(f *flow.Flow, phase Phase) (truth, parts) {
	all, open := l.decide.not(), parts(0)
	for _, n := range l.of {
		switch is, p := n.could(f, phase); is {
		case l.decide:
			return is, 0
		case unknown:
			all, open = unknown, open|p
		}
	}
	return all, open
}

// leaf is one operator. A match in any of its parts is enough, so a part that arrives later can only add a match.
type leaf struct {
	parts parts
	fixed func(Phase) truth // for operators that depend on the phase alone; nil for all others
	holds func(*flow.Flow) bool
}

func (l leaf) match(f *flow.Flow) bool { return l.holds(f) }

func (l leaf) could(f *flow.Flow, phase Phase) (truth, parts) {
	if l.fixed != nil {
		return l.fixed(phase), 0
	}
	if f != nil && l.holds(f) {
		return yes, 0
	}
	open := l.parts
	if f != nil {
		open &^= requestHead
	}
	if phase == AtRequest {
		open &^= responseHead | responseBody
	}
	if open == 0 {
		return no, 0
	}
	return unknown, open
}
