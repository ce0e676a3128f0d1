package mitm_test

import (
	"bufio"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
)

// raw is a server that keeps the head of each request as it stood on the wire.
func raw(t *testing.T) (address string, heads <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	got := make(chan string, 16)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					var head strings.Builder
					length := 0
					for {
						line, err := in.ReadString('\n')
						if err != nil {
							return
						}
						if line == "\r\n" {
							break
						}
						if n, is := strings.CutPrefix(strings.ToLower(line), "content-length: "); is {
							_, _ = fmt.Sscan(n, &length)
						}
						head.WriteString(strings.TrimSuffix(line, "\r\n") + "\n")
					}
					_, _ = io.CopyN(io.Discard, in, int64(length))
					got <- head.String()
					_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
				}
			}()
		}
	}()
	return l.Addr().String(), got
}

// TestHeadersKeepOrderAndSpelling: a server gets the lines of a request in the order and the spelling in which the app wrote them, also of
// the second request of a connection; lines for the next machine only do not go on, and the flow shows what the app wrote.
func TestHeadersKeepOrderAndSpelling(t *testing.T) {
	r := open(t, nil)
	at, heads := raw(t)
	conn, err := net.Dial("tcp", r.address)
	must(t, err)
	defer conn.Close()
	answers := bufio.NewReader(conn)
	for i, c := range []struct{ lines, body, want string }{
		{"User-Agent: app\nhost: HOST\nx-Zeta: 1\nAccept: b\nCookie: z=1\naccept: a\nProxy-Connection: close\nContent-Length: 4\nX-A: 2",
			"tea!", "User-Agent: app\nhost: HOST\nx-Zeta: 1\nAccept: b\nCookie: z=1\naccept: a\nContent-Length: 4\nX-A: 2"},
		{"X-B: 1\nX-Hop: 1\nConnection: x-hop\nX-A: 2\nHost: HOST", "", "X-B: 1\nX-A: 2\nHost: HOST"},
		{"Host: HOST\nX-Long: " + strings.Repeat("a", 20_000) + "\nX-A: 2", "",
			"Host: HOST\nX-Long: " + strings.Repeat("a", 20_000) + "\nX-A: 2"},
		{"Host: HOST\nTransfer-Encoding: chunked\nX-B: 1\nX-A: 2", "0\r\n\r\n", ""},
	} {
		method := "POST"
		if c.body == "" {
			method = "GET"
		}
		lines := strings.ReplaceAll(strings.ReplaceAll(c.lines, "HOST", at), "\n", "\r\n")
		_, err = fmt.Fprintf(conn, "%s http://%s/ HTTP/1.1\r\n%s\r\n\r\n%s", method, at, lines, c.body)
		must(t, err)
		if c.want == "" { // whether a body of no length is sent on is net/http's to say; the order is not
			c.want = "Host: HOST\nX-B: 1\nX-A: 2"
		}
		got := <-heads
		for _, line := range []string{"Content-Length: 0\n", "Transfer-Encoding: chunked\n"} {
			got = strings.Replace(got, line, "", 1)
		}
		if want := method + " / HTTP/1.1\n" + strings.ReplaceAll(c.want, "HOST", at) + "\n"; got != want {
			t.Errorf("request %d: the server got\n%.300s\nwant\n%.300s", i, got, want)
		}
		resp, err := http.ReadResponse(answers, nil)
		must(t, err)
		if resp.StatusCode != http.StatusNoContent {
			t.Fatalf("request %d: got %s", i, resp.Status)
		}
		f := r.done()
		r.forget()
		var shown []string
		for _, line := range f.Request.Header {
			shown = append(shown, line.Name+": "+line.Value)
		}
		told := strings.ReplaceAll(strings.Replace(c.lines, "Transfer-Encoding: chunked\n", "", 1), "HOST", at)
		if strings.Join(shown, "\n") != told {
			t.Errorf("request %d: the flow shows\n%.300s\nwant\n%.300s", i, strings.Join(shown, "\n"), told)
		}
	}
}

