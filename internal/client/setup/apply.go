package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/wholefile"
)

// Apply writes planned changes, each file at once or not at all. When a file has changed since Plan, Apply writes none.
func Apply(changes []Change) error {
	for _, c := range changes {
		if err := c.fresh(); err != nil {
			return err
		}
	}
	var written []string
	for _, c := range changes {
		if err := c.write(); err != nil {
			return unwritable(c.Path, err).With("written", written)
		}
		written = append(written, c.Path)
	}
	return nil
}

// fresh says whether the file is still as planned.
func (c Change) fresh() error {
	now, err := c.file.read()
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return fault.New(fault.PathError, "cannot read %s: %w", c.Path, err)
	}
	if missing != c.New || !bytes.Equal(now, c.Before) {
		return fault.New(fault.PathError, "%s has changed since it was read; no file is written", c.Path).
			With("file", c.Path).WithHint("look at it and try again")
	}
	return nil
}

func unwritable(path string, err error) *fault.Fault {
	f := fault.New(fault.PathError, "cannot write %s: %w", path, err).With("file", path)
	if errors.Is(err, fs.ErrPermission) {
		return f.WithHint("sandboxes keep agents from changing their own settings: run it in a terminal of your own")
	}
	return f
}

// write puts the new text into a file beside and then in its place. A link stays one: what it leads to is replaced.
func (c Change) write() error {
	path, mode, err := c.target()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is gone when all went well
	_, err = f.Write(c.After)
	if err = errors.Join(err, f.Chmod(mode)); err != nil {
		return errors.Join(err, f.Close())
	}
	return wholefile.Place(f, path)
}

// target is where to write, with the mode of the existing file; it creates the folder of a new file.
func (c Change) target() (string, fs.FileMode, error) {
	if !c.New {
		path, err := filepath.EvalSymlinks(c.Path)
		if err != nil {
			return "", 0, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return "", 0, err
		}
		return path, info.Mode().Perm(), nil
	}
	if _, err := os.Lstat(c.Path); err == nil {
		return "", 0, errors.New("it is a link that leads nowhere")
	}
	mode := c.file.mode
	search := mode >> 2 & 0o111 // who may read the file may enter its folder
	return c.Path, mode, os.MkdirAll(filepath.Dir(c.Path), mode|search)
}
