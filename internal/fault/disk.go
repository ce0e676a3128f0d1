package fault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OfDisk makes a fault of an error that kept us from writing a file, with a hint that helps: the disk is full or read-only, or the user
// must not write there. For other errors it returns false.
func OfDisk(err error) (*Fault, bool) {
	path := pathIn(err)
	if path == "" {
		return nil, false
	}
	folder := filepath.Dir(path)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return New(DiskFull, "%w", err).With("path", path).
			WithHint("free space on the disk of %s (`df -h %q`) and try again; a restart is not needed", folder, folder), true
	case errors.Is(err, syscall.EROFS):
		return New(PathError, "%w", err).With("path", path).
			WithHint("the disk of %s is read-only: mount it for writing, or set IOS_AGENT_HOME to a folder on another disk", folder), true
	case errors.Is(err, fs.ErrPermission):
		return New(PathError, "%w", err).With("path", path).WithHint("allow it: `chmod -R u+rwX %q`", folder), true
	}
	return nil, false
}

// pathIn is the path that an error of the system names; empty for other errors.
func pathIn(err error) string {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file):
		return file.Path
	case errors.As(err, &link):
		return link.New
	}
	return ""
}
