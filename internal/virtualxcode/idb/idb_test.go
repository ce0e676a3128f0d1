package idb_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/idb"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

const shopApp = "com.iosagent.shop"

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
	if _, err := w.Launch(t.Context(), udid, shopApp, world.LaunchOptions{}); err != nil {
		t.Fatal(err)
	}
	return w, udid
}

func run(t *testing.T, w *world.World, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	var out, errs bytes.Buffer
	exit = idb.Run(t.Context(), w, tool.Call{Args: args, Dir: t.TempDir(), Stdout: &out, Stderr: &errs})
	return out.String(), errs.String(), exit
}

func ok(t *testing.T, w *world.World, args ...string) string {
	t.Helper()
	out, stderr, exit := run(t, w, args...)
	if exit != 0 {
		t.Fatalf("%v: %d %s", args, exit, stderr)
	}
	return out
}

type element struct {
	AXUniqueId, AXLabel, AXValue *string
	Type                         string
	Frame                        struct{ X, Y, Width, Height float64 }
	Children                     []element
}

func (e element) centre() (x, y string) {
	return fmt.Sprint(int(e.Frame.X + e.Frame.Width/2)), fmt.Sprint(int(e.Frame.Y + e.Frame.Height/2))
}

func all(t *testing.T, w *world.World) []element {
	t.Helper()
	var found []element
	if err := json.Unmarshal([]byte(ok(t, w, "ui", "describe-all")), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func find(t *testing.T, w *world.World, id string) element {
	t.Helper()
	for _, e := range all(t, w) {
		if e.AXUniqueId != nil && *e.AXUniqueId == id {
			return e
		}
	}
	t.Fatalf("no %s", id)
	return element{}
}

func TestIDBCommandsSignInToShop(t *testing.T) {
	w, udid := shop(t)
	tap := func(id string) {
		t.Helper()
		x, y := find(t, w, id).centre()
		ok(t, w, "ui", "tap", x, y, "--duration", "0.05", "--udid", udid)
	}
	tap("email-field")
	ok(t, w, "ui", "text", "ada@example.con")
	ok(t, w, "ui", "key", "42", "--duration", "0.1")
	ok(t, w, "ui", "key-sequence", "16")
	if v := find(t, w, "email-field").AXValue; v == nil || *v != "ada@example.com" {
		t.Fatalf("%v", v)
	}
	tap("password-field")
	ok(t, w, "ui", "text", "secret")
	tap("login-button")
	if err := w.Sleep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	find(t, w, "cart-count")
	ok(t, w, "ui", "swipe", "200", "600", "200", "300", "--duration", "0.3", "--delta", "10")
	ok(t, w, "ui", "button", "HOME")
	if root := all(t, w)[0]; *root.AXLabel != " " {
		t.Errorf("not the home screen: %+v", root)
	}
}

func TestAppCommandsFollowAppLifecycle(t *testing.T) {
	w, udid := shop(t)
	if _, stderr, exit := run(t, w, "launch", shopApp); exit != 1 || !strings.Contains(stderr, "already running") {
		t.Errorf("%d %s", exit, stderr)
	}
	ok(t, w, "launch", "-f", shopApp, "--udid", udid)
	if out := ok(t, w, "list-apps"); !strings.Contains(out, shopApp+" | Shop | user | arm64 | Running | Debuggable\n") {
		t.Errorf("%s", out)
	}
	ok(t, w, "terminate", shopApp)
	var app map[string]any
	for line := range strings.Lines(ok(t, w, "list-apps", "--json")) {
		if json.Unmarshal([]byte(line), &app) != nil || app["bundle_id"] == shopApp && app["process_state"] != "Not running" {
			t.Errorf("%s", line)
		}
	}
	ok(t, w, "open", "https://example.com")
	ok(t, w, "uninstall", shopApp)
	if _, _, exit := run(t, w, "launch", shopApp); exit != 1 {
		t.Error("launched what is not there")
	}
	if png := ok(t, w, "screenshot", "-"); !strings.HasPrefix(png, "\x89PNG") {
		t.Error("no picture")
	}
}

func TestListTargetsDescribesSimulator(t *testing.T) {
	w, udid := shop(t)
	if out := ok(t, w, "list-targets"); !strings.Contains(out, "iPhone 16 Pro | "+udid+" | Booted | simulator | iOS 18.5 | arm64 | No "+
		"Companion Connected\n") {
		t.Errorf("%s", out)
	}
	var d map[string]any
	if err := json.Unmarshal([]byte(ok(t, w, "describe", "--json")), &d); err != nil || d["udid"] != udid ||
		d["screen_dimensions"].(map[string]any)["width_points"] != 402.0 {
		t.Errorf("%v %v", d, err)
	}
	if out := ok(t, w, "connect", udid); out != "udid: "+udid+" is_local: True\n" {
		t.Errorf("%s", out)
	}
}

func TestInvalidCommandsPrintIDBErrors(t *testing.T) {
	w, udid := shop(t)
	for line, want := range map[string]struct {
		exit int
		say  string
	}{
		"frobnicate":            {2, "idb: error: argument : invalid choice: 'frobnicate' (choose from 'list-targets', "},
		"--version":             {2, "idb: error: "},
		"ui dance":              {2, "idb ui: error: argument : invalid choice: 'dance' (choose from 'describe-all', "},
		"ui tap 1":              {2, "idb ui tap: error: the following arguments are required: y\n"},
		"ui tap 1.5 2":          {2, "idb ui tap: error: argument x: invalid int value: '1.5'\n"},
		"ui tap 1 2 3":          {2, "idb ui tap: error: unrecognized arguments: 3\n"},
		"ui tap 1 2 --bogus":    {2, "idb ui tap: error: unrecognized arguments: --bogus\n"},
		"ui tap 1 2 --duration": {2, "idb ui tap: error: argument --duration: expected one argument\n"},
		"ui button VOLUME": {2, "idb ui button: error: argument button: invalid choice: 'VOLUME' (choose from 'APPLE_PAY', " +
			"'HOME', 'LOCK', 'SIDE_BUTTON', 'SIRI')\n"},
		"ui text é":                {1, "No keycode found for é\n"},
		"ui describe-all --udid x": {1, "No target found with UDID x\n"},
		"ui describe-point 9999 1": {1, "No translation object returned for simulator."},
		"terminate com.apple.none": {1, "Cannot find application with bundle id com.apple.none\n"},
		"install /nowhere.app":     {1, "Failed to install /nowhere.app: "},
	} {
		if _, stderr, exit := run(t, w, strings.Fields(line)...); exit != want.exit || !strings.Contains(stderr, want.say) {
			t.Errorf("%s: %d %s", line, exit, stderr)
		}
	}
	if err := w.Boot(t.Context(), w.Devices()[1].UDID); err != nil {
		t.Fatal(err)
	}
	if _, stderr, exit := run(t, w, "ui", "describe-all"); exit != 1 || !strings.Contains(stderr, udid) {
		t.Errorf("%d %s", exit, stderr)
	}
	if err := w.Shutdown(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	if _, stderr, exit := run(t, w, "describe", "--udid", udid); exit != 1 || !strings.Contains(stderr, "not booted") {
		t.Errorf("%d %s", exit, stderr)
	}
}

// TestUICommandsHaveKeysOfRealIDB: in every recording of the whole screen the keys are ours, with a type ours can have.
func TestUICommandsHaveKeysOfRealIDB(t *testing.T) {
	samples := os.Getenv("IOS_AGENT_SAMPLES")
	if samples == "" {
		samples = filepath.Join("..", "..", "..", "..", "shared", "fixtures")
	}
	w, _ := shop(t)
	home, _ := shop(t)
	ok(t, home, "ui", "button", "HOME")
	flat := func(w *world.World) string { return ok(t, w, "ui", "describe-all", "--json") }
	for name, ours := range map[string][]string{
		"idb-flat-calendar.json": {flat(w)}, "idb-flat-settings.json": {flat(w)}, "idb-flat-home-screen.json": {flat(home)},
		"idb-nested-root-screen.json":    {ok(t, w, "ui", "describe-all", "--nested")},
		"idb-describe-point-wallet.json": {ok(t, home, "ui", "describe-point", "60", "120")},
	} {
		raw, err := os.ReadFile(filepath.Join(samples, "ui-describe", name))
		if err != nil {
			t.Skipf("no samples: %v", err)
		}
		want, got := shapes(t, string(raw)), shapes(t, ours...)
		if a, b := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)); !slices.Equal(a, b) {
			t.Errorf("%s has the keys\n%v\nours\n%v", name, a, b)
		}
		for key, kinds := range want {
			for kind := range kinds {
				if kind != "null" && !got[key][kind] && !(got[key]["null"] && len(got[key]) == 1) {
					t.Errorf("%s: %s is a %s, ours %v", name, key, kind, got[key])
				}
			}
		}
	}
	if first := flat(w)[:60]; !strings.HasPrefix(first, `[{"AXFrame":"{{0, 0}, {402, 874}}","AXUniqueId":null,"frame"`) {
		t.Errorf("%s", first)
	}
}

// shapes are the keys of all elements, and the types they have there.
func shapes(t *testing.T, documents ...string) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for key, value := range v {
				if out[key] == nil {
					out[key] = map[string]bool{}
				}
				kind := strings.TrimLeft(fmt.Sprintf("%T", value), "*")
				if value == nil {
					kind = "null"
				}
				out[key][kind] = true
				if key == "children" || key == "frame" {
					walk(value)
				}
			}
		}
	}
	for _, d := range documents {
		var v any
		if err := json.Unmarshal([]byte(d), &v); err != nil {
			t.Fatal(err)
		}
		walk(v)
	}
	return out
}

// FuzzRun: no command line makes idb fail otherwise than by an exit status.
func FuzzRun(f *testing.F) {
	f.Add("ui tap 1 2 --duration=x")
	f.Add("ui key-sequence 1 -- -2")
	f.Add("launch -f x -- --y")
	f.Fuzz(func(t *testing.T, line string) {
		w, _ := shop(t)
		if _, _, exit := run(t, w, strings.Fields(line)...); exit < 0 || exit > 2 {
			t.Errorf("exit %d", exit)
		}
	})
}
