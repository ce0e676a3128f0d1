package act_test

import (
	"context"
	"ios-agent/internal/virtualxcode/flaw"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/rig"
)

// tapping is a step that taps what has a name.
func tapping(name string) func(context.Context, *stand) (act.Report, error) {
	return func(ctx context.Context, s *stand) (act.Report, error) { return s.Tap(ctx, act.How{}, named(name)) }
}

// tappingNow is one attempt.
func tappingNow(name string) func(context.Context, *stand) (act.Report, error) {
	return func(ctx context.Context, s *stand) (act.Report, error) {
		return s.Tap(ctx, act.How{NoWait: true}, named(name))
	}
}

func TestTapReportsOutcomeAndEvidence(t *testing.T) {
	perform(t, []step{
		{name: "it changed something", do: tapping("controls-tap-button"),
			want: want{outcome: ui.Changed, evidence: []string{ui.EvidenceScreen}, method: ui.AtCentre, line: `"Tapped: 0" → "Tapped: 1"`}},
		{name: "it changed its target", do: tapping("controls-toggle-wifi"),
			want: want{outcome: ui.Changed, method: ui.AtKnob, line: `"Off" → "On"`}},
		{name: "the tap was lost", do: tapping("controls-tap-button"), fault: wrong(flaw.NoOpTap),
			want: want{outcome: ui.Unchanged, evidence: []string{}, shows: "Tapped: 0"}},
		{name: "the app reacts late", do: tapping("controls-tap-button"), fault: wrong(flaw.AppSlow, "ms", "150"),
			want: want{outcome: ui.Changed, line: `"Tapped: 0" → "Tapped: 1"`}},
		{name: "the agent died after the tap", do: tapping("controls-tap-button"), fault: wrong(flaw.AgentCrashAfterAct),
			want: want{outcome: ui.Unknown, shows: "Tapped: 1"}},
		{name: "the agent died before the tap", do: tapping("controls-tap-button"), fault: wrong(flaw.AgentCrashBefore),
			want: want{outcome: ui.Unknown, shows: "Tapped: 0"}},
		{name: "the agent died after its answer", do: tapping("controls-tap-button"), fault: wrong(flaw.AgentCrashAfterAnswer),
			want: want{outcome: ui.Changed, shows: "Tapped: 1"}},
		{name: "a point", do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.TapAt(ctx, act.How{}, act.Spot{Point: ui.Point{X: 196, Y: 500}})
		}, want: want{method: "point"}},
		{name: "a point beyond the screen", do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.TapAt(ctx, act.How{}, act.Spot{Point: ui.Point{X: 1960, Y: 500}})
		}, want: want{code: fault.InvalidInput, says: "is not on the screen"}},
		{name: "twice, quickly", do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.DoubleTap(ctx, act.How{}, ui.Query{Label: "Tap Me"})
		}, want: want{line: `"Tapped: 0" → "Tapped: 2"`}},
		{name: "content moves down under the finger", app: rig.Shop, way: []string{"guest-button"}, do: tapping("add-tea"),
			fault: wrong(flaw.LateInsert), want: want{outcome: ui.Changed, line: `+ text "New messages"`, doubt: "away from the finger"}},
		{name: "content moves down under the finger, which meets nothing", app: rig.Shop, do: tapping("guest-button"),
			fault: wrong(flaw.LateInsert, "points", "40"), want: want{outcome: ui.Unknown, line: `+ text "New messages"`, doubt: "or none"}},
		{name: "content moves down a little", app: rig.Shop, do: tapping("forgot-button"), fault: wrong(flaw.LateInsert, "points", "5"),
			want: want{outcome: ui.Changed, line: `+ alertdialog`}},
		{name: "a slow app", do: tapping("controls-tap-button"), fault: wrong(flaw.AppSlow),
			want: want{outcome: ui.Changed, line: `"Tapped: 0" → "Tapped: 1"`}},
		{name: "a tab bar that hides its tabs", way: []string{"Dynamic"}, do: tapping("Controls"), fault: always(wrong(flaw.CollapsedTabBar)),
			want: want{code: fault.ElementNotFound,
				says: "may have tabs that accessibility does not list: find one with ‹do:take_screenshot› and tap its point (y=811)"}},
		{name: "a tab by its point", way: []string{"Dynamic"}, fault: always(wrong(flaw.CollapsedTabBar)),
			do: func(ctx context.Context, s *stand) (act.Report, error) {
				return s.TapAt(ctx, act.How{}, act.Spot{Point: ui.Point{X: 40, Y: 811}})
			}, want: want{outcome: ui.Changed, line: `~ screen: "Dynamic" → "Controls"`}},
	})
}

