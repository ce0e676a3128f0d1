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

// mostRead bounds both a body that is read at once and its unpacked form, in bytes. The proxy stores the same maximum of a body on the
// wire.
const mostRead = 32 << 20

// BodyError says why the bytes of a body are missing.
type BodyError struct {
	Why string
	Err error
}

func (e *BodyError) Error() string { return e.Why }

// Unwrap gives the system's error.
func (e *BodyError) Unwrap() error { return e.Err }

// file reads the file of a body, by its name.
func (c *Capture) file(name string) ([]byte, error) {
	if name != filepath.Base(name) || !filepath.IsLocal(name) {
		return nil, &BodyError{Why: fmt.Sprintf("invalid name of a body: %q", name)}
	}
	raw, err := regularfile.Read(filepath.Join(c.o.Bodies, name), mostRead)
	var large *regularfile.LargeError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &BodyError{"the body was removed: the oldest bodies are deleted when their files take too much room", err}
	case errors.As(err, &large):
		return nil, &BodyError{fmt.Sprintf("the body is larger than %d MB", mostRead>>20), err}
	}
	return raw, err
}

// room bounds the memory for bodies that all calls read at the same time: each body is read, unpacked, searched and written.
type room struct {
	mu    sync.Mutex
	left  int64
	freed chan struct{} // closed when room is given back
}

// take waits until n bytes are free.
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

// Fill gives a flow's bodies their whole content, as far as it was stored and has at most most bytes; a body that cannot be read stays
// cut. Known secrets are hidden. Fill waits until there is room for the bodies; the caller calls done when it no longer needs the flow.
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
	needs = min(needs, c.o.MostFilled) // a flow that is larger than the whole room is read alone
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

// needs is the memory that reading a body may take, in bytes; 0 means that the body is not to be read.
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

// fill reads a body. A body that unpacks to more than most bytes stays cut.
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

// trim removes the oldest flows and bodies beyond the limits, once in a while.
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

// trimBodies removes the oldest files until they have at most most bytes.
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
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() { // otherwise the file was deleted meanwhile
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
