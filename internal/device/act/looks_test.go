package act_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

// watched is a phone on paper whose looks are written down.
type watched struct {
	*fakedevice.Paper
	looks []string
	see   func(*ui.Screen) *ui.Screen // what is seen instead; may be nil

	count  int  // that its text shows
	spins  bool // a picture moves for ever
	ticks  bool // the count is another one at each look
	spun   float64
	digest string
}

func newWatched() *watched {
	w := &watched{Paper: &fakedevice.Paper{}}
	w.Draw = func() []*ui.Node {
		if w.ticks {
			w.count++
		}
		nodes := []*ui.Node{
			{Type: "Button", Identifier: "press", Label: "Press", Frame: ui.Rect{X: 100, Y: 200, W: 200, H: 40}},
			{Type: "StaticText", Identifier: "count", Label: fmt.Sprintf("%d presses", w.count), Frame: ui.Rect{Y: 300, W: 400, H: 40}},
		}
		if w.spins {
			w.spun = 30 - w.spun
			nodes = append(nodes, &ui.Node{Type: "Image", Identifier: "star", Label: "Star", Frame: ui.Rect{Y: 500 + w.spun, W: 40, H: 40}})
		}
		return nodes
	}
	return w
}

func (w *watched) Observe(ctx context.Context, wait device.Wait) (*ui.Screen, error) {
	look := fmt.Sprintf("%d/%d/%d", wait.Stable.Milliseconds(), wait.Min.Milliseconds(), wait.Max.Milliseconds())
	if wait.Unlike != "" {
		look += fmt.Sprintf(" unlike %s for %d", wait.Unlike, wait.Patience.Milliseconds())
	}
	w.looks = append(w.looks, look)
	s, err := w.Paper.Observe(ctx, wait)
	if err == nil {
		s.Digest, s.Settled = w.digest, s.Settled && !w.spins
	}
	if err == nil && w.see != nil {
		return w.see(s), nil
	}
	return s, err
}

func (w *watched) step() act.Step {
	return act.Step{Device: w, Session: (&session.Store{}).Get("test")}
}

// said is the looks since the last time; a repeated one has its number before it.
func (w *watched) said() string {
	var out []string
	for i := 0; i < len(w.looks); {
		n := 1
		for i+n < len(w.looks) && w.looks[i+n] == w.looks[i] {
			n++
		}
		out = append(out, strings.TrimPrefix(fmt.Sprintf("%d× %s", n, w.looks[i]), "1× "))
		i += n
	}
	w.looks = nil
	return strings.Join(out, ", ")
}

// TestTapLooksUseExpectedWaits: how long each look waits, as stable/least/most in milliseconds. Time passes only in looks.
func TestTapLooksUseExpectedWaits(t *testing.T) {
	ms := func(n int) *time.Duration { d := time.Duration(n) * time.Millisecond; return &d }
	for _, c := range []struct {
		name    string
		how     act.How
		expect  bool
		digest  string
		add     int // to the count, by the tap
		outcome ui.Outcome
		looks   string
	}{
		{name: "nothing changes", outcome: ui.Unchanged, looks: "100/0/1500, 150/200/3000, 10× 150/150/150"},
		{name: "the phone compares", digest: "d", outcome: ui.Unchanged, looks: "100/0/1500, 150/200/3000, 100/0/1500 unlike d for 1500"},
		{name: "digits change", add: 1, outcome: ui.Changed, looks: "100/0/1500, 150/200/3000, 22× 50/50/50"},
		{name: "digits, just time", how: act.How{React: ms(1100)}, add: 1, outcome: ui.Changed,
			looks: "100/0/1500, 150/200/3000, 22× 50/50/50"},
		{name: "digits, no time", how: act.How{React: ms(1099)}, add: 1, outcome: ui.Changed, looks: "100/0/1500, 150/200/3000"},
		{name: "no time", how: act.How{React: ms(0)}, outcome: ui.Unchanged, looks: "100/0/1500, 150/0/3000, "},
		{name: "a short settle", how: act.How{Settle: ms(80), React: ms(100)}, outcome: ui.Unchanged, looks: "100/0/80, 150/80/80"},
		{name: "a longer reaction", how: act.How{React: ms(300)}, outcome: ui.Unchanged, looks: "100/0/1500, 150/200/3000, 100/100/100"},
		{name: "a change is expected", expect: true, how: act.How{Timeout: 1250 * time.Millisecond}, outcome: ui.Unchanged,
			looks: "100/0/1500, 150/200/3000, 10× 150/150/150"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWatched()
			w.digest = c.digest
			w.React = func(string) { w.count += c.add }
			s := w.step()
			s.Expect = c.expect
			report, err := s.Tap(t.Context(), c.how, named("press"))
			if err != nil || report.Outcome != c.outcome {
				t.Errorf("%s: got %s and %v, want %s", c.name, report.Outcome, err, c.outcome)
			}
			if got := w.said(); got != strings.TrimSuffix(c.looks, ", ") {
				t.Errorf("%s: got the looks %s, want %s", c.name, got, c.looks)
			}
		})
	}
}

