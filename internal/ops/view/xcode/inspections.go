package xcode

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/xcode/builder"
)

// inspections are the tools that inspect projects and built apps.
func (v views) inspections() []op.Op {
	bundle := func(row op.Spec, summary string, groups ...string) op.Spec {
		return example(tool(row, summary, readOnly, groups...), strings.ReplaceAll(row.Name, "_", "-")+" --app-path ./Shop.app")
	}
	return []op.Op{
		op.New(example(tool(DiscoverProjs,
			"Find the Xcode projects and workspaces below a folder", readOnly, inDiscovery, inDevice, inMac, inSimulator),
			"discover-projs", "discover-projs --workspace-root . --max-depth 3"), v.discoverProjects),
		op.New(v.completed(example(asking(listSchemes,
			"List the schemes of a project or workspace", inDiscovery, inDevice, inMac, inSimulator),
			"list-schemes --project-path Shop.xcodeproj"), complete.Completion{Require: []config.Requirement{needsContainer}}), v.listSchemes),
		op.New(v.completed(example(asking(showBuildSettings,
			"Show the build settings of a scheme",
			inDiscovery, inDevice, inMac, inSimulator), "show-build-settings --project-path Shop.xcodeproj --scheme Shop",
			"show-build-settings --scheme Shop --filter SWIFT", "show-build-settings --scheme Shop --page 1"),
			complete.Completion{Require: []config.Requirement{needsScheme, needsContainer}}), v.showSettings),
		op.New(bundle(getAppBundleID, "Read the bundle id of an app for iOS, watchOS, tvOS or visionOS",
			inDiscovery, inDevice, inSimulator), v.appBundle),
		op.New(bundle(getMacBundleID, "Read the bundle id of a macOS app", inDiscovery, inMac), v.macBundle),
	}
}

type discoverProjectsIn struct {
	Root  op.Path `json:"workspaceRoot,omitempty" doc:"folder to search (default: the client's)"`
	Scan  string  `json:"scanPath,omitempty" doc:"subfolder to search"`
	Depth int     `json:"maxDepth,omitempty" doc:"levels of folders to descend; 0: the folder itself" default:"5" min:"0" max:"100"`
}

