package streams

import (
	"bytes"
	"io"
	"os"
	"strings"

	"ios-agent/internal/apple/oslog"
	"ios-agent/internal/telemetry"
)

const (
	mostFile = 8 << 20   // the manager empties its own file after this many bytes
	mostLine = 64 << 10  // a longer line is split
	chunk    = 256 << 10 // bytes per read
)

// tail is one file with an app's output.
type tail struct {
	path  string
	level telemetry.Level
	nslog bool // lines may come from NSLog
	ours  bool

	offset  int64
	emptied bool   // emptied by the manager; the app may continue at its old position or at the start
	part    []byte // of an incomplete line
	from    int64  // offset of the incomplete line
}

// read adds the new lines.
func (t *tail) read(c *console) {
	f, err := os.Open(t.path)
	if err != nil {
		return // simctl makes it a moment later, or it was removed
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if t.emptied && info.Size() > 0 {
		t.emptied = false
		if !hole(f) {
			t.offset = 0
		}
	}
	if info.Size() < t.offset { // another program emptied it
		t.offset = 0
	}
	if info.Size() == t.offset {
		return // every action asks, and most apps print rarely
	}
	buffer := make([]byte, chunk)
	for {
		n, err := f.ReadAt(buffer, t.offset)
		t.take(c, buffer[:n], t.offset)
		t.offset += int64(n)
		if err != nil || n == 0 {
			break
		}
	}
	if t.ours && t.offset > mostFile && !t.emptied && os.Truncate(t.path, 0) == nil {
		t.emptied = true // output between the last read and now is lost: a few lines of eight megabytes
	}
}

// toEnd skips the present content. It empties the manager's own file, because its lines may have secrets that were not hidden.
func (t *tail) toEnd() {
	if info, err := os.Stat(t.path); err == nil {
		t.offset = info.Size()
		t.emptied = t.ours && os.Truncate(t.path, 0) == nil
	}
}

// hole reports whether a file begins with zero bytes: a program without append mode continues at its old offset after the file was
// emptied.
func hole(f io.ReaderAt) bool {
	first := make([]byte, 1)
	_, err := f.ReadAt(first, 0)
	return err == nil && first[0] == 0
}

// take splits output at an offset of the file into lines.
func (t *tail) take(c *console, b []byte, at int64) {
	for len(b) > 0 {
		if len(t.part) == 0 {
			t.from = at
		}
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			t.part = append(t.part, b...)
			if len(t.part) > mostLine {
				t.flush(c)
			}
			return
		}
		t.part = append(t.part, b[:i]...)
		b, at = b[i+1:], at+int64(i)+1
		t.flush(c)
	}
}

// flush adds a line.
func (t *tail) flush(c *console) {
	text := strings.ToValidUTF8(strings.TrimRight(string(bytes.TrimLeft(t.part, "\x00")), "\r"), "\uFFFD")
	t.blot(c, text)
	t.part = t.part[:0]
	if strings.TrimSpace(text) == "" {
		return
	}
	e := telemetry.Entry{Time: c.m.o.Now(), PID: c.pid, Level: t.level, Message: text, Process: c.m.processOf(c.owner.UDID, c.app)}
	if t.nslog {
		e = nslog(e)
	}
	c.feed.Add(e)
}

// blot overwrites a line with secrets in the manager's own file: the app wrote it in clear text, and the file stays as long as the app
// runs. The app writes after it, so no later output is lost.
func (t *tail) blot(c *console, text string) {
	if !t.ours || c.m.o.Hide == nil || c.m.o.Hide(text) == text {
		return
	}
	f, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return // the file was removed together with the line
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() >= t.from+int64(len(t.part)) {
		_, err = f.WriteAt(bytes.Repeat([]byte("*"), len(t.part)), t.from)
		if err != nil {
			c.m.o.Log.Warn("cannot overwrite a secret in an app's output file", "error", err)
		}
	}
}

// nslog removes the prefix that NSLog puts before a message.
func nslog(e telemetry.Entry) telemetry.Entry {
	r := oslog.Reader{Each: func(said oslog.Entry) {
		read, is := entryOf(said, "", "")
		if !is || read.Time.IsZero() || said.Thread == "" {
			return
		}
		raw := e.Message
		e.Time, e.Process, e.PID, e.Level, e.Message, e.Raw = read.Time, read.Process, read.PID, read.Level, read.Message, raw
	}}
	_, _ = r.Write([]byte(e.Message + "\n"))
	r.End()
	return e
}

// processOf is the name of an app's process, or as a guess the last word of its bundle id.
func (m *Manager) processOf(udid, app string) (name string) {
	m.names.Range(func(key, value any) bool {
		p, _ := key.(program)
		if p.udid == udid && value == app {
			name = p.name
		}
		return name == ""
	})
	if name == "" {
		name = app[strings.LastIndex(app, ".")+1:]
	}
	return name
}
