package build

import (
	"context"

	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

// CoverageIn says which coverage to show.
type CoverageIn struct {
	Bundle op.Path // that of the session's last test run if empty
	Target string  // only targets whose name holds this
	Files  bool    // with the files of each target
}

// CoverageOut is the coverage of a test run.
type CoverageOut struct {
	Summary build.Covered
	Targets []build.TargetCoverage
	Bundle  string
}

// Coverage tells how much of each target the tests ran through.
func (b *Builds) Coverage(ctx context.Context, c *op.Call, in CoverageIn) (out CoverageOut, err error) {
	if out.Bundle, err = b.tests.Bundle(c.Session, string(in.Bundle)); err != nil {
		return out, err
	}
	out.Summary, out.Targets, err = b.engine.Coverage(ctx, out.Bundle, in.Target, in.Files, toolEnv(c))
	return out, err
}

// FileCoverageIn says which file.
type FileCoverageIn struct {
	Bundle op.Path // that of the session's last test run if empty
	File   string  // its path, or the end of it
	Lines  bool    // with the lines that did not run
}

// FileCoverage tells which functions of a file the tests did not run, and from which result bundle.
func (b *Builds) FileCoverage(ctx context.Context, c *op.Call, in FileCoverageIn) (*build.Functions, string, error) {
	bundle, err := b.tests.Bundle(c.Session, string(in.Bundle))
	if err != nil {
		return nil, "", err
	}
	found, err := b.engine.FileFunctions(ctx, bundle, in.File, in.Lines, toolEnv(c))
	return found, bundle, err
}
