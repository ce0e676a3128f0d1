package agenttest

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"ios-agent/internal/driver/agentwire"
)

func hello(b *bench) {
	c := b.dial(b.open(Options{}))
	info, err := c.Hello(b.ctx, "", "agenttest")
	if err != nil || info.Version != agentwire.Version || info.Agent == "" || info.UDID != UDID || info.PID == 0 {
		b.Fatalf("got %+v, %v", info, err)
	}
	d := &driver{b, c}
	d.fault(agentwire.CodeBadRequest, &agentwire.Hello{Version: agentwire.Version})
	d.ok(&agentwire.Heartbeat{})
	if v := ask[*agentwire.Value](d, &agentwire.DeviceUDID{}); v.Text == nil || *v.Text != UDID {
		b.Errorf("the device is %s", quoted(v.Text))
	}
}

// every has one of each request except the requests that open a connection.
func every() []agentwire.Request {
	return []agentwire.Request{
		&agentwire.Heartbeat{}, &agentwire.TapCoord{}, &agentwire.TapElement{}, &agentwire.TapByLabel{},
		&agentwire.TapWithType{}, &agentwire.TypeText{}, &agentwire.Swipe{}, &agentwire.GetValue{}, &agentwire.LongPress{},
		&agentwire.DumpTree{}, &agentwire.Screenshot{}, &agentwire.SetTarget{}, &agentwire.FindElement{},
		&agentwire.GetTargetInfo{}, &agentwire.DeviceUDID{}, &agentwire.Look{},
		&agentwire.DoubleTap{}, &agentwire.Clear{}, &agentwire.SetValue{}, &agentwire.Key{}, &agentwire.Drag{},
		&agentwire.Pinch{}, &agentwire.Alert{}, &agentwire.Button{}, &agentwire.Rotate{},
		&agentwire.Look{}, &agentwire.Act{},
	}
}

// token: before the token is proven, every request is refused.
func token(b *bench) {
	c := b.dial(b.open(Options{Token: "secret"}))
	for _, req := range every() {
		_, err := c.Do(b.ctx, req)
		if e, is := errors.AsType[*agentwire.AgentError](err); !is || e.Code != agentwire.CodeNone ||
			!strings.Contains(e.Message, "unauthorized") {
			b.Errorf("%s without hello: %v", describe(req), err)
		}
	}
	if info, err := c.Hello(b.ctx, "secret", "agenttest"); err != nil || info.Version != agentwire.Version {
		b.Fatalf("the right token: %+v, %v", info, err)
	}
	(&driver{b, c}).ok(&agentwire.Heartbeat{})
}

// version1: a client without a hello is served, and gets failures as text.
func version1(b *bench) {
	c := b.dial(b.open(Options{}))
	d := &driver{b, c}
	d.ok(&agentwire.SetTarget{Bundle: App})
	d.tap("controls-tap-button")
	d.reads("controls-tap-count", "Tapped: 1")
	d.fault(agentwire.CodeNone, &agentwire.TapElement{Selector: "nothing"})
	_, err := c.Do(b.ctx, &agentwire.TapElement{Selector: "nothing"})
	if err == nil || !strings.Contains(err.Error(), "not found") {
		b.Errorf("the text of version 1 says %v", err)
	}
	if ask[*agentwire.Tree](d, &agentwire.DumpTree{}); c.Version() != 1 {
		b.Errorf("version %d", c.Version())
	}
}

func olderHello(b *bench) {
	for _, version := range []uint16{0, 1, 2} {
		d := &driver{b, b.dial(b.open(Options{}))}
		if w := ask[*agentwire.Welcome](d, &agentwire.Hello{Version: version}); w.Version != 1 || d.Version() != 1 {
			b.Errorf("hello of version %d: welcome to %d, client in %d", version, w.Version, d.Version())
		}
		d.ok(&agentwire.Heartbeat{})
	}
	d := &driver{b, b.dial(b.open(Options{}))}
	if w := ask[*agentwire.Welcome](d, &agentwire.Hello{Version: 99}); w.Version != agentwire.Version {
		b.Errorf("hello of version 99: welcome to %d", w.Version)
	}
	d.ok(&agentwire.Heartbeat{})
}

// one client: a newer one ends the one before, and the target survives that.
func oneClient(b *bench) {
	s := b.open(Options{})
	first := &driver{b, b.dial(s)}
	first.ok(&agentwire.SetTarget{Bundle: App})
	second := &driver{b, b.dial(s)}
	info, err := ask[*agentwire.TargetInfo](second, &agentwire.GetTargetInfo{}).Info()
	if err != nil || info.Bundle != App {
		b.Errorf("the target is now %+v, %v", info, err)
	}
	if _, err := first.Do(b.ctx, &agentwire.Heartbeat{}); err == nil {
		b.Error("the first client is still served")
	}
	second.ok(&agentwire.Heartbeat{})
}

