// Package xcodebuild plays xcodebuild. A Tool reads real project folders, checks their Swift files (package swiftcheck), reports the errors
// that comments in these files ask for, and writes products and result bundles. test-without-building of the agent's scheme serves the
// agent protocol, like the real test runner on the device. Tests of packages run with swift test; the results of other tests are comments
// in the sources, or the tests are skipped. The package must not execute programs itself.
package xcodebuild

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/swiftcheck"
	"ios-agent/internal/virtualxcode/tool"
)

// Scheme is the scheme and the variables that the production code uses for its agent. main passes them in, because this package must
// not know the production code.
type Scheme struct {
	Name           string // name of the agent's scheme
	Port, Token    string // names of the runner's variables
	Build          string // the variable with the build id
	PublicOnly     string // the variable that is 1 for an agent that uses only documented features
	VariablePrefix string // the prefix that xcodebuild removes from the runner's variables
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

// Devices are the possible destinations, other than the Mac.
type Devices interface {
	// Devices lists them. It is called once for each command that needs a destination.
	Devices(ctx context.Context) ([]Device, error)
}

// Device is a simulator or a connected device.
type Device struct {
	UDID, Name, Model string
	Platform          string // the platform in destinations: iOS Simulator, watchOS Simulator, iOS…
	OS, Build         string // such as 18.5 and 22F77
	Unavailable       string // the reason why it is unavailable; empty if available
	Locked            bool   // apps cannot be launched on it
}

// Tool is one call of xcodebuild.
type Tool struct {
	tool.Call
	Service service.Client
	Scheme  Scheme
	Swift   swiftcheck.Checker // checks the sources

	Faults  Faults                                     // nil: no faults
	Devices Devices                                    // nil: only the Mac
	Now     func() time.Time                           // nil uses the real clock
	Pause   func(context.Context, time.Duration) error // advances modelled time; nil does not wait
}

// Run plays one command line.
func (t Tool) Run(ctx context.Context) int {
	held, release := t.heldBack(ctx)
	t.Stdout = held
	defer release()
	if exit, unready := t.unready(ctx); unready {
		return exit
	}
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

// refusal is an error in the tool's words, with its exit status.
type refusal struct {
	exit   int
	text   string
	bundle bool // the tool prints that it writes a result bundle of the error
	plain  bool // the text has no prefix with the tool's name
}

func (r refusal) Error() string { return r.text }

func refuse(exit int, format string, a ...any) error {
	return refusal{exit: exit, text: fmt.Sprintf(format, a...), bundle: exit != exitUsage}
}
