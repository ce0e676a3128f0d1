package xcodebuild

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/virtualxcode/project"
)

// abs resolves a path of the command line against the working folder.
func (s *session) abs(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Dir, path)
}

// open finds the project or workspace and reads it.
func (s *session) open() error {
	path, err := s.find()
	if err != nil {
		return err
	}
	s.container, err = project.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refuse(exitNoProject, "'%s' does not exist.", filepath.Base(path))
	case err != nil:
		return refuse(exitDamaged, "Unable to read project '%s'.\n\tReason: The project ‘%s’ is damaged and cannot be opened. Examine "+
			"the project file for invalid edits or unresolved source control conflicts.\n\nPath: %s\nException: %v",
			filepath.Base(path), strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), path, err)
	}
	return s.resolvePackages()
}

// find returns the given path, or the only project in the working folder.
func (s *session) find() (string, error) {
	for _, given := range []string{s.workspace, s.project} {
		if given == "" {
			continue
		}
		if _, err := os.Stat(s.abs(given)); err != nil {
			return "", refuse(exitNoProject, "'%s' does not exist.", given)
		}
		return s.abs(given), nil
	}
	for _, kind := range []struct{ ext, plural, option string }{{".xcodeproj", "projects", "-project"},
		{".xcworkspace", "workspaces", "-workspace"}} {
		found := s.inFolder(kind.ext)
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1 && kind.ext == ".xcodeproj":
			return "", refuse(exitSeveral, "The directory %s contains %d projects, including multiple projects with the current "+
				"extension (.xcodeproj). Specify the project to use with the -project option.", s.Dir, len(found))
		case len(found) > 1:
			return "", refuse(exitSeveral, "The directory %s contains %d %s. Specify the %s to use with the %s option.", s.Dir, len(found),
				kind.plural, strings.TrimSuffix(kind.plural, "s"), kind.option)
		}
	}
	if project.IsPackage(s.Dir) {
		return s.Dir, nil
	}
	return "", refuse(exitNoProject, "The directory %s does not contain an Xcode project, workspace or package.", s.Dir)
}

func (s *session) inFolder(ext string) (found []string) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ext) {
			found = append(found, filepath.Join(s.Dir, e.Name()))
		}
	}
	return found
}

// choose finds the scheme, or makes one from a target if no scheme was named.
func (s *session) choose() error {
	c := s.container
	if s.schemeName != "" {
		scheme, ok := c.Scheme(s.schemeName)
		if !ok {
			return refuse(exitFailed, "The %[1]s named %[2]q does not contain a scheme named %[3]q. The \"-list\" option can be used "+
				"to find the names of the schemes in the %[1]s.", c.Kind(), c.Name, s.schemeName)
		}
		s.scheme = scheme
		return nil
	}
	if c.Workspace {
		return refuse(exitFailed, "If you specify a workspace then you must also specify a scheme.  Use -list to see the schemes in "+
			"this workspace.")
	}
	return s.chooseTarget()
}

func (s *session) chooseTarget() error {
	name := s.target
	if name == "" && len(s.container.Projects[0].Targets) > 0 {
		name = s.container.Projects[0].Targets[0].Name
	}
	if _, ok := s.container.Projects[0].Target(name); !ok {
		return refuse(exitFailed, "The project ‘%s’ does not contain a target named ‘%s’.", s.container.Name, name)
	}
	s.scheme = project.Scheme{Build: []string{name}}
	return nil
}

// checkConfiguration refuses a configuration that no project has. Packages have no configurations and accept any.
func (s *session) checkConfiguration() error {
	some := false
	for _, p := range s.container.Projects {
		for _, c := range p.Configurations {
			if some = true; c.Name == s.configuration {
				return nil
			}
		}
	}
	if s.configuration == "" || !some {
		return nil
	}
	return refuse(exitFailed, "The %[1]s named %[2]q does not contain a configuration named %[3]q. The \"-list\" option can be used to "+
		"find the names of the configurations in the %[1]s.", s.container.Kind(), s.container.Name, s.configuration)
}

// conf is the configuration to build: the requested one, the scheme's, or the command line's default.
func (s *session) conf() string {
	switch {
	case s.configuration != "":
		return s.configuration
	case s.scheme.Name == "":
		return "Release"
	}
	action := "LaunchAction"
	for _, a := range s.actions {
		action = cmp.Or(actions[a].scheme, action)
	}
	return cmp.Or(s.scheme.Configurations[action], usualConfigurations[action], "Debug")
}

// usualConfigurations are the default configurations of actions other than Debug builds.
var usualConfigurations = map[string]string{"ArchiveAction": "Release"}

// invocation repeats the command line, as the real tool does.
func (s *session) invocation() {
	if s.asked["-json"] || s.asked["-quiet"] {
		return
	}
	fmt.Fprint(s.Stdout, "Command line invocation:\n    "+developer+"/usr/bin/xcodebuild")
	for _, arg := range s.Args {
		if strings.ContainsAny(arg, " \t'()") || arg == "" {
			arg = `"` + arg + `"`
		}
		fmt.Fprint(s.Stdout, " "+arg)
	}
	fmt.Fprint(s.Stdout, "\n\n")
	s.pairs("User defaults from command line:", s.userDefaults)
	s.pairs("Build settings from command line:", s.settings)
}

func (s *session) pairs(title string, all [][2]string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(s.Stdout, title)
	for _, p := range all {
		fmt.Fprintf(s.Stdout, "    %s = %s\n", p[0], p[1])
	}
	fmt.Fprintln(s.Stdout)
}