// What changes by itself proves nothing of a tap, and hides nothing of one.
func TestTapOutcomeIgnoresSelfMovingElements(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance, "Dynamic")
	if report := s.tap("dynamic-start-counter"); !slices.Contains(report.Lines, `+ text "Count: 0"`) {
		t.Errorf("the counter starts: %q", report.Lines)
	}
	for _, name := range []string{"dynamic-toggle-visibility", "dynamic-counter-value"} {
		for range 3 {
			s.Fault(*wrong(flaw.NoOpTap))
			report, err := s.Tap(t.Context(), act.How{}, named(name))
			s.check(want{outcome: ui.Unchanged}, report, err)
			for _, kind := range report.Evidence {
				if kind != ui.EvidenceAmbient {
					t.Errorf("evidence %q for a tap that was lost: %q", report.Evidence, report.Lines)
				}
			}
		}
	}
	report, err := s.Tap(t.Context(), act.How{}, named("dynamic-toggle-visibility"))
	s.check(want{outcome: ui.Changed, line: `+ text "Visible Element"`}, report, err)
	report, err = s.Tap(t.Context(), act.How{}, named("dynamic-stop-counter"))
	s.check(want{outcome: ui.Unchanged}, report, err) // a count that stops shows nothing
	s.tap("Controls")
	report, err = s.Tap(t.Context(), act.How{}, named("controls-tap-button"))
	s.check(want{outcome: ui.Changed, line: `"Tapped: 0" → "Tapped: 1"`}, report, err)

	s.tap("Dynamic")
	s.tap("dynamic-start-loading")
	s.Fault(*wrong(flaw.NoOpTap))
	report, err = s.Tap(t.Context(), act.How{}, named("dynamic-toggle-visibility"))
	s.check(want{outcome: ui.Unknown, line: `+ text "Loading complete"`, doubt: "the end of an animation"}, report, err)
	waited, err := s.Wait(t.Context(), act.Waiting{Condition: ui.HasText, Value: "Loading complete", Timeout: 5 * time.Second})
	if err != nil || !waited.Matched {
		t.Fatalf("loading did not end: %v", err)
	}
	s.Fault(*wrong(flaw.EndlessAnimation))
	s.shows("still-moving")
	s.Fault(*wrong(flaw.NoOpTap))
	report, err = s.Tap(t.Context(), act.How{}, named("dynamic-toggle-visibility"))
	s.check(want{outcome: ui.Unchanged}, report, err)
	if report.After.Settled {
		t.Error("a screen that never rests is called settled")
	}
	report, err = s.Tap(t.Context(), act.How{}, named("dynamic-toggle-visibility"))
	s.check(want{outcome: ui.Changed}, report, err)
}

// jumpy moves a button up and down between two areas.
const jumpy = `
start: one
state: {hits: 0, missed: 0, high: false}
screens:
  one:
    title: Jumpy
    elements:
      - {text: "Hits: {hits}", id: hits}
      - {text: "Missed: {missed}", id: missed}
      - {button: Quickly, id: quickly, do: [{every: {name: jump, seconds: 0.06, do: [{flip: high}]}}]}
      - {area: Above, id: above, height: 90, visible: {high: true}, do: [{add: {missed: 1}}]}
      - {button: Target, id: target, do: [{add: {hits: 1}}]}
      - {area: Below, id: below, height: 120, do: [{add: {missed: 1}}]}
`

