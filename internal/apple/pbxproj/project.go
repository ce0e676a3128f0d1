// Package pbxproj writes Xcode projects and workspaces: project.pbxproj, shared schemes, contents.xcworkspacedata. A Layout holds Projects
// and Workspaces and writes them into a folder. The same project always gives the same bytes. The package does not build anything.
package pbxproj

// Project is one .xcodeproj.
type Project struct {
	Name           string // without .xcodeproj
	Dir            string // the folder of the .xcodeproj; empty until read
	Organization   string
	Configurations []Configuration
	Targets        []Target
	Packages       []string // folders of local packages, relative to Dir
	Remotes        []Remote // packages from repositories; only read
}

// Remote is a package in a repository.
type Remote struct {
	URL     string
	Version string // the required version, branch or revision
}

// Script is a script phase of a target. Its code is not stored, because scripts are never run.
type Script struct {
	Name    string
	Early   bool // before the sources
	Outputs bool // it declares its outputs
	Always  bool // it runs in every build
}

// Configuration is the settings of one name, such as Debug.
type Configuration struct {
	Name     string
	Settings map[string]string
}

// Target is one native target. Its paths are relative to the project's folder.
type Target struct {
	Name           string
	Kind           Kind
	Sources        []string
	Resources      []string
	Dependencies   []string // other targets of the project
	Products       []string // of packages, to be linked
	Scripts        []Script
	Configurations []Configuration
}

// Configure is the usual Debug and Release pair: the common settings, and the additions of each.
func Configure(both, debug, release map[string]string) []Configuration {
	return []Configuration{{"Debug", merge(both, debug)}, {"Release", merge(both, release)}}
}

// Settings are the settings of the named configuration; nil if it does not exist.
func Settings(all []Configuration, name string) map[string]string {
	for _, c := range all {
		if c.Name == name {
			return c.Settings
		}
	}
	return nil
}

// Target finds a target by its name.
func (p *Project) Target(name string) (Target, bool) {
	for _, t := range p.Targets {
		if t.Name == name {
			return t, true
		}
	}
	return Target{}, false
}

func merge(maps ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range maps {
		for key, value := range m {
			all[key] = value
		}
	}
	return all
}
