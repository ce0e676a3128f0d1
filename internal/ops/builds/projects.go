package builds

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/scaffold"
)

// DiscoverIn says where to search for projects.
type DiscoverIn struct {
	Root  op.Path // the client's working folder if empty
	Below string  // a folder in Root to search instead of all of it
	Depth int     // maximum depth of folders
}

// DiscoverOut is the result of the search.
type DiscoverOut struct {
	builder.Found
	Root    string
	Outside bool // Below lies outside of Root, which was searched instead
}

// Discover finds the Xcode projects and workspaces below a folder.
func (b *Builds) Discover(_ context.Context, c *op.Call, in DiscoverIn) (DiscoverOut, error) {
	root := cmp.Or(string(in.Root), c.Dir)
	if root == "" {
		return DiscoverOut{}, fault.New(fault.PathError, "cannot search for projects: this client has no working folder").
			WithHint("name the folder with %s", hint.Field("workspaceRoot"))
	}
	out := DiscoverOut{Root: root}
	scan := filepath.Join(root, in.Below)
	if filepath.IsAbs(in.Below) {
		scan = filepath.Clean(in.Below)
	}
	if rel, err := filepath.Rel(root, scan); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		out.Outside, scan = true, root
	}
	found, err := builder.Discover(scan, in.Depth)
	out.Found = found
	return out, err
}

// Schemes are the schemes, targets and configurations of a project or workspace.
func (b *Builds) Schemes(ctx context.Context, c *op.Call, p Project) (*builder.Schemes, error) {
	return b.d.Engine.Schemes(ctx, b.request(c, builder.Build, p, How{}))
}

// Settings are the build settings of a scheme whose names contain a word or match a pattern with * and ?.
func (b *Builds) Settings(ctx context.Context, c *op.Call, p Project, filter string) (*builder.Settings, error) {
	list, err := b.d.Engine.Settings(ctx, b.request(c, builder.Build, p, How{}), false)
	if err != nil {
		return nil, err
	}
	list.Only(filter)
	return list, nil
}

// BundleID reads the identifier of an app.
func (b *Builds) BundleID(app op.Path) (string, error) { return builder.BundleID(string(app)) }

// Projects writes new Xcode projects.
type Projects struct{}

// Scaffold writes a project from the templates in the binary.
func (Projects) Scaffold(dir op.Path, on scaffold.Platform, o scaffold.Options) (scaffold.Written, error) {
	return scaffold.Write(string(dir), on, o)
}
