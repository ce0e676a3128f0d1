package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mostLinks is the maximum number of links on a path, as in operating systems.
const mostLinks = 40

var errLinks = errors.New("too many links")

// Program checks that only the user and root can change or replace a regular file: the file itself, and every link and folder on the way to
// it. As in Above, the owner is responsible for the members of a group.
func Program(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	at, rest := "/", strings.Split(path, "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		if rest = rest[1:]; part == "" || part == "." {
			continue
		}
		if part == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		if err != nil {
			return err
		}
		if err := ours(next, info); err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		to, err := os.Readlink(next)
		if links++; err == nil && links > mostLinks {
			err = errLinks
		}
		if err != nil {
			return &fs.PathError{Op: "open", Path: path, Err: err}
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, &UnsafeError{Path: at, Reason: "is not a regular file", Mend: "name a program"})
	}
	return nil
}

// ours accepts a file, folder or link of the user or of root that no other user can write. In a folder, other users must not be able to
// remove files of the user.
func ours(path string, info fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode()
	switch {
	case !ok || int(owner.Uid) != os.Geteuid() && owner.Uid != 0:
		return &UnsafeError{Path: path, Reason: "belongs to another user", Mend: "use a program that is yours, in a folder that is yours"}
	case mode&fs.ModeSymlink != 0, mode.Perm()&0o002 == 0, mode.IsDir() && mode&fs.ModeSticky != 0:
		return nil
	}
	return &UnsafeError{
		Path: path, Reason: fmt.Sprintf("can be written by everybody (mode %04o)", mode.Perm()), Mend: fmt.Sprintf("`chmod o-w %q`", path),
	}
}
