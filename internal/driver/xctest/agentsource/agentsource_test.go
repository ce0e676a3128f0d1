package agentsource_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/driver/xctest/agentsource"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/project"
	virtual "ios-agent/internal/virtualxcode/xcodebuild"
	"ios-agent/test/pbxtest"
)

func write(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := agentsource.WriteProject(dir, ""); err != nil {
		t.Fatal(err)
	}
	return dir
}

// read is every file below a folder.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestProjectIsReproducible(t *testing.T) {
	dir := write(t)
	first := read(t, dir)
	if second := read(t, write(t)); !maps.Equal(first, second) {
		t.Error("two folders differ")
	}
	stale := filepath.Join(dir, "AgentXCUI", "Build.swift")
	if err := os.WriteFile(stale, []byte("stale"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := agentsource.WriteProject(dir, ""); err != nil || !maps.Equal(first, read(t, dir)) {
		t.Errorf("written over what was there: %v", err)
	}
}

func TestAgentKnowsItsBuild(t *testing.T) {
	build, err := agentsource.Build()
	if err != nil || len(build) != 12 {
		t.Fatalf("build %q, %v", build, err)
	}
	if text := read(t, write(t))["AgentXCUI/Build.swift"]; !strings.Contains(text, `"`+build+`"`) {
		t.Errorf("the source says %s", text)
	}
}

func TestEverySourceBelongsToOneTarget(t *testing.T) {
	dir := write(t)
	c, err := project.Open(filepath.Join(dir, xcodebuild.AgentProject))
	if err != nil {
		t.Fatal(err)
	}
	owners := map[string]int{}
	for _, target := range c.Projects[0].Targets {
		for _, file := range target.Sources {
			owners[file]++
		}
		if len(target.Resources) > 0 {
			t.Errorf("%s has resources %v", target.Name, target.Resources)
		}
	}
	for file := range read(t, dir) {
		if project.IsSource(file) && owners[file] != 1 {
			t.Errorf("%s is in %d targets", file, owners[file])
		}
		delete(owners, file)
	}
	if len(owners) > 0 {
		t.Errorf("in the project but not in the folder: %v", owners)
	}
	tests, ok := c.Projects[0].Target(xcodebuild.AgentScheme)
	if !ok || tests.Kind != project.UITests || !slices.Contains(tests.Sources, "AgentObjC/AgentObjC.m") {
		t.Errorf("the agent is %+v", tests)
	}
	settings := project.Settings(tests.Configurations, "Debug")
	if runner := settings["PRODUCT_BUNDLE_IDENTIFIER"] + ".xctrunner"; runner != agentsource.RunnerID {
		t.Errorf("the project's runner is %s, the host looks for %s", runner, agentsource.RunnerID)
	}
	if _, err := os.Stat(filepath.Join(dir, settings["SWIFT_OBJC_BRIDGING_HEADER"])); err != nil {
		t.Error(err)
	}
	scheme := read(t, dir)[xcodebuild.AgentProject+"/xcshareddata/xcschemes/"+xcodebuild.AgentScheme+".xcscheme"]
	if !strings.Contains(scheme, `parallelizable = "NO"`) {
		t.Error("the agent would run on a clone of the simulator")
	}
}

// TestAgentTestNameMatchesXcodebuildCommand holds the Swift names to the ones that production asks xcodebuild for.
func TestAgentTestNameMatchesXcodebuildCommand(t *testing.T) {
	parts := strings.Split(xcodebuild.AgentTest, "/")
	files := read(t, write(t))
	source := files["AgentXCUI/"+parts[1]+".swift"]
	if !strings.Contains(source, "class "+parts[1]+": XCTestCase") || !strings.Contains(source, "func "+parts[2]+"()") {
		t.Errorf("there is no %s in\n%s", xcodebuild.AgentTest, source)
	}
	for _, variable := range []string{xcodebuild.PortVariable, xcodebuild.AuthVariable, xcodebuild.PublicVariable} {
		if !strings.Contains(files["AgentCore/Settings.swift"], `"`+variable+`"`) {
			t.Errorf("the agent does not read %s", variable)
		}
	}
}

type devices []virtual.Device

func (d devices) Devices(context.Context) ([]virtual.Device, error) { return d, nil }

func TestVirtualXcodeBuildsAgentProject(t *testing.T) {
	dir := write(t)
	run := func(argv ...string) string {
		t.Helper()
		var out, errs strings.Builder
		env := map[string]string{"HOME": filepath.Join(dir, "home"), "USER": "dev"}
		call := virtualxcode.Call{Args: argv, Dir: dir, Stdout: &out, Stderr: &errs, Env: env}
		tool := virtual.Tool{Call: call, Devices: devices{{
			UDID: "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92", Name: "iPhone 16 Pro", Platform: "iOS Simulator", OS: "18.5", Build: "22F77",
		}}}
		if exit := tool.Run(t.Context()); exit != 0 {
			t.Fatalf("%v: exit %d\n%s\n%s", argv, exit, out.String(), errs.String())
		}
		return out.String()
	}
	list := run("-list", "-project", xcodebuild.AgentProject)
	for _, name := range []string{"IosAgent\n", xcodebuild.AgentScheme + "\n", "Debug\n", "Release\n"} {
		if !strings.Contains(list, name) {
			t.Errorf("no %q in\n%s", name, list)
		}
	}
	out := run("build-for-testing", "-project", xcodebuild.AgentProject, "-scheme", xcodebuild.AgentScheme,
		"-destination", "generic/platform=iOS Simulator", "-derivedDataPath", ".build")
	if !strings.Contains(out, "** TEST BUILD SUCCEEDED **") {
		t.Error(out)
	}
	runs, err := filepath.Glob(filepath.Join(dir, ".build/Build/Products/*iphonesimulator*.xctestrun"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("test runs %v, %v", runs, err)
	}
	if said, err := os.ReadFile(runs[0]); err != nil || !strings.Contains(string(said), "<string>"+agentsource.RunnerID+"</string>") {
		t.Errorf("another runner than %s: %v\n%s", agentsource.RunnerID, err, said)
	}
}

// TestNPMParsersReadProject lets readers from npm read the project and the scheme. The runner's bundle id is Xcode's, of what they read.
func TestNPMParsersReadProject(t *testing.T) {
	folder := filepath.Join(write(t), xcodebuild.AgentProject)
	said := pbxtest.Check(t, filepath.Join(folder, "project.pbxproj"),
		filepath.Join(folder, "xcshareddata", "xcschemes", xcodebuild.AgentScheme+".xcscheme"))
	bundle := strings.TrimSuffix(agentsource.RunnerID, ".xctrunner")
	for _, want := range []string{
		"com.apple.product-type.bundle.ui-testing Debug " + bundle + "\n", ".xcscheme: tests " + xcodebuild.AgentScheme + "\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in what they read:\n%s", want, said)
		}
	}
}