// TestTargetSearchLooksUntilTimeout: who waits for an element looks again, no longer than there is time.
func TestTargetSearchLooksUntilTimeout(t *testing.T) {
	for _, c := range []struct {
		how   act.How
		looks string
	}{
		{act.How{Timeout: 600 * time.Millisecond}, "100/0/1500, 2× 100/250/500"},
		{act.How{Timeout: 400 * time.Millisecond}, "100/0/1500, 100/250/500, 100/50/500"},
		{act.How{Timeout: 400 * time.Millisecond, NoWait: true}, "100/0/1500"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWatched()
			_, err := w.step().Tap(t.Context(), c.how, named("nothing"))
			if got := w.said(); got != c.looks || !fault.Is(err, fault.ElementNotFound) || len(w.Sent) > 0 {
				t.Errorf("%+v: got the looks %s and %v, want %s", c.how, got, err, c.looks)
			}
		})
	}
}

// TestWaitLooksAtInterval: the first one waits for nothing, the others for the interval.
func TestWaitLooksAtInterval(t *testing.T) {
	for _, c := range []struct {
		wait  act.Waiting
		polls int
		took  time.Duration
		looks string
	}{
		{act.Waiting{Condition: ui.Exists, Query: named("nothing"), Timeout: 600 * time.Millisecond}, 4, 600 * time.Millisecond,
			"0/0/0, 2× 0/250/250, 0/100/100"},
		{act.Waiting{Condition: ui.Exists, Query: named("nothing"), Timeout: 500 * time.Millisecond, Interval: 300 * time.Millisecond}, 3,
			500 * time.Millisecond, "0/0/0, 0/300/300, 0/200/200"},
		{act.Waiting{Condition: ui.Exists, Query: named("nothing")}, 1, 0, "0/0/0"},
		{act.Waiting{Condition: ui.Exists, Query: named("press")}, 1, 0, "0/0/0, 100/0/1500"},
		{act.Waiting{Condition: ui.IsSettled, Timeout: time.Second}, 1, 300 * time.Millisecond, "300/0/1000"},
		{act.Waiting{Condition: ui.IsSettled, Timeout: time.Millisecond}, 1, 300 * time.Millisecond, "300/0/300"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWatched()
			out, err := w.step().Wait(t.Context(), c.wait)
			if got := w.said(); err != nil || got != c.looks || out.Polls != c.polls || out.Took != c.took {
				t.Errorf("%+v: got the looks %s, %d polls in %s and %v; want %s, %d in %s", c.wait, got, out.Polls, out.Took, err, c.looks,
					c.polls, c.took)
			}
		})
	}
}

