package house_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/test/desktoptest"
	"ios-agent/test/house"
)

// stage is a house with a desktop on which one app shows its window. The app is in memory; its process is real, and does nothing.
type stage struct {
	*house.House
	t   *testing.T
	app *desktoptest.App
	pid int
	id  string // of ada's session
	end func() // ends the process
}

func newStage(t *testing.T, options ...house.Options) *stage {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d := &stage{t: t, pid: cmd.Process.Pid, end: func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }}
	t.Cleanup(d.end)
	windows := desktoptest.New(d.pid)
	d.app = windows.Apps[d.pid]
	o := house.Options{}
	if len(options) > 0 {
		o = options[0]
	}
	o.Desktop = windows
	d.House = house.New(t, o)
	out := house.Result[begun](d.House, d.Must("ada", "desktop_debug_attach", in{"pid": d.pid}))
	if d.id = out.SessionID; out.PID != d.pid || d.id == "" {
		t.Fatalf("%+v", out)
	}
	return d
}

type begun struct {
	SessionID string `json:"sessionId"`
	PID       int
}

// did is an answer of debug_ui_action.
type did struct {
	Success    bool
	Method     string
	NodeBefore *node
	NodeAfter  *node
	Changed    *bool
	Error      string
	Outcome    string
	LookedMS   int64 `json:"looked_ms"`
	Diff       []string
	Hint       string
}

type node struct {
	ID, Role, Title  string
	Value            *string
	Enabled, Focused bool
	Bounds           *ui.Rect
	Source           string
	Children         []desktop.Node
	ChildrenOmitted  int
}

// act performs an action on the element with a title; none has no id.
func (d *stage) act(title, action string, more in) did {
	d.t.Helper()
	input := in{"sessionId": d.id, "action": action}
	if title != "" {
		input["id"] = d.named(title)
	}
	for key, value := range more {
		input[key] = value
	}
	e := d.Call("ada", "debug_ui_action", input)
	out := house.Result[did](d.House, e)
	if e.Refused == out.Success {
		d.t.Errorf("%s %s: success %v, refused %v", action, title, out.Success, e.Refused)
	}
	return out
}

// named is the id of an element.
func (d *stage) named(title string) string {
	d.t.Helper()
	var id string
	for _, n := range d.nodes() {
		n.Walk(func(n *desktop.Node) bool {
			if n.Title == title {
				id = n.ID
			}
			return id == ""
		})
	}
	if id == "" {
		d.t.Fatalf("no element is called %s", title)
	}
	return id
}

func (d *stage) nodes() []*desktop.Node {
	d.t.Helper()
	e := d.Must("ada", "debug_ui", in{"sessionId": d.id, "verbose": true})
	var doc struct{ Nodes []*desktop.Node }
	if err := json.Unmarshal([]byte(house.Result[struct{ Tree string }](d.House, e).Tree), &doc); err != nil {
		d.t.Fatal(err)
	}
	return doc.Nodes
}

// TestDesktopScenarios are the nine of the seed's eighth task. What the app did is what the app says.
func TestDesktopScenarios(t *testing.T) {
	t.Parallel()
	d := newStage(t)
	check := func(name string, out did, method string, changed bool) {
		t.Helper()
		if !out.Success || out.Method != method || out.NodeBefore == nil || out.NodeAfter == nil || out.Changed == nil ||
			*out.Changed != changed {
			t.Errorf("%s: %+v", name, out)
		}
	}
	quick := func(more in) in { more["settleMs"] = 200; return more }

	click := d.act("Action", "click", nil)
	check("click", click, "said", false) // the button is as it was; its effect is elsewhere
	if click.Outcome != "changed" || !strings.Contains(strings.Join(click.Diff, "\n"), "Clicked: 1") {
		t.Errorf("click: %+v", click)
	}
	number := d.act("Volume", "set_value", quick(in{"value": 0.8}))
	if check("set a number", number, "said", true); number.NodeAfter == nil || *number.NodeAfter.Value != "0.8" {
		t.Errorf("%+v", number)
	}
	text := d.act("Name", "set_value", quick(in{"value": "programmatic"}))
	if check("set a text", text, "said", true); *text.NodeAfter.Value != "programmatic" {
		t.Errorf("%+v", text)
	}
	typed := d.act("Name", "type", quick(in{"text": " hello wörld"}))
	if check("type", typed, "done", true); *typed.NodeAfter.Value != "programmatic hello wörld" || !typed.NodeAfter.Focused {
		t.Errorf("%+v", typed)
	}
	key := d.act("", "key", quick(in{"key": "a", "modifiers": []string{"cmd"}}))
	if !key.Success || key.Method != "done" || key.NodeBefore != nil || key.NodeAfter != nil || key.Changed != nil {
		t.Errorf("key: %+v", key)
	}
	scroll := d.act("Items", "scroll", quick(in{"direction": "down"}))
	if check("scroll", scroll, "done", false); !strings.Contains(scroll.Hint, "--mode screenshot") || scroll.NodeBefore.ChildrenOmitted != 3 {
		t.Errorf("%+v", scroll)
	}
	target := d.named("Drop Here")
	drag := d.act("Drag Source", "drag", quick(in{"toId": target}))
	if check("drag", drag, "done", false); !strings.Contains(strings.Join(drag.Diff, "\n"), "Drop Received") {
		t.Errorf("%+v", drag)
	}
	if d.named("Drop Received") != target {
		t.Error("an element has another id after its title changed")
	}
	gone := d.act("", "click", in{"id": "btn_0000"})
	if gone.Success || gone.Error != "node not found" || gone.NodeBefore != nil {
		t.Errorf("a bogus id: %+v", gone)
	}
	nokey := d.act("", "key", in{"key": "nosuchkey"})
	if nokey.Success || !strings.HasPrefix(nokey.Error, "unknown key: 'nosuchkey'. Supported: a-z") {
		t.Errorf("an unknown key: %+v", nokey)
	}
	want := []string{"press Action", "type  hello wörld", "key a 0x100000", "scroll Items 0 -3", "drag Drag Source to Drop Here"}
	if got := d.app.Did(); !slices.Equal(got, want) {
		t.Errorf("the app got %q", got)
	}
}

