package mock_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
)

const har = `{"log": {"version": "1.2", "entries": [
 {"request": {"method": "GET", "url": "https://a.example/items?page=1", "headers": [{"name": "Accept-Language", "value": "de"}]},
  "response": {"status": 200, "headers": [{"name": "Content-Type", "value": "text/plain"}, {"name": "Set-Cookie", "value": "s=1"},
   {"name": "Content-Encoding", "value": "gzip"}], "content": {"text": "Tee"}}},
 {"request": {"method": "GET", "url": "https://a.example/items?page=1", "headers": [{"name": "Accept-Language", "value": "en"}]},
  "response": {"status": 200, "headers": [], "content": {"mimeType": "text/plain", "text": "dGVh", "encoding": "base64"}}},
 {"request": {"method": "POST", "url": "https://a.example/orders", "headers": [], "postData": {"mimeType": "text/plain", "text": "one"}},
  "response": {"status": 201, "headers": [], "content": {"text": "first {{now}}"}}},
 {"request": {"method": "POST", "url": "https://a.example/orders", "headers": [], "postData": {"mimeType": "text/plain", "text": "two"}},
  "response": {"status": 409, "headers": [], "content": {"text": "second"}}},
 {"request": {"method": "GET", "url": "https://a.example/picture", "headers": []},
  "response": {"status": 200, "headers": [], "content": {"mimeType": "image/png", "_file": "picture.png"}}},
 {"request": {"method": "GET", "url": "https://a.example/escape", "headers": []},
  "response": {"status": 200, "headers": [], "content": {"_file": "../secret"}}},
 {"request": {"method": "GET", "url": "https://a.example/failed", "headers": []}, "response": {"status": 0, "headers": [], "content": {}}}
]}}`

// files writes files into a new folder.
func files(t *testing.T, all map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range all {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func asks(method, url, body string, header ...flow.Field) *flow.Flow {
	return &flow.Flow{Request: flow.Request{Method: method, URL: url, Header: header, Body: flow.Body{Content: []byte(body)}}}
}

// TestArchiveAnswersTheSameRequest: method and URL must be the same, and the body where both have one; of several the one whose headers are
// most alike is taken. What is not in it goes on to the next rule, or is aborted.
func TestArchiveAnswersTheSameRequest(t *testing.T) {
	dir := files(t, map[string]string{"in/shop.har": har, "in/picture.png": "PNG", "secret": "secret"})
	archive := rule("~all", mock.Response{Source: mock.Source{Archive: filepath.Join(dir, "in", "shop.har")}})
	next := mock.Rule{ID: "mock_0000000b", Pattern: "~all", Response: mock.Response{Status: 404}}
	s := newSet(t, archive, next)
	for _, c := range []struct {
		flow   *flow.Flow
		status int
		body   string
	}{
		{asks("GET", "https://a.example/items?page=1", ""), 200, "Tee"},
		{asks("GET", "https://a.example/items?page=1", "", flow.Field{Name: "accept-language", Value: "en"}), 200, "tea"},
		{asks("GET", "https://a.example/items?page=2", ""), 404, ""},
		{asks("HEAD", "https://a.example/items?page=1", ""), 404, ""},
		{asks("POST", "https://a.example/orders", "one"), 201, "first {{now}}"},
		{asks("POST", "https://a.example/orders", "two"), 409, "second"},
		{asks("POST", "https://a.example/orders", "three"), 404, ""},
		{asks("POST", "https://a.example/orders", ""), 201, "first {{now}}"},
		{asks("GET", "https://a.example/picture", ""), 200, "PNG"},
		{asks("GET", "https://a.example/failed", ""), 404, ""},
	} {
		if got := s.Answer(c.flow); got == nil || got.Status != c.status || string(got.Body) != c.body {
			t.Errorf("%s %s %q: got %+v, want %d %q", c.flow.Request.Method, c.flow.Request.URL, c.flow.Request.Body.Content, got, c.status, c.body)
		}
	}
	if got := s.Hits(); got[archive.ID] != 6 || got[next.ID] != 4 {
		t.Errorf("got %v hits, want 6 and 4", got)
	}
	got := s.Answer(asks("GET", "https://a.example/escape", ""))
	if got == nil || got.Status != 500 || !strings.Contains(string(got.Body), "lies outside the folder") {
		t.Errorf("a body outside of the folder: got %+v, want a refusal", got)
	}
	header := s.Answer(asks("GET", "https://a.example/items?page=1", "")).Header
	if header.Get("Content-Type") != "text/plain" || header.Get("Set-Cookie") != "" || header.Get("Content-Encoding") != "" {
		t.Errorf("got the lines %v, want those that can be said again", header)
	}
	if could, body := s.Look(asks("POST", "https://a.example/orders", "")); !could || !body {
		t.Errorf("got %v %v, want the body to be looked at", could, body)
	}
	archive.Response.Missing = mock.Abort
	if got := newSet(t, archive, next).Answer(asks("GET", "https://b.example/", "")); got == nil || got.Fault != flow.Reset {
		t.Errorf("got %+v, want %s", got, flow.Reset)
	}
	if n, err := mock.Try(archive); err != nil || n != 6 {
		t.Errorf("got %d answers, %v, want 6", n, err)
	}
}

// TestInvalidArchiveIsReported by Try with its field, and by an answer when the file was deleted meanwhile.
func TestInvalidArchiveIsReported(t *testing.T) {
	dir := files(t, map[string]string{"no.har": `{"entries": []}`, "text.har": "log"})
	for name, want := range map[string]string{"no.har": "must be a HAR", "text.har": "must be a HAR", "none.har": "not there",
		".": "must be a regular file"} {
		r := rule("~all", mock.Response{Source: mock.Source{Archive: filepath.Join(dir, name)}})
		var wrong *mock.Error
		if _, err := mock.Try(r); !errors.As(err, &wrong) || wrong.Field != "har" || !strings.Contains(wrong.Why, want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
		got := newSet(t, r).Answer(asks("GET", "https://a/", ""))
		if got == nil || got.Status != 500 || !strings.Contains(string(got.Body), want) {
			t.Errorf("%s: got %+v, want %q", name, got, want)
		}
	}
	many := make([]mock.Rule, mock.MostArchives+1)
	for i := range many {
		many[i] = rule("~all", mock.Response{Source: mock.Source{Archive: filepath.Join(dir, "no.har")}})
		many[i].ID = mock.NewID()
	}
	if _, err := mock.NewSet(many, nil, nil); err == nil {
		t.Error("more archives than MostArchives: got no error")
	}
}

// TestFolderAnswersFromItsFilesOnly: the path is the name of a file; no path leads out of the folder, and only regular files answer.
func TestFolderAnswersFromItsFilesOnly(t *testing.T) {
	dir := files(t, map[string]string{"in/a/b.json": "{}", "in/index.html": "<p>", "in/a b.txt": "space", "secret": "secret"})
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "in", "link")); err != nil {
		t.Fatal(err)
	}
	r := rule("~all", mock.Response{Source: mock.Source{Tree: filepath.Join(dir, "in")}})
	s := newSet(t, r)
	for path, want := range map[string]string{
		"/a/b.json": "{}", "/": "<p>", "": "<p>", "/a%20b.txt": "space", "/a/../a/b.json?q=1": "{}",
		"/none": "", "/a": "", "/a/": "", "/../secret": "", "/%2e%2e/secret": "", "/..%2fsecret": "", "/a%00": "",
	} {
		got := s.Answer(asks("GET", "https://a.example"+path, ""))
		switch {
		case want == "" && got != nil:
			t.Errorf("%s: got %d %q, want nothing", path, got.Status, got.Body)
		case want != "" && (got == nil || string(got.Body) != want || got.Rule != r.ID):
			t.Errorf("%s: got %+v, want %q", path, got, want)
		}
	}
	got := s.Answer(asks("GET", "https://a.example/link", ""))
	if got == nil || got.Status != 500 || strings.Contains(string(got.Body), "secret") {
		t.Errorf("a link out of the folder: got %+v, want a refusal", got)
	}
	if got := s.Answer(asks("GET", "https://a.example/a/b.json", "")); got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %v, want the type of its name", got.Header)
	}
	r.Response.Missing = mock.Abort
	if got := newSet(t, r).Answer(asks("GET", "https://a.example/none", "")); got == nil || got.Fault != flow.Reset {
		t.Errorf("got %+v, want %s", got, flow.Reset)
	}
	r.Response.Tree = filepath.Join(dir, "secret")
	if _, err := mock.Try(r); err == nil {
		t.Error("a file as a folder: got no error")
	}
}

