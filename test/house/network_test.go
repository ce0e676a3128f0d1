package house_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/test/freeport"
	"ios-agent/test/house"
)

// wire is a house with a server, and a client that uses the proxy.
type wire struct {
	*house.House
	t      *testing.T
	server *httptest.Server
	owner  atomic.Pointer[string] // the simulator that the client is taken for
}

func newWire(t *testing.T, change ...func(*house.Options)) *wire {
	t.Helper()
	w := &wire{t: t}
	o := house.Options{Proxy: proxy.ProcessOptions{Whose: func(c net.Conn) flow.Client {
		if udid := w.owner.Load(); udid != nil {
			return flow.Client{Address: c.RemoteAddr().String(), PID: 4711, Process: "Shop", Simulator: *udid, App: "com.iosagent.shop"}
		}
		return flow.Client{Address: c.RemoteAddr().String(), Unknown: "nobody looked"}
	}}}
	for _, c := range change {
		c(&o)
	}
	w.House = house.New(t, o)
	w.server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.HasPrefix(r.URL.Path, "/broken") {
			out.WriteHeader(http.StatusInternalServerError)
			body = nil
		}
		fmt.Fprintf(out, "%s %s %q", r.Method, r.URL.Path, body)
	}))
	t.Cleanup(w.server.Close)
	return w
}

// send sends a request through the proxy.
func (w *wire) send(method, path, body string) (int, string) {
	w.t.Helper()
	at := house.Result[struct {
		Host string `json:"listen_host"`
		Port int
	}](w.House, w.Must("a", "proxy_status", nil))
	transport := &http.Transport{DisableKeepAlives: true,
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: net.JoinHostPort(at.Host, fmt.Sprint(at.Port))})}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer geheim-0815")
	answer, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		w.t.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text)
}

// says wants all of these in the text of an answer.
func (w *wire) says(e op.Envelope, want ...string) {
	w.t.Helper()
	for _, text := range want {
		if !strings.Contains(e.Text(), text) {
			w.t.Errorf("no %q in: %s", text, e.Text())
		}
	}
}

// refused wants a fault.
func (w *wire) refused(code fault.Code, name string, input any) {
	w.t.Helper()
	if e := w.Call("a", name, input); e.Error == nil || e.Error.Code != code || e.Error.Hint == "" {
		w.t.Errorf("%s: %s", name, e.Text())
	}
}

