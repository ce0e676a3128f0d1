// Package swiftpm builds the command lines of Swift's package manager: `swift build`, `swift test`, `swift run` and `swift package clean`.
// Tool builds them for a Package. Package buildlog reads their output.
package swiftpm

import (
	"fmt"
	"strings"

	"ios-agent/internal/machine/host"
)

// Package holds the options of all commands.
type Package struct {
	Path      string // the folder of Package.swift, absolute
	Release   bool
	AsLibrary bool // -parse-as-library: a @main in a file called main.swift
}

// Build selects what to build; the zero value is everything.
type Build struct {
	Target string
	Archs  []string
}

// Test selects what to test; the zero value is everything.
type Test struct {
	Product  string
	Filter   string // a regular expression
	Serial   bool
	Coverage bool
}

// Run selects what to run.
type Run struct {
	Executable string // empty: the only one
	Args       []string
}

// Tool is swift, found through PATH unless it has a path.
type Tool struct {
	Swift string // empty means "swift"
	Env   []string
}

func (t Tool) cmd(args ...string) host.Cmd {
	name := t.Swift
	if name == "" {
		name = "swift"
	}
	return host.Cmd{Name: name, Args: args, Env: t.Env}
}

// common are the options that follow the path of the package.
func (p Package) common() (flags []string) {
	if p.Release {
		flags = append(flags, "-c", "release")
	}
	return flags
}

func (p Package) compiler() []string {
	if p.AsLibrary {
		return []string{"-Xswiftc", "-parse-as-library"}
	}
	return nil
}

// values refuses a value that swift would read as an option.
func values(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if strings.HasPrefix(pairs[i+1], "-") {
			return fmt.Errorf("%s: %q begins like an option", pairs[i], pairs[i+1])
		}
	}
	return nil
}

func option(name, value string) []string {
	if value == "" {
		return nil
	}
	return []string{name, value}
}

// Build is `swift build`.
func (t Tool) Build(p Package, b Build) (host.Cmd, error) {
	args := append([]string{"build", "--package-path", p.Path}, p.common()...)
	args = append(args, option("--target", b.Target)...)
	err := values("target", b.Target)
	for _, arch := range b.Archs {
		args = append(args, "--arch", arch)
		if err == nil {
			err = values("architecture", arch)
		}
	}
	return t.cmd(append(args, p.compiler()...)...), err
}

// Test is `swift test`.
func (t Tool) Test(p Package, s Test) (host.Cmd, error) {
	args := append([]string{"test", "--package-path", p.Path}, p.common()...)
	args = append(args, option("--test-product", s.Product)...)
	args = append(args, option("--filter", s.Filter)...)
	if s.Serial {
		args = append(args, "--no-parallel")
	}
	if s.Coverage {
		args = append(args, "--enable-code-coverage")
	}
	return t.cmd(append(args, p.compiler()...)...), values("test product", s.Product, "filter", s.Filter)
}

// CoveragePath is the command that prints the path of `swift test --enable-code-coverage`'s report.
func (t Tool) CoveragePath(p Package) host.Cmd {
	return t.cmd(append(append([]string{"test", "--package-path", p.Path}, p.common()...), "--show-codecov-path")...)
}

// Run is `swift run`, which builds first.
func (t Tool) Run(p Package, r Run) (host.Cmd, error) {
	args := append([]string{"run", "--package-path", p.Path}, p.common()...)
	args = append(args, p.compiler()...)
	if r.Executable != "" {
		args = append(args, r.Executable)
	}
	if len(r.Args) > 0 {
		args = append(append(args, "--"), r.Args...)
	}
	return t.cmd(args...), values("executable", r.Executable)
}

// Clean is `swift package clean`.
func (t Tool) Clean(p Package) host.Cmd {
	return t.cmd("package", "--package-path", p.Path, "clean")
}
