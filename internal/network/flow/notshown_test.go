package flow_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/network/flow"
)

// deep is a document in a string of a document, so often.
func deep(text string, times int) string {
	for range times {
		quoted, _ := json.Marshal(text)
		text = `{"a":` + string(quoted) + `}`
	}
	return text
}

// TestSecretsOfFlowsAreNotShown, wherever they stand; the rest stays byte for byte, and the flow that was given as it was.
func TestSecretsOfFlowsAreNotShown(t *testing.T) {
	const secret = "hunter2-0815"
	for _, c := range []struct{ url, name, value, body, kept, kind string }{
		{url: "https://x.example/a?page=1&access_token=" + secret + "#top", kept: "page=1"},
		{url: "https://me:" + secret + "@x.example/a", kept: "x.example/a"},
		{name: "Authorization", value: "Bearer " + secret, kept: "Authorization"},
		{name: "Cookie", value: "sid=" + secret, kept: "Cookie"},
		{name: "X-API-Key", value: secret, kept: "X-API-Key"},
		{body: `{"user":"ann","login":{"password":"` + secret + `"},"n":12345678901234567890}`, kept: `12345678901234567890`},
		{body: `[{"refreshToken":"` + secret + `"},{"a":"<b>"}]`, kept: "<b>"},
		{body: `{"apiKey":{"id":"` + secret + `"}}`, kept: "apiKey"},
		{body: `{"tokens":["}","` + secret + `"],"a":[1]}`, kept: `"a":[1]`},
		{body: `{"password":{"old":["` + secret, kept: "password"},
		{body: "user=ann&password=" + secret, kept: "user=ann"},
		{body: `{"user":"ann","password":"` + secret + `","cut":"of`, kept: `"user":"ann"`},
		{body: `{"user":"ann","password":"` + secret, kept: `"user":"ann"`},
		{body: `{"user":"ann","payload":"{\"n\":1,\"password\":\"` + secret + `\"}","z":"<b>"}`, kept: `"z":"<b>"`},
		{body: `["a",["{\"pin\": \"` + secret + `\"}"],"z"]`, kept: `"z"]`},
		{body: `{"log":"sent {\"password\":\"` + secret + `\",\"n\":7} twice"}`, kept: `\"n\":7} twice`},
		{body: `{"a":"{\"b\":\"{\\\"c\\\":{\\\"password\\\":\\\"` + secret + `\\\"}}\"}","k":[1]}`, kept: `"k":[1]`},
		{body: `{"a":"{\u0022password\u0022:\u0022` + secret + `\u0022}","k":[1]}`, kept: `"k":[1]`},
		{body: `{"pass\u0077ord":"` + secret + `"}`, kept: "{"},
		{body: `{"a":"{\"k\":1,\"password\":\"` + secret + `\`, kept: `\"k\":1`},
		{body: `{"a":"{\"password\":\"` + secret[:7] + "\n" + secret + `\"}","k":[1]}`, kept: `"k":[1]`},
		{body: deep(`{"password":"`+secret+`"}`, 12) + " kept", kept: " kept"},
		{body: "user=ann&payload=%7B%22password%22%3A%22" + secret + "%22%7D", kept: "user=ann", kind: "application/x-www-form-urlencoded"},
	} {
		f := flow.Flow{}
		head := flow.Header{{Name: c.name, Value: c.value}, {Name: "Content-Type", Value: c.kind}}
		f.Request = flow.Request{URL: c.url, Header: head, Body: flow.Body{Content: []byte(c.body)}}
		f.Response = &flow.Response{Header: f.Request.Header, Body: f.Request.Body}
		f.Messages = []flow.Message{{Data: []byte(c.body)}}
		before, _ := json.Marshal(f)
		got := flow.Redacted(f, flow.Names{})
		after, _ := json.Marshal(f)
		if string(before) != string(after) {
			t.Errorf("the flow itself was changed: %s", after)
		}
		if len(got.Hidden) == 0 {
			t.Errorf("%+v: nothing is said of it", c)
		}
		var all strings.Builder
		all.WriteString(got.Request.URL + got.Request.Header[0].Name + got.Request.Header[0].Value)
		all.WriteString(string(got.Request.Body.Content) + got.Response.Header[0].Value)
		all.WriteString(string(got.Response.Body.Content))
		if c.kind == "" { // messages have none
			all.WriteString(string(got.Messages[0].Data))
		}
		if text := all.String(); strings.Contains(text, secret) || !strings.Contains(text, c.kept) {
			t.Errorf("%+v: %s", c, text)
		}
	}
	plain := flow.Flow{Request: flow.Request{URL: "https://x.example/?q=1", Body: flow.Body{Content: []byte("{ \"a\" : 1 }")}}}
	got := flow.Redacted(plain, flow.Names{})
	if string(got.Request.Body.Content) != `{ "a" : 1 }` || got.Request.URL != plain.Request.URL || got.Hidden != nil {
		t.Errorf("%+v", got)
	}
}