// TestProxyListsHoldsMocksAndReplaysRequests: what goes through it is listed and shown without secrets, held, changed, mocked, sent again
// and written to a file.
func TestProxyListsHoldsMocksAndReplaysRequests(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.refused(fault.ProxyNotRunning, "proxy_stop", nil)
	w.refused(fault.ProxyNotRunning, "proxy_hold", map[string]any{"pattern": "~all"})
	w.says(w.Must("a", "list_flows", nil), "0 requests", "proxy launch")
	w.says(w.Must("a", "proxy_start", nil), "the proxy runs on 127.0.0.1:", "0 requests captured")
	w.refused(fault.ProxyRunning, "proxy_start", nil)
	w.send("GET", "/products?page=1", "")
	w.send("POST", "/broken/order", `{"amount":1,"password":"hunter2"}`)
	w.says(w.Must("a", "list_flows", nil), "2 requests", "GET /products?page=1  200", "POST /broken/order  500")
	w.says(w.Must("a", "list_flows", map[string]any{"failed": true}), "1 request ", "/broken/order")
	w.says(w.Must("a", "list_flows", map[string]any{"status": "2xx", "method": "get"}), "1 request ", "/products")
	w.says(w.Must("a", "summarize_flows", nil), "2 requests", "POST /broken/order -> 500")

	shown := w.Must("a", "show_flow", map[string]any{"flow_id": "latest"})
	w.says(shown, "amount", "Authorization", "500")
	raw, _ := json.Marshal(shown)
	for _, secret := range []string{"geheim-0815", "hunter2"} {
		if strings.Contains(string(raw), secret) {
			t.Errorf("%s is shown: %s", secret, raw)
		}
	}
	id := house.Result[struct {
		ID string `json:"flow_id"`
	}](w.House, shown).ID
	w.refused(fault.FlowNotFound, "show_flow", map[string]any{"flow_id": "f_000000000000"})
	w.exports(id)

	// Held, and changed.
	w.refused(fault.InvalidInput, "proxy_hold", map[string]any{"pattern": "~p /order"})
	w.Must("a", "proxy_hold", map[string]any{"pattern": "~u /held"})
	answered := make(chan string, 1)
	go func() {
		_, text := w.send("POST", "/held", "before")
		answered <- text
	}()
	held := house.Result[struct {
		Held []struct {
			ID    string `json:"flow_id"`
			Phase string
		}
	}](w.House, w.Must("a", "proxy_held", map[string]any{"wait_ms": 60000})).Held
	if len(held) != 1 || held[0].Phase != "request" {
		t.Fatalf("%+v", held)
	}
	w.Must("a", "proxy_release", map[string]any{"flow_id": held[0].ID, "body": "after"})
	if text := <-answered; text != `POST /held "after"` {
		t.Error(text)
	}
	w.refused(fault.FlowNotHeld, "proxy_release", map[string]any{"flow_id": held[0].ID})
	w.says(w.Must("a", "proxy_unhold", nil), "holding stopped")

	// Mocked, as it was told and as it was answered before.
	rule := house.Result[struct{ Mock string }](w.House, w.Must("a", "proxy_mock", map[string]any{
		"pattern": "~u /broken", "status": 418, "body": `{"path":"{{request.path}}"}`})).Mock
	if code, text := w.send("GET", "/broken/pot", ""); code != 418 || text != `{"path":"/broken/pot"}` {
		t.Errorf("%d %s", code, text)
	}
	w.says(w.Must("a", "proxy_mocks", nil), "1 mock", rule, "418", "answered 1 time")
	w.Must("a", "proxy_mock", map[string]any{"id": rule, "status": 503})
	if code, _ := w.send("GET", "/broken/pot", ""); code != 503 {
		t.Error(code)
	}
	w.refused(fault.MockNotFound, "proxy_unmock", map[string]any{"id": "mock_00000000"})
	w.says(w.Must("a", "proxy_unmock", map[string]any{"all": true}), "removed 1 mock")
	w.Must("a", "proxy_mock", map[string]any{"from": id, "status": 200})
	if code, text := w.send("POST", "/broken/order", ""); code != 200 || !strings.Contains(text, "/broken/order") {
		t.Errorf("%d %s", code, text)
	}
	w.Must("a", "proxy_unmock", map[string]any{"all": true})

	// Sent again, byte for byte.
	again := house.Result[struct {
		Repeats string
		Flow    struct {
			ID   string `json:"flow_id"`
			Code int    `json:"status_code"`
		}
	}](w.House, w.Must("a", "proxy_replay", map[string]any{"flow_id": id}))
	if again.Repeats != id || again.Flow.ID == id || again.Flow.Code != 500 {
		t.Errorf("%+v", again)
	}
	w.says(w.Must("a", "proxy_stop", nil), "the proxy stopped")
	w.says(w.Must("a", "list_flows", map[string]any{"method": "GET"}), "/products")
}

// TestProxyRestartsWithNextDaemon: the next one starts it again, on its port, with its mocks.
func TestProxyRestartsWithNextDaemon(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	port := freeport.Of(t)
	w.Must("a", "proxy_start", map[string]any{"port": port})
	w.Must("a", "proxy_mock", map[string]any{"pattern": "~u /x", "status": 404})
	w.send("GET", "/before", "")
	w.Restart()
	w.Must("a", "proxy_set", map[string]any{"bypass": []string{"pinned.example.com"}}) // waits until it runs
	status := house.Result[struct {
		Port  int
		Mocks int `json:"mock_rules"`
		Flows int `json:"flows_captured"`
	}](w.House, w.Must("a", "proxy_status", nil))
	if status.Port != port || status.Mocks != 1 || status.Flows != 1 {
		t.Errorf("%+v, port %d before", status, port)
	}
	if code, _ := w.send("GET", "/x", ""); code != 404 {
		t.Error(code)
	}
}

