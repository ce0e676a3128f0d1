package house_test

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/op"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// named is the device that an answer's text names by itself; empty: none.
func named(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if name, is := strings.CutPrefix(line, string(op.Chosen)+": "); is {
			return name
		}
	}
	return ""
}

// wantNamed wants the text of an answer to name a device with the beginning of its udid; empty: none.
func wantNamed(t *testing.T, when, text, name, udid string) {
	t.Helper()
	want := ""
	if name != "" {
		want = name + " (" + udid[:8] + ")"
	}
	if got := named(text); got != want {
		t.Errorf("%s: got the device %q in the text, want %q:\n%s", when, got, want, text)
	}
}

// TestAnswerNamesDeviceWhenItChanges than that of the session's last answer, and only then.
func TestAnswerNamesDeviceWhenItChanges(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.Must("ada", "use_device", map[string]string{"device": house.Device})
	tap := func(input map[string]string) string {
		input["label"] = "Tap Me"
		return p.Call("ada", "tap_element", input).Text()
	}
	wantNamed(t, "the chosen one", tap(map[string]string{}), "", "")
	wantNamed(t, "another one", tap(map[string]string{"udid": p.other}), second, p.other)
	wantNamed(t, "the other one again", p.Must("ada", "snapshot", map[string]string{"udid": p.other}).Text(), "", "")
	wantNamed(t, "the chosen one again", p.Must("ada", "take_screenshot", nil).Text(), house.Device, p.mine)
	wantNamed(t, "a fault of it", p.Call("ada", "tap_element", map[string]string{"label": "Nothing"}).Text(), "", "")
	wantNamed(t, "a fault of the other", p.Call("ada", "tap_element", map[string]string{"label": "Nothing", "udid": p.other}).Text(),
		second, p.other)
	wantNamed(t, "what names it by itself", p.Must("ada", "use_device", map[string]string{"device": house.Device}).Text(), "", "")
	wantNamed(t, "after it", tap(map[string]string{}), "", "")
	batch := p.Must("ada", "batch", map[string]any{"udid": p.other, "steps": []string{`tap --label "Tap Me"`, `tap --label "Tap Me"`}}).Text()
	if strings.Count(batch, "device: "+second) != 1 {
		t.Errorf("a batch: got\n%s\nwant the device once", batch)
	}
}

// TestEachSurfaceNamesTheDevice in what a person or a model reads.
func TestEachSurfaceNamesTheDevice(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.Must("ada", "use_device", map[string]string{"device": house.Device})
	wantNamed(t, "CLI", p.CLI("ada", "tap", "--label", "Tap Me", "--sim", second).Stdout, second, p.other)
	r, err := p.Tool("ada", "tap_element", map[string]string{"label": "Tap Me"})
	if err != nil {
		t.Fatal(err)
	}
	wantNamed(t, "MCP", r.Content[0].(*sdk.TextContent).Text, house.Device, p.mine)
	said := p.REST("ada", "POST", "/api/v1/ui/tap", map[string]string{"label": "Tap Me", "udid": p.other}).Body.String()
	if !strings.Contains(said, `"kind":"device","text":"`+second+" ("+p.other[:8]) {
		t.Errorf("REST: got %s, want a notice that names %s", said, second)
	}
}

// TestADeviceThatWasGuessedIsNamed: another simulator is booted, and nobody said which is meant.
func TestADeviceThatWasGuessedIsNamed(t *testing.T) {
	t.Parallel()
	p := &phones{House: house.New(t), t: t}
	p.mine = p.Boot("ada", drivertest.Conformance)
	p.Must("ada", "release_device", map[string]string{"udid": p.mine})
	wantNamed(t, "one is booted", p.Must("eve", "snapshot", nil).Text(), "", "")
	booted := p.Must("bob", "boot_device", map[string]string{"sim": second})
	p.other = house.Result[struct{ UDID string }](p.House, booted).UDID
	wantNamed(t, "bob has the other", p.Must("kim", "snapshot", nil).Text(), house.Device, p.mine)
	wantNamed(t, "it was told", p.Must("kim", "snapshot", nil).Text(), "", "")
}

// TestTheFirstAnswerAfterARestartNamesTheDevice: which one the session's last answer was about is not known any more.
func TestTheFirstAnswerAfterARestartNamesTheDevice(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.Must("ada", "use_device", map[string]string{"device": house.Device})
	p.Must("ada", "snapshot", map[string]string{"udid": p.other})
	p.Restart()
	wantNamed(t, "the first", p.Must("ada", "snapshot", nil).Text(), house.Device, p.mine)
	wantNamed(t, "the second", p.Must("ada", "snapshot", nil).Text(), "", "")
}
