package mitm

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"

	"ios-agent/internal/network/flow"
)

// capture stores a body that passes: its first bytes in memory, and a large body, up to a bound, in a file.
type capture struct {
	dir  string
	name string
	most int64 // bytes of the file
	p    *Proxy

	mu   sync.Mutex
	size int64
	kept []byte // the first flow.MostInline bytes
	file *os.File
	cut  bool // the file is incomplete or missing
	done bool

	written int64 // bytes in the file
}

// add receives the bytes that pass. It ignores bytes after finish: a server may answer before the whole request was sent.
func (c *capture) add(b []byte) {
	if c == nil || len(b) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return
	}
	c.size += int64(len(b))
	whole := c.size <= flow.MostInline
	if !whole && c.file == nil && !c.cut {
		c.begin()
	}
	if room := flow.MostInline - len(c.kept); room > 0 {
		c.kept = append(c.kept, b[:min(room, len(b))]...)
	}
	if c.file != nil {
		c.write(b)
	}
}

// begin creates the file with the bytes so far. Only its owner may read it: bodies contain passwords.
func (c *capture) begin() {
	if c.dir == "" {
		c.cut = true
		return
	}
	f, err := os.OpenFile(filepath.Join(c.dir, c.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		c.fail(err)
		return
	}
	c.file = f
	c.write(c.kept)
}

func (c *capture) write(b []byte) {
	room := c.most - c.written
	if room < int64(len(b)) {
		b, c.cut = b[:max(room, 0)], true
	}
	n, err := c.file.Write(b)
	c.written += int64(n)
	if err != nil {
		c.fail(err)
	}
}

// fail leaves the stored body incomplete; the app's traffic continues.
func (c *capture) fail(err error) {
	c.cut = true
	c.p.Log.Warn("cannot store a whole body", "error", err)
}

// finish is the stored body, with its content decoded.
func (c *capture) finish(coding string) flow.Body {
	if c == nil {
		return flow.Body{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	body := flow.Body{Size: c.size}
	whole := c.size == int64(len(c.kept))
	unpacked := c.p.unpacks(coding)
	content, used, all := decode(coding, c.kept, whole, flow.MostInline, &portion{})
	unpacked()
	body.Content, body.Coding, body.Cut = content, used, !all
	if (used != "" || !whole) && c.file == nil && !c.cut && c.size > 0 {
		c.begin()
	}
	if c.file != nil {
		if err := c.file.Close(); err != nil {
			c.fail(err)
		}
		body.File = c.name
	}
	body.FileCut = c.cut && (used != "" || !whole)
	c.file, c.kept = nil, nil
	return body
}

// tee is a body that other functions see while it is read.
type tee struct {
	from io.ReadCloser
	seen []func([]byte)

	mu    sync.Mutex // a transport may still read after the answer
	ended bool       // read to the end
	err   error      // the error that stopped it
}

func (t *tee) Read(b []byte) (int, error) {
	n, err := t.from.Read(b)
	for _, see := range t.seen {
		see(b[:n])
	}
	if err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.ended = err == io.EOF; !t.ended {
			t.err = err
		}
	}
	return n, err
}

// how reports whether the body was read to the end, or the error that stopped it.
func (t *tee) how() (ended bool, err error) {
	if t == nil {
		return true, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended, t.err
}

func (t *tee) Close() error { return t.from.Close() }

// ahead reads the beginning of a body, up to a bound. again is the whole body for the next reader.
func (p *portion) ahead(body io.ReadCloser, most int64) (first []byte, whole bool, again io.ReadCloser, err error) {
	read, limit, err := p.read(body, most)
	if err != nil {
		return nil, false, body, err
	}
	n := int64(len(read))
	again = &joined{Reader: io.MultiReader(bytes.NewReader(read), body), Closer: body}
	return read[:min(n, limit)], n <= limit, again, nil
}

type joined struct {
	io.Reader
	io.Closer
}

// seen is a body that was read ahead, as the rules get it: decoded, as far as the budget allows.
func (x *exchange) seen(coding string, first []byte, whole bool) flow.Body {
	defer x.p.unpacks(coding)()
	content, used, all := decode(coding, first, whole, int(x.p.MostLook), &x.shown)
	return flow.Body{Size: int64(len(first)), Content: content, Coding: used, Cut: !all}
}

// mostUnpacking is the number of bodies that are unpacked at the same time: each needs some megabytes, whatever its size.
const mostUnpacking = 4

// unpacks waits until a packed body may be unpacked.
func (p *Proxy) unpacks(coding string) (done func()) {
	if coding == "" {
		return func() {}
	}
	p.unpacking <- struct{}{}
	return func() { <-p.unpacking }
}
