// Package scaffold writes new Xcode projects: a workspace, a thin app, and a local Swift package that holds the features.
// The templates are our own and part of the binary; nothing is fetched.
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

// Platform is what the app is for.
type Platform string

// The platforms.
const (
	IOS   Platform = "iOS"
	MacOS Platform = "macOS"
)

// Placeholder is the name in the templates, and of a project that keeps their names.
const Placeholder = "MyProject"

// Options are what can be chosen. Empty ones get their defaults.
type Options struct {
	Name             string // letters, digits and underscores, a letter first
	BundleID         string // com.example.<name>
	DisplayName      string // the name
	MarketingVersion string // 1.0
	ProjectVersion   string // 1
	Deployment       string // the oldest system
	Families         []Family
	Orientations     []Orientation // of iPhones
	PadOrientations  []Orientation
}

// Family is a kind of device.
type Family string

// Orientation is how a device is held.
type Orientation string

// Families and Orientations are the words there are, with what Xcode calls them.
var (
	families     = map[Family]string{"iphone": "1", "ipad": "2", "universal": "1,2"}
	orientations = map[Orientation]string{
		"portrait": "UIInterfaceOrientationPortrait", "portrait-upside-down": "UIInterfaceOrientationPortraitUpsideDown",
		"landscape-left": "UIInterfaceOrientationLandscapeLeft", "landscape-right": "UIInterfaceOrientationLandscapeRight",
	}
	oldest = map[Platform]string{IOS: "18.4", MacOS: "15.4"}
)

// FamilyWords are the families there are.
func FamilyWords() []string { return words(families) }

// OrientationWords are the orientations there are.
func OrientationWords() []string { return words(orientations) }

func words[K ~string](table map[K]string) []string {
	var all []string
	for k := range table {
		all = append(all, string(k))
	}
	slices.Sort(all)
	return all
}

// ErrExists means that the folder has a project of that name already.
var ErrExists = pbxproj.ErrExists

// Written is what was written.
type Written struct {
	Dir, Workspace, Project, Package, Scheme string
	Files                                    []string // relative to Dir
}

// Write writes a project below dir, which is made if need be. It replaces nothing.
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
	return pbxproj.Layout{
		Projects:  map[string]pbxproj.Project{".": p},
		Schemes:   map[string][]pbxproj.Scheme{".": {p.SchemeOf(o.Name)}},
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

// plain is the name as a part of a bundle id: small letters and digits.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// files are the templates of the platform and those of both, with the project's names in them.
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
