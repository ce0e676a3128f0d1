package xcodebuild

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/xcresult"
)

// buildAndTest is the action test.
func (s *session) buildAndTest(ctx context.Context, a action) error {
	all := s.targets(true)
	if err := s.buildTargets(ctx, all); err != nil {
		return s.banner(a, err)
	}
	s.sayOutside()
	if err := s.writeTestProducts(all); err != nil {
		return err
	}
	s.bundles = testBundles(all)
	return s.runTests(ctx, a)
}

// testBuilt is test-without-building.
func (s *session) testBuilt(ctx context.Context, a action) error {
	if s.bundles == nil {
		s.bundles = testBundles(s.targets(true))
	}
	return s.runTests(ctx, a)
}

func testBundles(all []buildable) (paths []string) {
	for _, b := range all {
		if b.target.Kind.Tests() {
			paths = append(paths, b.product())
		}
	}
	return paths
}

// runTests runs the tests of all bundles, one after the other.
func (s *session) runTests(ctx context.Context, a action) error {
	s.result.Tested = true
	if len(s.bundles) == 0 {
		return refuse(exitNoProject, "Scheme %s is not currently configured for the test action.", s.scheme.Name)
	}
	if s.resultBundle == "" {
		s.resultBundle = s.logPath(s.testRoot())
	}
	products, err := s.products(a)
	if err != nil {
		return err
	}
	if s.asked["-enumerate-tests"] {
		s.resultBundle = ""
		return s.enumerate(products)
	}
	begin := s.clock
	for _, p := range products {
		if p.Tests = s.selected(p); len(p.Tests) == 0 && !s.wants(p.Target) {
			continue
		}
		if err := s.spend(ctx, costLaunch); err != nil {
			return err
		}
		if err := s.runPackage(ctx, &p); err != nil {
			return err
		}
		before := s.clock
		s.result.Tests = append(s.result.Tests, s.runBundle(p))
		if err := s.wait(ctx, s.clock.Sub(before)); err != nil {
			return err
		}
		if strings.EqualFold(s.coverage, "YES") {
			s.result.HasCoverage, s.result.Coverage = true, addCoverage(s.result.Coverage, p.Covers)
		}
	}
	return s.finish(a, s.clock.Sub(begin))
}

// products are the parsed test bundles.
func (s *session) products(a action) (all []testProduct, err error) {
	for _, path := range s.bundles {
		p, err := readTests(path)
		if err != nil {
			return nil, s.notBuilt(a, path)
		}
		all = append(all, p)
	}
	names := []string{}
	for _, p := range all {
		names = append(names, p.Target)
	}
	return all, s.checkTargets(names)
}

// checkTargets refuses requested tests of a target that the scheme does not test.
func (s *session) checkTargets(known []string) error {
	for _, id := range s.only {
		if target, _, _ := strings.Cut(id, "/"); !slices.Contains(known, target) {
			return refuse(exitDestination, "Failed to build %[1]s %[2]s with scheme %[3]s.: Tests in the target “%[4]s” can’t be run "+
				"because “%[4]s” isn’t a member of the specified test plan or scheme.", s.container.Kind(), s.container.Name, s.scheme.Name,
				target)
		}
	}
	return nil
}

// wants reports whether a target runs although all its tests are excluded: its tests were requested, or no selection was made.
func (s *session) wants(target string) bool {
	return len(s.only) == 0 || slices.ContainsFunc(s.only, func(id string) bool {
		return id == target || strings.HasPrefix(id, target+"/")
	})
}

func addCoverage(all, more []xcresult.CoverageTarget) []xcresult.CoverageTarget {
	for _, c := range more {
		if !slices.ContainsFunc(all, func(o xcresult.CoverageTarget) bool { return o.Name == c.Name }) {
			all = append(all, c)
		}
	}
	return all
}

