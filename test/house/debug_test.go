package house_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/test/debuggee"
	"ios-agent/test/house"
)

// paused is how often an answer tells that the app is paused.
func paused(e op.Envelope) (n int) {
	for _, notice := range e.Meta.Notices {
		if notice.Kind == op.Paused {
			n++
		}
	}
	return n
}

// TestPausedAppIsReportedInsteadOfHanging: while a debugger holds an app, looks and actions on its device are refused at once, to every
// session; what needs no answer of the app is done and tells. Other devices are as ever.
func TestPausedAppIsReportedInsteadOfHanging(t *testing.T) {
	t.Parallel()
	h := house.New(t, house.Options{Programs: func(name string, tool host.Main) host.Main {
		if name == "lldb-dap" {
			return new(debuggee.Adapter).Main
		}
		return tool
	}})
	app := exec.Command("sleep", "60")
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Process.Kill(); _ = app.Wait() })
	udid := h.Boot(holder, "com.iosagent.shop")
	h.Must(holder, "snapshot", nil)
	h.Must(holder, "debug_attach", map[string]any{"pid": app.Process.Pid, "udid": udid, "stop": true})
	for name, input := range map[string]map[string]any{
		"snapshot": {}, "describe_ui": {"simulatorId": udid}, "tap_element": {"identifier": "x"}, "tap": {"x": 1, "y": 2},
	} {
		e := h.Call(holder, name, input)
		if e.Error == nil || e.Error.Code != fault.AppPaused || !strings.Contains(e.Error.Message, "main.c:12 in main") ||
			!strings.Contains(e.Error.Hint, "debug continue") {
			t.Errorf("%s: %s", name, e.Text())
		}
	}
	if e := h.Call(intruder, "snapshot", map[string]any{"udid": udid}); e.Error == nil || !strings.Contains(e.Error.Hint, `"`+holder+`"`) {
		t.Errorf("another session: %s", e.Text())
	}
	e := h.Must(holder, "take_screenshot", nil)
	if n := e.Meta.Notices; len(n) != 1 || n[0].Kind != op.Paused || !strings.Contains(n[0].Text, "main.c:12") {
		t.Errorf("%+v", n)
	}
	if e := h.Call(intruder, "debug_continue", nil); e.Error == nil || e.Error.Code != fault.SessionNotFound {
		t.Errorf("another session goes on with it: %s", e.Text())
	}
	if text := h.Must(holder, "debug_stack", nil).Text(); !strings.Contains(text, "#0 main at /src/main.c:12") {
		t.Error(text)
	}
	if b := house.Result[struct{ Breakpoint int }](h, h.Must(holder, "debug_break", map[string]any{"at": "main.c:13"})); b.Breakpoint >= 0 {
		t.Errorf("a breakpoint that lldb-dap gave no number has %d", b.Breakpoint)
	}

	// Who wants to look all the same says so, as in XcodeBuildMCP.
	for mode, notices := range map[string]int{"warn": 1, "off": 0} {
		file := filepath.Join(h.Home.String(), ".xcodebuildmcp", "config.yaml")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("schemaVersion: 1\nuiDebuggerGuardMode: "+mode+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if n := paused(h.Must(holder, "snapshot", nil)); n != notices {
			t.Errorf("%s: %d notices", mode, n)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if e := h.Call(holder, "snapshot", nil); e.Error == nil || e.Error.Code != fault.AppPaused {
		t.Errorf("without the file: %s", e.Text())
	}
	h.Must(holder, "debug_continue", nil)
	h.Must(holder, "snapshot", nil)
	if text := h.Must(holder, "debug_detach", nil).Text(); !strings.Contains(text, "which keeps running") {
		t.Error(text)
	}
}
