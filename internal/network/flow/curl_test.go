package flow_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/network/flow"
)

// wire takes one request after the other and gives its bytes, as they came.
func wire(t *testing.T) (address string, got <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := make(chan string, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c <- request(conn)
			conn.Close()
		}
	}()
	return l.Addr().String(), c
}

// request reads a request: its head as it stands, and its body by the length that it says.
func request(conn net.Conn) string {
	in := bufio.NewReader(conn)
	head, length := "", 0
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return "cut: " + head
		}
		if head += line; line == "\r\n" {
			break
		}
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "content-length") {
			_, _ = fmt.Sscan(value, &length)
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return "cut: " + head
	}
	fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	return head + string(body)
}

func header(lines ...string) (h flow.Header) {
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h = append(h, flow.Field{Name: name, Value: value})
	}
	return h
}

func shell(t *testing.T, command string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-s")
	cmd.Stdin = strings.NewReader("set -e\n" + command + "\n") // typed: an argument has a bound
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + t.TempDir()}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%.300s: %v\n%s", command, err, out)
	}
}

func curlIsThere(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("there is no curl to try it with")
	}
}

// TestCurlCommandSendsSameRequest: a shell and the real curl send exactly the request that was seen: its line, its header lines in their
// order, its body.
func TestCurlCommandSendsSameRequest(t *testing.T) {
	curlIsThere(t)
	address, got := wire(t)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	long := make([]byte, 90_000)
	for i := range long {
		long[i] = byte(rand.IntN(256))
	}
	for name, c := range map[string]struct {
		method, path string
		header       flow.Header
		body         string
	}{
		"plain":                          {method: "GET", path: "/"},
		"duplicates":                     {"GET", "/", header("X-A: 1", "Accept: a/b", "X-A: 2", "x-a: 1"), ""},
		"quotes":                         {"GET", "/a?b='c\"$(id)`id`\\&d={1,2}[3]", header(`X-Q: it's "$HOME" \ $(id) ; & | > <!--`), ""},
		"empty header":                   {"GET", "/", flow.Header{{Name: "X-E", Value: ""}, {Name: "User-Agent", Value: "App/1"}}, ""},
		"dots":                           {"GET", "/a/../b/./c", nil, ""},
		"delete":                         {"DELETE", "/a", nil, ""},
		"options":                        {"OPTIONS", "/a", nil, ""},
		"form":                           {"POST", "/", header("Content-Type: application/x-www-form-urlencoded"), "a=1&b=%20"},
		"a file's sign":                  {"POST", "/", flow.Header{{Name: "Content-Type", Value: "text/plain"}}, "@/etc/hostname"},
		"lines":                          {"PUT", "/", nil, "it's\n\"two\" lines\r\n\n$HOME\\n %s 'x'\n"},
		"no kind":                        {"POST", "/", nil, "{\"ä\":1}"},
		"bytes":                          {"POST", "/", flow.Header{{Name: "Content-Type", Value: "a/b"}}, string(all)},
		"zeros at the end":               {"PATCH", "/", nil, "a\x00\x00"},
		"many bytes":                     {"POST", "/", nil, string(long)},
		"GET with a body":                {"GET", "/", nil, "x"},
		"length in its line":             {"POST", "/", header("A: 1", "Content-Length: 3", "B: 2"), "abc"},
		"a wrong length":                 {"POST", "/", flow.Header{{Name: "Content-Length", Value: "99"}}, "abc"},
		"long text":                      {"POST", "/", nil, strings.Repeat("it's ", 20_000)},
		"longer than an argument may be": {"POST", "/", nil, strings.Repeat("it's ", 50_000)},
	} {
		f := flow.Flow{Request: flow.Request{Method: c.method, URL: "http://" + address + c.path, Protocol: "HTTP/1.1", Header: c.header}}
		command, err := flow.Curl(f, flow.CurlOptions{Body: []byte(c.body)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		shell(t, command)
		head, body, _ := strings.Cut(<-got, "\r\n\r\n")
		lines := strings.Split(head, "\r\n")
		if lines[0] != c.method+" "+c.path+" HTTP/1.1" || body != c.body {
			t.Errorf("%s: %q, a body of %d bytes, not %d\n%.300s", name, lines[0], len(body), len(c.body), command)
		}
		var want, sent []string
		length := fmt.Sprintf("Content-Length: %d", len(c.body))
		known := false
		for _, h := range c.header {
			line := h.Name + ": " + h.Value
			if h.Name == "Content-Length" && line != length {
				continue
			}
			known = known || line == length
			want = append(want, strings.TrimSpace(line))
		}
		for _, line := range lines[1:] {
			if !strings.HasPrefix(line, "Host: ") && (line != length || known) { // the two that curl says by itself
				sent = append(sent, strings.TrimSpace(line))
			}
		}
		if strings.Join(sent, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: sent %q, not %q\n%.300s", name, sent, want, command)
		}
	}
}

// TestCurlCommandSendsBodyFromFile: a body in a file, HTTP/2, and what is compressed.
func TestCurlCommandSendsBodyFromFile(t *testing.T) {
	curlIsThere(t)
	var protocol, body string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body) // a part of it would be told as another body
		protocol, body = r.Proto, string(raw)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "it's a body")
	if err := os.WriteFile(file, []byte("\x00from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := flow.Flow{Request: flow.Request{Method: "POST", URL: server.URL + "/x", Protocol: "HTTP/2.0", Header: append(
		flow.Header{{Name: ":authority", Value: "x"}}, header("accept-encoding: gzip, br", "connection: keep-alive", "content-length: 9")...)}}
	command, err := flow.Curl(f, flow.CurlOptions{File: file})
	if err != nil || !strings.HasPrefix(command, "curl --http2 --compressed -H 'accept-encoding: gzip, br' -H") {
		t.Fatal(command, err)
	}
	shell(t, strings.Replace(command, "curl ", "curl --insecure ", 1))
	if protocol != "HTTP/2.0" || body != "\x00from a file\n" {
		t.Errorf("%s %q", protocol, body)
	}
}

