// Package builds has the operations on Xcode projects and Swift packages: build, test, coverage, what was built before. xcode/choose finds
// what a call does not name, and the answer says which and why. The work is done by xcode/builder.
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

// Builds builds, tests and inspects Xcode projects, and runs what was built.
type Builds struct {
	d     Deps
	tests lastRuns
}

// Deps are what builds and tests work with.
type Deps struct {
	Access   access.Access
	Engine   *builder.Engine
	Packages *swiftpackage.Service
	Store    *telemetry.Store // keeps what came of builds; nil keeps nothing
	Now      func() time.Time
}

// New makes the operations on Xcode projects.
func New(d Deps) *Builds {
	return &Builds{d: d, tests: lastRuns{bundles: recent.Map[string, string]{Most: mostSessions}}}
}

// Project says what is built: a project or a workspace, a scheme, a configuration.
type Project struct {
	Project, Workspace    op.Path
	Scheme, Configuration string
}

// How says how it is built.
type How struct {
	DerivedData op.Path
	ExtraArgs   []string
	NoWarnings  bool // in the answer
}

// In is a build.
type In struct {
	Project
	How
	On         choose.Destination
	ForTesting bool
	Products   op.Path // of a build for testing: where its products go
}

// Out is what came of a build, and of what followed it.
type Out struct {
	builder.Report
	Outline string   `json:"outline,omitempty" lines:"ours"` // of the first screen
	Notes   []string `json:"notes,omitempty"`

	fault *fault.Fault
}

// Text is what a reader needs to go on.
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

// Fault is the build's own, or that of the step after it that failed.
func (o Out) Fault() *fault.Fault {
	if o.fault != nil {
		return o.fault
	}
	return o.Report.Fault()
}

// Stopped notes a step after the build that failed.
func (o Out) Stopped(what string, err error) Out {
	o.fault = fault.From(err).Within(what)
	return o
}

// Build builds.
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

// BuildApp builds an app that is going to run: the answer has its path. A destination that cannot run it is refused before a build that
// may take hours.
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
		r.Destination.ID = "" // one build runs on every device
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

// AppLogs are new files for what an app that is about to be launched prints.
func (b *Builds) AppLogs(app string) (stdout, stderr string, err error) {
	logs, err := b.d.Engine.NewAppLogs(app)
	return logs.Stdout, logs.Stderr, err
}

// nameProduct adds the app that was built, and its bundle id. A scheme may build something else: then there is none to name.
func (b *Builds) nameProduct(ctx context.Context, r builder.Request, on choose.Place, out *Out) {
	app, err := b.d.Engine.App(ctx, r, on.Kind != choose.OnMac || on.Arch != "")
	if err != nil || !app.Built() {
		return
	}
	out.Artifacts.AppPath, out.Artifacts.BundleID = app.Path, app.BundleID
	if id, err := builder.BundleID(app.Path); err == nil {
		out.Artifacts.BundleID = id // the settings may leave a variable in it
	}
}

// Clean removes what building a project left.
func (b *Builds) Clean(ctx context.Context, c *op.Call, in In) (Out, error) {
	r := b.request(c, builder.Clean, in.Project, in.How)
	r.Destination = builder.Destination{Platform: in.On.Platform}
	return b.do(ctx, c, r, choose.Place{}, in.NoWarnings)
}

// AppPathOut is where a scheme's app is.
type AppPathOut struct {
	Path     string
	BundleID string
	Target   string
	Exists   bool // it was built
}

// AppPath tells where the app of a build is.
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

// place finds what a build goes to, and notes the device on the answer.
func (b *Builds) place(ctx context.Context, c *op.Call, d choose.Destination) (choose.Place, error) {
	on, err := d.Find(ctx, b.d.Access.Pool)
	if on.Device != nil {
		c.Device = &op.Device{UDID: on.Device.UDID, Name: on.Device.Name}
	}
	return on, err
}

// request makes the engine's request of the common inputs.
func (b *Builds) request(c *op.Call, a builder.Action, p Project, h How) builder.Request {
	return builder.Request{
		Action: a, Project: string(p.Project), Workspace: string(p.Workspace), Scheme: p.Scheme, Configuration: p.Configuration,
		DerivedData: string(h.DerivedData), ExtraArgs: h.ExtraArgs, Env: toolEnv(c),
	}
}

// toolEnv is what of a client's environment Apple's tools see.
func toolEnv(c *op.Call) map[string]string {
	env := maps.Clone(c.Env)
	maps.DeleteFunc(env, func(name, _ string) bool { return name != "DEVELOPER_DIR" && name != "SSH_AUTH_SOCK" })
	return env
}

// do runs a request and writes the answer.
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

// progress hands the engine's progress to the caller.
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
	return Out{Report: *report}
}
