package builds

import (
	"context"
	"errors"
	"slices"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/choose"
)

func (b *Builds) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "test", Groups: []string{"app"}, Route: "POST /api/v1/test", Long: true, Timeout: BuildTimeout, Hints: op.Executes,
			Summary: "Build the project in the working folder and run its tests on a simulator",
			Help: "The project, the scheme and the simulator are found as `ios-agent run` finds them; the answer says which and why.\n" +
				"What builds for Macs alone is tested on this Mac. Tests that fail are a failure (exit 1), and are named with the place.\n" +
				"Virtual Xcode, which is used off a Mac, runs no tests: the answer is TESTS_NOT_RUN (exit 4).",
			Examples: []string{"test", "test ShopTests/CartTests", `test --scheme Shop --simulator-name "iPhone 16 Pro"`},
			Complete: b.Completer(),
		}, b.test),
	}
}

// BuildTimeout is for a whole build or test run. A large project's first build takes hours.
const BuildTimeout = 6 * time.Hour

// Completer gives a build or a test run what the session's defaults say, but for the platform: a scheme for Macs is found out.
func (b *Builds) Completer() op.Completer {
	return complete.Completion{CallOnly: []string{"platform"}}.From(b.d.Access.Sessions)
}

// FoundIn may name what would be chosen otherwise.
type FoundIn struct {
	Project       op.Path  `json:"projectPath,omitempty" doc:"the .xcodeproj"`
	Workspace     op.Path  `json:"workspacePath,omitempty" doc:"or the .xcworkspace"`
	Scheme        string   `json:"scheme,omitempty" doc:"the scheme"`
	Configuration string   `json:"configuration,omitempty" doc:"else Debug"`
	ID            string   `json:"simulatorId,omitempty" doc:"the simulator's udid"`
	Name          string   `json:"simulatorName,omitempty" doc:"or its name"`
	DerivedData   op.Path  `json:"derivedDataPath,omitempty" doc:"else a folder of our own"`
	ExtraArgs     []string `json:"extraArgs,omitempty" doc:"for xcodebuild"`
}

// In is the build for a simulator that it asks for.
func (in FoundIn) In() In {
	return In{
		Project: Project{in.Project, in.Workspace, in.Scheme, in.Configuration},
		How:     How{DerivedData: in.DerivedData, ExtraArgs: in.ExtraArgs},
		On:      choose.Destination{Kind: choose.OnSimulator, Simulator: target.Simulator{ID: in.ID, Name: in.Name, Newest: true}},
	}
}

type testIn struct {
	Only []string `json:"only,omitempty" doc:"these tests alone, as TARGET/CLASS/METHOD or the first of it" match:"^[^-]" cli:"arg"`
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

// Found does something with a project after it has chosen what the call did not name, and on this Mac where the scheme builds for
// nothing else. The answer says what was chosen.
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

// onlyMac reports whether a build was refused because its scheme builds for Macs alone.
func onlyMac(err error) bool {
	var none *builder.DestinationError
	return errors.As(err, &none) && none.MacOnly()
}

// choose finds the project, the scheme and the simulator, as far as the call does not name them, and tells the caller.
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

// chooseSimulator leaves the one that is named. The session's device is not replaced by another one when it is not there.
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
		in.ID = chosen.UDID // it was listed just now
		return nil
	}
	in.ID, err = said.Simulator(entries, c.Session, chosen.UDID)
	return err
}
