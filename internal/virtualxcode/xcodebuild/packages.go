package xcodebuild

import (
	"context"
	"path"
	"strings"

	"ios-agent/internal/virtualxcode/project"
)

// resolvePackages prints the packages of the container. It fetches no package; a special comment makes the resolution fail.
func (s *session) resolvePackages() error {
	var lines []string
	for _, p := range s.container.Projects {
		if _, is := project.PackageFile(p); is && p.Dir != s.container.Path {
			lines = append(lines, p.Name+": "+p.Dir)
		}
		for _, r := range p.Remotes {
			lines = append(lines, strings.TrimSuffix(path.Base(r.URL), ".git")+": "+r.URL+" @ "+r.Version)
		}
	}
	failure := s.packageTrouble()
	if len(lines) == 0 && failure == "" {
		return nil
	}
	if !s.asked["-json"] {
		s.say("Resolve Package Graph\n\n\nResolved source packages:\n  %s\n\n", strings.Join(lines, "\n  "))
	}
	if failure != "" {
		return refuse(exitDamaged, "Could not resolve package dependencies:\n  %s", failure)
	}
	return nil
}

// packageTrouble is the first comment about packages in a manifest or a source.
func (s *session) packageTrouble() string {
	for _, p := range s.container.Projects {
		var files []string
		if manifest, is := project.PackageFile(p); is {
			files = append(files, manifest)
		}
		for _, t := range p.Targets {
			files = append(files, buildable{project: p, target: t}.sourcePaths()...)
		}
		for _, file := range files {
			src, err := readSource(file)
			if found := src.about("package"); err == nil && len(found) > 0 {
				return found[0].text
			}
		}
	}
	return ""
}

// about are the troubles of one kind.
func (src source) about(kind string) (found []trouble) {
	for _, t := range src.troubles {
		if t.kind == kind {
			found = append(found, t)
		}
	}
	return found
}

// resolveOnly is -resolvePackageDependencies.
func (s *session) resolveOnly(context.Context) error {
	s.invocation()
	return s.open()
}