func (s *session) testRoot() string {
	if s.xctestrun != "" || s.testProducts != "" && s.schemeName == "" {
		return filepath.Join(s.home(), "Library/Developer/Xcode/DerivedData", s.result.Project+"-"+pathHash(s.container.Path))
	}
	return s.buildRoot()
}

// notBuilt is the error for tests that were not built.
func (s *session) notBuilt(a action, path string) error {
	return refusal{exit: exitFailed, plain: true,
		text: fmt.Sprintf("%s xcodebuild: error: Failed to load the test bundle. The bundle “%s” couldn’t be loaded because its "+
			"executable couldn’t be located.\n\n** %s FAILED **\n\n", s.stamp(), filepath.Base(path), a.banner)}
}

// selected are the tests of a bundle after -only-testing and -skip-testing.
func (s *session) selected(p testProduct) []testCase {
	return slices.DeleteFunc(slices.Clone(p.Tests), func(t testCase) bool {
		named := func(id string) bool { return t.named(p.Target, id) }
		return len(s.only) > 0 && !slices.ContainsFunc(s.only, named) || slices.ContainsFunc(s.skip, named)
	})
}

// named reports whether an identifier such as Target/Suite/test() covers the test.
func (t testCase) named(target, id string) bool {
	full := strings.TrimSuffix(t.id(target), "()")
	id = strings.TrimSuffix(strings.TrimSuffix(id, "/"), "()")
	bare, _, _ := strings.Cut(full, "(")
	return full == id || bare == id || strings.HasPrefix(full, id+"/")
}

// id is a test with its target and its suite.
func (t testCase) id(target string) string {
	return strings.Join(slices.DeleteFunc([]string{target, t.Suite, t.Name}, func(s string) bool { return s == "" }), "/")
}

// took is the duration of a test: from its comment, or derived from its name.
func (t testCase) took(ui bool) time.Duration {
	if !t.declared() {
		return 0
	}
	if t.Takes > 0 {
		return time.Duration(t.Takes * float64(time.Second))
	}
	h := fnv.New32a()
	h.Write([]byte(t.Suite + "/" + t.Name))
	d := time.Millisecond * time.Duration(1+h.Sum32()%9)
	if ui {
		d = 3*time.Second + 100*d
	}
	return d
}

// finish prints the result of the whole run.
func (s *session) finish(a action, took time.Duration) error {
	failing := []string{}
	for _, b := range s.result.Tests {
		for _, suite := range b.Suites {
			for _, c := range suite.Cases {
				if c.Result == xcresult.Failed {
					failing = append(failing, strings.TrimPrefix(strings.ReplaceAll(suite.Name, "/", ".")+"."+c.Name, "."))
				}
			}
		}
	}
	sec := took.Seconds()
	text := fmt.Sprintf("%[1]s [MT] IDETestOperationsObserverDebug: %.3[2]f elapsed -- Testing started completed.\n%[1]s [MT] "+
		"IDETestOperationsObserverDebug: 0.000 sec, +0.000 sec -- start\n%[1]s [MT] IDETestOperationsObserverDebug: %.3[2]f sec, "+
		"+%.3[2]f sec -- end\n", s.stamp(), sec)
	fmt.Fprint(s.Stderr, text)
	where := fmt.Sprintf("\nTest session results, code coverage, and logs:\n\t%s\n\n", s.resultBundle)
	if err := os.MkdirAll(filepath.Dir(s.resultBundle), 0o755); err != nil {
		return err
	}
	last := strings.Join(append([]string{"Testing started"}, s.afterwards...), "\n") + "\n"
	if len(failing) == 0 {
		s.say("%s** %s SUCCEEDED **\n\n%s", where, a.banner, last)
		return nil
	}
	s.say("%s%s", where, last)
	return refusal{exit: exitFailed, plain: true, text: "Failing tests:\n\t" + strings.Join(failing, "\n\t") +
		fmt.Sprintf("\n\n** %s FAILED **\n\n", a.banner)}
}
