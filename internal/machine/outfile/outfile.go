// Package outfile writes the output files that callers name. File.Write writes bytes, File.Fill content that is not in memory; both remove
// a file that they could not complete. The package replaces an existing file only with Force, and never writes through a link, because a
// link leads to a file that the caller did not name.
package outfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/wholefile"
)

// File is an output file that a caller names.
type File struct {
	Path  string
	Force bool // overwrite an existing file
}

// Check refuses an existing file without Force. With Force it accepts only a regular file: a link leads to a file that the caller did not
// name.
func (o File) Check() error {
	info, err := os.Lstat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.New(fault.PathError, "%w", err)
	case !info.Mode().IsRegular():
		return fault.New(fault.PathError, "%s is a link, a folder or a device, not a regular file", o.Path).WithHint("name another file")
	case !o.Force:
		return fault.New(fault.PathError, "%s exists", o.Path).WithHint("name another file, or overwrite it with %s", hint.Field("force"))
	}
	return nil
}

// Write writes the file. It checks again first, because the file may have changed since Check.
func (o File) Write(data []byte) error {
	_, err := o.Fill(int64(len(data)), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return err
}

// Fill is Write for content that is not in memory: fn writes it, at most the given number of bytes. Fill removes an incomplete file.
func (o File) Fill(most int64, fn func(io.Writer) error) (written int64, err error) {
	if err := o.Check(); err != nil {
		return 0, err
	}
	f, err := o.open()
	if err != nil {
		return 0, fault.New(fault.PathError, "writing the file: %w", err)
	}
	w := &bounded{to: f, left: most}
	if err = fn(w); err == nil && o.Force {
		err = wholefile.Place(f, o.Path)
	} else if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		return most - w.left, nil
	}
	_ = os.Remove(f.Name()) // a reader would take half a file for the whole
	var disk *fs.PathError
	var moved *os.LinkError
	switch {
	case w.full:
		err = fault.New(fault.TooLarge, "%s would be larger than %d bytes", o.Path, most).WithHint("write less of it: narrow what is meant")
	case errors.As(err, &disk) || errors.As(err, &moved):
		err = fault.New(fault.PathError, "writing the file: %w", err)
	}
	return 0, err
}

// open creates the file. To overwrite, it creates a new file beside the old one, with the same mode; the old file stays until the new one
// is complete.
func (o File) open() (*os.File, error) {
	if !o.Force {
		return os.OpenFile(o.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	f, err := os.CreateTemp(filepath.Dir(o.Path), ".new-*")
	if err != nil {
		return nil, err
	}
	if old, err := os.Lstat(o.Path); err == nil {
		_ = f.Chmod(old.Mode().Perm()) // otherwise only its owner could read it
	}
	return f, nil
}

// bounded is a writer with a maximum number of bytes.
type bounded struct {
	to   io.Writer
	left int64
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		b.full = true
		return 0, io.ErrShortWrite
	}
	n, err := b.to.Write(p)
	b.left -= int64(n)
	return n, err
}

// Folder makes a folder for new files that only its owner may read.
func Folder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fault.New(fault.PathError, "%w", err)
	}
	return nil
}

// Probe returns the reason why files cannot be written into a folder; nil if they can.
func Probe(folder string) error {
	f, err := os.CreateTemp(folder, ".probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
