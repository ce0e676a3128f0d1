package device

import (
	"context"
	"slices"

	"ios-agent/internal/fault"
)

// The setup steps of a physical device, in their order.
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

// The results of a check.
const (
	CheckOK   = "ok"
	CheckOff  = "off"  // not set up and not in use
	CheckWarn = "warn" // missing, but not always needed or set up automatically
	CheckFail = "fail"
)

// Check is one prerequisite: a program of this machine, or a setup step of a physical device. Hint is the next action.
type Check struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// FailedCheck is the failed check of a fault.
func FailedCheck(name string, err error) Check {
	f := fault.From(err)
	return Check{Name: name, Status: CheckFail, Message: f.Message, Hint: f.Hint}
}

// Examiner is a part of a physical device that reports which setup steps are done and which are missing. It may be called outside the
// lane.
type Examiner interface {
	Examine(ctx context.Context) []Check
}

// Examine asks all parts of a device for their setup steps and sorts them. The first part with a failed step decides on it.
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