// What does not hold still is hit where it is, every time, or refused: what lies above and below it is not.
func TestMovingTargetIsHitOrRefused(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.jumpy", jumpy)
	s.begin(t, "com.example.jumpy")
	report, err := s.Tap(t.Context(), act.How{}, named("quickly"))
	if s.Must(err); report.After.Settled {
		t.Error("nothing moves")
	}
	hits := 0
	for range 6 {
		report, err := s.Tap(t.Context(), act.How{}, named("target"))
		if fault.Is(err, fault.ElementUnstable) {
			continue
		}
		hits++
		s.check(want{outcome: ui.Changed}, report, err)
	}
	if hits == 0 {
		t.Error("it was never hit")
	}
	s.shows("Missed: 0")
}

// A target that is elsewhere at every look is not aimed at.
func TestConstantlyMovingTargetIsRefused(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.jumpy", jumpy)
	s.begin(t, "com.example.jumpy")
	_, err := s.Tap(t.Context(), act.How{}, named("quickly"))
	s.Must(err)
	s.Fault(*always(wrong(flaw.AgentSlow, "ms", "60"))) // a look takes as long as a jump
	_, err = s.Tap(t.Context(), act.How{}, named("target"))
	s.check(want{code: fault.ElementUnstable, says: "keeps moving"}, act.Report{}, err)
	s.Calm()
	s.shows("Hits: 0", "Missed: 0")
}

// behind tries to tap what lies behind a sheet: it is marked, and the sheet stays.
func behind(name string) func(context.Context, *stand) (act.Report, error) {
	return func(ctx context.Context, s *stand) (act.Report, error) {
		before := s.screen()
		marked := slices.ContainsFunc(strings.Split(before, "\n"), func(line string) bool {
			return strings.Contains(line, "[covered]") && strings.Contains(line, s.ref(name)[1:]+"]")
		})
		if !marked {
			s.t.Errorf("%s is not marked:\n%s", name, before)
		}
		report, err := s.Tap(ctx, act.How{NoWait: true}, named(name))
		if after := s.screen(); after != before {
			s.t.Errorf("something was sent:\n%s", after)
		}
		return report, err
	}
}

// A target that cannot be touched is never touched. What may change by itself is waited for; what cannot is not.
func TestUnreachableTargetIsNeverTouched(t *testing.T) {
	const wholeWait = act.DefaultTimeout
	perform(t, []step{
		{name: "covered by an alert, one attempt", way: []string{"Navigation", "nav-alert-button"}, do: tappingNow("nav-push-button"),
			want: want{code: fault.ElementUnhittable, says: "covered"}},
		{name: "covered by an alert of the system", way: []string{"Navigation", "nav-permissions-button", "permissions-location"},
			do: tappingNow("permissions-camera"), want: want{code: fault.ElementUnhittable}},
		{name: "covered by an action sheet", way: []string{"Navigation", "nav-confirm-button"}, do: behind("nav-push-button"),
			want: want{code: fault.ElementUnhittable, says: "covered by dialog"}},
		{name: "covered by a sheet", way: []string{"Navigation", "nav-sheet-button"}, do: behind("nav-push-button"),
			want: want{code: fault.ElementUnhittable, says: "covered by sheet"}},
		{name: "a tab behind a sheet", way: []string{"Navigation", "nav-sheet-button"}, do: behind("Controls"),
			want: want{code: fault.ElementUnhittable, says: "covered by sheet"}},
		{name: "beside a sheet", way: []string{"Navigation", "nav-sheet-button"}, do: tapping("PopoverDismissRegion"),
			want: want{outcome: ui.Changed, line: `"No action yet" → "Sheet dismissed"`}},
		{name: "covered, waited for", way: []string{"Navigation", "nav-alert-button"},
			do: func(ctx context.Context, s *stand) (report act.Report, err error) {
				if waited := s.took(func() { report, err = s.Tap(ctx, act.How{}, named("nav-push-button")) }); waited < wholeWait {
					s.t.Errorf("it was given up after %s", waited)
				}
				return report, err
			}, want: want{code: fault.ElementUnhittable}},
		{name: "disabled, waited for", app: rig.Shop,
			do: func(ctx context.Context, s *stand) (report act.Report, err error) {
				if waited := s.took(func() { report, err = s.Tap(ctx, act.How{}, named("login-button")) }); waited < wholeWait {
					s.t.Errorf("it was given up after %s", waited)
				}
				return report, err
			}, want: want{code: fault.ElementUnhittable, says: "disabled"}},
		{name: "below the screen, not waited for", way: []string{"Navigation", "nav-extras-button"},
			do: func(ctx context.Context, s *stand) (report act.Report, err error) {
				if waited := s.took(func() { report, err = s.Tap(ctx, act.How{}, named("extras-crash-soon")) }); waited > wholeWait/2 {
					s.t.Errorf("it was waited for %s", waited)
				}
				return report, err
			}, want: want{code: fault.ElementUnhittable, says: "bring it into view"}},
		{name: "below the screen, scrolled to", way: []string{"Navigation", "nav-extras-button"},
			do: func(ctx context.Context, s *stand) (act.Report, error) {
				return s.Tap(ctx, act.How{Scroll: true}, named("extras-link"))
			}, want: want{outcome: ui.Changed, evidence: []string{ui.EvidenceScreen}}},
		{name: "nowhere, waited for",
			do: func(ctx context.Context, s *stand) (report act.Report, err error) {
				how := act.How{Timeout: 2 * time.Second}
				if waited := s.took(func() { report, err = s.Tap(ctx, how, named("no-such-thing")) }); waited < how.Timeout || waited > 2*how.Timeout {
					s.t.Errorf("it was given up after %s", waited)
				}
				return report, err
			}, want: want{code: fault.ElementNotFound}},
		{name: "it comes while it is waited for", way: []string{"Dynamic", "dynamic-show-brief"},
			do: func(ctx context.Context, s *stand) (act.Report, error) {
				if _, err := s.Tap(ctx, act.How{}, named("dynamic-show-delayed")); err != nil {
					return act.Report{}, err
				}
				return s.Tap(ctx, act.How{}, named("dynamic-delayed-label"))
			}, want: want{method: ui.AtCentre}},
		{name: "under the keyboard", way: []string{"Text Input", "text-username-field"}, do: tappingNow("Gestures"),
			want: want{code: fault.ElementUnhittable, says: "puts the keyboard away"}},
	})
}

