package crash

import (
	"slices"
	"strings"
	"testing"
)

// The shapes of these reports are those of public ones; the names and numbers are ours.
const (
	jetsamReport = `{"bug_type":"298","timestamp":"2026-06-14 15:08:19.00 -0600","os_version":"iPhone OS 26.0 (23A100)","incident_id":"E0F9"}
{
  "build" : "iPhone OS 26.0 (23A100)", "product" : "iPhone18,1", "date" : "2026-06-14 15:08:18.50 -0600", "incident" : "E0F9",
  "memoryStatus" : { "pageSize" : 16384, "memoryPages" : { "active" : 195361, "free" : 11374 } },
  "largestProcess" : "Game",
  "processes" : [
    { "pid" : 76, "name" : "backboardd", "states" : ["active"], "rpages" : 19240, "lifetimeMax" : 19240 },
    { "pid" : 900, "name" : "Game", "states" : ["frontmost"], "rpages" : 119425 },
    { "pid" : 44152, "name" : "Shop", "states" : ["suspended"], "rpages" : 6400, "lifetimeMax" : 12800, "reason" : "per-process-limit",
      "killDelta" : 75696, "uuid" : "ab-cd" },
    { "pid" : "?", "name" : "odd", "rpages" : 9e18 }
  ]
}`
	hangReport = `Date/Time:        2026-01-02 15:04:05.123 +0100
End time:         2026-01-02 15:04:12.353 +0100
OS Version:       macOS 15.5 (Build 24F74)
Architecture:     arm64
Report Version:   60

Command:          Shop
Path:             /Users/USER/Library/Developer/CoreSimulator/Devices/B2C43E91-5A2B-471E-8CC6-4EBD9427F528/data/Shop.app/Shop
Identifier:       com.iosagent.shop
Version:          1.0 (1)
PID:              4711

Event:            hang
Duration:         7.23s
Steps:            49 (100ms sampling interval)

Hardware model:   Mac15,6

Heaviest stack for the main thread of the target process:
  49  start + 462 (dyld + 21806) [0x115b4652e]
  49  static ShopApp.$main() + 35 (ShopApp.swift:31,1 in Shop + 17460019) [0x10772db33]
  49  -[UIApplication(Events) run:] + 586 (UIKitCore + 194584) [0x7ff807248818]
  49  Cart.total() + 12 (Cart.swift in Shop + 4096) [0x10772d001]
  49  ??? (Shop + 8192) [0x10772e001]
  49  semaphore_wait_trap + 10 (libsystem_kernel.dylib)


Process:          Shop [4711]
`
	phoneHang = `{"bug_type":"228","app_name":"Shop","timestamp":"2026-01-02 15:04:05.00 +0100","os_version":"iPhone OS 26.0 (1)"}
Incident Identifier: D6718F0D
Date/Time:        2026-01-02 15:04:05.000 +0100
Reason:           UIKit-runloop-Shop: timeout 9850ms
Event:            Timed Out Runloop Hang

Process:          Shop [3715]

  Thread 0xf1970    DispatchQueue "com.apple.main-thread"(1)
  60  ??? (<32AA34A5-8A47-3BE0-97AF-CF3E2BF70B62> + 1053172) [0x1]
    60  Cart.wait() + 4 (Shop + 12) [0x2]
      40  mach_msg2_trap + 8 (libsystem_kernel.dylib + 4) [0x3]
      20  other + 8 (libsystem_kernel.dylib + 4) [0x4]

  Binary Images:
           0x104e78000 -                ???  Shop <32AA34A5-8A47-3BE0-97AF-CF3E2BF70B62>  /var/containers/Bundle/Shop.app/Shop
`
)

func TestJetsamReportNamesEndedProcess(t *testing.T) {
	r := read(t, jetsamReport)
	m := r.Memory
	if r.Kind != Jetsam || m == nil || m.Largest != "Game" || len(m.Processes) != 4 || r.App != "Shop" ||
		r.PID != 44152 || r.Model != "iPhone18,1" {
		t.Fatalf("%s %+v", r.Kind, r)
	}
	ended := m.Ended()
	if len(ended) != 1 || ended[0].Reason != "per-process-limit" || ended[0].Bytes != 6400*16384 || ended[0].Most != 12800*16384 {
		t.Errorf("%+v", ended)
	}
	if m.Processes[3].Name != "odd" || m.Processes[3].PID != 0 {
		t.Errorf("what cannot be read took the rest with it: %+v", m.Processes[3])
	}
	if text := r.Text(0); !strings.Contains(text, "Shop was ended, per-process-limit, with 100 MB") ||
		!strings.Contains(text, "largest process: Game\n  Game [900] 1866 MB") {
		t.Error(text)
	}
	if at, ok := r.When(); !ok || at.UTC().Format("15:04:05.0") != "21:08:18.5" {
		t.Error(at, ok)
	}
	none := read(t, `{"bug_type":"298","os_version":"x"}`+"\n"+`{"largestProcess":"Game","processes":[{"name":"Game","rpages":1}]}`)
	if none.App != "" || len(none.Memory.Ended()) != 0 {
		t.Errorf("the largest process was not ended: %+v", none)
	}
}

