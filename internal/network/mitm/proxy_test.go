package mitm_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/network/flow"
)

// TestHeadersAndBodiesPassAcrossHTTPVersions: each side speaks its own version of HTTP; headers, duplicates and bodies arrive as they were.
func TestHeadersAndBodiesPassAcrossHTTPVersions(t *testing.T) {
	for _, sides := range []struct{ app, server bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		t.Run(fmt.Sprintf("app %v server %v", version(sides.app), version(sides.server)), func(t *testing.T) {
			r := open(t, believing)
			s := r.server(func(w http.ResponseWriter, req *http.Request) {
				body, _ := io.ReadAll(req.Body)
				if _, has := req.Header["User-Agent"]; has || req.Header.Get("Accept-Encoding") != "x-own" {
					t.Errorf("%v", req.Header)
				}
				w.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
				w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
				w.WriteHeader(http.StatusCreated)
				fmt.Fprintf(w, "%s %s %s %v", req.Proto, req.Method, body, req.Header["X-Twice"])
			}, sides.server)
			req, err := http.NewRequest(http.MethodPost, s.URL+"/order?x=1%2F2", strings.NewReader("an order"))
			must(t, err)
			req.Header = http.Header{"X-Twice": {"one", "two"}, "User-Agent": {""}, "Accept-Encoding": {"x-own"}}
			resp, body := r.do(r.client(sides.app), req)
			both := version(sides.app && sides.server)
			want := both + " POST an order [one two]"
			if body != want || resp.StatusCode != 201 || resp.Proto != version(sides.app) {
				t.Errorf("%s %d %q, not %q", resp.Proto, resp.StatusCode, body, want)
			}
			if got := resp.Header; !slices.Equal(got["Set-Cookie"], []string{"a=1", "b=2"}) || got["Date"] != nil || got["Content-Type"] != nil {
				t.Errorf("%v", got)
			}
			f := r.done()
			if f.Request.URL != s.URL+"/order?x=1%2F2" || f.Request.Method != "POST" || string(f.Request.Body.Content) != "an order" ||
				f.Request.Protocol != version(sides.app) || f.Response.Protocol != both || string(f.Response.Body.Content) != body {
				t.Errorf("%+v", f)
			}
			var twice, cookies []string
			for _, field := range f.Request.Header {
				if field.Name == "X-Twice" {
					twice = append(twice, field.Value)
				}
			}
			for _, field := range f.Response.Header {
				if field.Name == "Set-Cookie" {
					cookies = append(cookies, field.Value)
				}
			}
			if len(twice) != 2 || len(cookies) != 2 || f.TLS == nil || f.TLS.Version != "TLS 1.3" || f.Client.Address == "" || f.Timing.Total <= 0 {
				t.Errorf("%v %v %+v", twice, cookies, f)
			}
		})
	}
}

// TestOpenFlowIsRecordedBeforeAnswer: a request on its way is recorded before its answer.
func TestOpenFlowIsRecordedBeforeAnswer(t *testing.T) {
	r := open(t, believing)
	told := make(chan flow.Flow, 1)
	s := r.server(func(http.ResponseWriter, *http.Request) {
		told <- r.wait("open", func(f flow.Flow) bool { return f.State == flow.Open })
	}, true)
	r.get(r.client(true), s.URL)
	opened := <-told
	if f := r.done(); opened.ID != f.ID || opened.Response != nil {
		t.Errorf("%+v, then %+v", opened, f)
	}
}

func version(http2 bool) string {
	if http2 {
		return "HTTP/2.0"
	}
	return "HTTP/1.1"
}

