package network_test

import (
	"strings"
	"testing"

	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/ops/network"
)

// TestNetworkTextsShowOnlyKnownParts is the texts of what was answered: each part is there when it has something to say.
func TestNetworkTextsShowOnlyKnownParts(t *testing.T) {
	for _, c := range []struct {
		of   interface{ Text() string }
		want string
	}{
		{network.FlowLine{ID: "f_1", State: "open", Method: "GET", URL: "https://a.example/b"}, "f_1  GET /b  open  a.example"},
		{network.FlowLine{ID: "f_1", State: "done", Method: "GET", URL: "https://a.example/b", Code: 204, TookMS: 7, Process: "curl"},
			"f_1  GET /b  204  7 ms  a.example  curl"},
		{network.FlowLine{ID: "f_1", State: "held", Method: "GET", URL: "https://a.example/b", Code: 200, App: "com.shop", Process: "Shop",
			Rule: "mock_1", Changed: true, Repeats: "f_0", Problem: "cut off"},
			"f_1  GET /b  200 (held)  a.example  com.shop  mocked  changed  repeats f_0: cut off"},
		{network.ListFlowsOut{Total: 3, HasMore: true, Step: "s2", Note: "look", Flows: []network.FlowLine{{ID: "f_1", URL: "https://a/"}}},
			"3 requests of step s2, the newest 1\nf_1   /    a\nnote: look"},
		{network.ListFlowsOut{}, "0 requests"},
		{network.ExportFlowsOut{Path: "/tmp/a", Count: 1, Total: 1, Bytes: 1}, "wrote 1 request to /tmp/a (1 byte)"},
		{network.ExportFlowsOut{Path: "/tmp/a", Count: 1, Total: 2, Bytes: 9, Revealed: true},
			"wrote 1 request to /tmp/a (9 bytes); the newest of 2, a higher " + hint.Field("limit") +
				" writes more; it contains secrets: do not share it"},
		{network.MockOut{ID: "m", Pattern: "~all", Code: 200}, "m  ~all → 200"},
		{network.MockOut{ID: "m", Pattern: "~all", Code: 200, Fault: "reset", DelayMS: 5, Times: 2, Hits: 1, File: "/m.json", Owner: "bob"},
			"m  ~all → reset after 5 ms, 2 times, answered 1 time  /m.json, of the session bob"},
		{network.MocksOut{Problem: "two are wrong\nthis one"},
			"no mocks; make one: " + hint.Do("proxy_mock", "pattern", "PATTERN", "status", 500) + "\nproblem: two are wrong\n  | this one"},
		{network.HoldOut{Released: 2}, "holding stopped; 2 held requests released"},
		{network.ReleasedOut{ID: "f_1"}, "f_1 released; see its result: " + hint.Do("show_flow", "flow_id", "f_1")},
		{network.ProxyShare{Session: "bob"}, "session bob: uses it"},
		{network.ProxyShare{Session: "bob", Bypass: []string{"a", "b"}, Mocks: 2}, "session bob: bypasses a, b, 2 mocks"},
		{network.ProxyOut{Status: "error", Flows: 1, Restarts: 1, Mocks: 1, MocksDir: "/mocks", Upstream: "http://up", Problem: "bad"},
			"the proxy does not run now (error); 1 request captured\nupstream: http://up\nmocks of: /mocks\nproblem: bad\n" +
				"1 mock: " + hint.Do("proxy_mocks") + "\nits process was restarted 1 time"},
	} {
		if got := c.of.Text(); got != c.want {
			t.Errorf("%T: got\n%s\nwant\n%s", c.of, got, c.want)
		}
	}
}

// TestShowFlowTextHasKnownDetails: bodies that are no text, whose it is, where the time went, and a command only if it is one plain line.
func TestShowFlowTextHasKnownDetails(t *testing.T) {
	line := network.FlowLine{ID: "f_1", State: "done", Method: "GET", URL: "https://a/b", Unknown: "it left"}
	plain := network.ShowFlowOut{FlowLine: line, Timing: flow.Timing{Total: 9, Connect: 2, Held: 1}, Curl: "curl https://a/b"}
	want := "f_1  GET /b  done  a\nurl: \"https://a/b\"\nunknown sender: it left\ntiming: 9 ms, connect 2, held 1\nrequest:\ncurl https://a/b"
	if got := plain.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, command := range []string{"curl 'a\nb'", "curl \x1b[31m"} {
		o := network.ShowFlowOut{FlowLine: line, Curl: command}
		want := "\nthe curl command is not one plain line; write it to a file: " +
			hint.Do("export_flows", "out", "FILE", "format", "curl", "flow", "f_1")
		if got := o.Text(); !strings.HasSuffix(got, want) {
			t.Errorf("%q: got\n%s\nwant%s", command, got, want)
		}
	}
	line.Unknown = ""
	o := network.ShowFlowOut{FlowLine: line, Request: network.FlowPart{Protocol: "HTTP/2", Bytes: 3},
		Response: &network.FlowPart{Fields: []network.FlowField{{Name: "A", Value: "b"}}}}
	want = "f_1  GET /b  done  a\nurl: \"https://a/b\"\ntiming: 0 ms\nrequest: HTTP/2\n  body, 3 bytes, not text\nresponse:\n  A: b"
	if got := o.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestGuideHasALineForEachStep(t *testing.T) {
	steps := []network.GuideStep{{Target: "a simulator", Instructions: []string{"boot", "look"}}}
	for want, o := range map[string]network.ProxyGuideOut{
		"the proxy runs on [::1]:9101\na simulator:\n→ boot\n→ look": {Status: "running", Listen: "::1", Port: 9101, Steps: steps},
		"the proxy does not run\n→ " + hint.Do("proxy_start"):        {Status: "stopped"},
	} {
		if got := o.Text(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestAskedForParsesMethodAndPath(t *testing.T) {
	for text, want := range map[string]flow.Filter{
		"POST /order": {Method: "POST", Path: "/order"}, " /order ": {Path: "/order"}, "a.b": {Path: "a.b"}, "?q=1": {Path: "?q=1"},
		"GET": {Method: "GET"}, "GET   /a": {Method: "GET", Path: "/a"}, "!~": {Method: "!~"},
	} {
		var got flow.Filter
		if err := network.AskedFor(text, &got); err != nil || got != want {
			t.Errorf("%q: got %+v and %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"GET /a /b", "GÉT", "A\x7fB", "\x1fGET", "GET /a\t/b"} {
		if err := network.AskedFor(text, &flow.Filter{}); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

func TestCheckHostRefusesInvalidHost(t *testing.T) {
	for host, ok := range map[string]bool{
		strings.Repeat("a", 253): true, strings.Repeat("a", 254): false, "": false, "a.example": true, "[::1]:80": true, "a@b": false,
		"a\u202eb": false,
	} {
		if err := network.CheckHost("only", host); (err == nil) != ok {
			t.Errorf("%q: got %v, want a host: %v", host, err, ok)
		}
	}
}
