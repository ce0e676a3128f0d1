// Package script runs the txtar scripts of this folder through the real binary. It uses real processes and real sockets, and Virtual Xcode
// instead of Apple's tools. A script also fails when it leaves a process behind, or when the race detector reported a race in one of the
// processes that it started.
package script

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/freeport"
)

// bin is the folder of the binary under test.
var bin string

func TestMain(m *testing.M) {
	if os.Getenv(matchURL) != "" { // we are a client process of TestNoDoubleBooking
		os.Exit(play())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ios-agent-bin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	args := []string{"build", "-o", filepath.Join(dir, "ios-agent")}
	if raceEnabled {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, "ios-agent/cmd/ios-agent")...)
	decider := exec.Command("go", "build", "-o", filepath.Join(dir, "decider"), "ios-agent/test/script/decider")
	for _, cmd := range []*exec.Cmd{build, decider} {
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building the binaries: %v\n%s", err, out)
			return 1
		}
	}
	if err := copied.make(dir); err != nil {
		fmt.Fprintln(os.Stderr, "copying the binary:", err)
		return 1
	}
	if err := flag.Set("test.parallel", strconv.Itoa(max(6, runtime.GOMAXPROCS(0)))); err != nil { // a script mostly waits
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	began := time.Now()
	code := m.Run()
	spent.print(os.Stdout, time.Since(began))
	return code
}

// versions is the copy of the binary that a home keeps. Every home gets a hard link to the binary: copying 40 MB for each, and comparing
// them at each start of a service, was a good part of what a script cost.
type versions struct {
	build string // its folder's name
	file  string
}

var copied versions

// make lets the binary copy itself, into a home that nobody uses, which shows the folder's name.
func (v *versions) make(dir string) error {
	home := filepath.Join(dir, "home")
	cmd := exec.Command(filepath.Join(dir, "ios-agent"), "virtual", "path")
	cmd.Env = append(os.Environ(), "IOS_AGENT_HOME="+home, "IOS_AGENT_TOOLCHAIN=virtual")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(home, "versions", "*", "ios-agent"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("%q, %w", files, err)
	}
	v.file, v.build = filepath.Join(dir, "ios-agent"), filepath.Base(filepath.Dir(files[0]))
	return nil
}

// put gives a home its copy.
func (v *versions) put(home string) error {
	folder := filepath.Join(home, "versions", v.build)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return os.Link(v.file, filepath.Join(folder, "ios-agent"))
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 ".",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ios-agent": iosAgent, "json": jsonCheck, "ref": refOf, "kill9": kill9, "parallel": parallel,
			"processes": countProcesses, "same": sameOnAllSurfaces, "rest": restCall, "mcp": mcpCall, "wait-gone": waitGone,
			"proxied": proxied,
			"env-is":  envIs, "capture": capture,
			"stream": startStream, "stream-end": endStream, "orphan": orphan, "tools-on-path": toolsOnPath, "end-app": endApp,
			"desktop": virtualDisplay, "gtk-app": gtkApp, "hostile-app": hostileApp, "unforged": unforged, "node": nodeOf, "state-has": stateHas,
			"state-version": setStateVersion, "copy-sdk": copySDK, "interrupt": interrupt, "serve": serve, "webdriver": webDriver,
		},
	})
}

// setup gives every script a home and a request-driven clock of its own, and checks at its end that nothing is left.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	races := filepath.Join(env.WorkDir, "races")
	if err := os.Mkdir(races, 0o700); err != nil {
		return err
	}
	if err := copied.put(home); err != nil {
		return err
	}
	env.Setenv("IOS_AGENT_HOME", home)
	env.Setenv("IOS_AGENT_TOOLCHAIN", "virtual")
	env.Setenv("IOS_AGENT_PREWARM", "off") // one script turns it on
	env.Setenv("IOS_AGENT_VIRTUAL_TIME", "request")
	env.Setenv(virtualxcode.ProfileVariable, profile())
	env.Setenv(xcodebuild.PublicVariable, cmp.Or(os.Getenv(xcodebuild.PublicVariable), "0"))
	env.Setenv("GORACE", "log_path="+filepath.Join(races, "log")+" halt_on_error=1 atexit_sleep_ms=0")
	env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	env.Setenv("HOME", env.WorkDir)
	t := env.T().(testing.TB)
	env.Setenv("FREE_PORT", strconv.Itoa(freeport.Of(t)))
	vars := env.Vars
	env.Defer(func() {
		for _, args := range [][]string{{"daemon", "stop"}, {"virtual", "stop"}} {
			stop := exec.Command(filepath.Join(bin, "ios-agent"), args...)
			stop.Env = vars
			if out, err := stop.CombinedOutput(); err != nil {
				t.Errorf("ios-agent %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		}
		left := processesOf(home) // a watcher looks every 50 ms whether the daemon has ended
		for late := time.Now().Add(10 * time.Second); len(left) > 0 && time.Now().Before(late); <-time.After(5 * time.Millisecond) {
			left = processesOf(home)
		}
		for _, p := range left {
			t.Errorf("left behind: %s", p)
		}
		for _, left := range leftovers(env.WorkDir) {
			t.Errorf("left behind: %s", left)
		}
		reportRaces(t, races)
	})
	spent.measure(env) // last, so that it ends before the processes are stopped
	return nil
}

func reportRaces(t testing.TB, dir string) {
	logs, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Error(err)
	}
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		t.Errorf("a data race in a process of this script:\n%s", text)
	}
}
