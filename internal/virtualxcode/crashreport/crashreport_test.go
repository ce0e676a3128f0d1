package crashreport_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ios-agent/internal/apple/crash"
	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/crashreport"
)

// Two crashes within a second are two files, and the production parser reads both.
func TestTwoCrashesInOneSecondWriteTwoFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Logs")
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	c := crashreport.Crash{At: at, Started: at.Add(-time.Minute), Bundle: "com.example.notes", Name: "Notes", PID: 20485,
		Kind: app.FatalError, Message: "Index out of range", Screen: "list", Line: 12, Front: true}
	d := crashreport.Device{UDID: "U", Runtime: "iOS-18-5", RuntimeRoot: "/Runtime", Launchd: 20472,
		App: &app.Bundle{ID: c.Bundle, Version: "1.0", Build: "1"}, Executable: "/Notes.app/Notes"}
	for _, want := range []string{"Notes-2026-02-03-040506.ips", "Notes-2026-02-03-040506.001.ips"} {
		file, err := c.Write(dir, d)
		if err != nil || file != filepath.Join(dir, want) {
			t.Fatal(file, err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := crash.Read(data)
		if err != nil || r.BundleID != c.Bundle || r.PID != c.PID {
			t.Errorf("%+v %v", r, err)
		}
	}
	if c.Type() != "EXC_BREAKPOINT (SIGTRAP)" || c.Said() != "Fatal error: Index out of range" {
		t.Error(c.Type(), c.Said())
	}
}
