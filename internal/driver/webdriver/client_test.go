package webdriver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/test/samples"
)

// client asks a server that answers with a handler.
func client(t *testing.T, handle http.HandlerFunc) *webdriver.Client {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return at(t, s.URL)
}

func at(t *testing.T, url string) *webdriver.Client {
	t.Helper()
	c, err := webdriver.New(webdriver.Options{URL: url, MaxBody: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// TestRecordedAnswersAreRead reads the answers of real servers.
func TestRecordedAnswersAreRead(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		status int
		check  func(*testing.T, *webdriver.Client)
	}{
		"wda-10.2.1-200-status.json": {200, func(t *testing.T, c *webdriver.Client) {
			s, err := c.Status(t.Context())
			want := webdriver.Status{Ready: true, Message: "WebDriverAgent is ready to accept commands", OS: "iOS", Version: "26.2",
				Build: "10.2.1", Device: "iphone"}
			if err != nil || s != want {
				t.Errorf("%+v, %v", s, err)
			}
		}},
		"wda-2016-status.json": {200, func(t *testing.T, c *webdriver.Client) {
			s, err := c.Status(t.Context())
			if want := (webdriver.Status{Ready: true, OS: "iPhone OS", Version: "9.3", Simulator: "9.3"}); err != nil || s != want {
				t.Errorf("%+v, %v", s, err)
			}
		}},
		"wda-2016-session-1.json": {200, func(t *testing.T, c *webdriver.Client) {
			s, err := c.NewSession(t.Context(), nil)
			if err != nil || s.ID != "26FA8CEA-9D59-4EB1-8B19-84AFD7307936" || !strings.Contains(string(s.Capabilities), "com.kazucocoa") {
				t.Errorf("%+v, %v", s, err)
			}
		}},
		"wda-10.2.1-200-element-element-6066-11e4-a52e-4f735466c.json": {200, func(t *testing.T, c *webdriver.Client) {
			e, err := webdriver.Ask[webdriver.Element](t.Context(), c, webdriver.Get("/"))
			if err != nil || e != "06000000-0000-0000-0D0A-000000000000" {
				t.Errorf("%q, %v", e, err)
			}
		}},
		"wda-10.2.1-200-nonetype.json": {200, func(t *testing.T, c *webdriver.Client) {
			if a, err := c.Do(t.Context(), webdriver.Get("/")); err != nil || string(a.Value) != "null" || a.Session != "" {
				t.Errorf("%+v, %v", a, err)
			}
		}},
		"wda-10.2.1-200-bool.json": {200, func(t *testing.T, c *webdriver.Client) {
			a, err := c.Do(t.Context(), webdriver.Get("/"))
			if err != nil || string(a.Value) != "true" || a.Session != "5EEE9679-6A45-4423-8D8E-EFFFD2FF27EE" {
				t.Errorf("%+v, %v", a, err)
			}
		}},
		"wda-10.2.1-404-err-unknown-command.json": {404, func(t *testing.T, c *webdriver.Client) {
			_, err := c.Do(t.Context(), webdriver.Get("/"))
			if !webdriver.Is(err, webdriver.UnknownCommand) || !fault.Is(err, fault.Unsupported) {
				t.Error(err)
			}
		}},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			body := samples.Read(t, "webdriver-http", file)
			want.check(t, client(t, says(want.status, string(body))))
		})
	}
}

