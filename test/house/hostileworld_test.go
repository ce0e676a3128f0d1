package house_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/test/house"
)

// worldText is hostileText as property lists, YAML and file names can hold it.
var worldText = "x\n" + forgedLines[0] + "\n" + forgedLines[1] + "\n" + forgedLines[2] + "\u2028" + forgedLines[3] + "\u202eabc"

const worldApp = "com.example.hostile"

// hostileWorld is a house in which everything that others name is called by a hostile text.
type hostileWorld struct {
	*wire
	files house.Files
	app   string
}

func newHostileWorld(t *testing.T) *hostileWorld {
	t.Helper()
	w := &hostileWorld{wire: newWire(t)}
	w.files = w.Files()
	udid := w.Boot("a", "")
	w.owner.Store(&udid)
	w.must(w.World.Rename(t.Context(), udid, worldText))
	w.crash()
	w.logs(udid)
	w.Must("a", "proxy_start", nil)
	w.send("POST", "/x"+url.PathEscape(worldText)+"?q="+url.QueryEscape(worldText), worldText)
	w.project()
	w.installed()
	return w
}

func (w *hostileWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// crash has an app crash, and writes hostile fields into another report of it.
func (w *hostileWorld) crash() {
	crashed(w.t, w.House, "crash-fatal")
	found, err := filepath.Glob(filepath.Join(w.Home.Virtual(), "Logs", "DiagnosticReports", "*.ips"))
	w.must(err)
	raw, err := os.ReadFile(found[0])
	w.must(err)
	escaped := bytes.Trim(jsonOf(w.t, worldText), `"`)
	for _, word := range []string{"EXC_BREAKPOINT", "SIGTRAP", `procName" : "Conformance`, "Index out of range"} {
		head, _, _ := strings.Cut(word, "Conformance")
		if head == word {
			head = ""
		}
		raw = bytes.ReplaceAll(raw, []byte(word), append([]byte(head), escaped...))
	}
	w.must(os.WriteFile(strings.TrimSuffix(found[0], ".ips")+"-2.ips", raw, 0o600))
}

// logs has an app log a hostile line.
func (w *hostileWorld) logs(udid string) {
	feed := w.Product.Telemetry.Open(telemetry.State{
		ID: "sim", Type: "simctl_log_stream", Source: telemetry.Simulator, Device: udid, App: worldApp,
	})
	w.t.Cleanup(feed.Close)
	feed.Add(telemetry.Entry{Time: time.Now(), Process: worldText, PID: 812, Subsystem: worldText, Category: worldText,
		Level: telemetry.Error, Message: worldText})
}

// project moves the sample's project to a folder with a hostile name, gives it a hostile scheme, and has its source fail to build.
func (w *hostileWorld) project() {
	from := filepath.Dir(w.files.Project)
	to := filepath.Join(filepath.Dir(from), worldText)
	w.must(os.Rename(from, to))
	w.files.Project = filepath.Join(to, filepath.Base(w.files.Project))
	schemes, err := filepath.Glob(filepath.Join(w.files.Project, "xcshareddata", "xcschemes", "*.xcscheme"))
	if w.must(err); len(schemes) > 0 {
		raw, err := os.ReadFile(schemes[0])
		w.must(err)
		w.must(os.WriteFile(filepath.Join(filepath.Dir(schemes[0]), worldText+".xcscheme"), raw, 0o600))
	}
}

// installed is an app in front, with hostile names, labels, values and identifiers.
func (w *hostileWorld) installed() {
	var name bytes.Buffer
	w.must(xml.EscapeText(&name, []byte(worldText)))
	info := `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>` + worldApp + `</string>`
	for _, key := range []string{"CFBundleName", "CFBundleDisplayName", "CFBundleShortVersionString", "CFBundleVersion"} {
		info += `<key>` + key + `</key><string>` + name.String() + `</string>`
	}
	said, err := json.Marshal(worldText)
	w.must(err)
	text := string(said)
	screen := "start: main\nstate:\n  entry: " + text + "\nscreens:\n  main:\n    title: " + text +
		"\n    elements:\n      - button: " + text + "\n        id: go\n" +
		"      - text: " + text + "\n        id: " + text + "\n      - field: " + text + "\n        id: entry\n        bind: entry\n"
	w.app = filepath.Join(w.t.TempDir(), "hostile.app")
	w.must(os.Mkdir(w.app, 0o700))
	w.must(os.WriteFile(filepath.Join(w.app, "Info.plist"), []byte(info+`</dict></plist>`), 0o600))
	w.must(os.WriteFile(filepath.Join(w.app, "ui.yaml"), []byte(screen), 0o600))
	w.Must("a", "install_app", in{"app_path": w.app})
	w.Must("a", "launch_app", in{"bundle_id": worldApp})
}

// TestHostileNamesOfTheWorldWriteNoLine calls every operation that only looks, and those that show names while they do something, in a
// world where devices, apps, elements, crash reports, requests, log lines, folders and schemes have hostile names.
func TestHostileNamesOfTheWorldWriteNoLine(t *testing.T) {
	t.Parallel()
	w := newHostileWorld(t)
	answered, shown := 0, 0
	try := func(id string, input map[string]any) {
		t.Helper()
		e := w.Call("a", id, input)
		if e.Error == nil {
			answered++
		}
		if line := forgery(e.Text(), true); line != "" && !e.Document {
			t.Errorf("%s %v: a name of the world wrote the line %q of\n%s", id, input, line, e.Text())
		}
		if strings.Contains(e.Text(), "ios-agent erase") {
			shown++
		}
	}
	for _, o := range w.Product.Catalogue.Ops() {
		if o.Hints.Has(op.ReadOnly) && !o.Streams() {
			id := w.Product.Catalogue.ID(o)
			try(id, w.input(o, id))
		}
	}
	project := in{"projectPath": w.files.Project, "scheme": worldText, "simulatorName": house.Device}
	for _, c := range []struct {
		id    string
		input map[string]any
	}{
		{"tap_element", in{"identifier": "go"}}, {"tap_element", in{"label": worldText}}, {"tap_element", in{"identifier": "none"}},
		{"fill", in{"identifier": "entry", "text": worldText}}, {"batch", in{"steps": []string{"tap --identifier go"}}},
		{"audit", nil}, {"refresh_devices", nil}, {"build_sim", project}, {"run", in{"project": w.files.Project, "scheme": worldText}},
		{"list_schemes", in{"projectPath": w.files.Project}}, {"discover_projs", in{"workspaceRoot": filepath.Dir(w.files.Project)}},
		{"show_crash", nil}, {"list_crashes", in{"all": true}}, {"claim_device", nil}, {"terminate_app", in{"bundle_id": worldApp}},
		{"launch_app", in{"bundle_id": "Nobody"}}, {"install_app", in{"app_path": w.app}}, {"shutdown_device", nil}, {"snapshot", nil},
	} {
		try(c.id, c.input)
	}
	if t.Logf("%d operations answered, %d of them with a hostile name", answered, shown); answered < 60 || shown < 25 {
		t.Errorf("got %d answers, %d with a hostile name, want 60 and 25: the others prove nothing", answered, shown)
	}
}

// input is an example of an operation's input about the hostile things.
func (w *hostileWorld) input(o op.Op, id string) map[string]any {
	input := w.files.Example(o, id)
	for name, value := range map[string]any{
		"flow_id": "latest", "bundle_id": worldApp, "bundleId": worldApp, "identifier": "go", "step": "last", "appPath": w.app,
		"projectPath": w.files.Project, "timeout": 1, "timeout_ms": 100, "workspaceRoot": filepath.Dir(w.files.Project),
	} {
		if _, has := input[name]; has {
			input[name] = value
		}
	}
	return input
}

// TestHostileServerWritesNoLine: a driver's server answers everything with a hostile error, or with no JSON at all.
func TestHostileServerWritesNoLine(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", "")
	body := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	said := 0
	for _, body = range []string{
		string(jsonOf(t, in{"value": in{"error": hostileText, "message": hostileText, "stacktrace": hostileText}})), hostileText,
	} {
		h.Must("a", "session_set_defaults", in{"driver": "appium", device.DriverSpec{Name: "appium"}.URLKey(): server.URL})
		for _, id := range []string{"snapshot", "take_screenshot", "status", "list_apps", "doctor", "home"} {
			e := h.Call("a", id, nil)
			if line := forgery(e.Text(), true); line != "" {
				t.Errorf("%s: the server wrote the line %q of\n%s", id, line, e.Text())
			}
			if strings.Contains(e.Text(), "ios-agent erase") {
				said++
			}
		}
	}
	if said == 0 {
		t.Error("no answer told what the server said: they prove nothing")
	}
}
