package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/rules"
	"ios-agent/internal/network/spool"
	"ios-agent/test/freeport"
)

// desk is a controller whose process is a function.
type desk struct {
	t   *testing.T
	dir string
	run *host.Host
	*proxy.Controller

	process proxy.ProcessOptions
	mu      sync.Mutex
	kill    []context.CancelFunc // of the processes that were started
	starts  int
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, dir: filepath.Join(t.TempDir(), "proxy")}
	var err error
	if d.run, err = host.New(host.Options{Inside: func(string) host.Main { return d.main }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.run.Close() })
	d.open()
	t.Cleanup(func() { d.must(d.Close()) })
	return d
}

// main plays the process. One that is killed says nothing more.
func (d *desk) main(ctx context.Context, in host.Invocation) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	killed := false
	d.mu.Lock()
	d.starts++
	d.kill = append(d.kill, func() { killed = true; cancel() })
	d.mu.Unlock()
	if exit := proxy.Main(ctx, in.Stdin, in.Stdout, d.process); exit != 0 || !killed {
		return exit
	}
	return 137
}

func (d *desk) open() {
	d.Controller = proxy.New(proxy.Options{Dir: d.dir, Program: "ios-agent", Run: d.run, Pause: time.Millisecond})
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) start(s proxy.Settings) proxy.Status {
	d.t.Helper()
	status, err := d.Start(d.t.Context(), s)
	d.must(err)
	return status
}

// client uses the proxy.
func (d *desk) client() *http.Client {
	at := &url.URL{Scheme: "http", Host: d.Status().Listen}
	transport := &http.Transport{Proxy: http.ProxyURL(at), DisableKeepAlives: true}
	d.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func (d *desk) send(method, to, body string) (int, string) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, to, strings.NewReader(body))
	d.must(err)
	answer, err := d.client().Do(r)
	d.must(err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	d.must(err)
	return answer.StatusCode, string(raw)
}

// spooled is what the process wrote down, by the URLs and states.
func (d *desk) spooled() (all []flow.Flow) {
	d.t.Helper()
	d.must(d.Flush(d.t.Context()))
	for r := spool.NewReader(proxy.SpoolDir(d.dir), spool.Position{}); ; {
		b, err := r.Next(1000, 1<<20)
		d.must(err)
		if all = append(all, b.Flows...); !b.More {
			return all
		}
	}
}

// echo answers with what it got.
func echo(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.URL.Path, r.Header.Get("X-Test"), body)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestProcessSpoolsFlows(t *testing.T) {
	d, server := newDesk(t), echo(t)
	if s := d.Status(); s.State != proxy.Stopped || d.Runs() {
		t.Errorf("before: %+v", s)
	}
	s := d.start(proxy.Settings{})
	if s.State != proxy.Running || s.Host != proxy.Loopback || s.Port < proxy.FirstPort || !d.Runs() {
		t.Errorf("%+v", s)
	}
	if _, err := d.Start(t.Context(), proxy.Settings{}); !fault.Is(err, fault.ProxyRunning) {
		t.Errorf("a second one: %v", err)
	}
	if code, text := d.send("POST", server.URL+"/order", "one"); code != 200 || text != "POST /order  one" {
		t.Errorf("%d %q", code, text)
	}
	found := d.spooled()
	if n := len(found); n == 0 || found[n-1].State != flow.Done || found[n-1].Request.URL != server.URL+"/order" {
		t.Errorf("%+v", found)
	}
	if info, err := os.Stat(filepath.Join(d.dir, "running.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the note of what runs: %v %v", info, err)
	}
	d.must(d.Stop(t.Context(), "ann"))
	if err := d.Stop(t.Context(), "ann"); !fault.Is(err, fault.ProxyNotRunning) {
		t.Errorf("stopped twice: %v", err)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "running.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a stopped proxy is noted: %v", err)
	}
	if _, err := d.ReleaseAll(t.Context(), "ann"); !fault.Is(err, fault.ProxyNotRunning) {
		t.Errorf("after the end: %v", err)
	}
}

