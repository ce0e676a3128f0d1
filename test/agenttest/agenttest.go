// Package agenttest is the contract of an XCTest agent, as a test suite that Run executes over the agent's TCP address. The virtual agent
// and the Swift agent both pass it, so that code developed against one works with the other. A Subject is the agent under test: it shows
// the Conformance app, or the part of it that the suite names, freshly launched and in front.
package agenttest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"testing"
	"time"

	"ios-agent/internal/driver/agentwire"
)

// App is the bundle id of the app that a subject shows.
const App = "com.iosagent.conformance"

// UDID is the device that a subject says it is on.
const UDID = "6F0B1C4E-0000-4000-8000-000000000001"

// Options say how a server is to be started.
type Options struct {
	Token   string
	DeadMan time.Duration // leave after so long without a client; 0 is as usual
}

// Server is one running agent.
type Server struct {
	Address string
	Ended   <-chan struct{} // closed when the agent has left
}

// Subject is what is tested.
type Subject struct {
	// Open starts a server for one test and arranges for its end. Each server has a device and app of its own.
	Open func(t *testing.T, o Options) Server
	// Differs names the parts of the contract that do not hold for this agent, each with the reason, which is printed.
	Differs map[string]string
	// FocusUnknown says that the agent cannot tell which element has the keyboard, only that one has.
	FocusUnknown bool
}

// partTimeout is how long one part may take before it is ended; no part is tested by it.
const partTimeout = time.Minute

