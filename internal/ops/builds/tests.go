package builds

import (
	"context"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/choose"
)

// TestIn is a test run of a project or of prebuilt tests.
type TestIn struct {
	Project
	How
	On        choose.Destination
	Products  op.Path  // an .xctestproducts
	TestRun   op.Path  // or an .xctestrun
	RunnerEnv []string // environment of the tests' process, as NAME=VALUE
}

// Test runs tests. Tests drive their device, so a run on a device takes its lease and its lane.
func (b *Builds) Test(ctx context.Context, c *op.Call, in TestIn) (Out, error) {
	env, err := op.NameValues("testRunnerEnv", in.RunnerEnv)
	if err != nil {
		return Out{}, err
	}
	on, err := b.place(ctx, c, in.On)
	if err != nil {
		return Out{}, err
	}
	r := b.request(c, builder.Test, in.Project, in.How)
	r.Destination, r.RunnerEnv, r.Products, r.TestRun = on.Destination, env, string(in.Products), string(in.TestRun)
	r.Simulate = builder.AcceptsSimulation(c.Env)
	if in.Products != "" || in.TestRun != "" {
		r.Action = builder.TestPrepared
	}
	if on.Kind == choose.OnMac {
		return b.do(ctx, c, r, on, in.NoWarnings)
	}
	if on.Unknown != nil { // the tests need the lease of a known device
		return Out{}, fault.From(on.Unknown).Within("the tests cannot run on " + on.Words)
	}
	h, _, err := b.d.Access.Device(ctx, c, target.Target{UDID: on.ID})
	if err != nil {
		return Out{}, err
	}
	var out Out
	err = b.d.Access.Away(ctx, h, func() (err error) {
		out, err = b.do(ctx, c, r, on, in.NoWarnings)
		return err
	})
	return out, err
}
