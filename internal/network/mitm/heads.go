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

// net/http keeps neither the order of header names nor their spelling. What an app wrote is remembered beside it, as a hint: values always
// are those that net/http read, so that no line is taken from here that it refused or joined.

// mostRemembered is how much of a request is remembered until its head is taken.
const mostRemembered = 64 << 10

// heads remembers the bytes by which the next request of an HTTP/1.1 connection begins. The zero value is ready.
type heads struct {
	mu    sync.Mutex
	raw   []byte
	taken bool // the request is being served: what is read now is its body
}

// read notes what was read into b. While a request is served, net/http waits for the first byte of the next one, with one byte of room.
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

// again says that the connection waits for another request.
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

// take gives the names of the lines of a request that is being served, as they were written; nil: they are not known.
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
		return nil // it was read with the request before it
	}
	for _, line := range lines[1:] {
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return names
		}
		name, _, _ := bytes.Cut(line, []byte(":"))
		names = append(names, string(name))
	}
	return nil // the head is longer than what is remembered
}

// listening is a connection of an app inside of a tunnel, whose heads are remembered.
type listening struct {
	net.Conn
	place *place
}

// listen has the heads of what is said on a connection remembered.
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

// CloseWrite is the connection's.
func (l *listening) CloseWrite() error { return closeWrite(l.Conn) }

// idle is told of connections of apps; between two requests the next head begins.
func idle(c net.Conn, state http.ConnState) {
	if state == http.StateIdle {
		placeOf(c).heads.again()
	}
}

// ordered are header lines in the order of names, each in its spelling; what is not named there follows by the alphabet. host stands where
// Host does, or first.
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

// orderly is a connection to a server of HTTP/1.1, on which the head of a request is sent in the order in which the app wrote it.
type orderly struct {
	net.Conn
	mu    sync.Mutex
	names []string // of the request that is sent next; nil: its head was sent, or may go as it is
	head  []byte   // so much of it as was written
}

// next says how the lines of the next request are ordered. It is called when the connection is got for it, before a byte is written.
func (o *orderly) next(names []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.names, o.head = names, nil
}

// Write holds a head back until it is whole.
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

// reordered is a head that net/http wrote, in the order of names and in their spelling. Each of its lines is there once.
func reordered(head []byte, names []string) []byte {
	lines := bytes.SplitAfter(head, []byte("\r\n"))
	out := append(make([]byte, 0, len(head)), lines[0]...)
	lines = lines[1 : len(lines)-1] // after the last line there is nothing
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
