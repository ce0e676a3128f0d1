package mitm

import (
	"bufio"
	"bytes"
	"net/http"
	"strings"
	"testing"

	"ios-agent/internal/network/flow"
)

// FuzzFrames: any bytes, cut anywhere, are read without a panic, within bounds, and in the same way.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x81\x05hello\x88\x02\x03\xe8"), 3, false)
	f.Add([]byte("\x81\x85\x01\x02\x03\x04igoho"), 1, false)
	f.Add([]byte("\x01\x03hel\x89\x00\x80\x02lo"), 2, false)
	f.Add([]byte("\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00"), 4, true)
	f.Add([]byte("\x82\x7e\x00\x80"+strings.Repeat("x", 128)), 5, false)
	f.Add([]byte("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff"), 1, true)
	f.Fuzz(func(t *testing.T, data []byte, piece int, packed bool) {
		read := func(piece int) (all []wsMessage) {
			r := &frames{wants: func() bool { return true }, tell: func(m wsMessage) { all = append(all, m) }}
			if packed {
				r.pack = &unpacker{}
			}
			for rest := data; len(rest) > 0; {
				n := min(max(piece, 1), len(rest))
				r.write(rest[:n])
				rest = rest[n:]
			}
			return all
		}
		whole, pieces := read(len(data)), read(piece)
		if len(whole) != len(pieces) {
			t.Fatalf("%d messages, %d in pieces", len(whole), len(pieces))
		}
		for i, m := range whole {
			if !bytes.Equal(m.data, pieces[i].data) || m.size != pieces[i].size || len(m.data) > mostMessage || m.size > int64(len(data)) {
				t.Fatalf("%+v, %+v in pieces", m, pieces[i])
			}
		}
	})
}

// FuzzEvents likewise.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: 1\n\ndata: 2\r\n\r\nid: 3\r\rx"), 3)
	f.Fuzz(func(t *testing.T, data []byte, piece int) {
		read := func(piece int) (all []string) {
			e := &events{tell: func(b []byte, _ int64) { all = append(all, string(b)) }}
			for rest := data; len(rest) > 0; {
				n := min(max(piece, 1), len(rest))
				e.write(rest[:n])
				rest = rest[n:]
			}
			return all
		}
		whole, pieces := read(len(data)), read(piece)
		if strings.Join(whole, "|") != strings.Join(pieces, "|") || len(whole) > len(data) {
			t.Fatalf("%q, %q in pieces", whole, pieces)
		}
	})
}

// FuzzHeads: whatever head net/http accepts, what goes on has no line that is meant for us, and is written down whole.
func FuzzHeads(f *testing.F) {
	f.Add("GET / HTTP/1.1\r\nHost: a\r\nConnection: X-Hop, close\r\nX-Hop: 1\r\nX-Two: 1\r\nX-Two: 2\r\n\r\n", "X-Two", "3")
	f.Add("GET / HTTP/1.1\r\nHost: a\r\nProxy-Authorization: Basic x\r\nTe: trailers\r\nUpgrade: websocket\r\n\r\n", "Host", "b")
	f.Fuzz(func(t *testing.T, head, name, value string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head)))
		if err != nil {
			return
		}
		lines := 0
		for _, values := range r.Header {
			lines += len(values)
		}
		if got := fields(r.Header, ""); len(got) != lines {
			t.Fatalf("%d lines of %d", len(got), lines)
		}
		on := onward(r.Header)
		for _, hop := range hops {
			if _, there := on[hop]; there {
				t.Fatalf("%s goes on", hop)
			}
		}
		change(on, &flow.Change{Set: flow.Header{{Name: name, Value: value}}, Remove: []string{name}})
		looksLikeHTTP([]byte(head))
		mayBecomeHTTP([]byte(head))
		_, _ = unpackersOf(r.Header["Sec-Websocket-Extensions"])
	})
}

// FuzzDecode: what says that it is packed is unpacked within bounds, or left as it is.
func FuzzDecode(f *testing.F) {
	f.Add("gzip", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x04\x00\x43\xbe\xb7\xe8\x01\x00\x00\x00"))
	f.Add("br", []byte("\x0b\x02\x80hello\x03"))
	f.Add("zstd, deflate", []byte("\x28\xb5\x2f\xfd\x04\x00\x29\x00\x00hello\x10\x9c\x39\x8f"))
	f.Fuzz(func(t *testing.T, coding string, raw []byte) {
		const most = 4096
		content, used, _ := decode(coding, raw, true, most, &portion{})
		if len(content) > most || used == "" && !bytes.Equal(content, raw[:min(len(raw), most)]) {
			t.Fatalf("%q: %d bytes", used, len(content))
		}
	})
}
