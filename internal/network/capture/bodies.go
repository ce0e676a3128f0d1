package capture

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/network/flow"
)

// mostRead is how much of a body is read at once, and to how much it may unpack. The proxy keeps as much of one on the wire.
const mostRead = 32 << 20

// BodyError says why the bytes of a body are not there.
type BodyError struct {
	Why string
	Err error
}

func (e *BodyError) Error() string { return e.Why }

// Unwrap gives what the system said.
func (e *BodyError) Unwrap() error { return e.Err }

// file reads a file of bodies, by its name.
func (c *Capture) file(name string) ([]byte, error) {
	if name != filepath.Base(name) || !filepath.IsLocal(name) {
		return nil, &BodyError{Why: fmt.Sprintf("%q is no name of a body", name)}
	}
	raw, err := regularfile.Read(filepath.Join(c.o.Bodies, name), mostRead)
	var large *regularfile.LargeError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &BodyError{"the body was removed: bodies are kept up to a bound, oldest first", err}
	case errors.As(err, &large):
		return nil, &BodyError{fmt.Sprintf("the body is larger than %d MB", mostRead>>20), err}
	}
	return raw, err
}

// room is what the bodies may have together that calls read at once, over all calls: each is read, unpacked, searched and written.
type room struct {
	mu    sync.Mutex
	left  int64
	freed chan struct{} // closed when there is more
}

// take waits for so many bytes.
func (r *room) take(ctx context.Context, n int64) error {
	for {
		r.mu.Lock()
		if n <= r.left {
			r.left -= n
			r.mu.Unlock()
			return nil
		}
		freed := r.freed
		r.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *room) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left += n
	close(r.freed)
	r.freed = make(chan struct{})
}

// Fill gives a flow's bodies their whole content, as far as it was kept and has at most so many bytes; what cannot be read stays cut.
// Known secrets are hidden. It waits until there is room for the bodies, which done gives back when the flow is needed no more.
func (c *Capture) Fill(ctx context.Context, f *flow.Flow, most int64) (done func(), err error) {
	bodies := []*flow.Body{&f.Request.Body}
	if f.Response != nil {
		answer := *f.Response
		f.Response = &answer
		bodies = append(bodies, &answer.Body)
	}
	var needs int64
	for _, b := range bodies {
		needs += c.needs(b, most)
	}
	needs = min(needs, c.o.MostFilled) // one flow that is larger than all the room is read alone
	if err := c.room.take(ctx, needs); err != nil {
		return func() {}, err
	}
	for _, b := range bodies {
		if c.needs(b, most) > 0 {
			c.fill(b, most)
		}
	}
	return func() { c.room.give(needs) }, nil
}

// needs is how many bytes it may take to read a body; 0: it is not read.
func (c *Capture) needs(b *flow.Body, most int64) int64 {
	switch wire := min(b.Size, mostRead); {
	case !b.Cut || b.File == "", b.Coding != "" && c.o.Decode == nil, b.Coding == "" && wire > most:
		return 0
	case b.Coding != "":
		return wire + min(most, mostRead)
	default:
		return wire
	}
}

// fill reads a body. What unpacks to more than is wanted stays cut.
func (c *Capture) fill(b *flow.Body, most int64) {
	raw, err := c.file(b.File)
	most = min(most, mostRead)
	if err == nil && b.Coding != "" {
		raw, err = c.o.Decode(b.Coding, raw, most+1)
	}
	if err != nil || len(raw) <= len(b.Content) || int64(len(raw)) > most {
		return
	}
	b.Content, b.Cut = raw, b.FileCut
	if text := string(raw); !flow.Binary(raw) {
		if shown := c.o.Hide(text); shown != text {
			b.Content = []byte(shown)
		}
	}
}

// trim removes the oldest of what is too much, now and then.
func (c *Capture) trim(ctx context.Context) error {
	if c.fresh < trimEvery && c.filed < c.o.MostBodies/8 {
		return nil
	}
	upto, count, size := int64(0), 0, int64(0)
	for f := range c.known.fitting(flow.Filter{}) {
		count++
		if size += f.Size; count > c.o.MostFlows || size > c.o.MostBytes {
			upto = f.Number
			break
		}
	}
	if upto > 0 {
		if err := c.o.Store.Discard(ctx, Kind, upto); err != nil {
			return err
		}
		c.known.forget(upto + 1)
	}
	c.fresh, c.filed = 0, 0
	return c.trimBodies(c.o.MostBodies)
}

// trimBodies removes the oldest files until there are not more bytes than that.
func (c *Capture) trimBodies(most int64) error {
	entries, err := os.ReadDir(c.o.Bodies)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() { // else it is gone
			files = append(files, info)
			total += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, one := range files {
		if total <= most {
			break
		}
		if err := os.Remove(filepath.Join(c.o.Bodies, one.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= one.Size()
	}
	return nil
}
