package mitm

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"

	"ios-agent/internal/network/flow"
)

// capture keeps what goes by: the first bytes in memory, all of them, up to a bound, in a file when they are many.
type capture struct {
	dir  string
	name string
	most int64 // of the file
	p    *Proxy

	mu   sync.Mutex
	size int64
	kept []byte // the first flow.MostInline bytes
	file *os.File
	cut  bool // the file has not all, or there is none
	done bool

	written int64 // into the file
}

// add is told what went by. After finish it hears nothing: a server may answer before it was sent everything.
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

// begin makes the file, with what is kept already. Its owner's alone: bodies hold passwords.
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

// fail leaves the body cut: the app's traffic goes on.
func (c *capture) fail(err error) {
	c.cut = true
	c.p.Log.Warn("a body is not kept whole", "error", err)
}

// finish is what was kept, with the content decoded.
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

// tee is a body on its way, seen by others.
type tee struct {
	from io.ReadCloser
	seen []func([]byte)

	mu    sync.Mutex // a transport may still read when it has answered
	ended bool       // all was read
	err   error      // or why not
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

// how says whether all was read, or why not.
func (t *tee) how() (ended bool, err error) {
	if t == nil {
		return true, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended, t.err
}

func (t *tee) Close() error { return t.from.Close() }

// ahead reads a body up to a bound. The rest follows it when it is read again.
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

// seen is a body that was read ahead, as rules are shown it: decoded, all of it that there is room for.
func (x *exchange) seen(coding string, first []byte, whole bool) flow.Body {
	defer x.p.unpacks(coding)()
	content, used, all := decode(coding, first, whole, int(x.p.MostLook), &x.shown)
	return flow.Body{Size: int64(len(first)), Content: content, Coding: used, Cut: !all}
}

// mostUnpacking is how many bodies are unpacked at once: what one needs for that, whatever its size, is some megabytes.
const mostUnpacking = 4

// unpacks waits until a body may be unpacked, if it is packed.
func (p *Proxy) unpacks(coding string) (done func()) {
	if coding == "" {
		return func() {}
	}
	p.unpacking <- struct{}{}
	return func() { <-p.unpacking }
}
