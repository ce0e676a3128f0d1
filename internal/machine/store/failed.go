package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"ios-agent/internal/fault"
)

// FailedError says that the file cannot be read or written now. The next call tries again.
type FailedError struct {
	Path string
	Err  error
}

func (e *FailedError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap gives what the disk or SQLite said.
func (e *FailedError) Unwrap() error { return e.Err }

// Fault says what the disk needs.
func (e *FailedError) Fault() *fault.Fault {
	f := fault.New(fault.StateFailed, "the state cannot be kept: %w", e).With("path", e.Path)
	folder := filepath.Dir(e.Path)
	switch {
	case errors.Is(e.Err, syscall.ENOSPC):
		return f.WithHint("free space on the disk of %s (`df -h %q`) and try again; nothing has to be restarted", folder, folder)
	case errors.Is(e.Err, os.ErrPermission), errors.Is(e.Err, syscall.EROFS):
		return f.WithHint("make the folder writable (`chmod -R u+rwX %q`, or mount its disk for writing) and try again", folder)
	}
	return f
}

// failed names the file in an error, and says in the system's words what SQLite says in its own.
func (s *Store) failed(err error) error {
	var newer *NewerError
	if err == nil || errors.As(err, &newer) {
		return err
	}
	var no *sqlite.Error
	if errors.As(err, &no) {
		switch no.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			err = fmt.Errorf("%w: %w", syscall.ENOSPC, err)
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR:
			err = errors.Join(writable(filepath.Dir(s.o.Path)), err)
		}
	}
	return &FailedError{s.o.Path, err}
}

// writable is what the system says to a new file in a folder.
func writable(folder string) error {
	f, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
