package mitm_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
)

// idle opens a connection that asks for nothing, or for nothing more: silent, in the middle of a head, after its CONNECT, after an answer.
func (r *rig) idle(kind int, server string) net.Conn {
	r.t.Helper()
	if kind%4 == 2 {
		return r.connect("silent.example:443")
	}
	conn, err := net.Dial("tcp", r.address)
	must(r.t, err)
	must(r.t, conn.SetDeadline(time.Now().Add(tooLong)))
	switch kind % 4 {
	case 1:
		_, err = io.WriteString(conn, "GET http://"+server+"/ HTTP/1.1\r\nHost: ")
		must(r.t, err)
	case 3:
		if got := ask(r.t, conn, "GET http://"+server+"/ HTTP/1.1\r\nHost: "+server+"\r\n\r\n"); got != "served" {
			r.t.Fatalf("got %q, want it served", got)
		}
	}
	return conn
}

// TestIdleConnectionsAreClosedForNewOnes: beside more idle connections than there are places an app is served at once. Those that were of
// no use longest are ended; one with a request under way, and one that was used last, stay.
func TestIdleConnectionsAreClosedForNewOnes(t *testing.T) {
	const places, crowd = 1024, 1100
	r := open(t, nil)
	hangs, let := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/long" {
			close(hangs)
			<-let
		}
		fmt.Fprint(w, "served")
	}))
	defer s.Close()
	at := s.Listener.Addr().String()
	long := r.idle(0, at)
	defer long.Close()
	_, err := io.WriteString(long, "GET http://"+at+"/long HTTP/1.1\r\nHost: "+at+"\r\n\r\n")
	must(t, err)
	<-hangs
	var all []net.Conn
	for i := range crowd {
		all = append(all, r.idle(i, at))
		defer all[i].Close()
	}
	if _, body := r.get(r.client(false), s.URL); body != "served" {
		t.Errorf("got %q, want it served", body)
	}
	if n := r.proxy.Figures().Open; n > places {
		t.Errorf("got %d connections, want at most %d", n, places)
	}
	if _, err := all[0].Read(make([]byte, 1)); err == nil {
		t.Error("the longest idle connection is still open")
	}
	last := all[len(all)-1] // of the kind that was answered
	if got := ask(t, last, "GET http://"+at+"/ HTTP/1.1\r\nHost: "+at+"\r\n\r\n"); got != "served" {
		t.Errorf("got %q on a connection that was used last, want it served", got)
	}
	close(let)
	answer, err := http.ReadResponse(bufio.NewReader(long), nil)
	must(t, err)
	if body, err := io.ReadAll(answer.Body); string(body) != "served" || err != nil {
		t.Errorf("got %q, %v for the request that was under way, want it served", body, err)
	}
}

// TestNewConnectionWaitsForBusyOnes: where all places have a request under way, the next connection is served when one of them rests.
func TestNewConnectionWaitsForBusyOnes(t *testing.T) {
	r := open(t, func(o *mitm.Options) { o.MostOpen = 1 })
	asked, let := make(chan struct{}, 2), make(chan struct{}, 2)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		<-let
		fmt.Fprint(w, "served")
	}))
	defer s.Close()
	answers := make(chan string, 2)
	get := func() {
		_, body := r.get(r.client(false), s.URL)
		answers <- body
	}
	go get()
	<-asked // from here on it is busy: before, it would give way
	go get()
	let <- struct{}{}
	<-asked // the second one, on the place of the first, whose connection is kept alive
	let <- struct{}{}
	if one, two := <-answers, <-answers; one != "served" || two != "served" {
		t.Errorf("got %q and %q, want both served", one, two)
	}
}

// TestOtherUsersProgramIsForbidden: a program of another user gets 403 for any request, no server is contacted, and no flow is recorded.
func TestOtherUsersProgramIsForbidden(t *testing.T) {
	r := open(t, func(o *mitm.Options) {
		o.Bypass = []string{"127.0.0.1"}
		o.Whose = func(net.Conn) flow.Client { return flow.Client{Foreign: true, Unknown: "uid 4711"} }
	})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server was asked") }))
	defer s.Close()
	at := s.Listener.Addr().String()
	for _, request := range []string{
		"GET http://" + at + "/ HTTP/1.1\r\nHost: " + at + "\r\n\r\n", "CONNECT " + at + " HTTP/1.1\r\nHost: " + at + "\r\n\r\n",
		"GET /ca.pem HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST http://" + at + "/ HTTP/1.1\r\nHost: " + at + "\r\nContent-Length: 70000\r\n\r\n" + strings.Repeat("x", 70000), "",
	} {
		conn, err := net.Dial("tcp", r.address)
		must(t, err)
		defer conn.Close()
		must(t, conn.SetDeadline(time.Now().Add(tooLong)))
		_, _ = io.WriteString(conn, request) // it may be turned away before it has said all
		all, err := io.ReadAll(conn)
		if !strings.HasPrefix(string(all), "HTTP/1.1 403 ") || !strings.Contains(string(all), "uid 4711") {
			t.Errorf("%.30q: got %q, %v, want 403 and why", request, all, err)
		}
	}
	if len(r.flows) > 0 {
		t.Errorf("got the flows %+v, want none", r.flows)
	}
}

// TestBodiesReadForRulesAreBounded: together. What has no room is shown cut, and passes whole; what ended gives its room back.
func TestBodiesReadForRulesAreBounded(t *testing.T) {
	const most, size = 1 << 20, 2 << 20
	r := open(t, func(o *mitm.Options) { o.MostSeen = most })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		n, _ := io.Copy(io.Discard, req.Body)
		fmt.Fprint(w, n)
	}))
	defer s.Close()
	seen, let := make(chan flow.Body), make(chan struct{})
	r.look = flow.Look{RequestBody: true}
	r.request = func(_ context.Context, f *flow.Flow) (flow.Verdict, error) {
		seen <- f.Request.Body
		<-let
		return flow.Verdict{}, nil
	}
	answers := make(chan string)
	post := func() {
		req, err := http.NewRequest(http.MethodPost, s.URL, strings.NewReader(strings.Repeat("x", size)))
		must(t, err)
		_, body := r.do(r.client(false), req)
		answers <- body
	}
	for range 2 { // the second time with what the first ones gave back
		shown := 0
		for range 3 {
			go post()
			body := <-seen
			if shown += len(body.Content); !body.Cut || len(body.Content) < flow.MostInline {
				t.Errorf("got %d bytes, cut %v, want at least the first %d", len(body.Content), body.Cut, flow.MostInline)
			}
		}
		if shown < most || shown > most+3*flow.MostInline {
			t.Errorf("got %d bytes shown at once, want about %d", shown, most)
		}
		for range 3 {
			let <- struct{}{}
		}
		for range 3 {
			if got := <-answers; got != fmt.Sprint(size) {
				t.Errorf("the server got %s bytes, want %d", got, size)
			}
		}
	}
}
