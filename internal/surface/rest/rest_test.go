package rest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/rest"
	"ios-agent/test/surfacetest"
)

func newWorld() (*surfacetest.World, http.Handler) {
	w := surfacetest.New(op.JobAfter)
	return w, rest.Handler(w.Catalogue)
}

// ask makes one request.
func ask(t *testing.T, h http.Handler, route, body string, headers ...string) *http.Response {
	t.Helper()
	method, path, _ := strings.Cut(route, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// answer is the body of an answer; Result is all of it.
type answer struct {
	Detail any
	Error  *fault.Fault
	Meta   op.Meta
	Result map[string]any
}

func read(t *testing.T, r *http.Response) (a answer) {
	t.Helper()
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	var whole map[string]any
	if err == nil {
		err = json.Unmarshal(raw, &whole)
	}
	if err != nil || !strings.HasSuffix(string(raw), "\n") {
		t.Fatalf("%v: %q", err, raw)
	}
	if a.Error == nil {
		delete(whole, "meta")
		a.Result = whole
	}
	if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers: %v", r.Header)
	}
	return a
}

// TestInputsComeFromPathQueryAndBody: the path, the query and the body become the operation's input.
func TestInputsComeFromPathQueryAndBody(t *testing.T) {
	_, h := newWorld()
	for _, c := range []struct{ route, body, want string }{
		{"POST /api/v1/say", `{"text":"hello","times":2}`, `{"said":"hello hello","session":"http"}`},
		{"POST /api/v1/say", `{"text":"hello","times":"2","loud":"true"}`, `{"said":"HELLO HELLO","session":"http"}`},
		{"POST /api/v1/say", `{"text":"hello","session":"mine"}`, `{"said":"hello","session":"mine"}`},
		{"POST /other/say", `{"text":"hello","out_file":"/x/y"}`, `{"file":"/x/y","said":"hello","session":"http"}`},
		{"GET /api/v1/things/t1", "", `{"id":"t1"}`},
		{"GET /api/v1/things/t%2F1?deep=true&count=3", "", `{"count":3,"deep":true,"id":"t/1"}`},
		{"GET /api/v1/things/t1?names=a&names=b", "", `{"id":"t1","names":["a","b"]}`},
		{"GET /api/v1/things/t1?names=a", `{"deep":true}`, `{"id":"t1","names":["a"]}`}, // a GET has no body
		{"DELETE /api/v1/all", "", `{}`},
		{"GET /api/v1/things/t1?session=mine", "", `{"id":"t1"}`},
	} {
		r := ask(t, h, c.route, c.body)
		got, err := json.Marshal(read(t, r).Result)
		if r.StatusCode != http.StatusOK || err != nil || string(got) != c.want {
			t.Errorf("%s %s: %d %s, want %s", c.route, c.body, r.StatusCode, got, c.want)
		}
	}
	a := read(t, ask(t, h, "POST /api/v1/say", `{"text":"x"}`, "X-Session: mine"))
	if a.Meta.Session != "mine" || a.Meta.Toolchain != "virtual" || a.Meta.Device.UDID != "D1" {
		t.Errorf("meta: %+v", a.Meta)
	}
}

func TestWrongRequestsAreRefused(t *testing.T) {
	_, h := newWorld()
	for _, c := range []struct {
		route, body string
		status      int
		code        fault.Code
		says        string
	}{
		{"GET /api/v1/no/such", "", 404, fault.UnknownOperation, "/api/v1/no/such"},
		{"GET /", "", 404, fault.UnknownOperation, "unknown route /"},
		{"PATCH /api/v1/say", "{}", 405, fault.MethodNotAllowed, "is called with POST"},
		{"POST /api/v1/things/t1", "{}", 405, fault.MethodNotAllowed, "is called with GET"},
		{"POST /api/v1/say", "", 400, fault.InvalidInput, "text is required"},
		{"POST /api/v1/say", "{", 400, fault.InvalidInput, "not a JSON object"},
		{"POST /api/v1/say", "[]", 400, fault.InvalidInput, "not a JSON object"},
		{"POST /api/v1/say", "{\"text\":\"\xff\"}", 400, fault.InvalidInput, "UTF-8"},
		{"POST /api/v1/say", `{"txet":"x"}`, 400, fault.InvalidInput, "txet"},
		{"POST /api/v1/say", `{"text":"x","times":10}`, 400, fault.InvalidInput, "between 1 and 9"},
		{"POST /api/v1/say", `{"text":"x","out_file":"relative"}`, 400, fault.InvalidInput, "absolute path"},
		{"POST /api/v1/say", `{"text":"` + strings.Repeat("x", 1<<20) + `"}`, 413, fault.TooLarge, "1048576"},
		{"GET /api/v1/things/t1?count=0", "", 400, fault.InvalidInput, "at least 1"},
		{"GET /api/v1/things/t1?count=many", "", 400, fault.InvalidInput, "a whole number"},
		{"GET /api/v1/things/t1?deep=perhaps", "", 400, fault.InvalidInput, "true or false"},
		{"GET /api/v1/things/t1?deep=true&deep=true", "", 400, fault.InvalidInput, "true or false"},
		{"GET /api/v1/things/t1?deep=true&names=a", "", 400, fault.InvalidInput, "exclude each other"},
		{"GET /api/v1/things/t1?no=such", "", 400, fault.InvalidInput, `has no input "no"`},
		{"GET /api/v1/things/t1?id=t2", "", 400, fault.InvalidInput, "is in the path"},
		{"POST /api/v1/jobs/job1/wait", `{"job":"job2"}`, 400, fault.InvalidInput, "is in the path"},
		{"POST /api/v1/jobs/job1/wait", `not json`, 400, fault.InvalidInput, "not a JSON object"},
		{"GET /api/v1/jobs/job9", "", 404, fault.JobNotFound, "job9"},
		{"POST /api/v1/panic", "{}", 500, fault.Internal, "panic"},
		{"GET /api/v1/ticks?above=many", "", 400, fault.InvalidInput, "a whole number"},
	} {
		r := ask(t, h, c.route, c.body)
		a := read(t, r)
		if r.StatusCode != c.status || a.Error == nil || a.Error.Code != c.code || !strings.Contains(a.Error.Message, c.says) ||
			a.Detail != any(a.Error.Message) {
			t.Errorf("%s %.40s: %d %+v", c.route, c.body, r.StatusCode, a.Error)
		}
		if allow := r.Header.Get("Allow"); (allow != "") != (c.status == 405) {
			t.Errorf("%s: Allow %q", c.route, allow)
		}
	}
}

// A route that is not there, or is called with another method, is answered with the one to take.
func TestUnknownRouteNamesTheNearestOne(t *testing.T) {
	_, h := newWorld()
	for request, want := range map[string]string{
		"POST /api/v1/sya":                    "the nearest route is POST /api/v1/say;",
		"POST /say":                           "the nearest route is POST /api/v1/say;",
		"GET /api/v1/thing/t1":                "the nearest route is GET /api/v1/things/{id};",
		"GET /api/v1/jobs/job1/wa":            "the nearest route is POST /api/v1/jobs/{job}/wait;",
		"GET /api/v1/zzzzzzzz":                "GET /openapi.json lists the routes",
		"GET /":                               "GET /openapi.json lists the routes",
		"PUT /api/v1/say":                     "send it again with POST",
		"GET /" + strings.Repeat("x", 10_000): "GET /openapi.json lists the routes",
	} {
		r := ask(t, h, request, "")
		a := read(t, r)
		if a.Error == nil || !strings.Contains(a.Error.Hint, want) || len(a.Error.Message) > 300 || strings.Contains(a.Error.Hint, "ios-agent") {
			t.Errorf("%.60s: got %d %.300v with the hint %q, want %q", request, r.StatusCode, a.Error, a.Error.Hint, want)
		}
	}
}

// TestEveryFaultHasItsStatus: code, hint, details and a result beside the fault reach the caller.
func TestEveryFaultHasItsStatus(t *testing.T) {
	_, h := newWorld()
	for _, code := range fault.Codes() {
		r := ask(t, h, "POST /api/v1/fail", fmt.Sprintf(`{"code":%q,"keep":true}`, code))
		a := read(t, r)
		if r.StatusCode != code.Status() || a.Error.Code != code || a.Error.Hint != "do not ask for it" ||
			a.Error.Details["asked"] != string(code) || a.Result["seen"] != "something" {
			t.Errorf("%s: %d %+v %v", code, r.StatusCode, a.Error, a.Result)
		}
	}
}

// TestAmbiguousAnswerOfSourceSystemIs200: an operation of a source system answers 200 with the things to choose from.
func TestAmbiguousAnswerOfSourceSystemIs200(t *testing.T) {
	_, h := newWorld()
	r := ask(t, h, "POST /api/v1/pick", "{}")
	var body struct {
		Status  string
		Matches []string
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.StatusCode != 200 || body.Status != "ambiguous" ||
		len(body.Matches) != 2 {
		t.Errorf("%d %+v %v", r.StatusCode, body, err)
	}
	if r := ask(t, h, "POST /api/v1/fail", `{"code":"ELEMENT_AMBIGUOUS"}`); r.StatusCode != fault.ElementAmbiguous.Status() {
		t.Errorf("elsewhere it is a fault: %d", r.StatusCode)
	}
}

func TestPictureIsAnswerBody(t *testing.T) {
	_, h := newWorld()
	r := ask(t, h, "GET /api/v1/picture", "")
	raw, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 || string(raw) != surfacetest.Pixels || r.Header.Get("Content-Type") != "image/png" ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %q %v %v", r.StatusCode, raw, r.Header, err)
	}
}

// TestFileIsSentAsDownload: a file is the body itself, with its name.
func TestFileIsSentAsDownload(t *testing.T) {
	_, h := newWorld()
	r := ask(t, h, "GET /api/v1/file", "")
	raw, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 || string(raw) != "\x00\x01\x02\xff" || r.Header.Get("Content-Type") != "application/x-test" ||
		r.Header.Get("Content-Disposition") != "attachment; filename=a.bin" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %q %v %v", r.StatusCode, raw, r.Header, err)
	}
}

