package proxy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
)

// TestRecentReturnsFlowsOfDeviceAndTime: a flow is known as it was told last, of the device and the time that is asked for, the oldest
// first; the newest thousands stay.
func TestRecentReturnsFlowsOfDeviceAndTime(t *testing.T) {
	var r recent
	from := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tell := func(id, device string, after time.Duration, state flow.State) {
		r.Tell(flow.Flow{ID: id, State: state, Started: from.Add(after), Client: flow.Client{Simulator: device}})
	}
	told := func(s Span) string {
		var all []string
		for _, f := range r.in(s) {
			all = append(all, fmt.Sprint(f.ID, " ", f.State))
		}
		return strings.Join(all, ", ")
	}
	if got := told(Span{Device: "phone", From: from}); got != "" {
		t.Error(got)
	}
	tell("f_2", "phone", 2, flow.Open)
	tell("f_1", "phone", 1, flow.Open)
	tell("f_0", "phone", -1, flow.Done)
	tell("f_3", "pad", 1, flow.Done)
	tell("f_4", "", 1, flow.Done)
	tell("f_5", "phone", 5, flow.Done)
	tell("f_1", "phone", 1, flow.Failed)
	if got := told(Span{Device: "phone", From: from, To: from.Add(4)}); got != "f_1 failed, f_2 open" {
		t.Error(got)
	}
	if got := told(Span{Device: "phone", From: from}); got != "f_1 failed, f_2 open, f_5 done" {
		t.Error(got)
	}
	for i := range 2*mostRecent + 7 {
		tell(fmt.Sprint("n_", i), "phone", time.Duration(10+i), flow.Done)
	}
	all := r.in(Span{Device: "phone", From: from})
	if last := fmt.Sprint("n_", 2*mostRecent+6); len(all) != mostTold || all[len(all)-1].ID != last || len(r.place) != mostRecent {
		t.Errorf("%d flows, %d known, the last is %s", len(all), len(r.place), all[len(all)-1].ID)
	}
}
