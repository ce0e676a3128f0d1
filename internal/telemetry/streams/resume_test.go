package streams_test

import (
	"slices"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/telemetry/streams"
)

// TestSessionResumesItsOwnLogs: when it drives the device again, and not when another does; a reader has them followed without
// taking them away from the session.
func TestSessionResumesItsOwnLogs(t *testing.T) {
	r := newRig(t)
	r.follow("ann", shop, device.LogInfo)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.Return(r.phone, owner("bob"))
	if got := r.Unheard(); !slices.Equal(got, []string{"PHONE-1"}) || len(r.phone.began()) != 1 {
		t.Errorf("after another session came: got %q unheard and %d beginnings, want PHONE-1 and 1", got, len(r.phone.began()))
	}
	r.Resume(r.phone, streams.Request{Owner: owner("bob")})
	r.status("log-PHONE-1-"+shop+"-info", "streaming")
	if got := r.Unheard(); len(got) != 0 {
		t.Errorf("after a reader came: got %q unheard, want none", got)
	}
	r.Return(r.phone, owner("ann"))
	if n := r.Stop(owner("bob"), shop); n != 1 {
		t.Errorf("the reader: got %d ended, want 1", n)
	}
	r.Heard("ann", "PHONE-1", true)
	if began := r.phone.began(); len(began) != 2 || began[1].Level != device.LogInfo {
		t.Errorf("got the beginnings %+v, want one that goes on for both sessions, at the level info", began)
	}
	if n := r.Stop(owner("ann"), shop); n != 1 {
		t.Errorf("the session: got %d ended, want 1", n)
	}
	r.status("log-PHONE-1-"+shop+"-info", "stopped")
}

// TestForgottenDeviceIsNotResumed: one that was deleted.
func TestForgottenDeviceIsNotResumed(t *testing.T) {
	r := newRig(t)
	r.follow("ann", shop, device.LogDefault)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.Forget("PHONE-1")
	if got := r.Unheard(); len(got) != 0 {
		t.Errorf("got %q unheard, want none", got)
	}
}

// TestRaiseLeavesAlogOfAWholeDeviceAlone: a second stream beside it would bring lines twice.
func TestRaiseKeepsLogOfWholeDevice(t *testing.T) {
	r := newRig(t)
	r.Follow(r.phone, streams.Request{Owner: owner("ann"), All: true})
	r.follow("ann", shop, device.LogDefault)
	if raised, captured := r.Raise(owner("ann"), shop, device.LogDebug); len(raised) != 0 || captured {
		t.Errorf("got %q raised and captured %v, want nothing", raised, captured)
	}
	r.Follow(r.phone, streams.Request{Owner: owner("ann"), All: true, Level: device.LogDebug})
	if raised, captured := r.Raise(owner("bob"), shop, device.LogInfo); len(raised) != 0 || !captured {
		t.Errorf("of all at debug: got %q raised and captured %v, want it captured", raised, captured)
	}
}

// TestDroppedMessagesAreCounted: `log stream` says that it dropped some and not how many.
func TestDroppedMessagesAreCounted(t *testing.T) {
	r := newRig(t)
	const says = "=== Messages dropped during live streaming (use `log show` to see what they were)"
	r.lines(event("one", ""), says, event("two", ""), says, event("three", ""))
	r.follow("ann", shop, device.LogDefault)
	r.await("three")
	state := r.status("log-PHONE-1-"+shop, "streaming")
	if state.Lost != 2 || state.Missing == "" || state.Captured != 3 {
		t.Errorf("got %+v, want three lines, two losses, and why", state)
	}
	lost := 0
	for _, e := range r.all() {
		if e.Message == "lines are missing here: log stream was too slow and dropped an unknown number of lines" {
			lost += e.Count
		}
	}
	if lost == 0 {
		t.Errorf("got %q, want the gap as a line", r.said())
	}
}
