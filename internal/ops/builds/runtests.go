package builds

import (
	"context"
	"errors"
	"slices"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/choose"
)

// Ops lists the operation that tests a project.
func (b *Builds) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "test", Groups: []string{"app"}, Route: "POST /api/v1/test", Long: true, Timeout: BuildTimeout, Hints: op.Executes,
			Summary: "Build the project in the working folder and run its tests",
			Help: "It chooses the project, the scheme and the simulator as " + hint.Do("run") + " does; the answer says which and why.\n" +
				"A scheme for macOS only is tested on this Mac. Failed tests fail the call (exit 1); the answer has their places.\n" +
				"Off a Mac, only tests of Swift packages can run; if no test ran, the answer is TESTS_NOT_RUN (exit 4).",
			Examples: []string{"test", "test ShopTests/CartTests", `test --scheme Shop --simulator-name "iPhone 16 Pro"`},
			Complete: b.Completer(),
		}, b.test),
	}
}

// BuildTimeout is the limit of a build or test run. The first build of a large project takes hours.
const BuildTimeout = 6 * time.Hour

// Completer completes a build or a test run from the session's defaults, except for the platform: the scheme decides that.
func (b *Builds) Completer() op.Completer {
	return complete.Completion{CallOnly: []string{"platform"}}.From(b.d.Access.Sessions)
}

// FoundIn names the project, scheme and simulator; what it leaves empty is chosen.
type FoundIn struct {
	Project       op.Path  `json:"projectPath,omitempty" doc:"the .xcodeproj"`
	Workspace     op.Path  `json:"workspacePath,omitempty" doc:"or the .xcworkspace"`
	Scheme        string   `json:"scheme,omitempty" doc:"the scheme"`
	Configuration string   `json:"configuration,omitempty" doc:"else Debug"`
	ID            string   `json:"simulatorId,omitempty" doc:"the simulator's udid"`
	Name          string   `json:"simulatorName,omitempty" doc:"or its name"`
	DerivedData   op.Path  `json:"derivedDataPath,omitempty" doc:"build folder; default: our own"`
	ExtraArgs     []string `json:"extraArgs,omitempty" doc:"for xcodebuild"`
}

// In is the build for a simulator with these inputs.
func (in FoundIn) In() In {
	return In{
		Project: Project{in.Project, in.Workspace, in.Scheme, in.Configuration},
		How:     How{DerivedData: in.DerivedData, ExtraArgs: in.ExtraArgs},
		On:      choose.Destination{Kind: choose.OnSimulator, Simulator: target.Simulator{ID: in.ID, Name: in.Name, Newest: true}},
	}
}

type testIn struct {
	Only []string `json:"only,omitempty" doc:"tests to run: TARGET, TARGET/CLASS or TARGET/CLASS/METHOD" match:"^[^-]" cli:"arg"`
	FoundIn
	RunnerEnv []string `json:"testRunnerEnv,omitempty" doc:"environment of the test runner, as NAME=VALUE" pairs:"true" private:"true"`
}

func (b *Builds) test(ctx context.Context, c *op.Call, given testIn) (Built, error) {
	found := given.In()
	in := TestIn{Project: found.Project, How: found.How, On: found.On, RunnerEnv: given.RunnerEnv}
	in.ExtraArgs = slices.Clone(given.ExtraArgs)
	for _, test := range given.Only {
		in.ExtraArgs = append(in.ExtraArgs, "-only-testing:"+test)
	}
	return b.Found(ctx, c, &in.Project, &in.On, func() (Out, error) { return b.Test(ctx, c, in) })
}

// Found chooses the project, scheme and simulator that the call did not name, and runs do with them. A scheme for macOS only gets this Mac
// as its destination. The answer says what was chosen.
func (b *Builds) Found(ctx context.Context, c *op.Call, project *Project, on *choose.Destination, do func() (Out, error)) (Built, error) {
	said, err := b.choose(ctx, c, project, &on.Simulator)
	if err != nil {
		return Built{}, err
	}
	out, err := do()
	if onlyMac(err) {
		said = said.Instead("destination: this Mac, because the scheme does not build for simulators")
		c.Device, *on = nil, choose.Destination{Kind: choose.OnMac}
		out, err = do()
	}
	out.Request.Choices = said
	return inCore(out, err)
}

// onlyMac reports whether a build was refused because its scheme is for macOS only.
func onlyMac(err error) bool {
	var none *builder.DestinationError
	return errors.As(err, &none) && none.MacOnly()
}

// choose picks the project, the scheme and the simulator that the call does not name, and reports the choices.
func (b *Builds) choose(ctx context.Context, c *op.Call, project *Project, on *target.Simulator) (said choose.Choices, err error) {
	if project.Project == "" && project.Workspace == "" {
		found, workspace, err := said.Project(c.Dir)
		if err != nil {
			return nil, err
		}
		project.Project, project.Workspace = op.Path(found), op.Path(workspace)
	}
	c.Progress("looking for the scheme")
	if project.Scheme == "" {
		r := b.request(c, builder.Build, *project, How{})
		list, err := b.d.Engine.Schemes(ctx, r)
		if err != nil {
			return nil, err
		}
		if project.Scheme, err = said.Scheme(r.Container(), list.Schemes); err != nil {
			return nil, err
		}
	}
	if err := b.chooseSimulator(ctx, c, on, &said); err != nil {
		return nil, err
	}
	for _, line := range said {
		c.Progress(line)
	}
	return said, nil
}

// chooseSimulator picks a simulator unless the call names one. It never replaces a missing device of the session by another one.
func (b *Builds) chooseSimulator(ctx context.Context, c *op.Call, in *target.Simulator, said *choose.Choices) error {
	if in.ID != "" || in.Name != "" {
		return nil
	}
	entries, err := b.d.Access.Pool.Entries(ctx)
	if err != nil {
		return err
	}
	chosen := b.d.Access.Sessions.Get(c.Session).Choice()
	listed := slices.ContainsFunc(entries, func(e pool.Entry) bool { return e.UDID == chosen.UDID })
	if device.LooksLikeUDID(chosen.UDID) && !listed {
		if _, err := b.d.Access.Pool.State(ctx, chosen.UDID); err != nil {
			return access.Unserved(chosen, err)
		}
		in.ID = chosen.UDID // the tools have just listed it
		return nil
	}
	in.ID, err = said.Simulator(entries, c.Session, chosen.UDID)
	return err
}
