package ops

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple/appbundle"
	buildsettings "ios-agent/internal/apple/settings"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/op/brief"
	"ios-agent/internal/xcode/build"
)

func discoverSpec() op.Spec {
	s := tool("discover_projs", "Find the Xcode projects and workspaces below a folder", readOnly, inDiscovery, inDevice, inMac, inSimulator)
	s.Examples = []string{"discover-projs", "discover-projs --workspace-root . --max-depth 3"}
	return s
}

// DiscoverIn says where to look.
type DiscoverIn struct {
	Root  op.Path `json:"workspaceRoot,omitempty" doc:"folder to look in; the client's own if absent"`
	Scan  string  `json:"scanPath,omitempty" doc:"look only below this folder of it"`
	Depth int     `json:"maxDepth,omitempty" doc:"how many folders to go down; 0 is the folder itself" default:"5" min:"0" max:"100"`
}

// DiscoverOut is what was found.
type DiscoverOut struct {
	build.Found
	Root      string   `json:"root"`
	Notes     []string `json:"notes,omitempty"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text lists them.
func (o DiscoverOut) Text() string {
	lines := []string{fmt.Sprintf("%s, %s in %s", brief.Count(len(o.Workspaces), "workspace"), brief.Count(len(o.Projects), "project"), o.Root)}
	lines = append(lines, slices.Concat(o.Workspaces, o.Projects)...)
	for _, n := range o.Notes {
		lines = append(lines, "note: "+n)
	}
	return andNext(strings.Join(lines, "\n"), o.NextSteps)
}

func (b *builder) discover(_ context.Context, c *op.Call, in DiscoverIn) (DiscoverOut, error) {
	root := orDefault(string(in.Root), c.Dir)
	if root == "" {
		return DiscoverOut{}, fault.New(fault.PathError, "discover_projs: there is no folder to look in: give workspaceRoot").With("field", "workspaceRoot")
	}
	out := DiscoverOut{Root: root}
	scan := filepath.Join(root, in.Scan)
	if filepath.IsAbs(in.Scan) {
		scan = filepath.Clean(in.Scan)
	}
	if rel, err := filepath.Rel(root, scan); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		out.Notes = append(out.Notes, "scanPath lies outside of workspaceRoot; the root was searched instead")
		scan = root
	}
	found, err := build.Discover(scan, in.Depth)
	if err != nil {
		return out, err
	}
	out.Found = found
	for _, pair := range [][2]string{{"workspacePath", first(found.Workspaces)}, {"projectPath", first(found.Projects)}} {
		if pair[1] != "" && len(out.NextSteps) == 0 {
			out.NextSteps = []string{nextCall("list_schemes", pair[0], pair[1]), nextCall("session_set_defaults", pair[0], pair[1], "scheme", "SCHEME")}
		}
	}
	return out, nil
}

func first(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// SchemesIn names a project or workspace.
type SchemesIn struct{ ContainerIn }

// SchemesOut is what it has.
type SchemesOut struct {
	Schemes        []string `json:"schemes"`
	Targets        []string `json:"targets,omitempty"`
	Configurations []string `json:"configurations,omitempty"`
	Path           string   `json:"path"`
	NextSteps      []string `json:"nextSteps,omitempty"`
}

// Text lists the schemes.
func (o SchemesOut) Text() string {
	lines := append([]string{fmt.Sprintf("%s of %s", brief.Count(len(o.Schemes), "scheme"), filepath.Base(o.Path))}, o.Schemes...)
	if len(o.Configurations) > 0 {
		lines = append(lines, "configurations: "+strings.Join(o.Configurations, ", "))
	}
	return andNext(strings.Join(lines, "\n"), o.NextSteps)
}

func (b *builder) schemes(ctx context.Context, c *op.Call, in SchemesIn) (SchemesOut, error) {
	in, err := complete(b.sims.defaults, c, in, needsContainer)
	if err != nil {
		return SchemesOut{}, err
	}
	r := b.request(c, build.Build, SchemeIn{ContainerIn: in.ContainerIn}, HowIn{})
	list, err := b.engine.Schemes(ctx, r)
	if err != nil {
		return SchemesOut{}, err
	}
	out := SchemesOut{Schemes: append([]string{}, list.Schemes...), Targets: list.Targets, Configurations: list.Configurations, Path: r.Container()}
	if len(out.Schemes) > 0 {
		key := "projectPath"
		if in.Workspace != "" {
			key = "workspacePath"
		}
		out.NextSteps = []string{
			nextCall("build_run_sim", key, out.Path, "scheme", out.Schemes[0], "simulatorName", "SIMULATOR_NAME"),
			nextCall("build_macos", key, out.Path, "scheme", out.Schemes[0]),
			nextCall("show_build_settings", key, out.Path, "scheme", out.Schemes[0]),
		}
	}
	return out, nil
}

// SettingsIn says whose settings.
type SettingsIn struct {
	ContainerIn
	Scheme        string `json:"scheme,omitempty" doc:"the scheme; list_schemes shows them"`
	Configuration string `json:"configuration,omitempty" doc:"the build configuration; Debug if neither the call nor a default says otherwise"`
	Filter        string `json:"filter,omitempty" doc:"only settings whose name holds this, case ignored"`
}

// SettingsOut is the settings of every target of the scheme.
type SettingsOut struct {
	buildsettings.List
	NextSteps []string `json:"nextSteps,omitempty"`

	filter string
}

// settingsLimit is the size of the text; a scheme has thousands of settings.
const settingsLimit = 6000

// Text shows the settings one asks for most, or those that were asked for.
func (o SettingsOut) Text() string {
	if o.filter == "" {
		return andNext(o.List.Text(0)+"\n--json has all of them, filter picks some", o.NextSteps)
	}
	w := brief.New(settingsLimit)
	for _, t := range o.Targets {
		w.Linef("%s: %s match %q", t.Target, brief.Count(len(t.Settings), "setting"), o.filter)
		names := sortedKeys(t.Settings)
		w.List("settings", len(names), func(i int) []string { return []string{"  " + names[i] + " = " + t.Settings[names[i]]} })
	}
	return w.String()
}

func (b *builder) settings(ctx context.Context, c *op.Call, in SettingsIn) (SettingsOut, error) {
	in, err := complete(b.sims.defaults, c, in, needsScheme, needsContainer)
	if err != nil {
		return SettingsOut{}, err
	}
	r := b.request(c, build.Build, SchemeIn{in.ContainerIn, in.Scheme, in.Configuration}, HowIn{})
	list, err := b.engine.Settings(ctx, r, false)
	if err != nil {
		return SettingsOut{}, err
	}
	for i := range list.Targets {
		for name := range list.Targets[i].Settings {
			if !strings.Contains(strings.ToLower(name), strings.ToLower(in.Filter)) {
				delete(list.Targets[i].Settings, name)
			}
		}
	}
	return SettingsOut{List: *list, filter: in.Filter, NextSteps: []string{nextCall("build_sim", "scheme", in.Scheme), nextCall("list_schemes")}}, nil
}

func bundleSpec(name, summary string, groups ...string) op.Spec {
	s := tool(name, summary, readOnly, groups...)
	s.Examples = []string{s.Verb + " --app-path ./Shop.app"}
	return s
}

// BundleIn names an app.
type BundleIn struct {
	App op.Path `json:"appPath" doc:"path of the .app folder" cli:"arg"`
}

// BundleOut is its identifier.
type BundleOut struct {
	BundleID  string   `json:"bundleId"`
	AppPath   string   `json:"appPath"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is the identifier.
func (o BundleOut) Text() string { return andNext(o.BundleID, o.NextSteps) }

func (b *builder) appBundle(_ context.Context, _ *op.Call, in BundleIn) (BundleOut, error) {
	id, err := bundleID(string(in.App))
	return BundleOut{id, string(in.App), []string{
		nextCall("install_app_sim", "appPath", in.App), nextCall("launch_app_sim", "bundleId", id),
		nextCall("install_app_device", "appPath", in.App), nextCall("launch_app_device", "bundleId", id),
	}}, err
}

func (b *builder) macBundle(_ context.Context, _ *op.Call, in BundleIn) (BundleOut, error) {
	id, err := bundleID(string(in.App))
	return BundleOut{BundleID: id, AppPath: string(in.App)}, err
}

// bundleID reads an app's identifier; what is wrong with the app is said with its path.
func bundleID(path string) (string, error) {
	id, err := appbundle.ID(path)
	if err != nil {
		return "", fault.New(fault.PathError, "%w", err).With("field", "appPath")
	}
	return id, nil
}
