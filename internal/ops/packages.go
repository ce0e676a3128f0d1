package ops

import (
	"context"

	"ios-agent/internal/op"
	"ios-agent/internal/xcode/swiftpackage"
)

// Packages builds, tests and runs Swift packages. They take no session defaults. Their swift is that of the PATH, a real one also
// where the other tools are those of Virtual Xcode.
type Packages struct{ swift *swiftpackage.Service }

// Build builds a package.
func (p *Packages) Build(ctx context.Context, c *op.Call, in swiftpackage.Build) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.swift.Build(ctx, in, c.Progress)
}

// Test runs a package's tests.
func (p *Packages) Test(ctx context.Context, c *op.Call, in swiftpackage.Test) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.swift.Test(ctx, in, c.Progress)
}

// Run runs a package's program until it ends or its time is over.
func (p *Packages) Run(ctx context.Context, c *op.Call, in swiftpackage.Run) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.swift.Run(ctx, in, c.Progress)
}

// Start runs a package's program in the background. It belongs to the calling session.
func (p *Packages) Start(ctx context.Context, c *op.Call, in swiftpackage.Run) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.swift.Start(ctx, c.Session, in)
}

// List are the programs in the background.
func (p *Packages) List(c *op.Call) []swiftpackage.Program {
	c.Outside = true
	return p.swift.List()
}

// Stop ends a program that this session started.
func (p *Packages) Stop(ctx context.Context, c *op.Call, pid int) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.swift.Stop(ctx, c.Session, pid)
}

// Clean deletes what was built of a package.
func (p *Packages) Clean(ctx context.Context, c *op.Call, in swiftpackage.Package) (*swiftpackage.Result, error) {
	c.Outside = true
	return p.swift.Clean(ctx, in)
}
