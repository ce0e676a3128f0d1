package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/wholefile"
)

// FailedError says that the file cannot be read or written now. The next call tries again.
type FailedError struct {
	Path string
	Err  error
}

func (e *FailedError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the error of the disk or of SQLite.
func (e *FailedError) Unwrap() error { return e.Err }

// Fault is the fault; if the disk is the cause, the hint says how to repair it.
func (e *FailedError) Fault() *fault.Fault {
	f := fault.New(fault.StateFailed, "the state cannot be kept: %w", e).With("path", e.Path)
	if disk, ok := fault.OfDisk(e.Err); ok {
		return f.WithHint("%s", disk.Hint)
	}
	return f
}

// unwritable reports whether SQLite could not open, read or write the file.
func unwritable(err error) bool {
	var no *sqlite.Error
	if !errors.As(err, &no) {
		return false
	}
	code := no.Code() & 0xff
	return code == sqlite3.SQLITE_READONLY || code == sqlite3.SQLITE_CANTOPEN || code == sqlite3.SQLITE_IOERR
}

// failed adds the file's path to an error, and words the errors of SQLite like the errors of the operating system.
func (s *Store) failed(err error) error {
	var newer *NewerError
	if err == nil || errors.As(err, &newer) {
		return err
	}
	var no *sqlite.Error
	if errors.As(err, &no) && no.Code()&0xff == sqlite3.SQLITE_FULL {
		err = fmt.Errorf("%w: %w", &fs.PathError{Op: "write", Path: s.o.Path, Err: syscall.ENOSPC}, err)
	} else if unwritable(err) {
		if disk := wholefile.Try(filepath.Dir(s.o.Path)); disk != nil {
			err = fmt.Errorf("%w: %w", disk, err)
		}
	}
	return &FailedError{s.o.Path, err}
}
