package flow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
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

// TestHARIsHAR: what is written is what the specification asks for, and reading it gives the same flows.
func TestHARIsHAR(t *testing.T) {
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
		back, err := ReadHAR(out)
		if err != nil || len(back) != len(flows) || len(flows) > 0 && !reflect.DeepEqual(back, flows) {
			t.Fatalf("seed %d: %v\n%+v\nnot\n%+v\n%s", seed, err, back, flows, out)
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

// TestOneEntry: the parts that other programs look at.
func TestOneEntry(t *testing.T) {
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
		`{x/y [] /wAB base64} 302 /b [{s 2 /   false true}] {17 7  hello hello hello  } 10 websocket [{send 1.7948304001e+09 1 hi 2 false 95}]`
	if strings.TrimSpace(got) != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

// TestHARsOfOthers: what a browser wrote is read too, and what is wrong is told with its place.
func TestHARsOfOthers(t *testing.T) {
	const one = `{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-11-16T12:00:00+01:00","time":5,"request":{"method":"POST",` +
		`"url":"https://a.example/","headers":[{"name":"A","value":"b"}],"bodySize":-1,` +
		`"postData":{"mimeType":"x","params":[{"name":"a b","value":"&"}]}},` +
		`"response":{"status":200,"content":{"text":"aGk=","encoding":"base64"},"bodySize":-1},"timings":{"dns":-1,"send":1}}]}}`
	flows, err := ReadHAR([]byte("\xef\xbb\xbf" + one))
	if err != nil || len(flows) != 1 || string(flows[0].Request.Body.Content) != "a+b=%26" || string(flows[0].Response.Body.Content) != "hi" ||
		flows[0].Timing.Total != 5 || flows[0].ID == "" || flows[0].State != Done {
		t.Errorf("%+v %v", flows, err)
	}
	for in, want := range map[string]string{
		"":                                    "line 1, column 1: it ends too early",
		"{\n \"log\": {]":                     "line 2, column 10: invalid character ']' looking for beginning of object key string",
		"{}":                                  "log: it is missing",
		`{"log":{}}`:                          "log.entries: it is missing",
		one + "x":                             "line 1, column 383: there is something after the archive",
		`{"log":{"entries":[{}]}}`:            `log.entries[0].startedDateTime: "" is no time as in RFC 3339`,
		strings.Replace(one, "aGk=", "a*", 1): "log.entries[0].response.content.text: it is no base64: illegal base64 data at input byte 1",
		strings.Replace(one, `"base64"`, `"rot13"`, 1): `log.entries[0].response.content.text: the encoding "rot13" is unknown`,
		strings.Replace(one, `"1.2"`, `"2"`, 1):        `log.version: "2" is unknown`,
		strings.Replace(one, `200`, `"x"`, 1):          "line 1, column 287: log.entries.response.status must not be a string",
	} {
		_, err := ReadHAR([]byte(in))
		var wrong *HARError
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%.60q: %v, not %s", in, err, want)
		}
	}
}

// FuzzHAR: whatever is read can be written, and is the same when it is read again; what cannot be read is told with its place.
func FuzzHAR(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	f.Add(written(f, []Flow{randomFlow(r), randomFlow(r)}))
	f.Add([]byte(`{"log":{"entries":[{"startedDateTime":"2026-11-16T12:00:00+01:00",` +
		`"_webSocketMessages":[{"type":"send","time":1,"opcode":1}]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		flows, err := ReadHAR(data)
		if err != nil {
			var wrong *HARError
			if !errors.As(err, &wrong) || wrong.Line == 0 && wrong.Place == "" {
				t.Fatal(err)
			}
			return
		}
		out := written(t, flows)
		again, err := ReadHAR(out)
		if err != nil || len(again) != len(flows) {
			t.Fatalf("%v\n%s", err, out)
		}
		if twice := written(t, again); !bytes.Equal(out, twice) {
			t.Errorf("%s\nand then\n%s", out, twice)
		}
		ids := func(f Flow) string { return f.ID }
		if !slices.EqualFunc(flows, again, func(a, b Flow) bool { return ids(a) == ids(b) }) {
			t.Error("other ids")
		}
	})
}
