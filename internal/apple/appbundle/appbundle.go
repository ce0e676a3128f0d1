// Package appbundle reads what an app folder says about itself. Reading its Info.plist here needs no tool and no shell,
// and is never a moment old as the answers of `defaults` can be.
package appbundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
	"howett.net/plist"
)

// Info is what an Info.plist tells.
type Info struct {
	ID         string `plist:"CFBundleIdentifier"`
	Executable string `plist:"CFBundleExecutable"`
	Name       string `plist:"CFBundleName"`
	Mac        bool   `plist:"-"` // an app of the Mac: its Info.plist is below Contents
}

// InfoError says that an app is there, but what its Info.plist holds cannot be used.
type InfoError struct {
	Path    string // of the Info.plist
	Problem string
}

func (e *InfoError) Error() string { return e.Path + " " + e.Problem }

// mostPlist bounds an Info.plist; real ones have some kilobytes.
const mostPlist = 8 << 20

// Read reads an app's Info.plist: at its top, or below Contents as on a Mac.
func Read(app string) (Info, error) {
	dir, err := os.Stat(app)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Info{}, fmt.Errorf("there is no app at %s", app)
	case err != nil:
		return Info{}, err
	case !dir.IsDir():
		return Info{}, fmt.Errorf("%s is not an app: it is not a folder", app)
	}
	for _, place := range []string{"Info.plist", "Contents/Info.plist"} {
		path := filepath.Join(app, place)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		info, err := readFile(path)
		info.Mac = place != "Info.plist"
		return info, err
	}
	return Info{}, fmt.Errorf("%s is not an app: it has no Info.plist", app)
}

// readFile reads a regular file only: opening a named pipe would wait for its other end.
func readFile(path string) (Info, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return Info{}, err
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return Info{}, err
	}
	if !stat.Mode().IsRegular() {
		return Info{}, &InfoError{path, "is not a file"}
	}
	return read(path, file)
}

func read(path string, from io.Reader) (info Info, err error) {
	raw, err := io.ReadAll(io.LimitReader(from, mostPlist+1))
	if err != nil {
		return info, err
	}
	if len(raw) > mostPlist {
		return info, &InfoError{path, "is larger than any Info.plist"}
	}
	defer func() { // the decoder panics on some broken lists
		if p := recover(); p != nil {
			err = &InfoError{path, fmt.Sprintf("is a broken property list: %v", p)}
		}
	}()
	if _, err := plist.Unmarshal(raw, &info); err != nil {
		return info, &InfoError{path, fmt.Sprintf("cannot be read: %v", err)}
	}
	return info, nil
}

// ID is the app's bundle identifier. An app that names none is an *InfoError.
func ID(app string) (string, error) {
	info, err := Read(app)
	if err == nil && info.ID == "" {
		err = &InfoError{"the Info.plist of " + app, "names no CFBundleIdentifier"}
	}
	return info.ID, err
}
