package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple/appbundle"
	"ios-agent/internal/apple/schemes"
	"ios-agent/internal/apple/settings"
	"ios-agent/internal/apple/toolerror"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

// askTimeout is the time limit of a query. xcodebuild may resolve packages first, and clone them.
const askTimeout = 10 * time.Minute

// maxAnswer is the maximum size of an answer: the settings of a hundred targets take some megabytes.
const maxAnswer = 64 << 20

// ask runs a program that answers on stdout.
func (e *Engine) ask(ctx context.Context, tool string, args []string, dir string, env map[string]string) ([]byte, error) {
	result, err := e.o.Run.Run(ctx, host.Cmd{Name: e.o.Tools.Tool(tool), Args: args, Dir: dir, Env: pairs(env, ""),
		Timeout: askTimeout, MaxOutput: maxAnswer})
	var exit *host.ExitError
	if errors.As(err, &exit) && result.Signal == "" && !toolfault.NoXcode(err) {
		name := tool
		if tool == "xcrun" {
			name = args[0]
		}
		report := toolerror.Of(name, result.ExitCode, result.Stderr)
		return result.Stdout, fault.New(fault.ToolFailed, "%s: %s", name, cmp.Or(report.Text(refusalLimit), fmt.Sprintf("exit %d", exit.Code))).
			With("exit", exit.Code).With("command", append([]string{tool}, args...))
	}
	return result.Stdout, toolfault.Of(err)
}

// check refuses an invalid request before any tool runs.
func check(r Request) error {
	if r.Action == TestPrepared {
		for field, path := range map[string]string{"testProductsPath": r.Products, "xctestrunPath": r.TestRun} {
			if _, err := os.Stat(path); path != "" && err != nil {
				return fault.New(fault.PathError, "%s %s does not exist", field, path).With("field", field)
			}
		}
		return CheckExtraArgs(r.ExtraArgs)
	}
	if err := CheckContainer(r.Project, r.Workspace); err != nil {
		return err
	}
	return CheckExtraArgs(r.ExtraArgs)
}

// CheckContainer refuses a missing path, and a path of something else than a project or workspace.
func CheckContainer(project, workspace string) error {
	if project != "" && workspace != "" {
		return fault.New(fault.InvalidInput, "projectPath and workspacePath exclude each other").WithHint("give one of them")
	}
	path, field, ext := project, "projectPath", ".xcodeproj"
	if workspace != "" {
		path, field, ext = workspace, "workspacePath", ".xcworkspace"
	}
	info, err := os.Stat(path)
	switch {
	case path == "":
		return fault.New(fault.ProjectNotFound, "the request names neither a project nor a workspace")
	case errors.Is(err, fs.ErrNotExist):
		return missing(field, path, ext)
	case err != nil:
		return fault.New(fault.PathError, "%s: %w", field, err)
	case !info.IsDir() || filepath.Ext(filepath.Clean(path)) != ext:
		f := fault.New(fault.ProjectNotFound, "%s %s must be an %s folder", field, path, ext).With("field", field)
		if inside := siblings(path, ext); info.IsDir() && len(inside) > 0 {
			return f.WithHint("the folder contains %s", strings.Join(inside, ", "))
		}
		return f
	}
	return nil
}

func missing(field, path, ext string) error {
	f := fault.New(fault.ProjectNotFound, "%s %s does not exist", field, path).With("field", field)
	if near := nearest.To(filepath.Base(path), siblings(filepath.Dir(path), ext), 3); len(near) > 0 {
		return f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return f
}

// siblings are the entries of a folder with an ending.
func siblings(dir, ext string) []string {
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ext {
			names = append(names, e.Name())
		}
	}
	return names
}

// Schemes are the schemes, targets and configurations of a project or workspace.
type Schemes = schemes.List

// Settings are the build settings of each target of a scheme.
type Settings = settings.List

// TargetSettings are the build settings of one target.
type TargetSettings = settings.Target