// Run tests the subject, part by part.
func Run(t *testing.T, s Subject) {
	for name := range s.Differs {
		if contract[name] == nil {
			t.Errorf("%q is not a part of the contract", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(contract)) {
		t.Run(name, func(t *testing.T) {
			if why := s.Differs[name]; why != "" {
				t.Skipf("differs here: %s", why)
			}
			ctx, cancel := context.WithTimeout(t.Context(), partTimeout)
			defer cancel()
			contract[name](&bench{T: t, ctx: ctx, subject: s})
		})
	}
}

// contract is every part, by name.
var contract = map[string]func(*bench){
	"hello":           hello,
	"token":           token,
	"version 1":       version1,
	"older hello":     olderHello,
	"one client":      oneClient,
	"strangers":       strangers,
	"garbage":         garbage,
	"random frames":   randomFrames,
	"too large":       tooLarge,
	"broken off":      brokenOff,
	"tolerated bytes": toleratedBytes,
	"ids":             ids,
	"dead-man switch": deadMan,
	"shutdown":        shutdown,
	"busy":            busy,

	"target":            target,
	"tree":              tree,
	"truncation":        truncation,
	"find":              find,
	"value":             value,
	"screenshot":        screenshot,
	"taps":              taps,
	"selectors":         selectors,
	"waiting":           waiting,
	"covered":           covered,
	"sliding":           sliding,
	"spinner":           spinner,
	"typing":            typing,
	"gestures":          gestures,
	"bad requests":      badRequests,
	"app not running":   appNotRunning,
	"app behind":        appBehind,
	"stops when gone":   stopsWhenGone,
	"double tap":        doubleTap,
	"drag":              drag,
	"pinch":             pinch,
	"set value":         setValue,
	"clear":             clearField,
	"keys":              pressKeys,
	"buttons":           buttons,
	"rotation":          rotation,
	"alerts":            alerts,
	"system alerts":     systemAlerts,
	"two roots":         twoRoots,
	"state of the tabs": stateOfTheTabs,

	"proofs":        proofs,
	"impostor":      impostor,
	"pulses":        pulses,
	"front":         front,
	"cover":         cover,
	"look waits":    lookWaits,
	"patience":      patience,
	"depth":         depth,
	"act":           act,
	"act looks on":  actPatience,
	"act settles":   actSettles,
	"act elsewhere": actElsewhere,
	"act misses":    actMisses,
	"act under":     actUnder,
	"act rank":      actRank,
	"act inputs":    actInputs,
	"act is sent":   actSent,
}

// bench is what a part works with.
type bench struct {
	*testing.T
	ctx     context.Context
	subject Subject
}

func (b *bench) open(o Options) Server {
	b.Helper()
	return b.subject.Open(b.T, o)
}

// dial connects a client that has not said hello.
func (b *bench) dial(s Server) *agentwire.Client {
	b.Helper()
	c, err := agentwire.Dial(b.ctx, s.Address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}

// raw connects without a client, to write what no client would. Its reads end at partTimeout.
func (b *bench) raw(s Server) net.Conn {
	b.Helper()
	conn, err := net.Dial("tcp", s.Address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(partTimeout)); err != nil {
		b.Fatal(err)
	}
	return conn
}

// driver is a client of a fresh server in the newest version, whose target is the app.
func (b *bench) driver() *driver {
	b.Helper()
	d := &driver{b, b.dial(b.open(Options{}))}
	if info, err := d.Hello(b.ctx, "", "agenttest"); err != nil || info.Version != agentwire.Version {
		b.Fatalf("hello: %+v, %v", info, err)
	}
	d.ok(&agentwire.SetTarget{Bundle: App})
	return d
}

// driver asks and fails the test when the answer is not as wanted.
type driver struct {
	*bench
	*agentwire.Client
}

// soon is a timeout that lets any animation end.
func soon() *uint64 { return new(uint64(5000)) }

func (d *driver) ok(req agentwire.Request) {
	d.Helper()
	ask[*agentwire.OK](d, req)
}

func ask[R agentwire.Response](d *driver, req agentwire.Request) R {
	d.Helper()
	r, err := agentwire.Ask[R](d.ctx, d.Client, req)
	if err != nil {
		d.Fatalf("%s: %v", describe(req), err)
	}
	return r
}

// fault wants a failure with this code.
func (d *driver) fault(code agentwire.Code, req agentwire.Request) {
	d.Helper()
	_, err := d.Do(d.ctx, req)
	if e, is := errors.AsType[*agentwire.AgentError](err); !is || e.Code != code {
		d.Errorf("%s: error %v, want code %s", describe(req), err, code)
	} else if e.Message == "" {
		d.Errorf("%s: code %s without a word", describe(req), code)
	}
}

func describe(req agentwire.Request) string { return fmt.Sprintf("%s%+v", req.Opcode(), req) }

// tap taps an element by its identifier, when it is there and still.
func (d *driver) tap(identifier string) {
	d.Helper()
	d.ok(&agentwire.TapElement{Selector: identifier, TimeoutMS: soon()})
}

// tab goes to one of the app's screens.
func (d *driver) tab(label string) {
	d.Helper()
	d.ok(&agentwire.TapWithType{Selector: label, ByLabel: true, Type: "Button", TimeoutMS: soon()})
}

// reads wants an element, whose value or label is text, to be there soon.
func (d *driver) reads(identifier, text string) {
	d.Helper()
	v := ask[*agentwire.Value](d, &agentwire.GetValue{Selector: identifier, TimeoutMS: soon()})
	if v.Text == nil || *v.Text != text {
		d.Errorf("%s says %s, want %q", identifier, quoted(v.Text), text)
	}
}

func quoted(text *string) string {
	if text == nil {
		return "nothing"
	}
	return fmt.Sprintf("%q", *text)
}

// element finds an element that must be there.
func (d *driver) element(identifier string) *agentwire.Element {
	d.Helper()
	el, err := ask[*agentwire.Found](d, &agentwire.FindElement{Selector: identifier}).Element()
	if err != nil || el == nil {
		d.Fatalf("%s: %v, %v", identifier, el, err)
	}
	return el
}

// centre is the middle of an element that a finger reaches.
func (d *driver) centre(identifier string) (x, y int32) {
	d.Helper()
	el := d.element(identifier)
	if el.Hittable == nil || !*el.Hittable {
		d.Fatalf("%s is not hittable: %+v", identifier, el)
	}
	return int32(el.Frame.X + el.Frame.Width/2), int32(el.Frame.Y + el.Frame.Height/2)
}
