// Package regularfile reads files that the caller does not control. Read and Open refuse pipes, devices and folders without waiting for
// them, and Read loads a bounded number of bytes. Both follow links: a caller that must stay within a folder uses docfile.Read.
package regularfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// ErrNotRegular says that a path leads to a pipe, a device, a socket or a folder.
var ErrNotRegular = errors.New("not a regular file")

// LargeError says that a file is larger than its reader accepts.
type LargeError struct{ Most int64 }

func (e *LargeError) Error() string { return fmt.Sprintf("larger than %d bytes", e.Most) }

// Read reads a whole regular file up to a number of bytes. It follows a link.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadFrom(f, most)
}

// Open opens a regular file. It checks the type before opening, because opening some devices already has an effect.
func Open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	f, err := os.OpenFile(path, Flags, 0)
	if err != nil {
		return nil, err
	}
	if err := check(f, -1); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Flags are the flags to open a file for ReadFrom. The path may lead to a pipe by then, and opening a pipe must not wait.
const Flags = os.O_RDONLY | syscall.O_NONBLOCK

// ReadFrom is Read for an open file.
func ReadFrom(f *os.File, most int64) ([]byte, error) {
	if err := check(f, most); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(raw)) > most {
		err = &LargeError{most} // it grew after the check
	}
	return raw, err
}

// check checks the type and size of the open file. A negative bound means no bound.
func check(f *os.File, most int64) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return ErrNotRegular
	case most >= 0 && info.Size() > most:
		return &LargeError{most}
	}
	return nil
}

// Pattern returns a pattern for filepath.Glob that fits only the given path.
func Pattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// Tail reads the end of a file, at most the given number of bytes.
func Tail(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(max(0, info.Size()-most), io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most))
}
