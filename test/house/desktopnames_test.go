package house_test

import (
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/ui"
	"ios-agent/test/house"
)

// TestADesktopElementHasOneName: trees of strobe's tools, snapshots, diffs and hints call an element by the same name, and every tool of
// both doors takes it.
func TestADesktopElementHasOneName(t *testing.T) {
	t.Parallel()
	d := newStage(t)
	udid := in{"udid": d.udid()}
	button := d.named("Action")
	seen := d.Must("ada", "snapshot", udid).Stdout
	if want := `button "Action" [ref=` + button + `]`; !strings.Contains(seen, want) {
		t.Fatalf("got a snapshot without %s:\n%s", want, seen)
	}
	for _, ref := range []string{button, "@" + button} {
		tapped := house.Result[touch.ActionOut](d.House, d.Must("ada", "tap_element", in{"udid": d.udid(), "ref": ref}))
		if tapped.Outcome != ui.Changed || tapped.Target.Ref != "@"+button {
			t.Errorf("tap of %s: got %s on %s, want changed on @%s", ref, tapped.Outcome, tapped.Target.Ref, button)
		}
		if clicked := d.act("", "click", in{"id": ref}); !clicked.Success {
			t.Errorf("click on %s: got %s, want success", ref, clicked.Error)
		}
	}
	d.app.OnPress(func(title string, _ uint64) {
		if title == "Action" {
			d.app.Ask("Save changes?", "Save", true, ui.Rect{X: 150, Y: 200, W: 200, H: 100})
		}
	})
	opened := d.act("Action", "click", nil)
	ref := regexp.MustCompile(`button "Save" \[ref=(\w+)\]`).FindStringSubmatch(strings.Join(opened.Diff, "\n"))
	if ref == nil {
		t.Fatalf("got a diff without a name for the button:\n%s", strings.Join(opened.Diff, "\n"))
	}
	if saved := d.act("", "click", in{"id": ref[1]}); !saved.Success || saved.NodeBefore.Title != "Save" {
		t.Errorf("click on the name of the diff: got %+v, want success on Save", saved)
	}
	e := d.Call("ada", "tap_element", in{"udid": d.udid(), "ref": ref[1]})
	if e.Error == nil || e.Error.Code != fault.RefExpired || !strings.Contains(e.Error.Hint, "@"+button) {
		t.Errorf("tap of what is gone: got %s, want %s and the names of others", e.Text(), fault.RefExpired)
	}
}

// TestDesktopRefIsRefusedForOtherProcess: another session, which was not shown the element, does not act on it by its name.
func TestDesktopRefIsRefusedForOtherProcess(t *testing.T) {
	d := newDesk(t).attach("a", "b")
	seen := d.run(0, "snapshot", "--pid", d.pid(0))
	ref := regexp.MustCompile(`button "Action" \[ref=(\w+)\]`).FindStringSubmatch(seen)
	if ref == nil {
		t.Fatalf("no ref of the button:\n%s", seen)
	}
	said := d.run(fault.RefExpired.Exit(), "tap", ref[1], "--pid", d.pid(1))
	if !strings.Contains(said, "belongs to another device") {
		t.Errorf("got %s, want that it belongs to another device", said)
	}
	e := d.Call("b", "tap_element", in{"udid": d.id(0), "ref": ref[1]})
	if e.Error == nil || e.Error.Code != fault.RefExpired {
		t.Errorf("a session that was not shown it: got %s, want %s", e.Text(), fault.RefExpired)
	}
	if did := d.apps[1].Did(); len(did) > 0 {
		t.Errorf("%q reached the other app", did)
	}
}
