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

	"howett.net/plist"
)

// Info is what an Info.plist tells.
type Info struct {
	ID         string `plist:"CFBundleIdentifier"`
	Executable string `plist:"CFBundleExecutable"`
	Name       string `plist:"CFBundleName"`
}

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
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Info{}, err
		}
		defer file.Close()
		return read(path, file)
	}
	return Info{}, fmt.Errorf("%s is not an app: it has no Info.plist", app)
}

func read(path string, from io.Reader) (info Info, err error) {
	raw, err := io.ReadAll(io.LimitReader(from, mostPlist+1))
	if err != nil {
		return info, err
	}
	if len(raw) > mostPlist {
		return info, fmt.Errorf("%s is larger than any Info.plist", path)
	}
	defer func() { // the decoder panics on some broken lists
		if p := recover(); p != nil {
			err = fmt.Errorf("%s is a broken property list: %v", path, p)
		}
	}()
	if _, err := plist.Unmarshal(raw, &info); err != nil {
		return info, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return info, nil
}

// ID is the app's bundle identifier.
func ID(app string) (string, error) {
	info, err := Read(app)
	if err == nil && info.ID == "" {
		err = fmt.Errorf("the Info.plist of %s names no CFBundleIdentifier", app)
	}
	return info.ID, err
}
