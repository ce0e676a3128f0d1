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

// Coverage reads the coverage of each target whose name contains a word, with its files if files is set. An empty path means the result
// bundle of the session's last test run.
func (b *Builds) Coverage(ctx context.Context, c *op.Call, bundle op.Path, target string, files bool) (out CoverageOut, err error) {
	if out.Bundle, err = b.tests.bundle(c.Session, string(bundle)); err != nil {
		return out, err
	}
	out.Summary, out.Targets, err = b.d.Engine.Coverage(ctx, out.Bundle, target, files, toolEnv(c))
	return out, err
}

// FileCoverage reads the functions of a file that the tests did not run, with their lines if lines is set, and says which result bundle
// that comes from. file is the path or the end of it.
func (b *Builds) FileCoverage(ctx context.Context, c *op.Call, in op.Path, file string, lines bool) (*builder.Functions, string, error) {
	bundle, err := b.tests.bundle(c.Session, string(in))
	if err != nil {
		return nil, "", err
	}
	found, err := b.d.Engine.FileFunctions(ctx, bundle, file, lines, toolEnv(c))
	return found, bundle, err
}
