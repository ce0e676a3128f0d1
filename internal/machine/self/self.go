// Package self identifies, copies, installs and updates the program's own binary. Current returns the running Build. Copy keeps a copy of
// it that stays when the original is replaced or, after `go run`, deleted. Install and Update replace the program in a folder, and refuse
// to replace a file that is not ios-agent.
package self

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/wholefile"
)

// Name is the program's file name.
const Name = "ios-agent"

// Build identifies a build of the program.
type Build struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"` // modification time of the file; of two builds, the later is the newer
}

// Current is the running build.
func Current() (Build, error) {
	path, err := os.Executable()
	if err != nil {
		return Build{}, err
	}
	return buildOf(path)
}

// buildOf identifies a binary by the build id that the Go linker writes near its beginning. Reading it is one small read; a hash of tens of
// megabytes would be the slowest part of a CLI call.
func buildOf(path string) (Build, error) {
	f, err := os.Open(path)
	if err != nil {
		return Build{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Build{}, err
	}
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return Build{}, fmt.Errorf("reading %s: %w", path, err)
	}
	id := goBuildID(head[:n])
	if id == nil {
		id = fmt.Appendf(nil, "%d %d %s", info.Size(), info.ModTime().UnixNano(), path)
	}
	sum := sha256.Sum256(id)
	return Build{ID: hex.EncodeToString(sum[:8]), Time: info.ModTime().Truncate(time.Millisecond)}, nil
}

// goBuildID finds the linker's note. Mach-O binaries contain a text marker, ELF binaries an ELF note of owner "Go", type 4.
func goBuildID(head []byte) []byte {
	if i := bytes.Index(head, []byte("\xff Go build ID: \"")); i >= 0 {
		rest := head[i+len("\xff Go build ID: \""):]
		if end := bytes.IndexByte(rest, '"'); end > 0 {
			return rest[:end]
		}
	}
	if i := bytes.Index(head, []byte("\x04\x00\x00\x00Go\x00\x00")); i >= 4 {
		size := int(head[i-4]) | int(head[i-3])<<8
		if rest := head[i+8:]; size > 0 && size <= len(rest) {
			return rest[:size]
		}
	}
	return nil
}

// Copy puts a copy of the running binary, which is the given build, into dir and returns its path. Many processes may do so at once: the
// copy appears whole or not at all. Copy uses an existing file only when the user made it, no other user can write it, and it has this
// build's bytes; it replaces a file of the user with other bytes.
func Copy(dir string, build Build) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := private.Folder(dir); err != nil {
		return "", err
	}
	target := filepath.Join(dir, Name)
	err := private.File(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	there := err == nil
	in, err := openSource(build)
	if err != nil {
		// An update replaced or removed the original while this process ran; the copy from before is still good.
		if old, targetErr := buildOf(target); there && targetErr == nil && old.ID == build.ID {
			return target, nil
		}
		return "", err
	}
	defer in.Close()
	if there {
		if same, err := isCopy(in, target); err != nil || same {
			return target, err
		}
	}
	return target, copyTo(in, dir, target)
}

// openSource opens the running binary. It is an error if the file has another build by now.
func openSource(build Build) (*os.File, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	now, err := buildOf(path)
	if err != nil {
		return nil, err
	}
	if now.ID != build.ID {
		return nil, fmt.Errorf("%s was replaced by another build while it ran", path)
	}
	return os.Open(path)
}

// isCopy reports whether target is an executable file with the bytes of in. It leaves in at its beginning.
func isCopy(in *os.File, target string) (bool, error) {
	out, err := os.Open(target)
	if err != nil {
		return false, err
	}
	defer out.Close()
	a, err := in.Stat()
	if err != nil {
		return false, err
	}
	b, err := out.Stat()
	if err != nil {
		return false, err
	}
	if os.SameFile(a, b) {
		return true, nil
	}
	if a.Size() != b.Size() || b.Mode().Perm()&0o100 == 0 {
		return false, nil
	}
	same, err := sameBytes(in, out)
	if err != nil {
		return false, err
	}
	_, err = in.Seek(0, io.SeekStart)
	return same, err
}

// sameBytes compares two files piece by piece. Hashes would need ten times as long, and every start of the daemon waits for the answer.
func sameBytes(a, b io.Reader) (bool, error) {
	x, y := make([]byte, 256<<10), make([]byte, 256<<10)
	for {
		n, err := io.ReadFull(a, x)
		m, otherErr := io.ReadFull(b, y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		ended := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !ended {
			return false, err
		}
		if otherErr != nil && otherErr != io.EOF && otherErr != io.ErrUnexpectedEOF {
			return false, otherErr
		}
		if ended {
			return true, nil
		}
	}
}

// keepVersions is the number of builds whose copies stay: the running build, and builds to which a user may go back.
const keepVersions = 4

// Prune removes the oldest copies. A running copy stays usable: its file is only unlinked.
func Prune(versions, current string) error {
	entries, err := os.ReadDir(versions)
	if err != nil {
		return err
	}
	type copied struct {
		path string
		time time.Time
	}
	var old []copied
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(versions, e.Name(), Name))
		if err == nil && e.Name() != current {
			old = append(old, copied{filepath.Join(versions, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(old, func(a, b copied) int { return b.time.Compare(a.time) })
	var errs []error
	for _, c := range old[min(len(old), keepVersions-1):] {
		errs = append(errs, os.RemoveAll(c.path))
	}
	return errors.Join(errs...)
}

func copyTo(in *os.File, dir, target string) error {
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.CreateTemp(dir, ".copy-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Chmod(0o700)
	}
	if err == nil {
		err = os.Chtimes(out.Name(), info.ModTime(), info.ModTime()) // the modification time decides which build is newer
	}
	if err != nil {
		return errors.Join(err, out.Close())
	}
	return wholefile.Place(out, target) // half a copy would stay for ever
}
