package swiftcheck

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/machine/host"
)

// compiler is a Checker with the swiftc on the PATH.
func compiler(t *testing.T) Checker {
	t.Helper()
	path := Find(os.Getenv("PATH"))
	if path == "" {
		t.Skip("no swiftc on the PATH")
	}
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return Checker{Run: h, Swift: path}
}

// write makes a module of files by name.
func write(t *testing.T, dir, name string, files map[string]string) Module {
	t.Helper()
	m := Module{Name: name, Dir: filepath.Join(dir, "modules")}
	for file, text := range files {
		path := filepath.Join(dir, name, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		m.Files = append(m.Files, path)
	}
	slices.Sort(m.Files)
	m.Fresh = m.Files
	return m
}

func check(t *testing.T, c Checker, m Module) (r Result, issues string) {
	t.Helper()
	r, err := c.Check(t.Context(), m)
	if err != nil || r.NotUsable != "" {
		t.Fatalf("%s: got %v, %s, want a check", m.Name, err, r.NotUsable)
	}
	for _, i := range r.Issues {
		i.File = filepath.Base(i.File)
		issues += i.String() + "\n"
	}
	return r, issues
}

func TestCompilerFindsErrorsOfModules(t *testing.T) {
	c := compiler(t)
	for _, tc := range []struct{ name, text, want string }{
		{"syntax", "struct A {\n    let b = = 1\n}\n", "a.swift:2:13: error: expected initial value after '='"},
		{"brace", "import SwiftUI\nstruct A {\n", "a.swift:3:1: error: expected '}' in struct"},
		{"swift", "struct A {\n    let price = 1\n    var total: Int { pricee }\n}\n", "a.swift:3:22: error: cannot find 'pricee' in scope"},
		{"type", "func a() -> Int { \"1\" }\n", "a.swift:1:19: error: cannot convert return expression of type 'String' to return type 'Int'"},
		{"foundation", "import Foundation\nstruct A {\n    let price = 1\n    var total: Int { pricee }\n}\n",
			"a.swift:4:22: error: cannot find 'pricee'"},
		{"member", "import Foundation\nstruct A {\n    let price = 1\n}\nlet b = A().prize\n",
			"a.swift:5:13: error: value of type 'A' has no member"},
		{"missing return", "import Foundation\nfunc a() -> Int {\n}\n", "a.swift:3:1: error: missing return in global function"},
	} {
		r, got := check(t, c, write(t, t.TempDir(), "M", map[string]string{"a.swift": tc.text}))
		if !strings.Contains(got, tc.want) || !r.Syntax || r.Issues[0].Text == "" && tc.name != "brace" {
			t.Errorf("%s: got %q %+v, want %q", tc.name, got, r, tc.want)
		}
	}
}

// TestMissingFrameworkCausesNoError: a file of an app for Apple's platforms is valid, whatever this machine has.
func TestMissingFrameworkCausesNoError(t *testing.T) {
	c := compiler(t)
	for _, tc := range []struct{ name, text, because string }{
		{"another module", "import SwiftUI\nstruct A: View { var body: some View { Text(\"\").fnt() } }\n", "SwiftUI"},
		{"Objective-C", "import Foundation\nfinal class A: NSObject {\n" +
			"    @objc func b() {}\n    let c = #selector(b)\n    let d: Missing? = nil\n}\n",
			"what this machine's Foundation lacks"},
		{"Foundation of Apple", "import Foundation\nfunc a() { autoreleasepool { }; let b: CGColor? = nil; _ = b }\n",
			"what this machine's Foundation lacks"},
		{"a platform", "#if os(iOS)\nlet a = 1\n#endif\nlet b = a\n", "#if of a platform"},
	} {
		r, got := check(t, c, write(t, t.TempDir(), "M", map[string]string{"a.swift": tc.text}))
		if got != "" || len(r.Types) != 0 || len(r.Untyped) != 1 || r.Because != tc.because || !r.Syntax {
			t.Errorf("%s: got %q %+v, want no errors and no types checked because of %s", tc.name, got, r, tc.because)
		}
	}
	r, got := check(t, c, write(t, t.TempDir(), "M", map[string]string{"a.swift": "import Foundation\nlet a = Date()\n",
		"b.swift": "let b = a\n"}))
	if got != "" || len(r.Types) != 2 || len(r.Untyped) != 0 {
		t.Errorf("got %q %+v, want two files with types", got, r)
	}
}

func TestModulesOfBuildAreImported(t *testing.T) {
	c, dir := compiler(t), t.TempDir()
	kit := write(t, dir, "Kit", map[string]string{"kit.swift": "public struct Price { public init() {}; public let value = 1 }\n"})
	app := write(t, dir, "App", map[string]string{"app.swift": "import Kit\nlet a: Int = Price().value\nlet b: String = Price().value\n"})
	app.Needs = []string{"Kit"}
	if r, got := check(t, c, app); got != "" || r.Because != "Kit" {
		t.Errorf("got %q %+v, want no types before Kit is compiled", got, r)
	}
	if r, got := check(t, c, kit); got != "" || len(r.Types) != 1 {
		t.Errorf("got %q %+v, want a compiled module", got, r)
	}
	const want = "app.swift:3:25: error: cannot convert value of type 'Int' to specified type 'String'\n"
	if _, got := check(t, c, app); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want the wrong type", got)
	}
}

