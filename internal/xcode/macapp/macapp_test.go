package macapp

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/virtualxcode/open"
	"ios-agent/internal/virtualxcode/tool"
)

// player runs the virtual open in our process. Missing are the apps that this Mac does not have.
type player struct {
	records string
	missing []string
	calls   []string
}

func (p *player) Run(_ context.Context, c host.Cmd) (host.Result, error) {
	p.calls = append(p.calls, strings.Join(append([]string{c.Name}, c.Args...), " "))
	if c.Name == "xcode-select" {
		return host.Result{Stdout: []byte(developer + "\n")}, nil
	}
	if c.Args[0] == "-a" && slices.Contains(p.missing, c.Args[1]) {
		return host.Result{ExitCode: 1}, &host.ExitError{Name: c.Name, Code: 1, StderrTail: "Unable to find application named '" +
			c.Args[1] + "'"}
	}
	var stderr bytes.Buffer
	virtual := open.Tool{Call: tool.Call{Args: c.Args, Stderr: &stderr}.Complete(), Records: p.records, Xcode: developer}
	if code := virtual.Run(); code != 0 {
		return host.Result{ExitCode: code}, &host.ExitError{Name: c.Name, Code: code, StderrTail: stderr.String()}
	}
	return host.Result{}, nil
}

// app writes a macOS app whose program stays.
func app(t *testing.T, name, info string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".app")
	program := filepath.Join(path, "Contents", "MacOS", "prog")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		filepath.Join(path, "Contents", "Info.plist"): "<plist version=\"1.0\"><dict>" + info + "</dict></plist>",
		program: "#!/bin/sh\nwhile :; do sleep 1; done\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

const whole = "<key>CFBundleExecutable</key><string>prog</string><key>CFBundleIdentifier</key><string>com.example.ledger</string>"

func wants(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	if !fault.Is(err, code) || !strings.Contains(err.Error()+" "+fault.From(err).Hint, text) {
		t.Errorf("got %v (%s), want %s with %q", err, fault.From(err).Hint, code, text)
	}
}

