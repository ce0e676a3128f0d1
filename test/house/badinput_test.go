package house_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/op"
	"ios-agent/test/house"
)

// TestSurfacesAgreeOnBadInput walks the whole catalogue with input nobody should send, on every surface. None may answer INTERNAL, and all
// have to agree. test/script sends a sample through the real binary.
func TestSurfacesAgreeOnBadInput(t *testing.T) {
	t.Parallel()
	const sample = 23 // of the command lines: each builds the whole command tree
	h := house.New(t)
	for i, o := range h.Product.Catalogue.Ops() {
		if !sampled(i, 18) {
			continue
		}
		for i, c := range house.BadInputs(o) {
			if o.Streams() && c.Code == "" {
				continue // a stream that accepts the input would go on for ever
			}
			codes := map[string]string{}
			if i%sample == 0 {
				ran := h.CLIWithInput(intruder, c.Input, "call", h.Product.Catalogue.ID(o), "-", "--json")
				codes["cli"] = codeIn([]byte(ran.Stdout))
				if (ran.Exit == 0) != (codes["cli"] == "") {
					t.Errorf("%s, %s: exit %d with code %q", o.Name, c.Name, ran.Exit, codes["cli"])
				}
			}
			if json.Valid([]byte(c.Input)) && !o.Streams() && c.Name != "not an object" && c.Name != "invalid UTF-8" {
				codes["mcp"] = badTool(h, o, c.Input) // the protocol itself refuses the others
			}
			if o.Method() == http.MethodPost && !strings.Contains(o.Path(), "{") {
				codes["rest"] = codeOf(h.REST(intruder, o.Method(), o.Path(), c.Input))
			}
			agree(t, h.Product.Catalogue.ID(o), c, codes)
		}
	}
	h.Must(intruder, "list_devices", nil)
}

// agree wants one code on all surfaces, and the one that is due.
func agree(t *testing.T, id string, c house.BadInput, codes map[string]string) {
	t.Helper()
	said, first := "", true
	for surface, code := range codes {
		if code == "INTERNAL" || c.Code != "" && code != c.Code || !first && code != said { // no code is success
			t.Errorf("%s, %s, %s: %q (want %q); all say %v", id, c.Name, surface, code, c.Code, codes)
		}
		said, first = code, false
	}
}

func badTool(h *house.House, o op.Op, input string) string {
	r, err := h.Tool(intruder, toolName(h, o), input)
	if err != nil {
		return "a protocol error instead of a result: " + err.Error()
	}
	raw, _ := json.Marshal(r.StructuredContent)
	return codeIn(raw)
}

// TestMalformedHTTPRequestsAreRefused sends every route what is wrong as HTTP, whatever the operation.
func TestMalformedHTTPRequestsAreRefused(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	handler, key := h.HTTP()
	server := httptest.NewServer(handler)
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	for _, o := range h.Product.Catalogue.Ops() {
		if o.Route == "" {
			continue
		}
		path := concrete(o.Path())
		for _, c := range []struct {
			name, method  string
			header, value string
			status        int
			code          string
		}{
			{"wrong method", http.MethodPut, "X-API-Key", key, 405, "METHOD_NOT_ALLOWED"},
			{"no key", o.Method(), "X-API-Key", "", 401, "UNAUTHORIZED"},
			{"bad key", o.Method(), "X-API-Key", "bad", 401, "UNAUTHORIZED"},
			{"foreign origin", o.Method(), "Origin", "https://evil.example", 403, "FORBIDDEN"},
			{"foreign host", o.Method(), "Host", "evil.example", 403, "FORBIDDEN"},
		} {
			if o.Public && c.status == http.StatusUnauthorized {
				continue
			}
			r := httptest.NewRequestWithContext(t.Context(), c.method, "http://127.0.0.1"+path, nil)
			r.Header.Set("X-API-Key", key)
			r.Header.Set(c.header, c.value)
			if c.header == "Host" {
				r.Host = c.value
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if code := codeIn(w.Body.Bytes()); w.Code != c.status || code != c.code {
				t.Errorf("%s, %s: %d %s", o.Name, c.name, w.Code, code)
			}
		}
		if o.Method() == http.MethodPost {
			hugeBody(t, address, path, key)
			halfRequest(t, address, path, key)
		}
	}
	if w := h.REST(intruder, http.MethodGet, "/api/v1/health", nil); w.Code != http.StatusOK {
		t.Errorf("after all that the server answers %d", w.Code)
	}
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

// hugeBody announces 100 MB; it must be refused without being read.
func hugeBody(t *testing.T, address, path, key string) {
	t.Helper()
	conn := dial(t, address)
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\nContent-Length: %d\r\n\r\n", path, key, 100<<20)
	_, _ = io.Copy(conn, bytes.NewReader(make([]byte, 2<<20))) // the server may hang up on us meanwhile
	answer := make([]byte, 64)
	n, err := conn.Read(answer)
	if err != nil || !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 413") {
		t.Errorf("%s: 100 MB: %q %v", path, answer[:n], err)
	}
}

// halfRequest hangs up in the middle.
func halfRequest(t *testing.T, address, path, key string) {
	t.Helper()
	conn := dial(t, address)
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\nContent-Length: 100\r\n\r\n{\"a\":", path, key)
	conn.Close()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}
