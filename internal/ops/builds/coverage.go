package builds

import (
	"context"

	"ios-agent/internal/op"
	"ios-agent/internal/xcode/builder"
)

// CoverageOut is the coverage of a test run.
type CoverageOut struct {
	Summary builder.Covered
	Targets []builder.TargetCoverage
	Bundle  string
}

// Coverage tells how much of each target whose name holds a word the tests ran through, with the files of each if those are wanted. An
// empty path is the result bundle of the session's last test run.
func (b *Builds) Coverage(ctx context.Context, c *op.Call, bundle op.Path, target string, files bool) (out CoverageOut, err error) {
	if out.Bundle, err = b.tests.bundle(c.Session, string(bundle)); err != nil {
		return out, err
	}
	out.Summary, out.Targets, err = b.d.Engine.Coverage(ctx, out.Bundle, target, files, toolEnv(c))
	return out, err
}

// FileCoverage tells which functions of a file, named by its path or the end of it, the tests did not run, with the lines if those are
// wanted; and from which result bundle.
func (b *Builds) FileCoverage(ctx context.Context, c *op.Call, in op.Path, file string, lines bool) (*builder.Functions, string, error) {
	bundle, err := b.tests.bundle(c.Session, string(in))
	if err != nil {
		return nil, "", err
	}
	found, err := b.d.Engine.FileFunctions(ctx, bundle, file, lines, toolEnv(c))
	return found, bundle, err
}