// strangers do not end the client, however they behave.
func strangers(b *bench) {
	s := b.open(Options{Token: "secret"})
	owner := &driver{b, b.dial(s)}
	if _, err := owner.Hello(b.ctx, "secret", "owner"); err != nil {
		b.Fatal(err)
	}
	stranger := b.dial(s)
	if _, err := stranger.Hello(b.ctx, "guess", "stranger"); err == nil {
		b.Error("the stranger was let in")
	}
	loud := b.raw(s)
	write(b, loud, "\xff\xff\xff\xff")
	ended(b, loud)
	owner.ok(&agentwire.Heartbeat{})
}

func write(b *bench, w io.Writer, bytes string) {
	b.Helper()
	if _, err := io.WriteString(w, bytes); err != nil {
		b.Fatal(err)
	}
}

// ended waits for the other side to end a connection.
func ended(b *bench, r io.Reader) {
	b.Helper()
	var timeout interface{ Timeout() bool }
	if n, err := io.Copy(io.Discard, r); n != 0 || errors.As(err, &timeout) && timeout.Timeout() {
		b.Errorf("the connection was not ended: %d bytes, %v", n, err)
	}
}

func frame(message string) string {
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(message)))) + message
}

// garbage in whole frames is answered, and the connection stays.
func garbage(b *bench) {
	for version, messages := range map[uint16]map[string]agentwire.Code{
		1: {"\x15": 0, "\xa0\x00": 0, "\x99": 0, "\x06\xff\xff": 0, "\x06\x01\x00\x00\x00\xff": 0, "\x77": 0, "\x20": 0},
		3: {
			"\x15": agentwire.CodeBadRequest, "\x09\x00\x00\x00\x00\x00\x15": agentwire.CodeUnsupported,
			"\x09\x00\x00\x00\x00\x00": agentwire.CodeBadRequest, "\x09\x00\x00\x00\x00\x00\xa0\x00": agentwire.CodeBadRequest,
			"\x09\x00\x00\x00\x00\x00\x02\x01": agentwire.CodeBadRequest,
		},
	} {
		stream := b.raw(b.open(Options{}))
		conn := agentwire.NewConn(stream)
		if version == 3 {
			greet(b, conn)
		}
		for message, code := range messages {
			write(b, stream, frame(message))
			reply, err := conn.ReadResponse()
			if err != nil {
				b.Fatalf("version %d: %q: %v", version, message, err)
			}
			text, v1 := reply.Response.(*agentwire.ErrorText)
			fault, v3 := reply.Response.(*agentwire.Fault)
			switch {
			case version == 1 && (!v1 || text.Message == ""), version == 3 && (!v3 || fault.Code != code):
				b.Errorf("version %d: %q was answered with %#v", version, message, reply.Response)
			case version == 3 && (len(message) >= 6) != (reply.ID == 9):
				b.Errorf("%q was answered with id %d", message, reply.ID)
			}
		}
		if _, err := exchange(conn, 7, &agentwire.Heartbeat{}); err != nil {
			b.Errorf("version %d: after the garbage: %v", version, err)
		}
	}
}

// greet says hello on a raw stream, and goes on in version 3.
func greet(b *bench, conn *agentwire.Conn) {
	b.Helper()
	reply, err := exchange(conn, 0, &agentwire.Hello{Version: agentwire.Version})
	if err != nil || reply.Response.Kind() != (&agentwire.Welcome{}).Kind() {
		b.Fatalf("hello: %#v, %v", reply.Response, err)
	}
	conn.SetVersion(agentwire.Version)
}

func exchange(conn *agentwire.Conn, id uint32, req agentwire.Request) (agentwire.Reply, error) {
	if err := conn.WriteRequest(id, req); err != nil {
		return agentwire.Reply{}, err
	}
	return conn.ReadResponse()
}

// randomFrames: each random frame gets one answer. Requests that would wait, or change the form of frames, are left out.
func randomFrames(b *bench) {
	stream := b.raw(b.open(Options{}))
	conn := agentwire.NewConn(stream)
	random := rand.New(rand.NewPCG(1, 2))
	left := "\x03\x04\x05\x07\x08\x09\x20\x26\x29\x2d\x2e\x2f"
	for i := range 500 {
		message := make([]byte, 1+random.IntN(40))
		for j := range message {
			message[j] = byte(random.IntN([]int{4, 256}[random.IntN(2)]))
		}
		if strings.IndexByte(left, message[0]) >= 0 {
			message[0] = 0xee
		}
		write(b, stream, frame(string(message)))
		if _, err := conn.ReadResponse(); err != nil {
			b.Fatalf("frame %d, % x: %v", i, message, err)
		}
	}
	if reply, err := exchange(conn, 0, &agentwire.Heartbeat{}); err != nil || reply.Response.Kind() != (&agentwire.OK{}).Kind() {
		b.Errorf("after them: %#v, %v", reply.Response, err)
	}
}

