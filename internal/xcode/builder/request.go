// Package builder builds and tests Xcode projects. An Engine turns a Request into the command line of xcodebuild, its output into progress
// and, at the end, an Outcome, which Report turns into an answer. The exit status and the result bundle decide about success, never a text
// on stderr. It must not use sessions or the device pool.
package builder

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/xcodeargs"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Action is an action of xcodebuild.
type Action string

// The actions.
const (
	Build           Action = "build"
	BuildForTesting Action = "build-for-testing"
	Test            Action = "test" // in two phases: build-for-testing, then test-without-building
	TestPrepared    Action = "test-without-building"
	Clean           Action = "clean"
)

// Request is what to build, its destination and its options. Exactly one of Project and Workspace is set, except for TestPrepared, which
// has one of Products and TestRun instead.
type Request struct {
	Action        Action
	Project       string // path of the .xcodeproj
	Workspace     string // path of the .xcworkspace
	Scheme        string // may be empty for Clean
	Configuration string // empty is Debug
	Destination   Destination
	DerivedData   string // empty: the Engine's folder for this project; XcodeData: Xcode's own folder
	ExtraArgs     []string
	Products      string // .xctestproducts: of prepared tests, or the output of BuildForTesting
	TestRun       string // .xctestrun of prepared tests
	RunnerEnv     map[string]string
	Env           map[string]string // of the caller, such as DEVELOPER_DIR

	// Simulate accepts tests that Virtual Xcode only simulates: without it, such a run is a fault.
	Simulate bool

	trustMacros bool // Options.TrustMacros
}

// SimulateVariable is the environment variable of a caller that sets Simulate by the value "simulate". A caller that chooses the virtual
// toolchain by apple.ToolchainVariable sets it too.
const SimulateVariable = "IOS_AGENT_VIRTUAL_TESTS"

// AcceptsSimulation reports whether the environment of a caller sets Simulate.
func AcceptsSimulation(env map[string]string) bool {
	return env[SimulateVariable] == "simulate" || env[apple.ToolchainVariable] == apple.Virtual
}

// DefaultConfiguration is the configuration of a request without one.
const DefaultConfiguration = "Debug"

// Destination is the device that the product is built for.
type Destination struct {
	Platform string // iOS Simulator, iOS, macOS, …
	ID       string // udid; has priority over Name
	Name     string // only if its ID is unknown
	Latest   bool   // with Name: on the newest runtime
	Arch     string // of macOS
}

// The platforms.
const (
	IOS     = "iOS"
	WatchOS = "watchOS"
	TVOS    = "tvOS"
	Vision  = "visionOS"
	MacOS   = "macOS"
	// Simulated is appended to the name of a platform to mean its simulator.
	Simulated = " Simulator"
)

// String is the destination in xcodebuild's notation.
func (d Destination) String() string {
	switch {
	case d.ID != "":
		return xcodebuild.Destination(d.Platform, d.ID)
	case d.Name != "":
		s := "platform=" + d.Platform + ",name=" + d.Name
		if d.Latest {
			s += ",OS=latest"
		}
		return s
	case d.Platform == MacOS:
		if d.Arch != "" {
			return "platform=" + MacOS + ",arch=" + d.Arch
		}
		return "platform=" + MacOS
	}
	return xcodebuild.Destination(d.Platform, "")
}

// container is xcodebuild's option for the project or workspace, and the path.
func (r Request) container() (option, path string) {
	if r.Workspace != "" {
		return "-workspace", r.Workspace
	}
	return "-project", r.Project
}

// Container is the path of the project or workspace.
func (r Request) Container() string {
	_, path := r.container()
	return path
}

// folder is the working folder of xcodebuild: scripts of a project use paths relative to it.
func (r Request) folder() string {
	for _, path := range []string{r.Container(), r.Products, r.TestRun} {
		if path != "" {
			return filepath.Dir(path)
		}
	}
	return ""
}

func (r Request) configuration() string {
	if r.Configuration != "" {
		return r.Configuration
	}
	return DefaultConfiguration
}

// subject is the part of the command line that all queries and actions share.
func (r Request) subject() []string {
	option, path := r.container()
	args := []string{option, path}
	if r.Scheme != "" {
		args = append(args, "-scheme", r.Scheme)
	}
	return append(args, "-configuration", r.configuration())
}

