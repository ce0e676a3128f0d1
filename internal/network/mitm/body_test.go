package mitm_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
)

func packed(t *testing.T, coding string, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		var err error
		w, err = zstd.NewWriter(&out)
		must(t, err)
	}
	_, err := w.Write(data)
	must(t, err)
	must(t, w.Close())
	return out.Bytes()
}

// TestCompressedBodiesAreDecodedForFlows: the app gets the bytes of the wire, the flow the text, the file the bytes of the wire.
func TestCompressedBodiesAreDecodedForFlows(t *testing.T) {
	r := open(t, believing)
	text := []byte(strings.Repeat("what the server says ", 100))
	wire := map[string][]byte{}
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		wire[coding] = packed(t, coding, text)
	}
	wire["gzip, br"] = packed(t, "br", packed(t, "gzip", text))
	wire["lie"] = []byte("this is not gzip")
	wire["unknown"] = []byte("\x01\x02\x03")
	s := r.server(func(w http.ResponseWriter, req *http.Request) {
		coding := req.URL.Query().Get("c")
		w.Header().Set("Content-Encoding", strings.Replace(coding, "lie", "gzip", 1))
		_, _ = w.Write(wire[coding])
	}, true)
	c := r.client(true)
	for coding, want := range wire {
		r.forget()
		_, body := r.get(c, s.URL+"/?c="+strings.ReplaceAll(coding, " ", "%20"))
		if body != string(want) {
			t.Errorf("%s: the app got %q", coding, body)
		}
		b := r.done().Response.Body
		if coding == "lie" || coding == "unknown" {
			if _, err := mitm.Decode(coding, want, 1<<20); err == nil {
				t.Errorf("%s is unpacked", coding)
			}
			if string(b.Content) != string(want) || b.Coding != "" || b.File != "" || b.Cut {
				t.Errorf("%s: %+v", coding, b)
			}
			continue
		}
		if string(b.Content) != string(text) || b.Coding != coding || b.Size != int64(len(want)) || b.Cut || b.FileCut {
			t.Errorf("%s: %+v", coding, b)
		}
		if again, err := mitm.Decode(coding, want, 1<<20); err != nil || string(again) != string(text) {
			t.Errorf("%s: %q %v", coding, again, err)
		}
		file := filepath.Join(r.bodies, b.File)
		kept, err := os.ReadFile(file)
		must(t, err)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !bytes.Equal(kept, want) {
			t.Errorf("%s: %v, %d bytes are kept", coding, info.Mode(), len(kept))
		}
	}
}

// TestStoredBodiesAreBounded: the stored part of a body is bounded, in memory, in its file, and unpacked; the app gets the whole body.
func TestStoredBodiesAreBounded(t *testing.T) {
	const most = 1 << 20
	r := open(t, func(o *mitm.Options) { believing(o); o.MostFile = most })
	bomb := packed(t, "gzip", make([]byte, 2<<20))
	bodies := map[string][]byte{
		"/fits": bytes.Repeat([]byte("a"), flow.MostInline), "/file": bytes.Repeat([]byte("b"), flow.MostInline+1),
		"/cut": bytes.Repeat([]byte("c"), most+1000), "/bomb": bomb,
	}
	s := r.server(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/bomb" {
			w.Header().Set("Content-Encoding", "gzip")
		}
		_, _ = w.Write(bodies[req.URL.Path])
	}, false)
	for path, want := range map[string]flow.Body{
		"/fits": {Size: flow.MostInline}, "/file": {Size: flow.MostInline + 1, Cut: true},
		"/cut": {Size: most + 1000, Cut: true, FileCut: true}, "/bomb": {Size: int64(len(bomb)), Cut: true, Coding: "gzip"},
	} {
		r.forget()
		if _, body := r.get(r.client(false), s.URL+path); body != string(bodies[path]) {
			t.Errorf("%s: the app got %d bytes", path, len(body))
		}
		b := r.done().Response.Body
		kept, _ := os.ReadFile(filepath.Join(r.bodies, b.File))
		if b.Size != want.Size || b.Cut != want.Cut || b.FileCut != want.FileCut || b.Coding != want.Coding || len(b.Content) != flow.MostInline {
			t.Errorf("%s: %+v, %d bytes of content", path, flow.Body{Size: b.Size, Cut: b.Cut, FileCut: b.FileCut, Coding: b.Coding}, len(b.Content))
		}
		if path == "/fits" && b.File != "" || path != "/fits" && !bytes.Equal(kept, bodies[path][:min(most, len(bodies[path]))]) {
			t.Errorf("%s: %q with %d bytes", path, b.File, len(kept))
		}
	}
}

