package peers

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// shop is a server that remembers what it was asked.
type shop struct {
	*httptest.Server

	mu    sync.Mutex
	asked []string // method, path, what X-Trace says and the body
}

func newShop(t *testing.T) *shop {
	s := &shop{}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is cut differs from what is wanted
	s.mu.Lock()
	s.asked = append(s.asked, fmt.Sprintf("%s %s %s %s", r.Method, r.URL.RequestURI(), r.Header.Get("X-Trace"), body))
	s.mu.Unlock()
	switch r.URL.Path {
	case "/events":
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: price\ndata: 3\n\ndata: 4\n\n")
	case "/picture":
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(bytes.Repeat([]byte{0, 1, 2, 250}, 100_000))
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"got":%q}`, body)
	}
}

func (s *shop) last(t *testing.T) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		t.Fatal("nobody asked the server")
	}
	return s.asked[len(s.asked)-1]
}

// program runs a program of others and gives what it printed.
func program(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = env
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, wrong.Bytes())
	}
	return string(out)
}

// asks is how Node asks through a proxy that it is told of: it opens the tunnel itself, and trusts what NODE_EXTRA_CA_CERTS has.
const asks = `
const [proxy, url, body] = process.argv.slice(1), http = require('http'), https = require('https'), to = new URL(url)
http.request({ host: '127.0.0.1', port: proxy, method: 'CONNECT', path: to.host }).on('connect', (answer, socket) => {
  const asked = https.request(url, { method: body ? 'POST' : 'GET', agent: false, socket, headers: { 'X-Trace': 'node' } }, got => {
    let n = 0, text = ''
    got.on('data', d => { n += d.length; text += d }).on('end', () => console.log(n > 1000 ? n : text))
  })
  asked.end(body)
}).end()`

// judges is how har-validator is asked, of an archive that is right and of the same one without what HAR wants.
const judges = `
const [modules, file] = process.argv.slice(1), har = require(modules + '/har-validator'), fs = require('fs')
const archive = JSON.parse(fs.readFileSync(file)), wrong = JSON.parse(JSON.stringify(archive))
delete wrong.log.entries[0].request.method
har.har(archive).then(() => har.har(wrong)).then(() => { throw 'it takes anything' }, e => {
  if (!/method/.test(JSON.stringify(e.errors))) throw e.errors || e
  console.log(archive.log.entries.length)
}).catch(e => { console.error(JSON.stringify(e)); process.exit(1) })`

// TestCurlAndNodeWorkThroughProxy: curl and Node get through it what they get without it, all of it is seen, and what is exported is read
// by har-validator and sent again by curl.
func TestCurlAndNodeWorkThroughProxy(t *testing.T) {
	installed := modules(t)
	server, w := newShop(t), newWorld(t)
	certificate := filepath.Join(t.TempDir(), "server.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(certificate, block, 0o600); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "SSL_CERT_FILE="+certificate) // whom the proxy believes
	var started struct{ Result struct{ Port int } }
	decode(t, w.run("proxy", "start", "--json"), &started)
	port := fmt.Sprint(started.Result.Port)
	var trusted struct{ Result struct{ Path string } }
	decode(t, w.run("proxy", "cert", "--json"), &trusted)

	curl := func(args ...string) string {
		by := []string{"-sS", "--proxy", "http://127.0.0.1:" + port, "--cacert", trusted.Result.Path}
		return program(t, w.env, "curl", append(by, args...)...)
	}
	node := func(args ...string) string {
		env := append(w.env, "NODE_EXTRA_CA_CERTS="+trusted.Result.Path)
		return strings.TrimSpace(program(t, env, "node", append([]string{"-e", asks, port}, args...)...))
	}
	for name, got := range map[string][2]string{
		"curl posts":            {curl("-d", `{"n":1}`, server.URL+"/orders?by=curl"), `{"got":"{\"n\":1}"}`},
		"curl hears events":     {curl(server.URL + "/events"), "event: price\ndata: 3\n\ndata: 4\n\n"},
		"Node posts":            {node(server.URL+"/orders?by=node", `{"n":2}`), `{"got":"{\"n\":2}"}`},
		"Node gets all of 400k": {node(server.URL + "/picture"), "400000"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: got %.200q, want %q", name, got[0], got[1])
		}
	}

	archive := filepath.Join(t.TempDir(), "all.har")
	w.run("proxy", "export", archive)
	if got := strings.TrimSpace(program(t, w.env, "node", "-e", judges, installed, archive)); got != "4" {
		t.Errorf("har-validator: got %s requests, want 4", got)
	}

	again := filepath.Join(t.TempDir(), "again.sh")
	w.run("proxy", "export", again, "--format", "curl", "--flow", w.flow("~u by=node"))
	program(t, append(w.env, "CURL_CA_BUNDLE="+certificate), "sh", again)
	if got, want := server.last(t), `POST /orders?by=node node {"n":2}`; got != want {
		t.Errorf("the exported curl: got %q, want %q", got, want)
	}
}

// flow is the id of the newest request that fits.
func (w *world) flow(pattern string) string {
	var found struct {
		Result struct {
			Flows []struct {
				ID string `json:"flow_id"`
			}
		}
	}
	decode(w.t, w.run("proxy", "flows", "--pattern", pattern, "--json"), &found)
	if len(found.Result.Flows) == 0 {
		w.t.Fatalf("no request fits %s", pattern)
	}
	return found.Result.Flows[len(found.Result.Flows)-1].ID
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// TestPatternWitnessMatchesMitmproxy: the answers that our patterns are held to are what mitmproxy's own engine gives today.
func TestPatternWitnessMatchesMitmproxy(t *testing.T) {
	modules(t)
	if _, err := exec.LookPath("mitmdump"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("mitmproxy is not installed: ", err)
	}
	folder := filepath.Join("..", "..", "internal", "network", "pattern", "testdata")
	var kept, now any
	raw, err := os.ReadFile(filepath.Join(folder, "witness.json"))
	if err != nil {
		t.Fatal(err)
	}
	decode(t, string(raw), &kept)
	decode(t, program(t, os.Environ(), "/usr/bin/python3", filepath.Join(folder, "witness.py")), &now)
	if was, is := fmt.Sprint(kept), fmt.Sprint(now); was != is {
		at := 0
		for at < min(len(was), len(is)) && was[at] == is[at] {
			at++
		}
		t.Errorf("mitmproxy says …%.300s, kept is …%.300s", is[max(0, at-100):], was[max(0, at-100):])
	}
}