// too large: a length above the limit ends the connection before any byte of the frame came, and nothing else.
func tooLarge(b *bench) {
	s := b.open(Options{})
	for _, length := range []uint32{agentwire.MaxFrame + 1, 1<<32 - 1} {
		stream := b.raw(s)
		write(b, stream, string(binary.LittleEndian.AppendUint32(nil, length)))
		ended(b, stream)
	}
	(&driver{b, b.dial(s)}).ok(&agentwire.Heartbeat{})
}

// broken off: a client that leaves in the middle of a frame does no harm.
func brokenOff(b *bench) {
	s := b.open(Options{})
	for _, start := range []string{"\x08", "\x08\x00\x00\x00\x06", "\x00\x00\x00\x04"} {
		stream := b.raw(s)
		write(b, stream, start)
		stream.Close()
	}
	(&driver{b, b.dial(s)}).ok(&agentwire.Heartbeat{})
}

// tolerated bytes: empty frames, bytes after the last field, a timeout that is missing altogether.
func toleratedBytes(b *bench) {
	stream := b.raw(b.open(Options{}))
	conn := agentwire.NewConn(stream)
	for _, bytes := range []string{"\x00\x00\x00\x00\x00\x00\x00\x00" + frame("\x01"), frame("\x01more"), frame("\x12\x01\x00\x00\x00amore")} {
		write(b, stream, bytes)
		if reply, err := conn.ReadResponse(); err != nil || reply.Response.Kind() != (&agentwire.OK{}).Kind() {
			b.Errorf("%q: %#v, %v", bytes, reply.Response, err)
		}
	}
	write(b, stream, frame("\x03\x01\x00\x00\x00a"))
	reply, err := conn.ReadResponse()
	if text, is := reply.Response.(*agentwire.ErrorText); err != nil || !is || strings.Contains(text.Message, "decode") {
		b.Errorf("a tap without a timeout: %#v, %v", reply.Response, err)
	}
}

// ids: the answer repeats the request's id.
func ids(b *bench) {
	conn := agentwire.NewConn(b.raw(b.open(Options{})))
	greet(b, conn)
	for _, id := range []uint32{1, 2, 1 << 31, 0} {
		if reply, err := exchange(conn, id, &agentwire.SetTarget{Bundle: App}); err != nil || reply.ID != id || reply.Heartbeat {
			b.Errorf("request %d: %+v, %v", id, reply, err)
		}
	}
}

// dead-man switch: an agent whose host died does not live on.
func deadMan(b *bench) {
	s := b.open(Options{Token: "secret", DeadMan: 200_000_000})
	c := b.dial(s)
	if _, err := c.Hello(b.ctx, "secret", "agenttest"); err != nil {
		b.Fatal(err)
	}
	c.Close()
	select {
	case <-s.Ended:
	case <-b.ctx.Done():
		b.Error("it is still there")
	}
}

// shutdown is answered, and then the agent ends. A client without the proven token cannot end it.
func shutdown(b *bench) {
	s := b.open(Options{Token: secret})
	stranger := &driver{b, b.dial(s)}
	if _, err := stranger.Do(b.ctx, &agentwire.Shutdown{}); err == nil {
		b.Error("a stranger may end it")
	}
	d := &driver{b, b.dial(s)}
	if info, err := d.Hello(b.ctx, secret, "agenttest"); err != nil {
		b.Fatalf("hello: %+v, %v", info, err)
	}
	d.ok(&agentwire.Heartbeat{})
	d.ok(&agentwire.Shutdown{})
	select {
	case <-s.Ended:
	case <-b.ctx.Done():
		b.Error("it is still there")
	}
}

// busy: what needs no screen is answered while a finger is down, so that an agent whose main thread is held does not look dead.
func busy(b *bench) {
	const down = 20 * time.Second
	s := b.open(Options{})
	first := agentwire.NewConn(b.raw(s))
	greet(b, first)
	// The first pulse: the finger is down by now. Where time passes as requests ask for it, this is the answer.
	if _, err := exchange(first, 1, &agentwire.LongPress{X: 1, Y: 1, Seconds: down.Seconds()}); err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	d := &driver{b, b.dial(s)}
	if _, err := d.Hello(b.ctx, "", "agenttest"); err != nil {
		b.Fatal(err)
	}
	d.ok(&agentwire.Heartbeat{})
	d.ok(&agentwire.SetTarget{Bundle: App})
	ask[*agentwire.Value](d, &agentwire.DeviceUDID{})
	if took := time.Since(begin); took > down/2 {
		b.Errorf("it took %s", took)
	}
}
