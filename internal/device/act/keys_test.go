package act_test

import (
	"strings"
	"testing"

	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

// TestKeysAreRefusedUnderSystemAlert: they reach neither it nor the field below, and are not sent. An alert of the app's own may take them.
func TestKeysAreRefusedUnderSystemAlert(t *testing.T) {
	alert := &ui.Node{Type: "Alert", Label: "Allow?", Frame: ui.Rect{X: 50, Y: 300, W: 300, H: 200}}
	for name, c := range map[string]struct {
		over    *ui.Node
		refused bool
		inside  bool // the field is in the alert
	}{
		"of the system": {refused: true, over: &ui.Node{
			Type: "Application", Label: "SpringBoard", Frame: ui.Rect{W: 400, H: 800}, Children: []*ui.Node{alert}}},
		"of the app":           {over: alert},
		"that asks for a text": {over: &ui.Node{Type: "Alert", Label: "Sign in", Frame: ui.Rect{X: 50, Y: 300, W: 300, H: 200}}, inside: true},
	} {
		t.Run(name, func(t *testing.T) {
			paper := &fakedevice.Paper{Draw: func() []*ui.Node {
				field := &ui.Node{Type: "TextField", Identifier: "name", Label: "Name", Focused: true, Frame: ui.Rect{Y: 100, W: 400, H: 40}}
				if c.inside {
					asks := *c.over
					asks.Children = []*ui.Node{field}
					return []*ui.Node{{Type: "Application", Label: "SpringBoard", Frame: ui.Rect{W: 400, H: 800}, Children: []*ui.Node{&asks}}}
				}
				return []*ui.Node{field, c.over}
			}}
			step := act.Step{Device: paper, Session: new(session.Store).Get("ann")}
			_, one := step.Key(t.Context(), "delete", nil, 1)
			_, two := step.Keys(t.Context(), []string{"delete", "return"}, 0)
			for _, err := range []error{one, two} {
				if refused := fault.Is(err, fault.NoFocus); refused != c.refused || !refused && err != nil {
					t.Errorf("refused: %v, want %v: %v", refused, c.refused, err)
				}
				if c.refused && (fault.From(err).Dispatched != fault.NotDispatched || !strings.Contains(err.Error(), "Allow?")) {
					t.Errorf("got %+v, want what lies over the field, and that nothing was sent", fault.From(err))
				}
			}
			if sent := len(paper.Sent); (sent == 0) != c.refused {
				t.Errorf("sent: %q", paper.Sent)
			}
		})
	}
}
