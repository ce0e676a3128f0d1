package house_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/touch"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// meanwhile are the lines that an answer tells before its result, and who drove.
func meanwhile(e op.Envelope) (lines []string, who string) {
	for _, n := range e.Meta.Notices {
		if n.Kind == op.Meanwhile {
			lines, who = append(lines, n.Lines...), n.Text
		}
	}
	return lines, who
}

// late is a house in which an effect of ada's last step came after the answer: she knows a screen without it.
func late(t *testing.T) *house.House {
	t.Helper()
	h := house.New(t)
	h.Boot("ada", drivertest.Conformance)
	h.Must("ada", "tap_element", in{"label": "Dynamic"})
	if out := house.Result[touch.ActionOut](h, h.Must("ada", "tap_element", in{"label": "Show Delayed"})); out.Outcome != "unchanged" {
		t.Fatalf("the effect came in time: %+v", out)
	}
	pass(h)
	return h
}

// pass lets the time of the world pass. Who looks is not ada, and drives nothing.
func pass(h *house.House) {
	h.Must("watcher", "wait", in{"text": "never", "timeout": 3, "soft": true, "sim": house.Device})
}

const came = `+ text "I appeared!"`

// TestNextLookReportsALateEffectOnce: and never as the effect of that call.
func TestNextLookReportsALateEffectOnce(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]in{
		"snapshot":         nil,
		"tap_element":      {"label": "Toggle Visibility"},
		"press_button":     {"button": "home"},
		"type_text":        {"text": "x"},
		"scroll_to":        {"label": "Reset"},
		"wait_for_element": {"label": "Reset", "condition": "exists"},
		"swipe":            {"direction": "up"},
	} {
		t.Run(name, func(t *testing.T) {
			h := late(t)
			e := h.Call("ada", name, input)
			if lines, who := meanwhile(e); !slices.Equal(lines, []string{came}) || who != "" {
				t.Fatalf("meanwhile: %q %q\n%s", lines, who, e.Text())
			}
			if !strings.HasPrefix(e.Text(), "meanwhile:\n"+came+"\n") {
				t.Errorf("it is not told first:\n%s", e.Text())
			}
			if diff := string(e.Result); name != "snapshot" && strings.Contains(diff, "I appeared!") {
				t.Errorf("it is called an effect of %s: %s", name, diff)
			}
			if lines, _ := meanwhile(h.Call("ada", "snapshot", nil)); slices.Contains(lines, came) {
				t.Errorf("it is told again: %q", lines)
			}
		})
	}
}

// TestChangeInResultIsNotRepeatedAsNotice: a snapshot since an earlier one is about nothing else.
func TestChangeInResultIsNotRepeatedAsNotice(t *testing.T) {
	t.Parallel()
	h := late(t)
	before := h.Must("other", "snapshot", in{"sim": house.Device}) // of now
	id := house.Result[struct{ ID string }](h, before).ID
	h.Must("other", "wait", in{"text": "I appeared!", "sim": house.Device})
	h.Must("ada", "tap_element", in{"label": "Toggle Visibility"})
	e := h.Must("other", "snapshot", in{"since": id, "sim": house.Device})
	lines, who := meanwhile(e)
	if len(lines) > 0 || who != "ada drove this device" || !strings.Contains(e.Text(), `+ text "Visible Element"`) {
		t.Errorf("%q %q\n%s", who, lines, e.Text())
	}
}

// TestFailedStepReportsLateChange: what changed may be why it failed.
func TestFailedStepReportsLateChange(t *testing.T) {
	t.Parallel()
	h := late(t)
	e := h.Call("ada", "tap_element", in{"label": "Absent", "timeout_ms": 100})
	if lines, _ := meanwhile(e); e.Error == nil || e.Error.Code != fault.ElementNotFound || !slices.Equal(lines, []string{came}) {
		t.Errorf("%q\n%s", lines, e.Text())
	}
	if lines, _ := meanwhile(h.Must("ada", "snapshot", nil)); len(lines) > 0 {
		t.Errorf("it is told again: %q", lines)
	}
}

