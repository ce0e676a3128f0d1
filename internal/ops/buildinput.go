package ops

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

// ContainerIn says what to build: a project or a workspace.
type ContainerIn struct {
	Project   op.Path `json:"projectPath,omitempty" doc:"path of the .xcodeproj; excludes workspacePath"`
	Workspace op.Path `json:"workspacePath,omitempty" doc:"path of the .xcworkspace; excludes projectPath"`
}

// SchemeIn adds which scheme, and in which configuration.
type SchemeIn struct {
	ContainerIn
	Scheme        string `json:"scheme,omitempty" doc:"the scheme; list_schemes shows them"`
	Configuration string `json:"configuration,omitempty" doc:"the build configuration; Debug if neither the call nor a default says otherwise"`
}

// HowIn is how to build.
type HowIn struct {
	DerivedData op.Path   `json:"derivedDataPath,omitempty" doc:"folder for the build; by default one of our own for each project, and naming Xcode's own DerivedData folder shares its cache"`
	ExtraArgs   *[]string `json:"extraArgs,omitempty" doc:"further arguments of xcodebuild; an empty list clears the default"`
	Prefer      *bool     `json:"preferXcodebuild,omitempty" doc:"accepted for compatibility: xcodebuild is always used"`
	NoWarnings  *bool     `json:"suppressWarnings,omitempty" doc:"leave warnings out of the answer"`
}

// ForTestingIn is for building tests to be run later.
type ForTestingIn struct {
	ForTesting bool    `json:"buildForTesting,omitempty" doc:"build the app and its tests, to be run later without building"`
	Products   op.Path `json:"testProductsPath,omitempty" doc:"with buildForTesting: where to put the .xctestproducts"`
}

// PreparedIn names tests that were built before, instead of a project.
type PreparedIn struct {
	Products op.Path `json:"testProductsPath,omitempty" doc:"run the tests of this .xctestproducts, built before; excludes projectPath, workspacePath, scheme and xctestrunPath"`
	TestRun  op.Path `json:"xctestrunPath,omitempty" doc:"run the tests of this .xctestrun, built before"`
}

func (in PreparedIn) given() bool { return in.Products != "" || in.TestRun != "" }

// RunnerIn is for the tests' own process.
type RunnerIn struct {
	RunnerEnv []string `json:"testRunnerEnv,omitempty" doc:"environment of the test runner, as NAME=VALUE" pairs:"true"`
	Progress  *bool    `json:"progress,omitempty" doc:"accepted for compatibility: progress is always reported"`
}

var (
	needsScheme    = defaults.Requirement{AllOf: []string{"scheme"}, Message: "scheme is required"}
	needsContainer = defaults.Requirement{OneOf: []string{"projectPath", "workspacePath"}, Message: "Provide a project or workspace"}
)

// platformKey is a default of physical devices; simulators have their own idea of a platform.
const platformKey = "platform"

// specFor is what a tool with this input says about it. A simulator tool's platform is the call's alone.
func specFor[In any](simulator bool, require ...defaults.Requirement) defaults.Spec {
	keys := defaultKeys(op.InputNames[In]())
	if simulator {
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == platformKey })
	}
	return defaults.Spec{Keys: keys, Require: require}
}

// request makes the engine's request of the common inputs.
func (b *builder) request(c *op.Call, a build.Action, s SchemeIn, h HowIn) build.Request {
	r := build.Request{
		Action: a, Project: string(s.Project), Workspace: string(s.Workspace), Scheme: s.Scheme, Configuration: s.Configuration,
		DerivedData: string(h.DerivedData), Env: toolEnv(c),
	}
	if h.ExtraArgs != nil {
		r.ExtraArgs = *h.ExtraArgs
	}
	return r
}

// toolEnv is what of a client's environment Apple's tools are to see.
func toolEnv(c *op.Call) map[string]string {
	env := maps.Clone(c.Env)
	maps.DeleteFunc(env, func(name, _ string) bool { return name != "DEVELOPER_DIR" && name != "SSH_AUTH_SOCK" })
	return env
}

func isSet(flag *bool) bool { return flag != nil && *flag }

// simulator is the one a build is for.
type simulator struct {
	build.Destination
	info  *device.Info // nil when simctl could not be asked
	words string
}

// simulator finds the simulator that is meant, and its platform: what the call says, else what its runtime is, else iOS.
// Where simctl does not answer, xcodebuild gets the name and decides.
func (b *builder) simulator(ctx context.Context, c *op.Call, in SimIn, platform string) (simulator, error) {
	in, err := in.spelled()
	if err != nil {
		return simulator{}, err
	}
	if in.ID == "" && looksLikeUDID(in.Name) {
		in.ID, in.Name = in.Name, ""
	}
	target, err := b.sims.target(ctx, in)
	if err == nil {
		var info device.Info
		if info, err = b.info(ctx, target); err == nil {
			c.Device = &op.Device{UDID: info.UDID, Name: info.Name}
			s := simulator{info: &info, words: info.Name + " (" + info.OS + ")"}
			s.Destination = build.Destination{ID: info.UDID, Platform: orDefault(platform, platformOf(info.OS)+build.Simulated)}
			return s, nil
		}
	}
	if ctx.Err() != nil || isAnswer(err) {
		return simulator{}, err
	}
	d := build.Destination{Platform: orDefault(platform, build.IOS+build.Simulated), ID: in.ID, Name: in.Name, Latest: in.Latest == nil || *in.Latest}
	return simulator{Destination: d, words: orDefault(in.Name, in.ID)}, nil
}

// info finds the one device that a target names, without opening it.
func (b *builder) info(ctx context.Context, t Target) (device.Info, error) {
	h, err := b.sims.pool.Resolve(ctx, poolCriteria(t))
	if err != nil {
		return device.Info{}, err
	}
	return h.Info(), nil
}

func looksLikeUDID(s string) bool {
	groups := strings.Split(s, "-")
	if len(groups) != 5 || len(s) != 36 {
		return false
	}
	return strings.Trim(s, "0123456789abcdefABCDEF-") == ""
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// style is how an answer about a build is written.
func (b *builder) style(c *op.Call, target, on string, quiet bool) build.Style {
	dir := c.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
		dir = real
	}
	return build.Style{Dir: dir, Target: target, On: on, NoWarnings: quiet}
}

// sourcesOf tells which values came from a default, and from which.
func sourcesOf(m defaults.Merged) map[string]string {
	out := map[string]string{}
	for name, v := range m.Values {
		if v.Source != defaults.FromCall {
			out[name] = strings.TrimSpace(string(v.Source) + " " + v.From)
		}
	}
	return out
}

// progress hands the engine's progress to the caller.
func progress(c *op.Call) func(build.Progress) {
	return func(p build.Progress) { c.Report(op.Event{Message: p.Message, Done: p.Done, Total: p.Total}) }
}
