// Package toolerror reads the refusals of Apple's tools: simctl, devicectl, xcodebuild, xcrun, xcode-select and tools with Swift's argument
// parser. Read returns a Report: errors with a domain, a code and a message, and perhaps underlying errors. It does not decide what a
// refusal means; package toolfault turns it into a fault.
package toolerror

import (
	"errors"
	"strings"

	"ios-agent/internal/apple/destinations"
	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/brief"
)

// Error is one error. Domain and Code are set if the tool prints them.
type Error struct {
	Tool       string            `json:"tool,omitempty"`
	Domain     string            `json:"domain,omitempty"`
	Code       int               `json:"code,omitempty"`
	Message    string            `json:"message,omitempty"`
	Details    []string          `json:"details,omitempty"` // further lines of the message
	Reason     string            `json:"reason,omitempty"`
	Suggestion string            `json:"suggestion,omitempty"`
	Info       map[string]string `json:"info,omitempty"` // other values of the error
	Underlying *Error            `json:"underlying,omitempty"`
}

// Report is the whole output: the first error, further errors, and the lines around them.
type Report struct {
	Error
	Others       []*Error          `json:"others,omitempty"`
	Exit         int               `json:"exit,omitempty"`    // when told
	Meaning      string            `json:"meaning,omitempty"` // of Exit
	Usage        []string          `json:"usage,omitempty"`
	Destinations destinations.List `json:"destinations,omitzero"`
	Bundles      []string          `json:"resultBundles,omitempty"`
	Noise        []string          `json:"noise,omitempty"` // the first of the other lines
	NoiseLeftOff int               `json:"noiseLeftOff,omitempty"`
}

const (
	maxNoise  = 60
	maxErrors = 500
	maxLines  = 500
)

// Read reads the text of an error. Any non-blank text is an error: without a known form its lines are the message.
func Read(data []byte) (*Report, error) {
	p := parser{report: &Report{}}
	for _, l := range lines.All(data) {
		p.line(strings.TrimRight(l, " \t"))
	}
	p.end()
	if p.report.Message == "" && p.report.Domain == "" && len(p.report.Usage) == 0 {
		return nil, errors.New("the output is empty")
	}
	return p.report, nil
}

// Of reads the stderr of a tool whose name and exit status are known.
func Of(tool string, exit int, stderr []byte) *Report {
	r, err := Read(stderr)
	if err != nil {
		r = &Report{}
	}
	if r.Tool == "" {
		r.Tool = tool
	}
	r.Exit, r.Meaning = exit, Meaning(r.Tool, exit)
	return r
}

// meanings of exit statuses, which most of the tools take from sysexits.h.
var meanings = map[int]string{
	64: "wrong usage", 65: "the build or the tests failed", 66: "an input does not exist",
	69: "a service is unavailable, or the licence is not accepted",
	70: "the tool could not do it; often no destination matched", 72: "the program was not found", 74: "input or output failed",
	77: "not permitted",
}

// Meaning explains an exit status; empty when it has no meaning by itself.
func Meaning(tool string, exit int) string {
	if tool == "simctl" || tool == "devicectl" {
		return "" // simctl and devicectl exit with the error's own code
	}
	return meanings[exit]
}

// Chain lists the error and its underlying errors.
func (e *Error) Chain() []*Error {
	var all []*Error
	for ; e != nil && len(all) < maxErrors; e = e.Underlying {
		all = append(all, e)
	}
	return all
}

// Text is the report in at most limit bytes.
func (r *Report) Text(limit int) string {
	w := brief.New(limit)
	for depth, e := range r.Chain() {
		e.write(w, strings.Repeat("  ", min(depth, 6)))
	}
	if r.Exit != 0 {
		w.Linef("exit %d %s", r.Exit, r.Meaning)
	}
	for _, d := range r.Destinations.Requested {
		w.Line("requested: " + d.String())
	}
	a, n := r.Destinations.Available, r.Destinations.Ineligible
	w.List("available destinations", len(a), func(i int) []string { return []string{"available: " + a[i].String()} })
	w.List("ineligible destinations", len(n), func(i int) []string { return []string{"ineligible: " + n[i].String()} })
	w.List("errors", len(r.Others), func(i int) []string { return []string{"also: " + r.Others[i].head()} })
	for _, u := range r.Usage {
		w.Line(u)
	}
	for _, b := range r.Bundles {
		w.Line("result bundle: " + b)
	}
	return w.String()
}

func (e *Error) head() string {
	s := brief.Join(": ", e.Tool, e.Message)
	if e.Domain != "" {
		s += " (" + e.Domain + " " + itoa(e.Code) + ")"
	}
	return s
}

func (e *Error) write(w *brief.Writer, indent string) {
	w.Line(indent + e.head())
	for _, d := range e.Details {
		w.Line(indent + "  " + d)
	}
	for _, s := range []string{e.Reason, e.Suggestion} {
		if s != "" {
			w.Line(indent + "  " + s)
		}
	}
}
