package network_test

import (
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ops/network"
)

func TestMocksAnswerUntilTheyAreRemoved(t *testing.T) {
	w := newWire(t)
	if e := w.Must("proxy_mocks", `{}`, nil); e.Stdout != "no mocks; make one: "+
		hint.Do("proxy_mock", "pattern", "PATTERN", "status", 500) {
		t.Errorf("got %q, want none", e.Stdout)
	}
	w.Must("proxy_start", `{}`, nil)
	var made network.MockOut
	e := w.Must("proxy_mock", `{"pattern":"~u /order","status":503,"body":"{\"error\":\"sold out\"}","times":1}`, &made)
	if made.Code != 503 || made.Times != 1 || len(made.Fields) != 1 || made.Fields[0].Value != "application/json" || made.Owner != "" ||
		!strings.HasPrefix(e.Stdout, made.ID+"  ~u /order → 503 ") || !strings.HasSuffix(e.Stdout, ", 1 time") {
		t.Errorf("got %+v and %q, want a mock of JSON, once", made, e.Stdout)
	}
	if code, body := w.ask("POST", "/order", ""); code != 503 || body != `{"error":"sold out"}` {
		t.Errorf("got %d %q, want the mock", code, body)
	}
	if code, _ := w.ask("POST", "/order", ""); code != 200 {
		t.Errorf("got %d, want the server after the first time", code)
	}
	var all network.MocksOut
	e = w.Must("proxy_mocks", `{}`, &all)
	if all.Total != 1 || all.Mocks[0].Hits != 1 || !strings.HasPrefix(e.Stdout, "1 mock\n") ||
		!strings.Contains(e.Stdout, ", answered 1 time") {
		t.Errorf("got %+v and\n%s\nwant one mock that answered once", all, e.Stdout)
	}
	var changed network.MockOut
	w.Must("proxy_mock", `{"id":"`+made.ID+`","status":404,"delay_ms":1}`, &changed)
	if changed.ID != made.ID || changed.Code != 404 || changed.Pattern != "~u /order" || changed.DelayMS != 1 || changed.Body != made.Body {
		t.Errorf("got %+v, want the same mock with another status", changed)
	}
	w.Refused("proxy_mock", `{"id":"mock_nothing","status":404}`, fault.MockNotFound, `no mock with the id "mock_nothing" was made by a call`)
	w.Refused("proxy_mock", `{"status":404}`, fault.InvalidInput, "pattern")
	w.Refused("proxy_mock", `{"pattern":"~u ("}`, fault.InvalidInput)
	w.Refused("proxy_mock", `{"pattern":"~u /a","fault":"reset","status":500}`, fault.InvalidInput, "fault")
	w.Refused("proxy_unmock", `{"id":"mock_nothing"}`, fault.MockNotFound, "mock_nothing")
	w.Refused("proxy_unmock", `{}`, fault.InvalidInput, "all")
	if e := w.Must("proxy_unmock", `{"id":"`+made.ID+`"}`, nil); e.Stdout != "removed 1 mock; 0 left" {
		t.Errorf("got %q, want it removed", e.Stdout)
	}
	if e := w.Must("proxy_unmock", `{"all":true}`, nil); e.Stdout != "removed 0 mocks; 0 left" {
		t.Errorf("got %q, want nothing to remove", e.Stdout)
	}
}

// A mock that would answer nothing says so before the next request goes past it (W4), and the form that lists print is a pattern.
func TestPatternsReportMeaningAndMatchCount(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("POST", "/order", "")
	w.ask("GET", "/menu", "")
	for _, c := range []struct{ op, pattern, want string }{
		{"proxy_mock", "POST /order", "~m ^POST$ & ~u /order → 503; it matches 1 of the newest 2 requests"},
		{"proxy_mock", "POST order", "POST order → 503; it matches none of the newest 2 requests"},
		{"proxy_hold", "POST /order", `"~m ^POST$ & ~u /order"; it matches 1 of the newest 2 requests`},
	} {
		input := `{"pattern":"` + c.pattern + `"}`
		if c.op == "proxy_mock" {
			input = `{"pattern":"` + c.pattern + `","status":503}`
		}
		if e := w.Must(c.op, input, nil); !strings.Contains(e.Stdout, c.want) {
			t.Errorf("%s %s: got %q, want %q", c.op, c.pattern, e.Stdout, c.want)
		}
	}
	w.Must("proxy_unhold", `{}`, nil)
	if code, _ := w.ask("POST", "/order", ""); code != 503 {
		t.Errorf("got %d, want the mock", code)
	}
	for pattern, want := range map[string]string{"POST /order": "2 requests", "~u /order & ~c 503": "1 request", "GET /menu": "1 request"} {
		e := w.Must("list_flows", `{"pattern":"`+pattern+`"}`, nil)
		if first, _, _ := strings.Cut(e.Stdout, "\n"); first != want {
			t.Errorf("%s: got %q, want %q", pattern, e.Stdout, want)
		}
	}
	w.Must("list_flows", `{"pattern":"~u /","limit":1}`, nil)
	w.Refused("list_flows", `{"pattern":"~u ("}`, fault.InvalidInput)
}

