package virtualxcode

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ios-agent/internal/machine/resident"
	"ios-agent/internal/text/lazyregexp"
	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/world"
)

// Types of the service's status, of agents and of faults.
type (
	Client  = service.Client // reads the status and arms faults
	Status  = service.Status // the service, its devices and armed faults
	Asked   = service.Asked  // counts of requests to agents
	Fault   = flaw.Fault     // one armed fault
	Element = world.Element  // the kinds of scenes
	Chaos   = flaw.Chaos     // the settings of chaos

	Agent     = service.Agent     // an agent that this process started with Client.Agent
	AgentSpec = service.AgentSpec // selects an agent

	FaultKind = flaw.Kind // a fault that can be armed
)

// Forever as the Times of a Fault keeps it armed until it is cleared.
const Forever = flaw.Forever

// DefaultChaosRate is the share of occasions on which chaos makes a fault happen.
const DefaultChaosRate = flaw.DefaultChaosRate

// Costs are the costs of an input and a look for their caller on a virtual device.
func Costs() string { return world.Costs() }

// RealMac is the profile with the difficulties of a real Mac.
const RealMac = flaw.RealMac

// Profiles are the names of all profiles.
func Profiles() []string { return flaw.Profiles() }

// KnownFaults are all faults that can be armed.
func KnownFaults() []FaultKind { return flaw.Known() }

// Status reports the status of this installation's service without starting it. running is false if the service does not run.
func (x Xcode) Status(ctx context.Context) (st Status, running bool, err error) {
	c := x.Client()
	if x.server == nil {
		c.Dial = dial(resident.Dialer{Place: x.Place()})
	}
	st, err = c.Status(ctx)
	if errors.Is(err, resident.ErrNotRunning) {
		return Status{}, false, nil
	}
	return st, err == nil, err
}

// Stop ends the service of this installation and waits for its end. was reports whether a service ran.
func (x Xcode) Stop(ctx context.Context) (was bool, err error) {
	_, was, err = resident.Status(x.Place())
	if err == nil && was {
		err = resident.Stop(ctx, x.Place())
	}
	return was, err
}

// WriteApps writes the built-in apps, such as Shop.app, into a folder.
func WriteApps(dir string) error { return apps.Write(dir) }

// Problems are all errors in a ui.yaml.
type Problems = app.Problems

// Inside lists the routes that the app of a folder answers itself, such as POST /orders, and the environment variables that it reads at
// launch: one of them may name a server instead. An unreadable app has no routes.
func Inside(folder string) (answers, variables []string) {
	b, err := app.Open(folder)
	if err != nil {
		return nil, nil
	}
	for _, r := range b.App.Server {
		answers = append(answers, r.Method+" "+r.Path)
	}
	for _, found := range variable.FindAllStringSubmatch(string(b.UI), -1) {
		variables = append(variables, found[1])
	}
	slices.Sort(variables)
	return answers, slices.Compact(variables)
}

// variable matches an environment variable in an app's text.
var variable = lazyregexp.New(`\benv\.([A-Za-z_]\w*)`)

// CheckApp reads the text of a ui.yaml. Its error is of type Problems.
func CheckApp(source []byte) error {
	_, err := app.Parse(source)
	return err
}

// Samples are the names of the sample projects.
func Samples() []string {
	var names []string
	for _, s := range project.Samples() {
		names = append(names, string(s))
	}
	return names
}

// WriteSample writes a sample Xcode project into a folder.
func WriteSample(dir, name string) error {
	if !slices.Contains(Samples(), name) {
		return fmt.Errorf("unknown sample %q", name)
	}
	return project.Write(dir, project.Sample(name))
}