func TestOpenedAppIsFoundAndStopped(t *testing.T) {
	name := fmt.Sprintf(`Led"ger $(x) %d`, os.Getpid())
	path := app(t, name, whole)
	run := &player{records: t.TempDir()}
	s := New(Options{Run: run})
	opened, err := s.Open(t.Context(), Launch{Path: path, Args: []string{"--fast"}, Env: []string{"COLOUR=red=1"}})
	if err != nil || opened.Name != name || opened.BundleID != "com.example.ledger" || opened.Path != path {
		t.Fatalf("%+v, %v", opened, err)
	}
	if want := "open --env COLOUR=red=1 " + path + " --args --fast"; run.calls[0] != want {
		t.Errorf("got  %s\nwant %s", run.calls[0], want)
	}
	pid := s.Process(t.Context(), opened)
	if pid == 0 {
		t.Fatal("the process was not found")
	}
	_, err = s.Stop(t.Context(), Which{Name: name[:len(name)-1]})
	wants(t, err, fault.AppNotRunning, "did you mean")
	ended, err := s.Stop(t.Context(), Which{Name: name + ".app"})
	if err != nil || ended.Name != name || !slices.Contains(ended.PIDs, pid) {
		t.Fatalf("%+v, %v", ended, err)
	}
	_, err = s.Stop(t.Context(), Which{PID: pid})
	wants(t, err, fault.AppNotRunning, fmt.Sprint("unknown process ", pid))

	opened, err = s.Open(t.Context(), Launch{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	was := s.Process(t.Context(), opened)
	opened, err = s.Open(t.Context(), Launch{Path: path, Restart: true})
	pid = s.Process(t.Context(), opened)
	if err != nil || !opened.Restarted || pid == was || processes.Alive(was, "") {
		t.Errorf("the restart: %+v, %v; process %d after %d", opened, err, pid, was)
	}
	if ended, err := s.Stop(t.Context(), Which{PID: pid}); err != nil || ended.Name != name || !slices.Equal(ended.PIDs, []int{pid}) {
		t.Fatalf("%+v, %v", ended, err)
	}
	if processes.Alive(pid, "") {
		t.Errorf("process %d lives", pid)
	}
}

func TestOpenRefusesInvalidApps(t *testing.T) {
	s := New(Options{Run: &player{records: t.TempDir()}})
	dir := t.TempDir()
	phone := filepath.Join(dir, "Phone.app")
	if err := os.Mkdir(phone, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(phone, "Info.plist")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(dir, "gone.app"): "does not exist", dir: "it has no Contents/Info.plist", phone: "install_app_sim",
		file: "is not an .app folder",
	} {
		_, err := s.Open(t.Context(), Launch{Path: path})
		wants(t, err, fault.PathError, text)
	}
	good := app(t, "Good", "")
	_, err := s.Open(t.Context(), Launch{Path: good, Env: []string{"novalue"}})
	wants(t, err, fault.InvalidInput, `env "novalue" must be NAME=VALUE`)
	_, err = s.Open(t.Context(), Launch{Path: good}) // its Info.plist names no program
	wants(t, err, fault.AppLaunchFailed, "cannot open "+good)
}

// developer is the folder of the Xcode in use, one of several on this Mac.
const developer = "/Applications/Xcode-27.app/Contents/Developer"

func TestShowSimulatorsFallsBackToDeviceHub(t *testing.T) {
	const simulator, hub = developer + "/Applications/Simulator.app", "/Applications/Xcode-27.app/Contents/Applications/DeviceHub.app"
	run := &player{records: t.TempDir()}
	s := New(Options{Run: run})
	if name, err := s.ShowSimulators(t.Context(), "UDID"); err != nil || name != "Simulator" {
		t.Errorf("%s, %v", name, err)
	}
	run.missing = []string{simulator}
	if name, err := s.ShowSimulators(t.Context(), "UDID"); err != nil || name != "DeviceHub" {
		t.Errorf("%s, %v", name, err)
	}
	run.missing = append(run.missing, hub)
	_, err := s.ShowSimulators(t.Context(), "")
	wants(t, err, fault.ToolFailed, "has neither Simulator nor DeviceHub")
	want := []string{
		"xcode-select -p", "open -a " + simulator + " --args -CurrentDeviceUDID UDID",
		"xcode-select -p", "open -a " + simulator + " --args -CurrentDeviceUDID UDID", "open -a " + hub + " devices://device/open?id=UDID",
		"xcode-select -p", "open -a " + simulator, "open -a " + hub,
	}
	if !slices.Equal(run.calls, want) {
		t.Errorf("%q", run.calls)
	}
}

// TestStopEndsAppsOnly: a name or a process outside an app is nobody's to end, and no call ends those who made it.
func TestStopEndsAppsOnly(t *testing.T) {
	s := New(Options{Run: &player{records: t.TempDir()}})
	name := fmt.Sprintf("stranger%d", os.Getpid())
	stranger := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(stranger, []byte("#!/bin/sh\nwhile :; do sleep 1; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	pid, err := host.StartDetached(stranger, nil, nil, filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	start, _ := processes.StartTime(pid)
	defer processes.End(context.Background(), processes.Program{PID: pid, Start: start})
	_, err = s.Stop(t.Context(), Which{Name: name}) // never a shell's name here: a mistake would end those of whoever runs the test
	wants(t, err, fault.AppNotRunning, "no running app is named")
	_, err = s.Stop(t.Context(), Which{PID: pid})
	wants(t, err, fault.Forbidden, "must be an app")
	if !processes.Alive(pid, start) {
		t.Error("a program that is no app was ended")
	}

	path := app(t, "Terminal", whole)
	if err := os.WriteFile(filepath.Join(path, "Contents", "MacOS", "prog"), []byte("#!/bin/sh\nsleep 60 &\nwait\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	opened, err := s.Open(t.Context(), Launch{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	terminal := s.Process(t.Context(), opened)
	var client processes.Program // the app's sleep stands for a client in a terminal
	for client.PID == 0 {
		for _, p := range programs(func(p processes.Program) bool { return p.Parent == terminal && p.Path != opened.program() }) {
			client = p
		}
	}
	defer processes.End(context.Background(), client)
	for _, which := range []Which{{Name: "Terminal", Caller: client.PID}, {PID: terminal, Caller: client.PID}} {
		_, err = s.Stop(t.Context(), which)
		wants(t, err, fault.Forbidden, "this call comes from")
	}
	_, err = s.Open(t.Context(), Launch{Path: path, Restart: true, Caller: client.PID})
	wants(t, err, fault.Forbidden, "this call comes from")
	if !processes.Alive(terminal, "") {
		t.Fatal("the app that the call came from was ended")
	}
	if _, err := s.Stop(t.Context(), Which{PID: terminal}); err != nil {
		t.Error(err)
	}
}