func TestLongOperationBecomesJob(t *testing.T) {
	w := surfacetest.New(0)
	h := rest.Handler(w.Catalogue)
	for body, want := range map[string]struct {
		status int
		state  string
		code   fault.Code
	}{"{}": {200, "done", ""}, `{"fail":true}`: {400, "failed", fault.PathError}} {
		begun := read(t, ask(t, h, "POST /api/v1/work", body))
		path := fmt.Sprint("/api/v1/jobs/", begun.Result["job"])
		if begun.Result["operation"] != "work_long" {
			t.Fatalf("%+v", begun)
		}
		r := ask(t, h, "POST "+path+"/wait", "{}")
		waited := read(t, r)
		if r.StatusCode != want.status || waited.Result["state"] != want.state || want.code != "" && waited.Error.Code != want.code {
			t.Errorf("%s: %d %+v", body, r.StatusCode, waited)
		}
		// Whoever asks about a failed job is answered.
		if r := ask(t, h, "GET "+path, ""); r.StatusCode != 200 || read(t, r).Result["state"] != want.state {
			t.Errorf("%s: %d", body, r.StatusCode)
		}
		if r := ask(t, h, "POST "+path+"/cancel", ""); r.StatusCode != 200 {
			t.Errorf("%s: cancelling what is over: %d", body, r.StatusCode)
		}
	}
}

