package device

import (
	"context"
	"slices"

	"ios-agent/internal/fault"
)

// The steps to a physical device that can be driven, in their order.
const (
	StepCable     = "cable"
	StepTrust     = "trust"
	StepLock      = "lock"
	StepDeveloper = "developer mode"
	StepTunnel    = "tunnel"
	StepImage     = "disk image"
	StepTeam      = "team"
	StepSigning   = "signing"
	StepAgent     = "agent"
)

var stepOrder = []string{StepCable, StepTrust, StepLock, StepDeveloper, StepTunnel, StepImage, StepTeam, StepSigning, StepAgent}

// What came of a check.
const (
	CheckOK   = "ok"
	CheckOff  = "off"  // it is not set up, and nothing uses it
	CheckWarn = "warn" // it is missing, and comes by itself or is not always needed
	CheckFail = "fail"
)

// Check is one thing that must be in order before something works: a program of this machine, or a step to a physical device. Hint says
// what to do next.
type Check struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// FailedCheck is a check that a fault tells about.
func FailedCheck(name string, err error) Check {
	f := fault.From(err)
	return Check{Name: name, Status: CheckFail, Message: f.Message, Hint: f.Hint}
}

// Examiner is a part of a physical device that tells what is in order and what is missing. It may be called outside the lane.
type Examiner interface {
	Examine(ctx context.Context) []Check
}

// Examine asks all parts of a device for their steps, and puts them in their order. What one part knows for certain the next does
// not say again.
func Examine(ctx context.Context, d Device) []Check {
	var all []Check
	for _, e := range examiners(d) {
		for _, s := range e.Examine(ctx) {
			if i := slices.IndexFunc(all, func(o Check) bool { return o.Name == s.Name }); i < 0 {
				all = append(all, s)
			} else if all[i].Status == CheckOK {
				all[i] = s
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Check) int { return slices.Index(stepOrder, a.Name) - slices.Index(stepOrder, b.Name) })
	return all
}

func examiners(d Device) (all []Examiner) {
	if c, is := d.(*Composite); is {
		for _, p := range c.Parts() {
			all = append(all, examiners(p)...)
		}
		return all
	}
	if e, is := d.(Examiner); is {
		return []Examiner{e}
	}
	return nil
}
