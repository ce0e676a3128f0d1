package appium_test

import (
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/test/rig"
)

// hidden scrolls to the web view whose page accessibility does not see, and gives it.
func (s *stand) hidden(t *testing.T) *ui.Node {
	t.Helper()
	s.Launch(rig.Conformance)
	s.tap(t, ui.Query{Label: "Navigation", Type: "Button"})
	for range 5 {
		if found := s.look(t).Match(ui.Query{Identifier: "nav-web-button"}); len(found) > 0 && found[0].Hittable() {
			break
		}
		s.Must(able[device.Touch](s).Swipe(t.Context(), ui.Point{X: 200, Y: 600}, ui.Point{X: 200, Y: 400}, 3e8))
	}
	s.tap(t, ui.Query{Identifier: "nav-web-button"})
	blind := s.look(t).BlindWebs()
	if len(blind) != 1 {
		t.Fatalf("%d web views without a page", len(blind))
	}
	return blind[0]
}

// TestPageReadsWebViewElements reads the page of a web view through its context, with places in points of the screen; the session then is
// back in the app.
func TestPageReadsWebViewElements(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	view := s.hidden(t)
	page, err := able[device.Webs](s).Page(t.Context(), device.WebView{Title: view.Label, Frame: view.Frame})
	s.Must(err)
	var texts []string
	for _, n := range page {
		texts = append(texts, n.Type+" "+n.Label)
		if !view.Frame.Contains(n.Frame.Centre()) || n.Hidden || n.Source != ui.SourceWeb {
			t.Errorf("%s lies at %+v, the view at %+v", n.Label, n.Frame, view.Frame)
		}
	}
	want := "StaticText This is drawn|StaticText but accessibility does not see it.|Link Invisible link"
	if got := strings.Join(texts, "|"); got != want {
		t.Errorf("%s", got)
	}
	if s.front.Context() != "NATIVE_APP" {
		t.Errorf("the session stands in %s", s.front.Context())
	}
	s.Must(able[device.Touch](s).Tap(t.Context(), page[2].Frame.Centre()))
	screen, err := able[device.Eyes](s).Observe(t.Context(), device.Wait{Stable: 200e6, Max: 3e9})
	s.Must(err)
	if len(screen.Match(ui.Query{Contains: "Web: found"})) == 0 {
		t.Errorf("the tap did not arrive:\n%s", outline.Of(screen, outline.Choice{}, "", &ui.Refs{}))
	}
}

// TestPageFailsWhenWebViewIsNotInspectable: an app whose web views cannot be inspected has no context; the hint names the app's setting.
func TestPageFailsWhenWebViewIsNotInspectable(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	view := s.hidden(t)
	s.front.Blind = true
	_, err := able[device.Webs](s).Page(t.Context(), device.WebView{Frame: view.Frame})
	if f := fault.From(err); f == nil || f.Code != fault.Unsupported || !strings.Contains(f.Hint, "isInspectable") {
		t.Errorf("%v", err)
	}
}
