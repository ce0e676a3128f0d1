package project

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Sample names a project that Write writes.
type Sample string

// The samples.
const (
	SampleApp       Sample = "app"       // a SwiftUI app with unit tests and UI tests
	SampleBroken    Sample = "broken"    // an app that does not compile
	SampleFailing   Sample = "failing"   // an app with failing XCTest and Swift Testing tests
	SampleWorkspace Sample = "workspace" // a workspace with a project and a local package
	SampleMac       Sample = "macos"     // a macOS app
	SampleWatch     Sample = "watchos"   // a watchOS app
	SampleTV        Sample = "tvos"      // a tvOS app
	SampleVision    Sample = "visionos"  // a visionOS app
)

// all: otherwise embedding skips files whose names start with an underscore.
//
//go:embed all:samples
var sampleFiles embed.FS

// recipe describes a sample beyond its files.
type recipe struct {
	name, bundle, platform string
	dir                    string   // the folder of the project
	packages, products     []string // local packages
	workspace              bool
}

var recipes = map[Sample]recipe{
	SampleApp:     {name: "Tally", bundle: "com.example.tally", platform: "iOS", dir: "."},
	SampleBroken:  {name: "Broken", bundle: "com.example.broken", platform: "iOS", dir: "."},
	SampleFailing: {name: "Failing", bundle: "com.example.failing", platform: "iOS", dir: "."},
	SampleMac:     {name: "Notes", bundle: "com.example.notes", platform: "macOS", dir: "."},
	SampleWatch:   {name: "Steps", bundle: "com.example.steps", platform: "watchOS", dir: "."},
	SampleTV:      {name: "Cinema", bundle: "com.example.cinema", platform: "tvOS", dir: "."},
	SampleVision:  {name: "Orbit", bundle: "com.example.orbit", platform: "visionOS", dir: "."},
	SampleWorkspace: {name: "Cafe", bundle: "com.example.cafe", platform: "iOS", dir: "App", packages: []string{"../CafeKit"},
		products: []string{"CafeKit"}, workspace: true},
}

// Samples returns the names of all samples.
func Samples() []Sample { return slices.Sorted(maps.Keys(recipes)) }

// Write writes a sample below dir, and creates dir if needed.
func Write(dir string, s Sample) error {
	l, err := s.Layout()
	if err != nil {
		return err
	}
	return l.Write(dir)
}

// Layout returns the project that Write writes.
func (s Sample) Layout() (Layout, error) {
	r, ok := recipes[s]
	if !ok {
		return Layout{}, fmt.Errorf("no sample %q; there are %v", s, Samples())
	}
	files, err := read(sampleFiles, "samples/"+string(s))
	if err != nil {
		return Layout{}, err
	}
	p := r.project(files)
	l := Layout{Projects: map[string]Project{r.dir: p}, Schemes: map[string][]Scheme{r.dir: {p.SchemeOf(r.name)}}, Files: files}
	if r.workspace {
		l.Workspace = &Workspace{Name: r.name, Refs: []string{r.dir + "/" + r.name + ".xcodeproj", "CafeKit"}}
	}
	return l, nil
}

func read(fsys fs.FS, root string) (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(fsys, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		files[strings.TrimPrefix(path, root+"/")] = string(data)
		return err
	})
	return files, err
}