type discoverProjectsOut struct {
	builder.Found
	Root      string   `json:"root"`
	Notes     []string `json:"notes,omitempty"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text lists the workspaces and projects.
func (o discoverProjectsOut) Text() string {
	workspaces, projects := brief.Count(len(o.Workspaces), "workspace"), brief.Count(len(o.Projects), "project")
	lines := []string{fmt.Sprintf("%s, %s in %s", workspaces, projects, o.Root)}
	for _, path := range slices.Concat(o.Workspaces, o.Projects) {
		lines = append(lines, oneline.Head(path))
	}
	return andNext(withNotes(strings.Join(lines, "\n"), o.Notes), o.NextSteps)
}

func (v views) discoverProjects(ctx context.Context, c *op.Call, in discoverProjectsIn) (discoverProjectsOut, error) {
	found, err := v.core.Builds.Discover(ctx, c, builds.DiscoverIn{Root: in.Root, Below: in.Scan, Depth: in.Depth})
	out := discoverProjectsOut{Found: found.Found, Root: found.Root}
	if err != nil {
		return out, err
	}
	if found.Outside {
		out.Notes = append(out.Notes, "scanPath is outside workspaceRoot; workspaceRoot was searched instead")
	}
	key, first := "workspacePath", out.Workspaces
	if len(first) == 0 {
		key, first = "projectPath", out.Projects
	}
	if len(first) > 0 {
		out.NextSteps = []string{nextCall(listSchemes, key, first[0]), nextCall(setDefaults, key, first[0], "scheme", "SCHEME")}
	}
	return out, nil
}

type listSchemesOut struct {
	Schemes        []string `json:"schemes"`
	Targets        []string `json:"targets,omitempty"`
	Configurations []string `json:"configurations,omitempty"`
	Path           string   `json:"path"`
	NextSteps      []string `json:"nextSteps,omitempty"`
}

// Text lists the schemes.
func (o listSchemesOut) Text() string {
	lines := []string{fmt.Sprintf("%s of %s", brief.Count(len(o.Schemes), "scheme"), filepath.Base(o.Path))}
	for _, name := range o.Schemes {
		lines = append(lines, oneline.Head(name))
	}
	if len(o.Configurations) > 0 {
		lines = append(lines, "configurations: "+strings.Join(o.Configurations, ", "))
	}
	return andNext(strings.Join(lines, "\n"), o.NextSteps)
}

func (v views) listSchemes(ctx context.Context, c *op.Call, in containerIn) (listSchemesOut, error) {
	list, err := v.core.Builds.Schemes(ctx, c, builds.Project{Project: in.Project, Workspace: in.Workspace})
	if err != nil {
		return listSchemesOut{}, err
	}
	key, path := "projectPath", string(in.Project)
	if in.Workspace != "" {
		key, path = "workspacePath", string(in.Workspace)
	}
	out := listSchemesOut{Schemes: append([]string{}, list.Schemes...), Targets: list.Targets, Configurations: list.Configurations, Path: path}
	if len(out.Schemes) > 0 {
		out.NextSteps = []string{
			nextCall(buildRunSim, key, path, "scheme", out.Schemes[0], "simulatorName", "SIMULATOR_NAME"),
			nextCall(buildMacOS, key, path, "scheme", out.Schemes[0]),
			nextCall(showBuildSettings, key, path, "scheme", out.Schemes[0]),
		}
	}
	return out, nil
}

type showSettingsIn struct {
	schemeIn
	Filter string `json:"filter,omitempty" doc:"only settings whose name contains this word or matches it (* and ?)"`
	Page   int    `json:"page,omitempty" doc:"page of all settings, from 1" min:"1"`
}

type showSettingsOut struct {
	*builder.Settings
	NextSteps []string `json:"nextSteps,omitempty"`

	text string `lines:"ours"`
}

// settingsPage is the size of a page in bytes: a scheme has thousands of settings.
const settingsPage = 6000

// Text shows the most used settings, or a page of all settings or of the filtered settings.
func (o showSettingsOut) Text() string {
	return andNext(o.text, o.NextSteps)
}

func (v views) showSettings(ctx context.Context, c *op.Call, in showSettingsIn) (showSettingsOut, error) {
	list, err := v.core.Builds.Settings(ctx, c, in.project(), in.Filter)
	if err != nil {
		return showSettingsOut{Settings: &builder.Settings{}}, err
	}
	out := showSettingsOut{Settings: list}
	if in.Filter == "" && in.Page == 0 {
		out.NextSteps = []string{v.again(c, in, buildSim), v.again(c, in, listSchemes)}
		out.text = oneline.Draw(list, func(s *builder.Settings) string { return s.Text(0) }) +
			"\n… all settings: " + nextCall(showBuildSettings, "page", 1) + "; " + hint.Field("filter") + " picks settings by a word"
		return out, nil
	}
	out.text = oneline.Draw(list, func(list *builder.Settings) (text string) { text, err = in.page(list); return text })
	return out, err
}

// page is the requested page and, unless it is the last page, the call for the next one.
func (in showSettingsIn) page(list *builder.Settings) (string, error) {
	pages, n := list.Pages(settingsPage), max(in.Page, 1)
	if n > len(pages) {
		return "", fault.New(fault.InvalidInput, "unknown page %d: there are %d", n, len(pages)).With("field", "page")
	}
	if n == len(pages) {
		return pages[n-1], nil
	}
	next := []any{"page", n + 1}
	if in.Filter != "" {
		next = append(next, "filter", in.Filter)
	}
	return fmt.Sprintf("%s\n… page %d of %d, the next: %s", pages[n-1], n, len(pages), nextCall(showBuildSettings, next...)), nil
}

type bundleIn struct {
	App op.Path `json:"appPath" doc:"path of the .app bundle" cli:"arg"`
}

type bundleOut struct {
	BundleID  string   `json:"bundleId"`
	AppPath   string   `json:"appPath"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is the bundle id and the next steps.
func (o bundleOut) Text() string { return andNext(o.BundleID, o.NextSteps) }

func (v views) appBundle(_ context.Context, _ *op.Call, in bundleIn) (bundleOut, error) {
	id, err := v.core.Builds.BundleID(in.App)
	return bundleOut{id, string(in.App), []string{
		nextCall(installAppSim, "appPath", in.App), nextCall(launchAppSim, "bundleId", id),
		nextCall(installAppDevice, "appPath", in.App), nextCall(launchAppDevice, "bundleId", id),
	}}, err
}

func (v views) macBundle(_ context.Context, _ *op.Call, in bundleIn) (bundleOut, error) {
	id, err := v.core.Builds.BundleID(in.App)
	return bundleOut{BundleID: id, AppPath: string(in.App)}, err
}