// TestPlainHTTPPassesDirectAndInConnect: a request in absolute form, and one inside a CONNECT.
func TestPlainHTTPPassesDirectAndInConnect(t *testing.T) {
	r := open(t, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Proxy-Connection") != "" || req.Header.Get("X-Hop") != "" {
			t.Errorf("%v", req.Header)
		}
		fmt.Fprint(w, req.Host, req.URL.Path)
	}))
	defer s.Close()
	req, err := http.NewRequest(http.MethodGet, s.URL+"/plain", nil)
	must(t, err)
	req.Header = http.Header{"Proxy-Connection": {"keep-alive"}, "Connection": {"X-Hop"}, "X-Hop": {"1"}}
	_, body := r.do(r.client(false), req)
	f := r.done()
	if body != s.Listener.Addr().String()+"/plain" || f.Request.URL != s.URL+"/plain" || f.TLS != nil {
		t.Errorf("%q %+v", body, f)
	}
	r.forget()

	conn := r.connect(s.Listener.Addr().String())
	defer conn.Close()
	for _, path := range []string{"/one", "/two"} { // kept alive
		if got := ask(t, conn, "GET "+path+" HTTP/1.1\r\nHost: other.example\r\n\r\n"); got != "other.example"+path {
			t.Errorf("%q", got)
		}
		f := r.wait(path, func(f flow.Flow) bool { return f.State == flow.Done && strings.HasSuffix(f.Request.URL, path) })
		// It says where it went, and shows which host it asked for.
		if f.Request.URL != s.URL+path || f.Request.Header.Get("Host") != "other.example" {
			t.Errorf("%+v", f.Request)
		}
	}
}

// TestBodylessResponsesAndTrailersPass: answers without a body, interim answers, and trailers.
func TestBodylessResponsesAndTrailersPass(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(version(http2), func(t *testing.T) {
			r := open(t, believing)
			s := r.server(func(w http.ResponseWriter, req *http.Request) {
				switch req.URL.Path {
				case "/head":
					w.Header().Set("Content-Length", "12345")
				case "/204":
					w.WriteHeader(http.StatusNoContent)
				case "/304":
					w.Header().Set("Etag", `"x"`)
					w.WriteHeader(http.StatusNotModified)
				case "/early":
					w.Header().Set("Link", "</style.css>")
					w.WriteHeader(http.StatusEarlyHints)
					w.Header().Del("Link")
					fmt.Fprint(w, "late")
				case "/trailers":
					w.Header().Set("Trailer", "Grpc-Status")
					fmt.Fprint(w, "body")
					w.Header().Set("Grpc-Status", "0")
					w.Header().Set(http.TrailerPrefix+"Unannounced", "1")
				case "/requesttrailers":
					_, _ = io.Copy(io.Discard, req.Body)
					fmt.Fprint(w, req.Trailer.Get("X-Sum"))
				}
			}, http2)
			c := r.client(http2)
			req, err := http.NewRequest(http.MethodHead, s.URL+"/head", nil)
			must(t, err)
			if resp, body := r.do(c, req); resp.ContentLength != 12345 || body != "" {
				t.Errorf("%+v %q", resp, body)
			}
			if resp, _ := r.get(c, s.URL+"/204"); resp.StatusCode != 204 {
				t.Errorf("%+v", resp)
			}
			if resp, _ := r.get(c, s.URL+"/304"); resp.StatusCode != 304 || resp.Header.Get("Etag") != `"x"` {
				t.Errorf("%+v", resp)
			}
			if resp, body := r.get(c, s.URL+"/early"); body != "late" || resp.Header.Get("Link") != "" {
				t.Errorf("%q %+v", body, resp)
			}
			resp, body := r.get(c, s.URL+"/trailers")
			if body != "body" || resp.Trailer.Get("Grpc-Status") != "0" || resp.Trailer.Get("Unannounced") != "1" {
				t.Errorf("%q %+v", body, resp.Trailer)
			}
			f := r.wait("with trailers", func(f flow.Flow) bool { return f.State == flow.Done && strings.HasSuffix(f.Request.URL, "/trailers") })
			if f.Response.Trailer.Get("grpc-status") != "0" {
				t.Errorf("%+v", f.Response)
			}
			req, err = http.NewRequest(http.MethodPost, s.URL+"/requesttrailers", struct{ io.Reader }{strings.NewReader("chunked")})
			must(t, err)
			req.Trailer = http.Header{"X-Sum": {"abc"}}
			if _, body := r.do(c, req); body != "abc" {
				t.Errorf("the trailers of a request did not arrive: %q", body)
			}
			f = r.wait("with request trailers", func(f flow.Flow) bool {
				return f.State == flow.Done && strings.HasSuffix(f.Request.URL, "/requesttrailers")
			})
			if f.Request.Trailer.Get("X-Sum") != "abc" || string(f.Request.Body.Content) != "chunked" {
				t.Errorf("%+v", f.Request)
			}
		})
	}
}

