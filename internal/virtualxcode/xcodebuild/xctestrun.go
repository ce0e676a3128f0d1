package xcodebuild

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/xcresult"
)

// root is the placeholder of an .xctestrun for its own folder.
const root = "__TESTROOT__"

// writeTestProducts writes the .xctestrun, and copies all products if a folder for them was requested.
func (s *session) writeTestProducts(all []buildable) error {
	products := filepath.Join(s.buildRoot(), "Build/Products")
	data, err := plist.MarshalIndent(s.testRun(all, products), plist.XMLFormat, "\t")
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s_%s-arm64.xctestrun", s.scheme.Name, s.destination.sdkName())
	if err := write(filepath.Join(products, name), data, 0o644); err != nil || s.testProducts == "" {
		return err
	}
	to := s.abs(s.testProducts)
	if err := os.RemoveAll(filepath.Join(to, "Binaries")); err != nil {
		return err
	}
	folder := s.conf() + s.destination.suffix()
	if err := os.CopyFS(filepath.Join(to, "Binaries/0", folder), os.DirFS(filepath.Join(products, folder))); err != nil {
		return err
	}
	if err := write(filepath.Join(to, "Tests/0", name), data, 0o644); err != nil {
		return err
	}
	info, err := plist.MarshalIndent(map[string]any{"FormatVersion": 1, "Version": map[string]int{"Major": 1, "Minor": 0}},
		plist.XMLFormat, "\t")
	if err != nil {
		return err
	}
	return write(filepath.Join(to, "Info.plist"), info, 0o644)
}

// testRun is the content of an .xctestrun: a dictionary for each test bundle.
func (s *session) testRun(all []buildable, products string) map[string]any {
	run := map[string]any{"__xctestrun_metadata__": map[string]any{"FormatVersion": 1,
		"ContainerInfo": map[string]string{"ContainerName": s.container.Name, "SchemeName": s.scheme.Name}}}
	from := func(path string) string { return strings.Replace(path, products, root, 1) }
	for _, b := range all {
		if !b.target.Kind.Tests() {
			continue
		}
		host := b.hostApp()
		entry := map[string]any{
			"BlueprintName": b.target.Name, "ProductModuleName": b.settings["PRODUCT_MODULE_NAME"], "TestBundlePath": from(b.product()),
			"DependentProductPaths": []string{from(b.product())}, "TestHostPath": from(host), "IsAppHostedTestBundle": host != "",
			"CommandLineArguments": []string{}, "EnvironmentVariables": map[string]string{"OS_ACTIVITY_DT_MODE": "YES"},
			"TestingEnvironmentVariables": map[string]string{"DYLD_FRAMEWORK_PATH": root + "/" + s.conf() + s.destination.suffix() +
				":__PLATFORMS__/" + s.destination.folder + ".platform/Developer/Library/Frameworks"},
			"ToolchainsSettingValue": []string{}, "SystemAttachmentLifetime": "deleteOnSuccess",
			"UserAttachmentLifetime": "deleteOnSuccess",
			"ParallelizationEnabled": true, "TestTimeoutsEnabled": false, "TestLanguage": "", "TestRegion": "",
		}
		if b.target.Kind == project.UITests {
			entry["TestHostPath"], entry["IsUITestBundle"], entry["IsXCTRunnerHostedTestBundle"] = from(b.runner()), true, true
			entry["TestHostBundleIdentifier"] = b.settings["PRODUCT_BUNDLE_IDENTIFIER"] + ".xctrunner"
			if app, ok := s.buildable(b.settings["TEST_TARGET_NAME"]); ok {
				entry["UITargetAppPath"] = from(app.product())
				entry["UITargetAppBundleIdentifier"] = app.settings["PRODUCT_BUNDLE_IDENTIFIER"]
			}
		}
		run[b.target.Name] = entry
	}
	return run
}

