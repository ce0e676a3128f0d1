// Package private checks that a file or a folder is the user's own: no other user made it or can write it. Folder, File and Program are its
// checks; each refusal is an UnsafeError that says how to mend it.
package private

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ios-agent/internal/fault"
)

// UnsafeError says that another user made a file or a folder, or can write it. Its content cannot be trusted.
type UnsafeError struct {
	Path   string
	Reason string
	Mend   string // what the user can do
}

func (e *UnsafeError) Error() string { return e.Path + " " + e.Reason }

// Fault tells the caller how to mend it.
func (e *UnsafeError) Fault() *fault.Fault {
	return fault.New(fault.PathError, "not safe to use: %w", e).WithHint("%s", e.Mend)
}

// Folder wants a folder of the user that nobody else can write. A link is followed: users move their homes.
func Folder(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &UnsafeError{Path: real, Reason: "is not a folder", Mend: "move it away, or name another folder"}
	}
	return check(real, info, 0o022)
}

// Above wants that nobody else can put another folder in the place of this one: each folder above it belongs to the user or to root, and
// where everybody can write, as in /tmp, each may take away only what is their own. Members of a folder's group are its owner's choice.
func Above(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		replaces := "who can put another folder in the place of " + real
		owner, ok := info.Sys().(*syscall.Stat_t)
		switch {
		case !ok || int(owner.Uid) != os.Geteuid() && owner.Uid != 0:
			return &UnsafeError{Path: dir, Reason: "belongs to another user, " + replaces, Mend: "move it elsewhere"}
		case info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0:
			return &UnsafeError{Path: dir, Reason: fmt.Sprintf("can be written by everybody (mode %04o), %s", info.Mode().Perm(), replaces),
				Mend: fmt.Sprintf("`chmod o-w %q`", dir)}
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// Closed wants a folder of the user that nobody else can even enter. A link is refused: this is for folders in places that everybody
// can write to, where a link could be turned elsewhere later.
func Closed(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &UnsafeError{Path: path, Reason: "is not a folder", Mend: fmt.Sprintf("remove it: `rm %q`", path)}
	}
	return check(path, info, 0o077)
}

// File wants a regular file of the user that nobody else can write. A link is refused.
func File(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &UnsafeError{Path: path, Reason: "is not a regular file", Mend: fmt.Sprintf("remove it: `rm -r %q`", path)}
	}
	return check(path, info, 0o022)
}

// ClosedFile wants a regular file of the user that nobody else can even read. A link is refused.
func ClosedFile(path string) error {
	if err := File(path); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return check(path, info, 0o077)
}

// Close is ClosedFile that closes a file which others can only read: nobody else can have changed it.
func Close(path string) error {
	if err := File(path); err != nil {
		return err
	}
	if ClosedFile(path) == nil {
		return nil
	}
	return os.Chmod(path, 0o600)
}

// check wants a file of ours whose mode grants nothing of what is forbidden.
func check(path string, info fs.FileInfo, forbidden fs.FileMode) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || int(owner.Uid) != os.Geteuid():
		return &UnsafeError{
			Path: path, Reason: "belongs to another user",
			Mend: fmt.Sprintf("remove it: `rm -r %q`; run nothing that is in it", path),
		}
	case info.Mode().Perm()&forbidden&^0o022 != 0:
		return &UnsafeError{
			Path: path, Reason: fmt.Sprintf("lets other users in (mode %04o)", info.Mode().Perm()),
			Mend: fmt.Sprintf("check its content, then `chmod go-rwx %q`", path),
		}
	case info.Mode().Perm()&forbidden != 0:
		return &UnsafeError{
			Path: path, Reason: fmt.Sprintf("can be written by other users (mode %04o)", info.Mode().Perm()),
			Mend: fmt.Sprintf("check its content, then `chmod go-w %q`", path),
		}
	}
	return nil
}
