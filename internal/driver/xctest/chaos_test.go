package xctest_test

import (
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/flaw"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/rig"
	"ios-agent/test/soak"
)

// TestTruthUnderChaos taps a button that counts while things go wrong, and holds every report to what the app itself says:
// "changed" is never said of a tap that did nothing, "unchanged" never of one that counted, no tap counts twice, and each
// fault has a code. When the chaos is over, everything works.
func TestTruthUnderChaos(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	for seed := range soak.Seeds(t, soak.Many(4)) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			c := &counting{Rig: r.In(t), step: act.Step{Device: r.Phone, Session: (&session.Store{}).Get("chaos")}}
			c.openApp(t)
			c.Must(c.Service.SetChaos(t.Context(), virtualxcode.Chaos{On: true, Seed: seed + 1, Rate: 0.25, Only: chaos}))
			for range 8 {
				c.tap(t)
			}
			c.openApp(t)
			before := c.count(t)
			report, err := c.step.Tap(t.Context(), act.How{}, ui.Query{Identifier: "controls-tap-button"})
			if err != nil || report.Outcome != ui.Changed || c.count(t) != before+1 {
				t.Errorf("after all that: %s, %v", report.Outcome, err)
			}
		})
	}
}

// chaos is made of these here: all of them pass by trying again, and none of them makes the app lie.
var chaos = []string{
	flaw.NoOpTap, flaw.AgentCrashBefore, flaw.AgentCrashAfterAct, flaw.AgentCrashAfterAnswer, flaw.AgentHalfFrame,
	flaw.AgentGarbage, flaw.AgentSlow, flaw.SimctlSlow, flaw.AgentExitsEarly, flaw.AgentPortTaken,
}

// counting is a session that taps, and looks at the count the way a person would.
type counting struct {
	*rig.Rig
	step act.Step
}

// openApp ends the chaos and puts the Conformance app in front.
func (c *counting) openApp(t *testing.T) {
	t.Helper()
	c.Must(c.Service.SetChaos(t.Context(), virtualxcode.Chaos{}))
	c.Calm()
	c.Must(c.Phone.(device.Power).Boot(t.Context()))
	_, err := c.Phone.(device.Apps).Launch(t.Context(), rig.Conformance, device.Launch{})
	c.Must(err)
	_, err = c.Phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	c.Must(err)
}

// count asks the app, as often as it takes.
func (c *counting) count(t *testing.T) int {
	t.Helper()
	var last error
	for range 20 {
		s, err := c.Phone.(device.Eyes).Observe(t.Context(), device.Wait{})
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
