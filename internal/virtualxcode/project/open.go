package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple/pbxproj"
	"ios-agent/internal/machine/regularfile"
)

// Limits for reading: the folder belongs to others and may have any content.
const (
	maxFile  = 16 << 20
	maxFiles = 20_000
	maxNest  = 20
)

// Container is an opened project or workspace.
type Container struct {
	Name      string
	Path      string // of the .xcodeproj or .xcworkspace, absolute
	Workspace bool
	Projects  []*Project // including the local packages that they use, which count as projects
	Schemes   []Scheme   // sorted by name
}

// Kind is the word for the container in xcodebuild's messages.
func (c *Container) Kind() string {
	if c.Workspace {
		return "workspace"
	}
	return "project"
}

// Scheme finds a scheme by name.
func (c *Container) Scheme(name string) (Scheme, bool) {
	for _, s := range c.Schemes {
		if s.Name == name {
			return s, true
		}
	}
	return Scheme{}, false
}

// Owner finds the project with a target or package product of that name.
func (c *Container) Owner(target string) (*Project, Target, bool) {
	for _, p := range c.Projects {
		if t, ok := p.Target(target); ok {
			return p, t, true
		}
	}
	return nil, Target{}, false
}

// PackageFile is the manifest of a project, if it is a package.
func PackageFile(p *Project) (string, bool) {
	file := filepath.Join(p.Dir, packageFile)
	return file, p.Dir != "" && len(p.Targets) > 0 && slices.ContainsFunc(p.Targets, func(t Target) bool {
		return t.Kind == PackageTarget
	}) && isFile(file)
}

// IsPackage reports whether a folder holds a Swift package.
func IsPackage(dir string) bool { return isFile(filepath.Join(dir, packageFile)) }

// Open reads the .xcodeproj or .xcworkspace at path. If path is a folder with a package, it opens the package as a workspace.
func Open(path string) (*Container, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	ext := filepath.Ext(abs)
	c := &Container{Name: strings.TrimSuffix(filepath.Base(abs), ext), Path: abs, Workspace: ext == ".xcworkspace"}
	switch {
	case c.Workspace:
		err = c.openWorkspace()
	case ext != ".xcodeproj" && IsPackage(abs):
		c.Workspace = true
		c.addPackage(abs)
	default:
		err = c.addProject(abs)
	}
	slices.SortFunc(c.Schemes, func(a, b Scheme) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return c, err
}

func (c *Container) openWorkspace() error {
	data, err := readFile(filepath.Join(c.Path, pbxproj.WorkspaceData))
	if err != nil {
		return err
	}
	w, err := ParseWorkspace(c.Name, data)
	if err != nil {
		return err
	}
	c.addSchemes(c.Path, nil)
	for _, ref := range w.Refs {
		path := filepath.Join(filepath.Dir(c.Path), ref)
		switch {
		case strings.HasSuffix(path, ".xcodeproj"):
			err = errors.Join(err, c.addProject(path))
		case IsPackage(path):
			c.addPackage(path)
		}
	}
	return err
}

func (c *Container) addProject(path string) error {
	dir := filepath.Dir(path)
	data, err := readFile(filepath.Join(path, "project.pbxproj"))
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".xcodeproj")
	p, err := Parse(name, data, func(folder string) []string { return walk(dir, folder) },
		func(file string) ([]byte, error) { return readFile(filepath.Join(dir, file)) })
	if err != nil {
		return err
	}
	p.Dir = dir
	c.Projects = append(c.Projects, p)
	c.addSchemes(path, p)
	for _, folder := range p.Packages {
		c.addPackage(filepath.Join(dir, folder))
	}
	return nil
}

// addSchemes reads the shared schemes of a project or workspace. Like Xcode, it gives a project without schemes one scheme per app. p
// is nil for a workspace, which gets no such schemes.
func (c *Container) addSchemes(path string, p *Project) {
	files, _ := filepath.Glob(filepath.Join(globEscape(path), pbxproj.SchemesFolder, "*.xcscheme"))
	for _, file := range files[:min(len(files), maxFiles)] {
		data, err := readFile(file)
		if err != nil {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".xcscheme")
		if s, err := ParseScheme(name, data); err == nil {
			c.addScheme(s)
		}
	}
	if p == nil || len(files) > 0 {
		return
	}
	for _, t := range p.Targets {
		if !t.Kind.Tests() {
			c.addScheme(p.SchemeOf(t.Name))
		}
	}
}

func (c *Container) addScheme(s Scheme) {
	if _, there := c.Scheme(s.Name); !there {
		c.Schemes = append(c.Schemes, s)
	}
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `*`, `\*`, `?`, `\?`).Replace(path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func readFile(path string) ([]byte, error) {
	data, err := regularfile.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// walk lists the files below a folder of a project; an asset catalogue counts as one file. It does not follow links.
func walk(dir, folder string) (files []string) {
	root := filepath.Join(dir, folder)
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || len(files) >= maxFiles {
			return filepath.SkipAll
		}
		rel, _ := filepath.Rel(dir, path)
		switch {
		case d.IsDir() && strings.HasSuffix(path, ".xcassets"):
			files = append(files, filepath.ToSlash(rel))
			return filepath.SkipDir
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || strings.Count(rel, "/") > maxNest):
			return filepath.SkipDir
		case d.Type().IsRegular() && !strings.HasPrefix(d.Name(), "."):
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return files
}