func TestGesturesReportExpectedOutcome(t *testing.T) {
	swipe := func(over string, w act.Swipe) func(context.Context, *stand) (act.Report, error) {
		return func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Swipe(ctx, act.How{Scroll: true}, named(over), w)
		}
	}
	drag := func(what, onto string, to *ui.Point) func(context.Context, *stand) (act.Report, error) {
		return func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Drag(ctx, act.How{}, act.ElementDrag{
				Element: named(what), Onto: named(onto), To: to, Finger: device.Drag{Press: time.Second},
			})
		}
	}
	moving := []string{"Navigation", "nav-moving-button"}
	perform(t, []step{
		{name: "long press", way: []string{"Gestures"}, do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.LongPress(ctx, act.How{Scroll: true}, named("gesture-longpress-target"), 2*time.Second)
		}, want: want{outcome: ui.Changed, line: "Long pressed!"}},
		{name: "long press at a point", way: []string{"Gestures"}, do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.PressAt(ctx, act.How{}, ui.Point{X: 200, Y: 300}, time.Second)
		}, want: want{method: "point"}},
		{name: "swipe left", way: []string{"Gestures"}, do: swipe("gesture-swipe-area", act.Swipe{Direction: "left"}),
			want: want{method: "swipe", line: "Swiped: left"}},
		{name: "swipe right", way: []string{"Gestures"}, do: swipe("gesture-swipe-area", act.Swipe{Direction: "right"}),
			want: want{line: "Swiped: right"}},
		{name: "swipe up", way: []string{"Gestures"}, do: swipe("gesture-swipe-area", act.Swipe{Direction: "up"}),
			want: want{line: "Swiped: up"}},
		{name: "swipe down", way: []string{"Gestures"}, do: swipe("gesture-swipe-area", act.Swipe{Direction: "down"}),
			want: want{line: "Swiped: down"}},
		{name: "swipe from off the screen", way: []string{"Gestures"},
			do:   swipe("", act.Swipe{From: &ui.Point{X: 5000, Y: 200}, To: &ui.Point{X: 100, Y: 200}}),
			want: want{code: fault.InvalidInput, says: "5000, 200 is not on the screen"}},
		{name: "swipe off the screen", way: []string{"Gestures"},
			do:   swipe("", act.Swipe{From: &ui.Point{X: 100, Y: 200}, To: &ui.Point{X: 100, Y: -7}}),
			want: want{code: fault.InvalidInput, says: "100, -7 is not on the screen"}},
		{name: "swipe nowhere", way: []string{"Gestures"}, do: swipe("gesture-swipe-area", act.Swipe{Direction: "inwards"}),
			want: want{code: fault.InvalidInput, says: "up, down, left or right"}},
		{name: "swipe between points", way: []string{"Gestures"}, do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Swipe(ctx, act.How{}, ui.Query{}, act.Swipe{From: &ui.Point{X: 200, Y: 380}, To: &ui.Point{X: 200, Y: 180}})
		}, want: want{outcome: ui.Changed}},
		{name: "a swipe that was lost", way: []string{"Gestures"}, do: func(ctx context.Context, s *stand) (act.Report, error) {
			s.Fault(*wrong(flaw.NoOpSwipe))
			return s.Swipe(ctx, act.How{}, named("scroll-list"), act.Swipe{Direction: "up"})
		}, want: want{outcome: ui.Unchanged}},
		{name: "drag onto", way: moving, do: drag("drag-lemon", "drop-basket", nil), want: want{outcome: ui.Changed, line: "Dropped: 1"}},
		{name: "drag onto nothing", way: moving, do: drag("drag-lemon", "no-such-basket", nil), want: want{code: fault.ElementNotFound}},
		{name: "drag to a point", way: moving, do: drag("drag-lemon", "", &ui.Point{X: 200, Y: 700}), want: want{method: "drag to 200, 700"}},
		{name: "pinch", way: moving, do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Pinch(ctx, act.How{}, named("gesture-pinch-area"), 2)
		}, want: want{method: "pinch", line: "pinches: 1"}},
		{name: "pinch the screen", way: moving, do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Pinch(ctx, act.How{}, ui.Query{}, 2)
		}, want: want{method: "pinch"}},
		{name: "rotate", do: func(ctx context.Context, s *stand) (act.Report, error) {
			defer func() {
				_, err := s.Rotate(ctx, "portrait")
				s.Must(err)
			}()
			return s.Rotate(ctx, "landscape-left")
		}, want: want{outcome: ui.Changed, method: "rotate"}},
		{name: "a button the device has not", do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Press(ctx, "lock", 0, 1)
		}, want: want{code: fault.Unsupported}},
	})
}

