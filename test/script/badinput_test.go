package script

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	surface "ios-agent/internal/surface/mcp"
	"ios-agent/test/house"
)

// rig is a daemon with nothing booted, and one MCP client of it.
type rig struct {
	t    *testing.T
	home string
	env  []string
	url  string
	key  string
	tool *mcp.ClientSession
}

func newRig(t *testing.T) *rig {
	home := filepath.Join(t.TempDir(), "home")
	if err := copied.put(home); err != nil {
		t.Fatal(err)
	}
	return newRigIn(t, home)
}

// newRigIn is a rig whose home is somewhere in particular.
func newRigIn(t *testing.T, home string) *rig {
	races := filepath.Join(t.TempDir(), "races")
	if err := os.Mkdir(races, 0o700); err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, home: home, env: append(os.Environ(), "IOS_AGENT_HOME="+home, "IOS_AGENT_TOOLCHAIN=virtual",
		"IOS_AGENT_VIRTUAL_TIME=request",
		"GORACE=log_path="+filepath.Join(races, "log")+" halt_on_error=1 atexit_sleep_ms=0")}
	t.Cleanup(func() {
		r.run("daemon", "stop")
		r.run("virtual", "stop")
		reportRaces(t, races)
	})
	var status struct {
		Result struct {
			URL     string `json:"url"`
			KeyFile string `json:"key_file"`
		}
	}
	out, _ := r.run("daemon", "start", "--json")
	if err := json.Unmarshal(out, &status); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	key, err := os.ReadFile(status.Result.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	r.url, r.key = status.Result.URL, strings.TrimSpace(string(key))
	r.connect()
	return r
}

func (r *rig) connect() {
	cmd := exec.Command(filepath.Join(bin, "ios-agent"), "mcp", "--tools", "all")
	cmd.Env = r.env
	client := mcp.NewClient(&mcp.Implementation{Name: "bad", Version: "1"}, nil)
	session, err := client.Connect(r.t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { session.Close() })
	r.tool = session
}

func (r *rig) run(args ...string) (stdout []byte, code int) {
	cmd := exec.Command(filepath.Join(bin, "ios-agent"), args...)
	cmd.Env = r.env
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		code = exit.ExitCode()
	} else if err != nil {
		r.t.Fatal(err)
	}
	if text := errors.String(); strings.Contains(text, "goroutine ") {
		r.t.Errorf("%v: a stack trace:\n%s", args, text)
	}
	return out, code
}

type faultBody struct {
	Error struct{ Code, Message string }
}

func (r *rig) byCLI(o op.Op, input string) string {
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "ios-agent"), "call", o.Name, "-", "--json") // by stdin: a huge input is no argument
	cmd.Env, cmd.Stdin = r.env, strings.NewReader(input)
	out, err := cmd.Output()
	var body faultBody
	if jsonErr := json.Unmarshal(out, &body); jsonErr != nil {
		r.t.Errorf("%s: the CLI's answer is no envelope: %v %v\n%s", o.Name, err, jsonErr, out)
	}
	if (err == nil) != (body.Error.Code == "") {
		r.t.Errorf("%s: exit %v with code %q", o.Name, err, body.Error.Code)
	}
	return body.Error.Code
}

func (r *rig) request(method, path string, body io.Reader, edit func(*http.Request)) (status int, code string) {
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", r.key)
	edit(req)
	resp, err := (&http.Client{Timeout: 30 * time.Second}).Do(req)
	if err != nil {
		r.t.Errorf("%s %s: %v", method, path, err)
		return 0, ""
	}
	defer resp.Body.Close()
	var answer faultBody
	raw, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err != nil {
		r.t.Errorf("%s %s: %v: %s", method, path, err, raw)
	}
	return resp.StatusCode, answer.Error.Code
}

func (r *rig) byMCP(o op.Op, input string) string {
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	res, err := r.tool.CallTool(ctx, &mcp.CallToolParams{Name: r.served(o), Arguments: json.RawMessage(input)})
	if err != nil {
		r.t.Errorf("%s: a protocol error instead of a result: %v", o.Name, err)
		return ""
	}
	raw, _ := json.Marshal(res.StructuredContent)
	var body faultBody
	if err := json.Unmarshal(raw, &body); err != nil {
		r.t.Errorf("%s: %v: %s", o.Name, err, raw)
	}
	return body.Error.Code
}

// served is the name of an operation among all tools: where two families have one name and core has not, both are
// prefixed.
func (r *rig) served(o op.Op) string {
	tools, err := surface.Select(product.Catalogue().Ops(), surface.All)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, t := range tools {
		if t.Op.Family == o.Family && (t.Name == o.Name || t.Op.Name == o.Name) {
			return t.Name
		}
	}
	return o.Name
}