// TestReplayKeepsHeaderOrder: a request that is sent again has its lines as the flow has them.
func TestReplayKeepsHeaderOrder(t *testing.T) {
	r := open(t, nil)
	at, heads := raw(t)
	_, err := r.proxy.Do(t.Context(), flow.Request{Method: "GET", URL: "http://" + at + "/", Protocol: "HTTP/1.1", Header: flow.Header{
		{Name: "x-b", Value: "1"}, {Name: "Host", Value: "shop.example"}, {Name: "X-A", Value: "2"}, {Name: "User-Agent", Value: "app"},
	}}, "f_000000000001", "ann")
	must(t, err)
	if got, want := <-heads, "GET / HTTP/1.1\nx-b: 1\nHost: shop.example\nX-A: 2\nUser-Agent: app\n"; got != want {
		t.Errorf("the server got\n%s\nwant\n%s", got, want)
	}
}

// TestServerGetsHTTPVersionOfApp: a server that speaks both gets the version of HTTP that the app speaks.
func TestServerGetsHTTPVersionOfApp(t *testing.T) {
	r := open(t, believing)
	s := r.server(func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, req.Proto) }, true)
	for http2, want := range map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"} {
		if _, got := r.get(r.client(http2), s.URL); got != want {
			t.Errorf("an app that speaks %s: the server got %s", want, got)
		}
	}
}

// TestPrivateCAServerNeedsTrustSetting: such a server is refused, until its authority is given or its certificate need not be verified.
func TestPrivateCAServerNeedsTrustSetting(t *testing.T) {
	r := open(t, nil)
	s := r.server(func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, "private") }, true)
	host := strings.TrimPrefix(s.URL, "https://")
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	for _, http2 := range []bool{false, true} {
		client := r.client(http2)
		ask := func(way mitm.Way) (int, string) {
			t.Helper()
			must(t, r.proxy.Set(way))
			resp, text := r.get(client, s.URL)
			return resp.StatusCode, text
		}
		for _, c := range []struct {
			way  mitm.Way
			want int
		}{
			{mitm.Way{}, 502},
			{mitm.Way{Authorities: authority}, 200},
			{mitm.Way{Insecure: []string{host}}, 200},
			{mitm.Way{Insecure: []string{"*.example.com", "127.0.0.1:1"}}, 502},
			{mitm.Way{}, 502},
		} {
			if code, text := ask(c.way); code != c.want || code == 502 && !strings.Contains(text, "the certificate of "+host+" is not valid") {
				t.Errorf("HTTP/2 %v, insecure %q, with an authority %v: got %d %q, want %d", http2, c.way.Insecure, c.way.Authorities != "", code,
					text, c.want)
			}
		}
	}
	if err := r.proxy.Set(mitm.Way{Authorities: "no certificate"}); err == nil {
		t.Error("a text without a certificate was taken")
	}
	if err := r.proxy.Set(mitm.Way{Insecure: []string{"*"}}); err == nil {
		t.Error("all hosts may do without a certificate")
	}
}

// TestPipelinedRequestsAreSentWhole: of requests that come at once the later ones are sent whole, though their order is not known.
func TestPipelinedRequestsAreSentWhole(t *testing.T) {
	r := open(t, nil)
	at, heads := raw(t)
	conn, err := net.Dial("tcp", r.address)
	must(t, err)
	defer conn.Close()
	one := "GET http://" + at + "/ HTTP/1.1\r\nX-B: 1\r\nHost: " + at + "\r\nX-A: 2\r\n\r\n"
	_, err = io.WriteString(conn, one+one+one)
	must(t, err)
	for i := range 3 {
		lines := strings.Split(strings.TrimSpace(<-heads), "\n")
		slices.Sort(lines)
		if want := []string{"GET / HTTP/1.1", "Host: " + at, "X-A: 2", "X-B: 1"}; !slices.Equal(lines, want) {
			t.Errorf("request %d: got %q, want %q", i, lines, want)
		}
	}
}
