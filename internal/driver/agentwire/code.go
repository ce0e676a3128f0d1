package agentwire

import "fmt"

// Code is why an agent could not do what it was asked. Codes travel on the wire and are never renumbered.
type Code uint16

// The codes of a Fault.
const (
	CodeNone          Code = iota // no code: the text error of version 1
	CodeNotFound                  // no such element
	CodeNotHittable               // the element is there, but a touch would not reach it
	CodeUnstable                  // the element kept moving
	CodeStale                     // what the request refers to is gone
	CodeUnsupported               // this agent cannot do that
	CodeAppNotRunning             // the target app has no screen
	CodeException                 // XCTest itself failed
	CodeBadRequest                // the request makes no sense
	CodeUnauthorized              // no hello with the right token yet
	CodeNoFocus                   // nothing has the keyboard
	CodeNotInFront                // another app is in front than the request is for
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
