package daemon_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/cli"
	"ios-agent/internal/surface/mcp"
	"ios-agent/test/surfacetest"
)

// house is a daemon in this process, with its socket and its port, and the sample catalogue.
type house struct {
	t *testing.T
	*surfacetest.World
	client *daemon.Client
	key    *daemon.Key
	url    string
	stop   func() // tells the daemon to leave
}

func newHouse(t *testing.T, jobAfter time.Duration) *house {
	return open(t, surfacetest.New(jobAfter))
}

func open(t *testing.T, world *surfacetest.World) *house {
	t.Helper()
	h := &house{t: t, World: world}
	place := resident.Place{Dir: filepath.Join(t.TempDir(), "run"), Name: "daemon"}
	h.key = &daemon.Key{Path: filepath.Join(place.Dir, "key")}
	build := self.Build{ID: "b", Time: time.Unix(1000, 0)}
	served := make(chan string, 1)
	server := &daemon.Server{
		Place: place, Build: build, Key: h.key, Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
		Open: func(url string) (daemon.Served, error) {
			served <- url
			return daemon.Served{Catalogue: h.Catalogue, More: http.HandlerFunc(more), Parts: io.NopCloser(nil)}, nil
		},
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	h.url, h.stop = <-served, stop
	h.client = &daemon.Client{Catalogue: h.Catalogue, Place: place, Build: build, Toolchain: "virtual", Session: "mine", Dir: "/project"}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return h
}

// more stands for MCP and the documents.
func more(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"more":%q}`, r.URL.Path) }

// request is one HTTP request with the key; headers may replace it, and a value of - removes one.
func (h *house) request(route, body string, headers ...string) *http.Response {
	h.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	key, err := h.key.Read()
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		switch {
		case value == "-":
			r.Header.Del(name)
		case name == "":
		case name == "Host":
			r.Host = value
		default:
			r.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// said is what the three surfaces must agree on.
type said struct {
	Result  any
	Code    fault.Code
	Message string
	Hint    string
}

func (h *house) byCLI(name, input string) said {
	var out bytes.Buffer
	app := &cli.App{Catalogue: h.Catalogue, Out: &out, Err: io.Discard, In: strings.NewReader(input),
		Connect: func(string) (op.Caller, error) { return h.client, nil }}
	code := app.Main(h.t.Context(), []string{"call", name, "-", "--json"})
	var e op.Envelope
	if err := json.Unmarshal(out.Bytes(), &e); err != nil {
		h.t.Fatalf("%v: %q", err, out.String())
	}
	if code != e.ExitCode() {
		h.t.Errorf("%s: exit %d with %+v", name, code, e.Error)
	}
	return of(h.t, e.Result, e.Error)
}

func of(t *testing.T, result json.RawMessage, f *fault.Fault) (s said) {
	t.Helper()
	if len(result) > 0 {
		var object map[string]any
		if err := json.Unmarshal(result, &object); err != nil {
			t.Fatal(err)
		}
		delete(object, "meta")
		s.Result = object
	}
	if f != nil {
		s.Code, s.Message, s.Hint = f.Code, f.Message, f.Hint
	}
	return s
}

// ofBody reads what REST and MCP answer with: the result, or a fault with a result beside it.
func ofBody(t *testing.T, raw []byte) said {
	t.Helper()
	var body struct {
		Error  *fault.Fault
		Result json.RawMessage
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatalf("%v: %q", err, raw)
	}
	if body.Error == nil {
		return of(t, raw, nil)
	}
	return of(t, body.Result, body.Error)
}

func (h *house) byREST(route, input string) said {
	resp := h.request(route, input, "X-Session: mine")
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	s := ofBody(h.t, raw)
	if want := s.Code.Status(); s.Code != "" && resp.StatusCode != want {
		h.t.Errorf("%s: HTTP %d for %s", route, resp.StatusCode, s.Code)
	}
	return s
}

func (h *house) byMCP(name, input string) said {
	tools, err := mcp.Select(h.Catalogue.Ops(), mcp.All)
	if err != nil {
		h.t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	server := mcp.Server(mcp.Options{Catalogue: h.Catalogue, Tools: tools, Caller: h.client, Structured: true})
	if _, err := server.Connect(h.t.Context(), there, nil); err != nil {
		h.t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(h.t.Context(), here, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer session.Close()
	r, err := session.CallTool(h.t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(input)})
	if err != nil {
		h.t.Fatal(err)
	}
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil {
		h.t.Fatal(err)
	}
	return ofBody(h.t, raw)
}

// TestThreeSurfacesGiveSameResult: the same call through the daemon gives the same result and the same fault.
func TestThreeSurfacesGiveSameResult(t *testing.T) {
	h := newHouse(t, op.JobAfter)
	for _, c := range []struct{ name, route, input string }{
		{"say_it", "POST /api/v1/say", `{"text":"hello","times":"2","loud":true,"tags":["a"]}`},
		{"say_it", "POST /api/v1/say", `{"text":"hello","session":"other"}`},
		{"say_it", "POST /api/v1/say", `{"text":"hello","out_file":"/x"}`},
		{"other_say_it", "POST /other/say", `{"text":"hello"}`},
		{"show_thing", "GET /api/v1/things/t1", `{"id":"t1"}`},
		{"work_long", "POST /api/v1/work", `{}`},
		{"say_it", "POST /api/v1/say", `{}`},
		{"say_it", "POST /api/v1/say", `{"txet":"hello"}`},
		{"say_it", "POST /api/v1/say", `{"text":"hello","times":99}`},
		{"work_long", "POST /api/v1/work", `{"fail":true}`},
		{"fail_with", "POST /api/v1/fail", `{"code":"ELEMENT_NOT_HITTABLE"}`},
		{"fail_with", "POST /api/v1/fail", `{"code":"OUTCOME_UNKNOWN","keep":true}`},
		{"fail_with", "POST /api/v1/fail", `{"code":"REF_EXPIRED","keep":true}`},
		{"panic_now", "POST /api/v1/panic", `{}`},
	} {
		first := h.byCLI(c.name, c.input)
		first.Hint = strings.TrimPrefix(first.Hint, "--") // an input is a flag there
		for surface, other := range map[string]said{"REST": h.byREST(c.route, c.input), "MCP": h.byMCP(c.name, c.input)} {
			if !reflect.DeepEqual(first, other) {
				t.Errorf("%s %s:\nCLI  %+v\n%s %+v", c.name, c.input, first, surface, other)
			}
		}
		if first.Result == nil && first.Code == "" {
			t.Errorf("%s %s: neither a result nor a fault", c.name, c.input)
		}
	}
}

// TestPortRequiresKeyAndLocalCaller: only callers with the key, from this machine, get through; a rotated key counts from the next request
// on.
func TestPortRequiresKeyAndLocalCaller(t *testing.T) {
	h := newHouse(t, op.JobAfter)
	for _, c := range []struct {
		route, header string
		status        int
		code          fault.Code
	}{
		{"DELETE /api/v1/all", "", 200, ""},
		{"DELETE /api/v1/all", "Authorization: -", 401, fault.Unauthorized},
		{"DELETE /api/v1/all", "Authorization: Bearer wrong", 401, fault.Unauthorized},
		{"DELETE /api/v1/all", "Origin: https://evil.example", 403, fault.Forbidden},
		{"DELETE /api/v1/all", "Host: evil.example", 403, fault.Forbidden},
		{"POST /mcp", "Authorization: -", 401, fault.Unauthorized},
		{"GET /openapi.json", "Authorization: -", 401, fault.Unauthorized},
		{"POST /mcp", "", 200, ""},
		{"GET /openapi.json", "", 200, ""},
		{"POST /api/v1/all", "", 405, fault.MethodNotAllowed},
		{"GET /api/v1/no/such", "", 404, fault.UnknownOperation},
		{"POST /call/wipe_all", "", 404, fault.UnknownOperation}, // of the socket alone
		{"POST /stop", "", 404, fault.UnknownOperation},
		{"GET /health", "Authorization: -", 200, ""},
	} {
		resp := h.request(c.route, "", c.header)
		var body struct{ Error fault.Fault }
		if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != c.status || body.Error.Code != c.code {
			t.Errorf("%s, %s: %d %s", c.route, c.header, resp.StatusCode, body.Error.Code)
		}
	}
	old, err := h.key.Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.key.Rotate(); err != nil {
		t.Fatal(err)
	}
	if r := h.request("DELETE /api/v1/all", "", "Authorization: Bearer "+old); r.StatusCode != 401 {
		t.Errorf("the old key: %d", r.StatusCode)
	}
	if r := h.request("DELETE /api/v1/all", ""); r.StatusCode != 200 {
		t.Errorf("the new key: %d", r.StatusCode)
	}
}

// TestCallCarriesSessionFolderAndVariables: the client's session, folder and variables, what it is a part of, its paths made absolute, and
// progress on the way back.
func TestCallCarriesSessionFolderAndVariables(t *testing.T) {
	t.Setenv("IOS_AGENT_SCHEME", "Shop")
	t.Setenv("XCODEBUILDMCP_SCHEME", "Other")
	t.Setenv("SECRET_OF_MINE", "x")
	h := newHouse(t, op.JobAfter)
	e := h.client.Call(op.WithParent(t.Context(), "run7"), "show_call", nil, nil)
	var out surfacetest.CallOut
	if err := json.Unmarshal(e.Result, &out); err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	if out.Session != "mine" || out.Dir != "/project" || !out.Traced || out.Env["IOS_AGENT_SCHEME"] != "Shop" ||
		out.Env["XCODEBUILDMCP_SCHEME"] != "Other" || out.Parent != "run7" {
		t.Errorf("%+v", out)
	}
	if _, leaked := out.Env["SECRET_OF_MINE"]; leaked || out.Env["PATH"] != "" {
		t.Errorf("variables that are none of the daemon's business: %v", out.Env)
	}
	var heard []op.Event
	e = h.client.Call(t.Context(), "say_it", []byte(`{"text":"x","out_file":"~/../a"}`), func(e op.Event) { heard = append(heard, e) })
	if e.Error != nil || len(heard) != 1 || heard[0].Message != "half said" || !strings.Contains(string(e.Result), `"file":"/`) {
		t.Errorf("%+v %+v", e, heard)
	}
	if e := h.client.Call(t.Context(), "take_picture", nil, nil); len(e.Images) != 1 || string(e.Images[0].Data) != surfacetest.Pixels {
		t.Errorf("%+v", e.Images)
	}
	for _, input := range []string{"not json", "[1,2]", "{\"text\":\"\xff\"}"} {
		if e := h.client.Call(t.Context(), "say_it", []byte(input), nil); e.Error == nil || e.Error.Code != fault.InvalidInput {
			t.Errorf("%q: %+v", input, e)
		}
	}
}