func TestReleaseSendsChangedRequest(t *testing.T) {
	d, server := newDesk(t), echo(t)
	d.start(proxy.Settings{})
	hold := func(pattern string) error {
		return d.Set(t.Context(), func(s *proxy.Settings) error {
			s.Of("ann").Hold = &rules.Intercept{Pattern: pattern, Request: true}
			return nil
		})
	}
	if err := hold("~p x"); !fault.Is(err, fault.InvalidInput) || d.Status().Hold != nil {
		t.Errorf("a wrong pattern: %v, %+v", err, d.Status().Hold)
	}
	d.must(hold("~m POST"))
	answers := make(chan string, 2)
	for _, body := range []string{"one", "two"} {
		go func() {
			_, text := d.send("POST", server.URL+"/"+body, body)
			answers <- text
		}()
	}
	held, last := d.Held(t.Context(), "ann", 0, time.Minute)
	for len(held) < 2 {
		held, last = d.Held(t.Context(), "ann", last, time.Minute)
	}
	if len(d.Holds()) < 2 {
		t.Errorf("the daemon may leave: %q", d.Holds())
	}
	if err := d.Release(t.Context(), "ann", "f_000000000000", nil); !fault.Is(err, fault.FlowNotHeld) {
		t.Errorf("nothing of that id: %v", err)
	}
	status := 500
	if err := d.Release(t.Context(), "ann", held[0].Flow.ID, &flow.Change{Status: &status}); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("the status of a request: %v", err)
	}
	body := []byte("changed")
	d.must(d.Release(t.Context(), "ann", held[0].Flow.ID, &flow.Change{Body: &body, Set: flow.Header{{Name: "X-Test", Value: "yes"}}}))
	if text := <-answers; !strings.HasSuffix(text, " yes changed") {
		t.Error(text)
	}
	if again, _ := d.Held(t.Context(), "ann", 0, 0); len(again) != 1 || again[0].Flow.ID != held[1].Flow.ID {
		t.Errorf("%+v", again)
	}
	if n, err := d.ReleaseAll(t.Context(), "ann"); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if text := <-answers; strings.Contains(text, "changed") {
		t.Error(text)
	}
}

// TestDeadProcessIsRestarted: on the same port, with its mocks.
func TestDeadProcessIsRestarted(t *testing.T) {
	d, server := newDesk(t), echo(t)
	before := d.start(proxy.Settings{Port: freeport.Of(t)})
	d.must(d.Set(t.Context(), func(s *proxy.Settings) error {
		s.Mocks = append(s.Mocks, mock.Rule{ID: mock.NewID(), Pattern: "~u /order", Response: mock.Response{Status: 503, Body: "sold out"}})
		return nil
	}))
	if code, text := d.send("GET", server.URL+"/order", ""); code != 503 || text != "sold out" {
		t.Errorf("%d %q", code, text)
	}
	d.mu.Lock()
	d.kill[0]()
	d.mu.Unlock()
	// Who asks for something waits for the new one.
	d.must(d.Set(t.Context(), func(*proxy.Settings) error { return nil }))
	for d.Status().Restarts == 0 {
		d.must(d.Set(t.Context(), func(*proxy.Settings) error { return nil })) // the end of the first was not heard yet
	}
	after := d.Status()
	if after.State != proxy.Running || after.Port != before.Port || after.Restarts != 1 || len(after.Rules) != 1 {
		t.Errorf("%+v", after)
	}
	if code, text := d.send("GET", server.URL+"/order", ""); code != 503 || text != "sold out" {
		t.Errorf("afterwards: %d %q", code, text)
	}
}

