package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
)

// packages are the places of proofs, by the short names that rows use. The scripts are parts of one test. Other lanes run the proofs with
// real components, Swift's `make test-agent` and windows' `make test-desktop`: for these a row has only the name, and the fast test
// checks that the test exists.
var packages = map[string]string{
	"house": "test/house", "scripts": "test/script", "pool": "internal/device/pool", "lease": "internal/device/lease",
	"act": "internal/device/act", "ui": "internal/ui", "uiread": "internal/ui/uiread", "outline": "internal/ui/outline",
	"audit": "internal/ui/audit", "quern": "internal/ops/view/quern", "strobe": "internal/ops/view/strobe",
	"wait": "internal/ops/wait", "touch": "internal/ops/touch", "desktopops": "internal/ops/desktop", "desktop": "internal/desktop",
	"deskapp": "internal/driver/deskapp", "atspi": "internal/driver/atspi", "wire": "internal/driver/agentwire",
	"xctest": "internal/driver/xctest", "wda": "internal/driver/wda", "appium": "internal/driver/appium", "idb": "internal/driver/idb",
	"vagent": "internal/virtualxcode/agent", "xcodebuild": "internal/apple/xcodebuild", "connect": "internal/client/connect",
	"session": "internal/device/session", "mcp": "internal/surface/mcp", "swift": "agent/Tests", "outfile": "internal/machine/outfile",
	"windows": "test/xdesktop",
}

const (
	scripts = "scripts"
	swift   = "swift"
)

// elsewhere reports whether another lane runs the tests of a package.
func elsewhere(in string) bool { return in == swift || in == "windows" }

// parts are the package, the test and the part of it that a proof names.
func parts(proof string) (in, test, part string) {
	in, test, _ = strings.Cut(proof, ":")
	test, part, _ = strings.Cut(test, "/")
	return in, test, part
}

// known are the tests of a package, by parsing it.
func known(root, in string) (map[string]bool, error) {
	dir, is := packages[in]
	if !is {
		return nil, fmt.Errorf("no package is called %q", in)
	}
	if in == swift {
		return knownSwift(filepath.Join(root, dir))
	}
	found := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	for _, file := range files {
		tree, problem := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err = errors.Join(err, problem); problem != nil {
			continue
		}
		for _, d := range tree.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				found[f.Name.Name] = true
			}
		}
	}
	return found, err
}

var swiftTest = regexp.MustCompile(`func (test\w+)`)

func knownSwift(dir string) (map[string]bool, error) {
	found := map[string]bool{}
	return found, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".swift" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range swiftTest.FindAllSubmatch(text, -1) {
			found[string(m[1])] = true
		}
		return err
	})
}

// script is the file of a script that a proof names.
func script(root, part string) string { return filepath.Join(root, packages[scripts], part+".txtar") }

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test string
}

// prove runs the tests that the rows name and returns the names of the passed tests. A skipped test did not run. All packages are tested at
// once, so that no core waits: a test of another package with the same name runs too, and its result is ignored.
func prove(ctx context.Context, h *host.Host, all []seed) (map[string]bool, error) {
	var in, tests, chosen []string
	for _, p := range proofs(all) {
		where, test, part := parts(p)
		switch {
		case where == scripts && part != "":
			chosen = append(chosen, part)
		case !elsewhere(where):
			in, tests = append(in, "./"+packages[where]), append(tests, test)
		}
	}
	ended := map[string]bool{}
	if err := run(ctx, h, ended, either(tests), unique(in)...); err != nil {
		return nil, err
	}
	return ended, run(ctx, h, ended, "^TestScripts$/"+either(chosen), "./"+packages[scripts])
}

// either is a pattern of one of these names.
func either(names []string) string { return "^(" + strings.Join(unique(names), "|") + ")$" }

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// proofs are all that rows name, each once.
func proofs(all []seed) (list []string) {
	for _, s := range all {
		for _, r := range s.rows {
			list = append(list, r.proofs...)
		}
	}
	return unique(list)
}

// run runs tests of packages and records their results. A failing test is not an error of run: its row reports it.
func run(ctx context.Context, h *host.Host, ended map[string]bool, which string, in ...string) error {
	short := map[string]string{}
	for name, dir := range packages {
		short["ios-agent/"+dir] = name
	}
	heard := false
	_, err := h.Run(ctx, host.Cmd{
		Name: "go", Args: append([]string{"test", "-json", "-vet=off", "-timeout", "20m", "-run", which}, in...),
		Timeout: 20 * time.Minute, OnLine: func(_ host.Stream, line []byte) {
			var e event
			if json.Unmarshal(line, &e) != nil || e.Test == "" || e.Action != "pass" && e.Action != "fail" {
				return
			}
			heard = true
			ended[short[e.Package]+":"+e.Test] = e.Action == "pass"
		},
	})
	if err != nil && !heard {
		return fmt.Errorf("go test %s: %w", strings.Join(in, " "), err)
	}
	return nil
}

// asRun is a proof as `go test` names it.
func asRun(proof string) string { return strings.ReplaceAll(proof, " ", "_") }