// TestErrorAnswersMapToW3CCodes: an error answer has W3C's code, whichever protocol it came in.
func TestErrorAnswersMapToW3CCodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		body    string
		code    webdriver.Code
		message string
		fault   fault.Code
	}{
		"w3c": {404, `{"value":{"error":"no such element","message":"unable to find it","traceback":"x"},"sessionId":"s"}`,
			webdriver.NoSuchElement, "unable to find it", fault.ElementNotFound},
		"stale":   {404, `{"value":{"error":"stale element reference","message":"gone"}}`, webdriver.StaleElement, "gone", fault.RefExpired},
		"session": {404, `{"value":{"error":"invalid session id","message":""}}`, webdriver.InvalidSession, "", fault.AgentFailed},
		"alert": {500, `{"value":{"error":"unexpected alert open","message":"a modal dialog"}}`, webdriver.UnexpectedAlert, "a modal dialog",
			fault.ElementUnhittable},
		"old object": {200, `{"status":7,"value":{"message":"no element"},"sessionId":"s"}`, webdriver.NoSuchElement, "no element",
			fault.ElementNotFound},
		"old text": {200, `{"status":6,"value":"Session does not exist","sessionId":null}`, webdriver.InvalidSession,
			"Session does not exist", fault.AgentFailed},
		"old unknown": {500, `{"status":4711,"value":"what"}`, webdriver.UnknownError, "what", fault.AgentFailed},
		"created": {500, `{"value":{"error":"session not created","message":"no app"}}`, webdriver.SessionNotCreated, "no app",
			fault.AgentFailed},
		"new word":  {500, `{"value":{"error":"a new word","message":"m"}}`, "a new word", "m", fault.AgentFailed},
		"no object": {500, `{"value":null}`, webdriver.UnknownError, "", fault.AgentFailed},
		"a list":    {502, `{"value":[1]}`, webdriver.UnknownError, "HTTP 502", fault.AgentFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, says(c.status, c.body)).Do(t.Context(), webdriver.Get("/x"))
			no, ok := errors.AsType[*webdriver.Error](err)
			if !ok || no.Code != c.code || no.Message != c.message || no.HTTP != c.status || fault.From(err).Code != c.fault {
				t.Errorf("%#v", err)
			}
		})
	}
}

// TestErrorShowsWhetherInputWasSent: an error other than a refusal leaves the outcome of an input unknown, and a refusal says that nothing
// was sent.
func TestErrorShowsWhetherInputWasSent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		code fault.Code
		sent fault.Dispatch
	}{
		`{"value":{"error":"unknown error","message":"x"}}`:          {fault.OutcomeUnknown, fault.MaybeDispatched},
		`{"value":{"error":"timeout","message":"x"}}`:                {fault.OutcomeUnknown, fault.MaybeDispatched},
		`{"value":{"error":"invalid element state","message":"x"}}`:  {fault.OutcomeUnknown, fault.MaybeDispatched},
		`{"value":{"error":"stale element reference","message":""}}`: {fault.RefExpired, fault.NotDispatched},
		`{"value":{"error":"unknown command","message":""}}`:         {fault.Unsupported, fault.NotDispatched},
	} {
		_, err := client(t, says(500, body)).Do(t.Context(), webdriver.Act("/x", nil))
		f := fault.From(webdriver.Fault(err, "WebDriverAgent on Phone", true))
		if f.Code != want.code || f.Dispatched != want.sent || !strings.Contains(f.Message, "Phone") || f.Hint == "" {
			t.Errorf("%s: %+v", body, f)
		}
		if f := fault.From(webdriver.Fault(err, "WebDriverAgent on Phone", false)); f.Dispatched != fault.NotDispatched {
			t.Errorf("a look sends no input: %+v", f)
		}
	}
}

// TestAnswersOfOtherProgramsAreErrors: an answer of another program is an error, no redirect is followed, and no answer is larger than its
// bound.
func TestAnswersOfOtherProgramsAreErrors(t *testing.T) {
	t.Parallel()
	followed := atomic.Bool{}
	for name, handle := range map[string]http.HandlerFunc{
		"html":  says(200, "<html>"),
		"other": says(200, `{"hello":1}`),
		"empty": says(200, ""),
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				followed.Store(true)
			}
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		},
		"large": says(200, `{"value":"`+strings.Repeat("x", 1<<20)+`"}`),
	} {
		_, err := client(t, handle).Do(t.Context(), webdriver.Get("/x"))
		odd, ok := errors.AsType[*webdriver.AnswerError](err)
		if !ok || odd.URL == "" || fault.From(err).Code != fault.AgentFailed {
			t.Errorf("%s: %#v", name, err)
		}
	}
	if followed.Load() {
		t.Error("a redirect was followed")
	}
}

func TestNewRefusesInvalidURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "127.0.0.1:8100", "ftp://x", "http://", "http://x/?q=1", "http://x/#a", "http://%zz"} {
		if _, err := webdriver.New(webdriver.Options{URL: url}); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%q: %v", url, err)
		}
	}
	c := at(t, "http://me:secret@127.0.0.1:1/wd/hub/")
	if c.URL() != "http://me:xxxxx@127.0.0.1:1/wd/hub" {
		t.Error(c.URL())
	}
}

// TestRequestsEscapePathsAndSendBodies: paths are escaped, a POST without a body sends an object, and the user of a URL goes into a header.
func TestRequestsEscapePathsAndSendBodies(t *testing.T) {
	t.Parallel()
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		got = append(got, r.Method+" "+r.URL.EscapedPath()+" "+string(body)+" "+user+password+" "+r.Header.Get("Content-Type"))
		says(200, `{"value":null}`)(w, r)
	}))
	t.Cleanup(s.Close)
	c := at(t, strings.Replace(s.URL, "http://", "http://u:p@", 1)+"/wd/hub")
	for _, r := range []webdriver.Request{
		webdriver.Get(webdriver.Path("session", "../x", "source")),
		webdriver.Act(webdriver.Path("a b"), nil),
		{Method: "DELETE", Path: webdriver.Path("session", "s"), Acts: true},
	} {
		if _, err := c.Do(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"GET /wd/hub/session/..%2Fx/source  up ",
		"POST /wd/hub/a%20b {} up application/json; charset=utf-8",
		"DELETE /wd/hub/session/s  up ",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}

// listener accepts connections and gives each to a function, with its number.
func listener(t *testing.T, serve func(n int, conn net.Conn)) *webdriver.Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 1; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(n, conn)
			}()
		}
	}()
	return at(t, "http://"+l.Addr().String())
}

const fine = "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"value\":true}"

// readRequest reads until the end of the head and body of a small request.
func readRequest(conn net.Conn) {
	buf := make([]byte, 4096)
	conn.Read(buf)
}

// TestReadIsRepeatedAfterLostConnection: a read is repeated once, an input that may have arrived is not, and says so.
func TestReadIsRepeatedAfterLostConnection(t *testing.T) {
	t.Parallel()
	seen := atomic.Int64{}
	lostFirst := func(n int, conn net.Conn) {
		readRequest(conn)
		seen.Add(1)
		if n > 1 {
			io.WriteString(conn, fine)
		}
	}
	if _, err := listener(t, lostFirst).Do(t.Context(), webdriver.Get("/x")); err != nil || seen.Load() != 2 {
		t.Errorf("%v after %d requests", err, seen.Load())
	}
	seen.Store(0)
	_, err := listener(t, lostFirst).Do(t.Context(), webdriver.Act("/x", nil))
	lost, ok := errors.AsType[*webdriver.SendError](err)
	if !ok || !lost.Sent || seen.Load() != 1 {
		t.Errorf("%v after %d requests", err, seen.Load())
	}
	if f := fault.From(err); f.Code != fault.OutcomeUnknown || f.Dispatched != fault.MaybeDispatched {
		t.Errorf("%+v", f)
	}
	seen.Store(0)
	_, err = listener(t, func(_ int, conn net.Conn) { readRequest(conn); seen.Add(1) }).Do(t.Context(), webdriver.Get("/x"))
	if f := fault.From(err); f.Code != fault.AgentFailed || f.Dispatched != fault.NotDispatched || seen.Load() != 2 {
		t.Errorf("%+v after %d requests", f, seen.Load())
	}
}

// TestTruncatedAnswerCountsAsSent: an input whose answer broke off may have been done.
func TestTruncatedAnswerCountsAsSent(t *testing.T) {
	t.Parallel()
	c := listener(t, func(_ int, conn net.Conn) { readRequest(conn); io.WriteString(conn, fine[:len(fine)-5]) })
	_, err := c.Do(t.Context(), webdriver.Act("/x", nil))
	if lost, ok := errors.AsType[*webdriver.SendError](err); !ok || !lost.Sent {
		t.Error(err)
	}
}

