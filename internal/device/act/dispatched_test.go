package act_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/soak"
)

// inputs is an app on which each input leaves a trace.
const inputs = `
start: all
state: {presses: 0, holds: 0, to: "", doubles: 0, zoom: 1, name: "old", on: false, volume: 50, number: 1, size: S, colour: Red}
screens:
  all:
    title: All
    elements:
      - id: rows
        height: 130
        list:
          - repeat: {count: 30, each: {text: "Row {index}", id: "row-{index}"}}
      - {text: "{presses} {holds} {to} {doubles} {zoom}", id: truth}
      - {button: Press, id: press, do: [{add: {presses: 1}}]}
      - button: Ask
        id: ask
        do: [{alert: {title: Sure?, buttons: [{button: Yes, do: [{add: {presses: 1}}]}]}}]
      - {area: Hold, id: hold, height: 40, hold: {seconds: 1, do: [{add: {holds: 1}}]}, double: [{add: {doubles: 1}}]}
      - {area: Swipe, id: swipe, height: 40, swipe: {into: to, min: 20}, pinch: {into: zoom}}
      - {field: Name, id: name, bind: name}
      - {toggle: Switch, id: switch, bind: on}
      - {slider: Volume, id: volume, bind: volume, min: 0, max: 100}
      - {stepper: Number, id: number, bind: number, min: 0, max: 20}
      - {segmented: Size, id: size, bind: size, options: [S, M, L]}
      - {button: Next, id: next, do: [{go: next}]}
  next: {title: Next, elements: [{text: There, id: there}]}
`

const inputsApp = "com.example.inputs"

// input is one way to send something, and how to get to where it has an effect.
type input struct {
	name string
	way  []string
	do   func(context.Context, *stand) (act.Report, error)
}

func allInputs() []input {
	type reply = func(context.Context, *stand) (act.Report, error)
	element := func(do func(act.Step, context.Context, act.How, ui.Query) (act.Report, error), name string) reply {
		return func(ctx context.Context, s *stand) (act.Report, error) {
			return do(s.Step, ctx, act.How{}, named(name))
		}
	}
	value := func(name, to string) reply {
		return func(ctx context.Context, s *stand) (act.Report, error) {
			return s.SetValue(ctx, act.How{}, named(name), to)
		}
	}
	return []input{
		{"tap", nil, element(act.Step.Tap, "press")},
		{"double tap", nil, element(act.Step.DoubleTap, "hold")},
		{"long press", nil, func(ctx context.Context, s *stand) (act.Report, error) {
			return s.LongPress(ctx, act.How{}, named("hold"), 1500*time.Millisecond)
		}},
		{"swipe", nil, func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Swipe(ctx, act.How{}, named("swipe"), act.Swipe{Direction: "left"})
		}},
		{"swipe over the screen", nil, func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Swipe(ctx, act.How{}, ui.Query{}, act.Swipe{Direction: "up"})
		}},
		{"drag", nil, func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Drag(ctx, act.How{}, act.ElementDrag{Element: named("press"), Onto: named("hold"), Finger: device.Drag{Press: time.Second}})
		}},
		{"tap a point", nil, func(ctx context.Context, s *stand) (act.Report, error) {
			return s.TapAt(ctx, act.How{}, act.Spot{Point: ui.Point{X: 200, Y: 400}})
		}},
		{"touch a point", nil, func(ctx context.Context, s *stand) (act.Report, error) {
			return s.PressAt(ctx, act.How{}, ui.Point{X: 200, Y: 400}, time.Second)
		}},
		{"back by the button", []string{"next"}, goBack},
		{"back by a swipe", nil, goBack},
		{"the home button", nil, func(ctx context.Context, s *stand) (act.Report, error) { return s.Press(ctx, "home", 0, 1) }},
		{"rotate", nil, func(ctx context.Context, s *stand) (act.Report, error) { return s.Rotate(ctx, "landscape-left") }},
		{"pinch", nil, func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Pinch(ctx, act.How{}, named("swipe"), 2)
		}},
		{"type", nil, entering("name", act.Entry{Text: "abc"})},
		{"type into the focus", []string{"name"}, entering("", act.Entry{Text: "abc"})},
		{"type, return and type on", nil, entering("name", act.Entry{Text: "abc\ndef"})},
		{"fill", nil, entering("name", act.Entry{Text: "abc", Replace: true})},
		{"fill and submit", nil, entering("name", act.Entry{Text: "abc", Replace: true, Submit: true})},
		{"clear", nil, emptying("name")},
		{"a key", []string{"name"}, pressing("x", 2)},
		{"keys", []string{"name"}, func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Keys(ctx, []string{"a", "b", "c"}, 0)
		}},
		{"hide the keyboard", []string{"name"}, hideKeyboard},
		{"a switch", nil, value("switch", "on")},
		{"a slider", nil, value("volume", "80%")},
		{"a stepper", nil, value("number", "3")},
		{"a segment", nil, value("size", "L")},
		{"a field by value", nil, value("name", "abc")},
		{"scroll", nil, scrolling("row-20", act.Scroll{})},
		{"scroll, then tap", nil, func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Tap(ctx, act.How{Scroll: true, Timeout: time.Second}, named("row-20"))
		}},
		{"alert", []string{"ask"}, func(ctx context.Context, s *stand) (act.Report, error) {
			r, _, err := s.Alert(ctx, "accept")
			return r, err
		}},
	}
}

