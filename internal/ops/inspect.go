package ops

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

// DiscoverIn says where to look for projects.
type DiscoverIn struct {
	Root  op.Path // the client's own folder if empty
	Below string  // only below this folder of it
	Depth int     // how many folders to go down
}

// DiscoverOut is what was found.
type DiscoverOut struct {
	build.Found
	Root    string
	Outside bool // Below lies outside of Root, which was searched instead
}

// Discover finds the Xcode projects and workspaces below a folder.
func (b *Builds) Discover(_ context.Context, c *op.Call, in DiscoverIn) (DiscoverOut, error) {
	root := cmp.Or(string(in.Root), c.Dir)
	if root == "" {
		return DiscoverOut{}, fault.New(fault.PathError, "there is no folder to look in: this client works in none")
	}
	out := DiscoverOut{Root: root}
	scan := filepath.Join(root, in.Below)
	if filepath.IsAbs(in.Below) {
		scan = filepath.Clean(in.Below)
	}
	if rel, err := filepath.Rel(root, scan); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		out.Outside, scan = true, root
	}
	found, err := build.Discover(scan, in.Depth)
	out.Found = found
	return out, err
}

// Schemes are the schemes, targets and configurations of a project or workspace.
func (b *Builds) Schemes(ctx context.Context, c *op.Call, p Project) (*build.Schemes, error) {
	return b.engine.Schemes(ctx, b.request(c, build.Build, p, BuildHow{}))
}

// Settings are the build settings of a scheme whose names hold a text, case ignored.
func (b *Builds) Settings(ctx context.Context, c *op.Call, p Project, filter string) (*build.Settings, error) {
	list, err := b.engine.Settings(ctx, b.request(c, build.Build, p, BuildHow{}), false)
	if err != nil {
		return nil, err
	}
	for i := range list.Targets {
		for name := range list.Targets[i].Settings {
			if !strings.Contains(strings.ToLower(name), strings.ToLower(filter)) {
				delete(list.Targets[i].Settings, name)
			}
		}
	}
	return list, nil
}

// BundleID reads the identifier of an app.
func (b *Builds) BundleID(app op.Path) (string, error) { return build.BundleID(string(app)) }

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