func TestMockFromFlowRepeatsItsResponse(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("GET", "/broken", "")
	var made network.MockOut
	w.Must("proxy_mock", `{"from":"latest"}`, &made)
	if made.Code != 500 || !strings.Contains(made.Pattern, "/broken") || !strings.HasPrefix(made.Body, "GET /broken") {
		t.Errorf("got %+v, want the answer that came", made)
	}
	w.Refused("proxy_mock", `{"from":"f_nothing"}`, fault.FlowNotFound, "f_nothing")
}

func TestHeldRequestIsReleasedWithChanges(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	if e := w.Must("proxy_held", `{}`, nil); e.Stdout != "no pattern is set; set one: "+hint.Do("proxy_hold", "pattern", "PATTERN") {
		t.Errorf("got %q, want no pattern", e.Stdout)
	}
	e := w.Must("proxy_hold", `{"pattern":"~u /order"}`, nil)
	if want := "holding requests that match \"~u /order\"; each is released after 30 s; wait for one: " +
		hint.Do("proxy_held", "wait_ms", 30000); e.Stdout != want {
		t.Errorf("got %q, want %q", e.Stdout, want)
	}
	if e := w.Must("proxy_held", `{}`, nil); e.Stdout != `no held requests; the pattern is "~u /order"` {
		t.Errorf("got %q, want nothing held", e.Stdout)
	}
	came := make(chan string, 1)
	go func() {
		_, body, err := w.try("POST", "/order", "shoes")
		if err != nil {
			body = err.Error()
		}
		came <- body
	}()
	var held network.HeldOut
	e = w.Must("proxy_held", `{"wait_ms":30000}`, &held)
	if held.Total != 1 || held.Held[0].Phase != "request" || held.Held[0].State != "held" || held.Held[0].Request.Body != "shoes" ||
		held.Held[0].Owner != "" || held.Held[0].ReleaseMS <= 0 || held.Next == 0 {
		t.Fatalf("got %+v, want the request held", held)
	}
	if !strings.HasPrefix(e.Stdout, "1 request held\n") || !strings.Contains(e.Stdout, "  request, released in ") ||
		!strings.HasSuffix(e.Stdout, "\n  body: \"shoes\"") {
		t.Errorf("got\n%s\nwant the request with its body", e.Stdout)
	}
	var status network.ProxyOut
	if e := w.Must("proxy_status", `{}`, &status); status.Held != 1 || status.Hold != "~u /order" ||
		!strings.Contains(e.Stdout, "\nholds: ~u /order") || !strings.Contains(e.Stdout, "\n1 request held: "+hint.Do("proxy_held")) {
		t.Errorf("got %+v and\n%s\nwant it told what is held", status, e.Stdout)
	}
	id := held.Held[0].ID
	e = w.Must("proxy_release", `{"flow_id":"`+id+`","body":"boots","header":["X-Test=1"]}`, nil)
	if e.Stdout != id+" released, changed; see its result: "+hint.Do("show_flow", "flow_id", id) {
		t.Errorf("got %q, want it released and changed", e.Stdout)
	}
	if body := <-came; body != "POST /order 1 boots" {
		t.Errorf("the server got %q, want the changed request", body)
	}
	if e := w.Run("proxy_release", `{"flow_id":"`+id+`"}`); e.Error == nil {
		t.Errorf("again: got %q, want a fault", e.Stdout)
	}
	if e := w.Must("proxy_release_all", `{}`, nil); e.Stdout != "0 held requests released" {
		t.Errorf("got %q, want none", e.Stdout)
	}
	if e := w.Must("proxy_unhold", `{}`, nil); e.Stdout != "holding stopped" {
		t.Errorf("got %q, want nothing held", e.Stdout)
	}
}

