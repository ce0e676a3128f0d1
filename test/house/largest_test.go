package house_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/telemetry"
	"ios-agent/test/debuggee"
	"ios-agent/test/house"
)

// fullHouse is a house with much of everything: lines, requests with large bodies, crashes, builds, mocks, a large screen.
type fullHouse struct {
	*wire
	files house.Files
	udid  string
	app   string // with a large screen
	ref   string // of an element on it
	flow  string // with a body of 3 MB
	log   string // file of a build
}

func newFull(t *testing.T) *fullHouse {
	t.Helper()
	f := &fullHouse{}
	f.wire = newWire(t, func(o *house.Options) {
		o.Programs = func(name string, tool host.Main) host.Main {
			if name == "lldb-dap" {
				return (&debuggee.Adapter{Prints: strings.Repeat("(lldb) a line of the debugger\n", 20_000)}).Main
			}
			return tool
		}
	})
	f.files = f.Files()
	f.udid = f.Boot("a", "")
	f.owner.Store(&f.udid)
	f.lines()
	f.crashes()
	f.builds()
	f.network()
	f.debugger()
	f.screen()
	return f
}

// long is a text of n bytes.
func long(n int) string { return strings.Repeat("a long text of others; ", n/23+1)[:n] }

// lines has the app log 600 lines of 3 KB, every tenth an error.
func (f *fullHouse) lines() {
	feed := f.Product.Telemetry.Open(telemetry.State{
		ID: "sim", Type: "simctl_log_stream", Source: telemetry.Simulator, Device: f.udid, App: wordy,
	})
	f.t.Cleanup(feed.Close)
	for i := range 600 {
		e := telemetry.Entry{Time: time.Now(), Process: "Wordy", PID: 812, Subsystem: "com.example", Category: "net", Level: telemetry.Info,
			Message: fmt.Sprint(i, " ", long(3000), i)}
		if i%10 == 0 {
			e.Level = telemetry.Error
		}
		feed.Add(e)
	}
}

// crashes copies a report of Virtual Xcode 60 times.
func (f *fullHouse) crashes() {
	crashed(f.t, f.House, "crash-fatal")
	found, err := filepath.Glob(filepath.Join(f.Home.Virtual(), "Logs", "DiagnosticReports", "*.ips"))
	if err != nil || len(found) != 1 {
		f.t.Fatalf("got the reports %q, %v, want one", found, err)
	}
	raw, err := os.ReadFile(found[0])
	for i := range 60 {
		if err == nil {
			copied := bytes.ReplaceAll(raw, []byte("crash-fatal"), fmt.Appendf(nil, "crash-%d", i))
			err = os.WriteFile(fmt.Sprintf("%s-%d.ips", strings.TrimSuffix(found[0], ".ips"), i), copied, 0o600)
		}
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// builds writes many warnings and errors into the sample's sources, and the log of a build.
func (f *fullHouse) builds() {
	var sources []string
	err := filepath.WalkDir(filepath.Dir(f.files.Project), func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".swift") {
			sources = append(sources, path)
		}
		return err
	})
	for _, path := range sources {
		raw, readErr := os.ReadFile(path)
		for i := range 200 {
			raw = fmt.Appendf(raw, "let a%d = b // virtual: warning: the name %d is never used: %s\n", i, i, long(300))
			raw = fmt.Appendf(raw, "let c%d = d // virtual: error: cannot find %d in scope: %s\n", i, i, long(300))
		}
		err = cmp.Or(err, readErr, os.WriteFile(path, raw, 0o600))
	}
	f.log = filepath.Join(f.t.TempDir(), "build.log")
	for i := range 3000 {
		said := fmt.Sprintf("/src/Shop/File%d.swift:%d:5: error: cannot find '%s%d' in scope\n", i, i, long(200), i)
		err = cmp.Or(err, appendTo(f.log, said))
	}
	if err != nil || len(sources) == 0 {
		f.t.Fatalf("got the sources %q, %v", sources, err)
	}
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// network sends requests through the proxy, 15 with bodies of 90 KB and three of 3 MB, and sets 60 mocks.
func (f *fullHouse) network() {
	f.Must("a", "proxy_start", nil)
	for i := range 15 {
		f.send("POST", fmt.Sprintf("/api/%d?q=%s", i, strings.Repeat("q", 1000)), `{"a":"`+long(90_000)+`"}`)
	}
	for range 3 {
		f.send("POST", "/large", strings.Repeat("large \u00e9\" ", 300_000))
	}
	flows := house.Result[struct {
		Flows []struct {
			ID string `json:"flow_id"`
		}
	}](f.House, f.Must("a", "list_flows", nil)).Flows
	f.flow = flows[len(flows)-1].ID
	for i := range 20 {
		f.Must("a", "proxy_mock", in{"pattern": fmt.Sprintf("~u /mock/%d", i), "body": `{"a":"` + long(20_000) + `"}`})
	}
}

// debugger attaches one to a program.
func (f *fullHouse) debugger() {
	app := exec.Command("sleep", "600")
	if err := app.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = app.Process.Kill(); _ = app.Wait() })
	f.Must("a", "debug_attach", in{"pid": app.Process.Pid, "stop": true})
}

