// Package builder builds and tests Xcode projects: a request becomes the command line of xcodebuild, what it prints becomes
// progress while it runs and an answer when it is done. Whether it succeeded is decided by the exit status and the result
// bundle, never by words on stderr. It knows no session and no device pool.
package builder

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple/xcodeargs"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/fault"
)

// Action is what is to be done, in xcodebuild's words.
type Action string

// The actions.
const (
	Build           Action = "build"
	BuildForTesting Action = "build-for-testing"
	Test            Action = "test" // in two phases: build-for-testing, then test-without-building
	TestPrepared    Action = "test-without-building"
	Clean           Action = "clean"
)

// Request says what to build, for what, and how. Exactly one of Project and Workspace is set, except for TestPrepared,
// which has one of Products and TestRun instead.
type Request struct {
	Action        Action
	Project       string // path of the .xcodeproj
	Workspace     string // path of the .xcworkspace
	Scheme        string // may be empty for Clean
	Configuration string // empty is Debug
	Destination   Destination
	DerivedData   string // empty: a folder of our own for this project; XcodeData: the folder that Xcode takes
	ExtraArgs     []string
	Products      string // .xctestproducts: of tests built before, or where BuildForTesting is to put them
	TestRun       string // .xctestrun of tests built before
	RunnerEnv     map[string]string
	Env           map[string]string // of the caller, such as DEVELOPER_DIR

	// Simulate is content with tests that Virtual Xcode only simulates: that they were not run is then no fault.
	Simulate bool

	trustMacros bool // as Options say
}

// SimulateVariable is "simulate" in the environment of a caller who asks for it.
const SimulateVariable = "IOS_AGENT_VIRTUAL_TESTS"

// DefaultConfiguration is what is built when nobody says otherwise.
const DefaultConfiguration = "Debug"

// Destination is where the product is to run.
type Destination struct {
	Platform string // iOS Simulator, iOS, macOS, …
	ID       string // udid; wins over Name
	Name     string // only when it could not be resolved to an ID
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

// String is the destination as xcodebuild wants it.
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

// container is the option that names what to build, and its path.
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

// folder is where xcodebuild runs: scripts of a project look for their files from there.
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

// subject is the part of the command line that every question and every action about a project has.
func (r Request) subject() []string {
	option, path := r.container()
	args := []string{option, path}
	if r.Scheme != "" {
		args = append(args, "-scheme", r.Scheme)
	}
	return append(args, "-configuration", r.configuration())
}

// where is the destination and the derived data. A -destination in ExtraArgs replaces ours. Without a scheme xcodebuild
// allows neither.
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

// args is the command line of one phase. The order is a contract: others read it in our answers.
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

// prepared are the options that do not apply to tests that were built before.
var prepared = []string{
	"-configuration", "-derivedDataPath", "-project", "-scheme", testProducts, "-workspace", "-xctestrun", resultBundle,
}

// preparedArgs is the command line that runs tests built before.
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

// settingsArgs asks for the build settings of the same request.
func (r Request) settingsArgs(derivedData string, destination bool) []string {
	args := append([]string{"-showBuildSettings", "-json"}, r.subject()...)
	if destination {
		args = append(args, r.where(derivedData)...)
	} else if derivedData != "" && r.Scheme != "" {
		args = append(args, "-derivedDataPath", derivedData)
	}
	return append(args, xcodeargs.Without(r.ExtraArgs, resultBundle, "-quiet")...)
}

// environment is what xcodebuild gets besides ours.
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

// instead are the options of xcodebuild that have a parameter of their own.
var instead = map[string]string{
	"-project": "projectPath", "-workspace": "workspacePath", "-scheme": "scheme", "-configuration": "configuration",
	"-derivedDataPath": "derivedDataPath", testProducts: "testProductsPath", "-xctestrun": "xctestrunPath",
}

// CheckExtraArgs refuses further arguments that would contradict the request, or turn the build into something else.
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
			return bad("extraArgs: %s contradicts the tool's own parameter", u.Key).WithHint("give it as %s", instead[u.Key])
		case slices.Contains(xcodeargs.Actions(), u.Key):
			return bad("extraArgs: %s is an action, and the tool decides what is done", u.Key).WithHint("use the tool that does this")
		case slices.Contains(xcodeargs.Questions(), u.Key):
			return bad("extraArgs: with %s xcodebuild builds nothing", u.Key).
				WithHint("use list_schemes({}) or show_build_settings({}) to ask about a project")
		}
	}
	return nil
}
