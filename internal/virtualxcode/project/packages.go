package project

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// PackageTarget is the kind of a package's target; the package only reads it and never writes it.
const PackageTarget Kind = "com.apple.product-type.objfile"

const packageFile = "Package.swift"

var packageName = regexp.MustCompile(`Package\(\s*name:\s*"([^"]+)"`)

// addPackage reads a local package as a project, with a target for each folder in Sources and Tests, and one scheme. The manifest is a
// program: addPackage reads only its name and executes nothing.
func (c *Container) addPackage(dir string) {
	if slices.ContainsFunc(c.Projects, func(p *Project) bool { return p.Dir == dir }) {
		return
	}
	data, err := readFile(filepath.Join(dir, packageFile))
	if err != nil {
		return
	}
	p := &Project{Name: filepath.Base(dir), Dir: dir, Configurations: Configure(nil, nil, nil)}
	if m := packageName.FindSubmatch(data); m != nil {
		p.Name = string(m[1])
	}
	s := Scheme{Name: p.Name}
	for _, t := range packageTargets(dir, "Sources", PackageTarget) {
		p.Targets, s.Build = append(p.Targets, t), append(s.Build, t.Name)
	}
	for _, t := range packageTargets(dir, "Tests", UnitTests) {
		t.Dependencies = slices.Clone(s.Build)
		p.Targets, s.Tests = append(p.Targets, t), append(s.Tests, t.Name)
	}
	c.Projects = append(c.Projects, p)
	c.addScheme(s)
}

func packageTargets(dir, folder string, kind Kind) (all []Target) {
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t := Target{Name: e.Name(), Kind: kind, Configurations: Configure(nil, nil, nil)}
		for _, file := range walk(dir, filepath.Join(folder, e.Name())) {
			if IsSource(file) {
				t.Sources = append(t.Sources, file)
			}
		}
		all = append(all, t)
	}
	return all
}
