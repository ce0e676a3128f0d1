package xcodebuild

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/xcresult"
)

// testProduct is the content of a built test bundle: its tests at the time of the build.
type testProduct struct {
	Target, Module, BundleID string
	App                      string // bundle id of the app under test
	Host                     string // name of the test process; empty is xctest
	Package                  string // folder of the package that has the tests
	Needs                    string // a module that keeps the package from being built here
	UI                       bool
	Tests                    []testCase
	Covers                   []xcresult.CoverageTarget
}

func (p testProduct) host() string { return cmp.Or(p.Host, "xctest") }

// testsFile is the file with the tests in the bundle.
const testsFile = "virtual-tests.json"

// writeTests writes the tests into the bundle, and the bundle into a runner if it needs one.
func (s *session) writeTests(b buildable, in inputs) error {
	p := testProduct{Target: b.target.Name, Module: b.settings["PRODUCT_MODULE_NAME"], BundleID: b.settings["PRODUCT_BUNDLE_IDENTIFIER"],
		UI: b.target.Kind == project.UITests}
	switch app := b.hostApp(); {
	case p.UI:
		p.Host = b.settings["PRODUCT_NAME"] + "-Runner"
	case app != "":
		p.Host = strings.TrimSuffix(filepath.Base(app), ".app")
	}
	p.ofPackage(b)
	for _, src := range in.sources {
		p.Tests = append(p.Tests, src.tests...)
	}
	for _, name := range b.target.Dependencies {
		if app, ok := s.buildable(name); ok {
			p.App = app.settings["PRODUCT_BUNDLE_IDENTIFIER"]
			p.Covers = append(p.Covers, coverageOf(app))
		}
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(b.resources(), testsFile), data, 0o644); err != nil || !p.UI {
		return err
	}
	return s.writeRunner(b)
}

// writeRunner writes the app that contains UI tests.
func (s *session) writeRunner(b buildable) error {
	name := b.settings["PRODUCT_NAME"] + "-Runner"
	runner := b
	runner.settings = map[string]string{}
	for key, value := range b.settings {
		runner.settings[key] = value
	}
	runner.target.Kind = project.App
	runner.settings["PRODUCT_NAME"], runner.settings["EXECUTABLE_NAME"] = name, name
	runner.settings["FULL_PRODUCT_NAME"] = name + ".app"
	runner.settings["PRODUCT_BUNDLE_IDENTIFIER"] += ".xctrunner"
	info, err := runner.info()
	if err != nil {
		return err
	}
	if err := write(runner.executable(), runner.stub(), 0o755); err != nil {
		return err
	}
	return write(runner.infoPlist(), info, 0o644)
}

// coverageOf is the code of an app that counts for coverage.
func coverageOf(b buildable) xcresult.CoverageTarget {
	c := xcresult.CoverageTarget{Name: b.settings["FULL_PRODUCT_NAME"], Product: b.executable()}
	for _, path := range b.sourcePaths() {
		src, err := readSource(path)
		if err != nil {
			continue
		}
		file := xcresult.CoverageFile{Path: path, Lines: src.lines}
		for _, f := range src.functions {
			count := 1
			if f.Uncovered {
				count = 0
			}
			file.Functions = append(file.Functions, xcresult.Function{Name: f.Name, Line: f.Line, Executable: f.Executable, Count: count})
		}
		c.Files = append(c.Files, file)
	}
	return c
}

// readTests reads the tests of a built bundle.
func readTests(bundle string) (testProduct, error) {
	var p testProduct
	const most = 64 << 20
	data, err := regularfile.Read(filepath.Join(bundle, testsFile), most)
	if err != nil {
		data, err = regularfile.Read(filepath.Join(bundle, "Contents/Resources", testsFile), most)
	}
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(data, &p)
}