// TestDesktopActionReportsOnlyRealChanges: a button that is off is pressed without effect; a title that changes is a change; what comes
// later is told later.
func TestDesktopActionReportsOnlyRealChanges(t *testing.T) {
	t.Parallel()
	d := newStage(t)
	off := d.act("Off", "click", nil)
	if !off.Success || off.Changed == nil || *off.Changed || off.Outcome != "unchanged" || !strings.Contains(off.Hint,
		"the element is disabled") ||
		off.LookedMS < 900 {
		t.Errorf("%+v", off)
	}
	soon := d.act("Off", "click", in{"settleMs": 50})
	if soon.Outcome != "unchanged" || soon.LookedMS >= off.LookedMS {
		t.Errorf("it looked on after settleMs: %+v", soon)
	}
	d.app.Set("Off", func(title, _ *string) { *title = "Off, later" })
	e := d.Must("ada", "debug_ui", in{"sessionId": d.id})
	if lines, _ := meanwhile(e); !strings.Contains(strings.Join(lines, "\n"), "Off, later") {
		t.Errorf("the late effect is not told: %+v", e.Meta.Notices)
	}
	toggled := d.act("Enabled", "click", nil)
	if toggled.Changed == nil || !*toggled.Changed || toggled.Outcome != "changed" || *toggled.NodeAfter.Value != "1" {
		t.Errorf("%+v", toggled)
	}
}

// TestDesktopRefusalIsAnswerNotFault: what another request can mend is an answer; on a command line it is exit code 1, for a model it is no
// error.
func TestDesktopRefusalIsAnswerNotFault(t *testing.T) {
	t.Parallel()
	d := newStage(t)
	button := d.named("Action")
	client := d.MCP("ada", product.Serving{Tools: "desktop"})
	for says, more := range map[string]in{
		"node not found":                                 {"action": "click", "id": "btn_0000"},
		"drag destination node not found":                {"action": "drag", "id": button, "toId": "btn_0000"},
		"element does not support set_value; try 'type'": {"action": "set_value", "id": button, "value": "x"},
		"unknown key: 'nosuchkey'":                       {"action": "key", "key": "nosuchkey"},
	} {
		more["sessionId"] = d.id
		out := house.Result[did](d.House, d.Call("ada", "debug_ui_action", more))
		if out.Success || !strings.HasPrefix(out.Error, says) || out.Changed != nil || out.NodeAfter != nil || out.Method != "" {
			t.Errorf("%s: %+v", says, out)
		}
		if wants := more["id"] == button; wants != (out.NodeBefore != nil) {
			t.Errorf("%s: nodeBefore %+v", says, out.NodeBefore)
		}
		args := []string{"app", "act", d.id, more["action"].(string)}
		for _, name := range []string{"id", "toId", "value", "key"} {
			if value, is := more[name].(string); is {
				args = append(args, "--"+op.Field{Name: name}.Flag(), value)
			}
		}
		if ran := d.CLI("ada", args...); ran.Exit != fault.ExitFailed || !strings.Contains(ran.Stdout, says) {
			t.Errorf("%s: exit %d\n%s%s", says, ran.Exit, ran.Stdout, ran.Stderr)
		}
		r, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "debug_ui_action", Arguments: more})
		if err != nil || r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, `"success": false`) {
			t.Errorf("%s: %v %+v", says, err, r)
		}
		if w := d.REST("ada", "POST", "/api/v1/desktop/act", more); w.Code != 200 || !strings.Contains(w.Body.String(), `"success":false`) {
			t.Errorf("%s: HTTP %d %s", says, w.Code, w.Body)
		}
	}
	if got := d.app.Did(); len(got) != 0 {
		t.Errorf("the app got %q", got)
	}
}

