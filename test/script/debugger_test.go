package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/test/debuggee"
)

// debugging is a home, and a program to debug.
type debugging struct {
	*debuggee.Program
	t       *testing.T
	home    string
	program string // ios-agent
	env     []string
}

func debugged(t *testing.T, env ...string) *debugging {
	t.Helper()
	t.Parallel()
	return startDebugging(t, debuggee.Start(t), env...)
}

func startDebugging(t *testing.T, p *debuggee.Program, env ...string) *debugging {
	t.Helper()
	d := &debugging{p, t, filepath.Join(t.TempDir(), "home"), filepath.Join(bin, "ios-agent"), env}
	if err := copied.put(d.home); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.run("daemon", "stop")
		d.run("virtual", "stop")
		for _, p := range processesOf(d.home) {
			t.Errorf("left behind: %s", p)
		}
	})
	return d
}

// run gives both outputs, and the exit code.
func (d *debugging) run(args ...string) (said string, code int) {
	d.t.Helper()
	cmd := d.command(args...)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

func (d *debugging) command(args ...string) *exec.Cmd {
	cmd := exec.Command(d.program, args...)
	cmd.Env = append(os.Environ(), "IOS_AGENT_HOME="+d.home, "IOS_AGENT_TOOLCHAIN=virtual", "IOS_AGENT_VIRTUAL_TIME=request",
		"IOS_AGENT_SESSION=debug", "GORACE=atexit_sleep_ms=0")
	cmd.Env = append(cmd.Env, d.env...)
	return cmd
}

// says runs a command line that has to exit so and to say so.
func (d *debugging) says(code int, pattern string, args ...string) {
	d.t.Helper()
	said, got := d.run(args...)
	if got != code || !regexp.MustCompile(pattern).MatchString(said) {
		d.t.Fatalf("%q: exit code %d, not %d with %q:\n%s", args, got, code, pattern, said)
	}
}

func (d *debugging) pid() string { return fmt.Sprint(d.PID) }

// TestDebugThroughLaunch is a program from its first line to its end: nothing of it has run when it is launched, and what it prints and
// how it ended can be read.
func TestDebugThroughLaunch(t *testing.T) {
	program := debuggee.Compiled(t)
	d := startDebugging(t, &debuggee.Program{})
	d.says(2, `INVALID_INPUT(.|\n)*command`, "debug", "launch")
	d.says(1, `APP_LAUNCH_FAILED: cannot find the program com.example.calc(.|\n)*debug launch --bundle-id com.example.calc`,
		"debug", "launch", "com.example.calc")
	said, _ := d.run("debug", "launch", program, "300")
	is := regexp.MustCompile(`^d\d+: count \(process \d+\) is paused \(at its start\); its output is in the session (count-\S+)\n$`).
		FindStringSubmatch(said)
	if is == nil {
		t.Fatalf("got %s, want the program at its start", said)
	}
	d.says(0, `breakpoint 1 at count.c:15`, "debug", "break", "count.c:15")
	d.says(0, `running`, "debug", "continue")
	d.says(0, `paused at count.c:15 in main`, "debug", "wait")
	d.says(0, `i: int = 0`, "debug", "eval", "i")
	d.says(0, `argv\[1\]: .*"300"`, "debug", "eval", "argv[1]")
	d.says(0, `removed`, "debug", "unbreak", "1")
	d.says(0, `running: .*int = 0`, "debug", "set", "running", "0")
	d.says(0, `running`, "debug", "continue")
	d.says(0, `has ended: exit code 7`, "debug", "wait")
	d.says(0, `exit code 7(.|\n)*0 0`, "app", "session", is[1])
}

// TestDebugARealProgram is the walk of the issue: breakpoint, stack and variables, step, continue, detach.
func TestDebugARealProgram(t *testing.T) {
	d := debugged(t)
	d.says(3, `SESSION_NOT_FOUND: this session has 0 debuggers(.|\n)*ios-agent debug attach`, "debug", "stack")
	d.says(0, `d\d+: count \(process \d+\) is running`, "debug", "attach", "--pid", d.pid())
	d.says(7, `ATTACH_REFUSED: a debugger is attached to process`, "debug", "attach", "--pid", d.pid())
	d.says(4, `NOT_PAUSED: count(.|\n)*ios-agent debug pause`, "debug", "stack")
	d.says(0, `breakpoint 1 at count.c:8`, "debug", "break", "count.c:8")
	d.says(0, `paused at count.c:8 in add \(breakpoint 1(\.1)?\)`, "debug", "wait")
	d.says(0, `(?s)thread 1 count.*#0 add at .*count.c:8.*#1 main at .*count.c:15`, "debug", "stack")
	d.says(0, `(?s)locals:.*n: int = \d+.*y: int = 2.*doubled: int = \d+.*globals:.*total: int`, "debug", "vars")
	d.says(0, `paused at count.c:9 in add`, "debug", "step")
	d.says(0, `p->y \* 2: int = 4`, "debug", "eval", "p->y * 2")
	d.says(7, `FORBIDDEN: .*an assignment(.|\n)*ios-agent debug set`, "debug", "eval", "p->y = 3")
	d.says(0, `p->y: int = 3`, "debug", "set", "p->y", "3")
	d.says(0, `watchpoint 1: change of p->y`, "debug", "watch", "p->y")
	d.says(0, `(?s)breakpoint 1 at count.c:8; hits: 1.*watchpoint 1: change of p->y`, "debug", "sessions")
	d.says(0, `removed watchpoint 1`, "debug", "unwatch", "1")
	d.says(2, `INVALID_INPUT: the condition "n = = 1" is invalid`, "debug", "break", "count.c:8", "--condition", "n = = 1")
	d.says(0, `\(int\) \$\d+ = 42`, "debug", "lldb", "expression 40 + 2")
	d.says(0, `removed breakpoint 1`, "debug", "unbreak", "1")
	d.says(0, `is running`, "debug", "continue")
	d.MustCount()
	d.says(7, `FORBIDDEN: the debugger d\d+ belongs to the session "debug"`, "debug", "pause", "--debugger", "d"+d.pid(), "--session", "other")
	d.says(0, `detached from count \(process \d+\), which keeps running`, "debug", "detach")
	d.MustCount()

	// Under XcodeBuildMCP's names, as a process that is an app of a device: looks and actions are refused while it is paused.
	d.says(0, `booted iPhone 16`, "boot", "--sim", "iPhone 16")
	d.says(0, `attached to count(.|\n)*debug session: d`, "debug-attach-sim", "--simulator-name", "iPhone 16", "--pid", d.pid())
	d.says(0, `breakpoint 1 at add`, "debug-breakpoint-add", "--function", "add")
	d.says(0, `paused at count.c:7 in add`, "debug", "wait")
	for _, look := range [][]string{{"snapshot"}, {"tap", "--identifier", "x"}, {"wait", "--identifier", "x"}} {
		d.says(4, `(?s)paused: count .* at count.c:7 in add.*APP_PAUSED.*ios-agent debug continue`, look...)
	}
	d.says(0, `(?s)paused: count .* at count.c:7 in add.*saved`, "screenshot", "--out", filepath.Join(t.TempDir(), "x.png"))
	d.says(4, `APP_PAUSED(.|\n)*the session "debug" debugs it`, "snapshot", "--session", "other", "--sim", "iPhone 16")
	d.says(0, `(?s)locals:.*n: int = \d+.*globals:.*total: int = \d+\s*$`, "debug-variables") // and then no registers
	d.says(0, `removed`, "debug-breakpoint-remove", "1")
	d.says(0, `is running`, "debug", "continue")
	d.says(0, `title:`, "snapshot")
	d.says(1, `UNSUPPORTED: apps of Virtual Xcode have no machine code`, "debug", "attach", "com.iosagent.shop")

	// Another session gets the device: the debugger goes, the program does not.
	d.says(0, `paused at`, "debug", "pause")
	d.says(0, `.`, "pool", "release")
	d.says(0, `.`, "pool", "claim", "--name", "iPhone 16", "--session", "other")
	d.says(0, `.`, "launch", "com.iosagent.shop", "--session", "other")
	d.MustCount()
	d.says(0, `no debugger is attached`, "debug", "sessions")
}

// atBreakpoint attaches and waits for a breakpoint.
func (d *debugging) atBreakpoint() {
	d.t.Helper()
	d.says(0, `is running`, "debug", "attach", "--pid", d.pid())
	d.atBreakpointOf("add")
}

func (d *debugging) atBreakpointOf(function string) {
	d.t.Helper()
	d.says(0, `breakpoint \d+ at `+function, "debug", "break", function)
	d.says(0, `paused at count.c:7 in add`, "debug", "wait")
}

// TestTheProgramSurvivesTheDaemon, which is killed while the program is at a breakpoint. The next one can debug it again.
func TestTheProgramSurvivesTheDaemon(t *testing.T) {
	d := debugged(t)
	d.atBreakpoint()
	d.killDaemon()
	d.says(0, `no debugger is attached`, "debug", "sessions") // by a new daemon, which has reaped what the old one left
	d.MustCount()
	d.atBreakpoint()
}

// killDaemon ends the daemon as nothing else does: at once.
func (d *debugging) killDaemon() {
	d.t.Helper()
	var status struct{ Result struct{ PID int } }
	said, _ := d.run("daemon", "status", "--json")
	if err := json.Unmarshal([]byte(said), &status); err != nil {
		d.t.Fatal(err)
	}
	if err := syscall.Kill(status.Result.PID, syscall.SIGKILL); err != nil {
		d.t.Fatal(err)
	}
}

// TestTheProgramSurvivesTheDaemonBesideACondition that is asked all the time and never true: lldb cannot halt the program then, and to
// end lldb would end the program. The keeper stops it, says goodbye, and lets it go on; nothing stays attached.
func TestTheProgramSurvivesTheDaemonBesideACondition(t *testing.T) {
	t.Parallel()
	for _, through := range []string{"dap", "lldb-cli"} {
		t.Run(through, func(t *testing.T) {
			t.Parallel()
			d := startDebugging(t, debuggee.StartFast(t), "XCODEBUILDMCP_DEBUGGER_BACKEND="+through)
			for range 2 {
				d.says(0, `is paused`, "debug", "attach", "--pid", d.pid(), "--stop")
				d.says(0, `breakpoint 1 at add`, "debug", "break", "add", "--condition", "n == -1")
				d.says(0, `is running`, "debug", "continue")
				d.Await(5)
				d.killDaemon()
				d.left()
				d.MustCount()
			}
		})
	}
}

// TestTheProgramSurvivesTheDaemonBesideAWatchpoint: LLDB leaves it in the processor, and the program would end where it is met.
func TestTheProgramSurvivesTheDaemonBesideAWatchpoint(t *testing.T) {
	d := debugged(t)
	d.atBreakpoint()
	d.says(0, `watchpoint 1: change of total`, "debug", "watch", "total")
	d.killDaemon()
	d.left()
	d.MustCount()
}

// left waits until no debugger is attached to the program, and none is there.
func (d *debugging) left() {
	d.t.Helper()
	for late := time.After(time.Minute); ; {
		debuggers := slices.DeleteFunc(processesOf(d.home), func(p string) bool { return !strings.Contains(p, "lldb") })
		if len(debuggers) == 0 {
			return
		}
		select {
		case <-late:
			d.t.Fatalf("left behind: %q", debuggers)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestDebugThroughThePrompt is the walk over lldb's prompt, as XcodeBuildMCP's variable asks for it.
func TestDebugThroughThePrompt(t *testing.T) {
	d := debugged(t, "XCODEBUILDMCP_DEBUGGER_BACKEND=lldb-cli")
	d.says(0, `attached to count(.|\n)*debug session: d\d+\nthrough lldb's prompt`, "debug-attach-process", d.pid())
	d.says(0, `breakpoint 1 at count.c:8`, "debug", "break", "count.c:8")
	d.says(0, `paused at count.c:8 in add \(breakpoint 1(\.1)?\)`, "debug", "wait")
	d.says(0, `(?s)thread 1 count.*#0 add at .*count.c:8.*#1 main at .*count.c:15`, "debug", "stack")
	d.says(0, `(?s)locals:.*n: int = \d+.*y: int = 2.*doubled: int = \d+.*globals:.*total: int`, "debug", "vars")
	d.says(0, `paused at count.c:9 in add`, "debug", "step")
	d.says(0, `\(int\) \$\d+ = 42`, "debug", "lldb", "expression 40 + 2")
	d.says(1, `TOOL_FAILED: .*would read further lines`, "debug", "lldb", "expression")
	d.says(0, `d\d+: through lldb's prompt`, "session-status")
	d.says(0, `(?s); through lldb's prompt.*breakpoint 1 at count.c:8`, "debug", "sessions")
	d.says(0, `removed breakpoint 1`, "debug", "unbreak", "1")
	d.says(0, `is running`, "debug", "continue")
	d.MustCount()
	d.atBreakpointOf("add")
	d.killDaemon()
	d.says(0, `no debugger is attached`, "debug", "sessions")
	d.MustCount()
}

// TestProgramSurvivesInterruptedWait: ctrl-C ends only the wait; the end of the program ends the wait with a message.
func TestProgramSurvivesInterruptedWait(t *testing.T) {
	d := debugged(t)
	d.says(0, `is running`, "debug", "attach", "--pid", d.pid())
	wait := d.command("debug", "wait", "--timeout-ms", "600000")
	if err := wait.Start(); err != nil {
		t.Fatal(err)
	}
	d.MustCount()
	if err := wait.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := wait.Wait(); err == nil {
		t.Error("the interrupted wait succeeded, want an error")
	}
	d.MustCount()
	d.says(0, `is running`, "debug", "sessions")
	wait = d.command("debug", "wait", "--timeout-ms", "600000")
	var said bytes.Buffer
	wait.Stdout = &said
	if err := wait.Start(); err != nil {
		t.Fatal(err)
	}
	d.MustCount()
	d.End()
	if err := wait.Wait(); err != nil || !strings.Contains(said.String(), "has ended") {
		t.Errorf("%v: %s", err, said.String())
	}
}

// TestTheProgramSurvivesAnUpdate: a newer client's daemon takes over, and the answer says what that did.
func TestTheProgramSurvivesAnUpdate(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the newer build is made by changing a byte, which a signature on macOS does not allow")
	}
	d := debugged(t)
	d.atBreakpoint()
	d.program = newerBuild(t, d.program)
	d.says(0, `(?s)config: the daemon made room for a newer one: the debugger d\d+ was detached from process \d+ \(count\), `+
		`which keeps running.*no debugger is attached`, "debug", "sessions")
	d.MustCount()
}

// newerBuild is a copy of a binary with another build id.
func newerBuild(t *testing.T, of string) string {
	t.Helper()
	program, err := os.ReadFile(of)
	if err != nil {
		t.Fatal(err)
	}
	note := bytes.Index(program, []byte("\x04\x00\x00\x00Go\x00\x00"))
	if note < 0 {
		t.Fatal("there is no build id")
	}
	program[note+8] ^= 1
	path := filepath.Join(t.TempDir(), "ios-agent")
	if err := os.WriteFile(path, program, 0o700); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAHungDebuggerIsEnded: lldb-dap is stopped, and detach says what that cost.
func TestAHungDebuggerIsEnded(t *testing.T) {
	d := debugged(t)
	d.atBreakpoint()
	for _, p := range processesOf(d.home) {
		pid, command, _ := strings.Cut(p, " ")
		if program, _, _ := strings.Cut(command, " "); strings.HasPrefix(filepath.Base(program), "lldb-dap") {
			n, _ := strconv.Atoi(pid)
			if err := syscall.Kill(n, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
	}
	d.says(5, `TIMEOUT: lldb-dap did not answer evaluate(.|\n)*ios-agent debug detach`, "debug", "lldb", "version", "--timeout-ms", "100")
	d.says(0, `lldb-dap did not answer and was killed; the program probably ended with it`, "debug", "detach")
}
