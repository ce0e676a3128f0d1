// Package appbundle reads what an app folder says about itself. Reading its Info.plist here needs no tool and no shell,
// and is never a moment old as the answers of `defaults` can be.
package appbundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"howett.net/plist"

	"ios-agent/internal/machine/regularfile"
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

// mostPlist bounds an Info.plist; real ones have some kilobytes. The decoder calls itself for each level: a megabyte of brackets can
// exceed the stack, which ends the process.
const mostPlist = 256 << 10

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

func readFile(path string) (Info, error) {
	raw, err := regularfile.Read(path, mostPlist)
	var large *regularfile.LargeError
	switch {
	case errors.As(err, &large):
		return Info{}, &InfoError{path, "is larger than any Info.plist"}
	case errors.Is(err, regularfile.ErrNotRegular):
		return Info{}, &InfoError{path, "is not a file"}
	case err != nil:
		return Info{}, err
	}
	return decode(path, raw)
}

// decode does not repeat what the decoder says: it quotes the file, which may be a link to a secret.
func decode(path string, raw []byte) (info Info, err error) {
	defer func() { // the decoder panics on some broken lists
		if p := recover(); p != nil {
			err = &InfoError{path, "is a broken property list"}
		}
	}()
	if _, err := plist.Unmarshal(raw, &info); err != nil {
		return Info{}, &InfoError{path, "is not a property list that can be read"}
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