// TestDisconnectCancelsTheCall: the operation's context ends with the request.
func TestDisconnectCancelsTheCall(t *testing.T) {
	w, h := newWorld()
	server := httptest.NewServer(h)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/api/v1/wait", nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(req)
		done <- err
	}()
	<-w.Waiting
	cancel()
	if err := <-w.Gone; err != context.Canceled {
		t.Errorf("the operation ended with %v", err)
	}
	<-done
}

// TestStreamSendsServerSentEvents: server-sent events as they come, heartbeats in between, and the envelope at the end.
func TestStreamSendsServerSentEvents(t *testing.T) {
	w, h := newWorld()
	server := httptest.NewServer(h)
	defer server.Close()
	w.Ticks.Add(surfacetest.Tick{N: 1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/v1/ticks?above=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.Header.Get("Content-Type") != "text/event-stream" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers: %v", r.Header)
	}
	lines := bufio.NewScanner(r.Body)
	for n := 1; n <= 3; n++ {
		for _, want := range []string{"event: item", fmt.Sprintf(`data: {"n":%d}`, n), ""} {
			if !lines.Scan() || lines.Text() != want {
				t.Fatalf("%q, want %q", lines.Text(), want)
			}
		}
		w.Ticks.Add(surfacetest.Tick{N: n + 1})
	}
}

func TestAQuietStreamHasHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, h := newWorld()
		w.Ticks.Add(surfacetest.Tick{N: 1})
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		out := httptest.NewRecorder()
		h.ServeHTTP(out, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/ticks", nil))
		text := out.Body.String()
		if strings.Count(text, ": still here\n\n") != 2 || !strings.Contains(text, "event: item\ndata: {\"n\":1}\n\n") ||
			!strings.Contains(text, "event: end\ndata: {\"v\":1,\"status\":\"success\"") {
			t.Errorf("%q", text)
		}
	})
}

// TestProductRoutesAcceptOnlyTheirMethod: each operation's own route reaches it, and only by its method.
func TestProductRoutesAcceptOnlyTheirMethod(t *testing.T) {
	c := product.Catalogue()
	h := rest.Handler(c)
	for _, o := range c.Ops() {
		if o.Route == "" {
			continue
		}
		path := strings.NewReplacer("{", "", "}", "").Replace(o.Path())
		r := ask(t, h, "PUT "+path, "")
		if a := read(t, r); r.StatusCode != 405 || a.Error.Code != fault.MethodNotAllowed ||
			!strings.Contains(r.Header.Get("Allow"), o.Method()) {
			t.Errorf("%s: %d", o.Route, r.StatusCode)
		}
		wrong, route := `{"no_such_key":1}`, o.Method()+" "+path
		if o.Method() == http.MethodGet || o.Method() == http.MethodDelete {
			wrong, route = "", route+"?no_such_key=1"
		}
		r = ask(t, h, route, wrong)
		want := 400
		if o.Statuses != nil {
			want = o.Statuses.Misfit
		}
		if a := read(t, r); r.StatusCode != want || a.Error.Code != fault.InvalidInput || !strings.Contains(a.Error.Message, o.Name) {
			t.Errorf("%s: %d %+v", o.Route, r.StatusCode, a.Error)
		}
	}
}
