// Package swiftpackage builds, tests, runs and cleans Swift packages with the program swift. A Service runs the commands and holds the
// programs in the background. It must not use simulators or devices.
package swiftpackage

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/apple/swiftpm"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

// Options are the dependencies of a Service.
type Options struct {
	Run   host.Runner
	Start host.Starter
	Swift string           // the program; empty means swift, found through PATH
	Logs  string           // folder for the whole output of each command
	Now   func() time.Time // nil means time.Now
}

// Service is safe for concurrent use.
type Service struct {
	o          Options
	tool       swiftpm.Tool
	background background
}

// New makes a Service. It starts nothing.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Service{o: o, tool: swiftpm.Tool{Swift: o.Swift}, background: background{runs: map[int]*run{}}}
}

// Package are the inputs that all commands share.
type Package struct {
	Path      string // the folder of Package.swift, absolute
	Release   bool
	AsLibrary bool // compile with -parse-as-library
}

func (p Package) arg() swiftpm.Package { return swiftpm.Package(p) }

// Build is a build of a target, or without a target of the whole package.
type Build struct {
	Package
	Target string
	Archs  []string
}

// Test is a test run of a product or a filter, or of the whole package.
type Test struct {
	Package
	Product  string
	Filter   string // a regular expression
	Serial   bool
	Coverage bool
}

// Run is a run of a program of the package.
type Run struct {
	Package
	Executable string // empty means the package's only program
	Args       []string
	Timeout    time.Duration // building included; Start ignores it
}

// grace is the time limit of swift's exit after SIGINT.
const grace = 5 * time.Second

// Build runs `swift build`. Watch, which may be nil, gets a line for each step.
func (s *Service) Build(ctx context.Context, b Build, watch func(string)) (*Result, error) {
	cmd, err := s.tool.Build(b.arg(), swiftpm.Build{Target: b.Target, Archs: b.Archs})
	if err != nil {
		return nil, badArgument(err)
	}
	out, log, err := s.do(ctx, b.Package, cmd, watch)
	if err != nil {
		return nil, err
	}
	out.judge(log, "build", fault.BuildFailed)
	return out, nil
}

// Test runs `swift test`.
func (s *Service) Test(ctx context.Context, t Test, watch func(string)) (*Result, error) {
	cmd, err := s.tool.Test(t.arg(), swiftpm.Test{Product: t.Product, Filter: t.Filter, Serial: t.Serial, Coverage: t.Coverage})
	if err != nil {
		return nil, badArgument(err)
	}
	out, log, err := s.do(ctx, t.Package, cmd, watch)
	if err != nil {
		return nil, err
	}
	out.judgeTests(log)
	if t.Coverage && out.Status == Succeeded {
		where, err := s.o.Run.Run(ctx, s.tool.CoveragePath(t.arg()))
		if err != nil {
			return nil, swiftFault(err)
		}
		out.Codecov = strings.TrimSpace(string(where.Stdout))
	}
	return out, nil
}

// Clean runs `swift package clean`.
func (s *Service) Clean(ctx context.Context, p Package) (*Result, error) {
	out, log, err := s.do(ctx, p, s.tool.Clean(p.arg()), nil)
	if err != nil {
		return nil, err
	}
	out.judge(log, "package clean", fault.ToolFailed)
	return out, nil
}

// Run runs `swift run`, which builds first, and waits for the program's end. It ends the program after the timeout; the result then has the
// output until that time.
func (s *Service) Run(ctx context.Context, r Run, watch func(string)) (*Result, error) {
	cmd, err := s.runCommand(ctx, &r)
	if err != nil {
		return nil, err
	}
	cmd.Timeout = r.Timeout
	out, log, err := s.do(ctx, r.Package, cmd, watch)
	if err != nil {
		return nil, err
	}
	out.judgeRun(log, r.Timeout)
	return out, nil
}

