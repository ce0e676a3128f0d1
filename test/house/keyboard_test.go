package house_test

import (
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/test/house"
	"ios-agent/test/rig"
)

// leaver is an app with a screen that a tap beside its field leaves.
const leaver = `
start: mail
state: {to: ""}
screens:
  mail:
    title: Mail
    elements:
      - {button: Draft, id: go-draft, do: [{go: draft}]}
  draft:
    title: Draft
    elements:
      - {field: To, id: to, bind: to}
      - {area: Background, height: 700, do: [{go: mail}]}
`

// TestHideKeyboardFailsWhenItLeavesScreen: the answer has the outcome and the new screen, and is a fault.
func TestHideKeyboardFailsWhenItLeavesScreen(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", "")
	h.Must("a", "install_app", in{"app_path": rig.App(t, "com.example.leaver", leaver)})
	h.Must("a", "launch_app", in{"bundle_id": "com.example.leaver"})
	h.Must("a", "tap_element", in{"identifier": "go-draft"})
	h.Must("a", "tap_element", in{"identifier": "to"})
	e := h.Call("a", "hide_keyboard", nil)
	if e.Error == nil || e.Error.Code != fault.ScreenLeft || e.Error.Dispatched != fault.Dispatched {
		t.Errorf("error = %+v, want %s, dispatched", e.Error, fault.ScreenLeft)
	}
	for _, want := range []string{"→ changed", `"Draft" → "Mail"`} {
		if !strings.Contains(e.Text(), want) {
			t.Errorf("answer lacks %q: %s", want, e.Text())
		}
	}
}