// TestStreamItemsReachClient: items reach the client as they come; leaving a stream is a good end, and the daemon notices.
func TestStreamItemsReachClient(t *testing.T) {
	h := newHouse(t, op.JobAfter)
	h.Ticks.Add(surfacetest.Tick{N: 1})
	ctx, cancel := context.WithCancel(t.Context())
	var items []string
	e := h.client.Stream(ctx, "watch_ticks", nil, func(item json.RawMessage) error {
		items = append(items, string(item))
		if len(items) == 3 {
			cancel()
			return nil // the client notices in its own time: more items would push the first one out
		}
		h.Ticks.Add(surfacetest.Tick{N: len(items) + 1})
		return nil
	})
	if e.Error != nil || len(items) < 3 || items[0] != `{"n":1}` || items[2] != `{"n":3}` {
		t.Errorf("%v %+v", items, e)
	}
	if e := h.client.Stream(t.Context(), "say_it", []byte(`{"text":"x"}`), nil); e.Error != nil || len(e.Result) == 0 {
		t.Errorf("an operation that is no stream: %+v", e)
	}
	if e := h.client.Call(t.Context(), "watch_ticks", []byte(`{"above":"many"}`), nil); e.Error == nil ||
		e.Error.Code != fault.InvalidInput {
		t.Errorf("%+v", e)
	}
	lines := bufio.NewScanner(h.request("GET /api/v1/ticks", "").Body)
	if !lines.Scan() || lines.Text() != "event: item" || !lines.Scan() || lines.Text() != `data: {"n":1}` {
		t.Errorf("%q", lines.Text())
	}
}

