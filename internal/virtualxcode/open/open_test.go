package open_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/machine/processes"
	"ios-agent/internal/virtualxcode/open"
	"ios-agent/internal/virtualxcode/tool"
)

// app writes a macOS app whose program tells its arguments and stays.
func app(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name+".app")
	program := filepath.Join(path, "Contents", "MacOS", name)
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	info := "<plist version=\"1.0\"><dict><key>CFBundleExecutable</key><string>" + name +
		"</string><key>CFBundleIdentifier</key><string>com.example." + name + "</string></dict></plist>"
	script := "#!/bin/sh\necho \"$@\" $COLOUR > '" + filepath.Join(dir, name+".said") + ".new'\nmv '" + filepath.Join(dir, name+".said") +
		".new' '" + filepath.Join(dir, name+".said") + "'\nwhile :; do sleep 1; done\n"
	for file, text := range map[string]string{filepath.Join(path, "Contents", "Info.plist"): info, program: script} {
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// pids are the processes a tool has started and remembers.
func pids(t *testing.T, records string) (all []int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(records, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		var r struct{ PID int }
		data, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(data, &r) != nil {
			t.Fatal(file, err)
		}
		all = append(all, r.PID)
	}
	return all
}

// eventually waits for something another process does.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if is() {
				return
			}
		case <-t.Context().Done():
			t.Fatal(what)
		}
	}
}

func TestOpenStartsOneProcessPerApp(t *testing.T) {
	dir := t.TempDir()
	path := app(t, dir, "Notes")
	var errs bytes.Buffer
	records := filepath.Join(dir, "records")
	ok := func(args ...string) int {
		t.Helper()
		if exit := (open.Tool{Call: tool.Call{Args: args, Dir: dir, Stderr: &errs}, Records: records}).Run(); exit != 0 {
			t.Fatalf("%v: %d %s", args, exit, errs.String())
		}
		return pids(t, records)[0]
	}
	first := ok("-g", "--env", "COLOUR=red", path, "--args", "--fast", "a b")
	stop := func(pid int) {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // the group: it may be gone
	}
	defer func() { stop(first) }()
	eventually(t, "the app never said anything", func() bool {
		said, err := os.ReadFile(filepath.Join(dir, "Notes.said"))
		return err == nil && string(said) == "--fast a b red\n"
	})
	if again := ok(path); again != first {
		t.Error("a running app was started again")
	}
	if again := ok("-a", "Notes"); again != first {
		t.Error("a running app was started again by its name")
	}
	second := ok("-n", path)
	defer func() { stop(second) }()
	if second == first {
		t.Error("-n started nothing")
	}
	if err := syscall.Kill(second, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "SIGTERM did not end it", func() bool { return !processes.Alive(second, "") })
	third := ok("-b", "com.example.Notes")
	defer func() { stop(third) }()
	if third == second || !processes.Alive(third, "") {
		t.Error("what has ended was not started again")
	}
}

func TestOpenRefusesUnknownTargets(t *testing.T) {
	dir := t.TempDir()
	phone := filepath.Join(dir, "Phone.app")
	if err := os.Mkdir(phone, 0o755); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]struct {
		exit int
		say  string
	}{
		"-a Simulator --args -CurrentDeviceUDID X": {0, ""},
		"https://example.com":                      {0, ""},
		dir:                                        {0, ""},
		"devices:///manage/select?id=X":            {1, "No application knows how to open URL devices:///manage/select?id=X"},
		dir + "/None.app":                          {1, fmt.Sprintf("The file %s/None.app does not exist.\n", dir)},
		phone:                                      {1, "cannot be opened because its executable is missing"},
		"-a Nobody":                                {1, "Unable to find application named 'Nobody'\n"},
		"-b com.example.nobody":                    {1, "LSCopyApplicationURLsForBundleIdentifier() failed"},
		"-a":                                       {1, "open: option requires an argument -- a\n"},
		"--moonwalk":                               {1, "open: unrecognized option `--moonwalk'\n"},
		"":                                         {1, "Usage: open "},
	} {
		var errs bytes.Buffer
		exit := open.Tool{Call: tool.Call{Args: strings.Fields(line), Dir: dir, Stderr: &errs},
			Records: filepath.Join(dir, "records")}.Run()
		if exit != want.exit || !strings.Contains(errs.String(), want.say) {
			t.Errorf("%q: %d %s", line, exit, errs.String())
		}
	}
}
