package house_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/test/debuggee"
	"ios-agent/test/desktoptest"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestEveryMutatingOperationIsClassified: an operation that is not read-only drives a device, which
// TestSessionCannotDriveDeviceOfOtherSession covers, or is aimed at another session's things by TestSessionCannotEndWorkOfOtherSession, or
// it is said why it can end none. The tables name no others.
func TestEveryMutatingOperationIsClassified(t *testing.T) {
	t.Parallel()
	catalogue := product.Catalogue()
	known := map[string]bool{"job_cancel": true} // TestSessionCannotCancelJobOfOtherSession
	for _, o := range catalogue.Ops() {
		id := catalogue.ID(o)
		known[id] = true
		drives := deviceField(o) != "" && free[o.Name] == ""
		_, aimed := aims[id]
		switch {
		case o.Hints.Has(op.ReadOnly) && (aimed || alone[id] != ""):
			t.Errorf("%s is read-only and in a table of those that are not", id)
		case !o.Hints.Has(op.ReadOnly) && id != "job_cancel" && !drives && !aimed && alone[id] == "":
			t.Errorf("%s is not read-only: aim it at what another session has (aims), or say why it can end nothing of it (alone)", id)
		case aimed && alone[id] != "":
			t.Errorf("%s is in both tables", id)
		}
	}
	for _, ids := range [][]string{keys(aims), keys(alone)} {
		for _, id := range ids {
			if !known[id] {
				t.Errorf("%s is in a table and not in the catalogue", id)
			}
		}
	}
}

func keys[V any](m map[string]V) (all []string) {
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// TestSessionCannotEndWorkOfOtherSession gives the holder one of everything that lasts, and has the intruder call every operation that
// could end or change it, with its ids and without, on every surface. Where a call names what is the holder's it is refused; whatever it
// answers, all that the holder has is as it was.
func TestSessionCannotEndWorkOfOtherSession(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	for _, o := range e.Product.Catalogue.Ops() {
		id := e.Product.Catalogue.ID(o)
		aim := aims[id]
		if aim == nil {
			continue
		}
		for _, s := range surfaces {
			for i := range aim(e) {
				e.holds()
				input := aim(e)[i] // the ids are others when the house is a new one
				if wrong := e.intrude(o, s.call, input); wrong != "" {
					t.Errorf("%s by %s: %s", id, s.name, wrong)
					e = newEstate(t) // the others are not to pay for this one
				}
			}
		}
	}
}

// refusals are the codes of a call that names what is another's.
var refusals = []fault.Code{
	fault.DeviceClaimed, fault.NotHolder, fault.JobNotFound, fault.SessionNotFound, fault.Forbidden,
	fault.AttachRefused,
}

// estate is a house in which the holder has one of everything that lasts.
type estate struct {
	*held
	server            *httptest.Server
	simLog, deviceLog string // captures
	mock, flow        string // of the proxy; the flow is held
	debugger          string
	pid               int    // that is debugged
	window            string // session of a desktop
	program           int    // of a package
	was               string
}

func newEstate(t *testing.T) *estate {
	t.Helper()
	app := exec.Command("sleep", "600")
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Process.Kill(); _ = app.Wait() })
	e := &estate{pid: app.Process.Pid}
	e.held = newHeld(t, house.Options{Desktop: desktoptest.New(e.pid), Programs: func(name string, tool host.Main) host.Main {
		switch name {
		case "lldb-dap":
			return new(debuggee.Adapter).Main
		case "swift":
			return func(ctx context.Context, _ host.Invocation) int { <-ctx.Done(); return 0 }
		}
		return tool
	}})
	e.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	t.Cleanup(e.server.Close)
	e.simLog = e.begin("start_sim_log_cap", in{"simulatorId": e.udid, "bundleId": drivertest.Conformance}, "logSessionId")
	e.deviceLog = e.begin("start_device_log_cap", in{"deviceId": house.Physical, "bundleId": drivertest.Conformance}, "logSessionId")
	e.Must(holder, "set_log_filter", in{"source": "simulator", "process": "Shop"})
	e.debugger = e.begin("debug_attach", in{"pid": e.pid, "udid": e.udid, "stop": true}, "debugger")
	e.window = e.begin("desktop_debug_attach", in{"pid": e.pid}, "sessionId")
	e.Must(holder, "swift_package_run", in{"packagePath": aPackage(t), "background": true})
	e.program = house.Result[struct {
		Processes []struct {
			PID int `json:"processId"`
		}
	}](e.House, e.Must(holder, "swift_package_list", nil)).Processes[0].PID
	e.Must(holder, "proxy_start", in{"bypass": []string{"pinned.example"}})
	e.Must(holder, "proxy_set", in{"only": strings.TrimPrefix(e.server.URL, "http://")})
	e.mock = e.begin("proxy_mock", in{"pattern": "~u /mocked", "status": 418}, "mock")
	e.Must(holder, "proxy_hold", in{"pattern": "~u /held"})
	e.was = e.has()
	return e
}

// aPackage is the folder of a Swift package.
func aPackage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Package.swift"), []byte("// swift-tools-version:5.9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// begin starts something for the holder, and gives a field of the answer.
func (e *estate) begin(name string, input in, field string) string {
	e.t.Helper()
	out := house.Result[map[string]any](e.House, e.Must(holder, name, input))
	id, _ := out[field].(string)
	if id == "" {
		e.t.Fatalf("%s has no %s: %v", name, field, out)
	}
	return id
}

