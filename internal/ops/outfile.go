package ops

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"ios-agent/internal/fault"
)

// OutFile is a file that a caller wants written.
type OutFile struct {
	Path  string
	Force bool // overwrite a file that is there
}

// check refuses a file that is there, unless it is to be overwritten. What is no regular file is never written: a link leads
// to a file that the caller did not name.
func (o OutFile) check() error {
	info, err := os.Lstat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.New(fault.PathError, "%w", err)
	case !info.Mode().IsRegular():
		return fault.New(fault.PathError, "%s is a link, a folder or a device, not a regular file", o.Path).WithHint("name another file")
	case !o.Force:
		return fault.New(fault.PathError, "%s exists", o.Path).WithHint("name another file, or overwrite it with `--force`")
	}
	return nil
}

// write checks again as it opens the file: it may have changed since.
func (o OutFile) write(data []byte) error {
	if err := o.check(); err != nil {
		return err
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if o.Force {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC | syscall.O_NOFOLLOW
	}
	f, err := os.OpenFile(o.Path, how, 0o600)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fault.New(fault.PathError, "writing the file: %w", err)
	}
	return nil
}