// prepared reports whether the tests come from an earlier build, without a project.
func (s *session) prepared() bool {
	return slices.Equal(s.actions, []string{"test-without-building"}) && (s.xctestrun != "" || s.testProducts != "" && s.schemeName == "")
}

// openPrepared reads the .xctestrun and selects the destination by its platform.
func (s *session) openPrepared(ctx context.Context) error {
	file := s.abs(s.xctestrun)
	if file == "" {
		found, _ := filepath.Glob(filepath.Join(s.abs(s.testProducts), "Tests/*/*.xctestrun"))
		if len(found) == 0 {
			return refuse(exitNoProject, "There are no test bundles available to test in '%s'.", s.testProducts)
		}
		file = found[0]
	}
	run, err := readPlist(file)
	if err != nil {
		return refuse(exitNoProject, "Unable to read the xctestrun file at '%s': %v", file, err)
	}
	meta, _ := run["__xctestrun_metadata__"].(map[string]any)
	about, _ := meta["ContainerInfo"].(map[string]any)
	name, _ := about["SchemeName"].(string)
	owner, _ := about["ContainerName"].(string)
	s.scheme = project.Scheme{Name: name}
	s.container = &project.Container{Name: owner, Path: file, Projects: []*project.Project{{Name: owner}}}
	s.bundles = bundlesOf(run, filepath.Dir(file))
	if err := s.resolveFor(ctx, file, run); err != nil {
		return err
	}
	s.result = xcresult.Bundle{Scheme: name, Project: owner, Device: s.device(), Title: "Testing with xctestrun " + filepath.Base(file),
		Build: xcresult.Build{Status: "notRequested"}}
	return s.checkConcrete()
}

// bundlesOf are the test bundles of an .xctestrun; a moved .xctestrun finds them next to it.
func bundlesOf(run map[string]any, dir string) (all []string) {
	if strings.HasSuffix(filepath.Dir(dir), "Tests") {
		dir = filepath.Join(filepath.Dir(filepath.Dir(dir)), "Binaries", filepath.Base(dir))
	}
	for _, entry := range targetsOf(run) {
		path, _ := entry["TestBundlePath"].(string)
		host, _ := entry["TestHostPath"].(string)
		path = strings.Replace(path, "__TESTHOST__", host, 1)
		if path != "" {
			all = append(all, strings.Replace(path, root, dir, 1))
		}
	}
	return all
}

// targetsOf are the test targets of an .xctestrun: its entries, or in format 2 the targets of its configurations.
func targetsOf(run map[string]any) (all []map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(run)) {
		if entry, ok := run[key].(map[string]any); ok {
			all = append(all, entry)
		}
	}
	configurations, _ := run["TestConfigurations"].([]any)
	for _, c := range configurations {
		configuration, _ := c.(map[string]any)
		targets, _ := configuration["TestTargets"].([]any)
		for _, t := range targets {
			if entry, ok := t.(map[string]any); ok {
				all = append(all, entry)
			}
		}
	}
	return all
}

// sdkIn finds the SDK of built tests in the paths of an .xctestrun: of the platform's frameworks, or of the products.
func sdkIn(run map[string]any) (sdk string) {
	for _, p := range platforms {
		for _, entry := range targetsOf(run) {
			if text := fmt.Sprint(entry); strings.Contains(text, "/"+p.folder+".platform/") || p.suffix() != "" &&
				strings.Contains(text, p.suffix()+"/") {
				return p.sdk
			}
		}
	}
	return ""
}

// resolveFor finds a destination for built tests. If their paths do not say for which platform they are, the name of the file does.
func (s *session) resolveFor(ctx context.Context, file string, run map[string]any) error {
	s.preparedSDK = sdkIn(run)
	for _, p := range platforms {
		if s.preparedSDK == "" && strings.Contains(filepath.Base(file), "_"+p.sdk) {
			s.preparedSDK = p.sdk
		}
	}
	return s.resolve(ctx)
}
