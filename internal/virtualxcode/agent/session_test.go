package agent

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
)

func TestHelloIdentifiesTheAgent(t *testing.T) {
	client, _ := connect(t, New(options(newStage())))
	info, err := client.Hello(t.Context(), "", "test")
	if want := (agentwire.HelloInfo{Version: 3, Agent: "virtual", Build: "b1", UDID: udid, PID: 42}); err != nil || info != want {
		t.Errorf("got %+v, %v", info, err)
	}
	wantFault(t, client, &agentwire.Hello{Version: 3}, agentwire.CodeBadRequest)
	wantFault(t, client, &agentwire.Greet{Nonce: make([]byte, agentwire.NonceSize)}, agentwire.CodeBadRequest)
}

func TestVersion1ClientNeedsNoHello(t *testing.T) {
	s := newStage()
	client, _ := connect(t, New(options(s)))
	ok(t, client, &agentwire.SetTarget{Bundle: shop})
	ok(t, client, &agentwire.TapElement{Selector: "login"})
	wantActs(t, s, "tap {70 120}")
	_, err := client.Do(t.Context(), &agentwire.TapElement{Selector: "nothing"})
	if e, is := errors.AsType[*agentwire.AgentError](err); !is || e.Code != agentwire.CodeNone ||
		!strings.Contains(e.Message, "not found") {
		t.Errorf("error %v, want text only", err)
	}
}

func TestHelloOfAnOlderVersionStaysInVersion1(t *testing.T) {
	for _, offered := range []uint16{0, 1, 2} {
		client, _ := connect(t, New(options(newStage())))
		w := ask[*agentwire.Welcome](t, client, &agentwire.Hello{Version: offered})
		if w.Version != 1 || client.Version() != 1 {
			t.Errorf("hello of version %d: welcome to %d, client in %d, want 1", offered, w.Version, client.Version())
		}
		ok(t, client, &agentwire.Heartbeat{})
	}
}

func TestRequestsWithoutTokenAreRefused(t *testing.T) {
	s := newStage()
	o := options(s)
	o.Token = "secret"
	a := New(o)
	client, _ := connect(t, a)
	for op, h := range handlers() {
		if req, err := agentwire.UnmarshalRequest(append([]byte{byte(op)}, make([]byte, 128)...)); err == nil && !h.open {
			_, err := client.Do(t.Context(), req)
			if e, is := errors.AsType[*agentwire.AgentError](err); !is || !strings.Contains(e.Message, "unauthorized") {
				t.Errorf("%s without hello: %v", op, err)
			}
		}
	}
	wantFault(t, client, &agentwire.Hello{Version: 3, Token: "secret"}, agentwire.CodeUnauthorized)
	wantFault(t, client, &agentwire.Prove{Proof: make([]byte, 32)}, agentwire.CodeUnauthorized)
	for _, token := range []string{"Secret", "secret "} {
		stranger, _ := connect(t, a)
		if _, err := stranger.Hello(t.Context(), token, "test"); !errors.Is(err, agentwire.ErrImpostor) {
			t.Errorf("token %q: %v", token, err)
		}
	}
	wantActs(t, s)
	if _, err := client.Hello(t.Context(), "secret", "test"); err != nil {
		t.Fatal(err)
	}
	ok(t, client, &agentwire.TapCoord{})
}

func TestInvalidFrameKeepsConnectionOpen(t *testing.T) {
	for version, garbage := range map[uint16][]string{
		1: {"\x01\x00\x00\x00\x15", "\x02\x00\x00\x00\xa0\x00", "\x03\x00\x00\x00\x06\xff\xff", "\x06\x00\x00\x00\x06\x01\x00\x00\x00\xff",
			"\x00\x00\x00\x00\x01\x00\x00\x00\x77"},
		3: {"\x01\x00\x00\x00\x15", "\x07\x00\x00\x00\x09\x00\x00\x00\x00\x00\x15", "\x06\x00\x00\x00\x09\x00\x00\x00\x00\x00"},
	} {
		near, far := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- Serve(t.Context(), far, options(newStage())) }()
		conn := agentwire.NewConn(near)
		if version == 3 {
			exchange(t, near, conn, "\x0b\x00\x00\x00\x20\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00")
			conn.SetVersion(3)
		}
		for _, g := range garbage {
			reply := exchange(t, near, conn, g)
			_, v1 := reply.Response.(*agentwire.ErrorText)
			_, v3 := reply.Response.(*agentwire.Fault)
			if v1 != (version == 1) || v3 != (version == 3) {
				t.Errorf("version %d: %q was answered with %#v", version, g, reply.Response)
			}
		}
		near.Close()
		if err := <-done; err != nil {
			t.Errorf("Serve returned %v", err)
		}
	}
}

