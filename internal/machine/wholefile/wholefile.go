// Package wholefile replaces files whole: a reader, also after a kill -9 or a loss of power, finds the old content or the new content,
// never a mixture. Write writes bytes; Place gives an open file its name.
package wholefile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Write replaces the file, readable by its owner only; its folder is made, private, when it is not there.
func Write(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // 0600 from the start
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already when all went well
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	return Place(f, path)
}

// Place gives a file that was written beside it the name of another, which it replaces, and closes it. When it returns nil, a loss of
// power takes neither the content nor the name away.
func Place(f *os.File, path string) error {
	err := f.Sync() // else a loss of power may leave the new name on an empty file
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// Try is what the system says to a new file in a folder; nil when it can be made and written.
func Try(dir string) error {
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// syncFolder makes the new name last. Some file systems cannot sync a folder; the file is whole there too.
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