func TestHoldAppliesToRequestsResponsesOrBoth(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	for input, want := range map[string]network.HoldOut{
		`{"pattern":"~c 404","responses":true}`: {Pattern: "~c 404", Responses: true},
		`{"pattern":"~u /a","both":true}`:       {Pattern: "~u /a", Requests: true, Responses: true},
		`{"pattern":"~u /a"}`:                   {Pattern: "~u /a", Requests: true},
	} {
		var got network.HoldOut
		e := w.Must("proxy_hold", input, &got)
		if got != want {
			t.Errorf("%s: got %+v, want %+v", input, got, want)
		}
		word := map[bool]string{true: "requests", false: "responses"}[want.Requests]
		if want.Requests && want.Responses {
			word = "requests and responses"
		}
		if !strings.HasPrefix(e.Stdout, "holding "+word+" that match ") {
			t.Errorf("%s: got %q, want %s", input, e.Stdout, word)
		}
	}
}

func TestOtherSessionCannotChangeProxySettings(t *testing.T) {
	w := newWire(t)
	w.as("ann").Must("proxy_start", `{}`, nil)
	var got network.ProxyOut
	e := w.as("bob").Must("proxy_start", `{}`, &got)
	if got.Owner != "ann" || !strings.Contains(e.Stdout, "\nowned by the session ann, which alone changes its settings") {
		t.Errorf("got %+v and\n%s\nwant the proxy of ann", got, e.Stdout)
	}
	w.Must("proxy_set", `{"only":"b.example"}`, nil)
	w.Must("proxy_mock", `{"pattern":"~u /x"}`, nil)
	w.Must("proxy_hold", `{"pattern":"~u /y"}`, nil)
	e = w.as("ann").Must("proxy_status", `{}`, &got)
	if len(got.Others) != 1 || got.Others[0].Session != "bob" || got.Others[0].Only != "b.example" || got.Others[0].Mocks != 1 ||
		got.Only != "" ||
		!strings.Contains(e.Stdout, "\nsession bob: sees only b.example, holds ~u /y, 1 mock") {
		t.Errorf("got %+v and\n%s\nwant what bob has of it", got, e.Stdout)
	}
	var mocks network.MocksOut
	if e := w.Must("proxy_mocks", `{}`, &mocks); mocks.Mocks[0].Owner != "bob" || !strings.HasSuffix(e.Stdout, ", of the session bob") {
		t.Errorf("got %+v and %q, want a mock of bob", mocks, e.Stdout)
	}
	for _, call := range [][2]string{{"proxy_stop", `{}`}, {"proxy_unmock", `{"id":"` + mocks.Mocks[0].ID + `"}`}} {
		if e := w.Run(call[0], call[1]); e.Error == nil || !strings.Contains(e.Error.Message+e.Error.Hint, "bob") {
			t.Errorf("%s: got %+v, want a fault that names bob", call[0], e.Error)
		}
	}
	e = w.as("bob").Run("proxy_set", `{"upstream":"http://127.0.0.1:1"}`)
	if e.Error == nil || !strings.Contains(e.Error.Message+e.Error.Hint, "ann") {
		t.Errorf("got %+v, want a fault that names ann", e.Error)
	}
	w.as("ann").Refused("proxy_take_over", `{"owner":"eve","reason":"gone"}`, fault.SessionNotFound,
		`the session "eve" does not use the proxy`)
	e = w.Must("proxy_take_over", `{"owner":"bob","reason":"gone"}`, &got)
	if len(got.Taken) != 1 || got.Taken[0] != "bob" || got.Only != "b.example" || !strings.HasPrefix(e.Stdout, "taken over from bob\n") {
		t.Errorf("got %+v and\n%s\nwant what bob had", got, e.Stdout)
	}
	w.Must("proxy_set", `{"only":"","bypass":["a.example",""]}`, &got)
	if got.Only != "" || len(got.Bypass) != 1 {
		t.Errorf("got only %q and bypass %q, want all hosts but one", got.Only, got.Bypass)
	}
	w.Must("proxy_stop", `{}`, nil)
}