func exchange(t *testing.T, w io.Writer, conn *agentwire.Conn, frame string) agentwire.Reply {
	t.Helper()
	if _, err := io.WriteString(w, frame); err != nil {
		t.Fatal(err)
	}
	reply, err := conn.ReadResponse()
	if err != nil {
		t.Fatalf("%q: %v", frame, err)
	}
	return reply
}

func TestBrokenStreamEndsServe(t *testing.T) {
	for frame, want := range map[string]error{"\xff\xff\xff\xff": agentwire.ErrFrameTooLarge, "\x08\x00\x00\x00\x06": io.ErrUnexpectedEOF} {
		near, far := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- Serve(t.Context(), far, options(newStage())) }()
		if _, err := io.WriteString(near, frame); err != nil {
			t.Fatal(err)
		}
		if want == io.ErrUnexpectedEOF {
			near.Close()
		}
		if err := <-done; !errors.Is(err, want) {
			t.Errorf("%q: Serve returned %v", frame, err)
		}
		near.Close()
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, far, options(newStage())) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve returned %v", err)
	}
}

func TestNewClientReplacesOldAndKeepsTarget(t *testing.T) {
	a := New(options(newStage()))
	first, served := connect(t, a)
	ok(t, first, &agentwire.SetTarget{Bundle: shop})
	second, _ := connect(t, a)
	info, err := ask[*agentwire.TargetInfo](t, second, &agentwire.GetTargetInfo{}).Info()
	if err != nil || info.Bundle != shop {
		t.Errorf("target of the second connection: %+v, %v", info, err)
	}
	if err := <-served; err != nil {
		t.Errorf("the first connection ended with %v", err)
	}
	if _, err := first.Do(t.Context(), &agentwire.Heartbeat{}); err == nil {
		t.Error("the first client is still served")
	}
}

func TestUnauthorizedClientKeepsOwnerConnected(t *testing.T) {
	o := options(newStage())
	o.Token = "secret"
	a := New(o)
	owner, _ := connect(t, a)
	if _, err := owner.Hello(t.Context(), "secret", "owner"); err != nil {
		t.Fatal(err)
	}
	stranger, _ := connect(t, a)
	if _, err := stranger.Hello(t.Context(), "guess", "stranger"); err == nil {
		t.Error("the stranger was let in")
	}
	ok(t, owner, &agentwire.Heartbeat{})
}

func TestListenServesClientsUntilCrash(t *testing.T) {
	s := newStage()
	o := options(s)
	armed := make(chan bool, 1)
	o.TakeFault = func(name string) (flaw.Hit, bool) {
		return flaw.Hit{}, name == flaw.AgentCrashAfterAct && len(armed) > 0 && <-armed
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- New(o).Listen(t.Context(), l) }()
	for range 2 {
		client, err := agentwire.Dial(t.Context(), l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if info, err := client.Hello(t.Context(), "", "test"); err != nil || info.Version != agentwire.Version {
			t.Fatalf("hello: %+v, %v", info, err)
		}
		ok(t, client, &agentwire.TapCoord{})
	}
	client, err := agentwire.Dial(t.Context(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	armed <- true
	if _, err := client.Do(t.Context(), &agentwire.TapCoord{}); err == nil {
		t.Error("an agent that crashed answered")
	}
	if err := <-ended; !errors.Is(err, ErrCrashed) {
		t.Errorf("Listen returned %v", err)
	}
	if _, err := agentwire.Dial(t.Context(), l.Addr().String()); err == nil {
		t.Error("the port is still open")
	}
}

func TestListenEndsWithItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- New(options(newStage())).Listen(ctx, l) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Listen returned %v", err)
	}
}
