package project

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"howett.net/plist"
)

// errNotProject means that a plist lacks the tables of a project.
var errNotProject = errors.New("not an Xcode project")

// table holds the objects of a project.pbxproj as read: any of them may be missing or have the wrong type.
type table struct {
	objects map[string]map[string]any
	parents map[string]string // the group that contains an object
	walk    func(folder string) []string
}

// Parse reads a project.pbxproj. walk lists the files below a folder of the project, because newer projects name only folders. read
// returns the contents of a file of the project, for .xcconfig files. Both may be nil.
func Parse(name string, data []byte, walk func(string) []string, read func(string) ([]byte, error)) (*Project, error) {
	var file struct {
		Objects map[string]map[string]any `plist:"objects"`
		Root    string                    `plist:"rootObject"`
	}
	if _, err := plist.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("project %s: %w", name, err)
	}
	root, ok := file.Objects[file.Root]
	if !ok {
		return nil, fmt.Errorf("project %s: %w: no root object", name, errNotProject)
	}
	t := table{file.Objects, parentsOf(file.Objects), walk}
	c := configReader{t, read}
	p := &Project{Name: name, Organization: str(dict(root["attributes"])["ORGANIZATIONNAME"]), Configurations: c.configurations(root)}
	for _, id := range ids(root["targets"]) {
		if o := t.objects[id]; o != nil && str(o["name"]) != "" {
			p.Targets = append(p.Targets, t.target(o, c))
		}
	}
	for _, id := range ids(root["packageReferences"]) {
		if dir := str(t.objects[id]["relativePath"]); dir != "" {
			p.Packages = append(p.Packages, dir)
		}
		if url := str(t.objects[id]["repositoryURL"]); url != "" {
			p.Remotes = append(p.Remotes, Remote{URL: url, Version: version(dict(t.objects[id]["requirement"]))})
		}
	}
	return p, nil
}

func (t table) target(o map[string]any, c configReader) Target {
	target := Target{Name: str(o["name"]), Kind: Kind(str(o["productType"])), Configurations: c.configurations(o)}
	for _, phase := range ids(o["buildPhases"]) {
		files := t.filesOf(ids(t.objects[phase]["files"]))
		switch t.objects[phase]["isa"] {
		case "PBXSourcesBuildPhase":
			target.Sources = append(target.Sources, files...)
		case "PBXResourcesBuildPhase":
			target.Resources = append(target.Resources, files...)
		case "PBXShellScriptBuildPhase":
			target.Scripts = append(target.Scripts, script(t.objects[phase], len(target.Sources) == 0))
		}
	}
	t.addFolders(&target, ids(o["fileSystemSynchronizedGroups"]))
	for _, id := range ids(o["dependencies"]) {
		if name := str(t.objects[str(t.objects[id]["target"])]["name"]); name != "" {
			target.Dependencies = append(target.Dependencies, name)
		}
	}
	for _, id := range ids(o["packageProductDependencies"]) {
		target.Products = append(target.Products, str(t.objects[id]["productName"]))
	}
	return target
}

func script(phase map[string]any, early bool) Script {
	return Script{Name: cmp.Or(str(phase["name"]), "Run Script"), Early: early, Always: str(phase["alwaysOutOfDate"]) == "1",
		Outputs: len(ids(phase["outputPaths"]))+len(ids(phase["outputFileListPaths"])) > 0}
}

// version returns the version in a package's requirement.
func version(requirement map[string]any) string {
	for _, key := range []string{"version", "minimumVersion", "branch", "revision"} {
		if v := str(requirement[key]); v != "" {
			return v
		}
	}
	return ""
}

func (t table) filesOf(buildFiles []string) (files []string) {
	for _, id := range buildFiles {
		if file := str(t.objects[id]["fileRef"]); file != "" && t.objects[file] != nil {
			files = append(files, t.path(file))
		}
	}
	return files
}

// addFolders adds the files of whole folders, as Xcode 16 projects use them.
func (t table) addFolders(target *Target, groups []string) {
	if t.walk == nil {
		return
	}
	for _, id := range groups {
		for _, file := range t.walk(t.path(id)) {
			switch {
			case IsSource(file):
				target.Sources = append(target.Sources, file)
			case path.Base(file) != "Info.plist":
				target.Resources = append(target.Resources, file)
			}
		}
	}
}

// maxDepth limits the nesting of groups, because groups may contain each other in a circle.
const maxDepth = 64

// path is the place of a file or group, relative to the project.
func (t table) path(id string) string {
	parts := []string{}
	for range maxDepth {
		o := t.objects[id]
		if o == nil {
			break
		}
		parts = append(parts, str(o["path"]))
		if str(o["sourceTree"]) != "<group>" {
			break
		}
		id = t.parents[id]
	}
	slices.Reverse(parts)
	return path.Join(parts...)
}

func parentsOf(objects map[string]map[string]any) map[string]string {
	parents := map[string]string{}
	for id, o := range objects {
		if strings.HasSuffix(str(o["isa"]), "Group") {
			for _, child := range ids(o["children"]) {
				parents[child] = id
			}
		}
	}
	return parents
}

func str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		return strings.Join(ids(v), " ")
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

func dict(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func ids(v any) (out []string) {
	all, _ := v.([]any)
	for _, item := range all {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
