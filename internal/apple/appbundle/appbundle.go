// Package appbundle reads the Info.plist of an app folder: Read returns an Info. It needs no tool and no shell, and is always current,
// while the answers of `defaults` can be out of date.
package appbundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ios-agent/internal/apple/bundleid"
	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/machine/regularfile"
)

// Info holds the facts of an Info.plist.
type Info struct {
	ID         string `plist:"CFBundleIdentifier"`
	Executable string `plist:"CFBundleExecutable"`
	Name       string `plist:"CFBundleName"`
	Mac        bool   `plist:"-"` // an app of the Mac: its Info.plist is below Contents
}

// InfoError reports an app whose Info.plist is unusable.
type InfoError struct {
	Path    string // of the Info.plist
	Problem string
}

func (e *InfoError) Error() string { return e.Path + " " + e.Problem }

// Read reads an app's Info.plist: at its top, or below Contents as on a Mac.
func Read(app string) (Info, error) {
	dir, err := os.Stat(app)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Info{}, fmt.Errorf("no app at %s", app)
	case err != nil:
		return Info{}, err
	case !dir.IsDir():
		return Info{}, fmt.Errorf("%s is not an app: it is not a folder", app)
	}
	for _, place := range []string{"Info.plist", "Contents/Info.plist"} {
		raw, err := docfile.Read(app, place, docfile.MostPlist)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		info, err := decode(filepath.Join(app, place), raw, err)
		info.Mac = place != "Info.plist"
		return info, err
	}
	return Info{}, fmt.Errorf("%s is not an app: it has no Info.plist", app)
}

func decode(path string, raw []byte, err error) (Info, error) {
	var large *regularfile.LargeError
	switch {
	case errors.As(err, &large):
		return Info{}, &InfoError{path, "is larger than any Info.plist"}
	case errors.Is(err, regularfile.ErrNotRegular):
		return Info{}, &InfoError{path, "is not a regular file"}
	case err != nil:
		return Info{}, &InfoError{path, "is unreadable: " + err.Error()}
	}
	var info Info
	if err := docfile.Plist(raw, &info); err != nil {
		return Info{}, &InfoError{path, "is " + err.Error()}
	}
	if err := bundleid.Check(info.ID); info.ID != "" && err != nil {
		return Info{}, &InfoError{path, "cannot be used: CFBundleIdentifier " + err.Error()}
	}
	return info, nil
}

// ID is the app's bundle identifier. If the Info.plist has none, the error is an *InfoError.
func ID(app string) (string, error) {
	info, err := Read(app)
	if err == nil && info.ID == "" {
		err = &InfoError{"the Info.plist of " + app, "names no CFBundleIdentifier"}
	}
	return info.ID, err
}
