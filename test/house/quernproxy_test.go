package house_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ios-agent/test/house"
)

// TestAQuernProxySession is written from quern's documents: paths, parameters, bodies and statuses of its rows about the network.
func TestAQuernProxySession(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	q := quernREST{w.House, t}
	const at = "/api/v1/proxy"
	type body = map[string]any

	// Without a proxy: what tells is 200, what needs one is 503, and stop is a conflict.
	wants(t, q.ask(200, "GET", at+"/status", nil), body{"status": "stopped", "port": 9101, "flows_captured": 0, "error": nil})
	wants(t, q.ask(200, "GET", at+"/intercept/held", nil), body{"total_held": 0, "pattern": nil})
	wants(t, q.ask(200, "GET", at+"/flows", nil), body{"total": 0, "has_more": false})
	q.ask(http.StatusConflict, "POST", at+"/stop", nil)
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/intercept", body{"pattern": "~all"}}, {"DELETE", "/intercept", nil}, {"POST", "/intercept/release", body{"flow_id": "f_0"}},
		{"POST", "/intercept/release-all", nil}, {"POST", "/mock", body{"pattern": "~all"}}, {"DELETE", "/mocks", nil},
		{"POST", "/filter", body{"host": "x.example"}}, {"PATCH", "/mocks/mock_00000000", body{"body": "x"}},
	} {
		q.ask(http.StatusServiceUnavailable, c.method, at+c.path, c.body)
	}
	wants(t, q.ask(200, "POST", at+"/start", nil), body{"status": "running", "listen_host": "127.0.0.1", "active_filter": nil})
	q.ask(http.StatusConflict, "POST", at+"/start", nil)
	server := house.Result[struct {
		Port   int    `json:"proxy_port"`
		On     bool   `json:"proxy_enabled"`
		Status string `json:"proxy_status"`
	}](w.House, w.Must("a", "ensure_server", nil))
	if server.Port < 1024 || !server.On || server.Status != "running" {
		t.Errorf("%+v", server)
	}
	w.send("GET", "/products?page=1", "")
	w.send("POST", "/broken/order", `{"password":"hunter2"}`)

	// What breaks the schema is 422; a pattern or a cursor that is wrong 400; what is not there 404.
	for _, c := range []struct {
		status       int
		method, path string
		body         any
	}{
		{422, "GET", "/flows?limit=0", nil}, {422, "GET", "/flows?status_min=many", nil}, {422, "GET", "/flows?since=soon", nil},
		{422, "GET", "/flows/summary?window=2h", nil}, {400, "GET", "/flows/summary?since_cursor=nonsense", nil},
		{404, "GET", "/flows/f_000000000000", nil}, {404, "POST", "/replay/f_000000000000", nil},
		{422, "GET", "/intercept/held?timeout=61", nil}, {422, "POST", "/intercept", body{}}, {400, "POST", "/intercept",
			body{"pattern": "~p x"}},
		{404, "POST", "/intercept/release", body{"flow_id": "f_000000000000"}}, {422, "POST", "/intercept/release", body{"flow_id": "f",
			"modifications": "x"}},
		{422, "POST", "/intercept/release", body{"flow_id": "f", "modifications": body{"no": 1}}},
		{400, "POST", "/mocks", body{"pattern": "~("}}, {422, "POST", "/mocks", body{"pattern": "~all", "status_code": 99}},
		{422, "POST", "/start", body{"port": 70000}}, {422, "POST", "/flows/wait", body{"timeout": 0}},
	} {
		q.ask(c.status, c.method, at+c.path, c.body)
	}

	// Flows.
	found := q.ask(200, "GET", at+"/flows?status_min=500", nil)
	wants(t, found, body{"total": 1, "has_more": false})
	one, _ := found["flows"].([]any)[0].(map[string]any)
	wants(t, one, body{"request.method": "POST", "request.path": "/broken/order", "response.status_code": 500, "error": nil,
		"device_id":                     "default",
		"request.headers.authorization": "Bearer <secret>", "request.body": `{"password":"<secret>"}`, "request.body_encoding": "utf-8"})
	id, _ := one["id"].(string)
	wants(t, q.ask(200, "GET", at+"/flows/"+id, nil), body{"id": id})
	sum := q.ask(200, "GET", at+"/flows/summary", nil)
	wants(t, sum, body{"window": "5m", "total_flows": 2})
	cursor, _ := sum["cursor"].(string)
	wants(t, q.ask(200, "GET", at+"/flows/summary?since_cursor="+cursor, nil), body{"total_flows": 0})
	wants(t, q.ask(200, "POST", at+"/flows/wait", body{"path_contains": "/order", "timeout": 60}), body{"matched": true, "flow.id": id})
	wants(t, q.ask(200, "POST", at+"/flows/wait", body{"path_contains": "/never", "timeout": 0.1}), body{"matched": false, "flow": nil})
	again := q.ask(200, "POST", at+"/replay/"+id, body{"modify_headers": body{"x-again": "1"}})
	wants(t, again, body{"status": "success", "original_flow_id": id, "status_code": 500})
	wants(t, q.ask(200, "GET", at+"/flows/"+again["flow_id"].(string), nil), body{"request.headers.x-again": "1", "tags": "[replay]"})

	// Held and released with a change.
	wants(t, q.ask(200, "POST", at+"/intercept", body{"pattern": "~u /held"}), body{"status": "accepted", "pattern": "~u /held"})
	answered := make(chan string, 1)
	go func() {
		_, text := w.send("POST", "/held", "before")
		answered <- text
	}()
	held := q.ask(200, "GET", at+"/intercept/held?timeout=60", nil)
	wants(t, held, body{"pattern": "~u /held", "total_held": 1})
	first, _ := held["held_flows"].([]any)[0].(map[string]any)
	if _, err := time.Parse(time.RFC3339, first["held_at"].(string)); err != nil {
		t.Error(err)
	}
	release := body{"flow_id": first["id"], "modifications": body{"body": "after", "headers": body{"x-test": "1"}, "method": "PUT"}}
	wants(t, q.ask(200, "POST", at+"/intercept/release", release), body{"status": "released", "flow_id": first["id"]})
	if text := <-answered; text != `PUT /held "after"` {
		t.Error(text)
	}
	wants(t, q.ask(200, "POST", at+"/intercept/release-all", nil), body{"status": "released", "count": 0})
	wants(t, q.ask(200, "DELETE", at+"/intercept", nil), body{"status": "accepted"})

	// Mocks, on both paths and in both shapes. A body is not a template.
	flat := q.ask(200, "POST", at+"/mock", body{"pattern": "~u /flat", "status_code": 418, "body": "{{now}}"})
	nested := q.ask(200, "POST", at+"/mocks", body{"pattern": "~u /nested",
		"response": body{"status_code": 503, "headers": body{"x-a": "b"}, "body": "gone"}})
	if code, text := w.send("GET", "/flat", ""); code != 418 || text != "{{now}}" {
		t.Errorf("%d %s", code, text)
	}
	if code, text := w.send("GET", "/nested", ""); code != 503 || text != "gone" {
		t.Errorf("%d %s", code, text)
	}
	list := q.ask(200, "GET", at+"/mocks", nil)
	wants(t, list, body{"total": 2})
	rule, _ := list["rules"].([]any)[1].(map[string]any)
	wants(t, rule, body{"rule_id": nested["rule_id"], "pattern": "~u /nested", "response.status_code": 503, "response.headers.x-a": "b",
		"hits": 1})
	q.changesMocks(at, flat["rule_id"].(string))
	wants(t, q.ask(200, "DELETE", at+"/mocks/"+flat["rule_id"].(string), nil), body{"status": "deleted", "rule_id": flat["rule_id"]})
	q.ask(404, "DELETE", at+"/mock/mock_00000000", nil)
	wants(t, q.ask(200, "DELETE", at+"/mock", nil), body{"status": "deleted", "count": 1})

	// One host; the guide; the end.
	wants(t, q.ask(200, "POST", at+"/filter", body{"host": "x.example"}), body{"status": "accepted", "filter": "x.example"})
	wants(t, q.ask(200, "GET", at+"/status", nil), body{"active_filter": "x.example"})
	wants(t, q.ask(200, "POST", at+"/filter", body{}), body{"filter": nil})
	q.loadsTheCertificate(at + "/cert")
	guide := q.ask(200, "GET", at+"/setup-guide", nil)
	if steps, _ := guide["steps"].([]any); len(steps) != 2 {
		t.Errorf("%v", guide)
	}
	wants(t, q.ask(200, "POST", at+"/stop", nil), body{"status": "stopped"})
}