// TestExpectContinueDelaysRequestBody: the app sends its body only when the server wants it.
func TestExpectContinueDelaysRequestBody(t *testing.T) {
	r := open(t, believing)
	s := r.server(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/no" {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		body, _ := io.ReadAll(req.Body)
		fmt.Fprintf(w, "%d", len(body))
	}, false)
	c := r.client(false)
	c.Transport.(*http.Transport).ExpectContinueTimeout = tooLong
	for path, want := range map[string]string{"/yes": "100000", "/no": ""} {
		req, err := http.NewRequest(http.MethodPut, s.URL+path, strings.NewReader(strings.Repeat("x", 100_000)))
		must(t, err)
		req.Header.Set("Expect", "100-continue")
		if resp, body := r.do(c, req); body != want || path == "/no" && resp.StatusCode != 417 {
			t.Errorf("%s: %d %q", path, resp.StatusCode, body)
		}
	}
}

// TestBodiesStreamInBothDirections: the first bytes arrive before the last are sent, in both directions.
func TestBodiesStreamInBothDirections(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(version(http2), func(t *testing.T) {
			r := open(t, believing)
			s := r.server(func(w http.ResponseWriter, req *http.Request) {
				_ = http.NewResponseController(w).EnableFullDuplex()
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				b := make([]byte, 4)
				for {
					n, err := io.ReadFull(req.Body, b)
					if err != nil {
						return
					}
					fmt.Fprintf(w, "<%s>", b[:n])
					_ = http.NewResponseController(w).Flush()
				}
			}, http2)
			from, to := io.Pipe()
			req, err := http.NewRequest(http.MethodPost, s.URL, from)
			must(t, err)
			resp, err := r.client(http2).Do(req)
			must(t, err)
			got := make([]byte, 6)
			for _, word := range []string{"ping", "pong", "more"} {
				if _, err := io.WriteString(to, word); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != "<"+word+">" {
					t.Fatalf("%q %v", got, err)
				}
			}
			must(t, to.Close())
			_, err = io.Copy(io.Discard, resp.Body)
			must(t, err)
			must(t, resp.Body.Close())
			if f := r.done(); string(f.Request.Body.Content) != "pingpongmore" || string(f.Response.Body.Content) != "<ping><pong><more>" {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestProxyServesItsCertificateOnly: the proxy itself gives its certificate away, never its key.
func TestProxyServesItsCertificateOnly(t *testing.T) {
	r := open(t, nil)
	for path, want := range map[string]string{"/ca.cer": string(r.ca.DER()), "/ca.pem": string(r.ca.PEM())} {
		resp, err := http.Get("http://" + r.address + path)
		must(t, err)
		body, err := io.ReadAll(resp.Body)
		must(t, err)
		must(t, resp.Body.Close())
		if string(body) != want || strings.Contains(string(body), "PRIVATE") {
			t.Errorf("%s: %q", path, body)
		}
	}
}

// TestHiddenFlowPassesUnrecorded: a flow that the rules hide passes, and is neither recorded nor given to the rules again.
func TestHiddenFlowPassesUnrecorded(t *testing.T) {
	r := open(t, believing)
	r.look.Hidden = true
	s := r.server(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }, true)
	if _, body := r.get(r.client(true), s.URL); body != "hello" {
		t.Error(body)
	}
	if len(r.flows) > 0 || r.proxy.Figures().Requests != 1 {
		t.Errorf("%+v", r.flows)
	}
}