// TestNoticesPrecedeResultOnEverySurface come before the result, and in JSON as meta.notices.
func TestNoticesPrecedeResultOnEverySurface(t *testing.T) {
	t.Parallel()
	first := "meanwhile:\n" + came + "\nscreen:"
	h := late(t)
	if r := h.CLI("ada", "snapshot"); !strings.HasPrefix(r.Stdout, first) {
		t.Errorf("command line: %s", r.Stdout)
	}
	h = late(t)
	result, err := h.Tool("ada", "snapshot", nil)
	if err != nil || !strings.HasPrefix(result.Content[0].(*sdk.TextContent).Text, first) {
		t.Errorf("MCP: %v %+v", err, result)
	}
	h = late(t)
	var body struct{ Meta op.Meta }
	answer := h.REST("ada", "GET", "/api/v1/device/snapshot", nil).Body.Bytes()
	if err := json.Unmarshal(answer, &body); err != nil || len(body.Meta.Notices) != 1 || body.Meta.Notices[0].Kind != op.Meanwhile {
		t.Errorf("REST: %v %+v", err, body.Meta)
	}
	h = late(t)
	if r := h.CLI("ada", "snapshot", "--raw"); !strings.HasPrefix(r.Stdout, "{") || !strings.Contains(r.Stderr, came) {
		t.Errorf("--raw: %s\n%s", r.Stdout, r.Stderr)
	}
}

// TestOwnLaunchesAndLinksGiveNoNotice: it went to another screen because it wanted to.
func TestOwnLaunchesAndLinksGiveNoNotice(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]in{
		"launch_app_sim": {"simulatorName": house.Device, "bundleId": "com.apple.Preferences"},
		"open":           {"url": "conformance://link/7"},
		"terminate_app":  {"bundle_id": drivertest.Conformance},
	} {
		h := late(t)
		h.Must("ada", name, input)
		for _, e := range []op.Envelope{h.Call("ada", "press_button", in{"button": "home"}), h.Call("ada", "snapshot", nil)} {
			if lines, _ := meanwhile(e); len(lines) > 0 {
				t.Errorf("after %s: %s", name, e.Text())
			}
		}
	}
}

// TestMeanwhileNamesTheDrivingSession: when another session changed the screen; many changes are cut to five lines.
func TestMeanwhileNamesTheDrivingSession(t *testing.T) {
	t.Parallel()
	h := house.New(t, house.Options{Implicit: -1})
	h.Boot("ada", drivertest.Conformance)
	bob := func(label string) { h.Must("bob", "tap_element", in{"label": label, "sim": house.Device}) }
	h.Must("ada", "snapshot", nil)
	bob("Tap Me")
	e := h.Must("ada", "snapshot", nil)
	lines, who := meanwhile(e)
	if who != "bob drove this device" || len(lines) != 1 || !strings.Contains(lines[0], `"Tapped: 0" → "Tapped: 1"`) {
		t.Errorf("%q %q", who, lines)
	}
	if !strings.HasPrefix(e.Text(), "meanwhile (bob drove this device):\n") {
		t.Error(e.Text())
	}
	bob("Dynamic")
	e = h.Must("ada", "tap_element", in{"label": "Toggle Visibility"})
	lines, who = meanwhile(e)
	if len(lines) != 6 || lines[0] != `~ screen: "Controls" → "Dynamic"` || !strings.HasPrefix(lines[5], "… and ") || who == "" {
		t.Errorf("%q %q", who, lines)
	}
	if text := string(e.Result); strings.Contains(text, "Controls") {
		t.Errorf("the change of another session is called an effect: %s", text)
	}
	h.Must("ada", "tap_element", in{"label": "Toggle Visibility"})
	if e := h.Must("ada", "snapshot", nil); len(e.Meta.Notices) > 0 {
		t.Errorf("nothing happened: %s", e.Text())
	}
}

// TestMeanwhileIgnoresAmbientElements: a spinner that appeared or disappeared is left out.
func TestMeanwhileIgnoresAmbientElements(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ada", drivertest.Conformance)
	h.Must("ada", "tap_element", in{"label": "Dynamic"})
	h.Must("ada", "tap_element", in{"label": "Start Loading"})
	pass(h)
	lines, _ := meanwhile(h.Must("ada", "snapshot", nil))
	if !slices.Equal(lines, []string{`+ text "Loading complete"`}) {
		t.Errorf("%q", lines)
	}
}

