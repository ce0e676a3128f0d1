package attack

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple/xcodebuild"
)

// TestForeignUserGetsNoAccess: another user of the machine tries every file, folder and socket of a home in use, the ports, the processes
// and what they show of themselves. He gets nothing, and nothing he does disturbs.
func TestForeignUserGetsNoAccess(t *testing.T) {
	needRoot(t)
	v := newVictim(t)
	v.use()
	s := v.status()
	agent, token := v.agent()
	if control := gained(t, []attempt{{"read", os.Args[0]}, {"list", "/"}, {"make", v.dir}}); len(control) != 2 {
		t.Fatalf("of what everybody may he got %q", control) // the test's own program lies in a folder of ours
	}
	for _, mode := range []fs.FileMode{0o700, 0o755} { // as we make it, and as its user may have made it
		if err := os.Chmod(v.home, mode); err != nil {
			t.Fatal(err)
		}
		var all []attempt
		for _, path := range paths(t, v.home) {
			info, err := os.Lstat(path)
			switch {
			case err != nil: // it was removed in the meantime
			case path == v.home && mode == 0o755:
				all = append(all, attempt{"make", path}, attempt{"move", path})
			case info.IsDir():
				all = append(all, attempt{"list", path}, attempt{"make", path}, attempt{"move", path})
			case info.Mode().Type() == fs.ModeSocket:
				all = append(all, attempt{"dial", path}, attempt{"move", path})
			default:
				all = append(all, attempt{"read", path}, attempt{"write", path}, attempt{"move", path})
			}
		}
		for _, name := range []string{
			"key", "state.db", "state.db-wal", "run/daemon.lock", "run/daemon.sock", "run/daemon.log", "versions", "virtual/locks",
		} {
			if !slices.ContainsFunc(all, func(a attempt) bool { return a.At == filepath.Join(v.home, name) }) {
				t.Errorf("%s is not tried", name)
			}
		}
		t.Logf("mode %o: %d attempts on %s", mode, len(all), v.home)
		if got := gained(t, all); len(got) > 0 {
			t.Errorf("a home of mode %o: he got %q", mode, got)
		}
	}
	others := []attempt{
		{"kill", fmt.Sprint(s.PID)}, {"read", fmt.Sprintf("/proc/%d/environ", s.PID)}, {"agent", agent}, {"agent token", agent},
	}
	for _, path := range []string{"/api/v1/device/list", "/api/v1/events", "/mcp", "/openapi.json", "/status", "/call/list_devices", "/"} {
		others = append(others, attempt{"get", s.URL + path})
	}
	if got := gained(t, others); len(got) > 0 {
		t.Errorf("he got %q", got)
	}
	shown := commandLines(t)
	for what, value := range map[string]string{"the key": v.key(), "the agent's token": token, "the secret": secret} {
		if strings.Contains(shown, value) {
			t.Errorf("a command line shows %s", what)
		}
	}
	v.must("snapshot")
	if now := v.status(); now.PID != s.PID {
		t.Errorf("the daemon was %d and is %d", s.PID, now.PID)
	}
}

// agent is where the agent of the victim's device listens, and its token: its process has both in its environment.
func (v *victim) agent() (address, token string) {
	v.t.Helper()
	for _, file := range processFiles(v.t, "environ") {
		raw, _ := os.ReadFile(file) // the process may have ended
		if !strings.Contains(string(raw), "IOS_AGENT_HOME="+v.home+"\x00") {
			continue
		}
		for entry := range strings.SplitSeq(string(raw), "\x00") {
			switch name, value, _ := strings.Cut(entry, "="); name {
			case xcodebuild.RunnerPrefix + xcodebuild.PortVariable:
				address = "127.0.0.1:" + value
			case xcodebuild.RunnerPrefix + xcodebuild.AuthVariable:
				token = value
			}
		}
	}
	if address == "" || token == "" {
		v.t.Fatal("no agent runs")
	}
	return address, token
}

// commandLines are those of all processes, as every user sees them.
func commandLines(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range processFiles(t, "cmdline") {
		raw, _ := os.ReadFile(file) // the process may have ended
		all.Write(raw)
		all.WriteByte('\n')
	}
	return all.String()
}

func processFiles(t *testing.T, name string) []string {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/" + name)
	if err != nil || len(found) == 0 {
		t.Skipf("there is no /proc here to look at processes: %v", err)
	}
	return found
}

// TestUsedHomeIsPrivate: with a umask that closes nothing and a home that its user made readable, whatever the product wrote is
// closed to others, or lies in a folder that is.
func TestUsedHomeIsPrivate(t *testing.T) {
	v := newVictim(t)
	v.must("daemon", "start")
	if info, err := os.Stat(v.home); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the home that we made: %v %v", info.Mode(), err)
	}
	v.use()
	checked := 0
	for _, root := range []string{v.home, v.dir} { // and what lies in the temporary folder
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case path == filepath.Dir(v.home):
				return fs.SkipDir // the user's own files
			case err != nil || path == root || d.Type() == fs.ModeSymlink:
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil // it was removed in the meantime
			}
			checked++
			switch open := info.Mode().Perm()&0o077 != 0; {
			case open:
				t.Errorf("%s has mode %o", path, info.Mode().Perm())
			case d.IsDir():
				return fs.SkipDir // nobody else can enter it
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if checked < 8 {
		t.Errorf("only %d files and folders", checked)
	}
}
