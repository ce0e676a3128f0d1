// Package pbxproj writes Xcode projects and workspaces as they lie in their folders: project.pbxproj, shared schemes,
// contents.xcworkspacedata. The same project is always the same bytes. It knows nothing of building.
package pbxproj

// Project is one .xcodeproj.
type Project struct {
	Name           string // without .xcodeproj
	Dir            string // the folder that holds the .xcodeproj; empty until read
	Organization   string
	Configurations []Configuration
	Targets        []Target
	Packages       []string // folders of local packages, relative to Dir
	Remotes        []Remote // packages from elsewhere; they are only read
}

// Remote is a package that lies in a repository.
type Remote struct {
	URL     string
	Version string // what is asked for: a version, a branch or a revision
}

// Script is a script phase of a target. What it does is not kept: scripts are never run.
type Script struct {
	Name    string
	Early   bool // it stands before the sources
	Outputs bool // it says what it makes
	Always  bool // it is to run in every build
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

// Configure is the Debug and Release pair most projects have: what both share, and what each adds.
func Configure(both, debug, release map[string]string) []Configuration {
	return []Configuration{{"Debug", merge(both, debug)}, {"Release", merge(both, release)}}
}

// Settings are those of the named configuration; nil if there is none.
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
