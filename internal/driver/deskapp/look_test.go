package deskapp_test

import (
	"bytes"
	"context"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/driver/deskapp"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// TestLookShowsElementsAtAnyWindowPosition: a look has everything that the app reports, wherever its windows are.
func TestLookShowsElementsAtAnyWindowPosition(t *testing.T) {
	s := newStand(t)
	for _, at := range []ui.Point{{X: 100, Y: 50}, {X: -900, Y: -700}, {X: 5000, Y: 3}} {
		s.app.MoveTo(at.X, at.Y)
		screen := s.screen()
		if view := screen.Viewport(); view != (ui.Rect{X: at.X, Y: at.Y, W: 400, H: 600}) {
			t.Errorf("the screen is %+v", view)
		}
		for label, want := range map[string]string{
			"Action": "Button", "Enabled": "CheckBox", "Ready": "StaticText", "Volume": "Slider", "Name": "TextField", "Items": "Table",
			"Off": "Button",
		} {
			n := screen.Match(named(label))
			if len(n) != 1 || n[0].Type != want || !n[0].Visible() || n[0].Disabled != (label == "Off") {
				t.Errorf("%s at %+v: %+v", label, at, n)
				continue
			}
			if _, why := screen.Reach(n[0]); (why == "") != (label != "Off") {
				t.Errorf("%s at %+v: %s", label, at, why)
			}
		}
	}
	s.shows(`window "Test App"`, `button "Action"`, `textbox "Name"`, "[disabled]")
	if s.screen().App != "cat" || s.screen().Title() != "cat" {
		t.Errorf("the app is %q, the screen %q", s.screen().App, s.screen().Title())
	}
}

// TestTopWindowCoversOthers: the topmost window covers the others at its place; a modal one covers them everywhere.
func TestTopWindowCoversOthers(t *testing.T) {
	s := newStand(t)
	s.app.Ask("Find", "Next", false, ui.Rect{X: -200, Y: 10, W: 250, H: 100})
	if view := s.screen().Viewport(); view != (ui.Rect{X: -200, Y: 10, W: 700, H: 640}) {
		t.Errorf("the screen is %+v", view)
	}
	r, err := s.Tap(t.Context(), act.How{}, named("Action"))
	s.came(r, err, "said", ui.Changed)

	s.app.Ask("Sure?", "Yes", true, ui.Rect{X: 600, Y: 700, W: 200, H: 80})
	if title := s.screen().Title(); title != "Sure?" {
		t.Errorf("in front is %q", title)
	}
	_, err = s.Tap(t.Context(), act.How{NoWait: true}, named("Action"))
	refused(t, err, fault.ElementUnhittable, fault.NotDispatched, "Sure?")
	r, err = s.Tap(t.Context(), act.How{}, named("Yes"))
	s.came(r, err, "said", ui.Changed)
	s.did("press Yes")
}

// TestRefsStayWhenScreenChanges: of controls that are alike, or have no name, each is known again whatever comes and goes; a window by
// another title, and one that is in front of it, change nothing else.
func TestRefsStayWhenScreenChanges(t *testing.T) {
	s := newStand(t)
	s.app.Add("AXButton", "Same")
	s.app.Add("AXButton", "Same")
	s.app.Add("AXSlider", "")
	refs := func() (all []string) {
		err := s.Look(t.Context(), func(screen *ui.Screen, refs *ui.Refs) {
			for _, n := range screen.Nodes() {
				if n.Label == "Same" || n.Type == "Slider" || n.Label == "Action" || n.Label == "Ready" {
					all = append(all, refs.Name(s.udid, screen, n))
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := refs()
	if len(before) != 6 {
		t.Fatalf("%v:\n%s", before, s.see())
	}
	for name, change := range map[string]func(){
		"a title": func() { s.app.Call("testapp", "*Test App") },
		"a value": func() { s.app.Set("Volume", func(_, value *string) { *value = "0.7" }) },
		"a modal": func() { s.app.Ask("Sure?", "Yes", true, ui.Rect{X: 100, Y: 700, W: 200, H: 80}) },
	} {
		shown := s.screen()
		change()
		if now := refs(); !slices.Equal(now, before) {
			t.Errorf("%s: %v, then %v", name, before, now)
		}
		if d := ui.Compare(shown, s.screen()); len(d.Removed) > 0 || len(d.Added) > 2 {
			t.Errorf("%s: %d elements are gone, %d new", name, len(d.Removed), len(d.Added))
		}
	}
	s.app.Remove("Same")
	if now := refs(); len(now) != 4 {
		t.Errorf("%v", now)
	}
}

// TestScrolledOutElementIsHidden: elements that are scrolled out of their window are hidden, even if another window is there.
func TestScrolledOutElementIsHidden(t *testing.T) {
	s := newStand(t)
	s.app.Show("Gestures")
	s.app.Ask("Find", "Next", false, ui.Rect{X: 100, Y: -1500, W: 400, H: 1200})
	r, err := s.Swipe(t.Context(), act.How{}, named("Rows"), act.Swipe{Direction: "up"})
	s.came(r, err, "done", ui.Changed)
	s.did("scroll Rows 0 -3")
	if n := s.node("Row 1"); n.Visible() {
		t.Errorf("%+v is seen", n.Frame)
	}
}

// TestSettledRequiresUnchangedScreen: an app is still when it sends no events, and also when it sends many and always shows the same.
func TestSettledRequiresUnchangedScreen(t *testing.T) {
	s := newStand(t)
	eyes := s.Device.(device.Eyes)
	wait := device.Wait{Stable: 300 * time.Millisecond, Max: time.Minute}
	if screen, err := eyes.Observe(t.Context(), wait); err != nil || !screen.Settled {
		t.Fatalf("%+v, %v", screen, err)
	}
	looks := s.app.Looks()
	if screen, err := eyes.Observe(t.Context(), wait); err != nil || !screen.Settled || s.app.Looks() != looks+1 {
		t.Errorf("an app that tells nothing was looked at %d times, %v", s.app.Looks()-looks, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	talks, quiet := make(chan struct{}), s.app.Events()
	go func() {
		defer close(talks)
		for tick := time.NewTicker(5 * time.Millisecond); ctx.Err() == nil; <-tick.C {
			s.app.Set("Ready", func(_, _ *string) {})
		}
	}()
	if err := s.app.Next(t.Context(), quiet); err != nil {
		t.Fatal(err)
	}
	screen, err := eyes.Observe(t.Context(), wait)
	if err != nil || !screen.Settled || screen.Waited > 30*time.Second {
		t.Errorf("an app that talks: settled %v after %s, %v", screen.Settled, screen.Waited, err)
	}
	stop()
	<-talks
	s.app.Restless()
	screen, err = eyes.Observe(t.Context(), device.Wait{Stable: 10 * time.Millisecond, Max: 100 * time.Millisecond})
	if err != nil || screen.Settled || screen.Waited < 100*time.Millisecond {
		t.Errorf("an app that always changes: settled %v after %s, %v", screen.Settled, screen.Waited, err)
	}
}

// TestObserveWaitsForChangeWithinPatience: an unchanged screen is watched until the app sends an event or the patience ends.
func TestObserveWaitsForChangeWithinPatience(t *testing.T) {
	s := newStand(t)
	eyes := s.Device.(device.Eyes)
	before := s.screen()
	wait := device.Wait{Stable: 20 * time.Millisecond, Max: time.Minute, Unlike: before.Digest, Patience: time.Minute}
	looks := s.app.Looks()
	go func() {
		if s.app.NextLook(t.Context(), looks) == nil { // it was looked at once more, and is as before
			s.app.Set("Ready", func(title, _ *string) { *title = "Late" })
		}
	}()
	after, err := eyes.Observe(t.Context(), wait)
	if err != nil || len(after.Match(named("Late"))) != 1 || after.Waited > 30*time.Second {
		t.Fatalf("%v", err)
	}
	wait.Unlike, wait.Patience = after.Digest, 30*time.Millisecond
	same, err := eyes.Observe(t.Context(), wait)
	if err != nil || same.Digest != after.Digest || same.Waited < 30*time.Millisecond {
		t.Errorf("after %s: %v", same.Waited, err)
	}
}

// TestWaitEndsWhenConditionHolds: a wait ends when its condition holds.
func TestWaitEndsWhenConditionHolds(t *testing.T) {
	s := newStand(t)
	looks := s.app.Looks()
	go func() {
		if s.app.NextLook(t.Context(), looks) == nil {
			s.app.Set("Ready", func(title, _ *string) { *title = "Welcome" })
		}
	}()
	done, err := s.Wait(t.Context(), act.Waiting{Condition: ui.HasText, Value: "Welcome", Timeout: time.Minute})
	if err != nil || !done.Matched {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestScreenshotShowsAllWindows: a picture shows all windows, each where a look has it.
func TestScreenshotShowsAllWindows(t *testing.T) {
	s := newStand(t)
	take := func() (size [2]int, at func(x, y int) color.Color) {
		raw, err := s.Device.(device.Camera).Screenshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		return [2]int{p.Bounds().Dx(), p.Bounds().Dy()}, p.At
	}
	if size, _ := take(); size != [2]int{800, 1200} {
		t.Errorf("one window: %v", size)
	}
	s.app.Ask("Find", "Next", false, ui.Rect{X: 0, Y: 0, W: 150, H: 100})
	size, at := take()
	if size != [2]int{1000, 1300} {
		t.Errorf("two windows: %v", size)
	}
	shade := func(x, y int) uint32 { r, _, _, _ := at(x, y).RGBA(); return r >> 8 }
	if shade(10, 10) != 0xFF || shade(250, 150) != 0xFF || shade(900, 1200) == 0xFF || shade(900, 1200) == 0 || shade(10, 1200) != 0 {
		t.Errorf("white %x %x, grey %x, nothing %x", shade(10, 10), shade(250, 150), shade(900, 1200), shade(10, 1200))
	}
	if !strings.Contains(s.see(), "Next") {
		t.Error("the dialog is not seen")
	}
}

// TestStillForFitsStableTimeIntoLimit: a short limit does not make an app still sooner.
func TestStillForFitsStableTimeIntoLimit(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct{ stable, most, want time.Duration }{
		{150 * ms, 80 * ms, 40 * ms}, {150 * ms, 1 * ms, 40 * ms}, {150 * ms, 3000 * ms, 150 * ms}, {100 * ms, 0, 100 * ms},
		{0, 80 * ms, 0}, {20 * ms, 80 * ms, 20 * ms},
	} {
		if got := deskapp.StillFor(device.Wait{Stable: c.stable, Max: c.most}); got != c.want {
			t.Errorf("%v within %v: %v, not %v", c.stable, c.most, got, c.want)
		}
	}
}
