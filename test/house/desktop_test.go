package house_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/ui"
	"ios-agent/test/desktoptest"
	"ios-agent/test/house"
)

// desk is a house on a desktop with two apps: the windows are in memory, the processes are real.
type desk struct {
	*house.House
	t     *testing.T
	procs []*exec.Cmd
	apps  []*desktoptest.App
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	t.Parallel() // it waits by the real clock
	d := &desk{t: t}
	desktop := desktoptest.New()
	for range 2 {
		c := exec.Command("cat")
		in, err := c.StdinPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		app := desktoptest.NewApp()
		desktop.Apps[c.Process.Pid] = app
		d.procs, d.apps = append(d.procs, c), append(d.apps, app)
		t.Cleanup(func() { end(c, in) })
	}
	d.House = house.New(t, house.Options{Desktop: desktop})
	return d
}

// attach has sessions attach to all apps, as who drives them must.
func (d *desk) attach(sessions ...string) *desk {
	d.t.Helper()
	for _, s := range sessions {
		for _, p := range d.procs {
			d.Must(s, "desktop_debug_attach", in{"pid": p.Process.Pid})
		}
	}
	return d
}

// TestDesktopAppMustBeAttachedToBeDriven: the verbs that drive may be approved beforehand, and a text in a terminal runs commands. Looking
// is free; one session's attachment is not another's.
func TestDesktopAppMustBeAttachedToBeDriven(t *testing.T) {
	d := newDesk(t)
	tap := in{"udid": d.id(0), "label": "Action"}
	refused := func(session string) {
		t.Helper()
		e := d.Call(session, "tap_element", tap)
		if e.Error == nil || e.Error.Code != fault.Forbidden || e.Error.Dispatched != fault.NotDispatched ||
			!strings.Contains(e.Error.Hint, "--pid "+d.pid(0)) {
			t.Errorf("%s: %v", session, e.Error)
		}
	}
	d.Must("a", "snapshot", in{"udid": d.id(0)})
	refused("a")
	begun := house.Result[struct {
		Session string `json:"sessionId"`
	}](d.House, d.Must("a", "desktop_debug_attach", in{"pid": d.procs[0].Process.Pid}))
	refused("b")
	if did := d.apps[0].Did(); len(did) > 0 {
		t.Errorf("%q reached the app", did)
	}
	d.Must("a", "tap_element", tap)
	d.Must("a", "debug_session", in{"action": "stop", "sessionId": begun.Session})
	refused("a")
}

func end(c *exec.Cmd, in io.Closer) {
	_ = c.Process.Kill() // it may be gone
	_ = c.Wait()
	in.Close()
}

// pid is the process of an app; id is what it is called where a udid is taken.
func (d *desk) pid(i int) string { return strconv.Itoa(d.procs[i].Process.Pid) }

func (d *desk) id(i int) string { return "pid:" + d.pid(i) }

// run runs a command line that must end with an exit code, and gives what it printed.
func (d *desk) run(exit int, args ...string) string {
	d.t.Helper()
	r := d.CLI("a", args...)
	if r.Exit != exit {
		d.t.Fatalf("%q ended with %d:\n%s\n%s", args, r.Exit, r.Stdout, r.Stderr)
	}
	return r.Stdout + r.Stderr
}

