package axe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/axe"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// shop is a world with the Shop in front of one device.
func shop(t *testing.T) (*world.World, string) {
	t.Helper()
	builtin, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0)), Preinstalled: builtin})
	if err != nil {
		t.Fatal(err)
	}
	udid := w.Devices()[0].UDID
	if err := w.Boot(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Launch(t.Context(), udid, "com.iosagent.shop", world.LaunchOptions{}); err != nil {
		t.Fatal(err)
	}
	return w, udid
}

func run(t *testing.T, w *world.World, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	return runWith(t, w, "", args...)
}

func runWith(t *testing.T, w *world.World, input string, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	var out, err bytes.Buffer
	exit = axe.Run(t.Context(), w, tool.Call{Args: args, Dir: t.TempDir(), Stdin: strings.NewReader(input), Stdout: &out, Stderr: &err})
	return out.String(), err.String(), exit
}

// element is what a reader of describe-ui looks at.
type element struct {
	AXUniqueID, AXLabel, AXValue *string
	Enabled                      bool
	Children                     []element
}

func describe(t *testing.T, w *world.World, udid string) []element {
	t.Helper()
	out, stderr, exit := run(t, w, "describe-ui", "--udid", udid)
	var roots []element
	if err := json.Unmarshal([]byte(out), &roots); err != nil || exit != 0 || len(roots) != 1 {
		t.Fatalf("%v %d %s", err, exit, stderr)
	}
	return roots[0].Children
}

func find(elements []element, id string) *element {
	i := slices.IndexFunc(elements, func(e element) bool { return e.AXUniqueID != nil && *e.AXUniqueID == id })
	if i < 0 {
		return nil
	}
	return &elements[i]
}

func TestAxeCommandsSignInToShop(t *testing.T) {
	w, udid := shop(t)
	if login := find(describe(t, w, udid), "login-button"); login == nil || login.Enabled {
		t.Fatalf("%+v", login)
	}
	for _, step := range [][]string{
		{"tap", "--id", "email-field", "--udid", udid}, {"type", "ada@example.com", "--udid", udid},
		{"tap", "--label", "Password", "--udid", udid}, {"type", "secret", "--udid", udid},
		{"tap", "--id", "login-button", "--udid", udid},
	} {
		if out, stderr, exit := run(t, w, step...); exit != 0 || step[0] == "tap" && !strings.HasPrefix(out, "✓ Tap at (") {
			t.Fatalf("%v: %d %s%s", step, exit, out, stderr)
		}
	}
	if _, err := w.Observe(t.Context(), udid, "", world.Wait{Stable: time.Second / 10, Max: time.Second}); err != nil {
		t.Fatal(err)
	}
	if count := find(describe(t, w, udid), "cart-count"); count == nil || *count.AXLabel != "Cart: 0" {
		t.Errorf("%+v", count)
	}
}