func TestHangReportShowsAppFrames(t *testing.T) {
	r := read(t, hangReport)
	if r.Kind != Hang || r.App != "Shop" || r.PID != 4711 || r.BundleID != "com.iosagent.shop" || r.Duration != "7.23s" ||
		r.Simulator != "B2C43E91-5A2B-471E-8CC6-4EBD9427F528" || r.Model != "Mac15,6" {
		t.Fatalf("%s %+v", r.Kind, r)
	}
	stack := r.Backtraces[0].Frames
	if len(stack) != 6 || stack[0].Symbol != "semaphore_wait_trap" || stack[0].Image != "libsystem_kernel.dylib" {
		t.Errorf("%+v", stack)
	}
	top := r.Top(5)
	if len(top) != 3 || top[0].Symbol != "" || top[0].Offset != 8192 || top[1].Symbol != "Cart.total()" || top[1].File != "Cart.swift" ||
		top[2].Line != 31 || top[2].Image != "Shop" {
		t.Errorf("%+v", top)
	}
	want := "hang: hang, 7.23s\nin the app:\n  Shop 0x10772e001 + 8192\n  Shop Cart.total() + 12 (Cart.swift)"
	if text := r.Text(0); !strings.Contains(text, want) {
		t.Error(text)
	}
}

func TestHangReportOfPhysicalDeviceIsRead(t *testing.T) {
	r := read(t, phoneHang)
	c := r.CrashedThread()
	if r.Kind != Hang || r.Event != "Timed Out Runloop Hang" || r.PID != 3715 || c == nil || len(c.Frames) != 3 ||
		r.OS != "iPhone OS 26.0 (1)" {
		t.Fatalf("%s %+v %+v", r.Kind, r, c)
	}
	if c.Frames[0].Symbol != "mach_msg2_trap" || r.Top(1)[0].Symbol != "Cart.wait()" ||
		!slices.Contains(r.Reasons, "UIKit-runloop-Shop: timeout 9850ms") {
		t.Errorf("%+v %v", c.Frames, r.Reasons)
	}
	if len(r.Images) != 1 || !strings.Contains(r.Sections["Other"], "other + 8") {
		t.Errorf("something is lost: %+v %q", r.Images, r.Sections)
	}
}

// TestKindsOfReportsAreRecognized: most .ips files are not crash reports.
func TestKindsOfReportsAreRecognized(t *testing.T) {
	for text, want := range map[string]Kind{
		`{"bug_type":"210","os_version":"x"}` + "\n" + `{"panicString":"panic(cpu 0)"}`:                                    Panic,
		`{"bug_type":"288","os_version":"x"}` + "\n" + `{"processByPid":{}}`:                                               Stackshot,
		`{"bug_type":"226","os_version":"x"}` + "\n" + `{"events":[]}`:                                                     Analytics,
		`{"bug_type":"7777","os_version":"x"}` + "\n" + `{"new":1}`:                                                        Analytics,
		`{"bug_type":"7777","os_version":"x"}` + "\n" + `{"exception":{"type":"EXC_CRASH"}}`:                               Crash,
		`{"bug_type":309,"os_version":"x"}`:                                                                                Crash,
		`{"bug_type":"145","app_name":"a","timestamp":"x"}` + "\nCommand: a\nEvent: disk writes\nDuration: 5s\nSteps: 1\n": Resource,
		`{"bug_type":{"odd":1},"os_version":"x"}` + "\n" + `{"bug_type":["a"],"exception":{"type":"EXC_CRASH"}}`:           Crash,
	} {
		r := read(t, text)
		if r.Kind != want || r.About() == "" {
			t.Errorf("%s (%s), want %s: %s", r.Kind, r.About(), want, text)
		}
	}
}

// TestCrashGroupIgnoresLoadAddress: a crash is the same one wherever its code was loaded, and another one when another function of the app
// crashed.
func TestCrashGroupIgnoresLoadAddress(t *testing.T) {
	report := func(symbol, address, in string) *Report {
		return read(t, "Process: A [1]\nIncident Identifier: "+address+"\nException Type: EXC_CRASH (SIGABRT)\nCrashed Thread: 0\n\n"+
			"Thread 0 Crashed:\n0  libsystem_c.dylib "+address+" abort + 1\n1  "+in+" "+address+" "+symbol+"\n\nBinary Images:\n"+
			"0x1 - 0x2 A arm64 <ab> /private/var/containers/A.app/A\n0x3 - 0x4 UIKitCore arm64 <cd> /System/Library/UIKitCore\n")
	}
	one, again, other := report("f() + 4", "0x10", "A"), report("f() + 8", "0x20", "A"), report("g() + 4", "0x10", "A")
	if one.Group() != again.Group() || one.Group() == other.Group() {
		t.Error(one.Group(), again.Group(), other.Group())
	}
	if one.ID("x") == again.ID("x") || one.ID("x") != one.ID("y") || len(one.ID("x")) != 12 {
		t.Error(one.ID("x"), again.ID("x"))
	}
	if a, b := report("0x1 + 16", "0x11", "A"), report("0x2 + 16", "0x12", "A"); a.Group() != b.Group() || a.Top(1)[0].Symbol != "" {
		t.Errorf("without symbols: %+v %+v", a.Top(1), b.Top(1))
	}
	if far := report("h()", "0x1", "UIKitCore"); far.Top(1)[0].Symbol != "abort" || far.Top(1)[0].Own {
		t.Errorf("nothing of the app is on the stack: %+v", far.Top(1))
	}
}

func read(t *testing.T, text string) *Report {
	t.Helper()
	if Sniff([]byte(text)) < 50 {
		t.Errorf("not recognized: %d of %.60q", Sniff([]byte(text)), text)
	}
	r, err := Read([]byte(text))
	if err != nil {
		t.Fatalf("%v: %.80q", err, text)
	}
	return r
}
