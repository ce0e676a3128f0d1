package xcodebuild

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/lazyregexp"
	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/swiftcheck"
)

// ofPackage records the package of a test target, and what keeps its tests from running here.
func (p *testProduct) ofPackage(b buildable) {
	file, is := project.PackageFile(b.project)
	if !is {
		return
	}
	p.Package = b.project.Dir
	var files, own []string
	for _, t := range b.project.Targets {
		own = append(own, t.Name)
		for _, file := range t.Sources {
			files = append(files, filepath.Join(b.project.Dir, file))
		}
	}
	p.Needs = swiftcheck.MissingModule(files, own)
	if manifest, err := regularfile.Read(file, maxSource); err != nil || remotePackage.MatchString(string(manifest)) {
		p.Needs = "packages from elsewhere"
	}
}

// remotePackage is a dependency of a manifest that swift would fetch.
var remotePackage = lazyregexp.New(`\.package\(\s*(?:name:[^,]*,\s*)?(?:url|id):`)

// runPackage runs the tests of a package with the real swift, if there is one, and replaces what comments say of them.
func (s *session) runPackage(ctx context.Context, p *testProduct) error {
	if p.Package == "" || s.Swift.Swift == "" {
		return nil
	}
	if p.Needs != "" {
		s.say("note: virtual: tests of %s not run: the package needs %s\n", p.Target, p.Needs)
		return nil
	}
	scratch := filepath.Join(s.testRoot(), "Build/Intermediates.noindex/VirtualSwift/Packages", filepath.Base(p.Package))
	results, err := s.Swift.Tests(ctx, p.Package, scratch, p.Target)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.say("note: virtual: tests of %s not run: %v\n", p.Target, err)
		return nil
	}
	some := false
	for i, t := range p.Tests {
		r, ran := results[t.printed()]
		if p.Tests[i] = t.plain(); ran {
			p.Tests[i], some = t.ran(r), true
		}
	}
	if some { // also with -quiet, because callers need it
		fmt.Fprintf(s.Stdout, "note: virtual: run by swift test: %s\n", p.Target)
	}
	return nil
}

// printed is the name of a test in the output of swift test.
func (t testCase) printed() string {
	switch {
	case t.Swift && t.Display != "":
		return `"` + t.Display + `"`
	case t.Swift:
		return t.Name
	}
	return strings.ReplaceAll(t.Suite, "/", ".") + "." + strings.TrimSuffix(t.Name, "()")
}

// plain is a test without what comments say of it.
func (t testCase) plain() testCase {
	return testCase{Suite: t.Suite, SuiteDisplay: t.SuiteDisplay, Name: t.Name, Display: t.Display, File: t.File, Swift: t.Swift,
		Arguments: t.Arguments, SkipLine: t.SkipLine, Tags: t.Tags}
}

// ran is the test with its real result.
func (t testCase) ran(r swiftcheck.TestResult) testCase {
	out := t.plain()
	out.Takes = max(r.Seconds, 0.001)
	switch {
	case r.Skipped:
		out.Skipped, out.Skips = true, r.Reason
		return out
	case r.Passed:
		out.Passes = 1
		return out
	case len(r.Failures) == 0:
		r.Failures = []swiftcheck.Issue{{Message: "the test failed without a message"}}
	}
	for _, f := range r.Failures {
		if f.Line == 0 {
			f.Line = t.SkipLine
		}
		out.Fails = append(out.Fails, failMark{f.Line, max(f.Column, 1), f.Message})
	}
	return out
}
