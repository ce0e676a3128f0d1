// Package builds offers the operations on Xcode projects and Swift packages: build, test, coverage, and the list of earlier builds. Builds
// is its main type. Package xcode/choose picks the project, scheme and simulator that a call does not name, and the answer says which and
// why. Package xcode/builder runs xcodebuild; this package must not run it itself.
package builds

import (
	"context"
	"maps"
	"path/filepath"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/op/recent"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/choose"
	"ios-agent/internal/xcode/swiftpackage"
)

// Builds builds, tests and inspects Xcode projects.
type Builds struct {
	d     Deps
	tests lastRuns
}

// Deps are the services that builds and tests use.
type Deps struct {
	Access   access.Access
	Engine   *builder.Engine
	Packages *swiftpackage.Service
	Store    *telemetry.Store // stores the results of builds; nil: they are not stored
	Now      func() time.Time
}

// New makes the operations on Xcode projects.
func New(d Deps) *Builds {
	return &Builds{d: d, tests: lastRuns{bundles: recent.Map[string, string]{Most: mostSessions}}}
}

// Project names a project or a workspace, a scheme and a configuration.
type Project struct {
	Project, Workspace    op.Path
	Scheme, Configuration string
}

// How has the options of a build.
type How struct {
	DerivedData op.Path
	ExtraArgs   []string
	NoWarnings  bool // leave warnings out of the answer
}

// In is a build.
type In struct {
	Project
	How
	On         choose.Destination
	ForTesting bool
	Products   op.Path // folder for the products of a build for testing
}

// Out is the result of a build and of the steps after it.
type Out struct {
	builder.Report
	Outline string   `json:"outline,omitempty" lines:"ours"` // of the first screen
	Notes   []string `json:"notes,omitempty"`

	fault *fault.Fault
}

// Text is the report, the notes and the outline.
func (o Out) Text() string {
	text := o.Report.Text()
	for _, n := range o.Notes {
		text += "\nnote: " + n
	}
	if o.Outline != "" {
		text += "\n" + o.Outline
	}
	return text
}

// Fault is the fault of the build, or of the step after it that failed.
func (o Out) Fault() *fault.Fault {
	if o.fault != nil {
		return o.fault
	}
	return o.Report.Fault()
}

// Stopped adds the fault of a step after the build.
func (o Out) Stopped(what string, err error) Out {
	o.fault = fault.From(err).Within(what)
	return o
}

// Build builds a scheme.
func (b *Builds) Build(ctx context.Context, c *op.Call, in In) (Out, error) {
	on, err := b.place(ctx, c, in.On)
	if err != nil {
		return Out{}, err
	}
	r := b.request(c, builder.Build, in.Project, in.How)
	if in.ForTesting {
		r.Action, r.Products = builder.BuildForTesting, string(in.Products)
	}
	r.Destination = on.Destination
	out, err := b.do(ctx, c, r, on, in.NoWarnings)
	if err == nil && out.Fault() == nil && r.Action == builder.Build {
		b.nameProduct(ctx, r, on, &out)
	}
	return out, err
}

// BuildApp builds an app to run; the answer has its path. It refuses a destination that cannot run the app before the build, which may
// take hours.
func (b *Builds) BuildApp(ctx context.Context, c *op.Call, in In) (Out, choose.Place, error) {
	on, err := b.place(ctx, c, in.On)
	if err == nil && on.Unknown != nil {
		err = fault.From(on.Unknown).Within("the app cannot run on " + on.Words)
	}
	if err != nil {
		return Out{}, on, err
	}
	r := b.request(c, builder.Build, in.Project, in.How)
	r.Destination = on.Destination
	if on.Kind == choose.OnDevice {
		r.Destination.ID = "" // the same build runs on all devices
	}
	out, err := b.do(ctx, c, r, on, in.NoWarnings)
	if err != nil || out.Fault() != nil {
		return out, on, err
	}
	app, err := b.d.Engine.App(ctx, r, on.Kind != choose.OnMac || on.Arch != "")
	if err != nil {
		return out.Stopped("the app was built, but it cannot be found", err), on, nil
	}
	out.Artifacts.AppPath = app.Path
	return out, on, nil
}

// AppLogs makes new files for the output of an app that is about to be launched.
func (b *Builds) AppLogs(app string) (stdout, stderr string, err error) {
	logs, err := b.d.Engine.NewAppLogs(app)
	return logs.Stdout, logs.Stderr, err
}

