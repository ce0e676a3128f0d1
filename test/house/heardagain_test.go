package house_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// worldTime is a clock that is the world's: a simulator has the clock of its Mac.
func worldTime(h **house.House) func() time.Time {
	return func() time.Time {
		if *h == nil {
			return time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
		}
		return (*h).World.Now()
	}
}

// chatty is an app that logs at two levels when it is launched, and when it is opened by a link.
var chatty = map[string]string{
	"Info.plist": `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>com.example.chatty</string><key>CFBundleExecutable</key><string>Chatty</string></dict></plist>`,
	"ui.yaml": `start: home
launch:
  - log: {message: "up and running"}
open:
  "chatty://now": [{log: {message: "a notice"}}, {log: {level: debug, message: "a detail"}}, {log: {level: info, message: "an aside"}}]
screens:
  home:
    title: Home
    elements: [{button: Tap Me}]
`,
}

// withChatty is a house in which session a launched the app.
func withChatty(t *testing.T) (h *house.House, udid string) {
	t.Helper()
	h = house.New(t, house.Options{Now: worldTime(&h)})
	app := filepath.Join(h.Home.String(), "Chatty.app")
	if err := os.MkdirAll(app, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range chatty {
		if err := os.WriteFile(filepath.Join(app, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	udid = h.Boot("a", "")
	h.Must("a", "install_app", map[string]any{"app_path": app})
	h.Must("a", "launch_app", map[string]any{"bundle_id": "com.example.chatty"})
	h.CLIUntil("a", func(out string) bool { return strings.Contains(out, "up and running") }, "logs", "-f", "--after", "0")
	return h, udid
}

// heardNow are the sources that are under way.
func heardNow(h *house.House) (ids []string) {
	for _, s := range h.Product.Telemetry.Sources() {
		if s.Status != "stopped" && s.Status != "error" {
			ids = append(ids, s.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// TestLogSourcesResumeAfterRestart: whatever a session asks first, on any surface and in any set, what was followed before the daemon
// was restarted is followed again, also for another session; and the next input of the session that followed it is enough.
func TestLogSourcesResumeAfterRestart(t *testing.T) {
	t.Parallel()
	h, udid := withChatty(t)
	log, console := "log-"+udid[:8]+"-com.example.chatty", "console-"+udid[:8]+"-com.example.chatty"
	ask := func(name string, input any) func(string) {
		return func(session string) { h.Must(session, name, input) }
	}
	get := func(path string) func(string) {
		return func(session string) {
			if got := h.REST(session, http.MethodGet, path, nil); got.Code != http.StatusOK {
				t.Errorf("%s: got %d %s", path, got.Code, got.Body)
			}
		}
	}
	tool := func(name string) func(string) {
		return func(session string) {
			if _, err := h.Tool(session, name, map[string]any{}); err != nil {
				t.Error(err)
			}
		}
	}
	shell := func(args ...string) func(string) { return func(session string) { h.CLI(session, args...) } }
	asks := map[string]func(string){
		"tail_logs": ask("tail_logs", nil), "query_logs": ask("query_logs", nil), "get_errors": ask("get_errors", nil),
		"get_log_summary": ask("get_log_summary", nil), "list_log_sources": ask("list_log_sources", nil),
		"read_logs of all": ask("read_logs", map[string]any{"all": true}), "log_sources": ask("log_sources", nil),
		"summarize_logs of all": ask("summarize_logs", map[string]any{"all": true}),
		"read_logs of one":      ask("read_logs", map[string]any{"udid": udid}),
		"GET /logs/query":       get("/api/v1/logs/query"), "GET /logs": get("/api/v1/logs?all=true"),
		"GET /logs/sources": get("/api/v1/logs/sources"),
		"MCP tail_logs":     tool("tail_logs"), "MCP read_logs": tool("read_logs"),
		"ios-agent logs": shell("logs", "--udid", udid), "ios-agent logs --all": shell("logs", "--all"),
	}
	for name, first := range asks {
		for _, session := range []string{"a", "b"} {
			h.Restart()
			first(session)
			if got := heardNow(h); !slices.Contains(got, log) || !slices.Contains(got, console) {
				t.Errorf("%s by session %s: got the sources %q, want %q and %q", name, session, got, log, console)
			}
		}
	}
	h.Restart()
	h.Must("a", "tap_element", map[string]any{"label": "Tap Me"})
	if got := heardNow(h); !slices.Contains(got, log) || !slices.Contains(got, console) {
		t.Errorf("after a tap: got the sources %q, want %q and %q", got, log, console)
	}
}

// TestLogGapOfRestartIsFilledOrReported: lines in the system's log are filled in, and a gap is reported.
func TestLogGapOfRestartIsFilledOrReported(t *testing.T) {
	t.Parallel()
	h, udid := withChatty(t)
	h.RestartAfter(func() {
		if err := h.World.OpenURL(t.Context(), udid, "chatty://now"); err != nil {
			t.Error(err)
		}
	})
	said := string(h.Must("b", "tail_logs", nil).Result)
	if strings.Count(said, `"message":"a notice"`) != 1 || strings.Contains(said, `"missing_lines":`) {
		t.Errorf("soon: got %s, want the line once and nothing missing", said)
	}
	h.RestartAfter(func() {
		if err := h.World.Sleep(t.Context(), 10*time.Minute); err != nil {
			t.Error(err)
		}
	})
	for name, e := range map[string]string{
		"tail_logs":        string(h.Must("b", "tail_logs", map[string]any{"level": "error"}).Result),
		"list_log_sources": string(h.Must("b", "list_log_sources", nil).Result),
		"read_logs":        h.Must("b", "read_logs", map[string]any{"udid": udid, "level": "error"}).Stdout,
		"log_sources":      h.Must("b", "log_sources", nil).Stdout,
	} {
		if !strings.Contains(e, "the log was not followed for a while; the system's lines since ") {
			t.Errorf("%s, late: got %s, want what is missing", name, e)
		}
	}
}

// TestDebugLevelRequestRaisesLogLevel: of the app that is meant, and the answer says so once. Where nothing can be raised it says that such
// lines are not captured.
func TestDebugLevelRequestRaisesLogLevel(t *testing.T) {
	t.Parallel()
	for name, level := range map[string]string{"read_logs": "debug", "tail_logs": "debug", "query_logs": "info"} {
		h, udid := withChatty(t)
		note := func(input map[string]any) (string, string) {
			e := h.Must("a", name, input)
			return house.Result[struct{ Note string }](h, e).Note, string(e.Result)
		}
		if got, _ := note(map[string]any{"level": "notice"}); got != "" {
			t.Errorf("%s, notice: got %q, want no note", name, got)
		}
		want := level + " lines of com.example.chatty are captured from now on; until now only Apple's default level was"
		if got, _ := note(map[string]any{"level": level}); got != want {
			t.Errorf("%s, %s: got %q, want %q", name, level, got, want)
		}
		if err := h.World.OpenURL(t.Context(), udid, "chatty://now"); err != nil {
			t.Fatal(err)
		}
		follows(h, t, "log-"+udid[:8]+"-com.example.chatty-"+level, "streaming", 2)
		got, said := note(map[string]any{"level": level})
		if got != "" || !strings.Contains(said, "an aside") || strings.Contains(said, "a detail") != (level == "debug") ||
			strings.Count(said, `"message":"a notice"`) != 1 {
			t.Errorf("%s, again: got the note %q and %s, want the lines of level %s, each once", name, got, said, level)
		}
	}
	h := house.New(t)
	h.Boot("a", "")
	for name, input := range map[string]map[string]any{
		"read_logs": {"level": "debug"}, "tail_logs": {"level": "debug"}, "query_logs": {"level": "debug"},
	} {
		got := house.Result[struct{ Note string }](h, h.Must("a", name, input)).Note
		if !strings.HasPrefix(got, "debug lines are not captured: ") {
			t.Errorf("%s without an app: got the note %q, want that such lines are not captured", name, got)
		}
	}
}

// TestLogSourcesEndWhenDeviceIsOff: also when it was switched off or erased by others, and its log is not followed.
func TestLogSourcesEndWhenDeviceIsOff(t *testing.T) {
	t.Parallel()
	off := map[string]func(h *house.House, udid string){
		"shutdown": func(h *house.House, udid string) { h.Must("a", "shutdown_device", map[string]any{"udid": udid}) },
		"reset":    func(h *house.House, udid string) { h.Must("a", "reset_sim", map[string]any{"udid": udid}) },
		"shutdown by others": func(h *house.House, udid string) {
			h.Must("a", "logs_stop", nil)
			if err := h.World.Shutdown(context.Background(), udid); err != nil {
				t.Error(err)
			}
		},
		"deleted by others": func(h *house.House, udid string) {
			h.Must("a", "logs_stop", nil)
			if err := h.World.Shutdown(context.Background(), udid); err != nil {
				t.Error(err)
			}
			if err := h.World.Delete(context.Background(), udid); err != nil {
				t.Error(err)
			}
		},
	}
	for what, end := range off {
		h := house.New(t)
		udid := h.Boot("a", drivertest.Conformance)
		follows(h, t, "console-"+udid[:8], "streaming", 1)
		end(h, udid)
		h.Must("a", "list_log_sources", nil)
		for _, s := range h.Product.Telemetry.Sources() {
			if s.Source == telemetry.Console && s.Status != "stopped" {
				t.Errorf("%s: got the source %s %s, want it stopped", what, s.ID, s.Status)
			}
		}
		if files, _ := filepath.Glob(filepath.Join(h.Home.String(), "consoles", "*")); len(files) != 0 {
			t.Errorf("%s: got the files %q, want none", what, files)
		}
	}
}
