package xctest_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/driver/drivertest"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode/flaw"
)

// seeds is how many worlds go wrong, each in its own way; `make soak` asks for more.
func seeds(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("IOS_AGENT_SOAK_SEEDS")); err == nil {
		return n
	}
	if testing.Short() {
		t.Skip("chaos takes its time")
	}
	if raceEnabled {
		return 2 // every tool is a start of this program, which takes a second with the race detector; make soak has the others
	}
	return 12
}

// TestTruthUnderChaos taps a button that counts while things go wrong, and holds every report to what the app itself says:
// "changed" is never said of a tap that did nothing, "unchanged" never of one that counted, no tap counts twice, and each
// fault has a code. When the chaos is over, everything works.
func TestTruthUnderChaos(t *testing.T) {
	r := newRig(t)
	for seed := range seeds(t) {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			r.t = t
			r.openChaos(uint64(seed + 1))
			c := &counting{r: r, step: act.Step{Device: r.phone, Session: (&session.Store{}).Get("chaos")}}
			for range 8 {
				c.tap(t)
			}
			r.must(r.service.SetChaos(t.Context(), flaw.Chaos{}))
			r.must(r.service.ClearFaults(t.Context(), ""))
			r.openApp()
			before := c.count(t)
			report, err := c.step.Tap(t.Context(), act.How{}, ui.Query{Identifier: "controls-tap-button"})
			if err != nil || report.Outcome != ui.Changed || c.count(t) != before+1 {
				t.Errorf("after all that: %s, %v", report.Outcome, err)
			}
		})
	}
}

// troubles are what chaos is made of here: all of them pass by trying again, and none of them makes the app lie.
var troubles = []string{
	flaw.NoOpTap, flaw.AgentCrashBefore, flaw.AgentCrashAfterAct, flaw.AgentCrashAfterAnswer, flaw.AgentHalfFrame,
	flaw.AgentGarbage, flaw.AgentSlow, flaw.SimctlSlow, flaw.AgentExitsEarly, flaw.AgentPortTaken,
}

func (r *rig) openChaos(seed uint64) {
	r.t.Helper()
	r.must(r.service.SetChaos(r.t.Context(), flaw.Chaos{}))
	r.openApp()
	r.must(r.service.SetChaos(r.t.Context(), flaw.Chaos{On: true, Seed: seed, Rate: 0.25, Only: troubles}))
}

// openApp opens the phone anew with the Conformance app in front.
func (r *rig) openApp() {
	r.t.Helper()
	if r.phone == nil {
		r.phone = r.driver.Open(r.info)
	}
	r.must(r.phone.(device.Power).Boot(r.t.Context()))
	_, err := r.phone.(device.Apps).Launch(r.t.Context(), drivertest.Conformance, device.Launch{})
	r.must(err)
	r.must(r.look(r.t.Context()))
}

// counting is a session that taps, and looks at the count the way a person would.
type counting struct {
	r    *rig
	step act.Step
}

// count asks the app, as often as it takes.
func (c *counting) count(t *testing.T) int {
	t.Helper()
	var last error
	for range 20 {
		s, err := c.r.phone.(device.Eyes).Observe(t.Context(), device.Wait{})
		if err != nil {
			last = err
			continue
		}
		for _, n := range s.Match(ui.Query{Identifier: "controls-tap-count"}) {
			if count, err := strconv.Atoi(strings.TrimPrefix(n.Label, "Tapped: ")); err == nil {
				return count
			}
		}
	}
	t.Fatalf("nobody tells the count: %v", last)
	return 0
}

func (c *counting) tap(t *testing.T) {
	t.Helper()
	before := c.count(t)
	report, err := c.step.Tap(t.Context(), act.How{}, ui.Query{Identifier: "controls-tap-button"})
	after := c.count(t)
	if after < before || after > before+1 {
		t.Errorf("one tap counted %d times", after-before)
	}
	if err != nil {
		f := fault.From(err)
		switch {
		case f.Code == fault.Internal:
			t.Errorf("a fault without a code: %v", err)
		case f.Dispatched == fault.NotDispatched && after != before:
			t.Errorf("%s says that nothing was sent, and it counted", f.Code)
		}
		return
	}
	if report.Outcome == ui.Changed && after == before {
		t.Errorf("changed is said of a tap that did nothing: %v", report.Lines)
	}
	if report.Outcome == ui.Unchanged && after != before {
		t.Errorf("unchanged is said of a tap that counted")
	}
}
