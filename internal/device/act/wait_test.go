package act_test

import (
	"context"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

func TestWaitMatchesOrTimesOut(t *testing.T) {
	id := func(name string) ui.Query { return ui.Query{Identifier: name} }
	s := newStand(t)
	for _, c := range []struct {
		name    string
		app     string
		way     []string
		wait    act.Waiting
		matched bool
		polls   int           // at most, if not 0
		atLeast time.Duration // it takes
		atMost  time.Duration // of the world's time, which a busy machine does not stretch
	}{
		{name: "there already", way: []string{"Dynamic"},
			wait:    act.Waiting{Condition: ui.Exists, Query: id("dynamic-reset"), Timeout: 5 * time.Second},
			matched: true, polls: 1, atMost: time.Second},
		{name: "not there any more", way: []string{"Dynamic", "dynamic-show-brief"},
			wait: act.Waiting{Condition: ui.NotExists, Query: id("dynamic-brief-label"), Timeout: 5 * time.Second}, matched: true,
			atLeast: time.Second, atMost: 4 * time.Second},
		{name: "it goes", way: []string{"Dynamic", "dynamic-start-loading"},
			wait: act.Waiting{Condition: ui.IsGone, Query: id("dynamic-loading-spinner"), Timeout: 5 * time.Second}, matched: true,
			atMost: 3 * time.Second},
		{name: "a text", way: []string{"Dynamic", "dynamic-start-loading"},
			wait: act.Waiting{Condition: ui.HasText, Value: "Loading complete", Timeout: 5 * time.Second}, matched: true, atMost: 3 * time.Second},
		{name: "a text, looked for once", wait: act.Waiting{Condition: ui.HasText, Value: "Tapped: 0"}, matched: true, polls: 1,
			atMost: time.Second},
		{name: "nowhere, looked for once", wait: act.Waiting{Condition: ui.HasText, Value: "No such thing"}, polls: 1, atMost: time.Second},
		{name: "nowhere", wait: act.Waiting{Condition: ui.HasText, Value: "No such thing", Timeout: 2 * time.Second}, atLeast: 2 * time.Second,
			atMost: 3 * time.Second},
		{name: "nowhere, looked for rarely",
			wait:  act.Waiting{Condition: ui.Exists, Query: id("nothing"), Timeout: 2 * time.Second, Interval: time.Second},
			polls: 3, atLeast: 2 * time.Second, atMost: 3 * time.Second},
		{name: "visible", way: []string{"Navigation", "nav-extras-button"},
			wait: act.Waiting{Condition: ui.IsVisible, Query: id("extras-crash-soon")}},
		{name: "disabled", app: rig.Shop, wait: act.Waiting{Condition: ui.IsDisabled, Query: id("login-button")}, matched: true},
		{name: "enabled", app: rig.Shop, wait: act.Waiting{Condition: ui.IsEnabled, Query: id("login-button"), Timeout: time.Second},
			atLeast: time.Second},
		{name: "a value", wait: act.Waiting{Condition: ui.ValueEquals, Query: id("controls-toggle-wifi"), Value: "0"}, matched: true},
		{name: "part of a value", wait: act.Waiting{Condition: ui.ValueContains, Query: id("controls-slider-volume"), Value: "5"}, matched: true},
		{name: "the focus", app: rig.Shop, way: []string{"email-field"}, wait: act.Waiting{Condition: ui.HasFocus, Query: id("email-field")},
			matched: true},
		{name: "at rest", wait: act.Waiting{Condition: ui.IsSettled, Timeout: 2 * time.Second}, matched: true, polls: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			app := rig.Conformance
			if c.app != "" {
				app = c.app
			}
			s.begin(t, app, c.way...)
			var got act.Waited
			var err error
			passed := s.took(func() { got, err = s.Wait(t.Context(), c.wait) })
			s.Must(err)
			if got.Matched != c.matched || got.Took < c.atLeast || c.atMost > 0 && passed > c.atMost || c.polls > 0 && got.Polls > c.polls {
				t.Errorf("matched %t after %s (%s in the world) and %d looks; want %t after %s to %s and %d looks",
					got.Matched, got.Took, passed, got.Polls, c.matched, c.atLeast, c.atMost, c.polls)
			}
		})
	}
}

// The element that is waited for is named, so that the next step can use it.
func TestWaitNamesTheElement(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance, "Dynamic")
	_, err := s.Tap(t.Context(), act.How{}, named("dynamic-show-delayed"))
	s.Must(err)
	got, err := s.Wait(t.Context(), act.Waiting{Condition: ui.Exists, Query: named("dynamic-delayed-label"), Timeout: 5 * time.Second})
	s.Must(err)
	if got.Node == nil || got.Node.Label != "I appeared!" || "@"+got.Ref != s.ref("dynamic-delayed-label") {
		t.Errorf("got %+v", got)
	}
}

