package mock_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoadReadsRulesOfFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.yaml", `# the second file
mocks:
  - match: ~m POST & ~u /orders
    status: 201
    headers:
      Set-Cookie: [a=1, "b=2"]
      X-Number: 7
    json:
      id: "{{counter}}"
      items: [{name: tea, price: 2.50, hot: true, note: null}]
    delay: 1.5s
    times: 2
  - {match: '!~q', id: mock_0000000f, fault: reset}
  - match: ~u /logo
    body_file: pictures/logo.png
`)
	write(t, dir, "a.yml", `mocks:
  - match: "orders"
    headers: [{A: 1}, {B: 2}, {A: 3}]
    body: |
      two
      lines
  - match: x
    body_base64: AP8=
`)
	write(t, dir, "empty.yaml", "# nothing yet\nmocks:\n")
	write(t, dir, "notes.txt", "mocks: [broken")
	write(t, dir, ".hidden.yaml", "mocks: [broken")
	write(t, dir, "pictures/logo.png", "PNG{{x}}")
	_, err := mock.Load(dir)
	if err == nil || !strings.Contains(err.Error(), "b.yaml:13: match: it matches only after the server's answer") {
		t.Fatalf("%v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "b.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "b.yaml", strings.ReplaceAll(string(text), "'!~q'", "'!~s'"))
	f, err := mock.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	rules := f.Rules()
	for i := range rules {
		if rules[i].ID != "mock_0000000f" {
			rules[i].ID = ""
		}
	}
	want := []mock.Rule{
		{Pattern: "orders", Response: mock.Response{Body: "two\nlines\n",
			Header: flow.Header{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}, {Name: "A", Value: "3"}}}},
		{Pattern: "x", Response: mock.Response{Bytes: []byte{0, 0xff}}},
		{Pattern: "~m POST & ~u /orders", Times: 2, Response: mock.Response{Status: 201, Delay: 1500 * time.Millisecond,
			Header: flow.Header{{Name: "Set-Cookie", Value: "a=1"}, {Name: "Set-Cookie", Value: "b=2"}, {Name: "X-Number", Value: "7"}},
			JSON:   []byte(`{"id":"{{counter}}","items":[{"hot":true,"name":"tea","note":null,"price":2.50}]}`)}},
		{ID: "mock_0000000f", Pattern: "!~s", Response: mock.Response{Fault: flow.Reset}},
		{Pattern: "~u /logo", Response: mock.Response{BodyFile: "pictures/logo.png", Folder: dir}},
	}
	if !reflect.DeepEqual(rules, want) {
		t.Errorf("%+v\nwant\n%+v", rules, want)
	}
	again, err := mock.Load(dir)
	if err != nil || !reflect.DeepEqual(again.Rules(), f.Rules()) {
		t.Errorf("ids change: %v", err)
	}
	set, err := mock.NewSet(f.Rules(), nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	logo := &flow.Flow{Request: flow.Request{Method: "GET", URL: "https://a/logo"}}
	set, err = mock.NewSet(f.Rules()[4:], set, time.Now)
	if a := set.Answer(logo); err != nil || string(a.Body) != "PNG{{x}}" || a.Header.Get("content-type") != "image/png" {
		t.Errorf("%+v %v", a, err)
	}
	if err := os.Remove(filepath.Join(dir, "pictures/logo.png")); err != nil {
		t.Fatal(err)
	}
	const gone = "cannot read body_file pictures/logo.png: it is not there"
	if a := set.Answer(logo); a.Status != 500 || !strings.Contains(string(a.Body), gone) {
		t.Errorf("%+v", a)
	}
}

func TestLoadErrorNamesFileAndLine(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"mocks:\n- match: ~u x\n  stauts: 3\n", `a.yaml:3: unknown key "stauts"; did you mean status?`},
		{"mocks:\n- pattern: ~u x\n", `a.yaml:2: unknown key "pattern"; did you mean match?`},
		{"mocks:\n- match: x\n  zzzzzzz: x\n", "the keys are body, "},
		{"mocks:\n- status: 3\n", "a.yaml:2: match is missing"},
		{"mock:\n- match: x\n", `a.yaml:1: unknown key "mock"; write a list of rules under mocks`},
		{"- match: x\n", "a.yaml:1: the file must be a mapping"},
		{"mocks: 3\n", "a.yaml:1: mocks must be a list"},
		{"mocks: {match: x}\n", "a.yaml:1: mocks must be a list"},
		{"mocks:\n- x\n", "a.yaml:2: a rule has keys"},
		{"mocks:\n- match: 12\n", "a.yaml:2: match: it must be a text"},
		{"mocks:\n- match: ok\n\n- match: ~p /x\n", "a.yaml:4: match: the pattern is wrong at offset 0: unknown operator ~p"},
		{"mocks:\n- match: !~q\n", "a.yaml:2: anchors (&), aliases (*) and tags (!) cannot be used here"},
		{"a: &a {match: x}\nmocks: [*a]\n", "cannot be used here"},
		{"mocks:\n- match: x\n  status: ok\n", "a.yaml:3: status: it must be a whole number"},
		{"mocks:\n- match: x\n  status: 99\n", "a.yaml:3: status: a status is from 200 to 599"},
		{"mocks:\n- match: x\n  delay: 200\n", "a.yaml:3: delay: it must be a time with its unit"},
		{"mocks:\n- match: x\n  headers: x\n", "a.yaml:3: headers: it must be a mapping"},
		{"mocks:\n- match: x\n  headers:\n    A:\n      B: c\n", "a.yaml:5: headers: a header has a text"},
		{"mocks:\n- match: x\n  json: {a: .inf}\n", "a.yaml:3: json: JSON lacks this value"},
		{"mocks:\n- match: x\n  json:\n    a: 1\n    b: 0x10\n", "a.yaml:5: json: JSON lacks this value"},
		{"mocks:\n- match: x\n  body_base64: '?'\n", "a.yaml:3: body_base64: it must be base64"},
		{"mocks:\n- match: x\n  body: '{{request.pth}}'\n", "a.yaml:3: body: the template is wrong at offset 0"},
		{"mocks:\n- match: x\n  body: a\n  json: 1\n", "a.yaml:3: body: only one body is allowed"},
		{"mocks:\n- match: x\n  fault: boom\n", "a.yaml:3: fault: unknown fault"},
		{"mocks:\n- match: x\n  id: mine\n", "a.yaml:3: id: an id is mock_"},
		{"mocks:\n- match: x\n  body_file: none.txt\n", "a.yaml:3: body_file: it is not there"},
		{"mocks:\n- match: x\n  body_file: ../out.txt\n", "a.yaml:3: body_file: it must be a file in the folder"},
		{"mocks:\n- match: x\n  body_file: /etc/passwd\n", "a.yaml:3: body_file: it must be a file in the folder"},
		{"mocks:\n- match: x\n  body_file: link.txt\n", "a.yaml:3: body_file: it cannot be opened or lies outside the folder"},
		{"mocks:\n- match: x\n  body_file: folder\n", "a.yaml:3: body_file: it must be a regular file"},
		{"mocks:\n- match: x\n  match: y\n", "a key is given twice"},
		{"mocks: [\n", "not valid YAML"},
		{"mocks:\n- {id: mock_00000001, match: x}\n- {id: mock_00000001, match: y}\n", "the id mock_00000001 is also in a.yaml"},
		{"mocks:\n- match: x\n  body: " + strings.Repeat("x", 40000) + "\n", "a.yaml: larger than"},
		{"mocks:\n- match: x\n  stats: 1\n- match: ~p\n", "a.yaml:4: match"}, // all that is wrong is said
	} {
		top := t.TempDir()
		dir := filepath.Join(top, "mocks")
		write(t, top, "out.txt", "secret")
		write(t, dir, "a.yaml", c.text)
		write(t, dir, "folder/x", "")
		if err := os.Symlink("../out.txt", filepath.Join(dir, "link.txt")); err != nil {
			t.Fatal(err)
		}
		_, err := mock.Load(dir)
		var e *mock.LoadError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.60q: %v", c.text, err)
		} else if f := fault.From(err); f.Code != fault.InvalidInput || f.Hint == "" || f.Details["problems"] == nil {
			t.Errorf("%+v", f)
		}
	}
	if _, err := mock.Load(filepath.Join(t.TempDir(), "none")); !fault.Is(err, fault.PathError) {
		t.Errorf("no folder: %v", err)
	}
	dir := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	_, err := mock.Load(dir)
	if err == nil || !strings.Contains(err.Error(), "lies outside the folder") || strings.Contains(err.Error(), "root") {
		t.Errorf("a link out: %v", err)
	}
}

func TestReloadKeepsRulesWhenFolderIsInvalid(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", "mocks:\n- match: one\n")
	f, err := mock.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if f.Changed() {
		t.Error("nothing changed")
	}
	write(t, dir, "b.yaml", "mocks:\n- match: ~p\n")
	if !f.Changed() {
		t.Error("a new file is not seen")
	}
	err = f.Reload()
	if err == nil || !strings.Contains(err.Error(), "the 1 loaded before stay in use") || len(f.Rules()) != 1 {
		t.Errorf("%v, %+v", err, f.Rules())
	}
	if f.Changed() {
		t.Error("a broken file is read again and again")
	}
	write(t, dir, "b.yaml", "mocks:\n- match: twoo\n")
	if !f.Changed() {
		t.Error("a corrected file is not seen")
	}
	if err := f.Reload(); err != nil || len(f.Rules()) != 2 || f.Changed() {
		t.Errorf("%v, %+v", err, f.Rules())
	}
	if err := os.Remove(filepath.Join(dir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	if !f.Changed() {
		t.Error("a file that is gone is not seen")
	}
	if err := f.Reload(); err != nil || len(f.Rules()) != 1 || f.Rules()[0].Pattern != "twoo" {
		t.Errorf("%v, %+v", err, f.Rules())
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := f.Reload(); err == nil || len(f.Rules()) != 1 {
		t.Errorf("the folder is gone: %v, %+v", err, f.Rules())
	}
}

func captured() *flow.Flow {
	return &flow.Flow{ID: "f_000000000001", State: flow.Done,
		Request: flow.Request{Method: "GET", URL: "https://api.example.com/v1/orders.json?id=1"},
		Response: &flow.Response{Status: 203, Header: flow.Header{
			{Name: "Content-Type", Value: "application/json"}, {Name: "Date", Value: "x"}, {Name: "Set-Cookie", Value: "s=1"},
			{Name: "Content-Encoding", Value: "gzip"}, {Name: "Content-Length", Value: "9"}, {Name: "Transfer-Encoding", Value: "chunked"},
			{Name: "Connection", Value: "close, X-Hop"}, {Name: "X-Hop", Value: "1"}, {Name: "X-Auth-Token", Value: "s"},
			{Name: "Vary", Value: "a"}, {Name: "Vary", Value: "{{b}}"},
		}, Body: flow.Body{Size: 9, Coding: "gzip", Content: []byte("{{\"a\": 1}}\n")}},
	}
}

func TestFromFlowMakesMockOfResponse(t *testing.T) {
	f := captured()
	r, err := mock.FromFlow(f)
	if err != nil {
		t.Fatal(err)
	}
	s := newSet(t, r)
	a := s.Answer(f)
	if a == nil || a.Status != 203 || string(a.Body) != string(f.Response.Body.Content) {
		t.Fatalf("%+v", a)
	}
	if want := (flow.Header{f.Response.Header[0], f.Response.Header[9], f.Response.Header[10]}); !slices.Equal(a.Header, want) {
		t.Errorf("%+v", a.Header)
	}
	for url, want := range map[string]bool{
		"https://api.example.com/v1/orders.json": true, "https://api.example.com/v1/orders.json?id=2": true,
		"https://api.example.com/v1/ordersXjson": false, "https://api.example.com/v1/orders.json/2": false,
		"http://api.example.com/v1/orders.json": false, "https://xapi.example.com/v1/orders.json": false,
	} {
		if got := s.Answer(&flow.Flow{Request: flow.Request{Method: "GET", URL: url}}); (got != nil) != want {
			t.Errorf("%s: %+v", url, got)
		}
	}
	if got := s.Answer(&flow.Flow{Request: flow.Request{Method: "POST", URL: f.Request.URL}}); got != nil {
		t.Error("another method is answered")
	}
	f.Response.Body.Content = []byte("\x89PNG\xff{{")
	if r, err := mock.FromFlow(f); err != nil || string(newSet(t, r).Answer(f).Body) != "\x89PNG\xff{{" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestFromFlowRefusesUnusableFlow(t *testing.T) {
	for says, spoil := range map[string]func(f *flow.Flow){
		"its answer is":    func(f *flow.Flow) { f.State = flow.Failed },
		"incomplete":       func(f *flow.Flow) { f.Response = nil },
		"beginning of its": func(f *flow.Flow) { f.Response.Body.Cut = true },
		"status 101":       func(f *flow.Flow) { f.Response.Status = 101 },
		"URL is invalid":   func(f *flow.Flow) { f.Request.URL = "::" },
	} {
		f := captured()
		spoil(f)
		_, err := mock.FromFlow(f)
		if e := (*mock.FlowError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), says) || fault.From(err).Hint == "" {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func FuzzYAML(f *testing.F) {
	f.Add("mocks:\n- match: ~u x\n  headers: {A: [b, c]}\n  json: {a: [1, true, null]}\n")
	f.Add("mocks:\n- {match: '~q', body: \"{{request.path}}\", times: 1, delay: 1s}\n- match: x\n  fault: reset\n")
	f.Add("mocks:\n- match: x\n  body: |\n    a\n     b\n  status: 404\n")
	f.Fuzz(func(t *testing.T, text string) {
		rules, wrong := mock.Parse("a.yaml", []byte(text))
		for _, p := range wrong {
			if p.File != "a.yaml" || p.Message == "" || p.Line < 0 || p.Line > 1+strings.Count(text, "\n")+strings.Count(text, "\r") {
				t.Fatalf("%q: %+v", text, p)
			}
		}
		for _, r := range rules {
			if err := mock.Check(r); len(wrong) == 0 && err != nil {
				t.Fatalf("%q was read as a rule that is refused: %v", text, err)
			}
		}
	})
}