// nameProduct adds the path and the bundle id of the built app. It adds nothing if the scheme builds no app.
func (b *Builds) nameProduct(ctx context.Context, r builder.Request, on choose.Place, out *Out) {
	app, err := b.d.Engine.App(ctx, r, on.Kind != choose.OnMac || on.Arch != "")
	if err != nil || !app.Built() {
		return
	}
	out.Artifacts.AppPath, out.Artifacts.BundleID = app.Path, app.BundleID
	if id, err := builder.BundleID(app.Path); err == nil {
		out.Artifacts.BundleID = id // the build settings may have an unexpanded variable in it
	}
}

// Clean removes the build products of a project.
func (b *Builds) Clean(ctx context.Context, c *op.Call, in In) (Out, error) {
	r := b.request(c, builder.Clean, in.Project, in.How)
	r.Destination = builder.Destination{Platform: in.On.Platform}
	return b.do(ctx, c, r, choose.Place{}, in.NoWarnings)
}

// AppPathOut is the path of a scheme's app.
type AppPathOut struct {
	Path     string
	BundleID string
	Target   string
	Exists   bool // the app was built
}

// AppPath finds the path of a scheme's app.
func (b *Builds) AppPath(ctx context.Context, c *op.Call, in In) (AppPathOut, error) {
	on, err := b.place(ctx, c, in.On)
	if err != nil {
		return AppPathOut{}, err
	}
	r := b.request(c, builder.Build, in.Project, in.How)
	r.Destination = on.Destination
	app, err := b.d.Engine.App(ctx, r, in.On.Kind != choose.OnMac || in.On.Arch != "")
	if err != nil {
		return AppPathOut{}, err
	}
	return AppPathOut{Path: app.Path, BundleID: app.BundleID, Target: app.Target, Exists: app.Built()}, nil
}

// place finds the destination of a build and notes the device on the answer.
func (b *Builds) place(ctx context.Context, c *op.Call, d choose.Destination) (choose.Place, error) {
	on, err := d.Find(ctx, b.d.Access.Pool)
	if on.Device != nil {
		c.Device = &op.Device{UDID: on.Device.UDID, Name: on.Device.Name}
	}
	return on, err
}

// request makes the engine's request from the common inputs.
func (b *Builds) request(c *op.Call, a builder.Action, p Project, h How) builder.Request {
	return builder.Request{
		Action: a, Project: string(p.Project), Workspace: string(p.Workspace), Scheme: p.Scheme, Configuration: p.Configuration,
		DerivedData: string(h.DerivedData), ExtraArgs: h.ExtraArgs, Env: toolEnv(c),
	}
}

// toolEnv is the part of the client's environment that Apple's tools get.
func toolEnv(c *op.Call) map[string]string {
	env := maps.Clone(c.Env)
	maps.DeleteFunc(env, func(name, _ string) bool { return name != "DEVELOPER_DIR" && name != "SSH_AUTH_SOCK" })
	return env
}

// do runs a request, stores its result and makes the answer.
func (b *Builds) do(ctx context.Context, c *op.Call, r builder.Request, on choose.Place, quiet bool) (Out, error) {
	out, err := b.d.Engine.Do(ctx, r, progress(c))
	if err != nil {
		return Out{}, err
	}
	if out.Bundle != "" {
		b.tests.keep(c.Session, out.Bundle)
	}
	said := answer(c, out, on, quiet)
	b.keep(ctx, c, out, said)
	return said, nil
}

// progress reports the engine's progress to the caller.
func progress(c *op.Call) func(builder.Progress) {
	return func(p builder.Progress) { c.Report(op.Event{Message: p.Message, Done: p.Done, Total: p.Total}) }
}

func answer(c *op.Call, out *builder.Outcome, on choose.Place, quiet bool) Out {
	dir := c.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
		dir = real
	}
	report := out.Report(builder.Style{Dir: dir, Target: on.Kind, On: on.Words, NoWarnings: quiet})
	report.Request.Sources = c.Sources
	switch on.Kind {
	case choose.OnSimulator:
		report.Artifacts.SimulatorID = on.ID
	case choose.OnDevice:
		report.Artifacts.DeviceID = on.ID
	}
	return Out{Report: *report, Notes: out.Notes()}
}
