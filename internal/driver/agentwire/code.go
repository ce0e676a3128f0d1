package agentwire

import "fmt"

// Code is the reason why an agent could not do a request. Codes travel on the wire and are never renumbered.
type Code uint16

// The codes of a Fault.
const (
	CodeNone          Code = iota // no code: the text error of version 1
	CodeNotFound                  // no such element
	CodeNotHittable               // a touch would not reach the element
	CodeUnstable                  // the element kept moving
	CodeStale                     // the request refers to something that no longer exists
	CodeUnsupported               // this agent does not support the request
	CodeAppNotRunning             // the target app has no screen
	CodeException                 // XCTest itself failed
	CodeBadRequest                // the request is invalid
	CodeUnauthorized              // no hello with the right token came yet
	CodeNoFocus                   // no element has the keyboard focus
	CodeNotInFront                // another app than the request's is in front
)

var codeNames = [...]string{
	CodeNone:          "none",
	CodeNotFound:      "not-found",
	CodeNotHittable:   "not-hittable",
	CodeUnstable:      "unstable",
	CodeStale:         "stale",
	CodeUnsupported:   "unsupported",
	CodeAppNotRunning: "app-not-running",
	CodeException:     "exception",
	CodeBadRequest:    "bad-request",
	CodeUnauthorized:  "unauthorized",
	CodeNoFocus:       "no-focus",
	CodeNotInFront:    "not-in-front",
}

// String is the code's name in the protocol document.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("code %d", uint16(c))
}
