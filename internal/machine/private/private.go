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

// UnsafeError says that another user made a file or a folder, or can write it, so that its content cannot be trusted.
type UnsafeError struct {
	Path   string
	Reason string
	Mend   string // how the user can repair it
}

func (e *UnsafeError) Error() string { return e.Path + " " + e.Reason }

// Fault is the fault with the repair as its hint.
func (e *UnsafeError) Fault() *fault.Fault {
	return fault.New(fault.PathError, "not safe to use: %w", e).WithHint("%s", e.Mend)
}

// Folder checks that a folder belongs to the user and that no other user can write it. It follows a link, because users move their homes.
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

// Above checks that no other user can put another folder in the place of this one. Each folder above it must belong to the user or to root;
// where everybody can write, as in /tmp, the sticky bit must be set. The owner of a folder is responsible for the members of its group.
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

// Closed checks that a folder belongs to the user and that no other user can even enter it. It refuses a link: the check is for folders in
// places that everybody can write to, where a link could be changed later.
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

// File checks that a regular file belongs to the user and that no other user can write it. It refuses a link.
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

// ClosedFile checks that a regular file belongs to the user and that no other user can even read it. It refuses a link.
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

// Close is ClosedFile, but removes the read permission of others instead of refusing the file: other users cannot have changed it.
func Close(path string) error {
	if err := File(path); err != nil {
		return err
	}
	if ClosedFile(path) == nil {
		return nil
	}
	return os.Chmod(path, 0o600)
}

// check refuses a file of another user, and a file whose mode has one of the forbidden bits.
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
