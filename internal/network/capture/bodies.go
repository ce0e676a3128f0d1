package capture

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/network/flow"
)

// mostRead is how much of a body is read at once.
const mostRead = 64 << 20

// BodyError says why the bytes of a body are not there.
type BodyError struct {
	Why string
	Err error
}

func (e *BodyError) Error() string { return e.Why }

// Unwrap gives what the system said.
func (e *BodyError) Unwrap() error { return e.Err }

// Wire gives a body's bytes as they were on the wire: all of them, or a *BodyError.
func (c *Capture) Wire(b flow.Body) ([]byte, error) {
	switch {
	case b.File == "" && b.Cut:
		return nil, &BodyError{Why: fmt.Sprintf("only the first %d bytes of the body were kept", len(b.Content))}
	case b.File == "" && b.Coding != "":
		return nil, &BodyError{Why: "only the decoded body was kept"}
	case b.File == "":
		return b.Content, nil
	case b.FileCut:
		return nil, &BodyError{Why: "only the first part of the body was kept"}
	}
	return c.file(b.File)
}

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

// Fill gives a flow's bodies their whole content, as far as it was kept; what cannot be read stays cut. Known secrets are hidden.
func (c *Capture) Fill(f *flow.Flow) {
	fill := func(b *flow.Body) {
		if !b.Cut || b.File == "" {
			return
		}
		raw, err := c.file(b.File)
		if err == nil && b.Coding != "" {
			if c.o.Decode == nil {
				return
			}
			raw, err = c.o.Decode(b.Coding, raw, mostRead)
		}
		if err == nil && len(raw) > len(b.Content) {
			b.Content, b.Cut = []byte(c.o.Hide(string(raw))), b.FileCut
		}
	}
	fill(&f.Request.Body)
	if f.Response != nil {
		answer := *f.Response
		fill(&answer.Body)
		f.Response = &answer
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
