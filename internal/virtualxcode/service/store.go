package service

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files keeps a world's state in a folder, a file a device. Every write replaces its file whole, so that kill -9 at any
// instant leaves the state before or after, never between.
type Files string

const stateExt = ".json"

// Load reads all entries.
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
		if all[key], err = os.ReadFile(filepath.Join(string(d), e.Name())); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Save replaces one entry.
func (d Files) Save(key string, state []byte) error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(string(d), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(state)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(string(d), key+stateExt))
}

// Delete removes one entry.
func (d Files) Delete(key string) error {
	err := os.Remove(filepath.Join(string(d), key+stateExt))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
