package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/apple/swiftpm"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
)

// swiftPackages are XcodeBuildMCP's tools for Swift packages. They take no session defaults.
type swiftPackages struct {
	parts   Parts
	running *background
}

const inSwift = "swift-package"

func (s *swiftPackages) ops() []op.Op {
	groups := []string{inSwift}
	return []op.Op{
		op.New(op.Spec{
			Name: "swift_package_build", Family: xcode, Groups: groups, Verb: "swift-package-build", Route: "POST /api/v1/xcode/swift_package_build", Timeout: 30 * time.Minute, Long: true,
			Summary: "Build a Swift package with `swift build`", Next: []string{"swift_package_test", "swift_package_run"},
			Examples: []string{"swift-package-build .", "swift-package-build . --target-name Core --configuration release"},
		}, s.build),
		op.New(op.Spec{
			Name: "swift_package_test", Family: xcode, Groups: groups, Verb: "swift-package-test", Route: "POST /api/v1/xcode/swift_package_test", Timeout: 30 * time.Minute, Long: true,
			Summary: "Test a Swift package with `swift test`", Examples: []string{"swift-package-test . --filter CoreTests"},
		}, s.test),
		op.New(op.Spec{
			Name: "swift_package_run", Family: xcode, Groups: groups, Verb: "swift-package-run", Route: "POST /api/v1/xcode/swift_package_run", Timeout: 6 * time.Minute, Long: true,
			Summary:  "Build and run a package's program, until it ends or its time is over, or in the background",
			Examples: []string{"swift-package-run . --arguments=--verbose --timeout 60", "swift-package-run . --executable-name server --background"},
		}, s.run),
		op.New(op.Spec{
			Name: "swift_package_list", Family: xcode, Groups: groups, Verb: "swift-package-list", Route: "POST /api/v1/xcode/swift_package_list",
			Summary: "List the packages' programs that were started in the background", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"swift-package-list"},
		}, s.list),
		op.New(op.Spec{
			Name: "swift_package_stop", Family: xcode, Groups: groups, Verb: "swift-package-stop", Route: "POST /api/v1/xcode/swift_package_stop",
			Summary: "End a program that was started in the background and give the end of its output", Examples: []string{"swift-package-stop 4211"},
		}, s.stop),
		op.New(op.Spec{
			Name: "swift_package_clean", Family: xcode, Groups: groups, Verb: "swift-package-clean", Route: "POST /api/v1/xcode/swift_package_clean", Timeout: 5 * time.Minute,
			Summary: "Delete what was built of a Swift package", Hints: op.Destructive | op.Idempotent, Examples: []string{"swift-package-clean ."},
		}, s.clean),
	}
}

// PackageIn names a package.
type PackageIn struct {
	Path op.Path `json:"packagePath" doc:"the folder that holds Package.swift" cli:"arg"`
}

// PackageBuildIn is what the commands that compile take.
type PackageBuildIn struct {
	PackageIn
	Configuration string `json:"configuration,omitempty" doc:"debug or release" match:"(?i)^(debug|release)?$" default:"debug"`
	AsLibrary     bool   `json:"parseAsLibrary,omitempty" doc:"compile with -parse-as-library, for a @main in main.swift"`
}

func (in PackageBuildIn) pkg() swiftpm.Package {
	return swiftpm.Package{Path: string(in.Path), Release: strings.EqualFold(in.Configuration, "release"), AsLibrary: in.AsLibrary}
}

// SwiftBuildIn says what to build.
type SwiftBuildIn struct {
	PackageBuildIn
	Target string   `json:"targetName,omitempty" doc:"only this target"`
	Archs  []string `json:"architectures,omitempty" doc:"architectures to build for, such as arm64 and x86_64"`
}

