package agenttest

import (
	"reflect"
	"strings"

	"ios-agent/internal/driver/agentwire"
)

// alert asks for the alert in front; it returns nil without an alert.
func (d *driver) alert(m agentwire.Alert) *agentwire.AlertInfo {
	d.Helper()
	info, err := ask[*agentwire.AlertState](d, &m).Info()
	if err != nil {
		d.Fatal(err)
	}
	return info
}

// answers are the ways to answer an alert.
func answers(button string) []agentwire.Alert {
	return []agentwire.Alert{{Do: agentwire.AcceptAlert}, {Do: agentwire.DismissAlert}, {Do: agentwire.PressButton, Button: button}}
}

// alerts of the app, and its sheets of choices, are read and answered.
func alerts(b *bench) {
	d := b.driver()
	if info := d.alert(agentwire.Alert{}); info != nil {
		b.Errorf("without an alert: %+v", info)
	}
	for _, m := range answers("OK") {
		d.fault(agentwire.CodeNotFound, &m)
	}
	d.fault(agentwire.CodeBadRequest, &agentwire.Alert{Do: 4})

	d.tab("Navigation")
	want := agentwire.AlertInfo{Title: "Test Alert", Text: "This is a test alert.", Buttons: []string{"OK"}, Source: App}
	for _, m := range answers("OK") {
		d.tap("nav-alert-button")
		if info := d.alert(agentwire.Alert{}); info == nil || !reflect.DeepEqual(*info, want) {
			b.Fatalf("read: %+v", info)
		}
		d.fault(agentwire.CodeNotFound, &agentwire.Alert{Do: agentwire.PressButton, Button: "ok"})
		if info := d.alert(m); info == nil || !reflect.DeepEqual(*info, want) {
			b.Errorf("%+v: got alert %+v", m, info)
		}
		d.gone()
		d.reads("nav-status-label", "Alert confirmed")
	}

	shows := []string{"Deleted", "Cancelled", "Deleted"}
	for i, m := range answers("Delete") {
		d.tap("nav-confirm-button")
		d.element("nav-confirm-delete")
		if info := d.alert(m); info == nil || info.Title != "Are you sure?" || len(info.Buttons) != 2 || info.Source != App {
			b.Fatalf("a question: %+v", info)
		}
		d.gone()
		d.reads("nav-status-label", shows[i])
	}
}

// gone waits until the alert has gone.
func (d *driver) gone() {
	d.Helper()
	ask[*agentwire.Sight](d, &agentwire.Look{Wait: agentwire.Wait{StableMS: 200, MaxMS: 5000}})
	if info := d.alert(agentwire.Alert{}); info != nil {
		d.Fatalf("the alert is still there: %+v", info)
	}
}

// system alerts: accepting agrees, dismissing does not, wherever the button is.
func systemAlerts(b *bench) {
	for _, c := range []struct {
		what  string
		do    agentwire.Alert
		shows string
	}{
		{"permissions-notifications", agentwire.Alert{Do: agentwire.AcceptAlert}, "granted"},
		{"permissions-notifications", agentwire.Alert{Do: agentwire.DismissAlert}, "denied"},
		{"permissions-location", agentwire.Alert{Do: agentwire.AcceptAlert}, "granted"},
		{"permissions-location", agentwire.Alert{Do: agentwire.DismissAlert}, "denied"},
		{"permissions-location", agentwire.Alert{Do: agentwire.PressButton, Button: "Allow Once"}, "once"},
	} {
		d := b.driver() // an answer holds for good: each on a device of its own
		d.asked(c.what)
		d.fault(agentwire.CodeNotFound, &agentwire.Alert{Do: agentwire.PressButton, Button: "Maybe"})
		before := d.alert(agentwire.Alert{})
		if before == nil || before.Source != springboard || !strings.Contains(before.Title, "Conformance") ||
			!strings.HasPrefix(before.Text, "To test ") {
			b.Fatalf("%s asks %+v", c.what, before)
		}
		if info := d.alert(c.do); !reflect.DeepEqual(info, before) {
			b.Errorf("%+v: got alert %+v, want %+v", c.do, info, before)
		}
		d.gone()
		d.reads("permissions-answer", "Last answer: "+c.shows)
	}
}

// asked lets the system ask something.
func (d *driver) asked(button string) {
	d.Helper()
	d.open("nav-permissions-button")
	d.reads("permissions-answer", "Last answer: none")
	d.tap(button)
	ask[*agentwire.Sight](d, &agentwire.Look{Wait: agentwire.Wait{StableMS: 200, MaxMS: 5000}})
}

// two roots: an alert of the system is SpringBoard's tree beside the target's, and over it.
func twoRoots(b *bench) {
	d := b.driver()
	if roots := d.roots(&agentwire.Look{}); len(roots) != 1 {
		b.Fatalf("%d roots without an alert", len(roots))
	}
	d.asked("permissions-notifications")
	dumped, err := ask[*agentwire.Tree](d, &agentwire.DumpTree{}).Elements()
	if err != nil {
		b.Fatal(err)
	}
	for _, roots := range [][]agentwire.Element{d.roots(&agentwire.Look{}), dumped} {
		if len(roots) != 2 || roots[0].Label != "Conformance" || roots[1].Type != "Application" {
			b.Fatalf("%d roots, the first %q", len(roots), roots[0].Label)
		}
		found := map[string]int{}
		walk(roots[1:], func(e *agentwire.Element, _ int) { found[e.Type]++ })
		if found["Alert"] != 1 || found["Button"] != 2 || found["Icon"] != 0 {
			b.Errorf("SpringBoard's tree has %v", found)
		}
	}

	if el := d.element("permissions-location"); el.Hittable == nil || *el.Hittable {
		b.Errorf("under the alert: %+v", el)
	}
	d.fault(agentwire.CodeNotHittable, &agentwire.TapElement{Selector: "permissions-location"})
	d.fault(agentwire.CodeNotHittable, &agentwire.TapElement{Selector: "permissions-location", TimeoutMS: new(uint64(200))})
	d.fault(agentwire.CodeNotFound, &agentwire.TapByLabel{Label: "Allow[1]"})
	d.ok(&agentwire.TapByLabel{Label: "Allow", TimeoutMS: soon()})
	d.gone()
	d.reads("permissions-answer", "Last answer: granted")
	if roots := d.roots(&agentwire.Look{}); len(roots) != 1 {
		b.Errorf("%d roots after the answer", len(roots))
	}
}