// TestDeletedRequestsLeaveNoData: nothing is left of them, not in the store, the spool or the files of bodies; what comes later is kept.
func TestDeletedRequestsLeaveNoData(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.Must("a", "proxy_start", nil)
	w.send("POST", "/upload", strings.Repeat("geheim-4711 ", 20_000))
	w.says(w.Must("a", "list_flows", nil), "1 request [")
	left := func() (found []string) {
		if err := filepath.WalkDir(filepath.Join(w.Home.String(), "proxy"), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "geheim-4711") {
				found = append(found, filepath.Base(path))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return found
	}
	if len(left()) == 0 {
		t.Fatal("its body is nowhere")
	}
	w.Must("a", "data_delete", nil)
	if found := left(); len(found) > 0 {
		t.Errorf("%q are left", found)
	}
	w.says(w.Must("a", "list_flows", nil), "0 requests")
	w.send("GET", "/after", "")
	w.says(w.Must("a", "list_flows", nil), "1 request [", "/after")
}

// TestStepCountsRequestsOfItsDevice: an answer counts the requests of its device, and the step is asked for them later.
func TestStepCountsRequestsOfItsDevice(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	udid := w.Boot("a", "com.iosagent.shop")
	w.Must("a", "proxy_start", nil)
	w.says(w.Must("a", "install_proxy_cert", nil), "trusted on "+house.Device)
	w.owner.Store(&udid)
	if e := w.Must("a", "home", nil); e.Meta.Net != nil {
		t.Errorf("nothing was sent: %s", e.Text())
	}
	w.refused(fault.Timeout, "wait_flow", map[string]any{"request": "DELETE /nothing", "timeout_ms": 1})
	w.Must("a", "launch_app", map[string]any{"bundle_id": "com.iosagent.shop"})
	w.send("GET", "/products", "")
	w.send("POST", "/broken/order", "")
	w.says(w.Must("a", "wait_flow", map[string]any{"request": "POST /order"}), "POST /broken/order  500")
	w.says(w.Must("a", "list_flows", map[string]any{"step": "last"}), "2 requests of step", "/products", "/broken/order")
	w.says(w.Must("a", "proxy_guide", nil), "proxy cert install")

	// How they ended is told by the next answer, once. One request is told as one failure, several with where they are.
	step := w.Must("a", "launch_app", map[string]any{"bundle_id": "com.iosagent.shop"}).Meta.Step
	w.send("GET", "/products", "")
	w.send("POST", "/broken/order", "")
	e := w.Must("a", "snapshot", nil)
	w.says(e, "net: 2 requests since step "+step+", 1 failed: POST /broken/order 500")
	if n := e.Meta.Net; n == nil || n.Late != 2 || n.Since != step || n.First != "POST /broken/order 500" || n.Count != 0 {
		t.Errorf("%+v", n)
	}
	if e := w.Must("a", "snapshot", nil); e.Meta.Net != nil {
		t.Errorf("told twice: %s", e.Text())
	}
	w.send("POST", "/broken/a", "")
	w.send("POST", "/broken/b", "")
	w.says(w.Must("a", "home", nil),
		"net: 2 requests since step "+step+", 2 failed: POST /broken/a 500 (`ios-agent proxy flows --step "+step+"`)")
	if e := w.Must("b", "snapshot", map[string]any{"udid": udid}); e.Meta.Net != nil {
		t.Errorf("another session did nothing: %s", e.Text())
	}
}

// TestWaitMatchesRequestOfOwnDevice: one of the last step is not missed, one of another device is not meant, and the screen is waited for
// on its own.
func TestWaitMatchesRequestOfOwnDevice(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	udid := w.Boot("a", "com.iosagent.shop")
	w.refused(fault.ProxyNotRunning, "wait", map[string]any{"request": "POST /order"})
	w.Must("a", "proxy_start", nil)
	other := "00000000-0000-0000-0000-000000000000"
	w.owner.Store(&other)
	w.Must("a", "home", nil)
	w.send("POST", "/order", "")
	w.refused(fault.Timeout, "wait", map[string]any{"request": "POST /order", "timeout": 0})
	w.says(w.Must("a", "wait", map[string]any{"request": "POST /order", "timeout": 0, "soft": true}), "did not match")
	w.owner.Store(&udid)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		w.send("POST", "/broken/order", "")
	}()
	e := w.Must("a", "wait", map[string]any{"request": "POST /order", "timeout": 60})
	<-answered
	w.says(e, `request "POST /order" matched after`, "POST /broken/order  500", "com.iosagent.shop")
	w.refused(fault.InvalidInput, "wait", map[string]any{"request": "POST /order", "text": "Thank you"})
	w.refused(fault.InvalidInput, "wait", map[string]any{"request": "POST /a b"})
}

