package act_test

import (
	"testing"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

// A notification lies over the top of the app in front for some seconds. What is under it is not touched, what is beside it is,
// and that it came is no effect of a tap.
func TestNotificationBannerCoversElementsUnderIt(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance, "Navigation", "nav-push-button")
	s.Must(s.World.SetPrivacy(t.Context(), s.Info.UDID, rig.Shop, "granted", "notifications"))
	s.Must(s.World.SendPush(t.Context(), s.Info.UDID, rig.Shop, `{"aps":{"alert":{"title":"Shop","body":"Your order is ready"}}}`))
	s.shows("Your order is ready", "[covered]")

	_, err := s.Tap(t.Context(), act.How{NoWait: true}, named("BackButton"))
	s.check(want{code: fault.ElementUnhittable, says: "Your order is ready"}, act.Report{}, err)
	front, err := s.World.Foreground(s.Info.UDID)
	if s.Must(err); front != rig.Conformance {
		t.Fatalf("a tap was sent: %s is in front", front)
	}
	report, err := s.Tap(t.Context(), act.How{Timeout: 10 * time.Second}, named("BackButton")) // it goes by itself
	s.check(want{outcome: ui.Changed, line: `~ screen: "Detail" → "Navigation"`}, report, err)

	s.screen()
	s.Must(s.World.SendPush(t.Context(), s.Info.UDID, rig.Shop, `{"aps":{"alert":"Another"}}`))
	s.Fault(*wrong(flaw.NoOpTap))
	report, err = s.Tap(t.Context(), act.How{}, named("nav-alert-button"))
	s.check(want{outcome: ui.Unchanged}, report, err)
	s.tap("Controls")
}
