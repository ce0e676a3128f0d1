package appium_test

import (
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

// TestSystemAlertIsFoundOverAppAlert: the system's alert is found although the app shows an alert too.
func TestSystemAlertIsFoundOverAppAlert(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.Launch(rig.Conformance)
	s.tap(t, ui.Query{Label: "Navigation", Type: "Button"})
	s.tap(t, ui.Query{Identifier: "nav-alert-button"})
	for _, want := range []int{1, 2} {
		found := s.look(t).Match(ui.Query{Type: "Alert"})
		if len(found) != want {
			t.Errorf("%d alerts, want %d: %v", len(found), want, found)
		}
		s.Fault(virtualxcode.Fault{Name: flaw.AlertAtLaunch})
		_, err := s.Phone.(device.Apps).Launch(t.Context(), rig.Conformance, device.Launch{}) // it is running: only SpringBoard's alert comes
		s.Must(err)
	}
}
