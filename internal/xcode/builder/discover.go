package builder

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
)

// Found are the projects and workspaces below a folder, by path.
type Found struct {
	Projects   []string `json:"projects"`
	Workspaces []string `json:"workspaces"`
}

const (
	projectExt   = ".xcodeproj"
	workspaceExt = ".xcworkspace"
)

// skippedFolders are not searched: their projects are dependencies or products.
var skippedFolders = []string{"build", "DerivedData", "Pods", ".git", "node_modules"}

// Discover finds the projects in a folder and up to depth levels below it. It does not follow symbolic links or enter bundles, and skips
// unreadable folders; the first folder must be readable.
func Discover(root string, depth int) (Found, error) {
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return Found{}, fault.New(fault.PathError, "%w", err)
	case !info.IsDir():
		return Found{}, fault.New(fault.PathError, "%s must be a folder", root)
	case isContainer(root):
		root = filepath.Dir(root)
	}
	found := Found{Projects: []string{}, Workspaces: []string{}}
	err = walk(root, depth, func(path string) {
		if filepath.Ext(path) == projectExt {
			found.Projects = append(found.Projects, path)
		} else {
			found.Workspaces = append(found.Workspaces, path)
		}
	})
	if err != nil {
		return Found{}, fault.New(fault.PathError, "%w", err)
	}
	slices.Sort(found.Projects)
	slices.Sort(found.Workspaces)
	return found, nil
}

func isContainer(path string) bool {
	ext := filepath.Ext(filepath.Clean(path))
	return ext == projectExt || ext == workspaceExt
}

func walk(dir string, depth int, container func(path string)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !e.IsDir() || slices.Contains(skippedFolders, e.Name()) || home.Is(path): // the home folder has only the agent's own project
		case isContainer(path):
			container(path)
		case depth > 0:
			walk(path, depth-1, container) // skip an unreadable folder
		}
	}
	return nil
}

// Nearest finds the project of a client that works in dir: in dir or the closest folder above it, up to top, else below it. It prefers
// a workspace to a project in the same folder.
func Nearest(dir, top string) (project, workspace string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		found, err := Discover(at, 0)
		if err != nil {
			return "", "", err
		}
		if p, w, ok, err := found.one(at); ok || err != nil {
			return p, w, err
		}
		if at == top || at == filepath.Dir(at) || !strings.HasPrefix(at, top) {
			break
		}
	}
	for depth := 1; depth <= searchDepth; depth++ {
		found, err := Discover(dir, depth)
		if err != nil {
			return "", "", err
		}
		if p, w, ok, err := found.one(dir); ok || err != nil {
			return p, w, err
		}
	}
	return "", "", fault.New(fault.ProjectNotFound, "cannot find an Xcode project or workspace in %s, above it or below it", dir)
}

// searchDepth is the number of levels below a folder in which Nearest searches.
const searchDepth = 4

// one is the only workspace or, without workspaces, the only project. Several candidates are an error that names them.
func (f Found) one(dir string) (project, workspace string, ok bool, err error) {
	switch {
	case len(f.Workspaces) == 1:
		return "", f.Workspaces[0], true, nil
	case len(f.Workspaces) == 0 && len(f.Projects) == 1:
		return f.Projects[0], "", true, nil
	case len(f.Workspaces)+len(f.Projects) == 0:
		return "", "", false, nil
	}
	all := slices.Concat(f.Workspaces, f.Projects)
	var names []string
	for _, path := range all {
		if rel, err := filepath.Rel(dir, path); err == nil {
			path = rel
		}
		names = append(names, path)
	}
	return "", "", false, fault.New(fault.ProjectAmbiguous, "several projects could be meant: %s",
		strings.Join(names[:min(len(names), 10)], ", ")).
		With("candidates", all)
}

// mostFiles is the maximum number of files in the search for a source file.
const mostFiles = 50_000

// swiftFiles are the source files below a folder by name; an ambiguous name has an empty path.
func swiftFiles(folder string) map[string]string {
	files, seen := map[string]string{}, 0
	filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if seen++; seen > mostFiles {
			return filepath.SkipAll
		}
		switch {
		case err != nil && d != nil && d.IsDir():
			return filepath.SkipDir
		case err != nil:
			return nil
		case d.IsDir() && path != folder && (slices.Contains(skippedFolders, d.Name()) || isContainer(path)):
			return filepath.SkipDir
		case d.Type().IsRegular() && slices.Contains([]string{".swift", ".m", ".mm"}, filepath.Ext(path)):
			if _, twice := files[d.Name()]; twice {
				path = ""
			}
			files[d.Name()] = path
		}
		return nil
	})
	return files
}

// Top is the folder at which the upward search for a project ends: the repository's, or outside a repository a few folders up.
func Top(dir, git string) string {
	if _, err := os.Stat(filepath.Join(git, ".git")); err == nil {
		return git
	}
	const levels = 5
	for range levels {
		dir = filepath.Dir(dir)
	}
	return dir
}