// has is what the holder has, as it is told.
func (e *estate) has() string {
	e.t.Helper()
	all := in{}
	for name, parts := range map[string][]string{
		"session_status":   {"logging", "debug", "video", "swiftPackage"},
		"debug_sessions":   {"debuggers"},
		"debug_session":    {"sessions"},
		"list_log_sources": {"filters"},
		"proxy_status":     {"status", "port", "bypass", "upstream", "only", "hold", "owner", "host_proxy"},
		"proxy_mocks":      {"mocks"},
	} {
		input := in{}
		if name == "debug_session" {
			input["action"] = "list"
		}
		out := house.Result[map[string]any](e.House, e.Must(holder, name, input))
		for _, part := range parts {
			all[name+"."+part] = out[part]
		}
	}
	all["proxy_mocks.mocks"] = e.own(all["proxy_mocks.mocks"])
	all["list_log_sources.filters"] = e.own(all["list_log_sources.filters"])
	all["claims"] = e.claims()
	raw, _ := json.MarshalIndent(all, "", " ")
	return string(raw)
}

// own are the rows of a list that are not another's.
func (e *estate) own(list any) (mine []any) {
	rows, _ := list.([]any)
	for _, row := range rows {
		if owner, _ := row.(map[string]any)["owner"].(string); owner == "" {
			mine = append(mine, row)
		}
	}
	return mine
}

// claims reports for each device that the holder claimed whether it has it still.
func (e *estate) claims() (all []bool) {
	for _, udid := range []string{e.udid, house.Physical} {
		all = append(all, e.Call(holder, "renew_device", in{"udid": udid}).Error == nil)
	}
	return all
}

// holds makes sure that a request is held by the holder's pattern for some time to come.
func (e *estate) holds() {
	e.t.Helper()
	for range 2 {
		for _, h := range e.heldNow(0) {
			if h.ID == e.flow && h.Left > 15_000 {
				return
			}
		}
		e.Must(holder, "proxy_release_all", nil)
		at := house.Result[struct{ Port int }](e.House, e.Must(holder, "proxy_status", nil)).Port
		go func() {
			through := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: fmt.Sprint("127.0.0.1:", at)})}
			defer through.CloseIdleConnections()
			if r, err := (&http.Client{Transport: through}).Get(e.server.URL + "/held"); err == nil {
				_ = r.Body.Close()
			}
		}()
		if now := e.heldNow(60_000); len(now) > 0 {
			e.flow = now[0].ID
		}
	}
}

type heldNow struct {
	ID   string `json:"flow_id"`
	Left int    `json:"released_in_ms"`
}

func (e *estate) heldNow(wait int) []heldNow {
	e.t.Helper()
	return house.Result[struct{ Held []heldNow }](e.House, e.Must(holder, "proxy_held", in{"wait_ms": wait})).Held
}

// intrude calls an operation as the intruder, and says what is wrong with what came of it.
func (e *estate) intrude(o op.Op, call func(*house.House, op.Op, map[string]any) (string, bool), input in) string {
	e.t.Helper()
	fields := map[string]bool{}
	for _, f := range o.Fields() {
		fields[f.Name] = true
	}
	names := false
	given := in{}
	for field, v := range input {
		if fields[field] {
			given[field] = v
			names = names || slices.Contains([]any{e.simLog, e.deviceLog, e.mock, e.flow, e.debugger, e.window, e.program, e.pid}, v)
		}
	}
	code, ok := call(e.House, o, given)
	switch now := e.has(); {
	case !ok:
	case names && !slices.Contains(refusals, fault.Code(code)):
		return fmt.Sprintf("with %v: got %q, want a refusal", given, code)
	case now != e.was:
		return fmt.Sprintf("with %v: %q; the holder has\n%s, want\n%s", given, code, now, e.was)
	case !slices.ContainsFunc(e.heldNow(0), func(h heldNow) bool { return h.ID == e.flow }):
		return fmt.Sprintf("with %v: %q; the request %s of the holder is held no more", given, code, e.flow)
	}
	return ""
}

// TestSessionCannotCancelJobOfOtherSession has a house of its own for each surface: there every call may become a job.
func TestSessionCannotCancelJobOfOtherSession(t *testing.T) {
	t.Parallel()
	for _, s := range surfaces {
		h := newHeld(t, house.Options{JobAfter: time.Nanosecond})
		id, goesOn := beginJob(h)
		o, err := h.Product.Catalogue.Lookup("job_cancel")
		if err != nil {
			t.Fatal(err)
		}
		code, _ := s.call(h.House, o, in{"job": id})
		if !slices.Contains(refusals, fault.Code(code)) || !goesOn() {
			t.Errorf("job_cancel by %s: %q; it goes on: %v", s.name, code, goesOn())
		}
	}
}

// beginJob starts something that goes on for longer than this test. Time passes as requests ask for it, so that a minute of
// waiting is over in a moment: a hundred of them are not.
func beginJob(h *held) (id string, goesOn func() bool) {
	steps := slices.Repeat([]string{"wait --text never --timeout 60"}, 100)
	e := h.Call(holder, "batch", map[string]any{"udid": h.udid, "steps": steps})
	job := house.Result[struct{ Job string }](h.House, e).Job
	if job == "" {
		h.t.Fatalf("the batch is no job: %s", e.Result)
	}
	return job, func() bool {
		return house.Result[struct{ State string }](h.House, h.Must(holder, "job_status", map[string]any{"job": job})).State == "running"
	}
}
