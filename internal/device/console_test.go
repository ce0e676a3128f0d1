package device_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

func TestOwnerMatches(t *testing.T) {
	o := device.Owner{Session: "ann", UDID: "A"}
	for want, is := range map[device.Owner]bool{
		{}:                            true,
		{Session: "ann"}:              true,
		{UDID: "A"}:                   true,
		{Session: "ann", UDID: "A"}:   true,
		{Session: "bob"}:              false,
		{Session: "ann", UDID: "B"}:   false,
		{Session: "other", UDID: "A"}: false,
	} {
		if o.Matches(want) != is {
			t.Errorf("%+v matches %+v: %v", o, want, !is)
		}
	}
}

// plain is a device without abilities; one with a hint also knows what can do what it cannot.
type plain struct{}

func (plain) Info() device.Info { return device.Info{Name: "Ada’s iPhone"} }
func (plain) Driver() string    { return "test" }
func (plain) Close() error      { return nil }

type advised struct {
	plain
	hint string
}

func (a advised) Instead(string) string { return a.hint }

// able can end processes.
type able struct{ plain }

func (able) EndProcess(context.Context, int) error { return nil }

func TestAnAbilityIsGivenOrItsLackExplained(t *testing.T) {
	if _, err := device.As[device.Processes](able{}); err != nil {
		t.Error(err)
	}
	for d, hint := range map[device.Device]string{
		plain{}:                          fault.Unsupported.Hint(),
		advised{}:                        fault.Unsupported.Hint(),
		advised{hint: "use a simulator"}: "use a simulator",
	} {
		_, err := device.As[device.Eyes](d)
		f := fault.From(err)
		if f.Code != fault.Unsupported || f.Hint != hint || !strings.Contains(f.Message, "Ada’s iPhone cannot do this: driver test has no Eyes") {
			t.Errorf("%+v: %+v", d, f)
		}
	}
}

// TestALaneIsLeftByWhoeverGaveUpWaiting: a caller whose ctx ends gets no turn, and the next one does.
func TestALaneIsLeftByWhoeverGaveUpWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane, held := device.NewLane(), make(chan struct{})
		go func() { _ = lane.Do(t.Context(), func() error { <-held; return nil }) }()
		synctest.Wait()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := lane.Do(gone, func() error { t.Error("it had a turn"); return nil }); err == nil {
			t.Error("no error")
		}
		close(held)
		turn := false
		if err := lane.Do(t.Context(), func() error { turn = true; return nil }); err != nil || !turn {
			t.Error(err, turn)
		}
	})
}
