package mitm

import (
	"bytes"
	"maps"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/network/flow"
)

// net/http keeps neither the order nor the spelling of header names. The proxy records what an app wrote separately, as a hint: values
// always come from net/http, so that a line that it refused or joined cannot slip through.

// mostRemembered is the maximum recorded part of a request's head, in bytes.
const mostRemembered = 64 << 10

// heads records the first bytes of the next request on an HTTP/1.1 connection. The zero value is ready.
type heads struct {
	mu    sync.Mutex
	raw   []byte
	taken bool // the request is being served: the next bytes are its body
}

// read records bytes that were read into b. While a request is served, net/http waits for the next request with a buffer of one byte.
func (h *heads) read(b []byte, n int) {
	if h == nil || n <= 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.taken && len(b) == 1:
		h.raw = append(h.raw[:0], b[0])
	case h.taken:
	case len(h.raw)+n > mostRemembered:
		h.raw, h.taken = nil, true
	default:
		h.raw = append(h.raw, b[:n]...)
	}
}

// again says that the connection waits for its next request.
func (h *heads) again() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.taken {
		h.raw = h.raw[:0]
	}
	h.taken = false
}

// take gives the header names of the request being served, as the app wrote them; nil if they are unknown.
func (h *heads) take(r *http.Request) (names []string) {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken {
		return nil
	}
	h.taken = true
	defer func() { h.raw = h.raw[:0] }()
	lines := bytes.SplitAfter(h.raw, []byte("\n"))
	if first := string(bytes.TrimRight(lines[0], "\r\n")); first != r.Method+" "+r.RequestURI+" "+r.Proto {
		return nil // the head was read together with the previous request
	}
	for _, line := range lines[1:] {
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return names
		}
		name, _, _ := bytes.Cut(line, []byte(":"))
		names = append(names, string(name))
	}
	return nil // the head is longer than the recorded part
}

// listening is a connection of an app inside a tunnel, whose heads are recorded.
type listening struct {
	net.Conn
	place *place
}

// listen records the heads on a connection.
func listen(c net.Conn, at *place) net.Conn {
	at.heads = &heads{}
	return &listening{c, at}
}

func (l *listening) at() *place { return l.place }

func (l *listening) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	l.place.heads.read(b, n)
	return n, err
}

// CloseWrite closes the writing side of the connection.
func (l *listening) CloseWrite() error { return closeWrite(l.Conn) }

// idle is called at state changes of apps' connections; in the idle state the next head begins.
func idle(c net.Conn, state http.ConnState) {
	if state == http.StateIdle {
		placeOf(c).heads.again()
	}
}

// ordered lists header lines in the order and spelling of names, then the other lines sorted by name. host is placed at the name Host, or
// first.
func ordered(h http.Header, host string, names []string) flow.Header {
	n := 1
	for _, values := range h {
		n += len(values)
	}
	list := make(flow.Header, 0, n)
	left := maps.Clone(h)
	if host != "" && !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, "Host") }) {
		list = append(list, flow.Field{Name: "Host", Value: host})
	}
	for _, name := range names {
		key := textproto.CanonicalMIMEHeaderKey(name)
		if key == "Host" && host != "" {
			list, host = append(list, flow.Field{Name: name, Value: host}), ""
		}
		if values := left[key]; len(values) > 0 {
			list, left[key] = append(list, flow.Field{Name: name, Value: values[0]}), values[1:]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		for _, value := range left[name] {
			list = append(list, flow.Field{Name: name, Value: value})
		}
	}
	return list
}

// orderly is a connection to an HTTP/1.1 server that sends a request's headers in the order in which the app wrote them.
type orderly struct {
	net.Conn
	mu    sync.Mutex
	names []string // of the next request; nil: its head was sent, or needs no order
	head  []byte   // the part written so far
}

// next sets the order of the next request's headers. It is called when the request gets the connection, before the first byte.
func (o *orderly) next(names []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.names, o.head = names, nil
}

// Write holds a head back until it is complete.
func (o *orderly) Write(b []byte) (int, error) {
	o.mu.Lock()
	if o.names == nil {
		o.mu.Unlock()
		return o.Conn.Write(b)
	}
	o.head = append(o.head, b...)
	end := bytes.Index(o.head, []byte("\r\n\r\n"))
	if end < 0 && len(o.head) <= 2*mostHead {
		o.mu.Unlock()
		return len(b), nil
	}
	out := o.head
	if end >= 0 {
		out = append(reordered(o.head[:end+2], o.names), o.head[end+2:]...)
	}
	o.names, o.head = nil, nil
	o.mu.Unlock()
	if _, err := o.Conn.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// reordered is a head by net/http, in the order and spelling of names. It keeps every line exactly once.
func reordered(head []byte, names []string) []byte {
	lines := bytes.SplitAfter(head, []byte("\r\n"))
	out := append(make([]byte, 0, len(head)), lines[0]...)
	lines = lines[1 : len(lines)-1] // the split leaves an empty part after the last line
	named := func(line []byte, name string) bool {
		return len(line) > len(name) && line[len(name)] == ':' && strings.EqualFold(string(line[:len(name)]), name)
	}
	if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, "Host") }) {
		names = append([]string{"Host"}, names...)
	}
	for _, name := range names {
		i := slices.IndexFunc(lines, func(line []byte) bool { return named(line, name) })
		if i < 0 {
			continue
		}
		out = append(append(out, name...), lines[i][len(name):]...)
		lines = slices.Delete(lines, i, i+1)
	}
	return append(out, bytes.Join(lines, nil)...)
}
