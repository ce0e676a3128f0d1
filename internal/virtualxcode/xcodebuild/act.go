package xcodebuild

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ios-agent/internal/virtualxcode/xcresult"
)

// action is something xcodebuild does to a project.
type action struct {
	banner  string
	scheme  string // the scheme action whose configuration it builds
	tests   bool   // also builds the test targets
	analyze bool   // prints the analyzer's warnings
	absent  bool   // unsupported here
}

var actions = map[string]action{
	"build": {banner: "BUILD"}, "clean": {banner: "CLEAN"}, "analyze": {banner: "ANALYZE", scheme: "AnalyzeAction", analyze: true},
	"archive": {banner: "ARCHIVE", scheme: "ArchiveAction"}, "test": {banner: "TEST", scheme: "TestAction", tests: true},
	"build-for-testing":     {banner: "TEST BUILD", scheme: "TestAction", tests: true},
	"test-without-building": {banner: "TEST EXECUTE", scheme: "TestAction", tests: true},
	"install":               {absent: true}, "installsrc": {absent: true}, "docbuild": {absent: true},
}

// plays are what the actions do.
func plays() map[string]func(*session, context.Context, action) error {
	return map[string]func(*session, context.Context, action) error{
		"build": (*session).build, "clean": (*session).clean, "build-for-testing": (*session).buildForTesting, "analyze": (*session).build,
		"archive": (*session).archive, "test": (*session).buildAndTest, "test-without-building": (*session).testBuilt,
	}
}

// act performs the actions and writes a result bundle, also after a failure.
func (s *session) act(ctx context.Context) error {
	if len(s.actions) == 0 {
		s.actions = []string{"build"}
	}
	for _, name := range s.actions {
		if actions[name].absent {
			return refuse(exitUsage, "Virtual Xcode does not support %s yet.", name)
		}
	}
	s.invocation()
	if err := s.prepare(ctx); err != nil {
		return err
	}
	var err error
	for _, name := range s.actions {
		s.analyzing = actions[name].analyze
		if err = plays()[name](s, ctx, actions[name]); err != nil {
			break
		}
	}
	if written := s.writeResult(); err == nil {
		err = written
	}
	return err
}

// prepare loads everything that the actions need, and refuses before any action starts.
func (s *session) prepare(ctx context.Context) error {
	if s.resultBundle != "" {
		s.resultBundle = s.abs(s.resultBundle)
		if _, err := os.Lstat(s.resultBundle); err == nil {
			return refuse(exitUsage, "Existing file at -resultBundlePath \"%s\"", s.resultBundle)
		}
		if !s.asked["-quiet"] {
			fmt.Fprintf(s.Stdout, "Writing result bundle at path:\n\t%s\n\n", s.resultBundle)
		}
	}
	if s.prepared() {
		return s.openPrepared(ctx)
	}
	if err := s.openAndChoose(); err != nil {
		return err
	}
	if err := s.resolve(ctx); err != nil {
		return err
	}
	s.result = xcresult.Bundle{Scheme: s.scheme.Name, Project: s.container.Name, Device: s.device(), Title: s.title()}
	s.result.Build.Status = "notRequested"
	if !slices.ContainsFunc(s.actions, func(name string) bool { return actions[name].tests }) {
		return nil
	}
	return cmp.Or(s.checkConcrete(), s.checkPlan(), s.checkTargets(s.scheme.Tests))
}

// checkConcrete refuses tests on "any device".
func (s *session) checkConcrete() error {
	runs := slices.Contains(s.actions, "test") || slices.Contains(s.actions, "test-without-building")
	if !runs || !s.destination.generic {
		return nil
	}
	name := s.scheme.Name
	if len(s.scheme.Tests) > 0 {
		name = s.scheme.Tests[0]
	}
	return refuse(exitDestination, "Failed to build %s %s with scheme %s.: Cannot test target “%s” on “%s”: Tests must be run on a "+
		"concrete device\n\tTests must be run on a concrete device",
		s.container.Kind(), s.container.Name, s.scheme.Name, name, s.destination.device)
}

func (s *session) title() string {
	verb := "Building"
	for _, name := range s.actions {
		if actions[name].tests {
			verb = "Testing"
		}
	}
	return fmt.Sprintf("%s %s %s with scheme %s", verb, s.container.Kind(), s.container.Name, s.scheme.Name)
}

func (s *session) device() xcresult.Device {
	d := s.destination
	version := d.os
	if d.sdk == "macosx" {
		version = macVersion
	}
	return xcresult.Device{ID: d.id, Name: d.device, Model: d.model, Architecture: "arm64", OS: version, OSBuild: d.osBuild,
		Platform: d.name}
}

// writeResult writes the bundle to the requested path; without one, tests write it to the derived data.
func (s *session) writeResult() error {
	s.result.Start, s.result.End = unix(s.started), unix(s.clock)
	if s.resultBundle == "" || s.result.Scheme == "" && !s.result.Tested {
		return nil
	}
	return xcresult.Write(s.resultBundle, s.result)
}

// mentionResult prints the path of a requested bundle, before the banner of a failure.
func (s *session) mentionResult() string {
	if s.resultBundle == "" || s.result.Tested {
		return ""
	}
	return fmt.Sprintf("\nResult bundle written to path:\n\t%s\n\n", s.resultBundle)
}

// logPath is the default folder of test results.
func (s *session) logPath(root string) string {
	return filepath.Join(root, "Logs/Test", fmt.Sprintf("Test-%s-%s.xcresult", s.result.Scheme,
		s.started.Format("2006.01.02_15-04-05--0700")))
}

// clean removes the products of the scheme's targets.
func (s *session) clean(ctx context.Context, a action) error {
	s.say("CreateBuildRequest\n\nSendProjectDescription\n\nCreateBuildOperation\n\n")
	for _, b := range s.targets(true) {
		for _, path := range []string{b.product(), b.settings["TARGET_TEMP_DIR"]} {
			if below(s.buildRoot(), path) { // settings can name any folder, so only derived data is removed
				if err := os.RemoveAll(path); err != nil {
					return err
				}
			}
		}
	}
	s.say("** %s SUCCEEDED **\n\n", a.banner)
	return s.spend(ctx, costClean)
}

// say prints what -quiet hides.
func (s *session) say(format string, a ...any) {
	if !s.asked["-quiet"] {
		fmt.Fprintf(s.Stdout, format, a...)
	}
}

func below(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel) && rel != "."
}
