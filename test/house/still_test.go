package house_test

import (
	"strings"
	"testing"

	"ios-agent/internal/ui"
	"ios-agent/test/house"
	"ios-agent/test/rig"
)

// spinning shows a spinner by itself, later than any look waits for.
const spinning = `
start: one
state: {busy: false}
screens:
  one:
    title: Spinning
    elements:
      - {button: Start, do: [{after: {seconds: 5, do: [{set: {busy: true}}]}}]}
      - {spinner: Loading, visible: {busy: true}}
`

// TestAStillScreenIsAnsweredAtOnce: a look at a screen on which nothing was done since it was still takes no time; whatever
// changes it is seen, and what an operation began is waited for.
func TestAStillScreenIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("ann", rig.Conformance)
	look := func(session string) (ui.Snapshot, bool) {
		before := h.World.Now()
		seen := snapshot(t, h, session)
		return seen, h.World.Now().Equal(before)
	}
	snapshot(t, h, "ann")
	if _, atOnce := look("ann"); !atOnce {
		t.Error("a still screen was waited for")
	}
	h.Must("ann", "open", map[string]any{"url": "shop://cart"})
	if seen, atOnce := look("ann"); seen.App != shop || !seen.Settled || atOnce {
		t.Errorf("after a link: %s, settled %v, at once %v", seen.App, seen.Settled, atOnce)
	}
	h.Must("ann", "claim_device", map[string]any{"udid": udid})
	h.Must("bob", "take_over_device", map[string]any{"udid": udid, "reason": "a test"})
	h.Must("bob", "launch_app", map[string]any{"udid": udid, "bundle_id": rig.Conformance, "restart": true})
	h.Must("bob", "open", map[string]any{"udid": udid, "url": "shop://cart"})
	if seen, atOnce := look("ann"); seen.App != shop || atOnce {
		t.Errorf("after another session's link: %s, at once %v", seen.App, atOnce)
	}
	if err := h.World.SetPrivacy(t.Context(), udid, shop, "granted", "notifications"); err != nil {
		t.Fatal(err)
	}
	h.Must("bob", "launch_app", map[string]any{"udid": udid, "bundle_id": rig.Conformance})
	snapshot(t, h, "ann")
	h.Must("bob", "push", map[string]any{"udid": udid, "bundle_id": shop, "body": "Your order is ready"})
	if seen, _ := look("ann"); !shows(seen, "Your order is ready") {
		t.Error("a notification is not shown")
	}
}

// TestANewSpinnerIsSeen: an element that comes by itself is in the next look, also one that hashes of screens leave out.
func TestANewSpinnerIsSeen(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ann", rig.Conformance)
	h.Must("ann", "install_app", map[string]any{"app_path": rig.App(t, "com.example.spinning", spinning)})
	h.Must("ann", "launch_app", map[string]any{"bundle_id": "com.example.spinning"})
	h.Must("ann", "tap_element", map[string]any{"label": "Start"})
	if shows(snapshot(t, h, "ann"), "Loading") {
		t.Fatal("it spins already")
	}
	h.Must("ann", "wait", map[string]any{"label": "Nothing", "timeout": 6, "soft": true})
	if !shows(snapshot(t, h, "ann"), "Loading") {
		t.Error("the spinner is not shown")
	}
}

func shows(s ui.Snapshot, text string) bool {
	for _, e := range s.Elements {
		if strings.Contains(e.Label, text) {
			return true
		}
	}
	return false
}
