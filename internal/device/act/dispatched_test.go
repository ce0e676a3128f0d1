package act_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
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

// pointsOfFailure are all ways in which a step fails, at its first occasion or a later one.
func pointsOfFailure() (all []virtualxcode.Fault) {
	for _, f := range []*virtualxcode.Fault{
		wrong(flaw.AgentCrashBefore), wrong(flaw.AgentCrashAfterAct), wrong(flaw.AgentCrashAfterAnswer),
		wrong(flaw.AgentException, "when", "after"), wrong(flaw.AgentException, "when", "before"),
		{Name: flaw.AgentHalfFrame, Times: 2}, {Name: flaw.SnapshotFails, Times: 2}, {Name: flaw.EmptyTree, Times: flaw.Forever},
		wrong(flaw.NoOpTap),
	} {
		for after := range 4 {
			f.After = after
			all = append(all, *f)
		}
	}
	return all
}

// Whatever fails, at whatever point: after "no" nothing has reached the app, after "yes" something has. Only "unknown" may be
// either.
func TestDispatchedIsTheTruth(t *testing.T) {
	s := newStand(t)
	s.Install(inputsApp, inputs)
	for _, in := range allInputs() {
		t.Run(in.name, func(t *testing.T) {
			for _, f := range pointsOfFailure() {
				s.dispatches(t, in, f)
			}
		})
	}
}

func (s *stand) dispatches(t *testing.T, in input, f virtualxcode.Fault) {
	t.Helper()
	s.begin(t, inputsApp, in.way...)
	before := s.screen()
	s.Fault(f)
	report, err := in.do(t.Context(), s)
	s.Calm()
	after := s.screen()
	what := fmt.Sprintf("%s %v after %d", f.Name, f.Set, f.After)
	lost := fault.From(err)
	if err == nil && report.Outcome == ui.Unknown {
		lost = fault.From(report.Lost)
	}
	switch {
	case lost == nil:
	case lost.Dispatched == "":
		t.Errorf("%s: %s does not say whether something was sent: %v", what, lost.Code, lost)
	case lost.Dispatched == fault.NotDispatched && before != after:
		t.Errorf("%s: %s says that nothing was sent: %v\nbefore:\n%s\nafter:\n%s", what, lost.Code, lost, before, after)
	case lost.Dispatched == fault.Dispatched && before == after && f.Name != flaw.NoOpTap:
		t.Errorf("%s: %s says that something was sent: %v", what, lost.Code, lost)
	}
}
