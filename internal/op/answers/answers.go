// Package answers keeps the whole text of answers that were cut, as files that a caller can read in parts. Folder holds a limited number of
// files and removes the oldest first: a caller can repeat the call to get an answer again.
package answers

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/machine/wholefile"
)

// The limits of a folder; the newest files stay.
const (
	mostFiles = 20
	mostBytes = 64 << 20
)

// Folder is the folder of the files. Keep creates it for the first answer.
type Folder struct {
	path string
	now  func() time.Time

	mu   sync.Mutex
	last int // number of the last file that this process wrote
}

// In returns the Folder at a path, which must contain only answers.
func In(path string, now func() time.Time) *Folder { return &Folder{path: path, now: now} }

// Keep writes an answer to a new file and removes the oldest files beyond the limits.
func (f *Folder) Keep(name, ending string, whole []byte) (string, error) {
	if len(whole) > mostBytes {
		return "", fmt.Errorf("it has %d bytes, and %d are kept at most", len(whole), mostBytes)
	}
	f.mu.Lock()
	f.last++
	path := filepath.Join(f.path, fmt.Sprintf("%s-%s-%03d.%s", f.now().UTC().Format("20060102T150405.000000"), name, f.last, ending))
	f.mu.Unlock()
	return path, errors.Join(wholefile.Write(path, whole), f.tidy())
}

// tidy removes the oldest files. Names begin with the time of writing, so their order is their age.
func (f *Folder) tidy() error {
	found, err := os.ReadDir(f.path)
	slices.SortFunc(found, func(a, b os.DirEntry) int { return cmp.Compare(b.Name(), a.Name()) })
	files, bytes := 0, int64(0)
	for _, one := range found {
		info, unread := one.Info()
		if unread != nil || info.IsDir() {
			continue // another call removed it
		}
		files, bytes = files+1, bytes+info.Size()
		if files > mostFiles || bytes > mostBytes {
			err = errors.Join(err, removed(filepath.Join(f.path, one.Name())))
		}
	}
	return err
}

// Clear removes all files.
func (f *Folder) Clear() error { return os.RemoveAll(f.path) }

func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
