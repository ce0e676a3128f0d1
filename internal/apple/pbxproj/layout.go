package pbxproj

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Layout is the content of a folder: projects, perhaps a workspace, and the files they refer to.
type Layout struct {
	Projects  map[string]Project // by their folder, relative; "." is the top
	Schemes   map[string][]Scheme
	Workspace *Workspace
	Files     map[string]string
}

// ErrExists means that writing would replace something.
var ErrExists = errors.New("already exists")

// Write writes l below dir. It never replaces a file: if any file exists, it writes nothing.
func (l Layout) Write(dir string) error {
	files := l.Contents()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%s: not a path below the folder", name)
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", filepath.Join(dir, name), ErrExists)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := writeFile(filepath.Join(dir, name), files[name]); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o644)
}

// Contents holds all files, by path.
func (l Layout) Contents() map[string]string {
	all := maps.Clone(l.Files)
	if all == nil {
		all = map[string]string{}
	}
	for dir, p := range l.Projects {
		bundle := filepath.Join(dir, p.Name+".xcodeproj")
		all[filepath.Join(bundle, "project.pbxproj")] = string(p.PBXProj())
		all[filepath.Join(bundle, "project.xcworkspace", WorkspaceData)] = self
		for _, s := range l.Schemes[dir] {
			all[filepath.Join(bundle, SchemesFolder, s.Name+".xcscheme")] = string(p.SchemeXML(s))
		}
	}
	if w := l.Workspace; w != nil {
		all[filepath.Join(w.Name+".xcworkspace", WorkspaceData)] = string(w.Contents())
	}
	return all
}

// The places of files inside projects and workspaces.
const (
	WorkspaceData = "contents.xcworkspacedata"
	SchemesFolder = "xcshareddata/xcschemes"
)