// TestCurlRefusesUnsafeRequest: what others sent does not become an option, a file or a command.
func TestCurlRefusesUnsafeRequest(t *testing.T) {
	for name, r := range map[string]flow.Request{
		"a file":                 {Method: "GET", URL: "file:///etc/hostname"},
		"an option":              {Method: "GET", URL: "-o/x"},
		"no method":              {Method: "", URL: "http://a.example"},
		"a method with a space":  {Method: "GET x", URL: "http://a.example"},
		"a header of a file":     {Method: "GET", URL: "http://a.example", Header: flow.Header{{Name: "@/etc/hostname", Value: "x"}}},
		"a header in two lines":  {Method: "GET", URL: "http://a.example", Header: flow.Header{{Name: "A", Value: "x\nB: y"}}},
		"a zero in the URL":      {Method: "GET", URL: "http://a.example/\x00"},
		"a header without name":  {Method: "GET", URL: "http://a.example", Header: flow.Header{{Value: "x"}}},
		"a header with a colon":  {Method: "GET", URL: "http://a.example", Header: flow.Header{{Name: "a:b", Value: "x"}}},
		"something of the shell": {Method: "$(id)", URL: "http://a.example"},
	} {
		var no *flow.CurlError
		if command, err := flow.Curl(flow.Flow{Request: r}, flow.CurlOptions{}); !errors.As(err, &no) {
			t.Errorf("%s: %s", name, command)
		}
	}
	command, err := flow.Curl(flow.Flow{Request: flow.Request{Method: "HEAD", URL: "wss://a.example/x;id"}}, flow.CurlOptions{})
	if err != nil || command != "curl --http1.1 --head -H User-Agent: -H Accept: 'https://a.example/x;id'" {
		t.Error(command, err)
	}
}
