// Package xcodebuild plays xcodebuild: it reads real project folders, reports the errors that comments in the Swift files
// ask for, and writes products and result bundles. test-without-building of our agent's scheme serves the agent protocol,
// as the real test runner does on the device. It executes nothing.
package xcodebuild

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/tool"
)

// Scheme is the scheme and the variables that the production code uses for its agent. main tells them, because this
// package must not know who executes it.
type Scheme struct {
	Name           string // of the agent's scheme
	Port, Token    string // names of the variables the runner reads
	Build          string // and of the one that says what it was built of
	PublicOnly     string // and of the one that is 1 for an agent that uses only what Apple documents
	VariablePrefix string // what xcodebuild strips from a variable before the runner sees it
}

// Exit codes of xcodebuild.
const (
	exitUsage       = 64
	exitFailed      = 65
	exitNoProject   = 66
	exitNotReady    = 69
	exitDestination = 70
	exitDamaged     = 74
	exitInterrupted = 75
	exitSeveral     = 78
)

// Devices are where things can be built for and run, besides the Mac itself.
type Devices interface {
	// Devices lists them. It is called once for each command that needs a destination.
	Devices(ctx context.Context) ([]Device, error)
}

// Device is a simulator or a connected device.
type Device struct {
	UDID, Name, Model string
	Platform          string // as destinations call it: iOS Simulator, watchOS Simulator, iOS…
	OS, Build         string // such as 18.5 and 22F77
	Unavailable       string // why it cannot be used; empty if it can
	Locked            bool   // no app can be launched on it
}

// Tool is one call of xcodebuild.
type Tool struct {
	tool.Call
	Service service.Client
	Scheme  Scheme

	Faults  Faults                                     // nil: nothing goes wrong
	Devices Devices                                    // nil: there is only the Mac
	Now     func() time.Time                           // nil is the real clock
	Pause   func(context.Context, time.Duration) error // lets modelled time pass; nil does not wait
}

// Run plays one command line.
func (t Tool) Run(ctx context.Context) int {
	o, err := parseOptions(t.Args)
	if err == nil && t.agents(o) {
		return t.agent(ctx, o)
	}
	if err == nil && webDriverAgents(o) {
		return t.webDriverAgent(ctx, o)
	}
	if t.Now == nil {
		t.Now = time.Now
	}
	s := &session{Tool: t, options: o}
	s.clock = s.Now()
	s.started = s.clock
	if err == nil {
		err = s.play(ctx)
	}
	return s.report(err)
}

// refusal is an error in the words of the tool, with what it exits with.
type refusal struct {
	exit   int
	text   string
	bundle bool // whether the tool says that it writes a result bundle of the error
	plain  bool // whether the text stands alone, without the tool's name
}

func (r refusal) Error() string { return r.text }

func refuse(exit int, format string, a ...any) error {
	return refusal{exit: exit, text: fmt.Sprintf(format, a...), bundle: exit != exitUsage}
}
