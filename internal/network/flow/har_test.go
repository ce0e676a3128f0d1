package flow

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func randomHeader(r *rand.Rand) (h Header) {
	for range r.IntN(5) {
		h = append(h, pick(r, Field{"Accept", "a"}, Field{"accept", "ö"}, Field{"Cookie", "a=1; b=\"x\"; c"}, Field{"X", ""},
			Field{"Set-Cookie", "s=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly"}, Field{"Set-Cookie", "bad"},
			Field{"Content-Type", "text/plain"}, Field{"Location", "/x"}))
	}
	return h
}

func randomBody(r *rand.Rand) Body {
	b := Body{Coding: pick(r, "", "gzip"), Cut: r.IntN(3) == 0, Size: r.Int64N(1000)}
	switch r.IntN(3) {
	case 0:
		b.Content = []byte("text \"ö\"\n\x00\u2028</script>")
	case 1:
		b.Content = []byte{0xff, 0, 1, byte(r.IntN(256))}
	}
	return b
}

func randomFlow(r *rand.Rand) Flow {
	f := Flow{
		ID: NewID(), Started: time.UnixMicro(r.Int64N(4e15)).UTC(), State: pick(r, Open, Held, Done, Failed),
		Client: Client{Address: "127.0.0.1:1", PID: r.IntN(3), App: pick(r, "", "com.example")},
		Request: Request{Method: pick(r, "GET", "POST"), Protocol: "HTTP/2.0", Header: randomHeader(r),
			Body: randomBody(r), Trailer: randomHeader(r), URL: "https://shop.example/a" + pick(r, "", "?", "?a=1&b=%20+&c&=&a=%ff%zz", "?x=1#y=2")},
		Timing: Timing{DNS: pick(r, 0, 1.25), Connect: pick(r, 0, 2.5), TLS: pick(r, 0, 3.0), Request: pick(r, 0, 0.1), Held: pick(r, 0, 1000.0),
			Response: 4, Total: pick(r, 0, 20.0, 2000)},
		TLS: pick(r, nil, &TLS{"TLS 1.3", "shop.example"}), Rule: pick(r, "", "mock_1"), Changed: r.IntN(2) == 0,
		Hidden: pick(r, nil, []string{"url"}),
	}
	if r.IntN(4) > 0 {
		f.Response = &Response{Status: pick(r, 0, 101, 200, 500), Reason: pick(r, "", "OK"), Protocol: "HTTP/1.1", Header: randomHeader(r),
			Body: randomBody(r), Trailer: randomHeader(r)}
	}
	if f.State == Failed {
		f.Trouble = Trouble{NoServer, "nothing answers"}
	}
	for i := range r.IntN(4) {
		m := Message{AtMS: int64(i * 10), Sent: r.IntN(2) == 0, Text: r.IntN(2) == 0, Size: 5, Data: []byte("hällo"), Cut: r.IntN(5) == 0}
		if !m.Text {
			m.Data, m.Closes = []byte{0, 255}, r.IntN(3) == 0
		}
		f.Messages, f.Told = append(f.Messages, m), i+1
	}
	return f
}

func written(t testing.TB, flows []Flow) []byte {
	t.Helper()
	var out bytes.Buffer
	err := WriteHAR(&out, func(yield func(*Flow) bool) {
		for i := range flows {
			if !yield(&flows[i]) {
				return
			}
		}
	}, HAROptions{Version: "1.0", Comment: "a \"entries\":[] comment"})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestHARConformsToSchema: the archive conforms to the specification, with an entry for each flow.
func TestHARConformsToSchema(t *testing.T) {
	raw, err := os.ReadFile("testdata/har-1.2.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	valid, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for round := range 100 {
		flows := make([]Flow, 0, 5)
		for range round % 5 {
			flows = append(flows, randomFlow(r))
		}
		out := written(t, flows)
		var doc any
		if err := json.Unmarshal(out, &doc); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, out)
		}
		if err := valid.Validate(doc); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, out)
		}
		var back struct{ Log harLog }
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, out)
		}
		if told := slices.EqualFunc(back.Log.Entries, flows, tells); !told {
			t.Fatalf("seed %d: the archive is\n%s\nwant the flows\n%+v", seed, out, flows)
		}
	}
	for name, spoil := range map[string][2]string{
		"a field without underscore": {`"_flow"`, `"flow"`}, "no timings": {`"timings"`, `"_timings"`},
		"a negative wait": {`"wait":`, `"wait":-1,"_w":`},
		"another version": {`"version":"1.2"`, `"version":"1.3"`}, "no time": {`"startedDateTime":"`, `"startedDateTime":"x`},
	} {
		var doc any
		out := strings.Replace(string(written(t, []Flow{randomFlow(r)})), spoil[0], spoil[1], 1)
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatal(name, err)
		}
		if valid.Validate(doc) == nil {
			t.Errorf("%s is no HAR, and the schema takes it", name)
		}
	}
}

