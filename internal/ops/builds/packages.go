package builds

import (
	"context"

	"ios-agent/internal/op"
	"ios-agent/internal/telemetry/builds"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/swiftpackage"
)

// Packages builds, tests and runs Swift packages. It ignores session defaults. It uses the swift on the PATH, which is real even when
// Virtual Xcode stands in for the other tools.
type Packages struct{ d Deps }

// NewPackages makes Packages.
func NewPackages(d Deps) *Packages { return &Packages{d} }

// Build builds a package.
func (p *Packages) Build(ctx context.Context, c *op.Call, in swiftpackage.Build) (*swiftpackage.Result, error) {
	c.Outside = true
	done, err := p.d.Packages.Build(ctx, in, c.Progress)
	p.keep(ctx, c, builder.Build, in.Package, done)
	return done, err
}

// Test runs a package's tests.
func (p *Packages) Test(ctx context.Context, c *op.Call, in swiftpackage.Test) (*swiftpackage.Result, error) {
	c.Outside = true
	done, err := p.d.Packages.Test(ctx, in, c.Progress)
	p.keep(ctx, c, builder.Test, in.Package, done)
	return done, err
}

// keep stores the result of a package with the builds of projects. A result that cannot be stored does not fail the answer.
func (p *Packages) keep(ctx context.Context, c *op.Call, action builder.Action, of swiftpackage.Package, done *swiftpackage.Result) {
	if p.d.Store == nil || done == nil || done.Log() == nil {
		return
	}
	r := builds.Of(done.Log())
	r.Decide(done.Status == swiftpackage.Succeeded)
	r.Action, r.Tool, r.Session, r.Time = string(action), builds.Swift, c.Session, p.d.Now()
	r.Project, r.Configuration, r.TookMS = done.Package, "debug", int64(done.Seconds*1000)
	if of.Release {
		r.Configuration = "release"
	}
	if done.LogFile != "" {
		r.Logs = []string{done.LogFile}
	}
	_, _ = builds.Keep(context.WithoutCancel(ctx), p.d.Store, r)
}

// Run runs a package's program until it ends or times out.
func (p *Packages) Run(ctx context.Context, c *op.Call, in swiftpackage.Run) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.d.Packages.Run(ctx, in, c.Progress)
}

// Start runs a package's program in the background. It belongs to the calling session.
func (p *Packages) Start(ctx context.Context, c *op.Call, in swiftpackage.Run) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.d.Packages.Start(ctx, c.Session, in)
}

// List lists the programs that run in the background.
func (p *Packages) List(c *op.Call) []swiftpackage.Program {
	c.Outside = true
	return p.d.Packages.List()
}

// Stop ends a program that this session started.
func (p *Packages) Stop(ctx context.Context, c *op.Call, pid int) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.d.Packages.Stop(ctx, c.Session, pid)
}

// Clean deletes the build products of a package.
func (p *Packages) Clean(ctx context.Context, c *op.Call, in swiftpackage.Package) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.d.Packages.Clean(ctx, in)
}