// TestRemoteKeepsPathAndQuery: a request goes to the other server, below its path; an invalid address is refused.
func TestRemoteKeepsPathAndQuery(t *testing.T) {
	for remote, want := range map[string]string{
		"https://b.example":         "https://b.example/v1/a%2Fb?q=1",
		"http://127.0.0.1:8080/":    "http://127.0.0.1:8080/v1/a%2Fb?q=1",
		"https://b.example/api/v2/": "https://b.example/api/v2/v1/a%2Fb?q=1",
	} {
		s := newSet(t, rule("~all", mock.Response{Source: mock.Source{Remote: remote}}))
		if got := s.Answer(asks("GET", "https://user:pw@a.example/v1/a%2Fb?q=1", "")); got == nil || got.To != want {
			t.Errorf("%s: got %+v, want %s", remote, got, want)
		}
	}
	for _, remote := range []string{
		"b.example", "ftp://b.example", "https://", "https://me:pw@b.example", "https://b.example/?q", "file:///etc",
	} {
		if err := mock.Check(rule("~all", mock.Response{Source: mock.Source{Remote: remote}})); err == nil {
			t.Errorf("%s: got no error", remote)
		}
	}
}

// TestMockFolderCannotNameSource: a file of a project must not send requests elsewhere, nor read files outside of it.
func TestMockFolderCannotNameSource(t *testing.T) {
	for _, key := range []string{"remote", "to", "archive", "har", "tree", "folder"} {
		dir := files(t, map[string]string{"a.yaml": "mocks:\n  - match: ~all\n    " + key + ": https://b.example\n"})
		if f, err := mock.Load(dir); err == nil {
			t.Errorf("%s: got the rules %+v, want a refusal", key, f.Rules())
		}
	}
}