// TestInvalidDesktopRequestsAreFaults: a request that cannot be meant, a session that is not there, a process that has ended or is stopped,
// and a window that was closed are faults.
func TestInvalidDesktopRequestsAreFaults(t *testing.T) {
	t.Parallel()
	d := newStage(t)
	button := d.named("Action")
	client := d.MCP("ada", product.Serving{Tools: "desktop"})
	fails := func(code fault.Code, says string, input in) {
		t.Helper()
		e := d.Call("ada", "debug_ui_action", input)
		if e.Error == nil || e.Error.Code != code || !strings.Contains(e.Error.Message, says) || e.Error.Hint == "" {
			t.Errorf("%v: %s, not %s: %s", input, e.Text(), code, says)
		}
		r, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "debug_ui_action", Arguments: input})
		if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, says) {
			t.Errorf("%v: %v %+v", input, err, r)
		}
	}
	for says, input := range map[string]in{
		"sessionId must not be empty":                 {"sessionId": "", "action": "click", "id": button},
		"id is required for all actions except 'key'": {"action": "click"},
		"key is required for 'key' action":            {"action": "key"},
		"text is required for 'type' action":          {"action": "type", "id": button},
		"toId is required for 'drag' action":          {"action": "drag", "id": button},
		"direction is required for 'scroll' action":   {"action": "scroll", "id": button},
		"value is required for 'set_value' action":    {"action": "set_value", "id": button},
		"unknown modifier: 'cdm'":                     {"action": "key", "key": "s", "modifiers": []string{"cdm"}},
		"action must be one of click, set_value":      {"action": "press", "id": button},
		"direction must be one of up, down":           {"action": "scroll", "id": button, "direction": "forth"},
		"sessionId is required":                       {"sessionId": nil, "action": "click", "id": button},
	} {
		if _, given := input["sessionId"]; !given {
			input["sessionId"] = d.id
		}
		fails(fault.InvalidInput, says, input)
	}
	if ran := d.CLI("ada", "app", "act", d.id, "click"); ran.Exit != fault.ExitUsage {
		t.Errorf("exit %d: %s", ran.Exit, ran.Stderr)
	}
	click := in{"sessionId": d.id, "action": "click", "id": button}
	fails(fault.SessionNotFound, `unknown desktop session "nosuch"`, in{"sessionId": "nosuch", "action": "click", "id": button})
	if e := d.Call("bob", "debug_ui_action", click); e.Error == nil || e.Error.Code != fault.Forbidden {
		t.Errorf("another session acts on it: %s", e.Text())
	}

	if err := processes.Suspend(d.pid); err != nil {
		t.Fatal(err)
	}
	for !processes.Stopped(d.pid) && t.Context().Err() == nil { // the signal takes a moment
	}
	fails(fault.AppPaused, fmt.Sprintf("process %d does not answer: a signal or another debugger has stopped it", d.pid), click)
	if err := processes.Resume(d.pid); err != nil {
		t.Fatal(err)
	}
	for processes.Stopped(d.pid) && t.Context().Err() == nil {
	}

	d.app.Leave()
	fails(fault.AppNotInFront, "", click)
	if e := d.Call("ada", "debug_ui", in{"sessionId": d.id}); e.Error == nil || e.Error.Code != fault.AppNotInFront {
		t.Errorf("a window that was closed: %s", e.Text())
	}
	d.end()
	fails(fault.AppNotRunning, fmt.Sprintf("Process not running (PID %d exited). Cannot perform UI action.", d.pid), click)
	ran := d.CLI("ada", "app", "ui", d.id)
	if ran.Exit != fault.ExitPrecondition || !strings.Contains(ran.Stderr, "app session status "+d.id) {
		t.Errorf("exit %d: %s", ran.Exit, ran.Stderr)
	}
	if got := d.app.Did(); len(got) != 0 {
		t.Errorf("the app got %q", got)
	}
	status := house.Result[struct{ Status string }](d.House, d.Must("ada", "debug_session", in{"sessionId": d.id}))
	if status.Status != "exited" {
		t.Errorf("%+v", status)
	}
	d.Must("ada", "debug_session", in{"sessionId": d.id, "action": "stop"})
	if e := d.Call("ada", "debug_session", in{"sessionId": d.id}); e.Error == nil || e.Error.Code != fault.SessionNotFound {
		t.Errorf("it is still there: %s", e.Text())
	}
}

// udid names the process where a device is taken.
func (d *stage) udid() string { return fmt.Sprintf("pid:%d", d.pid) }