// concrete fills a route's variables with something.
func concrete(path string) string {
	for strings.Contains(path, "{") {
		before, rest, _ := strings.Cut(path, "{")
		_, after, _ := strings.Cut(rest, "}")
		path = before + "x" + after
	}
	return path
}

// TestBinaryAnswersBadInputOnEverySurface sends input nobody should send through the real binary: a sample of what test/house sends to
// every operation.
func TestBinaryAnswersBadInputOnEverySurface(t *testing.T) {
	t.Parallel()
	const sample = 9
	r := newRig(t)
	catalogue := product.Catalogue()
	for i, o := range catalogue.Ops() {
		if i%14 != 0 {
			continue
		}
		o.Name = catalogue.ID(o)
		for i, c := range house.BadInputs(o) {
			if o.Streams() && c.Code == "" {
				continue // a stream that accepts the input would go on for ever
			}
			codes := map[string]string{}
			if i == 0 || i%sample == 0 { // a process each: what all inputs share, and a sample of the rest
				codes["cli"] = r.byCLI(o, c.Input)
			}
			if json.Valid([]byte(c.Input)) && !o.Streams() && c.Name != "not an object" && c.Name != "invalid UTF-8" {
				codes["mcp"] = r.byMCP(o, c.Input) // the protocol itself refuses the others
			}
			if method := o.Method(); method == http.MethodPost && !strings.Contains(o.Path(), "{") {
				_, codes["rest"] = r.request(method, o.Path(), strings.NewReader(c.Input), func(*http.Request) {})
			}
			said := ""
			for surface, code := range codes {
				if code == "INTERNAL" || c.Code != "" && code != c.Code || said != "" && code != said { // no code is success
					t.Errorf("%s, %s, %s: %q (want %q); all say %v", o.Name, c.Name, surface, code, c.Code, codes)
				}
				said = code
			}
		}
		if o.Route != "" {
			r.strangeRequests(o)
		}
	}
	if _, code := r.run("list-sims"); code != 0 {
		t.Errorf("after all that, list-sims exits %d", code)
	}
}

// strangeRequests are wrong as HTTP, whatever the operation.
func (r *rig) strangeRequests(o op.Op) {
	path := concrete(o.Path())
	same := func(*http.Request) {}
	wrongMethod := http.MethodPatch
	if o.Method() == wrongMethod {
		wrongMethod = http.MethodPut
	}
	for _, c := range []struct {
		name, method string
		body         io.Reader
		edit         func(*http.Request)
		status       int
		code         string
	}{
		{"wrong method", wrongMethod, nil, same, 405, "METHOD_NOT_ALLOWED"},
		{"no key", o.Method(), nil, func(r *http.Request) { r.Header.Del("X-API-Key") }, 401, "UNAUTHORIZED"},
		{"bad key", o.Method(), nil, func(r *http.Request) { r.Header.Set("X-API-Key", "bad") }, 401, "UNAUTHORIZED"},
		{"foreign origin", o.Method(), nil, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, "FORBIDDEN"},
	} {
		if status, code := r.request(c.method, path, c.body, c.edit); status != c.status || code != c.code {
			r.t.Errorf("%s, %s: %d %s", o.Name, c.name, status, code)
		}
	}
	if o.Method() == http.MethodPost {
		r.hugeBody(path)
		r.halfRequest(path)
	}
}

// hugeBody announces 100 MB; it must be refused without being read.
func (r *rig) hugeBody(path string) {
	conn := r.dial()
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\nContent-Length: %d\r\n\r\n", path, r.key, 100<<20)
	chunk := bytes.Repeat([]byte("x"), 2<<20)
	if _, err := conn.Write(chunk); err != nil && !strings.Contains(err.Error(), "reset") && !strings.Contains(err.Error(), "broken pipe") {
		r.t.Error(err)
	}
	answer := make([]byte, 64)
	n, err := conn.Read(answer)
	if err != nil || !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 413") {
		r.t.Errorf("%s: 100 MB: %q %v", path, answer[:n], err)
	}
}

// halfRequest hangs up in the middle; the server must go on.
func (r *rig) halfRequest(path string) {
	conn := r.dial()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\nContent-Length: 100\r\n\r\n{\"a\":", path, r.key)
	conn.Close()
	if status, _ := r.request(http.MethodGet, "/api/v1/server", nil, func(*http.Request) {}); status != http.StatusOK {
		r.t.Errorf("%s: after half a request the server answers %d", path, status)
	}
}

func (r *rig) dial() net.Conn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		r.t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		r.t.Fatal(err)
	}
	return conn
}