// TestWaitForFlowTakesOnlyRecentFinishedFlows: a flow older than five seconds and a flow without an answer do not match, and a stopped
// proxy is a fault: no request can come.
func TestWaitForFlowTakesOnlyRecentFinishedFlows(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	began := time.Now()
	w := newWire(t, func(o *house.Options) {
		o.Now = func() time.Time { return began.Add(time.Duration(later.Load())) } // of the product; the process of the proxy has the real one
	})
	q := quernREST{w.House, t}
	const at = "/api/v1/proxy"
	type body = map[string]any
	wait := func(status int, input body) body {
		t.Helper()
		return q.ask(status, "POST", at+"/flows/wait", input)
	}
	early := body{"path_contains": "/early", "timeout": 0.1}
	earlySince := body{"path_contains": "/early", "timeout": 0.1, "since": began.UTC().Format(time.RFC3339Nano)}
	wait(http.StatusServiceUnavailable, early)
	q.ask(200, "POST", at+"/start", nil)
	w.send("GET", "/early", "")
	wants(t, wait(200, early), body{"matched": true, "flow.request.path": "/early"})

	q.ask(200, "POST", at+"/intercept", body{"pattern": "~u /held"})
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		w.send("GET", "/held", "")
	}()
	q.ask(200, "GET", at+"/intercept/held?timeout=60", nil)
	wants(t, wait(200, body{"path_contains": "/held", "timeout": 0.1}), body{"matched": false, "flow": nil})
	q.ask(200, "POST", at+"/intercept/release-all", nil)
	<-answered
	wants(t, wait(200, body{"path_contains": "/held", "timeout": 60}), body{"matched": true, "flow.response.status_code": 200})

	later.Store(int64(time.Hour))
	wants(t, wait(200, early), body{"matched": false, "flow": nil})
	wants(t, wait(200, earlySince), body{"matched": true})
	q.ask(200, "POST", at+"/stop", nil)
	wait(http.StatusServiceUnavailable, earlySince)
}

