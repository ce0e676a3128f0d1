package network_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple/networksetup"
	"ios-agent/internal/device"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/network/mitm"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/ops/network"
	"ios-agent/internal/telemetry"
	"ios-agent/test/fakedevice"
)

// wire is the room over a proxy whose process is a function, a server, and a client of the proxy that is taken for an app of the phone.
type wire struct {
	*fakedevice.Room
	server *httptest.Server
	proxy  *proxy.Controller
	dir    string
	now    func() time.Time // time.Now unless a test says otherwise
}

func newWire(t *testing.T) *wire {
	t.Helper()
	return newWireOf(t, &fakedevice.Paper{}, networksetup.Tool{})
}

// newWireOf is a wire of a device, on a Mac whose settings the tool changes.
func newWireOf(t *testing.T, of device.Device, tool networksetup.Tool) *wire {
	t.Helper()
	dir := t.TempDir()
	whose := func(c net.Conn) flow.Client {
		return flow.Client{Address: c.RemoteAddr().String(), PID: 7, Process: "Shop", Simulator: fakedevice.UDID, App: "com.example.shop"}
	}
	run, err := host.New(host.Options{Inside: func(string) host.Main {
		return func(ctx context.Context, in host.Invocation) int {
			return proxy.Main(ctx, in.Stdin, in.Stdout, proxy.ProcessOptions{Whose: whose})
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	store := telemetry.New(telemetry.Options{Path: filepath.Join(dir, "telemetry.db"), Now: time.Now})
	spool := proxy.SpoolDir(filepath.Join(dir, "proxy"))
	bodies := proxy.BodiesDir(filepath.Join(dir, "proxy"))
	flows := capture.New(capture.Options{Store: store, Spool: spool, Bodies: bodies, Decode: mitm.Decode})
	w := &wire{dir: dir, now: time.Now}
	w.proxy = proxy.New(proxy.Options{Dir: filepath.Join(dir, "proxy"), Program: "ios-agent", Run: run, Spooled: flows.Ring})
	t.Cleanup(func() {
		if err := errors.Join(w.proxy.Close(), flows.Close(), store.Close(), run.Close()); err != nil {
			t.Errorf("closing the proxy: %v", err)
		}
	})
	w.server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.HasPrefix(r.URL.Path, "/broken") {
			out.WriteHeader(http.StatusInternalServerError)
		}
		if strings.HasPrefix(r.URL.Path, "/bomb") { // 1 MB that is 1 KB on the wire
			out.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(out)
			_, _ = io.WriteString(packed, strings.Repeat("a", 1<<20))
			_ = packed.Close()
			return
		}
		fmt.Fprintf(out, "%s %s %s %s", r.Method, r.URL.Path, r.Header.Get("X-Test"), body)
	}))
	t.Cleanup(w.server.Close)
	w.Room = fakedevice.Open(t, network.New(network.Deps{
		MostUnpacked: 3 << 20,
		Access:       fakedevice.Reach(t, of), Steps: steps.New(steps.Options{}), Now: func() time.Time { return w.now() },
		Services: network.Services{Proxy: w.proxy, Flows: flows, Version: "1",
			Host:      hostproxy.NewKeeper(hostproxy.KeeperOptions{Journal: hostproxy.JournalOf(dir), Tool: tool}),
			Authority: func(bool) (*mitm.CA, error) { return mitm.LoadCA(filepath.Join(dir, "ca")) }},
	}).Ops())
	return w
}

// as makes the next calls those of a session.
func (w *wire) as(session string) *wire {
	w.Call.Session = session
	return w
}

// ask sends a request through the proxy and gives what came.
func (w *wire) ask(method, path, body string) (int, string) {
	w.T.Helper()
	code, text, err := w.try(method, path, body)
	if err != nil {
		w.T.Fatal(err)
	}
	return code, text
}

func (w *wire) try(method, path, body string) (int, string, error) {
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: w.proxy.Status().Listen}), DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(w.T.Context(), method, w.server.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer geheim-0815")
	answer, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

func TestProxyStartsAndStops(t *testing.T) {
	w := newWire(t)
	var got network.ProxyOut
	e := w.Must("proxy_status", `{}`, &got)
	if got.Status != "stopped" || e.Stdout != "the proxy does not run; 0 requests captured before; start it with "+hint.Do("proxy_start") {
		t.Errorf("before: got %+v and %q, want that it does not run", got, e.Stdout)
	}
	e = w.Must("proxy_start", `{"bypass":["pinned.example.com"]}`, &got)
	at := net.JoinHostPort(got.Listen, fmt.Sprint(got.Port))
	if got.Status != "running" || got.Listen != "127.0.0.1" || got.Owner != "" || len(got.Warnings) != 0 || got.Started == "" ||
		e.Stdout != "the proxy runs on "+at+"; 0 requests captured\nbypasses: pinned.example.com" {
		t.Errorf("got %+v and\n%s\nwant it to run", got, e.Stdout)
	}
	w.ask("GET", "/a", "")
	if e = w.Must("proxy_stop", `{}`, &got); got.Status != "stopped" || !got.Forgotten ||
		e.Stdout != "the proxy stopped; 1 request captured, see "+hint.Do("list_flows") {
		t.Errorf("got %+v and %q, want it stopped", got, e.Stdout)
	}
}

func TestProxyRefusesInvalidHosts(t *testing.T) {
	w := newWire(t)
	for _, c := range []struct{ name, input, field, says string }{
		{"proxy_start", `{"bypass":["a b"]}`, "bypass", `bypass: "a b" is not a host`},
		{"proxy_start", `{"bypass":["http://x"]}`, "bypass", "is not a host"},
		{"proxy_start", `{"listen_host":"example.com"}`, "listen_host", `"example.com" is not an address of this machine`},
		{"proxy_start", `{"port":70000}`, "port", "65535"},
		{"proxy_set", `{"only":"a/b"}`, "only", `only: "a/b" is not a host`},
		{"proxy_set", `{}`, "", "only"},
		{"proxy_hold", `{"pattern":"~u ("}`, "pattern", ""},
		{"proxy_hold", `{"pattern":"~c 404"}`, "pattern", "the pattern is about responses: no request matches it"},
		{"proxy_release", `{"flow_id":"f","header":["X"]}`, "header", "NAME=VALUE"},
		{"list_flows", `{"status":"9xx"}`, "status", ""},
		{"list_flows", `{"since":"then"}`, "since", ""},
		{"list_flows", `{"until":"then"}`, "until", ""},
		{"wait_flow", `{"request":"POST /a b"}`, "request", `request: "POST /a b" is not a method with a path`},
		{"summarize_flows", `{"since":"then"}`, "since", ""},
	} {
		if f := w.Refused(c.name, c.input, fault.InvalidInput, c.says); c.field != "" && f.Details["field"] != c.field {
			t.Errorf("%s %s: got the field %v, want %q", c.name, c.input, f.Details["field"], c.field)
		}
	}
	w.Refused("show_flow", `{}`, fault.FlowNotFound, "no request has reached the proxy",
		hint.Do("proxy_launch", "bundle_id", "APP"))
	w.Refused("show_flow", `{"flow_id":"f_nothing"}`, fault.FlowNotFound, `no request with the id "f_nothing"`)
	w.Refused("wait_flow", `{"request":"/x"}`, fault.ProxyNotRunning, "cannot wait for a request")
}

func TestFlowsAreListedAndFiltered(t *testing.T) {
	w := newWire(t)
	var got network.ListFlowsOut
	stopped := "the proxy does not run: " + hint.Do("proxy_launch", "bundle_id", "APP") + " starts it with the app"
	if w.Must("list_flows", `{}`, &got); got.Note != stopped || got.Flows == nil {
		t.Errorf("got %+v, want that the proxy does not run", got)
	}
	w.Must("proxy_start", `{}`, nil)
	if w.Must("list_flows", `{}`, &got); !strings.HasPrefix(got.Note, "no request has reached the proxy yet") {
		t.Errorf("got the note %q, want that nothing went through", got.Note)
	}
	w.ask("GET", "/a", "")
	w.ask("POST", "/order", "shoes")
	w.ask("GET", "/broken/b", "")
	if w.Must("list_flows", `{"host":"example.com"}`, &got); got.Note != "3 requests captured, and none matches" {
		t.Errorf("got the note %q, want that none of those fits", got.Note)
	}
	for input, want := range map[string]string{
		`{}`: "/a,/order,/broken/b", `{"method":"POST"}`: "/order", `{"path":"broken"}`: "/broken/b", `{"status":"5xx"}`: "/broken/b",
		`{"status":"200"}`: "/a,/order", `{"status":"200-299"}`: "/a,/order", `{"failed":true}`: "/broken/b",
		`{"host":"example.com"}`: "", `{"since":"2020-01-01T00:00:00Z"}`: "/a,/order,/broken/b", `{"until":"2020-01-01T00:00:00Z"}`: "",
		`{"udid":"` + fakedevice.UDID + `"}`: "/a,/order,/broken/b", `{"udid":"X"}`: "", `{"app":"com.example.shop"}`: "/a,/order,/broken/b",
		`{"limit":1}`: "/broken/b",
	} {
		e := w.Must("list_flows", input, &got)
		var paths []string
		for _, f := range got.Flows {
			paths = append(paths, strings.TrimPrefix(f.URL, w.server.URL))
		}
		if strings.Join(paths, ",") != want {
			t.Errorf("%s: got %q, want %q", input, paths, want)
		}
		if more := input == `{"limit":1}`; got.HasMore != more || more && !strings.HasPrefix(e.Stdout, "3 requests, the newest 1\n") {
			t.Errorf("%s: got has_more %t and %q, want %t", input, got.HasMore, e.Stdout, more)
		}
	}
	w.Must("list_flows", `{"method":"POST"}`, &got)
	if line := got.Flows; line[0].Code != 200 || line[0].Sent != 5 || line[0].App != "com.example.shop" || line[0].PID != 7 ||
		line[0].State != "done" || line[0].Received == 0 {
		t.Errorf("got %+v, want all that is known of the request", line[0])
	}
}

func TestFlowIsShownWithoutSecrets(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("POST", "/order", "shoes")
	var got network.ShowFlowOut
	e := w.Must("show_flow", `{"curl":true}`, &got)
	if got.Request.Body != "shoes" || got.Response == nil || !strings.HasPrefix(got.Response.Body, "POST /order") || got.Code != 200 ||
		len(got.Hidden) == 0 || got.Curl == "" {
		t.Errorf("got %+v, want the request, its answer, and what is hidden", got)
	}
	for _, want := range []string{`  POST /order  200`, "\nurl: \"" + w.server.URL + "/order\"\n", "\ntiming: ", "\nrequest: HTTP/1.1\n",
		"\n  body, 5 bytes: \"shoes\"\n", "\nresponse: HTTP/1.1\n", "\nhidden: "} {
		if !strings.Contains(e.Stdout, want) {
			t.Errorf("got\n%s\nwant %q in it", e.Stdout, want)
		}
	}
	if strings.Contains(e.Stdout, "geheim-0815") || strings.Contains(string(e.Result), "geheim-0815") {
		t.Errorf("got\n%s\nwant the secret hidden", e.Stdout)
	}
	var again network.ShowFlowOut
	if w.Must("show_flow", `{"flow_id":"`+got.ID+`"}`, &again); again.ID != got.ID || again.Curl != "" {
		t.Errorf("got %q with %q, want %q without a command", again.ID, again.Curl, got.ID)
	}
}

func TestWaitMatchesCapturedRequest(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("POST", "/order", "shoes")
	var got network.WaitFlowOut
	e := w.Must("wait_flow", `{"request":"POST /order"}`, &got)
	if !got.Matched || got.Flow == nil || got.Flow.Method != "POST" || !strings.HasPrefix(e.Stdout, "after ") {
		t.Errorf("got %+v and %q, want the request", got, e.Stdout)
	}
	for _, input := range []string{`{"request":"POST /other","timeout_ms":0}`, `{"request":"GET","timeout_ms":1}`} {
		w.Refused("wait_flow", input, fault.Timeout, "no request ", " came within ", hint.Do("list_flows"))
		got = network.WaitFlowOut{}
		if w.Must("wait_flow", strings.Replace(input, "{", `{"soft":true,`, 1), &got); got.Matched || got.Flow != nil {
			t.Errorf("%s softly: got %+v, want no match", input, got)
		}
	}
	w.Must("wait_flow", `{"request":"/order","timeout_ms":0}`, nil)
}

func TestSummaryCountsByHost(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("GET", "/a", "")
	w.ask("GET", "/broken", "")
	var got network.SummarizeFlowsOut
	e := w.Must("summarize_flows", `{}`, &got)
	if got.Total != 2 || got.Failed != 1 || len(got.Hosts) != 1 || got.Hosts[0].ServerErrors != 1 || got.Hosts[0].OK != 1 ||
		got.Hosts[0].ClientErrors != 0 || len(got.Failures) != 1 {
		t.Errorf("got %+v, want 2 requests to one host, one of which failed", got)
	}
	if !strings.Contains(e.Stdout, ": 2 requests, 0 with 4xx, 1 with 5xx, 0 without an answer, ") || !strings.Contains(e.Stdout, "\n1× ") {
		t.Errorf("got\n%s\nwant a line for the host and one for the failure", e.Stdout)
	}
	if w.Must("summarize_flows", `{"host":"example.com"}`, &got); got.Total != 0 {
		t.Errorf("of another host: got %d, want none", got.Total)
	}
}

func TestReplaySendsTheRequestAgain(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("POST", "/order", "shoes")
	var first, again network.ShowFlowOut
	w.Must("show_flow", `{}`, &first)
	var got network.ReplayOut
	e := w.Must("proxy_replay", `{"flow_id":"`+first.ID+`","body":"boots","header":["x-test=2"]}`, &got)
	if got.Repeats != first.ID || got.Flow.ID == first.ID || got.Flow.Code != 200 || !strings.HasSuffix(e.Stdout, "  repeats "+first.ID) {
		t.Errorf("got %+v and %q, want a new request that repeats %s", got, e.Stdout, first.ID)
	}
	if w.Must("show_flow", `{"flow_id":"`+got.Flow.ID+`"}`, &again); again.Response.Body != "POST /order 2 boots" {
		t.Errorf("got the answer %q, want the server to have got the changed request", again.Response.Body)
	}
	w.Must("proxy_replay", `{"flow_id":"`+first.ID+`"}`, &got)
	if w.Must("show_flow", `{"flow_id":"`+got.Flow.ID+`"}`, &again); again.Response.Body != first.Response.Body {
		t.Errorf("got the answer %q, want %q as before", again.Response.Body, first.Response.Body)
	}
	w.Refused("proxy_replay", `{"flow_id":"f_nothing"}`, fault.FlowNotFound, "f_nothing")
	w.Refused("proxy_replay", `{"flow_id":"latest","header":["=x"]}`, fault.InvalidInput, "is not NAME=VALUE")
}
