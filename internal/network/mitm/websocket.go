package mitm

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"ios-agent/internal/network/flow"
)

// switchProtocols connects an app with a server that agreed to speak WebSocket. The bytes pass unchanged; the frames are read from a
// copy.
func (x *exchange) switchProtocols(resp *http.Response) {
	server, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || x.w == nil || !isWebSocket(x.in.Header) {
		x.ended(flow.ServerGone, hostPort(x.out.URL)+" changed to a protocol that the app did not request", http.StatusBadGateway)
		return
	}
	defer server.Close()
	app, buffered, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		x.ended(flow.ServerGone, "the connection cannot change its protocol: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer app.Close()
	_ = app.SetDeadline(time.Time{})
	if err := writeSwitch(app, resp); err != nil {
		x.finish(flow.Failed, flow.Trouble{Kind: flow.AppGone, Error: "the app ended the connection before it was answered"})
		return
	}
	fromApp, fromServer := x.watchFrames(resp.Header["Sec-Websocket-Extensions"])
	x.tell()
	x.pump(app, buffered.Reader, server, fromApp, fromServer)
}

// writeSwitch writes the head of the answer, which has no body.
func writeSwitch(app net.Conn, resp *http.Response) error {
	w := bufio.NewWriter(app)
	fmt.Fprintf(w, "HTTP/1.1 %d %s\r\n", resp.StatusCode, http.StatusText(resp.StatusCode))
	_ = resp.Header.Write(w) // Flush returns the error
	_, _ = w.WriteString("\r\n")
	return w.Flush()
}

func (x *exchange) watchFrames(extensions []string) (fromApp, fromServer func([]byte)) {
	if x.look.Hidden {
		return func([]byte) {}, func([]byte) {}
	}
	x.messages.tell = x.tell
	direction := func(sent bool, pack *unpacker) func([]byte) {
		f := &frames{wants: x.messages.wants, pack: pack, tell: func(m wsMessage) {
			x.messages.add(flow.Message{
				AtMS: time.Since(x.f.Started).Milliseconds(), Sent: sent, Text: m.op == opText, Size: m.size,
				Data: m.data, Cut: m.cut, Closes: m.op == opClose,
			})
		}}
		return f.write
	}
	ofApp, ofServer := unpackersOf(extensions)
	return direction(true, ofApp), direction(false, ofServer)
}

// pump copies both ways until one side ends.
func (x *exchange) pump(app net.Conn, early *bufio.Reader, server io.ReadWriteCloser, fromApp, fromServer func([]byte)) {
	var sent, got int64
	var both sync.WaitGroup
	both.Go(func() {
		sent = relay(server, early, fromApp)
		_ = server.Close() // wakes the other direction
	})
	got = relay(app, server, fromServer)
	_ = app.Close()
	both.Wait()
	x.mu.Lock()
	x.f.Request.Body.Size, x.f.Response.Body.Size = sent, got
	x.mu.Unlock()
	if x.p.ctx.Err() != nil {
		x.finish(flow.Failed, flow.Trouble{Kind: flow.ProxyEnded, Error: "the proxy was ended"})
		return
	}
	x.finish(flow.Done, flow.Trouble{})
}

// relay copies bytes and shows each piece to seen.
func relay(to io.Writer, from io.Reader, seen func([]byte)) (n int64) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	for {
		read, err := from.Read(*buffer)
		n += int64(read)
		seen((*buffer)[:read])
		if read > 0 {
			if _, err := to.Write((*buffer)[:read]); err != nil {
				return n
			}
		}
		if err != nil {
			return n
		}
	}
}