// TestFirstLookWaitsForEmptyApp: for 3 s after its launch.
func TestFirstLookWaitsForEmptyApp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched()
		w.Draw = nil
		if err := w.step().FirstLook(t.Context(), func(*ui.Screen, *ui.Refs) {}); err != nil {
			t.Fatal(err)
		}
		if got, want := w.said(), "100/0/1500, 13× 100/250/500"; got != want {
			t.Errorf("got the looks %s, want %s", got, want)
		}
	})
}

// TestLookLearnsMovingElementsOnce: what moves is learnt once; from then on the screen is still when all else is.
func TestLookLearnsMovingElementsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched()
		w.spins = true
		s := w.step()
		look := func() {
			t.Helper()
			if err := s.Look(t.Context(), func(*ui.Screen, *ui.Refs) {}); err != nil {
				t.Fatal(err)
			}
		}
		look()
		if got, want := w.said(), "100/0/1500, 5× 70/70/70"; got != want {
			t.Errorf("the first time: got the looks %s, want %s", got, want)
		}
		look()
		if got, want := w.said(), "2× 100/100/100"; got != want {
			t.Errorf("again: got the looks %s, want %s", got, want)
		}
		for _, c := range []struct {
			settle time.Duration
			want   string
		}{
			{99 * time.Millisecond, "2× 0/0/0, 150/0/99"}, {100 * time.Millisecond, "100/100/100, 0/0/0, 100/100/100"},
		} {
			_, err := s.Tap(t.Context(), act.How{Settle: &c.settle, React: new(time.Duration(0))}, named("press"))
			if got := w.said(); err != nil || got != c.want {
				t.Errorf("a tap with %s to settle: got the looks %s and %v, want %s", c.settle, got, err, c.want)
			}
		}
		w.ticks = true
		look()
		if got, want := w.said(), "15× 100/100/100, 5× 70/70/70"; got != want {
			t.Errorf("something else moves: got the looks %s, want that it is learnt: %s", got, want)
		}
		w.ticks, w.spins = false, false
		look()
		if got, want := w.said(), "100/100/100, 100/0/1500"; got != want {
			t.Errorf("at rest: got the looks %s, want %s", got, want)
		}
	})
}

// TestRefusedInputIsTriedFourTimes: the target had changed at the moment of the input, each time.
func TestRefusedInputIsTriedFourTimes(t *testing.T) {
	for noWait, want := range map[bool]int{false: 4, true: 1} {
		w, tries := newWatched(), 0
		w.Refuse = func(string) error {
			tries++
			return &device.RefusedError{Code: fault.ElementUnstable, Cause: errors.New("it moved")}
		}
		_, err := w.step().Tap(t.Context(), act.How{NoWait: noWait}, named("press"))
		if !fault.Is(err, fault.ElementUnstable) || tries != want {
			t.Errorf("without waiting %v: got %v after %d tries, want %d", noWait, err, tries, want)
		}
	}
}

// TestSeenStopsAfterRefusedInput: the list was scrolled before the refusal, so that what is seen next may be its effect.
func TestSeenStopsAfterRefusedInput(t *testing.T) {
	button := box("Button", "press", 0, 900, 100, 40)
	w := drawn(box("Table", "list", 0, 100, 400, 600, button))
	w.Paper.React = func(string) { button.Frame.Y = 300 }
	refused := false
	w.Refuse = func(sent string) error {
		if refused || !strings.HasPrefix(sent, "tap") {
			return nil
		}
		refused = true
		return &device.RefusedError{Code: fault.ElementUnstable, Cause: errors.New("it moved")}
	}
	s, seen := w.step(), 0
	s.Seen = func(*ui.Screen) { seen++ }
	if _, err := s.Tap(t.Context(), act.How{Scroll: true}, named("press")); err != nil || !refused || seen != 1 {
		t.Errorf("got %v, refused %v and %d screens told; want one", err, refused, seen)
	}
}

