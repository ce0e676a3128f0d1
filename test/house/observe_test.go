package house_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/client/connect"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// observed is a house whose calls are written down as an observer sees them.
func observed(t *testing.T) (h *house.House, of func(name string) []*op.Exchange) {
	t.Helper()
	var all []*op.Exchange
	h = house.New(t, house.Options{Observers: []op.Observer{op.Ended(func(_ context.Context, x *op.Exchange) { all = append(all, x) })}})
	h.Boot("a", drivertest.Conformance)
	return h, func(name string) []*op.Exchange {
		return slices.DeleteFunc(slices.Clone(all), func(x *op.Exchange) bool { return x.Name != name })
	}
}

// TestObserverGetsInputAnswerAndScreens: what was asked and answered, on which device, under which lease, and the screens before and after
// it.
func TestObserverGetsInputAnswerAndScreens(t *testing.T) {
	t.Parallel()
	h, of := observed(t)
	e := h.Must("a", "tap_element", in{"label": "Tap Me"})
	h.Must("a", "snapshot", nil)
	x := of("tap_element")[0]
	if x.Input()["label"] != "Tap Me" || x.Answer.Stdout != e.Stdout || x.Answer.Meta.Step != e.Meta.Step ||
		x.Call.Device.UDID != e.Meta.Device.UDID {
		t.Errorf("got %v, %+v", x.Input(), x.Answer)
	}
	if len(x.Seen) != 2 || x.Seen[0].Hash() == x.Seen[1].Hash() {
		t.Fatalf("got %v, want the screens before and after", x.Seen)
	}
	if _, is := x.Seen[1].(*ui.Screen); !is {
		t.Errorf("got a %T, want a screen", x.Seen[1])
	}
	look := of("snapshot")[0]
	if launch := of("launch_app")[0]; x.Call.Epoch == 0 || x.Call.Epoch != launch.Call.Epoch || look.Call.Epoch != 0 {
		t.Errorf("got the leases %d of the tap, %d of the launch and %d of the look; want one for both, and none", x.Call.Epoch,
			launch.Call.Epoch, look.Call.Epoch)
	}
}

// TestStepsNameTheirParentCall: of a batch, of an audit, of a run of connect.
func TestStepsNameTheirParentCall(t *testing.T) {
	t.Parallel()
	h, of := observed(t)
	h.Must("a", "tap_element", in{"label": "Tap Me"})
	h.Must("a", "batch", in{"steps": []string{"tap --label 'Tap Me'"}})
	h.Must("a", "audit", in{"steps": []string{"tap --label 'Tap Me'"}})
	run := runOf(h, &scripted{script: []func(connect.Turn) string{tapOn(t, "Tap Me")}})
	run.App = drivertest.Conformance
	if _, err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	taps := of("tap_element")
	if len(taps) != 4 {
		t.Fatalf("got %d taps, want 4", len(taps))
	}
	for i, parent := range []string{"", of("batch")[0].Call.ID, of("audit")[0].Call.ID} {
		if got := taps[i].Call.Parent; got != parent {
			t.Errorf("tap %d has the parent %q, want %q", i+1, got, parent)
		}
	}
	looks, last := of("snapshot"), taps[3].Call.Parent
	if !strings.HasPrefix(last, "connect-") || len(looks) < 2 || looks[len(looks)-1].Call.Parent != last {
		t.Errorf("got the parent %q of the tap, want the run's as of its looks", last)
	}
	if b := of("batch")[0]; b.Mode != op.Job || b.Job == "" {
		t.Errorf("the batch has mode %d and job %q, want a job", b.Mode, b.Job)
	}
}
