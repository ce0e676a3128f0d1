// Package drivertest is the contract of a driver, as a test suite over the Conformance app. Run tries every ability of a device and returns
// a Row of the support matrix for each. It skips an ability that a driver lacks, and the row gives the reason. CheckMatrix compares the
// rows with the reviewed file.
package drivertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// Conformance is the app that the contract uses. The caller of Run installs it.
const Conformance = "com.iosagent.conformance"

// Row says whether a driver has an ability.
type Row struct{ Ability, Says string }

// Stage is an app that does what the Conformance app does, for a device that cannot run that one: a process is its own app. A page
// lies open as if the app had just been started.
type Stage struct {
	App  string // what a screen calls it
	Open func(page string)
	Real bool // the device is a real one
}

// Run tries everything on a device that is booted.
func Run(t *testing.T, d device.Device) []Row { return RunOn(t, d, Stage{App: Conformance}) }

// RunOn is Run with another app.
func RunOn(t *testing.T, d device.Device, on Stage) []Row {
	var rows []Row
	for _, p := range parts() {
		says := onDouble
		if on.Real {
			says = onReal
		}
		t.Run(p.ability, func(t *testing.T) {
			if why := p.missing(d); why != "" {
				says = lacking + why
				t.Skip(why)
			}
			p.try(&bench{t: t, ctx: t.Context(), d: d, on: on})
			if t.Failed() {
				says = "fails"
			}
		})
		rows = append(rows, Row{p.ability, says})
	}
	return rows
}

// part is one ability and how it is tried.
type part struct {
	ability string
	missing func(device.Device) string
	try     func(*bench)
}

func needs[Ability any](name string, try func(*bench, Ability)) part {
	return part{
		ability: name,
		missing: func(d device.Device) string {
			_, err := device.As[Ability](d)
			if none, ok := errors.AsType[*device.MissingError](err); ok {
				return "it cannot " + none.Does
			}
			return ""
		},
		try: func(b *bench) { try(b, get[Ability](b)) },
	}
}

// bench is what a part works with.
type bench struct {
	t   *testing.T
	ctx context.Context
	d   device.Device
	on  Stage
}

// get gives an ability that the contract needs to try another one.
func get[Ability any](b *bench) Ability {
	b.t.Helper()
	a, err := device.As[Ability](b.d)
	b.must(err)
	return a
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// start restarts the app and opens one of its tabs.
func (b *bench) start(tab string) {
	b.t.Helper()
	if b.on.Open != nil {
		b.on.Open(tab)
		return
	}
	_, err := get[device.Apps](b).Launch(b.ctx, Conformance, device.Launch{Restart: true})
	b.must(err)
	b.tap(ui.Query{Label: tab, Type: "Button"})
}

func (b *bench) look() *ui.Screen {
	b.t.Helper()
	s, err := get[device.Eyes](b).Observe(b.ctx, device.Wait{
		Stable: 100 * time.Millisecond, Min: 200 * time.Millisecond, Max: 3 * time.Second,
	})
	b.must(err)
	return s
}

func (b *bench) find(q ui.Query) (*ui.Screen, *ui.Node) {
	b.t.Helper()
	s := b.look()
	found := s.Match(q)
	if len(found) == 0 {
		b.t.Fatalf("no element with %s", q)
	}
	return s, found[len(found)-1]
}

func (b *bench) at(id string) ui.Point {
	b.t.Helper()
	s, n := b.find(ui.Query{Identifier: id})
	r, why := s.Reach(n)
	if why != "" {
		b.t.Fatalf("%s cannot be reached: %s", id, why)
	}
	return r.At
}

func (b *bench) tap(q ui.Query) {
	b.t.Helper()
	s, n := b.find(q)
	r, why := s.Reach(n)
	if why != "" {
		b.t.Fatalf("%s cannot be reached: %s", q, why)
	}
	b.must(get[device.Touch](b).Tap(b.ctx, r.At))
}

// shows fails unless a text is on the screen.
func (b *bench) shows(text string) {
	b.t.Helper()
	s := b.look()
	if len(s.Match(ui.Query{Contains: text})) == 0 {
		b.t.Errorf("%q is not on the screen:\n%s", text, outline.Of(s, outline.Choice{}, "", &ui.Refs{}))
	}
}

// refuses fails unless an error is a fault of one of the codes.
func (b *bench) refuses(err error, codes ...fault.Code) {
	b.t.Helper()
	if err == nil || !slices.Contains(codes, fault.From(err).Code) {
		b.t.Errorf("got %v, want %v", err, codes)
	}
}

// pid is the process of the Conformance app; 0 when the app does not run. A device that cannot list its apps tells which run.
func (b *bench) pid() int {
	b.t.Helper()
	if _, err := device.As[device.Inventory](b.d); err != nil {
		running, err := get[device.Running](b).Running(b.ctx)
		b.must(err)
		return running[Conformance]
	}
	apps, err := get[device.Inventory](b).List(b.ctx)
	b.must(err)
	i := slices.IndexFunc(apps, func(a device.App) bool { return a.Bundle == Conformance })
	if i < 0 {
		b.t.Fatalf("%s is not installed: %+v", Conformance, apps)
	}
	return apps[i].PID
}

// lineWait is how long a line may take to arrive.
const lineWait = 20 * time.Second

// waiting returns a function that takes lines, and another that waits until a line contains the text.
func (b *bench) waiting(text string) (line func(string), await func()) {
	found := make(chan struct{})
	once := sync.OnceFunc(func() { close(found) })
	line = func(s string) {
		if strings.Contains(s, text) {
			once()
		}
	}
	return line, func() {
		b.t.Helper()
		late := time.NewTimer(lineWait)
		defer late.Stop()
		select {
		case <-found:
		case <-late.C:
			b.t.Fatalf("no line with %q arrived within %s", text, lineWait)
		}
	}
}

// ends closes a stream twice and fails unless it has ended without an error.
func (b *bench) ends(s device.Stream) {
	b.t.Helper()
	b.must(s.Err())
	b.must(s.Close())
	<-s.Done()
	b.must(s.Close())
	b.must(s.Err())
}
