package debug_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/debug"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/test/debuggee"
	"ios-agent/test/fakedevice"
)

const (
	udid = "AAAA0000-1111-2222-3333-444444444444"
	shop = "com.example.shop"
)

// desk is the room over a phone, with lldb-dap played in this process. The programs that are debugged are real, and do nothing.
type desk struct {
	*fakedevice.Room
	*debug.Debug
	phone     *fakedevice.Phone
	lldb      *debuggee.Adapter
	debuggers *debugger.Service
	programs  *process.Sessions
	run       *host.Host
}

func open(t *testing.T, toolchain string, more ...device.Device) *desk {
	t.Helper()
	d := &desk{phone: fakedevice.New(fakedevice.Simulator(udid, "Phone", device.Booted)), lldb: &debuggee.Adapter{Numbered: true}}
	d.phone.Installed = []device.App{{Bundle: shop, Name: "Shop"}}
	var err error
	d.run, err = host.New(host.Options{Inside: func(name string) host.Main {
		if name == "lldb-dap" || name == "xcrun" {
			return d.lldb.Main
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	d.debuggers = debugger.New(debugger.Options{Run: d.run, Start: d.run, Tools: apple.Toolchain{Name: toolchain}, Farewell: time.Millisecond})
	reach := fakedevice.Reach(t, append([]device.Device{d.phone}, more...)...)
	outside, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.programs = process.New(process.Options{Start: outside})
	reach.Debuggers, reach.Programs = d.debuggers, d.programs
	t.Cleanup(func() {
		if err := errors.Join(d.debuggers.Close(), d.run.Close(), outside.Close()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	d.Debug = debug.New(reach)
	d.Room = fakedevice.Open(t, d.Debug.Ops())
	return d
}

// program starts a process that waits for its end.
func (d *desk) program() int {
	d.T.Helper()
	return d.start(host.Cmd{Name: "sleep", Args: []string{"600"}})
}

func (d *desk) start(cmd host.Cmd) int {
	d.T.Helper()
	outside, err := host.New(host.Options{})
	if err != nil {
		d.T.Fatal(err)
	}
	p, err := outside.Start(d.T.Context(), cmd)
	if err != nil {
		d.T.Fatal(err)
	}
	d.T.Cleanup(func() {
		if err := errors.Join(p.Stop(context.Background()), outside.Close()); err != nil {
			d.T.Errorf("ending process %d: %v", p.PID, err)
		}
	})
	return p.PID
}

// attached is a room with a debugger that holds a process.
func attached(t *testing.T) (*desk, int) {
	t.Helper()
	d := open(t, apple.Virtual)
	pid := d.program()
	d.Result("debug_attach", fmt.Sprintf(`{"pid":%d,"stop":true}`, pid))
	d.lldb.Asked()
	return d, pid
}

// asked fails unless lldb-dap was asked these things, each a part of its request.
func (d *desk) asked(want ...string) {
	d.T.Helper()
	got := d.lldb.Asked()
	for _, w := range want {
		if !slices.ContainsFunc(got, func(one string) bool { return strings.HasPrefix(one, w) }) {
			d.T.Errorf("got %q asked, want %q among it", got, w)
		}
	}
}

func TestAttachByPIDPausesProcess(t *testing.T) {
	d := open(t, apple.Virtual)
	pid := d.program()
	paused := fmt.Sprintf("d%d: sleep (process %d) is paused at main.c:12 in main (breakpoint)", pid, pid)
	d.Says("debug_attach", fmt.Sprintf(`{"pid":%d,"stop":true}`, pid), paused)
	d.asked(fmt.Sprintf(`attach {"pid":%d`, pid))
	d.Refused("debug_attach", fmt.Sprintf(`{"pid":%d}`, pid), fault.AttachRefused, "attached to process")
	d.Says("debug_continue", `{}`, fmt.Sprintf("d%d: sleep (process %d) is running", pid, pid))
	d.asked(`continue {"threadId":7`)
	d.Says("debug_pause", `{}`, paused)
	d.Says("debug_wait", `{"timeout_ms":60000}`, paused)
	d.Says("debug_detach", `{}`, d.detached(pid))
	d.Refused("debug_continue", `{}`, fault.SessionNotFound, "this session has 0 debuggers")
}

func (d *desk) detached(pid int) string {
	return fmt.Sprintf("d%d: detached from sleep (process %d), which keeps running", pid, pid)
}

// TestProgramIsLaunchedUnderTheDebugger: it is one of the session's programs. That it stands at its start a real debugger shows
// (xcode/debugger); here nothing holds it.
func TestProgramIsLaunchedUnderTheDebugger(t *testing.T) {
	d := open(t, apple.Virtual)
	got := d.Result("debug_launch", `{"command":["echo","ran"],"env":["A=1"]}`)
	text := fmt.Sprintf("d%v: echo (process %v) is paused (at its start)", got["pid"], got["pid"])
	state, session := debugger.Status{}, fmt.Sprint(got["sessionId"])
	if all := d.debuggers.List(); len(all) == 1 {
		state = all[0]
	}
	if state.Text() != text || !strings.HasPrefix(session, "echo-") {
		t.Errorf("got %v and %q, want %q", got, state.Text(), text)
	}
	d.asked(fmt.Sprintf(`attach {"pid":%v`, got["pid"]))
	if _, ended := d.programs.Ended(t.Context(), int(got["pid"].(float64))); !ended || d.printed(session) != "ran\n" {
		t.Errorf("got %q, want it to have run", d.printed(session))
	}
}

func (d *desk) printed(session string) string {
	d.T.Helper()
	one, err := d.programs.Get("a", session)
	if err != nil {
		d.T.Fatal(err)
	}
	return one.Status().Stdout.Text
}

// TestFailedDebugLaunchLeavesNoProcess: neither a program that does not exist nor one that no debugger could be attached to.
func TestFailedDebugLaunchLeavesNoProcess(t *testing.T) {
	d := open(t, apple.Virtual)
	for _, input := range []string{`{}`, `{"command":[]}`, `{"command":["true"],"bundle_id":"` + shop + `"}`, `{"bundle_id":"--x"}`} {
		d.Refused("debug_launch", input, fault.InvalidInput)
	}
	d.Refused("debug_launch", `{"command":["/nowhere/calc"]}`, fault.AppLaunchFailed, "cannot find the program /nowhere/calc")
	d.Refused("debug_launch", `{"command":["`+shop+`"]}`, fault.AppLaunchFailed,
		hint.Do("debug_launch", "bundle_id", shop))
	d.lldb.Refuses = map[string]string{"attach": "no"}
	d.Refused("debug_launch", `{"command":["sleep","600"]}`, fault.AttachRefused)
	if left := d.programs.List("a"); len(left) > 0 || len(d.debuggers.List()) > 0 {
		t.Errorf("got %v and %v left", left, d.debuggers.List())
	}
}

// TestAppIsLaunchedUnderTheDebugger: simctl has it wait, and it is attached to; where apps have no machine code it is not launched at all.
func TestAppIsLaunchedUnderTheDebugger(t *testing.T) {
	d := open(t, apple.Xcode)
	d.phone.PID = d.program()
	got := d.Result("debug_launch", `{"bundle_id":"`+shop+`","args":["-x"],"env":["A=1"]}`)
	if got["pid"] != float64(d.phone.PID) || got["udid"] != udid || got["reason"] != debugger.AtStart || got["sessionId"] != nil {
		t.Errorf("got %v, want the app's process %d at its start", got, d.phone.PID)
	}
	if did := d.phone.Did(); !slices.Contains(did, "Launch "+shop+" [-x] [A=1] true halted") {
		t.Errorf("got %q asked of the phone", did)
	}
	virtual := open(t, apple.Virtual)
	virtual.Refused("debug_launch", `{"bundle_id":"`+shop+`"}`, fault.Unsupported, "apps of Virtual Xcode have no machine code")
	if did := virtual.phone.Did(); slices.ContainsFunc(did, func(one string) bool { return strings.HasPrefix(one, "Launch") }) {
		t.Errorf("got %q, want no launch", did)
	}
}

func TestAttachRefusesInvalidTarget(t *testing.T) {
	d := open(t, apple.Virtual)
	for _, input := range []string{
		`{}`, `{"pid":4711,"bundle_id":"` + shop + `"}`, `{"pid":4711,"wait_for":true}`, `{"pid":1}`, `{"bundle_id":"--x"}`,
	} {
		d.Refused("debug_attach", input, fault.InvalidInput)
	}
	d.Refused("debug_attach", fmt.Sprintf(`{"pid":%d}`, os.Getpid()), fault.Forbidden, "is this daemon")
	d.Refused("debug_attach", `{"bundle_id":"`+shop+`","udid":"none"}`, fault.DeviceNotFound)
	d.Refused("debug_attach", `{"bundle_id":"com.example.none"}`, fault.AppNotFound)
}

func TestAppOfVirtualXcodeCannotBeDebugged(t *testing.T) {
	d := open(t, apple.Virtual)
	d.phone.Installed[0].PID = d.program()
	d.Refused("debug_attach", `{"bundle_id":"`+shop+`"}`, fault.Unsupported, "apps of Virtual Xcode have no machine code",
		hint.Do("debug_attach", "pid", "X"))
}

func TestAttachByBundleIDFindsSimulatorApp(t *testing.T) {
	d := open(t, apple.Xcode)
	d.Refused("debug_attach", `{"bundle_id":"`+shop+`"}`, fault.AppNotRunning, shop+" does not run on Phone")
	pid := d.program()
	d.phone.Installed[0].PID = pid
	got := d.Result("debug_attach", `{"bundle_id":"`+shop+`","stop":true}`)
	if got["pid"] != float64(pid) || got["udid"] != udid || got["session"] != "a" {
		t.Errorf("got %v, want the app's process %d on the phone", got, pid)
	}
	e := d.As("b", "debug_attach", `{"bundle_id":"`+shop+`"}`)
	fakedevice.WantFault(t, "another session", e.Error, fault.DeviceClaimed)
	d.Says("debug_continue", `{}`, fmt.Sprintf("d%d: sleep (process %d) is running", pid, pid))
}

func TestAttachByPIDReportsNamedDevice(t *testing.T) {
	d := open(t, apple.Virtual)
	pid := d.program()
	if got := d.Result("debug_attach", fmt.Sprintf(`{"pid":%d,"sim":"Phone","stop":true}`, pid)); got["udid"] != udid {
		t.Errorf("got %v, want the process of the phone", got)
	}
}

func TestPhysicalDeviceAppCannotBeDebugged(t *testing.T) {
	is := fakedevice.Simulator("00008140-000A61C23E04801C", "My Phone", device.Booted)
	is.Type = "device"
	d := open(t, apple.Xcode, fakedevice.New(is))
	d.Refused("debug_attach", `{"bundle_id":"`+shop+`","udid":"`+is.UDID+`"}`, fault.Unsupported, "My Phone is a physical device")
}

func TestAttachWaitsForAppLaunch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		phone := &launching{Phone: fakedevice.New(fakedevice.Simulator(udid, "Phone", device.Booted))}
		p := pool.New(pool.Options{Drivers: []device.Driver{&fakedevice.Driver{Named: xctest.Spec().Name, Devices: []device.Device{phone}}}})
		room := debug.New(access.Access{
			Pool: p, Sessions: session.NewStore(session.Options{}), Debuggers: debugger.New(debugger.Options{}), Getenv: os.Getenv,
		})
		call := &op.Call{Session: "a"}
		began := time.Now()
		_, err := room.Attach(t.Context(), call, debug.DebugAttachIn{Bundle: shop, Wait: true})
		fakedevice.WantFault(t, "an app that is not launched", fault.From(err), fault.Timeout, shop+" was not launched within 1m0s",
			hint.Do("launch_app", "bundle_id", "BUNDLE_ID"))
		if took := time.Since(began); took != time.Minute {
			t.Errorf("got %v, want a minute", took)
		}
		began, phone.after = time.Now(), phone.asked+4
		_, err = room.Attach(t.Context(), call, debug.DebugAttachIn{Bundle: shop, Wait: true})
		fakedevice.WantFault(t, "an app whose process is gone", fault.From(err), fault.AppNotRunning, "unknown process")
		if took := time.Since(began); took != 750*time.Millisecond {
			t.Errorf("got %v, want the fourth question, each a quarter of a second later", took)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

// launching is a phone on which the app is launched after so many questions.
type launching struct {
	*fakedevice.Phone
	asked, after int
}

func (l *launching) List(context.Context) ([]device.App, error) {
	l.asked++
	app := device.App{Bundle: shop, Name: "Shop"}
	if l.after > 0 && l.asked >= l.after {
		app.PID = 1 << 30 // no process has this number
	}
	return []device.App{app}, nil
}

func TestBreakTakesLineOrFunction(t *testing.T) {
	d, _ := attached(t)
	d.Says("debug_break", `{"at":"main.c:12"}`, "breakpoint 12 at main.c:12")
	d.asked(`setBreakpoints {"source":{"name":"main.c","path":"main.c"`)
	d.Says("debug_break", `{"at":"A::run","condition":"n == 1"}`, "breakpoint 600 at A::run if n == 1")
	d.asked(`setFunctionBreakpoints {"breakpoints":[{"name":"A::run","condition":"n == 1"}]}`)
	d.Says("debug_break", `{"at":"nowhere"}`,
		"breakpoint 700 at nowhere: no such place in the program yet; was it built with debug information?")
	d.Says("debug_break", `{"at":"main.c:1"}`, "breakpoint 1 at main.c:1")
	d.Says("debug_break", `{"at":":body"}`, "breakpoint 500 at :body")
	for _, at := range []string{"main.c:", "main.c:x", "main.c:0", "main.c:-1", "main.c:1x"} {
		f := d.Refused("debug_break", `{"at":"`+at+`"}`, fault.InvalidInput, at, "such as main.c:12")
		if f.Details["field"] != "at" {
			t.Errorf("%s: got %+v, want the field", at, f)
		}
	}
	text := d.As("a", "debug_sessions", `{}`).Stdout
	if !strings.Contains(text, "\n  breakpoint 12 at main.c:12\n  breakpoint 600 at A::run if n == 1\n") {
		t.Errorf("got\n%s\nwant the breakpoints below the debugger", text)
	}
	d.Says("debug_unbreak", `{"breakpoint":12}`, "removed breakpoint 12 at main.c:12")
	d.Refused("debug_unbreak", `{"breakpoint":12}`, fault.InvalidInput, "unknown breakpoint 12")
}

func TestSessionsShowBreakpointConditions(t *testing.T) {
	d, _ := attached(t)
	d.Says("debug_break", `{"at":"main.c:12","ignore_count":9}`, "breakpoint 12 at main.c:12, ignores 9 hits")
	d.asked(`setBreakpoints {"source":{"name":"main.c","path":"main.c"},"breakpoints":[{"line":12,"hitCondition":"10"}]}`)
	d.Result("debug_break", `{"at":"main.c:13","condition":"n == 1"}`)
	d.Result("debug_break", `{"at":"main.c:14","log":"n is {n}"}`)
	text := d.As("a", "debug_sessions", `{}`).Stdout
	for _, want := range []string{"at main.c:12, ignores 9 hits", "at main.c:13 if n == 1", `at main.c:14, logs "n is {n}"`} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q among it", text, want)
		}
	}
}

func TestDebugLogIsEmptyWithoutLogpoints(t *testing.T) {
	d, _ := attached(t)
	d.Says("debug_log", `{}`, "no logpoint has recorded a line; set one: "+
		hint.Do("debug_break", "at", "FILE:LINE", "log", "TEXT"))
	d.Refused("debug_log", `{"most":0}`, fault.InvalidInput)
}

func TestEvalReadsAndSetChangesAVariable(t *testing.T) {
	d, _ := attached(t)
	d.lldb.Prints = "(int) n = 5\n"
	d.Says("debug_eval", `{"expression":"n"}`, "n: int = 5")
	d.asked("evaluate {\"expression\":\"`frame select 0\"", "evaluate {\"expression\":\"`frame variable n\"")
	d.lldb.Prints = "(int) $0 = 11\n"
	d.Says("debug_eval", `{"expression":"n * 2 + 1","frame":1}`, "n * 2 + 1: int = 11")
	d.asked("evaluate {\"expression\":\"`frame select 1\"",
		"evaluate {\"expression\":\"`expression --apply-fixits false --allow-jit false -- n * 2 + 1\"")
	d.Refused("debug_eval", `{"expression":"n = 3"}`, fault.Forbidden, "an assignment",
		hint.Do("debug_set", "variable", "NAME", "value", "VALUE"))
	d.Refused("debug_eval", `{"expression":"exit(1)"}`, fault.Forbidden, "a call", hint.Do("debug_lldb", "command", "expression EXPRESSION"))
	d.lldb.Prints = "error: use of undeclared identifier 'm'\n"
	d.Refused("debug_eval", `{"expression":"m"}`, fault.InvalidInput, "undeclared identifier 'm'", hint.Do("debug_vars"))
	d.lldb.Prints = "(int) n = 7\n"
	d.Says("debug_set", `{"variable":"n","value":"3 + 4"}`, "n: int = 7")
	d.asked("evaluate {\"expression\":\"`expression --apply-fixits false -- n = 3 + 4\"")
	d.Refused("debug_set", `{"variable":"n + 1","value":"7"}`, fault.InvalidInput, "must be a variable")
	d.Refused("debug_set", `{"variable":"n","value":"exit(1)"}`, fault.Forbidden)
}

func TestWatchpointsAreShownBesideBreakpoints(t *testing.T) {
	d, _ := attached(t)
	d.lldb.Prints = "Watchpoint created: Watchpoint 3: addr = 0x10 size = 4 state = enabled type = m\n"
	d.Says("debug_watch", `{"variable":"total"}`, "watchpoint 3: change of total")
	d.asked("evaluate {\"expression\":\"`watchpoint set variable total\"")
	if text := d.As("a", "debug_sessions", `{}`).Stdout; !strings.Contains(text, "\n  watchpoint 3: change of total") {
		t.Errorf("got\n%s\nwant the watchpoint below the debugger", text)
	}
	d.Says("debug_unwatch", `{"watchpoint":3}`, "removed watchpoint 3: change of total")
	d.Refused("debug_unwatch", `{"watchpoint":3}`, fault.InvalidInput, "unknown watchpoint 3")
	d.lldb.Prints = "error: no variable named 'm' found in this frame\n"
	d.Refused("debug_watch", `{"variable":"m","on":"access"}`, fault.InvalidInput, "no variable named 'm'")
	d.asked("evaluate {\"expression\":\"`watchpoint set variable --watch read_write m\"")
	d.Refused("debug_watch", `{"variable":"--help"}`, fault.InvalidInput)
}

func TestForkedChildIsReportedAsNotDebugged(t *testing.T) {
	d := open(t, apple.Virtual)
	forked := make(chan string, 1)
	pid := d.start(host.Cmd{
		Name: "sh", Args: []string{"-c", "sleep 600 & echo $!; wait"},
		OnLine: func(_ host.Stream, line []byte) { forked <- string(line) },
	})
	child := <-forked
	d.Result("debug_attach", fmt.Sprintf(`{"pid":%d}`, pid))
	d.Result("debug_continue", `{}`)
	told := "child process " + child + " ("
	if text := d.As("a", "debug_sessions", `{}`).Stdout; !strings.Contains(text, "\n  "+told) {
		t.Errorf("got\n%s\nwant %q below the debugger", text, told)
	}
	d.Refused("debug_wait", `{"timeout_ms":1}`, fault.Timeout, "is still running after 1ms", told, `‹do:debug_attach {"pid":`+child+"}›")
}

func TestSessionsKeepLiveDebuggersAfterProgramEnd(t *testing.T) {
	d, live := attached(t)
	d.Result("debug_break", `{"at":"main.c:12"}`)
	ended := d.program()
	d.Result("debug_attach", fmt.Sprintf(`{"pid":%d,"stop":true}`, ended))
	d.Result("debug_break", `{"at":"main.c:13"}`)
	d.lldb.Ends = true
	d.Result("debug_continue", `{}`)
	d.Says("debug_wait", `{}`, fmt.Sprintf("d%d: sleep (process %d) has ended: exit code 7", ended, ended))
	for range 50 { // lldb-dap leaves meanwhile
		text := d.As("a", "debug_sessions", `{}`).Text()
		for _, want := range []string{
			fmt.Sprintf("d%d: sleep (process %d) is paused", live, live), "breakpoint 12 at main.c:12",
			fmt.Sprintf("d%d: sleep (process %d) has ended: exit code 7", ended, ended), "breakpoint 13 at main.c:13",
		} {
			if !strings.Contains(text, want) {
				t.Fatalf("got\n%s\nwant %q among it", text, want)
			}
		}
	}
}

func TestStepSendsNextStepInOrStepOut(t *testing.T) {
	d, pid := attached(t)
	for input, want := range map[string]string{`{}`: "next", `{"how":"into"}`: "stepIn", `{"how":"out"}`: "stepOut"} {
		d.Says("debug_step", input, fmt.Sprintf("d%d: sleep (process %d) is paused at main.c:12 in main (breakpoint)", pid, pid))
		d.asked(want + " ")
	}
	d.Refused("debug_step", `{"how":"back"}`, fault.InvalidInput)
	d.Refused("debug_step", `{"timeout_ms":0}`, fault.InvalidInput)
	d.Result("debug_continue", `{}`)
	d.Refused("debug_step", `{}`, fault.NotPaused)
	d.Refused("debug_wait", `{"timeout_ms":1}`, fault.Timeout, "is still running after 1ms")
}

func TestStackShowsOneLinePerFrame(t *testing.T) {
	d, _ := attached(t)
	d.Says("debug_stack", `{}`, "thread 1 main\n#0 main at /src/main.c:12\n#1 start")
	d.Says("debug_stack", `{"frames":1,"thread":2}`, "thread 2 worker\n#0 main at /src/main.c:12\n… and 1 more")
	d.Refused("debug_stack", `{"thread":3}`, fault.InvalidInput, "unknown thread 3")
}

func TestVarsShowNamesTypesAndValues(t *testing.T) {
	d, _ := attached(t)
	text := d.As("a", "debug_vars", `{}`).Stdout
	head := "#0 main /src/main.c:12\nlocals:\n  p: point = {...} {...}\n    x: int = 1\n    y: int = 2\n  v0: int = 0\n"
	if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, "\n  v98: int = 98\n  … and 1 more") {
		t.Errorf("got\n%s\nwant a hundred locals, their parts and how many are left", text)
	}
	text = d.As("a", "debug_vars", `{"registers":true}`).Stdout
	if !strings.HasSuffix(text, "\n  … and 1 more\nregisters:\n  pc: long = 0x10") {
		t.Errorf("got\n%s\nwant the registers too", text)
	}
	d.Refused("debug_vars", `{"frame":2}`, fault.InvalidInput, "unknown frame 2: the stack has 2")
}

func TestLLDBCommandOutputIsBounded(t *testing.T) {
	d, pid := attached(t)
	d.lldb.Prints = "(lldb) expression total\n42\n\n"
	e := d.Result("debug_lldb", `{"command":"expression total"}`)
	if e["printed"] != "42\n\n" || e["pid"] != float64(pid) || e["state"] != "paused" {
		t.Errorf("got %v, want what it printed, and how the program is", e)
	}
	d.asked("evaluate {\"expression\":\"`expression total\"")
	d.Says("debug_lldb", `{"command":"x"}`, "| 42")
	d.lldb.Prints = strings.Repeat("x", 64<<10+5)
	e = d.Result("debug_lldb", `{"command":"x"}`)
	if e["printed"] != d.lldb.Prints[5:] || e["bytes_left_out"] != float64(5) {
		t.Errorf("got %d bytes, %v left out, want 64 KB, and 5 left out", len(fmt.Sprint(e["printed"])), e["bytes_left_out"])
	}
	if text := d.As("a", "debug_lldb", `{"command":"x"}`).Text(); len(text) > op.MostText || !strings.Contains(text, "cut: ") {
		t.Errorf("got a text of %d bytes, want at most %d, and a notice\n%.200s", len(text), op.MostText, text)
	}
	d.lldb.Refuses = map[string]string{"evaluate": "error: no such command"}
	d.Refused("debug_lldb", `{"command":"x"}`, fault.ToolFailed, "no such command")
}

func TestDebuggersBelongToTheirSession(t *testing.T) {
	d, pid := attached(t)
	d.Result("debug_break", `{"at":"main.c:12"}`)
	id := fmt.Sprintf("d%d", pid)
	for name, input := range map[string]string{
		"debug_continue": `{"debugger":"` + id + `"}`, "debug_detach": `{"debugger":"` + id + `"}`, "debug_stack": `{"debugger":"` + id + `"}`,
	} {
		e := d.As("b", name, input)
		fakedevice.WantFault(t, name, e.Error, fault.Forbidden, `belongs to the session "a"`)
	}
	fakedevice.WantFault(t, "without a name", d.As("b", "debug_continue", `{}`).Error, fault.SessionNotFound, "this session has 0 debuggers")
	if text := d.As("b", "debug_sessions", `{}`).Stdout; !strings.HasPrefix(text, id+": sleep") || strings.Contains(text, "breakpoint 12") {
		t.Errorf("got %q, want the debugger without another's breakpoints", text)
	}
	if all, current := d.Own("b"); len(all) != 0 || current != "" {
		t.Errorf("got %+v, %q, want none of another session", all, current)
	}
	if all, current := d.Own("a"); len(all) != 1 || all[0].PID != pid || current != id {
		t.Errorf("got %+v, %q, want the session's own", all, current)
	}
}

func TestLastAttachedDebuggerIsCurrent(t *testing.T) {
	d, first := attached(t)
	second, third := d.program(), d.program()
	d.Result("debug_attach", fmt.Sprintf(`{"pid":%d}`, second))
	d.Result("debug_attach", fmt.Sprintf(`{"pid":%d,"keep_current":true}`, third))
	if all, current := d.Own("a"); len(all) != 3 || current != fmt.Sprintf("d%d", second) {
		t.Errorf("got %+v, %q, want d%d", all, current, second)
	}
	d.Says("debug_detach", fmt.Sprintf(`{"debugger":"d%d"}`, first), d.detached(first))
	d.Refused("debug_detach", `{"debugger":"none"}`, fault.SessionNotFound, `unknown debugger "none"`)
}

func TestDebuggerOfAProcessNeedsNoDevice(t *testing.T) {
	d, _ := attached(t)
	if e := d.As("a", "debug_continue", `{}`); e.Error != nil || e.Meta.Device != nil {
		t.Errorf("got %+v, %v, want no device for a process of this machine", e.Meta.Device, e.Error)
	}
	d.Result("debug_attach", fmt.Sprintf(`{"pid":%d,"udid":"%s","stop":true}`, d.program(), udid))
	if e := d.As("a", "debug_continue", `{}`); e.Error != nil || e.Meta.Device == nil || e.Meta.Device.UDID != udid {
		t.Errorf("got %+v, %v, want the device of its app", e.Meta.Device, e.Error)
	}
}

// TestOperationTimeoutExceedsMaximumWait: what a caller may ask to wait for is not cut off by the operation's own end.
func TestOperationTimeoutExceedsMaximumWait(t *testing.T) {
	for _, o := range open(t, apple.Virtual).Debug.Ops() {
		for _, f := range o.Fields() {
			if f.Name == "timeout_ms" && (f.Max == nil || o.Timeout <= time.Duration(*f.Max)*time.Millisecond) {
				t.Errorf("%s: got %v for a wait of up to %v ms, want more", o.Name, o.Timeout, f.Max)
			}
		}
		if o.Name == "debug_attach" && o.Timeout <= time.Minute {
			t.Errorf("%s: got %v, want more than the minute that a launch is waited for", o.Name, o.Timeout)
		}
	}
}

func TestDebugCallsFailWithoutDebugger(t *testing.T) {
	d := open(t, apple.Virtual)
	d.Says("debug_sessions", `{}`, "no debugger is attached")
	for _, name := range []string{"debug_continue", "debug_pause", "debug_step", "debug_wait", "debug_stack", "debug_vars", "debug_detach"} {
		d.Refused(name, `{}`, fault.SessionNotFound, hint.Do("debug_attach", "pid", "PID"))
	}
	d.Refused("debug_break", `{"at":"main"}`, fault.SessionNotFound)
	d.Refused("debug_unbreak", `{"breakpoint":1}`, fault.SessionNotFound)
	d.Refused("debug_lldb", `{"command":"x"}`, fault.SessionNotFound)
}

func TestDebuggerBackendComesFromProjectConfig(t *testing.T) {
	d := open(t, apple.Virtual)
	dir := t.TempDir()
	file := filepath.Join(dir, ".xcodebuildmcp", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("schemaVersion: 1\ndebuggerBackend: lldb-cli\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := d.By(op.Call{Session: "a", Dir: dir}, "debug_attach", fmt.Sprintf(`{"pid":%d}`, d.program()))
	if e.Error == nil {
		t.Errorf("got %q, want lldb's prompt, which is not here, as the project says", e.Stdout)
	}
	if asked := d.lldb.Asked(); len(asked) != 0 {
		t.Errorf("got %q asked of lldb-dap, want nothing", asked)
	}
}

func TestDebuggerAnswerIsNotMarkedVirtual(t *testing.T) {
	d := open(t, apple.Virtual)
	pid := d.program()
	catalogue := op.NewCatalogue(d.Debug.Ops(), op.Options{Toolchain: apple.Virtual, Mark: " [virtual]"})
	call := func(name, input string) op.Envelope {
		return catalogue.Run(t.Context(), name, op.Call{Session: "a"}, []byte(input))
	}
	for _, one := range []struct{ name, input string }{
		{"debug_attach", fmt.Sprintf(`{"pid":%d,"stop":true}`, pid)}, {"debug_break", `{"at":"main.c:12"}`}, {"debug_vars", `{}`},
		{"debug_stack", `{}`}, {"debug_sessions", `{}`}, {"debug_continue", `{}`}, {"debug_detach", `{}`},
	} {
		e := call(one.name, one.input)
		if e.Error != nil || e.Meta.Toolchain != "" || strings.Contains(e.Text(), "[virtual]") {
			t.Errorf("%s: got the toolchain %q in %.200s, want none: lldb and the program are real", one.name, e.Meta.Toolchain, e.Text())
		}
	}
	if e := call("debug_attach", `{"pid":1073741824}`); e.Error == nil || e.Meta.Toolchain != "" {
		t.Errorf("got %+v, want a fault of this machine: a process is real", e)
	}
	if e := call("debug_vars", `{}`); e.Error == nil || e.Meta.Toolchain != apple.Virtual {
		t.Errorf("got %+v, want a fault that no debugger answered", e)
	}
}
