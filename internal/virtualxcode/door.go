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

// What the service says of itself and is told.
type (
	Client  = service.Client // asks it and tells it what is to go wrong
	Status  = service.Status // the service, its devices and what is to go wrong
	Asked   = service.Asked  // how much the agents were asked
	Fault   = flaw.Fault     // something to go wrong on demand
	Element = world.Element  // what a scene is made of
	Chaos   = flaw.Chaos     // what makes faults happen by themselves

	Agent     = service.Agent     // an agent that this process started with Client.Agent
	AgentSpec = service.AgentSpec // which agent that is

	FaultKind = flaw.Kind // a fault that can be armed
)

// Forever as the Times of a Fault lets it happen until it is cleared.
const Forever = flaw.Forever

// DefaultChaosRate is the share of occasions on which chaos lets a fault happen.
const DefaultChaosRate = flaw.DefaultChaosRate

// Costs says what an input and a look cost their caller on a virtual device.
func Costs() string { return world.Costs() }

// RealMac is the profile in which the virtual world is as unkind as a real Mac.
const RealMac = flaw.RealMac

// Profiles are the names of all profiles.
func Profiles() []string { return flaw.Profiles() }

// KnownFaults are all faults that can be armed.
func KnownFaults() []FaultKind { return flaw.Known() }

// Status is how the service of this installation is. It is not started; running is false when there is none.
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

// Stop ends the service of this installation and waits until it is gone. was reports whether there was one.
func (x Xcode) Stop(ctx context.Context) (was bool, err error) {
	_, was, err = resident.Status(x.Place())
	if err == nil && was {
		err = resident.Stop(ctx, x.Place())
	}
	return was, err
}

// WriteApps writes the built-in apps, such as Shop.app, into a folder.
func WriteApps(dir string) error { return apps.Write(dir) }

// Problems are all that is wrong with a ui.yaml.
type Problems = app.Problems

// Inside tells what the app of a folder answers itself, such as POST /orders, and the variables that it reads when it is launched: one of
// them may name a server instead. An app that cannot be read answers nothing.
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

// variable is how an app reads the environment that it was launched with.
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
		return fmt.Errorf("there is no sample %q", name)
	}
	return project.Write(dir, project.Sample(name))
}
