package house_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/test/house"
)

// buggy is an app that logs an error when one pays.
var buggy = map[string]string{
	"Info.plist": `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>com.example.buggy</string><key>CFBundleExecutable</key><string>Buggy</string></dict></plist>`,
	"ui.yaml": `start: cart
state: {paid: 0}
screens:
  cart:
    title: Cart
    elements:
      - text: "Paid: {paid}"
      - button: Pay
        do:
          - set: {paid: 1}
          - print: paying
          - log: {level: error, message: "card refused", subsystem: com.example.buggy, category: pay}
`,
}

// TestTapReportsErrorLoggedByApp, over the log stream that a launch begins: the error is in the answer of the tap, or, where the
// stream was slower than the tap, in the next one under the tap's step; and the step has the line.
func TestTapReportsErrorLoggedByApp(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	app := filepath.Join(h.Home.String(), "Buggy.app")
	if err := os.MkdirAll(app, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range buggy {
		if err := os.WriteFile(filepath.Join(app, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.Boot("ada", "")
	h.Must("ada", "install_app", in{"app_path": app})
	h.Must("ada", "launch_app", in{"bundle_id": "com.example.buggy"})
	tap := h.Must("ada", "tap_element", in{"label": "Pay"})
	h.CLIUntil("ada", func(out string) bool { return strings.Contains(out, "card refused") }, "logs", "-f", "--after", "0", "--level", "error")
	said := tap.Text() + "\n" + h.Must("ada", "snapshot", nil).Text()
	if strings.Count(said, "log: 1 error") != 1 || !strings.Contains(said, `: "card refused"`) {
		t.Error(said)
	}
	lines := h.Must("ada", "read_logs", in{"step": "last"}).Text()
	if !strings.Contains(lines, `com.example.buggy:pay  "card refused"`) || !strings.Contains(lines, `"paying"`) {
		t.Error(lines)
	}
}