func TestInvalidCommandsPrintAxeErrors(t *testing.T) {
	w, udid := shop(t)
	for _, c := range []struct {
		args []string
		exit int
		say  string
	}{
		{[]string{"describe-ui"}, 64, "Error: Missing expected argument '--udid <udid>'\nHelp:  --udid <udid>  The UDID of the " +
			"simulator.\nUsage: axe describe-ui --udid <udid> [--point <x,y>]\n  See 'axe describe-ui --help' for more information.\n"},
		{[]string{"describe-ui", "--bogus", "--udid", udid}, 64, "Error: Unknown option '--bogus'\n"},
		{[]string{"frobnicate"}, 64, "Error: Unexpected argument 'frobnicate'\n"},
		{[]string{"tap", "--id", "nobody", "--udid", udid}, 1, "Warning: No accessibility element matched --id 'nobody'. Make sure"},
		{[]string{"tap", "--id", "nobody", "--wait-timeout", "1", "--udid", udid}, 1, "Warning: No accessibility element matched --id " +
			"'nobody'. Make sure"},
		{[]string{"tap", "--udid", udid}, 64, "Error: Either provide both -x/-y, or use --id/--label/--value to tap an element.\n"},
		{[]string{"tap", "-x", "1", "--udid", udid}, 64, "Error: Both -x and -y must be provided together.\n"},
		{[]string{"tap", "-x", "-1", "-y", "1", "--udid", udid}, 64, "Error: Coordinates must be non-negative values.\n"},
		{[]string{"tap", "--id", "a", "--label", "b", "--udid", udid}, 64, "Error: Use only one of --id, --label or --value.\n"},
		{[]string{"tap", "--id", "a", "--pre-delay", "11", "--udid", udid}, 64, "Error: Pre-delay must be between 0 and 10 seconds.\n"},
		{[]string{"tap", "-x", "a", "-y", "1", "--udid", udid}, 64, "Error: The value 'a' is invalid for '-x <x>'\n"},
		{[]string{"tap", "-x"}, 64, "Error: Missing value for '-x <x>'\n"},
		{[]string{"touch", "-x", "1", "-y", "1", "--udid", udid}, 64, "Error: At least one of --down or --up must be specified.\n"},
		{[]string{"gesture", "moonwalk", "--udid", udid}, 64, "Error: The value 'moonwalk' is invalid for '<preset>'. Please provide " +
			"one of 'scroll-down', "},
		{[]string{"button", "volume", "--udid", udid}, 64, "Error: The value 'volume' is invalid for '<button>'. Please provide one of " +
			"'apple-pay', 'home', 'lock', 'side-button' or 'siri'.\n"},
		{[]string{"key", "999", "--udid", udid}, 64, "Error: Keycode must be between 0 and 255.\n"},
		{[]string{"key-sequence", "--keycodes", "4,300", "--udid", udid}, 64, "Error: All keycodes must be between 0 and 255. Invalid " +
			"keycode: 300\n"},
		{[]string{"key-combo", "--modifiers", "", "--key", "4", "--udid", udid}, 64,
			"Error: At least one modifier keycode must be provided.\n"},
		{[]string{"type", "--udid", udid}, 64, "Error: No input provided."},
		{[]string{"type", "é", "--udid", udid}, 1, "Error: No keycode found for character: 'é'\n"},
		{[]string{"slider", "--value", "3", "--udid", udid}, 64, "Error: Use exactly one of --id or --label to target a slider.\n"},
		{[]string{"slider", "--id", "login-button", "--value", "3", "--udid", udid}, 1,
			"Error: Matched element is not a slider (type: Button)."},
		{[]string{"batch", "--udid", udid}, 64, "Error: Specify exactly one step source: --step, --file, or --stdin.\n"},
		{[]string{"batch", "--udid", udid, "--step", "tap --id nobody"}, 1, "Warning: "},
		{[]string{"batch", "--udid", udid, "--step", "screenshot"}, 1, "Error: Step 1 failed: screenshot\nUnsupported batch step " +
			"command: screenshot\n"},
		{[]string{"batch", "--udid", udid, "--continue-on-error", "--step", "key 999", "--step", "type 'x"}, 1,
			"Error: Batch completed with 2 failure(s):\nStep 1: key 999 -> "},
		{[]string{"record-video", "--udid", udid}, 1, "Error: Virtual Xcode does not support axe record-video yet.\n"},
		{[]string{"describe-ui", "--udid", "nobody"}, 1, "Error: Simulator with UDID nobody not found in set.\n"},
		{[]string{"tap", "-x", "1", "-y", "1", "--udid", "00008140-000A61C23E04801C"}, 1, "Error: Simulator with UDID"},
	} {
		if _, stderr, exit := run(t, w, c.args...); exit != c.exit || !strings.HasPrefix(stderr, c.say) {
			t.Errorf("%v: %d %q", c.args, exit, stderr)
		}
	}
}

