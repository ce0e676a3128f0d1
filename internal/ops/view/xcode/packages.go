package xcode

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/xcode/swiftpackage"
)

// packages are the tools for Swift packages. They take no session defaults.
func (v views) packages() []op.Op {
	build := long(30*time.Minute, tool(swiftPackageBuild, "Build a Swift package with `swift build`", op.Executes, inSwift),
		"swift-package-build .", "swift-package-build . --target-name Core --configuration release")
	return []op.Op{
		op.New(build, v.buildPackage),
		op.New(long(30*time.Minute, tool(swiftPackageTest, "Test a Swift package with `swift test`", op.Executes, inSwift),
			"swift-package-test . --filter CoreTests"), v.testPackage),
		op.New(long(6*time.Minute, tool(swiftPackageRun,
			"Build and run a package's program, also in the background", op.Executes, inSwift),
			"swift-package-run . --arguments=--verbose --timeout 60", "swift-package-run . --executable-name server --background"), v.runPackage),
		op.New(taking(0, tool(swiftPackageList, "List the packages' programs in the background", readOnly, inSwift),
			"swift-package-list"), v.listPackageRuns),
		op.New(taking(0, tool(swiftPackageStop,
			"End a program in the background and show its last output", 0, inSwift),
			"swift-package-stop 4211"), v.stopPackageRun),
		op.New(taking(5*time.Minute, tool(swiftPackageClean,
			"Delete the build products of a Swift package", op.Destructive|op.Idempotent, inSwift),
			"swift-package-clean ."), v.cleanPackage),
	}
}

type packageIn struct {
	Path op.Path `json:"packagePath" doc:"folder of Package.swift" cli:"arg"`
}

// packageBuildIn are the inputs of the commands that compile.
type packageBuildIn struct {
	packageIn
	Configuration string `json:"configuration,omitempty" doc:"debug or release" match:"(?i)^(debug|release)?$" default:"debug"`
	AsLibrary     bool   `json:"parseAsLibrary,omitempty" doc:"compile with -parse-as-library, for a @main in main.swift"`
}

func (in packageBuildIn) pkg() swiftpackage.Package {
	return swiftpackage.Package{Path: string(in.Path), Release: strings.EqualFold(in.Configuration, "release"), AsLibrary: in.AsLibrary}
}

// packageOut is the result of a command of the package manager.
type packageOut struct {
	*swiftpackage.Result
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is the result and the next steps.
func (o packageOut) Text() string { return andNext(o.Result.Text(), o.NextSteps) }

func packageResult(r *swiftpackage.Result, err error, next ...string) (packageOut, error) {
	if err != nil {
		return packageOut{Result: &swiftpackage.Result{}}, err
	}
	return packageOut{r, next}, nil
}

type packageBuildingIn struct {
	packageBuildIn
	Target string   `json:"targetName,omitempty" doc:"only this target"`
	Archs  []string `json:"architectures,omitempty" doc:"architectures, such as arm64 and x86_64"`
}

func (v views) buildPackage(ctx context.Context, c *op.Call, in packageBuildingIn) (packageOut, error) {
	done, err := v.core.Packages.Build(ctx, c, swiftpackage.Build{Package: in.pkg(), Target: in.Target, Archs: in.Archs})
	if err != nil || done.Status != swiftpackage.Succeeded {
		return packageResult(done, err)
	}
	test, run := nextCall(swiftPackageTest, "packagePath", in.Path), nextCall(swiftPackageRun, "packagePath", in.Path)
	return packageResult(done, nil, test, run)
}

type packageTestIn struct {
	packageBuildIn
	Product  string `json:"testProduct,omitempty" doc:"only this test product"`
	Filter   string `json:"filter,omitempty" doc:"only tests that match this regular expression"`
	Parallel bool   `json:"parallel,omitempty" doc:"run tests in parallel" default:"true"`
	Codecov  bool   `json:"showCodecov,omitempty" doc:"measure code coverage"`
}

func (v views) testPackage(ctx context.Context, c *op.Call, in packageTestIn) (packageOut, error) {
	return packageResult(v.core.Packages.Test(ctx, c, swiftpackage.Test{
		Package: in.pkg(), Product: in.Product, Filter: in.Filter, Serial: !in.Parallel, Coverage: in.Codecov,
	}))
}

type packageRunIn struct {
	packageBuildIn
	Executable string   `json:"executableName,omitempty" doc:"program (default: the package's only one)"`
	Args       []string `json:"arguments,omitempty" doc:"arguments for the program"`
	Timeout    int      `json:"timeout,omitempty" doc:"seconds to build and run in the foreground" default:"30" min:"1" max:"300" unit:"s"`
	Background bool     `json:"background,omitempty" doc:"start and answer at once; swift_package_stop ends it, or the daemon's end"`
}

func (v views) runPackage(ctx context.Context, c *op.Call, in packageRunIn) (packageOut, error) {
	run := swiftpackage.Run{Package: in.pkg(), Executable: in.Executable, Args: in.Args, Timeout: time.Duration(in.Timeout) * time.Second}
	if in.Background {
		done, err := v.core.Packages.Start(ctx, c, run)
		if err != nil {
			return packageResult(nil, err)
		}
		return packageResult(done, nil, nextCall(swiftPackageStop, "pid", done.Process), nextCall(swiftPackageList))
	}
	done, err := v.core.Packages.Run(ctx, c, run)
	if err == nil && done.Status == swiftpackage.TimedOut {
		return packageResult(done, nil, nextCall(swiftPackageRun, "packagePath", in.Path, "background", true))
	}
	return packageResult(done, err)
}

type packageRunsOut struct {
	Processes []swiftpackage.Program `json:"processes"`
}

// Text is one line per program.
func (o packageRunsOut) Text() string {
	if len(o.Processes) == 0 {
		return "no package runs a program in the background"
	}
	lines := []string{fmt.Sprintf("%d programs", len(o.Processes))}
	for _, p := range o.Processes {
		lines = append(lines, fmt.Sprintf("PID %d  %s  %s  %d s  %s", p.PID, p.Executable, p.Package, p.Seconds, p.State))
	}
	return strings.Join(lines, "\n")
}

func (v views) listPackageRuns(_ context.Context, c *op.Call, _ struct{}) (packageRunsOut, error) {
	return packageRunsOut{v.core.Packages.List(c)}, nil
}

type stopPackageRunIn struct {
	PID int `json:"pid" doc:"process id, from swift_package_run or swift_package_list" min:"1" cli:"arg"`
}

func (v views) stopPackageRun(ctx context.Context, c *op.Call, in stopPackageRunIn) (packageOut, error) {
	return packageResult(v.core.Packages.Stop(ctx, c, in.PID))
}

func (v views) cleanPackage(ctx context.Context, c *op.Call, in packageIn) (packageOut, error) {
	return packageResult(v.core.Packages.Clean(ctx, c, swiftpackage.Package{Path: string(in.Path)}))
}
