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

// The states of a step.
const (
	StepOK   = "ok"
	StepWarn = "warn" // it is missing, and comes by itself or is not always needed
	StepFail = "fail"
)

// Step is one of the things that must be in order before a physical device can be driven. Hint says what to do next.
type Step struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// FailedStep is a step that a fault tells about.
func FailedStep(name string, err error) Step {
	f := fault.From(err)
	return Step{Name: name, Status: StepFail, Message: f.Message, Hint: f.Hint}
}

// Examiner is a part of a physical device that tells what is in order and what is missing. It may be called outside the lane.
type Examiner interface {
	Examine(ctx context.Context) []Step
}

// Examine asks all parts of a device for their steps, and puts them in their order. What one part knows for certain the next does
// not say again.
func Examine(ctx context.Context, d Device) []Step {
	var all []Step
	for _, e := range examiners(d) {
		for _, s := range e.Examine(ctx) {
			if i := slices.IndexFunc(all, func(o Step) bool { return o.Name == s.Name }); i < 0 {
				all = append(all, s)
			} else if all[i].Status == StepOK {
				all[i] = s
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Step) int { return slices.Index(stepOrder, a.Name) - slices.Index(stepOrder, b.Name) })
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
