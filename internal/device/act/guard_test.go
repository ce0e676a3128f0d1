package act_test

import (
	"errors"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

// An input that is meant for something else than is there is refused, and nothing is sent.
func TestGuardRefusesChangedTarget(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance)
	var button ui.Node
	s.Must(s.Look(t.Context(), func(screen *ui.Screen, refs *ui.Refs) {
		n, err := refs.Find(named("controls-tap-button"), s.Info.UDID, screen)
		s.Must(err)
		button = *n
	}))
	for name, c := range map[string]struct {
		change func(*device.Guard)
		code   fault.Code // none: it is sent
	}{
		"as it is":         {func(*device.Guard) {}, ""},
		"moved by a point": {func(g *device.Guard) { g.Aim.Frame.Y++ }, ""},
		"moved":            {func(g *device.Guard) { g.Aim.Frame.Y += 40 }, fault.ElementUnstable},
		"another label":    {func(g *device.Guard) { g.Aim.Label = "Pay" }, fault.RefExpired},
		"another twin":     {func(g *device.Guard) { g.Rank = 1 }, fault.RefExpired},
		"out of reach":     {func(g *device.Guard) { g.At.Y += 300 }, fault.ElementUnhittable},
		"another app":      {func(g *device.Guard) { g.App = rig.Shop }, fault.AppNotInFront},
	} {
		t.Run(name, func(t *testing.T) {
			s.begin(t, rig.Conformance)
			aim := button
			guard := &device.Guard{App: rig.Conformance, Aim: &aim, At: aim.Frame.Centre()}
			c.change(guard)
			err := s.Device.(device.Touch).Tap(device.WithGuard(t.Context(), guard), button.Frame.Centre())
			refused, is := errors.AsType[*device.RefusedError](err)
			if is != (c.code != "") || is && (refused.Code != c.code || fault.From(err).Dispatched != fault.NotDispatched) || !is && err != nil {
				t.Errorf("%v", err)
			}
			if is {
				s.shows("Tapped: 0")
			} else {
				s.shows("Tapped: 1")
			}
		})
	}
}

// pressed tells which of its buttons was pressed. Button A moves the others down.
const pressed = `
start: one
state: {pressed: none}
screens:
  one:
    title: Pressed
    elements:
      - {text: Two lines, visible: {pressed: a}}
      - {text: More lines, visible: {pressed: a}}
      - {button: A, id: a, do: [{set: {pressed: a}}]}
      - {button: B, id: b, do: [{set: {pressed: b}}]}
      - {button: C, id: c, do: [{set: {pressed: c}}]}
      - {text: "pressed=<{pressed}>"}
`

// A look may show where things were a moment ago. The guard notices, and the target is looked for again.
func TestTapFindsTargetAgainAfterStaleLook(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.pressed", pressed)
	s.begin(t, "com.example.pressed")
	s.screen()
	s.tap("a")
	old := wrong(flaw.StaleFrames)
	old.Times = 2 // a glance, and the look that it leads to
	s.Fault(*old)
	report, err := s.Tap(t.Context(), act.How{}, named("c"))
	s.check(want{outcome: ui.Changed}, report, err)
	if got := s.truth("pressed"); got != "c" {
		t.Errorf("%s was pressed", got)
	}
}

// A tap is two requests: a look, and an input that is answered with the screen after it.
func TestTapSendsTwoAgentRequests(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance)
	s.screen()
	before, err := s.Service.Status(t.Context())
	s.Must(err)
	s.tap("Navigation")
	after, err := s.Service.Status(t.Context())
	s.Must(err)
	if n := after.Asked.Requests - before.Asked.Requests; n != 2 {
		t.Errorf("%d requests", n)
	}
}

// The look after an input may be of the agent's own app. It counts for nothing: the screen is read again.
func TestLookAtAgentAfterTapIsIgnored(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance)
	s.screen()
	own := wrong(flaw.RunnerTree)
	own.After = 2 // the look before the tap, and the guard's
	s.Fault(*own)
	report, err := s.Tap(t.Context(), act.How{}, named("Navigation"))
	s.check(want{outcome: ui.Changed, line: `~ screen: "Controls" → "Navigation"`}, report, err)
	if report.After.App != rig.Conformance {
		t.Errorf("%s was seen", report.After.App)
	}
}