// TestNextDaemonResumesProxy: with all settings, on the same port; an unreadable note does no harm.
func TestNextDaemonResumesProxy(t *testing.T) {
	d, server := newDesk(t), echo(t)
	before := d.start(proxy.Settings{Port: freeport.Of(t), Share: rules.Share{Owner: "ann", Bypass: []string{"pinned.example.com"}}})
	d.must(d.Set(t.Context(), func(s *proxy.Settings) error {
		s.Only = "127.0.0.1"
		s.Hold = &rules.Intercept{Pattern: "~u /held", Request: true}
		return nil
	}))
	d.must(d.Close())
	d.open()
	d.Resume()
	d.must(d.Set(t.Context(), func(*proxy.Settings) error { return nil }))
	after := d.Status()
	if after.Port != before.Port || after.Owner != "ann" || after.Only != "127.0.0.1" || after.Hold == nil ||
		len(after.Bypass) != 1 || !after.Started.Equal(before.Started) {
		t.Errorf("%+v", after)
	}
	if code, _ := d.send("GET", server.URL+"/free", ""); code != 200 {
		t.Error(code)
	}
	d.must(d.Close())
	d.must(os.WriteFile(filepath.Join(d.dir, "running.json"), []byte("{"), 0o600))
	d.open()
	d.Resume()
	if s := d.Status(); s.State != proxy.Stopped {
		t.Errorf("%+v", s)
	}
}

func TestStartRefusesPortInUse(t *testing.T) {
	d := newDesk(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	d.must(err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	_, err = d.Start(t.Context(), proxy.Settings{Port: port})
	if f, is := fault.In(err); !is || f.Code != fault.ProxyFailed || !strings.Contains(f.Message,
		fmt.Sprint(port)) || !strings.Contains(f.Hint, hint.Field("port")) {
		t.Errorf("error = %v, want %s with port %d and a hint about the port", err, fault.ProxyFailed, port)
	}
	if s := d.Status(); s.State != proxy.Stopped {
		t.Errorf("%+v", s)
	}
	s := d.start(proxy.Settings{})
	// It does not connect to itself.
	answer, err := d.client().Get("http://" + s.Listen + "/")
	d.must(err)
	defer answer.Body.Close()
	if answer.StatusCode < 400 {
		t.Errorf("a request to the proxy itself: %s", answer.Status)
	}
}

// TestProcessRefusesInvalidConfiguration what is no command of ours, and leaves when nobody is there.
func TestProcessRefusesInvalidConfiguration(t *testing.T) {
	say := func(lines string) (string, int) {
		var out bytes.Buffer
		exit := proxy.Main(t.Context(), strings.NewReader(lines), &out, proxy.ProcessOptions{})
		return out.String(), exit
	}
	config, _ := json.Marshal(proxy.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	for _, c := range []struct{ lines, want string }{
		{"", ""},
		{"{", ""},
		{`{"v":2`, ""},
		{`{"v":99,"config":` + string(config) + "}\n", "version 99"},
		{`{"v":2}` + "\n", "want 2"},
		{`{"v":2,"config":{"dir":"` + t.TempDir() + `","listen":"nowhere"}}` + "\n", "nowhere"},
	} {
		if out, exit := say(c.lines); exit != 1 || !strings.Contains(out, c.want) {
			t.Errorf("%q: %d %q", c.lines, exit, out)
		}
	}
	out, exit := say(`{"v":2,"config":` + string(config) + "}\n" + `{"id":7,"do":"dance"}` + "\n" + `{"id":8,"do":"config"}` + "\n")
	if exit != 0 || !strings.Contains(out, `"listen":"127.0.0.1:`) {
		t.Errorf("%d %q", exit, out)
	}
}

// TestProxyRefusesPortsOfOwnPrograms: nor to any other port on which a program of the home serves, by whatever name.
func TestProxyRefusesPortsOfOwnPrograms(t *testing.T) {
	d, s, other := newDesk(t), echo(t), echo(t)
	at := s.Listener.Addr().(*net.TCPAddr).Port
	d.process.Own = func(home string, port int) bool { return home == filepath.Dir(d.dir) && port == at }
	d.start(proxy.Settings{Port: freeport.Of(t)})
	if code, body := d.send("GET", other.URL+"/a", ""); code != 200 {
		t.Fatalf("got %d %q for a server of another program, want 200", code, body)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "127.1.2.3", "[::ffff:127.0.0.1]"} {
		to := fmt.Sprintf("http://%s:%d/b", host, at)
		if code, body := d.send("GET", to, ""); code != 403 {
			t.Errorf("%s: got %d %q, want 403", to, code, body)
		}
	}
}
