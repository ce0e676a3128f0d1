package wda_test

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

// lines are the elements of a screen with all that is told of them. Elements of XML have no exact frames, and no identifier of their own
// where it is the label.
func lines(s *ui.Screen, exact bool) (all []string) {
	for _, n := range s.Nodes() {
		frame, id := n.Frame, n.Identifier
		if !exact {
			frame = ui.Rect{}
			if id == n.Label {
				id = ""
			}
		}
		all = append(all, fmt.Sprintf("%s %q %q %q %q %v disabled=%t selected=%t focused=%t secure=%t reach=%q", n.Type, id, n.Label, n.Value,
			n.Placeholder, frame, n.Disabled, n.Selected, n.Focused, n.Secure, n.WhyNotHittable()))
	}
	return all
}

// TestScreenEqualsScreenOfOwnAgent: WebDriverAgent and our own agent show the same elements, with the same frames, values and states.
func TestScreenEqualsScreenOfOwnAgent(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	wait := device.Wait{Stable: 100 * time.Millisecond, Min: 200 * time.Millisecond, Max: 3 * time.Second}
	same := func(where string) {
		t.Helper()
		ours, err := s.Rig.Phone.(device.Eyes).Observe(t.Context(), wait)
		s.Must(err)
		theirs := s.look()
		if ours.App != theirs.App || ours.State != theirs.State || ours.Cover != theirs.Cover || ours.Truncated != theirs.Truncated {
			t.Errorf("%s: %s %s %q %d, our agent: %s %s %q %d", where, theirs.App, theirs.State, theirs.Cover, theirs.Truncated, ours.App,
				ours.State, ours.Cover, ours.Truncated)
		}
		a, b := lines(ours, true), lines(theirs, true)
		for i := range max(len(a), len(b)) {
			if i >= len(a) || i >= len(b) || a[i] != b[i] {
				t.Errorf("%s: element %d of %d and %d differs:\n%s\n%s", where, i, len(a), len(b), a[min(i, len(a)-1)], b[min(i, len(b)-1)])
				return
			}
		}
	}
	same("the home screen")
	for _, tab := range []string{"Controls", "Text Input", "Gestures", "Navigation"} {
		s.start(tab)
		same(tab)
	}
	s.start("Text Input")
	s.Must(get[device.Touch](s).Tap(t.Context(), s.at(ui.Query{Identifier: "text-username-field"})))
	s.Must(get[device.Keyboard](s).Type(t.Context(), "ada"))
	same("a field in use")
	s.start("Navigation")
	s.Must(get[device.Touch](s).Tap(t.Context(), s.at(ui.Query{Identifier: "nav-alert-button"})))
	same("an alert")
	_, err := get[device.Alerts](s).Alert(t.Context(), "accept")
	s.Must(err)
	s.Fault(virtualxcode.Fault{Name: flaw.SystemAlert})
	s.Must(get[device.Touch](s).Tap(t.Context(), s.at(ui.Query{Identifier: "nav-alert-button"})))
	same("an alert of the system")
}

// TestXMLSourceGivesSameElements: a server without JSON is read in XML, with the same elements.
func TestXMLSourceGivesSameElements(t *testing.T) {
	t.Parallel()
	refuse := false
	s := newStand(t, func(inner http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if refuse && r.URL.Query().Get("format") == "json" {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"value":{"error":"invalid argument","message":"Unknown source format"},"sessionId":null}`)
				return
			}
			inner.ServeHTTP(w, r)
		})
	})
	s.start("Controls")
	first := lines(s.look(), false)
	refuse = true
	if second := lines(s.look(), false); !slices.Equal(first, second) {
		t.Errorf("%d elements in JSON, %d in XML:\n%s\n%s", len(first), len(second), first, second)
	}
}

// TestDeepElementsAreReportedMissing: deep elements are omitted, and the screen says that some may be missing.
func TestDeepElementsAreReportedMissing(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.start("Controls")
	if screen := s.look(); screen.Truncated != 0 {
		t.Errorf("%d were left out", screen.Truncated)
	}
	s.Fault(virtualxcode.Fault{Name: flaw.DeepTree, Times: virtualxcode.Forever, Set: map[string]string{"depth": "80"}})
	if screen := s.look(); screen.Truncated != -1 {
		t.Errorf("%d were left out", screen.Truncated)
	}
	screen, err := get[device.Eyes](s).Observe(t.Context(), device.Wait{Depth: 200})
	s.Must(err)
	if screen.Truncated != 0 || len(screen.Match(button)) != 1 {
		t.Errorf("%d were left out of a deep look", screen.Truncated)
	}
}

// TestLookReportsScreenThatNeverSettles: a look waits for a moving screen, by the driver's clock, and reports a screen that never stops.
func TestLookReportsScreenThatNeverSettles(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.start("Controls")
	before := s.look()
	s.Fault(virtualxcode.Fault{Name: flaw.EndlessAnimation, Times: virtualxcode.Forever})
	s.Launch(rig.Conformance)
	screen, err := get[device.Eyes](s).Observe(t.Context(), device.Wait{Stable: 200 * time.Millisecond, Max: 2 * time.Second})
	s.Must(err)
	if screen.Settled || screen.Waited < 2*time.Second {
		t.Errorf("settled after %s", screen.Waited)
	}
	s.Calm()
	s.start("Controls")
	same := s.look()
	again, err := get[device.Eyes](s).Observe(t.Context(), device.Wait{
		Stable: 100 * time.Millisecond, Max: 2 * time.Second, Unlike: same.Digest, Patience: time.Second,
	})
	s.Must(err)
	if !again.Settled || again.Digest != same.Digest || again.Waited < time.Second || before.Digest == "" {
		t.Errorf("settled=%t after %s; %s, then %s", again.Settled, again.Waited, same.Digest, again.Digest)
	}
}

// TestLookSendsFewCommands: what a look and a tap ask of WebDriverAgent, where every tree takes a real phone half a second. A screen that
// is known to be still is read once.
func TestLookSendsFewCommands(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	s := newStand(t, func(inner http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked[path.Base(r.URL.Path)]++
			inner.ServeHTTP(w, r)
		})
	})
	s.start("Controls")
	wait := device.Wait{Stable: 100 * time.Millisecond, Max: 3 * time.Second}
	observe := func() {
		t.Helper()
		_, err := get[device.Eyes](s).Observe(t.Context(), wait)
		s.Must(err)
	}
	at := s.at(button)
	for _, c := range []struct {
		what string
		do   func()
		want map[string]int
	}{
		{"a look at a still screen", observe, map[string]int{"activeAppInfo": 1, "source": 1, "text": 1}},
		{"a tap", func() { s.Must(get[device.Touch](s).Tap(t.Context(), at)) }, map[string]int{"actions": 1}},
		{"a single look", func() {
			_, err := get[device.Eyes](s).Observe(t.Context(), device.Wait{})
			s.Must(err)
		}, map[string]int{"activeAppInfo": 2, "source": 1, "text": 1}},
	} {
		clear(asked)
		if c.do(); !maps.Equal(asked, c.want) {
			t.Errorf("%s asks %v, want %v", c.what, asked, c.want)
		}
	}
	clear(asked)
	if observe(); asked["source"] < 2 || asked["source"] != asked["activeAppInfo"] || asked["text"] != 1 {
		t.Errorf("a look after a tap asks %v", asked)
	}
}
