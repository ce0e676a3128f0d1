package act_test

import (
	"testing"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode/flaw"
)

// late has buttons whose effect comes after a while, and a spinner.
const late = `
start: orders
state: {order: none, busy: false, seconds: 0}
screens:
  orders:
    title: Orders
    elements:
      - {text: "Order: {order}", id: order}
      - {button: Now, id: now, do: [{set: {order: placed}}]}
      - {button: Soon, id: soon, do: [{after: {seconds: 0.4, do: [{set: {order: placed}}]}}]}
      - {button: Later, id: later, do: [{after: {seconds: 0.8, do: [{set: {order: placed}}]}}]}
      - {button: Last, id: last, do: [{after: {seconds: 3, do: [{set: {order: placed}}]}}]}
      - {button: Sheet, id: sheet, do: [{after: {seconds: 0.6, do: [{sheet: receipt}]}}]}
      - {button: Never, id: never}
      - {button: Wait, id: wait, do: [{set: {busy: true}}]}
      - {button: Clock, id: clock, do: [{every: {seconds: 1, do: [{add: {seconds: 1}}]}}]}
      - {text: "{seconds} s", id: seconds}
      - {spinner: "", id: spinner, visible: {busy: true}}
  receipt:
    title: Receipt
    elements: [{text: Thank you}]
`

// An effect that comes late is an effect; what never comes is looked for as long as it was said, and no longer.
func TestLateEffectIsFoundWithinLimit(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.late", late)
	for _, c := range []struct {
		button  string
		expect  bool
		timeout time.Duration
		outcome ui.Outcome
		atLeast time.Duration // of the world's time
		atMost  time.Duration
	}{
		{button: "now", outcome: ui.Changed, atMost: 250 * time.Millisecond}, // no longer than without patience
		{button: "now", expect: true, outcome: ui.Changed, atMost: 250 * time.Millisecond},
		{button: "soon", outcome: ui.Changed, atMost: 900 * time.Millisecond},
		{button: "later", outcome: ui.Changed, atMost: 1300 * time.Millisecond},
		{button: "later", expect: true, outcome: ui.Changed, atMost: 1300 * time.Millisecond},
		{button: "last", expect: true, timeout: 5 * time.Second, outcome: ui.Changed, atLeast: 3 * time.Second,
			atMost: 3600 * time.Millisecond},
		{button: "last", outcome: ui.Unchanged, atLeast: 1700 * time.Millisecond, atMost: 1900 * time.Millisecond},
		{button: "last", expect: true, timeout: 2500 * time.Millisecond, outcome: ui.Unchanged, atLeast: 2500 * time.Millisecond,
			atMost: 2700 * time.Millisecond},
		{button: "never", outcome: ui.Unchanged, atLeast: 1700 * time.Millisecond, atMost: 1900 * time.Millisecond},
	} {
		t.Run(c.button+" "+string(c.outcome), func(t *testing.T) {
			s.begin(t, "com.example.late")
			s.screen()
			s.Expect = c.expect
			defer func() { s.Expect = false }()
			var report act.Report
			var err error
			took := s.took(func() { report, err = s.Tap(t.Context(), act.How{Timeout: c.timeout}, named(c.button)) })
			s.check(want{outcome: c.outcome}, report, err)
			if took < c.atLeast || took > c.atMost {
				t.Errorf("it took %s", took)
			}
			if c.outcome == ui.Unchanged && report.Looked < c.atLeast {
				t.Errorf("it says that it looked for %s", report.Looked)
			}
		})
	}
}

// A late effect that moves is told when it has come to rest.
func TestLateMovingEffectIsReportedSettled(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.late", late)
	s.begin(t, "com.example.late")
	report, err := s.Tap(t.Context(), act.How{}, named("sheet"))
	s.check(want{outcome: ui.Changed, line: `~ screen: "Orders" → "Receipt"`}, report, err)
	if !report.After.Settled {
		t.Error("the sheet was still moving")
	}
}

// What changes by itself is no effect, however long it is looked at.
func TestAmbientChangeIsNotTapEffect(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.late", late)
	for _, ambient := range []string{"wait", "clock"} {
		s.begin(t, "com.example.late")
		_, err := s.Tap(t.Context(), act.How{}, named(ambient))
		s.Must(err)
		s.Expect = true
		for range 3 {
			s.Fault(*wrong(flaw.NoOpTap))
			report, err := s.Tap(t.Context(), act.How{}, named("soon"))
			s.check(want{outcome: ui.Unchanged}, report, err)
		}
		report, err := s.Tap(t.Context(), act.How{}, named("later"))
		s.check(want{outcome: ui.Changed, line: `"Order: none" → "Order: placed"`}, report, err)
		s.Expect = false
	}
}
