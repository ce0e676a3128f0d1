// Package resident keeps exactly one background process for a folder. A Place is such a folder: a lock file decides which process is the
// resident, and the resident answers on a unix socket. The resident calls Listen; a client's Dialer connects, and starts the resident if
// none runs. Status and Stop serve commands. The package does not know the protocol on the socket.
package resident

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ios-agent/internal/machine/private"
)

// maxSocketPath is the maximum length of a socket's path; macOS allows 104 bytes.
const maxSocketPath = 100

// Place names a resident and its files: <Dir>/<Name>.lock, .sock, .log and .gate.
type Place struct {
	// Dir is absolute, because a resident's working directory differs from its clients'. It is made with mode 0700, must belong to the
	// user, and no other user may be able to write it.
	Dir  string
	Name string
}

// LockPath is the file that the resident locks (flock) for its whole life. It is never removed, because the lock is on the file and not on
// its name.
func (p Place) LockPath() string { return p.path(".lock") }

// LogPath is the file for the resident's output. Connect reads it when the resident died early.
func (p Place) LogPath() string { return p.path(".log") }

// SocketPath is <Dir>/<Name>.sock. If that is too long for a socket, it is a hashed name in a private folder of this user below the
// temporary folder; SocketPath makes that folder if it is missing, and refuses it if another user can use it.
func (p Place) SocketPath() (string, error) {
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return "", fmt.Errorf("socket of %s: %w", p.Name, err)
	}
	if path := filepath.Join(dir, p.Name+".sock"); len(path) <= maxSocketPath {
		return path, nil
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte(dir + "\x00" + p.Name))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	for _, base := range []string{os.TempDir(), "/tmp"} {
		folder := filepath.Join(base, fmt.Sprintf("ios-agent-%d", os.Getuid()))
		if path := filepath.Join(folder, name); len(path) <= maxSocketPath {
			return path, makeClosed(folder)
		}
	}
	return "", fmt.Errorf("socket of %s: every possible path is longer than %d bytes", p.Name, maxSocketPath)
}

func (p Place) path(suffix string) string { return filepath.Join(p.Dir, p.Name+suffix) }

// makeClosed makes a folder if it is missing, and checks that other users cannot enter it.
func makeClosed(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("private folder: %w", err)
	}
	return private.Closed(dir)
}

// prepare makes Dir and checks it. Dir may be a link, because users move their homes; a folder in a place that others can write to may not.
func (p Place) prepare() error {
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return fmt.Errorf("folder of %s: %w", p.Name, err)
	}
	return private.Folder(p.Dir)
}