// changesMocks: what is given changes, the rest stays, and what is no template is shown as it was given.
func (q quernREST) changesMocks(at, rule string) {
	q.t.Helper()
	type body = map[string]any
	before := q.ask(200, "GET", at+"/mocks", nil)["rules"].([]any)[0].(map[string]any)
	wants(q.t, before, body{"rule_id": rule, "response.status_code": 418, "response.body": "{{now}}"})
	wants(q.t, q.ask(200, "PATCH", at+"/mocks/"+rule, body{"status_code": 503}), body{"status": "updated", "rule_id": rule,
		"pattern": "~u /flat", "response.status_code": 503, "response.body": "{{now}}"})
	both := body{"pattern": "~u /moved", "response": body{"body": "{{uuid}}", "headers": body{"x-b": "c"}}}
	wants(q.t, q.ask(200, "PATCH", at+"/mock/"+rule, both),
		body{"pattern": "~u /moved", "response.status_code": 503, "response.headers.x-b": "c", "response.body": "{{uuid}}"})
	after := q.ask(200, "GET", at+"/mocks", nil)["rules"].([]any)[0].(map[string]any)
	wants(q.t, after, body{"rule_id": rule, "pattern": "~u /moved", "response.status_code": 503, "response.body": "{{uuid}}"})
	for _, c := range []struct {
		status int
		rule   string
		body   any
	}{
		{404, "mock_00000000", body{"body": "x"}}, {400, rule, body{}}, {400, rule, body{"pattern": "~("}}, {422, rule, body{"status_code": 99}},
		{422, rule, body{"response": body{"no": 1}}}, {400, rule, body{"response": body{"headers": body{}}}}, {422, rule, body{"rule": "x"}},
	} {
		q.ask(c.status, "PATCH", at+"/mocks/"+c.rule, c.body)
	}
}

// loadsTheCertificate: a phone without the key gets it as iOS wants it, or as PEM; never the key.
func (q quernREST) loadsTheCertificate(path string) {
	q.t.Helper()
	handler, _ := q.h.HTTP()
	load := func(query, kind string) []byte {
		q.t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(q.t.Context(), http.MethodGet, "http://127.0.0.1"+path+query, nil))
		if w.Code != 200 || w.Header().Get("Content-Type") != kind || !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") {
			q.t.Errorf("%s: %d %v %s", query, w.Code, w.Header(), w.Body)
		}
		return w.Body.Bytes()
	}
	der := load("", "application/x-x509-ca-cert")
	if cert, err := x509.ParseCertificate(der); err != nil || !cert.IsCA {
		q.t.Errorf("%v", err)
	}
	block, rest := pem.Decode(load("?format=pem", "application/x-pem-file"))
	if block == nil || block.Type != "CERTIFICATE" || len(rest) > 0 || !bytes.Equal(block.Bytes, der) {
		q.t.Errorf("%v %q", block, rest)
	}
	q.ask(422, "GET", path+"?format=p12", nil)
}
