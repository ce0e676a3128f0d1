package axe_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/axe"
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
	var out, err bytes.Buffer
	exit = axe.Run(t.Context(), w, args, t.TempDir(), nil, &out, &err)
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

func TestSigningIn(t *testing.T) {
	w, udid := shop(t)
	if login := find(describe(t, w, udid), "login-button"); login == nil || login.Enabled {
		t.Fatalf("%+v", login)
	}
	for _, step := range [][]string{
		{"tap", "--id", "email-field", "--udid", udid}, {"type", "ada@example.com", "--udid", udid},
		{"tap", "--label", "Password", "--udid", udid}, {"type", "secret", "--udid", udid},
		{"tap", "--id", "login-button", "--udid", udid},
	} {
		if out, stderr, exit := run(t, w, step...); exit != 0 || !strings.HasPrefix(out, "✓") {
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

func TestRefusals(t *testing.T) {
	w, udid := shop(t)
	for _, c := range []struct {
		args []string
		exit int
		say  string
	}{
		{[]string{"describe-ui"}, 64, "Error: Missing expected argument '--udid <udid>'\nHelp:  --udid <udid>  The UDID of the simulator.\nUsage: axe describe-ui --udid <udid> [--point <x,y>]\n  See 'axe describe-ui --help' for more information.\n"},
		{[]string{"describe-ui", "--bogus", "--udid", udid}, 64, "Error: Unknown option '--bogus'\n"},
		{[]string{"frobnicate"}, 64, "Error: Unexpected argument 'frobnicate'\n"},
		{[]string{"tap", "--id", "nobody", "--udid", udid}, 1, "Error: no accessibility element matched 'nobody'\n"},
		{[]string{"tap", "--udid", udid}, 1, "Error: both -x and -y are needed\n"},
		{[]string{"tap", "-x", "a", "-y", "1", "--udid", udid}, 1, "Error: the value 'a' is invalid for '-x'\n"},
		{[]string{"tap", "-x"}, 64, "Error: Missing value for '-x <x>'\n"},
		{[]string{"gesture", "moonwalk", "--udid", udid}, 1, "Error: the value 'moonwalk' is invalid for '<preset>'\n"},
		{[]string{"key", "999", "--udid", udid}, 1, "Error: the value '999' is invalid for '<keycode>'\n"},
		{[]string{"describe-ui", "--udid", "nobody"}, 1, "Error: "},
	} {
		if _, stderr, exit := run(t, w, c.args...); exit != c.exit || !strings.HasPrefix(stderr, c.say) {
			t.Errorf("%v: %d %q", c.args, exit, stderr)
		}
	}
}

// TestShapeOfTheRealOne compares keys and their types with a recorded run of the real tool.
func TestShapeOfTheRealOne(t *testing.T) {
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