// TestFailedLookAfterInputIsReported: an app that ended, one that shows nothing, and a screen that cannot be read differ; and
// whether the input was sent is never said of one that may have been lost.
func TestFailedLookAfterInputIsReported(t *testing.T) {
	lost := fault.New(fault.AgentFailed, "cut off").WithDispatch(fault.MaybeDispatched)
	for _, c := range []struct {
		name       string
		lost       error
		gone       bool
		blind      error
		code       fault.Code
		dispatched fault.Dispatch
	}{
		{"ended", nil, true, nil, fault.AppEnded, fault.Dispatched},
		{"ended, lost", lost, true, nil, fault.OutcomeUnknown, fault.MaybeDispatched},
		{"behind", nil, false, fault.New(fault.AppNotInFront, "behind"), fault.AppNotInFront, fault.Dispatched},
		{"behind, lost", lost, false, fault.New(fault.AppNotInFront, "behind"), fault.OutcomeUnknown, fault.MaybeDispatched},
		{"unreadable", nil, false, errors.New("fog"), fault.OutcomeUnknown, fault.Dispatched},
		{"unreadable, lost", lost, false, errors.New("fog"), fault.OutcomeUnknown, fault.MaybeDispatched},
	} {
		w := newWatched()
		after := func(string) {
			w.Blind = c.blind
			if c.gone {
				w.see = func(s *ui.Screen) *ui.Screen { return ui.NewScreen(s.App, "not_running", nil) }
			}
		}
		w.React = after
		w.Refuse = func(sent string) error {
			if c.lost != nil {
				after(sent)
			}
			return c.lost
		}
		_, err := w.step().Tap(t.Context(), act.How{}, named("press"))
		if f := fault.From(err); err == nil || f.Code != c.code || f.Dispatched != c.dispatched {
			t.Errorf("%s: got %v (%v), want %s (%s)", c.name, err, f, c.code, c.dispatched)
		}
	}
}

// TestWaitWithoutScreenMatchesOnlyGone: an app that does not run has no elements, so that only waiting for one to go ends; a screen that
// cannot be read once the condition holds was read before.
func TestWaitWithoutScreenMatchesOnlyGone(t *testing.T) {
	for condition, want := range map[ui.Condition]bool{ui.NotExists: true, ui.IsGone: true, ui.Exists: false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWatched()
			w.see = func(s *ui.Screen) *ui.Screen { return ui.NewScreen(s.App, "not_running", nil) }
			out, err := w.step().Wait(t.Context(), act.Waiting{Condition: condition, Query: named("press")})
			if err != nil || out.Matched != want || out.Screen != nil || out.Still {
				t.Errorf("%s: got %+v and %v, want a match: %v", condition, out, err, want)
			}
		})
	}
	for _, blind := range []bool{false, true} {
		w := newWatched()
		w.see = func(s *ui.Screen) *ui.Screen {
			if blind {
				w.Blind = errors.New("fog")
			}
			return s
		}
		out, err := w.step().Wait(t.Context(), act.Waiting{Condition: ui.Exists, Query: named("press")})
		if err != nil || !out.Matched || out.Still == blind || out.Screen == nil || out.Node == nil || out.Ref == "" {
			t.Errorf("unreadable later %v: got %+v and %v, want a match with its screen", blind, out, err)
		}
	}
	w := newWatched()
	w.Blind = errors.New("fog")
	if err := w.step().FirstLook(t.Context(), func(*ui.Screen, *ui.Refs) { t.Error("a screen is shown that was not read") }); err == nil {
		t.Error("the first look of what cannot be read: got no error")
	}
	if _, err := w.step().Wait(t.Context(), act.Waiting{Condition: ui.NotExists, Query: named("press")}); err == nil {
		t.Error("a wait for what cannot be read: got no error")
	}
	w.Blind = nil
	rendered := false
	if err := w.step().FirstLook(t.Context(), func(*ui.Screen, *ui.Refs) { rendered = true }); err != nil || !rendered {
		t.Errorf("the first look: got %v, shown %v", err, rendered)
	}
}