// TestDescribeUIHasKeysOfRealAxe compares keys and their types with a recorded run of the real tool.
func TestDescribeUIHasKeysOfRealAxe(t *testing.T) {
	samples := os.Getenv("IOS_AGENT_SAMPLES")
	if samples == "" {
		samples = filepath.Join("..", "..", "..", "..", "shared", "fixtures")
	}
	raw, err := os.ReadFile(filepath.Join(samples, "ui-describe", "axe-describe-ui-tuist.json"))
	if err != nil {
		t.Skipf("no samples: %v", err)
	}
	w, udid := shop(t)
	ours, _, _ := run(t, w, "describe-ui", "--udid", udid)
	if want, got := keysOf(t, raw), keysOf(t, []byte(ours)); !slices.Equal(want, got) {
		t.Errorf("the real one has the keys\n%v\nours\n%v", want, got)
	}
	if !strings.Contains(ours, `"AXLabel" : `) {
		t.Error("no space before the colon")
	}
}

// keysOf lists the keys of the first element in the order they are printed.
func keysOf(t *testing.T, raw []byte) []string {
	t.Helper()
	var keys []string
	d := json.NewDecoder(bytes.NewReader(raw))
	depth := 0
	for key := true; ; {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			key = true
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			if depth == 1 {
				return keys
			}
			key = true
			continue
		}
		if name, is := token.(string); is && key && depth == 2 {
			keys = append(keys, name)
		}
		if depth == 2 {
			key = !key
		}
	}
}

// value is what a field holds.
func value(t *testing.T, w *world.World, udid, id string) string {
	t.Helper()
	e := find(describe(t, w, udid), id)
	if e == nil || e.AXValue == nil {
		t.Fatalf("%s: %+v", id, e)
	}
	return *e.AXValue
}

