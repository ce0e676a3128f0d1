package xcodebuild

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"howett.net/plist"

	"ios-agent/internal/machine/regularfile"
)

// zipFolder packs a folder under another name.
func zipFolder(file, folder, as string) (err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z := zip.NewWriter(f)
	files := os.DirFS(folder)
	if err := addFolder(z, files, as); err != nil {
		return err
	}
	return z.Close()
}

func addFolder(z *zip.Writer, files fs.FS, as string) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		w, err := z.Create(path.Join(as, name))
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
}

// maxPlist is the maximum size of a property list.
const maxPlist = 8 << 20

// readPlist reads a property list with a dictionary.
func readPlist(file string) (map[string]any, error) {
	data, err := regularfile.Read(file, maxPlist)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	_, err = plist.Unmarshal(data, &all)
	return all, err
}