// TestMeanwhileIgnoresCountingText: a text that was seen to count by itself.
func TestMeanwhileIgnoresCountingText(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ada", drivertest.Conformance)
	h.Must("ada", "tap_element", in{"label": "Dynamic"})
	h.Must("ada", "tap_element", in{"label": "Start Counter"})
	h.Must("ada", "tap_element", in{"label": "Dynamic", "role": "button"}) // changes nothing: only the count does
	h.Must("ada", "tap_element", in{"label": "Show Brief"})
	pass(h)
	if lines, _ := meanwhile(h.Must("ada", "snapshot", nil)); !slices.Equal(lines, []string{`- text "Now you see me"`}) {
		t.Errorf("%q", lines)
	}
}

// TestWaitAnswersWithWhatChanged, so that no snapshot need follow; its refs can be used.
func TestWaitAnswersWithWhatChanged(t *testing.T) {
	t.Parallel()
	h := late(t)
	e := h.Must("ada", "wait", in{"text": "I appeared!"})
	out := house.Result[struct{ Changes []string }](h, e)
	if !slices.Equal(out.Changes, []string{came}) || !strings.HasSuffix(e.Text(), "\n"+came) || len(e.Meta.Notices) > 0 {
		t.Errorf("%q\n%s", out.Changes, e.Text())
	}
	if e := h.Must("ada", "wait", in{"text": "I appeared!"}); strings.Contains(e.Text(), "\n") {
		t.Errorf("nothing changed since:\n%s", e.Text())
	}
	for _, condition := range []string{"settled", "gone", "value_equals"} {
		input := in{"condition": condition, "identifier": "no-such", "expected": "x", "timeout": 0.5, "soft": true, "sim": house.Device}
		e := h.Must(condition, "wait", input) // a session that has seen nothing
		lines := strings.Split(e.Text(), "\n")
		if len(lines) < 10 || len(lines) > 16 || !strings.Contains(e.Text(), "title:\"Dynamic\"") {
			t.Errorf("%s: %d lines:\n%s", condition, len(lines), e.Text())
		}
	}
	h.Must("new", "wait", in{"text": "I appeared!", "sim": house.Device})
}

// TestTheRefsOfLaunchAndWaitWork without a snapshot.
func TestTheRefsOfLaunchAndWaitWork(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Must("ada", "boot_device", in{"sim": house.Device})
	e := h.Must("ada", "launch_app", in{"bundle_id": drivertest.Conformance})
	lines := strings.Split(e.Text(), "\n")
	if len(lines) > 16 || !strings.HasPrefix(lines[1], "screen:") || !strings.Contains(lines[len(lines)-1], "snapshot` shows them") {
		t.Errorf("%d lines:\n%s", len(lines), e.Text())
	}
	ref := func(text, name string) string {
		_, rest, found := strings.Cut(text, `"`+name+`" [ref=`)
		if !found {
			t.Fatalf("there is no ref of %q:\n%s", name, text)
		}
		ref, _, _ := strings.Cut(rest, "]")
		return "@" + ref
	}
	h.Must("ada", "tap_element", in{"ref": ref(e.Text(), "Navigation")})
	h.Must("ada", "open", in{"url": "conformance://link/7"})
	e = h.Must("ada", "wait", in{"text": "Read the guide"})
	h.Must("ada", "tap_element", in{"ref": ref(e.Text(), "Gestures")})
	for name, input := range map[string]in{
		"launch_app_sim":   {"simulatorName": house.Device, "bundleId": drivertest.Conformance},
		"quern_launch_app": {"bundle_id": drivertest.Conformance},
	} {
		if e := h.Must("ada", name, input); strings.Contains(e.Text(), "screen:") || strings.Contains(string(e.Result), "outline") {
			t.Errorf("%s has another shape: %s", name, e.Text())
		}
	}
}

// TestLaunchOnUnreadableDeviceHasNoScreen answers as it always did: nobody can read its screen.
func TestLaunchOnUnreadableDeviceHasNoScreen(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	e := h.Must("ada", "launch_app", in{"udid": house.Physical, "bundle_id": "com.apple.Preferences"})
	if strings.Contains(e.Text(), "\n") || strings.Contains(string(e.Result), "note") {
		t.Error(e.Text())
	}
}