// TestReplayIsRefusedWithoutStoredSecrets: what was not kept as it was cannot be sent again as it was.
func TestReplayIsRefusedWithoutStoredSecrets(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	dir := secrets.Dir(w.Home.String())
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "PIN"), []byte("zugang-4711-geheim"), 0o600)); err != nil {
		t.Fatal(err)
	}
	w.Restart() // a daemon knows the secrets of its home
	w.Must("a", "proxy_start", nil)
	w.send("POST", "/login", `{"pin":"zugang-4711-geheim"}`)
	before := w.Must("a", "list_flows", nil)
	w.says(before, "1 request")
	w.refused(fault.InvalidInput, "proxy_replay", map[string]any{"flow_id": "latest"})
	w.says(w.Must("a", "list_flows", nil), "1 request ")
}

// TestMockAtTheLimitCanBeChanged: the limit refuses one more mock, also quern's, and no change of one that is there.
func TestMockAtTheLimitCanBeChanged(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.Must("a", "proxy_start", nil)
	id := house.Result[struct{ Mock string }](w.House, w.Must("a", "proxy_mock", in{"pattern": "~u /limit", "status": 404})).Mock
	w.RestartAfter(func() { w.fillMocks(mock.MostRules) })
	w.Must("a", "proxy_mock", in{"id": id, "status": 503})
	if code, _ := w.send("GET", "/limit", ""); code != 503 {
		t.Errorf("status of the changed mock = %d, want 503", code)
	}
	for name, input := range map[string]in{"proxy_mock": {"pattern": "~u /more", "status": 404}, "set_mock": {"pattern": "~u /more"}} {
		e := w.Call("a", name, input)
		if e.Error == nil || e.Error.Code != fault.TooMany || !strings.Contains(e.Error.Message, fmt.Sprint(mock.MostRules)) ||
			!strings.Contains(e.Error.Hint, "unmock") {
			t.Errorf("%s: %s, want %s with the limit and a way out", name, e.Text(), fault.TooMany)
		}
	}
}

// fillMocks gives a proxy that is down so many mocks, by its file: a call for each would take long.
func (w *wire) fillMocks(most int) {
	w.t.Helper()
	file := filepath.Join(w.Home.String(), "proxy", "running.json")
	var kept proxy.Settings
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &kept)
	}
	for i := len(kept.Mocks); err == nil && i < most; i++ {
		other := mock.Rule{ID: mock.NewID(), Pattern: fmt.Sprintf("~u /other/%d", i), Response: mock.Response{Status: 404}}
		kept.Mocks = append(kept.Mocks, other)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if raw, err = json.Marshal(kept); err == nil {
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestProxySetClearsWithEmptyValue: an empty value takes a setting back, on every surface. What sends requests elsewhere must be undone as
// easily as it was done.
func TestProxySetClearsWithEmptyValue(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.Must("a", "proxy_start", nil)
	values := map[string]string{"only": "api.example.com", "bypass": "pinned.example.com", "upstream": "http://127.0.0.1:9"}
	for name, value := range values {
		for surface, clear := range map[string]func() string{
			"CLI": func() string { return w.CLI("a", "proxy", "set", "--"+name, "").Stderr },
			"REST": func() string {
				answer := w.REST("a", http.MethodPost, "/api/v1/network/proxy/set", in{name: ""})
				return fmt.Sprint(answer.Code, answer.Body)
			},
			"MCP": func() string {
				result, err := w.Tool("a", "proxy_set", in{name: ""})
				return fmt.Sprintf("%+v %v", result, err)
			},
		} {
			if e := w.Must("a", "proxy_set", in{name: value}); !strings.Contains(string(e.Result), value) {
				t.Fatalf("%s is not set: %s", name, e.Result)
			}
			said := clear()
			if e := w.Must("a", "proxy_status", nil); strings.Contains(string(e.Result), value) {
				t.Errorf("%s: an empty %s leaves %s: %s", surface, name, value, said)
			}
		}
	}
	w.refused(fault.InvalidInput, "proxy_set", nil)
	w.refused(fault.InvalidInput, "proxy_set", in{"bypass": []string{"no host"}})
}
