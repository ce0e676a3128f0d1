package simctl_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

const (
	shop  = "com.iosagent.shop"
	phone = "iPhone 16 Pro"
)

// rig runs simctl against one world, in a folder with the built-in apps.
type rig struct {
	t     *testing.T
	world *world.World
	root  string // of the world
	dir   string
	env   map[string]string
	input string
}

func newTool(t *testing.T) *rig {
	t.Helper()
	clock := world.RequestClock(time.Date(2025, 6, 9, 9, 41, 0, 0, time.UTC))
	root := t.TempDir()
	w, err := world.New(world.Options{Clock: clock, Root: root})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := apps.Write(dir); err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, world: w, root: root, dir: dir}
}

func (s *rig) udid() string { return s.world.Devices()[0].UDID }

// run returns what a command printed and its exit status.
func (s *rig) run(args ...string) (stdout, stderr string, exit int) {
	s.t.Helper()
	var out, errout bytes.Buffer
	exit = simctl.Run(s.t.Context(), s.world, tool.Call{Args: args, Dir: s.dir, Env: s.env, Stdin: strings.NewReader(s.input), Stdout: &out,
		Stderr: &errout})
	return out.String(), errout.String(), exit
}

// ok runs a command that must succeed.
func (s *rig) ok(args ...string) string {
	s.t.Helper()
	out, errout, exit := s.run(args...)
	if exit != 0 {
		s.t.Fatalf("simctl %s: exit %d\n%s", strings.Join(args, " "), exit, errout)
	}
	return out
}

func TestSecondLaunchKeepsPIDOfRunningApp(t *testing.T) {
	s := newTool(t)
	s.ok("boot", phone)
	s.ok("install", "booted", "Shop.app")
	s.env = map[string]string{"SIMCTL_CHILD_MODE": "test", "HOME": "/"}
	first := s.ok("launch", s.udid(), shop, "-flag", "1")
	if !regexp.MustCompile(`^com\.iosagent\.shop: \d+\n$`).MatchString(first) {
		t.Errorf("launch printed %q", first)
	}
	if again := s.ok("launch", "booted", shop); again != first {
		t.Errorf("a second launch printed %q after %q", again, first)
	}
	if fresh := s.ok("launch", "--terminate-running-process", "booted", shop); fresh == first {
		t.Errorf("a fresh launch printed %q again", fresh)
	}
	s.ok("terminate", "booted", shop)
	s.ok("shutdown", "all")
	s.ok("shutdown", "all")
	if out := s.ok("list", "devices", "booted"); strings.Contains(out, "    ") || !strings.Contains(out, "-- iOS 18.5 --\n") {
		t.Errorf("booted devices are\n%s", out)
	}
}

