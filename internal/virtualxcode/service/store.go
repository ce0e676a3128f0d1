package service

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/machine/wholefile"
)

// Files keeps a world's state in a folder, one file per device. Every write replaces its file atomically, so that a kill -9 leaves
// either the old state or the new one.
type Files string

const (
	stateExt = ".json"
	badExt   = ".bad"
)

// Load reads all entries. A file that is not regular is an empty entry, which counts as damaged.
func (d Files) Load() (map[string][]byte, error) {
	entries, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), stateExt)
		if !ok {
			continue
		}
		if all[key] = []byte{}; !e.Type().IsRegular() {
			continue // reading a pipe would block
		}
		if all[key], err = os.ReadFile(filepath.Join(string(d), e.Name())); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Save replaces one entry.
func (d Files) Save(key string, state []byte) error {
	return wholefile.Write(filepath.Join(string(d), key+stateExt), state)
}

// Delete removes one entry.
func (d Files) Delete(key string) error {
	err := os.Remove(filepath.Join(string(d), key+stateExt))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// SetAside renames a damaged entry. Load ignores it, and only the next damaged entry of this key overwrites it.
func (d Files) SetAside(key string) error {
	path := filepath.Join(string(d), key+stateExt)
	return os.Rename(path, path+badExt)
}
