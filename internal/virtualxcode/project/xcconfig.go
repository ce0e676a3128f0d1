package project

import (
	"path"
	"strings"
)

// configReader reads build configurations and the .xcconfig files below them.
type configReader struct {
	table
	read func(string) ([]byte, error)
}

// configurations reads the configurations of a project or target object.
func (c configReader) configurations(owner map[string]any) (all []Configuration) {
	names := c.objects[str(owner["buildConfigurationList"])]
	for _, id := range ids(names["buildConfigurations"]) {
		o := c.objects[id]
		settings := map[string]string{}
		if base := c.basePath(o); base != "" {
			c.include(base, settings, 0)
		}
		for key, v := range dict(o["buildSettings"]) {
			settings[key] = inherit(str(v), settings[key])
		}
		all = append(all, Configuration{Name: str(o["name"]), Settings: settings})
	}
	return all
}

// basePath is the .xcconfig file of a configuration; newer projects name it by its folder.
func (c configReader) basePath(o map[string]any) string {
	if id := str(o["baseConfigurationReference"]); id != "" && c.objects[id] != nil {
		return c.path(id)
	}
	if id := str(o["baseConfigurationReferenceAnchor"]); id != "" && c.objects[id] != nil {
		return path.Join(c.path(id), str(o["baseConfigurationReferenceRelativePath"]))
	}
	return ""
}

// maxIncludes limits the depth of includes.
const maxIncludes = 8

func (c configReader) include(file string, settings map[string]string, depth int) {
	if c.read == nil || depth > maxIncludes {
		return
	}
	data, err := c.read(file)
	if err != nil {
		return // like Xcode: a missing file has no settings
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		if other, is := strings.CutPrefix(strings.Replace(line, "#include?", "#include", 1), "#include"); is {
			c.include(path.Join(path.Dir(file), strings.Trim(strings.TrimSpace(other), `"`)), settings, depth+1)
			continue
		}
		if key, v, ok := strings.Cut(line, "="); ok {
			key = strings.TrimSpace(key)
			settings[key] = inherit(strings.TrimSuffix(strings.TrimSpace(v), ";"), settings[key])
		}
	}
}

func inherit(value, below string) string {
	for _, name := range []string{"$(inherited)", "${inherited}"} {
		value = strings.ReplaceAll(value, name, below)
	}
	return strings.TrimSpace(value)
}
