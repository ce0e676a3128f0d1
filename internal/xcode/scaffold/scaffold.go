// Package scaffold writes new Xcode projects: a workspace, a thin app, and a local Swift package with the features. Write does it, with
// Options. The templates are embedded in the binary: the package must not fetch anything, and must not replace existing files.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple/pbxproj"
)

//go:embed all:template
var templates embed.FS

// Platform is the platform of the app.
type Platform string

// The platforms.
const (
	IOS   Platform = "iOS"
	MacOS Platform = "macOS"
)

// Placeholder is the project name in the templates, and of a project that keeps the templates' names.
const Placeholder = "MyProject"

// Options are the options of a new project. Empty options get their defaults.
type Options struct {
	Name             string // letters, digits and underscores, a letter first
	BundleID         string // com.example.<name>
	DisplayName      string // the name
	MarketingVersion string // 1.0
	ProjectVersion   string // 1
	Deployment       string // oldest system version
	Families         []Family
	Orientations     []Orientation // of iPhones
	PadOrientations  []Orientation
}

// Family is a kind of device.
type Family string

// Orientation is an interface orientation.
type Orientation string

// families and orientations are the known words, with Xcode's values.
var (
	families     = map[Family]string{"iphone": "1", "ipad": "2", "universal": "1,2"}
	orientations = map[Orientation]string{
		"portrait": "UIInterfaceOrientationPortrait", "portrait-upside-down": "UIInterfaceOrientationPortraitUpsideDown",
		"landscape-left": "UIInterfaceOrientationLandscapeLeft", "landscape-right": "UIInterfaceOrientationLandscapeRight",
	}
	oldest = map[Platform]string{IOS: "18.4", MacOS: "15.4"}
)

// FamilyWords are all families.
func FamilyWords() []string { return words(families) }

// OrientationWords are all orientations.
func OrientationWords() []string { return words(orientations) }

func words[K ~string](table map[K]string) []string {
	var all []string
	for k := range table {
		all = append(all, string(k))
	}
	slices.Sort(all)
	return all
}

// ErrExists means that the folder already has a project of that name.
var ErrExists = pbxproj.ErrExists

// Written is a new project.
type Written struct {
	Dir, Workspace, Project, Package, Scheme string
	Files                                    []string // relative to Dir
}

// Write writes a project below dir, and creates dir if it is missing. It never replaces a file.
func Write(dir string, on Platform, o Options) (Written, error) {
	l, err := layout(on, o)
	if err != nil {
		return Written{}, err
	}
	for _, ending := range []string{".xcworkspace", ".xcodeproj"} {
		path := filepath.Join(dir, o.Name+ending)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return Written{}, fmt.Errorf("%s %w", path, ErrExists)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Written{}, err
	}
	if err := l.Write(dir); err != nil {
		return Written{}, err
	}
	return Written{
		Dir: dir, Workspace: filepath.Join(dir, o.Name+".xcworkspace"), Project: filepath.Join(dir, o.Name+".xcodeproj"),
		Package: filepath.Join(dir, packageOf(o.Name)), Scheme: o.Name, Files: slices.Sorted(maps.Keys(l.Contents())),
	}, nil
}

func packageOf(name string) string { return name + "Package" }

func layout(on Platform, o Options) (pbxproj.Layout, error) {
	o = o.filled(on)
	files, err := o.files(on)
	if err != nil {
		return pbxproj.Layout{}, err
	}
	p := o.project(on, files)
	scheme, unit := p.SchemeOf(o.Name), o.Name+"FeatureTests"
	scheme.Tests, scheme.Packages = append(scheme.Tests, unit), map[string]string{unit: packageOf(o.Name)}
	return pbxproj.Layout{
		Projects:  map[string]pbxproj.Project{".": p},
		Schemes:   map[string][]pbxproj.Scheme{".": {scheme}},
		Workspace: &pbxproj.Workspace{Name: o.Name, Refs: []string{o.Name + ".xcodeproj", packageOf(o.Name)}},
		Files:     files,
	}, nil
}

func (o Options) filled(on Platform) Options {
	set := func(field *string, otherwise string) {
		if *field == "" {
			*field = otherwise
		}
	}
	set(&o.BundleID, "com.example."+plain(o.Name))
	set(&o.DisplayName, o.Name)
	set(&o.MarketingVersion, "1.0")
	set(&o.ProjectVersion, "1")
	set(&o.Deployment, oldest[on])
	if len(o.Families) == 0 {
		o.Families = []Family{"universal"}
	}
	if len(o.Orientations) == 0 {
		o.Orientations = []Orientation{"portrait", "landscape-left", "landscape-right"}
	}
	if len(o.PadOrientations) == 0 {
		o.PadOrientations = []Orientation{"portrait", "portrait-upside-down", "landscape-left", "landscape-right"}
	}
	return o
}

// plain is the name as a part of a bundle id: lower-case letters and digits.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// files are the templates of the platform and the shared templates, with the project's names.
func (o Options) files(on Platform) (map[string]string, error) {
	names := strings.NewReplacer(Placeholder, o.Name, "MYPLATFORM", string(on), "MYDEPLOYMENT", o.Deployment)
	files := map[string]string{}
	for _, folder := range []string{"both", strings.ToLower(string(on))} {
		top := "template/" + folder
		err := fs.WalkDir(templates, top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := templates.ReadFile(path)
			name := strings.TrimSuffix(strings.TrimPrefix(path, top+"/"), ".template")
			files[names.Replace(name)] = names.Replace(string(data))
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("the template: %w", err)
		}
	}
	return files, nil
}