// TestLargeDownloadUsesLittleMemory passes 32 MiB and keeps 100 KiB of them in memory. make bench does 1 GB, and weighs the process.
func TestLargeDownloadUsesLittleMemory(t *testing.T) {
	const size = 32 << 20
	r := open(t, func(o *mitm.Options) { believing(o); o.MostFile = 1 << 20 })
	block := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	s := r.server(func(w http.ResponseWriter, _ *http.Request) {
		for range size / len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}, false)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	resp, err := r.client(false).Get(s.URL)
	must(t, err)
	defer resp.Body.Close()
	got, most := int64(0), uint64(0)
	for buffer := make([]byte, 1<<20); ; {
		n, err := io.ReadFull(resp.Body, buffer)
		got += int64(n)
		if got%(4<<20) == 0 {
			runtime.GC() // what waits to be collected is as much as a busy machine lets it grow
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
		}
		if err != nil {
			break
		}
	}
	if got != size {
		t.Errorf("%d bytes arrived", got)
	}
	if grown := int64(most) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("client, server and proxy grew by %d MB", grown>>20)
	}
	if f := r.done(); f.Response.Body.Size != size || !f.Response.Body.FileCut {
		t.Errorf("%d bytes are told", f.Response.Body.Size)
	}
}

// TestReplaySendsSameRequestBytes: a request that is sent again has the same bytes, the same lines, and is a flow of its own.
func TestReplaySendsSameRequestBytes(t *testing.T) {
	r := open(t, believing)
	s := r.server(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		fmt.Fprintf(w, "%s %s %v %s %x", req.Method, req.Host, req.Header["X-Twice"], req.Header.Get("Content-Encoding"), sha256.Sum256(body))
	}, true)
	large := bytes.Repeat([]byte{0xff, 0x00, 'x'}, 100_000)
	for name, body := range map[string][]byte{"none": nil, "binary": {0xff, 0xfe, 0}, "large": large, "packed": packed(t, "gzip", large)} {
		r.forget()
		req, err := http.NewRequest(http.MethodPost, s.URL+"/again", bytes.NewReader(body))
		must(t, err)
		req.Header = http.Header{"X-Twice": {"1", "2"}}
		req.Host = "other.example"
		if name == "packed" {
			req.Header.Set("Content-Encoding", "gzip")
		}
		_, first := r.do(r.client(true), req)
		original := r.done()
		again, err := r.proxy.Do(t.Context(), original.Request, original.ID, "ann")
		must(t, err)
		if again.ID == original.ID || again.Repeats != original.ID || again.State != flow.Done || string(again.Response.Body.Content) != first {
			t.Errorf("%s: %+v, not %q", name, again.Response, first)
		}
		if got := again.Client.Session; got != "ann" {
			t.Errorf("%s: it was sent again for %q, want ann", name, got)
		}
		r.wait("sent again", func(f flow.Flow) bool { return f.ID == again.ID && f.State == flow.Done })
	}
	for _, cut := range []flow.Body{{Size: 5, Cut: true}, {Size: 5, File: "../x"}, {Size: 5, File: "x", FileCut: true},
		{Size: 5, File: "none"}} {
		if _, err := r.proxy.Do(t.Context(), flow.Request{Method: "POST", URL: s.URL, Body: cut}, "f_1", "s"); err == nil {
			t.Errorf("%+v is sent again", cut)
		}
	}
	refused, err := r.proxy.Do(t.Context(), flow.Request{Method: "GET", URL: "http://" + r.address}, "f_1", "s")
	if err != nil || refused.Kind != flow.OwnPort {
		t.Errorf("%+v %v", refused, err)
	}
}
