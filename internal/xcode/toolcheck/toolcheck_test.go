package toolcheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/machine/host"
)

// open makes a Checker over a folder of shell scripts in the places of Apple's tools.
func open(t *testing.T, scripts map[string]string) (*Checker, string) {
	t.Helper()
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return New(Options{Run: h, Tools: apple.Toolchain{Name: apple.Xcode, Bin: dir}}), dir
}

func check(name, status, message, hint string) device.Check {
	return device.Check{Name: name, Status: status, Message: message, Hint: hint}
}

func TestXcodeCheckReportsVersionOrError(t *testing.T) {
	for script, want := range map[string]device.Check{
		"echo Xcode 16.4; echo Build version 16F6": check("toolchain", device.CheckOK, "Xcode 16.4 (xcode)", ""),
		"echo no >&2; exit 1": check("toolchain", device.CheckFail, "xcodebuild does not answer: §/xcodebuild: exit code 1: no",
			"install Xcode"),
		"echo no license >&2; exit 69": check("toolchain", device.CheckFail,
			"xcodebuild does not answer: §/xcodebuild: exit code 69: no license", "agree to it: `sudo xcodebuild -license accept`"),
	} {
		c, dir := open(t, map[string]string{"xcodebuild": script})
		got := c.Xcode(t.Context())
		got.Message = strings.ReplaceAll(got.Message, dir, "§")
		if got.Name != want.Name || got.Status != want.Status || got.Message != want.Message || !strings.HasPrefix(got.Hint, want.Hint) {
			t.Errorf("%s: %+v", script, got)
		}
	}
	c, _ := open(t, nil)
	if got := c.Xcode(t.Context()); got.Status != device.CheckFail || !strings.Contains(got.Message, "program not found") {
		t.Errorf("no xcodebuild: %+v", got)
	}
}

func TestProgramChecksReportMissingTools(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "swift"), []byte("#!/bin/sh\necho Swift 6.1 >&2"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	contents := t.TempDir()
	developer := filepath.Join(contents, "Developer")
	if err := os.MkdirAll(filepath.Join(contents, "Applications/DeviceHub.app"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, dir := open(t, map[string]string{
		"xcode-select": "echo " + developer,
		"xcrun":        `[ "$1" = devicectl ] && exit 72; [ "$2" = mcpbridge ] && exit 72; echo /x/simctl; echo more`,
		"axe":          "exec echo 1.0",
	})
	got := map[string]device.Check{}
	var order []string
	for _, f := range c.Programs(t.Context()) {
		got[f.Name] = f
		order = append(order, f.Name)
	}
	if strings.Join(order, " ") != "xcode-path simctl devicectl axe idb-client swift node front xcode-mcp" {
		t.Errorf("%q", order)
	}
	for _, want := range []device.Check{
		check("xcode-path", device.CheckOK, developer, ""),
		check("simctl", device.CheckOK, "/x/simctl", ""),
		check("devicectl",
			device.CheckWarn, "does not answer: "+dir+"/xcrun: exit code 72", "physical devices cannot be used; devicectl comes with Xcode 15"),
		check("axe", device.CheckOK, "1.0", ""),
		check("idb-client", device.CheckWarn, "does not answer: program not found: "+dir+"/idb", "nothing of ours needs it"),
		check("swift", device.CheckOK, "Swift 6.1", ""),
		check("front", device.CheckOK, contents+"/Applications/DeviceHub.app", ""),
		check("xcode-mcp", device.CheckOK, "`xcrun mcp-server`: Xcode's own MCP server is there; ios-agent does not use it",
			got["xcode-mcp"].Hint),
	} {
		if got[want.Name] != want {
			t.Errorf("got  %+v\nwant %+v", got[want.Name], want)
		}
	}
	there := c.Installed()
	for name, want := range map[string]bool{"xcodebuild": false, "simctl": true, "devicectl": true, "idb": false, "axe": true} {
		if is, known := there[name]; is != want || !known {
			t.Errorf("%s: %v", name, is)
		}
	}
}

// TestXcodeMCPCheckDoesNotStartServer: what runs in doctor is a search; the server itself, which would ask for a permission, is not
// started.
func TestXcodeMCPCheckDoesNotStartServer(t *testing.T) {
	c, dir := open(t, map[string]string{"xcrun": `echo "$@" >> "$0.log"; [ "$1" = --find ] && exit 72; exit 1`})
	if f := c.xcodeMCP(t.Context()); f.Status != device.CheckOK || !strings.Contains(f.Message, "no MCP server of its own") {
		t.Errorf("%+v", f)
	}
	ran, err := os.ReadFile(filepath.Join(dir, "xcrun.log"))
	if err != nil || string(ran) != "--find mcp-server\n--find mcpbridge\n" {
		t.Errorf("%q, %v", ran, err)
	}
}

func TestSimulatorAppCheckWarnsWithoutApp(t *testing.T) {
	empty := t.TempDir()
	c, _ := open(t, map[string]string{"xcode-select": "echo " + empty})
	if f := c.simulatorApp(t.Context()); f.Status != device.CheckWarn || !strings.Contains(f.Message, "the Xcode at "+empty) {
		t.Errorf("%+v", f)
	}
	c, _ = open(t, nil)
	if f := c.simulatorApp(t.Context()); f.Status != device.CheckWarn || !strings.Contains(f.Message, "unknown: program not found") {
		t.Errorf("got %+v, want that the place of Xcode is unknown", f)
	}
	c.o.Tools.Name = apple.Virtual
	if f := c.simulatorApp(t.Context()); f.Status != device.CheckOK || !c.Virtual() {
		t.Errorf("%+v", f)
	}
}