// An app that is gone is not looked at any more: the home screen is, from which others can be opened.
func TestHomeScreenIsReadAfterAppEnds(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance)
	s.screen()
	s.Must(s.Device.(device.Apps).Terminate(t.Context(), rig.Conformance))
	s.Must(s.Look(t.Context(), func(now *ui.Screen, _ *ui.Refs) {
		if now.App != "com.apple.springboard" || now.Ended != rig.Conformance+" has ended: it was terminated" {
			t.Errorf("%s is in front; %q", now.App, now.Ended)
		}
	}))
	report, err := s.Press(t.Context(), "home", 0, 1)
	s.check(want{method: "button"}, report, err)
	_, err = s.Tap(t.Context(), act.How{}, named("Shop"))
	s.Must(err)
}

func TestBackUsesButtonOrEdgeSwipe(t *testing.T) {
	back := func(ctx context.Context, s *stand) (act.Report, error) { return s.Back(ctx, act.How{}) }
	perform(t, []step{
		{name: "by the back button", way: []string{"Navigation", "nav-push-button"}, do: back,
			want: want{outcome: ui.Changed, method: "back button", line: `~ screen: "Detail" → "Navigation"`}},
		{name: "out of a question", way: []string{"Navigation", "nav-confirm-button"}, do: back,
			want: want{outcome: ui.Changed, method: "back button", line: "Cancelled"}},
		{name: "by the edge, where there is nowhere to go", do: back, want: want{outcome: ui.Unchanged, method: "edge swipe"}},
	})
}