// TestSlashReadingsDecide: with a slash before a name as an operator, or with regular expressions.
func TestSlashReadingsDecide(t *testing.T) {
	c := compiler(t)
	for _, text := range []string{
		"let a = /[a-z({]+/\n", "prefix operator /\nprefix func / (a: Int) -> Int { a }\nlet b = 1\nlet c = [(/b), (/b)]\n",
	} {
		if r, got := check(t, c, write(t, t.TempDir(), "M", map[string]string{"a.swift": text})); got != "" || len(r.Types) != 1 {
			t.Errorf("%q: got %q %+v, want no errors", text, got, r)
		}
	}
}

// TestBrokenCompilerLeavesForm: a swiftc that does not work is named, and the form is checked.
func TestBrokenCompilerLeavesForm(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "swiftc")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho no such option >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Find("relative" + string(os.PathListSeparator) + dir); got != path {
		t.Fatalf("got %q, want %q", got, path)
	}
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	c := Checker{Run: h, Swift: path}
	r, err := c.Check(t.Context(), write(t, dir, "M", map[string]string{"a.swift": "let a = (\n"}))
	if err != nil || r.Syntax || !strings.Contains(r.NotUsable, "no such option") || len(r.Issues) != 2 || c.Key() == "" {
		t.Errorf("got %+v, %v, want the form and the reason", r, err)
	}
}

// TestCompilerAcceptsValidSources checks the modules below the folder in IOS_AGENT_SWIFT_SOURCES. They must not need a newer compiler.
func TestCompilerAcceptsValidSources(t *testing.T) {
	root := os.Getenv("IOS_AGENT_SWIFT_SOURCES")
	if root == "" {
		t.Skip("no folder of sources in IOS_AGENT_SWIFT_SOURCES")
	}
	c := compiler(t)
	modules := map[string][]string{}
	for _, path := range swiftFiles(t, root) {
		if before, after, ok := strings.Cut(path, "/Sources/"); ok {
			dir := filepath.Join(before, "Sources")
			if name, _, inside := strings.Cut(after, "/"); inside {
				dir = filepath.Join(dir, name)
			}
			modules[dir] = append(modules[dir], path)
		}
	}
	files, typed := 0, 0
	for dir, paths := range modules {
		m := Module{Name: strings.ReplaceAll(filepath.Base(dir), "-", "_"), Dir: t.TempDir(), Files: paths, Fresh: paths}
		r, err := c.Check(t.Context(), m)
		if files, typed = files+len(paths), typed+len(r.Types); err != nil || len(r.Issues) > 0 {
			t.Errorf("%s: got %v and\n%v, want nothing", dir, err, r.Issues)
		}
	}
	t.Logf("%d modules, %d files, types of %d", len(modules), files, typed)
}
