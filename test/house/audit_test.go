package house_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/test/drivertest"
	"ios-agent/test/goldenrows"
	"ios-agent/test/house"
	"ios-agent/test/rig"
)

// TestAuditFindingsOfBuiltInAppsMatchGolden: the findings on journeys through the apps that Virtual Xcode brings, as they are read in
// review.
func TestAuditFindingsOfBuiltInAppsMatchGolden(t *testing.T) {
	t.Parallel()
	for _, app := range []struct {
		name, bundle string
		steps        []string
	}{
		{"shop", "com.iosagent.shop", []string{
			"tap --identifier forgot-button", "alert accept", "tap --identifier guest-button", `scroll-to --label "Add Kettle 10"`,
			"tap --identifier open-cart",
		}},
		{"settings", "com.apple.Preferences", []string{"tap --label General", "back", "tap --label Wi-Fi"}},
		{"conformance", drivertest.Conformance, []string{
			`tap --label "Text Input"`, "tap --label Navigation", "tap --label Gestures", "tap --label Dynamic",
		}},
	} {
		t.Run(app.name, func(t *testing.T) {
			h := house.New(t)
			h.Boot("a", "")
			h.Must("a", "install_app", in{"app_path": h.Files().App})
			h.Must("a", "launch_app", in{"bundle_id": app.bundle})
			text := h.Must("a", "audit", in{"steps": app.steps, "limit": 1000}).Text()
			goldenrows.Same(t, filepath.Join("testdata", "audit", app.name+".golden"), text+"\n")
		})
	}
}

// TestAuditOnStdoutIsValidJSON: the document says itself that a virtual device answered; all else goes to stderr.
func TestAuditOnStdoutIsValidJSON(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	for format, args := range map[string][]string{"json": nil, "sarif": nil, "sarif, failed": {"--fail-under", "100"}} {
		kind, _, failed := strings.Cut(format, ",")
		r := h.CLI("a", append([]string{"audit", "--format", kind}, args...)...)
		var doc struct {
			Toolchain string
			Runs      []struct{ Properties struct{ Toolchain string } }
		}
		if err := json.Unmarshal([]byte(r.Stdout), &doc); err != nil || (r.Exit != 0) != failed {
			t.Errorf("%s: exit %d, %v: %.200s", format, r.Exit, err, r.Stdout)
		}
		if kind == "sarif" && len(doc.Runs) == 1 {
			doc.Toolchain = doc.Runs[0].Properties.Toolchain
		}
		if doc.Toolchain != "virtual" {
			t.Errorf("%s: toolchain = %q, want virtual", format, doc.Toolchain)
		}
	}
}

// player is an app with two buttons that are called otherwise after a tap; only one has an identifier.
const player = `
start: song
state: {next: Play, heart: Like}
screens:
  song:
    title: Song
    elements:
      - {button: "{next}", do: [{set: {next: Pause}}]}
      - {button: "{heart}", id: song.heart, do: [{set: {heart: Unlike}}]}
`

// TestAuditReportsChangingNames: the button without an identifier could not be found again by its name.
func TestAuditReportsChangingNames(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", "")
	h.Must("a", "install_app", in{"app_path": rig.App(t, "com.example.player", player)})
	h.Must("a", "launch_app", in{"bundle_id": "com.example.player"})
	text := h.Must("a", "audit", in{"steps": []string{"tap --label Play", "tap --label Like"}}).Text()
	if strings.Count(text, `the name "Pause" was "Play" on an earlier look, and`) != 1 || strings.Contains(text, "Unlike") {
		t.Error(text)
	}
}

// TestAuditExitCodeFollowsFlags: exit codes of the command line, and what the answer says besides.
func TestAuditExitCodeFollowsFlags(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	known := filepath.Join(t.TempDir(), "known.json")
	wrong := filepath.Join(t.TempDir(), "wrong.json")
	if err := os.WriteFile(wrong, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"audit"}, fault.ExitOK, "score "},
		{[]string{"audit", "--fail-under", "1"}, fault.ExitOK, "score "},
		{[]string{"audit", "--fail-under", "100"}, fault.ExitFailed, "under 100: missing-identifier: "},
		{[]string{"audit", "--fail-under", "0"}, fault.ExitUsage, "fail_under"},
		{[]string{"audit", "--baseline", known}, fault.ExitUsage, "known.json"},
		{[]string{"audit", "--baseline", wrong}, fault.ExitUsage, "wrong.json"},
		{[]string{"audit", "--baseline", known, "--write-baseline", "--fail-under", "100"}, fault.ExitOK, "the baseline is"},
		{[]string{"audit", "--baseline", known, "--fail-under", "100"}, fault.ExitOK, "0 new findings"},
		{[]string{"audit", `tap --label Gestures`, "--baseline", known}, fault.ExitFailed, "new finding"},
		{[]string{"audit", `tap --label Nowhere`}, fault.ExitNotFound, "step 1"},
		{[]string{"audit", "batch 'tap @e1'"}, fault.ExitUsage, "cannot be a step"},
		{[]string{"audit", "--format", "pdf"}, fault.ExitUsage, "format"},
		{[]string{"audit", "--sim", "iPhone 99"}, fault.ExitNotFound, "iPhone 99"},
	} {
		r := h.CLI("a", c.args...)
		if r.Exit != c.exit || !strings.Contains(r.Stdout+r.Stderr, c.says) {
			t.Errorf("%q: exit %d, not %d, or it does not say %q:\n%s%s", c.args, r.Exit, c.exit, c.says, r.Stdout, r.Stderr)
		}
	}
	if _, err := h.Tool("a", "audit", nil); err != nil {
		t.Error(err)
	}
	if r := h.CLI("a", "doctor"); !strings.Contains(r.Stdout, drivertest.Conformance+": audit: score ") {
		t.Errorf("the doctor says nothing of the app:\n%s", r.Stdout)
	}
}