func (s *Service) runCommand(ctx context.Context, r *Run) (host.Cmd, error) {
	if err := checkFolder(r.Path); err != nil {
		return host.Cmd{}, err
	}
	if err := s.nameExecutable(ctx, r); err != nil {
		return host.Cmd{}, err
	}
	cmd, err := s.tool.Run(r.arg(), swiftpm.Run{Executable: r.Executable, Args: r.Args})
	if err != nil {
		return host.Cmd{}, badArgument(err)
	}
	return cmd, nil
}

// nameExecutable queries the name of the package's only program if there are arguments. Without a name, `swift run` uses the first
// argument as the name, despite the -- before it.
func (s *Service) nameExecutable(ctx context.Context, r *Run) error {
	if r.Executable != "" || len(r.Args) == 0 {
		return nil
	}
	cmd := s.tool.Describe(r.arg())
	cmd.Dir, cmd.Timeout = r.Path, 2*time.Minute
	res, err := s.o.Run.Run(ctx, cmd)
	if err != nil {
		return swiftFault(err)
	}
	names, err := swiftpm.Executables(res.Stdout)
	switch {
	case err != nil:
		return fault.New(fault.ToolFailed, "%w", err)
	case len(names) == 0:
		return fault.New(fault.BuildFailed, "the package %s does not have a program to run", r.Path)
	case len(names) > 1:
		return fault.New(fault.InvalidInput, "the package has several programs: %s", strings.Join(names, ", ")).
			With("field", "executableName").WithHint("name one of them with %s", hint.Field("executableName"))
	}
	r.Executable = names[0]
	return nil
}

// do runs a command in the package and reads both streams: SwiftPM prints diagnostics to either.
func (s *Service) do(ctx context.Context, p Package, cmd host.Cmd, watch func(string)) (*Result, *buildlog.Log, error) {
	if err := checkFolder(p.Path); err != nil {
		return nil, nil, err
	}
	var log buildlog.Reader
	cmd.Dir, cmd.Timeout, cmd.Spool, cmd.Grace = p.Path, cmp.Or(cmd.Timeout, -1), s.o.Logs, grace
	cmd.OnLine = func(_ host.Stream, line []byte) {
		_, _ = log.Write(append(slices.Clone(line), '\n')) // never fails
		if text := strings.TrimSpace(string(line)); watch != nil && strings.HasPrefix(text, "[") && strings.Contains(text, "/") {
			watch(text)
		}
	}
	res, err := s.o.Run.Run(ctx, cmd)
	out := &Result{Package: p.Path, LogFile: res.Spool, Seconds: res.Took.Seconds(), Output: endOf(res.Stdout, res.Stderr)}
	var exit *host.ExitError
	var late *host.TimeoutError
	switch {
	case errors.As(err, &late):
		out.Status = TimedOut
	case errors.As(err, &exit):
		out.Status, out.ExitCode = Failed, &exit.Code
	case err != nil:
		return nil, nil, swiftFault(err)
	default:
		out.Status, out.ExitCode = Succeeded, &res.ExitCode
	}
	out.log = log.End()
	return out, out.log, nil
}

func badArgument(err error) error { return fault.New(fault.InvalidInput, "swift %w", err) }

func swiftFault(err error) error {
	var missing *host.NotFoundError
	if errors.As(err, &missing) {
		return fault.New(fault.ToolMissing, "cannot find swift on the PATH of the daemon: %w", err).
			WithHint("install Xcode, or Swift from swift.org, then restart the daemon: %s", hint.Command("ios-agent daemon stop"))
	}
	return toolfault.New(err, fault.ToolFailed, "swift")
}

// checkFolder refuses a wrong path before swift runs.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	problem := func(format string, args ...any) error {
		return fault.New(fault.PathError, format, args...).With("field", "packagePath")
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return problem("%s does not exist", path)
	case err != nil:
		return problem("%w", err)
	case !info.IsDir():
		return problem("%s is not a folder", path)
	}
	if _, err := os.Stat(filepath.Join(path, "Package.swift")); err != nil {
		return problem("%s must be a Swift package: it has no Package.swift", path)
	}
	return nil
}