// TestEveryCallIsRecordedWithoutInput: the daemon is told what, whose and how it ended, and never the input.
func TestEveryCallIsRecordedWithoutInput(t *testing.T) {
	h := newHouse(t, op.JobAfter)
	h.client.Call(t.Context(), "say_it", []byte(`{"text":"geheim"}`), nil)
	h.client.Call(t.Context(), "fail_with", []byte(`{"code":"REF_EXPIRED","session":"other"}`), nil)
	h.request("GET /api/v1/things/t1", "")
	for _, want := range []string{"say_it mine success  Sample", "fail_with other error REF_EXPIRED ", "show_thing http success  "} {
		r := <-h.Heard
		name := ""
		if r.Device != nil {
			name = r.Device.Name
		}
		if got := fmt.Sprintf("%s %s %s %s %s", r.Op, r.Session, r.Status, r.Code, name); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if raw, err := json.Marshal(r); err != nil || strings.Contains(string(raw), "geheim") {
			t.Errorf("%s %v", raw, err)
		}
	}
}

// TestLongCallBecomesJobOnEverySurface: a call that takes longer than its client waits becomes a job, which every surface can ask about.
func TestLongCallBecomesJobOnEverySurface(t *testing.T) {
	h := newHouse(t, 0)
	for _, c := range []struct {
		input, state string
		code         fault.Code
		exit         int
	}{{"{}", "done", "", 0}, {`{"fail":true}`, "failed", fault.PathError, fault.PathError.Exit()}} {
		var begun op.JobOut
		if e := h.client.Call(t.Context(), "work_long", []byte(c.input), nil); json.Unmarshal(e.Result, &begun) != nil ||
			begun.Operation != "work_long" {
			t.Fatalf("%+v", e)
		}
		job := fmt.Sprintf(`{"job":%q}`, begun.Job)
		for surface, s := range map[string]said{
			"CLI": h.byCLI("job_wait", job), "MCP": h.byMCP("job_wait", job),
			"REST": h.byREST("POST /api/v1/jobs/"+begun.Job+"/wait", "{}"),
		} {
			if s.Code != c.code || s.Result.(map[string]any)["state"] != c.state {
				t.Errorf("%s, waiting for %s: %+v", surface, c.input, s)
			}
		}
		// Who asks about a failed job, or cancels it, is answered.
		for _, name := range []string{"job_status", "job_cancel"} {
			if s := h.byMCP(name, job); s.Code != "" || s.Result.(map[string]any)["state"] != c.state {
				t.Errorf("%s of %s: %+v", name, c.input, s)
			}
		}
	}
	if s := h.byCLI("job_wait", `{"job":"job99"}`); s.Code != fault.JobNotFound {
		t.Errorf("%+v", s)
	}
}
