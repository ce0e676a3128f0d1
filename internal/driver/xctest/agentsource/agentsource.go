// Package agentsource writes the Xcode project of the XCTest agent: an app that does nothing, and the UI test bundle that is the agent.
// The sources are embedded in this program, so a build of the program always has the agent that it was tested with. Drivers use
// WriteProject and the bundle ids; the package never runs Xcode.
package agentsource

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/agent"
	"ios-agent/internal/apple/pbxproj"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/machine/wholefile"
)

// The bundle ids of the app and of the tests.
const (
	bundle = "com.iosagent.agent"
	tests  = bundle + ".uitests"
)

// RunnerID is the bundle id of the app in which the agent runs on a simulator. Xcode derives it from the id of the tests.
const RunnerID = tests + ".xctrunner"

// Runner returns the bundle id of the app in which the agent runs when a team has signed it. Each team has its own, because Apple
// assigns a bundle id to one team only.
func Runner(team string) string { return of(team, bundle) + ".uitests.xctrunner" }

// of returns the bundle id for a team; an empty team leaves it unchanged.
func of(team, id string) string {
	if team == "" {
		return id
	}
	return strings.Replace(id, bundle, bundle+"."+strings.ToLower(team), 1)
}

// oldest is the oldest iOS on which the agent runs.
const oldest = "16.0"

// Build identifies the sources and the agent built from them; the agent sends it in its answer to a hello.
func Build() (string, error) {
	files, err := sources()
	if err != nil {
		return "", err
	}
	return buildOf(files), nil
}

// WriteProject writes the sources, the project and the scheme into dir, and creates dir if necessary. Team signs them; a simulator needs
// no team. One build of this program always writes the same bytes; existing files are replaced, each atomically.
func WriteProject(dir, team string) error {
	files, err := contents(team)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("the agent's project: %w", err)
		}
		if err := wholefile.Write(path, []byte(files[name])); err != nil {
			return fmt.Errorf("the agent's project: %w", err)
		}
	}
	return nil
}

// contents maps every path of the folder to its text.
func contents(team string) (map[string]string, error) {
	files, err := sources()
	if err != nil {
		return nil, err
	}
	const stamp = "AgentXCUI/Build.swift"
	stamped := strings.Replace(files[stamp], `"development"`, `"`+buildOf(files)+`"`, 1)
	if stamped == files[stamp] {
		return nil, fmt.Errorf("%s has no place for the build", stamp)
	}
	files[stamp] = stamped
	p := project(slices.Sorted(maps.Keys(files)), team)
	scheme := pbxproj.Scheme{
		Name: xcodebuild.AgentScheme, Build: []string{app, xcodebuild.AgentScheme}, Tests: []string{xcodebuild.AgentScheme}, Run: app,
		Serial: true, // else Xcode runs the agent on a clone of the simulator, which the driver does not search
		Lean:   true, // else Xcode records the screen for the whole life of the agent
	}
	return pbxproj.Layout{
		Projects: map[string]pbxproj.Project{".": p}, Schemes: map[string][]pbxproj.Scheme{".": {scheme}}, Files: files,
	}.Contents(), nil
}

// sources are the embedded files by their path in the project.
func sources() (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(agent.Sources, "Sources", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := agent.Sources.ReadFile(path)
		files[strings.TrimPrefix(path, "Sources/")] = string(data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the agent's sources: %w", err)
	}
	return files, nil
}

func buildOf(files map[string]string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(files[name]), files[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}