func TestKeyCommandsTypeText(t *testing.T) {
	w, udid := shop(t)
	do := func(input string, args ...string) {
		t.Helper()
		if _, stderr, exit := runWith(t, w, input, append(args, "--udid", udid)...); exit != 0 {
			t.Fatalf("%v: %d %s", args, exit, stderr)
		}
	}
	expect := func(want string) {
		t.Helper()
		if got := value(t, w, udid, "email-field"); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	do("", "tap", "--id", "email-field")
	do("", "key-sequence", "--keycodes", "11,8")
	expect("he")
	do("", "key-combo", "--modifiers", "225", "--key", "30")
	expect("he!")
	do("llo\n", "type", "--stdin")
	expect("he!llo")
	do("", "key", "42")
	expect("he!ll")
	do("", "key-combo", "--modifiers", "227", "--key", "4") // ⌘A
	do("", "type", "a@b")
	expect("a@b")
	for range 3 {
		do("", "tap", "--id", "email-field")
	}
	do("", "key", "42")
	expect("Email")
	do("", "button", "home")
	if out, _, _ := run(t, w, "describe-ui", "--udid", udid); !strings.Contains(out, `"AXLabel" : " "`) ||
		!strings.Contains(out, `"Edit mode"`) {
		t.Errorf("not the home screen: %s", out)
	}
}

func TestBatchRunsStepsInOrder(t *testing.T) {
	w, udid := shop(t)
	steps := "# sign in\ntap --id email-field\ntype 'ada@example.com'\n\ntap --label Password\ntype secret\ntap --id " +
		"login-button\nsleep 1\n"
	out, stderr, exit := runWith(t, w, steps, "batch", "--stdin", "--wait-timeout", "5", "--udid", udid)
	if exit != 0 || out != "✓ Batch completed successfully (6 steps)\n" {
		t.Fatalf("%d %s%s", exit, out, stderr)
	}
	if count := find(describe(t, w, udid), "cart-count"); count == nil {
		t.Error("not signed in")
	}
}

// TestDescribeUIHidesTabBarItems: it is one group for describe-ui; only a point finds what is in it.
func TestDescribeUIHidesTabBarItems(t *testing.T) {
	w, udid := shop(t)
	if _, err := w.Launch(t.Context(), udid, "com.iosagent.conformance", world.LaunchOptions{}); err != nil {
		t.Fatal(err)
	}
	if out, _, _ := run(t, w, "describe-ui", "--udid", udid); !strings.Contains(out, `"AXLabel" : "Tab Bar"`) ||
		strings.Contains(out, `"Text Input"`) {
		t.Error("describe-ui sees into the tab bar, or does not see it")
	}
	root, _, err := w.Snapshot(t.Context(), udid, "")
	if err != nil {
		t.Fatal(err)
	}
	for e := range root.All() {
		if e.Label != "Text Input" {
			continue
		}
		at := e.Frame.Centre()
		out, _, exit := run(t, w, "describe-ui", "--point", fmt.Sprintf("%v,%v", at.X, at.Y), "--udid", udid)
		if exit != 0 || !strings.Contains(out, `"AXLabel" : "Text Input"`) {
			t.Errorf("%d %s", exit, out)
		}
	}
	if out, _, _ := run(t, w, "describe-ui", "--point", "9999,1", "--udid", udid); out != "null\n" {
		t.Errorf("%s", out)
	}
}

func TestSliderCommandSetsValue(t *testing.T) {
	w, udid := shop(t)
	if _, err := w.Launch(t.Context(), udid, "com.iosagent.conformance", world.LaunchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, stderr, exit := run(t, w, "batch", "--wait-timeout", "5", "--udid", udid, "--step", "tap --label Controls", "--step",
		"sleep 1"); exit != 0 {
		t.Fatal(stderr)
	}
	out, stderr, exit := run(t, w, "slider", "--id", "controls-slider-volume", "--value", "75", "--udid", udid)
	if exit != 0 || out != "✓ Slider set to 75 successfully (AXValue: 75%)\n" {
		t.Errorf("%d %s%s", exit, out, stderr)
	}
}

// FuzzBatch: no step makes the tool fail otherwise than by an exit status.
func FuzzBatch(f *testing.F) {
	f.Add("type 'a b' \"c\\\"d\"")
	f.Add("tap -x 1 -y")
	f.Add("sleep -")
	f.Fuzz(func(t *testing.T, step string) {
		w, udid := shop(t)
		if _, _, exit := run(t, w, "batch", "--udid", udid, "--step", step); exit != 0 && exit != 1 && exit != 64 {
			t.Errorf("exit %d", exit)
		}
	})
}

// TestScrollPresetsMoveFingerInDirection: a scroll is named by where the finger goes, and goes 200 points.
func TestScrollPresetsMoveFingerInDirection(t *testing.T) {
	w, udid := shop(t)
	plist := `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.pad</string></dict></plist>`
	pad := `
start: pad
state: {way: none}
screens:
  pad:
    elements:
      - {area: Pad, id: pad, width: 400, height: 700, swipe: {into: way, min: 199}}
      - {text: "{way}", id: way}
`
	bundle, err := app.Load("Pad.app", []byte(plist), []byte(pad))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Install(t.Context(), udid, bundle, "/Pad.app"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Launch(t.Context(), udid, "com.example.pad", world.LaunchOptions{}); err != nil {
		t.Fatal(err)
	}
	for preset, way := range map[string]string{"scroll-up": "up", "scroll-down": "down", "scroll-left": "left", "scroll-right": "right"} {
		if _, stderr, exit := run(t, w, "gesture", preset, "--udid", udid); exit != 0 {
			t.Fatalf("%s: %s", preset, stderr)
		}
		if stdout, _, _ := run(t, w, "describe-ui", "--udid", udid); !strings.Contains(stdout, `"`+way+`"`) {
			t.Errorf("%s: the finger did not go %s", preset, way)
		}
	}
}