// tells reports whether an entry has a flow's request, answer, messages and content.
func tells(e harEntry, f Flow) bool {
	same := e.Flow != nil && e.Flow.ID == f.ID && e.Request.Method == f.Request.Method && e.Request.URL == f.Request.URL &&
		len(e.Request.Headers) == len(f.Request.Header) && len(e.Messages) == len(f.Messages)
	if f.Response == nil || !same {
		return same
	}
	content := []byte(e.Response.Content.Text)
	if e.Response.Content.Encoding == "base64" {
		content, _ = base64.StdEncoding.DecodeString(e.Response.Content.Text)
	}
	return e.Response.Status == f.Response.Status && len(e.Response.Headers) == len(f.Response.Header) &&
		bytes.Equal(content, f.Response.Body.Content)
}

// TestHAREntryHasExpectedFields: the parts that other programs look at.
func TestHAREntryHasExpectedFields(t *testing.T) {
	f := Flow{
		ID: "f_1", State: Done, Started: time.Date(2026, 11, 16, 12, 0, 0, 5e6, time.UTC),
		Timing: Timing{DNS: 1, Connect: 2, TLS: 3, Response: 4, Total: 20},
		Request: Request{Method: "POST", URL: "wss://shop.example/a?b=1%202&b=", Protocol: "HTTP/1.1",
			Header: Header{{"cookie", "s=1; t=2"}, {"Content-Type", "x/y"}},
			Body:   Body{Size: 3, Content: []byte{255, 0, 1}}},
		Response: &Response{Status: 302, Reason: "Found", Protocol: "HTTP/1.1",
			Header: Header{{"location", "/b"}, {"Set-Cookie", "s=2; Path=/; Secure"}},
			Body:   Body{Size: 10, Coding: "gzip", Content: []byte("hello hello hello")}},
		Messages: []Message{{AtMS: 95, Sent: true, Text: true, Size: 2, Data: []byte("hi")}},
	}
	e := entryOf(&f)
	got := fmt.Sprintln(e.Started, e.Time, e.Timings, e.Request.Cookies, e.Request.Query, *e.Request.PostData, e.Response.Status,
		e.Response.RedirectURL, e.Response.Cookies, e.Response.Content, e.Response.BodySize, e.Resource, e.Messages)
	want := `2026-11-16T12:00:00.005Z 20 {-1 1 5 0 10 4 3} [{s 1    false false} {t 2    false false}] [{b 1 2} {b }] ` +
		`{x/y /wAB base64} 302 /b [{s 2 /   false true}] {17 7  hello hello hello  } 10 websocket [{send 1.7948304001e+09 1 hi 2 false 95}]`
	if strings.TrimSpace(got) != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

// TestHARDistinguishesEventsFromWebSockets: a stream of events has the fields that browsers write, and no field of a WebSocket.
func TestHARDistinguishesEventsFromWebSockets(t *testing.T) {
	f := Flow{
		ID: "f_1", Started: time.Unix(1_700_000_000, 0), State: Done, Request: Request{Method: "GET", URL: "https://shop.example/live"},
		Response: &Response{Status: 200, Header: Header{{"content-type", "Text/Event-Stream; charset=utf-8"}}},
		Messages: []Message{
			{AtMS: 500, Text: true, Size: 30, Data: []byte("event: price\nid: 7\ndata: {\"n\":1}\ndata:two")}, {Text: true, Data: []byte("data: x")},
		},
	}
	out := string(written(t, []Flow{f}))
	want := `"_resourceType":"eventsource","_eventSourceMessages":[{"time":1700000000.5,"eventName":"price","eventId":"7",` +
		`"data":"{\"n\":1}\ntwo","_size":30,"_at_ms":500},{"time":1700000000,"eventName":"message","eventId":"","data":"x"}]`
	if !strings.Contains(out, want) || strings.Contains(out, "ebsocket") || strings.Contains(out, "_webSocket") {
		t.Errorf("got %s\nwant %s", out, want)
	}
}

// TestHAROmitsBodiesOnRequest: neither bodies nor messages are in the archive; how large they were is.
func TestHAROmitsBodiesOnRequest(t *testing.T) {
	f := Flow{
		Request: Request{Method: "POST", URL: "https://shop.example/", Body: Body{Size: 5, Content: []byte("asked")}},
		Response: &Response{Status: 200, Header: Header{{"Content-Type", "text/plain"}},
			Body: Body{Size: 8, Coding: "gzip", Content: []byte("replied")}},
		Messages: []Message{{Text: true, Data: []byte("spoken")}},
	}
	var out bytes.Buffer
	if err := WriteHAR(&out, func(yield func(*Flow) bool) { yield(&f) }, HAROptions{NoBodies: true}); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, carried := range []string{"asked", "replied", "spoken"} {
		if strings.Contains(got, carried) {
			t.Errorf("got %q in %s", carried, got)
		}
	}
	if want := `"content":{"size":8,"mimeType":"text/plain","comment":"the body is left out"}`; !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