// TestDesktopAppIsDrivenFromCommandLine from the command line: seen, tapped by a ref, filled, waited for, in batches, as the session's own.
func TestDesktopAppIsDrivenFromCommandLine(t *testing.T) {
	d := newDesk(t).attach("a")
	seen := d.run(0, "snapshot", "--pid", d.pid(0))
	ref := regexp.MustCompile(`button "Action" \[ref=(\w+)\]`).FindStringSubmatch(seen)
	if ref == nil {
		t.Fatalf("no ref of the button:\n%s", seen)
	}
	for _, c := range []struct {
		args  []string
		exit  int
		texts []string
	}{
		{[]string{"tap", "@" + ref[1], "--pid", d.pid(0)}, 0, []string{"changed", "Clicked: 1"}},
		{[]string{"tap", "@" + ref[1], "--udid", d.id(0)}, 0, []string{"Clicked: 2"}},
		{[]string{"fill", "--label", "Name", "--text", "Kim", "--pid", d.pid(0)}, 0, []string{"changed", "Kim"}},
		{[]string{"type", "--label", "Keys", "--text", "a b", "--pid", d.pid(0)}, 0, []string{"changed", "a b"}},
		{[]string{"wait", "--text", "Kim", "--pid", d.pid(0)}, 0, []string{"matched"}},
		{[]string{"get", "--label", "Volume", "--pid", d.pid(0)}, 0, []string{"slider", "0.5"}},
		{[]string{"set-value", "--label", "Volume", "--to", "25%", "--pid", d.pid(0)}, 0, []string{"0.25"}},
		{[]string{"press-key", "s", "--modifiers", "command", "--pid", d.pid(0)}, 0, []string{"unchanged"}},
		{[]string{"drag", "--label", "Drag Source", "--onto", "Drop Here", "--pid", d.pid(0)}, 0, []string{"Drop Received"}},
		{[]string{"batch", "tap --label Action", "wait --text 'Clicked: 3'", "--pid", d.pid(0)}, 0, []string{"1. tap", "2. text"}},
		{[]string{"batch", "tap --label Action --pid " + d.pid(1), "--pid", d.pid(0)}, 0, []string{"Clicked: 1"}},
		{[]string{"tap", "--label", "Off", "--no-wait", "--pid", d.pid(0)}, 1, []string{"disabled"}},
		{[]string{"tap", "--label", "Action", "--pid", d.pid(0), "--udid", d.id(0)}, fault.ExitUsage,
			[]string{"--udid and --pid set the same input"}},
		{[]string{"tap", "--label", "Action", "--app", "testapp"}, fault.ExitNotFound, []string{"DEVICE_AMBIGUOUS", d.id(0), d.id(1)}},
		{[]string{"tap", "--label", "Action", "--app", "tstapp"}, fault.ExitNotFound, []string{"DEVICE_NOT_FOUND", "testapp"}},
		{[]string{"pinch", "--scale", "2", "--udid", d.id(0)}, 1, []string{"UNSUPPORTED", "cannot pinch"}},
		{[]string{"snapshot", "--pid", "999999999"}, fault.ExitPrecondition, []string{"Process not running (PID 999999999 exited)"}},
		{[]string{"use", "--pid", d.pid(1)}, 0, []string{"using cat"}},
		{[]string{"use", "--udid", d.id(1)}, 0, []string{"using cat"}},
		{[]string{"use", d.id(1)}, 0, []string{"using cat"}},
		{[]string{"tap", "--label", "Action"}, 0, []string{"Clicked: 2"}},
		{[]string{"status"}, 0, []string{"device:  cat (", "claimed by a"}},
	} {
		out := d.run(c.exit, c.args...)
		for _, text := range c.texts {
			if !strings.Contains(out, text) {
				t.Errorf("%q does not say %q:\n%s", c.args, text, out)
			}
		}
	}
	d.apps[1].Call("calculator", "Sums")
	if out := d.run(0, "tap", "--label", "Action", "--app", "calculator"); !strings.Contains(out, "Clicked: 3") {
		t.Errorf("%s", out)
	}
	shot := d.run(0, "screenshot", "--annotate", "--app", "Sums")
	if !strings.Contains(shot, "800×1200, points = pixels / 2") {
		t.Errorf("%s", shot)
	}
	got := d.apps[0].Did()
	for _, what := range []string{"press Action", "type a b", "key s 0x100000", "drag Drag Source to Drop Here"} {
		if !slices.Contains(got, what) {
			t.Errorf("%q did not reach the app: %q", what, got)
		}
	}
}

// TestADesktopAppHasALease: one session at a time drives a process, which is not a device that is listed.
func TestADesktopAppHasALease(t *testing.T) {
	d := newDesk(t).attach("a", "b")
	out := house.Result[touch.ActionOut](d.House, d.Must("a", "tap_element", in{"udid": d.id(0), "label": "Action"}))
	if out.Outcome != ui.Changed || out.Method != "said" {
		t.Errorf("%+v", out)
	}
	d.Must("b", "snapshot", in{"udid": d.id(0)}) // who only looks needs no lease
	e := d.Call("b", "tap_element", in{"udid": d.id(0), "label": "Action"})
	if e.Error == nil || e.Error.Code != fault.DeviceClaimed || !strings.Contains(e.Error.Message, "cat (pid:"+d.pid(0)+":") {
		t.Fatalf("%v", e.Error)
	}
	d.Must("b", "tap_element", in{"udid": d.id(1), "label": "Action"}) // another process is another lease

	var listed struct{ Devices []pool.Entry }
	entry := func(i int) pool.Entry {
		t.Helper()
		if err := json.Unmarshal(d.Must("a", "list_device_pool", nil).Result, &listed); err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(listed.Devices, func(e pool.Entry) bool { return strings.HasPrefix(e.UDID, d.id(i)+":") })
		if at < 0 {
			return pool.Entry{}
		}
		return listed.Devices[at]
	}
	if e := entry(0); e.ClaimedBy != "a" || e.Type != "process" || e.LeaseKind != "implicit" {
		t.Errorf("%+v", e)
	}
	if devices := string(d.Must("a", "list_devices", nil).Result); strings.Contains(devices, `"pid:`) {
		t.Errorf("a process is listed: %s", devices)
	}
	if e := d.Call("b", "claim_device", in{"udid": d.id(0)}); e.Error == nil || e.Error.Code != fault.DeviceClaimed {
		t.Errorf("%v", e.Error)
	}
	if e := d.Call("a", "claim_device", in{"udid": d.id(0), "reset": "erase"}); e.Error == nil || e.Error.Code != fault.Unsupported {
		t.Errorf("%v", e.Error)
	}
	d.Must("a", "release_device", in{"udid": d.id(0)})
	d.Must("b", "claim_device", in{"udid": d.id(0)})
	if e := entry(0); e.ClaimedBy != "b" || e.LeaseKind != "claim" {
		t.Errorf("%+v", e)
	}
	d.Must("b", "renew_device", in{"udid": d.id(0)})
	d.Must("a", "take_over_device", in{"udid": d.id(0), "reason": "the test wants it"})
	d.Must("a", "tap_element", in{"label": "Action"}) // it is the session's now
	resolved := d.Must("a", "resolve_device", in{"udid": d.id(0)})
	if !strings.Contains(string(resolved.Result), d.id(0)) {
		t.Errorf("%s", resolved.Result)
	}
	udid := entry(0).UDID

	end(d.procs[0], io.NopCloser(nil))
	d.Boot("b", "")
	says := fmt.Sprintf("Process not running (PID %s exited)", d.pid(0))
	for range 2 { // a process that has exited is not exchanged for the simulator
		e := d.Call("a", "tap_element", in{"label": "Action"})
		if e.Error == nil || e.Error.Code != fault.AppNotRunning || !strings.Contains(e.Error.Message, says) ||
			!strings.HasPrefix(e.Error.Message, "cat ("+udid+"), which this session chose") || !strings.Contains(e.Error.Hint, "ios-agent use") {
			t.Errorf("got %v, want %s that names cat and says %q", e.Error, fault.AppNotRunning, says)
		}
	}
	if e := entry(0); e.UDID != "" {
		t.Errorf("it is still known: %+v", e)
	}
	if e := d.Call("b", "snapshot", in{"udid": udid}); e.Error == nil || e.Error.Code != fault.AppNotRunning {
		t.Errorf("%v", e.Error)
	}
}

