// Package wholefile replaces files whole: a reader, also after a kill -9 or a loss of power, finds the old content or the new content,
// never a mixture. Write writes bytes; Place gives an open file its name.
package wholefile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Write replaces a file; only its owner can read the new one. It makes a missing folder with mode 0700.
func Write(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // 0600 from the start
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // already renamed on success
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	return Place(f, path)
}

// Place closes a file that was written in the same folder as path and renames it to path, which it replaces. When it returns nil, a loss of
// power loses neither the content nor the name.
func Place(f *os.File, path string) error {
	err := f.Sync() // otherwise a loss of power may leave an empty file with the new name
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// Try creates, writes and removes a file in a folder, and returns the system's error; nil if that works.
func Try(dir string) error {
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// syncFolder makes the new name survive a loss of power. Some file systems cannot sync a folder; the file is whole there too.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