func goBack(ctx context.Context, s *stand) (act.Report, error) { return s.Back(ctx, act.How{}) }

// occasions are what a step gives faults an occasion for, and how many of each are tried: a step sends several inputs and looks
// more than once.
var occasions = map[string]int{
	"an input": 4, "the answer to a look": 2, "a look": 2, "a look at a running app": 1, "any request": 2, "a tap": 2, "a tap in an app": 1,
	"a swipe": 2, "typing": 1, "a tap on a switch": 1, "a tap that brings up the keyboard": 1, "a change of screens": 1,
	"anything done to a booted device": 4,
}

// pointsOfFailure are all faults of the table that a step can meet, each with its first occasion, then later ones. Looks are spoilt
// twice: one that fails is repeated.
func pointsOfFailure() (all [][]virtualxcode.Fault) {
	for _, kind := range virtualxcode.KnownFaults() {
		if slices.Contains([]string{flaw.AgentHang, flaw.AgentStuck, flaw.AgentStall}, kind.Name) {
			continue // they are waited for in real time; the driver's tests have them
		}
		most := occasions[kind.Each]
		if testing.Short() {
			most = min(most, 1)
		}
		var one, other []virtualxcode.Fault
		for after := range most {
			f := virtualxcode.Fault{Name: kind.Name, After: after, Times: 1}
			if strings.Contains(kind.Each, "a look") {
				f.Times = 2
			}
			one = append(one, f)
			if kind.Name == flaw.AgentException {
				f.Set = map[string]string{"when": "before"}
				other = append(other, f)
			}
		}
		all = append(all, one, other)
	}
	return append(all, []virtualxcode.Fault{{Name: flaw.EmptyTree, Times: flaw.Forever}})
}

// Whatever fails, at whatever point: after "no" nothing has reached the device, after "yes" something has. Only "unknown" may be
// either.
func TestDispatchStateMatchesSentInputs(t *testing.T) {
	s := newStand(t)
	s.Install(inputsApp, inputs)
	for n, in := range allInputs() {
		t.Run(in.name, func(t *testing.T) {
			for m, points := range pointsOfFailure() {
				if !soak.Asked() && (n+m)%3 != 0 {
					continue // each input and each fault is met; each by each is for `make soak`
				}
				for _, f := range points {
					if !s.dispatches(t, in, f) {
						break // it found no occasion: a later one there is not either
					}
				}
			}
		})
	}
}

// unask answers what the system asks: it would lie over the next app too.
func (s *stand) unask(t *testing.T) {
	t.Helper()
	for range 3 {
		scene, err := s.World.Scene(t.Context(), s.Info.UDID)
		s.Must(err)
		if scene.System == nil {
			return
		}
		for e := range scene.System.All() {
			if e.Type == "Button" {
				s.Must(s.World.Tap(t.Context(), s.Info.UDID, e.Frame.Centre()))
				break
			}
		}
	}
}

// dispatches has an input fail, and reports whether the fault happened.
func (s *stand) dispatches(t *testing.T, in input, f virtualxcode.Fault) (happened bool) {
	t.Helper()
	s.In(t).Must(s.World.Sleep(t.Context(), 10*time.Second)) // until a device that shut down has done so
	s.Must(s.Phone.(device.Power).Boot(t.Context()))
	s.Must(s.World.Rotate(t.Context(), s.Info.UDID, "portrait"))
	s.unask(t)
	s.begin(t, inputsApp, in.way...)
	s.screen()
	_, before := s.World.Inputs(s.Info.UDID, 0)
	s.Fault(f)
	report, err := in.do(t.Context(), s)
	left := s.World.Faults()
	s.Calm()
	sent, _ := s.World.Inputs(s.Info.UDID, before)
	what := fmt.Sprintf("%s %v after %d: %d inputs", f.Name, f.Set, f.After, len(sent))
	lost := fault.From(err)
	if err == nil && report.Outcome == ui.Unknown {
		lost = fault.From(report.Lost)
	}
	switch {
	case lost == nil && len(sent) == 0 && f.Times == 1: // a look that lies may show that nothing is to be done
		t.Errorf("%s: the report says %s", what, report.Outcome)
	case lost == nil:
	case lost.Dispatched == "":
		t.Errorf("%s: %s does not say whether something was sent: %v", what, lost.Code, lost)
	case lost.Dispatched == fault.NotDispatched && len(sent) > 0:
		t.Errorf("%s: %s says that nothing was sent: %v", what, lost.Code, lost)
	case lost.Dispatched == fault.Dispatched && len(sent) == 0:
		t.Errorf("%s: %s says that something was sent: %v", what, lost.Code, lost)
	}
	return len(left) == 0 || left[0].Times != f.Times
}
