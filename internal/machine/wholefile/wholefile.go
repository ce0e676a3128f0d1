// Package wholefile replaces files whole: a reader, or a kill -9 at any instant, finds what was there before or what is
// there after, never something between.
package wholefile

import (
	"os"
	"path/filepath"
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
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