// Schemes lists the schemes, targets and configurations of a project or workspace.
func (e *Engine) Schemes(ctx context.Context, r Request) (*Schemes, error) {
	if err := CheckContainer(r.Project, r.Workspace); err != nil {
		return nil, err
	}
	option, path := r.container()
	out, err := e.ask(ctx, "xcodebuild", []string{"-list", "-json", option, path}, r.folder(), r.Env)
	if err != nil {
		return nil, err
	}
	list, err := schemes.Read(out)
	if err != nil {
		return nil, fault.New(fault.ToolFailed, "xcodebuild -list: %w", err)
	}
	return list, nil
}

// schemeFault is a fault if the project lacks the scheme. It is nil if the schemes are unknown.
func (e *Engine) schemeFault(ctx context.Context, r Request) error {
	if r.Scheme == "" || r.Container() == "" {
		return nil
	}
	list, err := e.Schemes(ctx, r)
	if err != nil || slices.Contains(list.Schemes, r.Scheme) {
		return nil
	}
	return UnknownScheme(r.Scheme, filepath.Base(r.Container()), list.Schemes)
}

// UnknownScheme is the fault for an unknown scheme; it lists the known schemes.
func UnknownScheme(name, container string, known []string) error {
	f := fault.New(fault.SchemeNotFound, "%s has no scheme %q", container, name).With("schemes", known)
	switch near := nearest.To(name, known, 3); {
	case len(near) > 0:
		return f.WithHint("did you mean %s?", strings.Join(near, " or "))
	case len(known) > 0:
		return f.WithHint("the schemes are %s", strings.Join(known[:min(len(known), 20)], ", "))
	}
	return f.WithHint("share a scheme in Xcode, or let Xcode create the schemes")
}

// Settings reads the build settings of a scheme; with destination, for the destination of the request.
func (e *Engine) Settings(ctx context.Context, r Request, destination bool) (*Settings, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	out, err := e.ask(ctx, "xcodebuild", r.settingsArgs(e.derivedData(r), destination), r.folder(), r.Env)
	if err != nil {
		if known := e.schemeFault(ctx, r); known != nil {
			return nil, known
		}
		return nil, err
	}
	list, err := settings.Read(out)
	if err != nil {
		return nil, fault.New(fault.ToolFailed, "xcodebuild -showBuildSettings: %w", err)
	}
	return list, nil
}

// Product is an app that a scheme builds.
type Product struct {
	Path     string // path of the .app
	BundleID string // from the settings; the built app's Info.plist may differ
	Target   string
}

// Built reports whether the product exists.
func (p Product) Built() bool {
	_, err := os.Stat(p.Path)
	return err == nil
}

// App finds the app that a request builds. The settings are of several targets, and the first may be a dependency: App prefers the
// target with the scheme's name, then any app.
func (e *Engine) App(ctx context.Context, r Request, destination bool) (Product, error) {
	list, err := e.Settings(ctx, r, destination)
	if err != nil {
		return Product{}, err
	}
	var found *TargetSettings
	for i := range list.Targets {
		t := &list.Targets[i]
		if filepath.Ext(t.Product()) != ".app" {
			continue
		}
		if found == nil || t.Target == r.Scheme {
			found = t
		}
	}
	if found == nil {
		return Product{}, fault.New(fault.AppNotFound, "the scheme %s does not build an app", r.Scheme).
			WithHint("name a scheme of an app; %s lists the schemes", hint.Do("list_schemes"))
	}
	return Product{Path: found.Product(), BundleID: found.Settings["PRODUCT_BUNDLE_IDENTIFIER"], Target: found.Target}, nil
}

// BundleID reads the bundle id from an app folder.
func BundleID(app string) (string, error) {
	id, err := appbundle.ID(app)
	if err != nil {
		return "", fault.New(fault.PathError, "%w", err).With("field", "appPath")
	}
	return id, nil
}