// screen shows 400 buttons with long labels.
func (f *fullHouse) screen() {
	if f.app == "" {
		f.app = wordyApp(f.t)
		f.Must("a", "session_set_defaults", in{"projectPath": f.files.Project, "scheme": f.files.Scheme})
	}
	f.Call("a", "proxy_start", nil) // it may run
	f.Must("a", "boot_device", in{"sim": house.Device})
	f.Must("a", "install_app", in{"app_path": f.app})
	f.Must("a", "launch_app", in{"bundle_id": wordy})
	f.ref = find(f.t, f.House, "Item 3").Ref
}

const wordy = "com.example.wordy"

// wordyApp writes that app.
func wordyApp(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Wordy.app")
	ui := "start: first\nscreens:\n  first:\n    title: Wordy\n    scroll: true\n    elements:\n"
	for i := range 20 {
		ui += fmt.Sprintf("    - button: 'Item %d'\n      id: item-%d\n", i, i)
	}
	ui += fmt.Sprintf("    - repeat: {count: 400, each: {button: '{index} %s', id: 'more-{index}'}}\n", long(300))
	info := `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>` + wordy + `</string></dict></plist>`
	err := os.Mkdir(path, 0o700)
	for name, text := range map[string]string{"Info.plist": info, "ui.yaml": ui} {
		err = errors.Join(err, os.WriteFile(filepath.Join(path, name), []byte(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// input is an example of an operation's input that asks for no more than is usual, about what there is much of.
func (f *fullHouse) input(o op.Op, id string) map[string]any {
	input := f.files.Example(o, id)
	for name, value := range map[string]any{
		"flow_id": "latest", "bundle_id": wordy, "bundleId": wordy, "identifier": "item-3", "ref": f.ref, "elementRef": f.ref,
		"steps": []string{"tap --identifier item-3", "tap --identifier item-4"}, "label": "Item 3", "step": "last",
	} {
		if _, has := input[name]; has {
			input[name] = value
		}
	}
	for _, field := range o.Fields() {
		if field.More {
			delete(input, field.Name)
		}
	}
	maps.Copy(input, map[string]map[string]any{
		"wait": {"identifier": "item-3"}, "parse": {"file": f.log}, "get_element_state": {"identifier": "item-3"},
		"wait_for_element": {"identifier": "item-3", "condition": "exists"}, "debug_session": {"action": "list"},
		"wait_for_flow":   {"path_contains": "/large", "timeout": 1, "since": "2020-01-01T00:00:00Z"},
		"wait_flow":       {"path": "/large", "timeout_ms": 1000, "since": "24h"},
		"get_flow_detail": {"flow_id": f.flow}, "show_flow": {"flow_id": f.flow}, "xcode_batch": {"steps": []map[string]any{{"action": "tap",
			"elementRef": f.ref}}},
	}[id])
	return input
}

// TestLargestAnswerOfEachOperationIsBounded calls every operation on a world that has much of everything, without asking for more than is
// usual. A new operation is called too.
func TestLargestAnswerOfEachOperationIsBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("large worlds take long")
	}
	f := newFull(t)
	ops := slices.Clone(f.Product.Catalogue.Ops())
	slices.SortStableFunc(ops, func(a, b op.Op) int { return cmp.Compare(harm(a), harm(b)) })
	long := strings.Fields("snapshot list_refs show_flow proxy_mocks read_logs get_ui_tree describe_ui get_flow_detail")
	answered, cut := 0, []string{}
	for i, o := range ops {
		id := f.Product.Catalogue.ID(o)
		if o.Streams() || o.Name == "data_delete" || !slices.Contains(long, id) && !sampled(i, 4) { // data_delete would empty the world
			continue
		}
		input := f.input(o, id)
		e := f.Call("a", id, input)
		if len(e.Text()) > op.MostText || len(e.Result) > op.MostJSON {
			t.Errorf("%s: got a text of %d bytes and JSON of %d, want at most %d and %d", id, len(e.Text()), len(e.Result), op.MostText,
				op.MostJSON)
		}
		if e.Error == nil {
			answered++
		} else {
			t.Logf("%s: %.120s", id, e.Error.Message)
		}
		if i := slices.IndexFunc(e.Meta.Notices, func(n op.Notice) bool { return n.Kind == op.Cut }); i >= 0 {
			cut = append(cut, id)
			t.Logf("%s: %s", id, e.Meta.Notices[i].Text)
			f.asTool(id, input)
		}
		if harm(o) > 0 && f.Call("a", "get_element", in{"identifier": "item-3"}).Error != nil {
			f.screen() // the operation left it
		}
	}
	t.Logf("%d operations answered, %d of them were cut", answered, len(cut))
	for _, want := range long {
		if !slices.Contains(cut, want) {
			t.Errorf("%s was not cut: the world is not full enough to prove anything", want)
		}
	}
	if answered < 180 && full() {
		t.Errorf("%d operations answered, want 180: the others prove nothing", answered)
	}
}

// asTool calls an operation as an MCP client does that gets JSON too, and as one that reaches it through call_tool.
func (f *fullHouse) asTool(id string, input map[string]any) {
	f.t.Helper()
	for _, how := range []product.Serving{{Destructive: true, Structured: true}, {Destructive: true, Tools: mcp.Default}} {
		res, err := f.MCP("a", how).CallTool(f.t.Context(), &sdk.CallToolParams{Name: "call_tool", Arguments: in{"name": id, "arguments": input}})
		if err != nil {
			f.t.Errorf("%s: %v", id, err)
			continue
		}
		raw, _ := json.Marshal(res.StructuredContent)
		if text := res.Content[0].(*sdk.TextContent).Text; len(text) > op.MostText || len(raw) > op.MostJSON {
			f.t.Errorf("%s over MCP: got a text of %d bytes and JSON of %d", id, len(text), len(raw))
		}
	}
}

// TestQuernBodyLimitAppliesOnlyToItsSet: its clients get bodies of 100 KiB, cut with quern's own mark; ours get an answer of 100 KiB.
func TestQuernBodyLimitAppliesOnlyToItsSet(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.Must("a", "proxy_start", nil)
	w.send("POST", "/large", strings.Repeat("large text ", 300_000))
	id := house.Result[struct {
		Flows []struct {
			ID string `json:"flow_id"`
		}
	}](w.House, w.Must("a", "list_flows", nil)).Flows[0].ID
	res, err := w.MCP("a", product.Serving{Tools: "quern"}).CallTool(t.Context(), &sdk.CallToolParams{
		Name: "get_flow_detail", Arguments: in{"flow_id": id}})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Request struct {
			Body      string
			Truncated bool `json:"body_truncated"`
			Size      int  `json:"body_size"`
		}
	}
	text := res.Content[0].(*sdk.TextContent).Text
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Request.Body) != 100<<10 || !got.Request.Truncated ||
		got.Request.Size != 3_300_000 || len(text) > 4*100<<10 {
		t.Errorf("got %d bytes with a body of %d, truncated %v, %v; want a body of 100 KiB with the mark", len(text), len(got.Request.Body),
			got.Request.Truncated, err)
	}
	if e := w.Must("a", "query_flows", nil); len(e.Result) > op.MostJSON || strings.Contains(string(e.Result), "bytes left out") {
		t.Errorf("got %d bytes of query_flows, want bodies cut with quern's own mark", len(e.Result))
	}
}

// harm puts what only looks before what changes, and that before what loses.
func harm(o op.Op) int {
	switch {
	case o.Hints.Has(op.ReadOnly):
		return 0
	case o.Hints.Has(op.Destructive):
		return 2
	}
	return 1
}