// TestADesktopAppIsNotChosenAfterARestart: its process id is not kept. No call that names no device goes to a simulator instead.
func TestADesktopAppIsNotChosenAfterARestart(t *testing.T) {
	d := newDesk(t)
	d.Boot("b", "")
	d.Must("a", "use_device", in{"device": house.Device})
	d.Must("a", "use_device", in{"device": d.id(0)})
	d.Restart()
	for _, name := range []string{"snapshot", "press_button"} {
		e := d.Call("a", name, map[string]in{"press_button": {"button": "home"}}[name])
		if e.Error == nil || e.Error.Code != fault.AppNotRunning || !strings.Contains(e.Error.Message, "cat") ||
			!strings.Contains(e.Error.Hint, "ios-agent use") {
			t.Errorf("%s: got %s\nwant %s that names cat and a hint with `ios-agent use`", name, e.Text(), fault.AppNotRunning)
		}
	}
	if said := d.Must("a", "status", nil).Text(); !strings.Contains(said, "cat, not found") {
		t.Errorf("got a status without the app that was chosen:\n%s", said)
	}
	d.Must("a", "use_device", in{"device": house.Device})
	d.Must("a", "snapshot", nil)
}

// TestLateDesktopChangeIsReportedWithNextCall is told with the next call, on every surface; nobody takes it for that call's effect.
func TestLateDesktopChangeIsReportedWithNextCall(t *testing.T) {
	d := newDesk(t).attach("a", "b")
	w := d.REST("a", http.MethodGet, "/api/v1/device/snapshot?udid="+d.id(0), nil)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"Ready"`) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	d.apps[0].Set("Ready", func(title, _ *string) { *title = "Came late" })
	e := d.Must("a", "tap_element", in{"udid": d.id(0), "label": "Enabled"})
	if lines, _ := meanwhile(e); !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "Came late") }) {
		t.Errorf("%q", lines)
	}
	out := house.Result[touch.ActionOut](d.House, e)
	if strings.Contains(strings.Join(out.Diff, "\n"), "Came late") || out.Outcome != ui.Changed {
		t.Errorf("%+v", out)
	}
	result, err := d.Tool("a", "snapshot", in{"udid": "app:testapp"})
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := json.Marshal(result); err != nil || !strings.Contains(string(raw), "DEVICE_AMBIGUOUS") {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestBatchOnDesktopAppIsNotMarkedVirtual, whatever Xcode is: as each of its steps is. One step on a virtual device makes the batch
// virtual.
func TestBatchOnDesktopAppIsNotMarkedVirtual(t *testing.T) {
	d := newDesk(t).attach("a")
	sim := d.Boot("a", "")
	for steps, virtual := range map[string]bool{"snapshot": false, "snapshot --udid " + sim: true} {
		e := d.Must("a", "batch", in{"udid": d.id(0), "steps": []string{"snapshot", steps}})
		if got := strings.Contains(e.Text(), "[virtual]"); got != virtual || (e.Meta.Toolchain != "") != virtual {
			t.Errorf("%s: got virtual %t by %q, want %t:\n%s", steps, got, e.Meta.Toolchain, virtual, e.Text())
		}
	}
}