// SwiftOut is how a command of the package manager ended.
type SwiftOut struct {
	Message  string   `json:"message"`
	Package  string   `json:"packagePath"`
	Status   string   `json:"status"` // SUCCEEDED, FAILED, TIMED_OUT or RUNNING
	ExitCode *int     `json:"exitCode,omitempty"`
	Errors   []string `json:"errors,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Tests    *Counts  `json:"counts,omitempty"`
	Failures []string `json:"testFailures,omitempty"`
	Output   string   `json:"output,omitempty"`
	LogFile  string   `json:"logFilePath,omitempty"`
	Codecov  string   `json:"codecovPath,omitempty"`
	Process  int      `json:"processId,omitempty"`
	Seconds  float64  `json:"seconds,omitempty"`

	NextSteps []string `json:"nextSteps,omitempty"`

	fault *fault.Fault
}

// Counts are how tests ended.
type Counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Text is what happened, and the output.
func (o SwiftOut) Text() string {
	lines := []string{o.Message}
	for _, list := range [][]string{o.Errors, o.Failures, o.Warnings} {
		lines = append(lines, list...)
	}
	if o.Output != "" {
		lines = append(lines, "--- output ---", o.Output)
	}
	if o.LogFile != "" {
		lines = append(lines, "whole log: "+o.LogFile)
	}
	return andNext(strings.Join(lines, "\n"), o.NextSteps)
}

// Fault is that of a command that did not succeed; what it printed is beside it.
func (o SwiftOut) Fault() *fault.Fault { return o.fault }

// The words of SwiftOut.Status.
const (
	succeeded = "SUCCEEDED"
	failed    = "FAILED"
	timedOut  = "TIMED_OUT"
	started   = "RUNNING"
)

// mostPrinted is how much of a program's output an answer carries, mostListed how many diagnostics.
const (
	mostPrinted = 16 << 10
	mostListed  = 20
)

func (s *swiftPackages) build(ctx context.Context, c *op.Call, in SwiftBuildIn) (SwiftOut, error) {
	cmd, err := swiftpm.Tool{}.Build(in.pkg(), swiftpm.Build{Target: in.Target, Archs: in.Archs})
	if err != nil {
		return SwiftOut{}, wrongWord(err)
	}
	out, log, err := s.do(ctx, c, in.PackageIn, cmd, -1)
	if err != nil {
		return out, err
	}
	out.judge(log, "build", fault.BuildFailed)
	if out.Status == succeeded {
		path := string(in.Path)
		out.NextSteps = []string{nextCall("swift_package_test", "packagePath", path), nextCall("swift_package_run", "packagePath", path)}
	}
	return out, nil
}

func wrongWord(err error) error { return fault.New(fault.InvalidInput, "swift %w", err) }

// do runs a command in the package and reads its output, both streams: SwiftPM prints diagnostics to either.
func (s *swiftPackages) do(ctx context.Context, c *op.Call, in PackageIn, cmd host.Cmd, limit time.Duration) (SwiftOut, *buildlog.Log, error) {
	out := SwiftOut{Package: string(in.Path)}
	if err := mustBePackage(out.Package); err != nil {
		return out, nil, err
	}
	var log buildlog.Reader
	cmd.Dir, cmd.Timeout, cmd.Spool, cmd.Grace = out.Package, limit, filepath.Join(s.parts.Home, "logs"), 5*time.Second
	cmd.OnLine = func(_ host.Stream, line []byte) {
		_, _ = log.Write(append(slices.Clone(line), '\n')) // never fails
		if text := strings.TrimSpace(string(line)); strings.HasPrefix(text, "[") && strings.Contains(text, "/") {
			c.Progress(text)
		}
	}
	res, err := s.parts.Run.Run(ctx, cmd)
	out.LogFile, out.Seconds = res.Spool, res.Took.Seconds()
	out.Output = printed(res.Stdout, res.Stderr)
	var exit *host.ExitError
	var late *host.TimeoutError
	switch {
	case errors.As(err, &late):
		out.Status = timedOut
	case errors.As(err, &exit):
		out.Status, out.ExitCode = failed, &exit.Code
	case err != nil:
		return out, nil, swiftFault(err)
	default:
		out.Status, out.ExitCode = succeeded, &res.ExitCode
	}
	return out, log.End(), nil
}

func swiftFault(err error) error {
	var missing *host.NotFoundError
	if errors.As(err, &missing) {
		return fault.New(fault.ToolMissing, "there is no swift on the PATH of the daemon: %w", err).
			WithHint("install Xcode, or Swift from swift.org, and restart the daemon: `ios-agent daemon stop`")
	}
	return asFault(err, fault.ToolFailed, "swift")
}

func mustBePackage(path string) error {
	if err := mustBeFolder(path, "packagePath", "a folder"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(path, "Package.swift")); err != nil {
		return fault.New(fault.PathError, "%s is no Swift package: it has no Package.swift", path).With("field", "packagePath")
	}
	return nil
}

// printed is the end of both outputs.
func printed(stdout, stderr []byte) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(stdout), "\uFFFD"))
	if more := strings.TrimSpace(strings.ToValidUTF8(string(stderr), "\uFFFD")); more != "" {
		text = strings.TrimSpace(text + "\n" + more)
	}
	if len(text) <= mostPrinted {
		return text
	}
	cut := text[len(text)-mostPrinted:]
	if _, rest, ok := strings.Cut(cut, "\n"); ok {
		cut = rest
	}
	return fmt.Sprintf("… %d bytes before this are in the log …\n", len(text)-len(cut)) + cut
}

// judge fills in what the log says. The verdict is the exit code's alone.
func (o *SwiftOut) judge(log *buildlog.Log, what string, code fault.Code) {
	for _, d := range log.Diagnostics {
		line := d.Message
		if at := d.At(); at != "" {
			line = at + ": " + line
		}
		switch {
		case d.Severity.Bad() && !d.Consequence && len(o.Errors) < mostListed:
			o.Errors = append(o.Errors, "error: "+line)
		case d.Severity == buildlog.Warning && len(o.Warnings) < mostListed:
			o.Warnings = append(o.Warnings, "warning: "+line)
		}
	}
	if o.Status == succeeded {
		o.Message = "swift " + what + " succeeded"
		return
	}
	o.Message = fmt.Sprintf("swift %s failed with %d errors", what, log.Errors)
	o.fault = fault.New(code, "swift %s of %s failed", what, o.Package)
}

// SwiftTestIn says what to test.
type SwiftTestIn struct {
	PackageBuildIn
	Product  string `json:"testProduct,omitempty" doc:"only this test product"`
	Filter   string `json:"filter,omitempty" doc:"only tests that match this regular expression"`
	Parallel *bool  `json:"parallel,omitempty" doc:"run tests in parallel; true unless set to false"`
	Codecov  bool   `json:"showCodecov,omitempty" doc:"measure code coverage and tell where the report is"`
}

func (s *swiftPackages) test(ctx context.Context, c *op.Call, in SwiftTestIn) (SwiftOut, error) {
	tool := swiftpm.Tool{}
	cmd, err := tool.Test(in.pkg(), swiftpm.Test{Product: in.Product, Filter: in.Filter, Serial: in.Parallel != nil && !*in.Parallel, Coverage: in.Codecov})
	if err != nil {
		return SwiftOut{}, wrongWord(err)
	}
	out, log, err := s.do(ctx, c, in.PackageIn, cmd, -1)
	if err != nil {
		return out, err
	}
	out.Tests = &Counts{Passed: log.Tests.Passed, Failed: log.Tests.Failed, Skipped: log.Tests.Skipped}
	code := fault.TestsFailed
	if log.Tests.Failed == 0 {
		code = fault.BuildFailed // it did not come to tests
	}
	out.judge(log, "test", code)
	out.Message = fmt.Sprintf("%s: %d passed, %d failed, %d skipped", out.Message, out.Tests.Passed, out.Tests.Failed, out.Tests.Skipped)
	for _, t := range log.TestCases {
		for _, f := range t.Failures {
			if len(out.Failures) < mostListed {
				out.Failures = append(out.Failures, strings.Trim(fmt.Sprintf("%s: %s: %s", t.ID(), f.At(), f.Message), ": "))
			}
		}
	}
	if in.Codecov && out.Status == succeeded {
		where, err := s.parts.Run.Run(ctx, tool.CoveragePath(in.pkg()))
		if err != nil {
			return out, swiftFault(err)
		}
		out.Codecov = strings.TrimSpace(string(where.Stdout))
	}
	return out, nil
}

func (s *swiftPackages) clean(ctx context.Context, c *op.Call, in PackageIn) (SwiftOut, error) {
	out, log, err := s.do(ctx, c, in, swiftpm.Tool{}.Clean(swiftpm.Package{Path: string(in.Path)}), -1)
	if err == nil {
		out.judge(log, "package clean", fault.ToolFailed)
	}
	return out, err
}