func TestFailedCommandsPrintRealErrors(t *testing.T) {
	on, off := newTool(t), newTool(t)
	on.ok("boot", phone)
	if err := os.Mkdir(filepath.Join(on.dir, "Empty.app"), 0o755); err != nil {
		t.Fatal(err)
	}
	sim := "An error was encountered processing the command (domain=com.apple.CoreSimulator.SimError, code=405):\n"
	missing := "An error was encountered processing the command (domain=FBSOpenApplicationServiceErrorDomain, code=4):\n" +
		"Simulator device failed to launch com.example.no.\nUnderlying error (domain=FBSOpenApplicationServiceErrorDomain, code=4):\n" +
		"\tThe request to open \"com.example.no\" failed.\n"
	idle := "An error was encountered processing the command (domain=NSPOSIXErrorDomain, code=3):\n" +
		"Simulator device failed to terminate com.example.no.\nfound nothing to terminate\n" +
		"Underlying error (domain=NSPOSIXErrorDomain, code=3):\n" +
		"\tThe request to terminate \"com.example.no\" failed. found nothing to terminate\n\tfound nothing to terminate\n"
	for name, c := range map[string]struct {
		tool *rig
		args string
		want string
		exit int
	}{
		"boot twice":            {on, "boot booted", sim + "Unable to boot device in current state: Booted\n", 149},
		"shutdown twice":        {off, "shutdown " + off.udid(), sim + "Unable to shutdown device in current state: Shutdown\n", 149},
		"launch on a shut down": {off, "launch " + off.udid() + " x", sim + "Unable to lookup in current state: Shutdown\n", 149},
		"install on a shut down": {off, "install " + off.udid() + " nothing.app",
			sim + "Unable to lookup in current state: Shutdown\n", 149},
		"screenshot of a shut down": {off, "io " + off.udid() + " screenshot a.png",
			sim + "Unable to lookup in current state: Shutdown\n", 149},
		"launch unknown app": {on, "launch booted com.example.no", missing, 4},
		"terminate idle app": {on, "terminate booted com.example.no", idle, 3},
		"unknown device":     {on, "launch nowhere x", "Invalid device: nowhere\n", 148},
		"boot unknown":       {on, "boot nowhere", "Invalid device or device pair: nowhere\n", 148},
		"none booted":        {off, "terminate booted x", "No devices are booted.\n", 148},
		"install nothing": {on, "install booted no.app", "An error was encountered processing the command " +
			"(domain=NSPOSIXErrorDomain, code=2):\n" +
			"Simulator device failed to install the application.\nAn application bundle was not found at the provided path.\n" +
			"Provide a valid path to the desired application bundle.\n", 2},
		"install nameless": {on, "install booted Empty.app", "An error was encountered processing the command (domain=IXErrorDomain, " +
			"code=13):\n" +
			"Simulator device failed to install the application.\nMissing bundle ID.\nUnderlying error (domain=IXErrorDomain, code=13):\n" +
			"\tFailed to get bundle ID from " + filepath.Join(on.dir, "Empty.app") + "\n\tMissing bundle ID.\n", 13},
		"unsupported type": {on, "io booted screenshot --type=jpeg a", "simctl: Virtual Xcode does not support screenshots of type " +
			"jpeg yet.\n", 1},
		"no arguments": {on, "terminate", "Usage: simctl terminate <device> <app bundle identifier>\n", 22},
		"unknown verb": {on, "frobnicate", "Unrecognized subcommand: frobnicate\n", 1},
		"screenshot nowhere": {on, "io booted screenshot no/a.png", "Detected file type 'PNG' from extension\n" +
			"An error was encountered processing the command (domain=NSPOSIXErrorDomain, code=2):\n" +
			"Error creating the image: no such file or directory\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			_, errout, exit := c.tool.run(strings.Fields(c.args)...)
			if errout != c.want || exit != c.exit {
				t.Errorf("exit %d, want %d\n%s\nwant\n%s", exit, c.exit, errout, c.want)
			}
		})
	}
}

func TestBootstatusPrintsBootProgress(t *testing.T) {
	s := newTool(t)
	want := "Monitoring boot status for iPhone 16 Pro (" + s.udid() + ").\n" +
		"[2025-06-09 09:41:00 +0000] Status=4, isTerminal=NO, Elapsed=00:00.\n\tWaiting on System App\n\n" +
		"[2025-06-09 09:41:01 +0000] Status=4294967295, isTerminal=YES, Elapsed=00:01.\n\tFinished\n\n"
	if out := s.ok("bootstatus", s.udid(), "-b"); out != want {
		t.Errorf("printed\n%s\nwant\n%s", out, want)
	}
	want = "Monitoring boot status for iPhone 16 Pro (" + s.udid() + ").\nDevice already booted, nothing to do.\n"
	if out := s.ok("bootstatus", "booted"); out != want {
		t.Errorf("printed\n%s", out)
	}
}

func TestScreenshotWritesFileOrStdout(t *testing.T) {
	s := newTool(t)
	s.ok("boot", phone)
	_, errout, exit := s.run("io", "booted", "screenshot", "a.png")
	if exit != 0 || errout != "Detected file type 'PNG' from extension\nWrote screenshot to: a.png\n" {
		t.Errorf("exit %d: %s", exit, errout)
	}
	file, err := os.ReadFile(filepath.Join(s.dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	out, errout, exit := s.run("io", "booted", "screenshot", "--type=png", "--mask=black", "--", "-")
	if exit != 0 || errout != "Wrote screenshot to: -\n" || out != string(file) {
		t.Errorf("exit %d: %s", exit, errout)
	}
	if _, err := png.Decode(strings.NewReader(out)); err != nil {
		t.Error(err)
	}
}

func TestHelpPrintsUsage(t *testing.T) {
	s := newTool(t)
	if out := s.ok("help", "boot"); out != "Boot a device or device pair.\nUsage: simctl boot <device>\n" {
		t.Errorf("help boot printed\n%s", out)
	}
	general := s.ok("help")
	out, _, exit := s.run()
	if out != general || exit != 22 || !strings.Contains(out, "\tterminate           Terminate an application") {
		t.Errorf("exit %d\n%s", exit, out)
	}
}