// A condition often holds while the screen still moves. What is shown then is the screen when it is still, with refs that can be used.
func TestWaitReturnsScreenAfterItSettles(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance, "Navigation")
	var at ui.Point
	s.Must(s.Look(t.Context(), func(screen *ui.Screen, _ *ui.Refs) { at = screen.Match(named("nav-extras-button"))[0].Frame.Centre() }))
	s.Must(s.Device.(device.Touch).Tap(t.Context(), at))
	got, err := s.Wait(t.Context(), act.Waiting{Condition: ui.Exists, Query: ui.Query{Label: "Read the guide"}, Timeout: 5 * time.Second})
	s.Must(err)
	later := ""
	s.Must(s.Look(t.Context(), func(screen *ui.Screen, _ *ui.Refs) { later = screen.Hash() }))
	if !got.Matched || !got.Still || got.Screen.Hash() != later || got.Polls != 1 {
		t.Errorf("%+v shows %s, then %s", got, outline.Header(got.Screen), later)
	}
	got, err = s.Wait(t.Context(), act.Waiting{Condition: ui.Exists, Query: named("nothing"), Timeout: 100 * time.Millisecond})
	if s.Must(err); got.Still || got.Screen == nil {
		t.Errorf("nobody waited until it was still: %+v", got)
	}
}

func TestWaitAcceptsRefUntilItExpires(t *testing.T) {
	s := newStand(t)
	waiting := func(c ui.Condition, ref string) (act.Waited, error) {
		return s.Wait(t.Context(), act.Waiting{Condition: c, Query: ui.Query{Ref: ref}, Timeout: time.Second})
	}
	s.begin(t, rig.Conformance)
	button := s.ref("controls-tap-button")
	if got, err := waiting(ui.Exists, button); err != nil || !got.Matched {
		t.Errorf("an element that is there: %+v, %v", got, err)
	}
	s.tap("Dynamic")
	if got, err := waiting(ui.NotExists, button); err != nil || !got.Matched {
		t.Errorf("an element that is gone: %+v, %v", got, err)
	}
	if got, err := waiting(ui.Exists, button); err != nil || got.Matched {
		t.Errorf("waiting for an element that is gone: %+v, %v", got, err)
	}

	s.begin(t, rig.Conformance, "Navigation", "nav-extras-button")
	twin := ""
	s.Must(s.Look(t.Context(), func(screen *ui.Screen, refs *ui.Refs) {
		n := screen.Match(ui.Query{Label: "Duplicate", Type: "Button"})[1]
		twin = "@" + refs.Name(s.Info.UDID, screen, n)
	}))
	report, err := s.Tap(t.Context(), act.How{}, ui.Query{Ref: twin})
	s.check(want{line: "Chosen: second"}, report, err)
	if _, err := waiting(ui.NotExists, twin); !fault.Is(err, fault.RefExpired) {
		t.Errorf("a ref that is no longer certain is not a missing element: %v", err)
	}
}

// An app that does not run has no elements: waiting for one to go is over, waiting for one to come goes on.
func TestWaitForGoneMatchesWhenAppHasEnded(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance)
	s.Must(s.Device.(device.Apps).Terminate(t.Context(), rig.Conformance))
	for condition, matched := range map[ui.Condition]bool{ui.NotExists: true, ui.IsGone: true, ui.Exists: false, ui.IsVisible: false} {
		got, err := s.Wait(t.Context(), act.Waiting{Condition: condition, Query: named("controls-tap-button"), Timeout: 10 * time.Millisecond})
		if err != nil || got.Matched != matched {
			t.Errorf("%s: %+v, %v", condition, got, err)
		}
	}
}

// A caller that gives up is told so, not that the condition did not hold.
func TestWaitReturnsCancelledWhenCallerLeaves(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Wait(ctx, act.Waiting{Condition: ui.Exists, Query: named("nothing"), Timeout: time.Minute})
	if !fault.Is(fault.From(err), fault.Cancelled) {
		t.Errorf("got %v", err)
	}
}

// An app that ends during a step tells why, and what it said last.
func TestAppCrashDuringStepIsReported(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance)
	s.Fault(*wrong(flaw.AppCrashOnTap))
	_, err := s.Tap(t.Context(), act.How{}, named("controls-tap-button"))
	f := fault.From(err)
	s.check(want{code: fault.AppEnded, dispatched: fault.Dispatched, says: "ended after the input: it crashed"}, act.Report{}, err)
	id, _ := f.Details["crash_id"].(string)
	advice := hint.Do("show_crash", "crash_id", id) + " shows where it crashed; launch it again: " +
		hint.Do("launch_app", "bundle_id", rig.Conformance)
	if f.Details["crash_report"] == nil || f.Details["crash"] == nil || len(id) != 12 || f.Hint != advice {
		t.Errorf("got %+v", f)
	}
	if lines, ok := f.Details["last_log_lines"].([]string); !ok || len(lines) == 0 {
		t.Errorf("its last lines are %v", f.Details["last_log_lines"])
	}

	s.begin(t, rig.Shop, "guest-button")
	_, err = s.Tap(t.Context(), act.How{}, named("crash"))
	s.check(want{code: fault.AppEnded, dispatched: fault.Dispatched, says: "Index out of range"}, act.Report{}, err)
}

// Once the input was sent, a screen that cannot be read hides nothing: the outcome is unknown.
func TestFailedLookGivesUnknownOutcome(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance)
	s.shows("Tapped: 0")
	s.Fault(*wrong(flaw.AppHang, "seconds", "600"))
	_, err := s.Tap(t.Context(), act.How{}, named("controls-tap-button"))
	s.check(want{code: fault.OutcomeUnknown, dispatched: fault.Dispatched, says: "reading the screen after it failed"}, act.Report{}, err)
}