// where is the destination and the derived data. A -destination in ExtraArgs replaces the request's. Without a scheme, xcodebuild
// accepts neither.
func (r Request) where(derivedData string) []string {
	var args []string
	if r.Scheme == "" {
		return args
	}
	if !xcodeargs.Has(r.ExtraArgs, "-destination") {
		args = append(args, "-destination", r.Destination.String())
	}
	if derivedData != "" {
		args = append(args, "-derivedDataPath", derivedData)
	}
	return args
}

const (
	skipMacros   = "-skipMacroValidation"
	resultBundle = "-resultBundlePath"
	testProducts = "-testProductsPath"
)

// args is the command line of one phase. The order is a contract: clients read it in the answers.
func (r Request) args(phase Action, derivedData, bundle string) []string {
	args := r.subject()
	if r.trustMacros && !xcodeargs.Has(r.ExtraArgs, skipMacros) {
		args = append(args, skipMacros)
	}
	args = append(args, r.where(derivedData)...)
	if r.Scheme == "" {
		args = append(args, "-alltargets")
	}
	args = append(args, xcodeargs.Without(r.ExtraArgs, resultBundle)...)
	if phase == BuildForTesting && r.Products != "" {
		args = append(args, testProducts, r.Products)
	}
	return append(withBundle(args, bundle), string(phase))
}

func withBundle(args []string, bundle string) []string {
	if bundle == "" {
		return args
	}
	return append(args, resultBundle, bundle)
}

// prepared are the options that do not apply to prepared tests.
var prepared = []string{
	"-configuration", "-derivedDataPath", "-project", "-scheme", testProducts, "-workspace", "-xctestrun", resultBundle,
}

// preparedArgs is the command line that runs prepared tests.
func (r Request) preparedArgs(bundle string) []string {
	args := []string{"-xctestrun", r.TestRun}
	if r.Products != "" {
		args = []string{testProducts, r.Products}
	}
	if !xcodeargs.Has(r.ExtraArgs, "-destination") {
		args = append(args, "-destination", r.Destination.String())
	}
	args = append(args, xcodeargs.Without(r.ExtraArgs, prepared...)...)
	return append(withBundle(args, bundle), string(TestPrepared))
}

// settingsArgs is the command line that shows the build settings of the same request.
func (r Request) settingsArgs(derivedData string, destination bool) []string {
	args := append([]string{"-showBuildSettings", "-json"}, r.subject()...)
	if destination {
		args = append(args, r.where(derivedData)...)
	} else if derivedData != "" && r.Scheme != "" {
		args = append(args, "-derivedDataPath", derivedData)
	}
	return append(args, xcodeargs.Without(r.ExtraArgs, resultBundle, "-quiet")...)
}

// environment is the caller's part of xcodebuild's environment.
func (r Request) environment() []string {
	env := pairs(r.Env, "")
	for name, value := range r.RunnerEnv {
		env = append(env, xcodebuild.RunnerPrefix+strings.TrimPrefix(name, xcodebuild.RunnerPrefix)+"="+value)
	}
	slices.Sort(env)
	return env
}

func pairs(m map[string]string, prefix string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, prefix+name+"="+m[name])
	}
	return out
}

// instead are the options of xcodebuild that have their own parameter.
var instead = map[string]string{
	"-project": "projectPath", "-workspace": "workspacePath", "-scheme": "scheme", "-configuration": "configuration",
	"-derivedDataPath": "derivedDataPath", testProducts: "testProductsPath", "-xctestrun": "xctestrunPath",
}

// CheckExtraArgs refuses further arguments that contradict the request, or that change the kind of action.
func CheckExtraArgs(args []string) error {
	for _, u := range xcodeargs.Split(args) {
		bad := func(format string, a ...any) *fault.Fault {
			return fault.New(fault.InvalidInput, format, a...).With("field", "extraArgs")
		}
		switch {
		case u.Key == "":
			return bad("extraArgs: an argument is empty")
		case strings.ContainsRune(strings.Join(u.Args, ""), 0):
			return bad("extraArgs: %q holds a NUL byte", u.Key)
		case instead[u.Key] != "":
			return bad("extraArgs: %s contradicts the tool's own parameter", u.Key).WithHint("use the parameter %s", instead[u.Key])
		case slices.Contains(xcodeargs.Actions(), u.Key):
			return bad("extraArgs: %s is an action, which only the tool may choose", u.Key).WithHint("use the tool of this action")
		case slices.Contains(xcodeargs.Questions(), u.Key):
			return bad("extraArgs: xcodebuild does not build with %s", u.Key).
				WithHint("%s lists the schemes; %s shows the build settings", hint.Do("list_schemes"), hint.Do("show_build_settings"))
		}
	}
	return nil
}
