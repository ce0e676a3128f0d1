// Package pattern is mitmproxy's filter expressions, read by ours: which flows are meant. Nothing here waits or opens anything.
//
// Four things differ from mitmproxy, all so that a pattern means what it looks like. In quotes a backslash takes the special meaning
// only of a quote and of itself, so that "\d" is a digit and not a d. Regular expressions are those of Go (RE2). And what mitmproxy
// takes for a piece of a URL, such as an & with nothing after it or a word with a bracket at its end, is refused. A method and a path are
// a request, as our lists print it.
package pattern

import "ios-agent/internal/network/flow"

// Most is how long the text of a pattern may be, in bytes.
const Most = 4096

// mostDepth is how deep brackets and ! may nest.
const mostDepth = 64

// Pattern is a condition on flows. It is safe for concurrent use.
type Pattern struct {
	text string
	root node
}

// String is the text that was parsed; of a method and a path, how it was read.
func (p *Pattern) String() string { return p.text }

// Match says whether a flow is meant, by what is known of it now.
func (p *Pattern) Match(f *flow.Flow) bool { return p.root.match(f) }

// Phase is when a pattern is asked while a flow passes.
type Phase int

// The phases: before a request is sent on, and before its answer is given to the app.
const (
	AtRequest Phase = iota
	AtResponse
)

// Needs is what must be there of a flow beyond the head of its request before a pattern can be asked.
type Needs struct {
	RequestBody  bool
	Response     bool // the head of the response
	ResponseBody bool
}

// Needs is what the pattern looks at, of any flow.
func (p *Pattern) Needs() Needs {
	_, parts := p.root.could(nil, AtResponse)
	_, before := p.root.could(nil, AtRequest)
	n := (parts | before).needs()
	n.Response = n.Response || !p.RequestTime()
	return n
}

// Could says, when only the head of a flow's request is known, whether the pattern can hold in a phase, and what it must see to tell.
// Without a flow it answers for all flows.
func (p *Pattern) Could(f *flow.Flow, phase Phase) (bool, Needs) {
	is, parts := p.root.could(f, phase)
	n := parts.needs()
	n.Response = n.Response || phase == AtResponse && is != no
	return is != no, n
}

// RequestTime says whether the pattern can hold before a request is sent on.
func (p *Pattern) RequestTime() bool {
	is, _ := p.root.could(nil, AtRequest)
	return is != no
}

// ResponseTime says whether the pattern can hold when the server answered.
func (p *Pattern) ResponseTime() bool {
	is, _ := p.root.could(nil, AtResponse)
	return is != no
}

// truth is an answer given before everything is known.
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

// parts are pieces of a flow that an operator looks at.
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

// node is a piece of a pattern. could answers with the request's head alone, or with nothing when the flow is nil; the parts are those
// that may still change an unknown answer.
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

// list is an "and" when it is decided by the first no, an "or" when by the first yes.
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

// leaf is one operator. What it finds in one of its parts is enough, so that a part that is not there yet can only add.
type leaf struct {
	parts parts
	fixed func(Phase) truth // for what follows from the phase alone; nil for all others
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