// TestRefusedConnectionCountsAsUnsent differs from a lost server, and an input did not arrive.
func TestRefusedConnectionCountsAsUnsent(t *testing.T) {
	t.Parallel()
	dials := 0
	c, err := webdriver.New(webdriver.Options{URL: "http://phone:8100", Dial: func(context.Context) (net.Conn, error) {
		dials++
		return nil, errors.New("the port is not forwarded")
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Do(t.Context(), webdriver.Act("/x", nil))
	lost, ok := errors.AsType[*webdriver.SendError](err)
	if !ok || lost.Sent || !lost.NoServer() || dials != 1 || !strings.Contains(err.Error(), "the port is not forwarded") {
		t.Errorf("%v after %d dials", err, dials)
	}
	if f := fault.From(err); f.Dispatched != fault.NotDispatched {
		t.Errorf("%+v", f)
	}
}

// TestCommandsShareOneConnection: commands go over one connection, that Dial made. One that the server ended between two inputs is no loss:
// nothing of the second had left.
func TestCommandsShareOneConnection(t *testing.T) {
	t.Parallel()
	dials, served := 0, atomic.Int64{}
	c, err := webdriver.New(webdriver.Options{URL: "http://phone:8100", Dial: func(context.Context) (net.Conn, error) {
		dials++
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			in := bufio.NewReader(there)
			for range 3 {
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				io.Copy(io.Discard, r.Body)
				served.Add(1)
				io.WriteString(there, fine)
			}
		}()
		return here, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for range 30 {
		if _, err := c.Do(t.Context(), webdriver.Act("/x", map[string]any{"text": strings.Repeat("x", 5000)})); err != nil {
			t.Fatal(err)
		}
	}
	if dials != 10 || served.Load() != 30 {
		t.Errorf("%d connections for %d commands", dials, served.Load())
	}
}

// TestTimeoutAndCancelAreDifferentErrors: the context's end and the server's silence are different errors; neither is repeated.
func TestTimeoutAndCancelAreDifferentErrors(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	silent := listener(t, func(_ int, conn net.Conn) { readRequest(conn); arrived <- struct{}{}; readRequest(conn) })
	r := webdriver.Get("/source")
	r.Patience = 20 * time.Millisecond
	_, err := silent.Do(t.Context(), r)
	if lost, ok := errors.AsType[*webdriver.SendError](err); !ok || !lost.Slow || fault.From(err).Code != fault.Timeout {
		t.Errorf("%v", err)
	}
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err = silent.Do(ctx, webdriver.Act("/x", nil))
	lost, ok := errors.AsType[*webdriver.SendError](err)
	if !ok || lost.Slow || !lost.Sent || !errors.Is(err, context.Canceled) || fault.From(err).Code != fault.OutcomeUnknown {
		t.Errorf("%v", err)
	}
	if len(arrived) > 0 {
		t.Error("a command was repeated")
	}
}

func TestElementIDsAreReadFromBothKeys(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]webdriver.Element{
		`{"ELEMENT":"a"}`: "a", `{"element-6066-11e4-a52e-4f735466cecf":"b","ELEMENT":"a"}`: "b",
	} {
		var e webdriver.Element
		if err := json.Unmarshal([]byte(body), &e); err != nil || e != want {
			t.Errorf("%s: %q, %v", body, e, err)
		}
	}
	for _, body := range []string{`{}`, `{"ELEMENT":3}`, `"a"`, `{"ELEMENT":""}`} {
		var e webdriver.Element
		if json.Unmarshal([]byte(body), &e) == nil {
			t.Errorf("%s is %q", body, e)
		}
	}
	out, _ := json.Marshal(webdriver.Element("x"))
	if string(out) != `{"ELEMENT":"x","element-6066-11e4-a52e-4f735466cecf":"x"}` {
		t.Error(string(out))
	}
}
