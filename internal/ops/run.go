package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple/destinations"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

func (b *builder) runOps() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "run", Groups: []string{"app"}, Verb: "run", Route: "POST /api/v1/run", Default: true, Long: true, Timeout: buildTimeout,
			Summary: "Build the app at hand, launch it on a simulator and show its first screen",
			Help: "The project is looked for in the working folder, above and below it; the scheme and the simulator are chosen, and the answer says\n" +
				"which and why, unless the call or a session default names them. A build that fails answers with what there is to mend.",
			Next: []string{"snapshot", "tap_element"}, Examples: []string{"run", `run --scheme Shop --simulator-name "iPhone 16 Pro"`},
		}, b.run),
	}
}

// RunIn may name what would be chosen otherwise. It is in the default tool set, where every word costs every model: what
// else a build can be told has its place in session defaults and in build_run_sim.
type RunIn struct {
	Project       op.Path   `json:"projectPath,omitempty" doc:"the .xcodeproj"`
	Workspace     op.Path   `json:"workspacePath,omitempty" doc:"or the .xcworkspace"`
	Scheme        string    `json:"scheme,omitempty" doc:"the scheme"`
	Configuration string    `json:"configuration,omitempty" doc:"else Debug"`
	ID            string    `json:"simulatorId,omitempty" doc:"the simulator's udid"`
	Name          string    `json:"simulatorName,omitempty" doc:"or its name"`
	DerivedData   op.Path   `json:"derivedDataPath,omitempty" doc:"else a folder of our own"`
	ExtraArgs     *[]string `json:"extraArgs,omitempty" doc:"for xcodebuild"`
	Args          []string  `json:"launchArgs,omitempty" doc:"for the app"`
	Env           []string  `json:"env,omitempty" doc:"for the app, as NAME=VALUE" pairs:"true"`
}

// in is the same as the tools' own input.
func (in RunIn) in() BuildRunSimIn {
	return BuildRunSimIn{
		SchemeIn: SchemeIn{ContainerIn{in.Project, in.Workspace}, in.Scheme, in.Configuration}, SimIn: SimIn{ID: in.ID, Name: in.Name},
		HowIn: HowIn{DerivedData: in.DerivedData, ExtraArgs: in.ExtraArgs}, LaunchHowIn: LaunchHowIn{in.Args, in.Env},
	}
}

// simulatorChoice begins the line about the simulator.
const simulatorChoice = "simulator: "

// choices collects what was chosen, and why.
type choices []string

func (c *choices) say(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }

func (b *builder) run(ctx context.Context, c *op.Call, given RunIn) (BuildOut, error) {
	given, m, err := completeFrom(b.sims.defaults, c, given, specFor[RunIn](true))
	if err != nil {
		return BuildOut{}, err
	}
	in := given.in()
	var said choices
	if err := b.chooseProject(c, &in.SchemeIn, &said); err != nil {
		return BuildOut{}, err
	}
	c.Progress("looking for the scheme")
	if err := b.chooseScheme(ctx, c, &in.SchemeIn, &said); err != nil {
		return BuildOut{}, err
	}
	sim, err := b.chooseSimulator(ctx, c, in.SimIn, &said)
	if err != nil {
		return BuildOut{}, err
	}
	for _, line := range said {
		c.Progress(line)
	}
	out, err := b.runOnSim(ctx, c, in, sim, m)
	if onlyMac(err) {
		said = slices.DeleteFunc(said, func(line string) bool { return strings.HasPrefix(line, simulatorChoice) })
		said.say("destination: this Mac, because the scheme does not build for simulators")
		c.Device = nil
		out, err = b.runOnMac(ctx, c, BuildRunMacIn{SchemeIn: in.SchemeIn, HowIn: in.HowIn, LaunchHowIn: in.LaunchHowIn}, m)
	}
	out.Request.Choices = said
	return out, err
}

// chooseProject finds the project from the folder the client works in.
func (b *builder) chooseProject(c *op.Call, in *SchemeIn, said *choices) error {
	if in.Project != "" || in.Workspace != "" {
		return nil
	}
	if c.Dir == "" {
		return fault.New(fault.ProjectNotFound, "run: give projectPath or workspacePath: this client works in no folder")
	}
	project, workspace, err := build.Nearest(c.Dir, top(c.Dir))
	if err != nil {
		return err
	}
	in.Project, in.Workspace = op.Path(project), op.Path(workspace)
	found := orDefault(workspace, project)
	if rel, err := filepath.Rel(c.Dir, found); err == nil {
		found = rel
	}
	said.say("project: %s", found)
	return nil
}

// top is where the search upwards ends: the repository's folder. Outside of one a few folders up are near enough.
func top(dir string) string {
	git := defaults.GitTop(dir)
	if _, err := os.Stat(filepath.Join(git, ".git")); err == nil {
		return git
	}
	const levels = 5
	for range levels {
		dir = filepath.Dir(dir)
	}
	return dir
}

// chooseScheme takes the only scheme, or the one that bears the project's name.
func (b *builder) chooseScheme(ctx context.Context, c *op.Call, in *SchemeIn, said *choices) error {
	if in.Scheme != "" {
		return nil
	}
	r := b.request(c, build.Build, *in, HowIn{})
	list, err := b.engine.Schemes(ctx, r)
	if err != nil {
		return err
	}
	base := filepath.Base(r.Container())
	name := strings.TrimSuffix(base, filepath.Ext(base))
	switch {
	case len(list.Schemes) == 0:
		return fault.New(fault.SchemeNotFound, "%s has no schemes", base).WithHint("share a scheme in Xcode: Product, Scheme, Manage Schemes")
	case len(list.Schemes) == 1:
		in.Scheme = list.Schemes[0]
		said.say("scheme: %s, the only one", in.Scheme)
	case slices.Contains(list.Schemes, name):
		in.Scheme = name
		said.say("scheme: %s, of %s: %s", name, countOf(len(list.Schemes), "scheme"), few3(list.Schemes))
	default:
		return fault.New(fault.SchemeAmbiguous, "%s has several schemes: %s", base, strings.Join(list.Schemes[:min(len(list.Schemes), 20)], ", ")).
			With("candidates", list.Schemes)
	}
	return nil
}

func countOf(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// few3 names the first few.
func few3(all []string) string {
	const most = 5
	if len(all) > most {
		return strings.Join(all[:most], ", ") + ", …"
	}
	return strings.Join(all, ", ")
}

// chooseSimulator takes the one that is named, else the session's, else one that is booted, else the newest iPhone.
func (b *builder) chooseSimulator(ctx context.Context, c *op.Call, in SimIn, said *choices) (simulator, error) {
	if in.ID != "" || in.Name != "" {
		return b.simulator(ctx, c, in, "")
	}
	entries, err := b.sims.pool.Entries(ctx)
	if err != nil {
		return simulator{}, err
	}
	var usable []device.Info
	for _, e := range entries { // what another session drives is not taken from it
		taken := e.ClaimStatus == pool.ClaimedWord && e.ClaimedBy != c.Session
		if e.Available && !taken && e.Type == "simulator" && platformOf(e.OS) == build.IOS {
			usable = append(usable, e.Info)
		}
	}
	info, why := preferred(usable, b.sims.sessions.Get(c.Session).Device())
	if info == nil {
		return simulator{}, fault.New(fault.NoDevice, "there is no iOS simulator that is free").
			WithHint("`ios-agent pool list` shows who has which; `xcodebuild -downloadPlatform iOS` installs a runtime")
	}
	said.say(simulatorChoice+"%s (%s), %s", info.Name, info.OS, why)
	return b.simulator(ctx, c, SimIn{ID: info.UDID}, "")
}

func preferred(usable []device.Info, current string) (*device.Info, string) {
	newest := func(fits func(device.Info) bool) *device.Info {
		var best *device.Info
		for i := range usable {
			if fits(usable[i]) && (best == nil || compareOS(usable[i].OS, best.OS) > 0) {
				best = &usable[i]
			}
		}
		return best
	}
	for _, try := range []struct {
		fits func(device.Info) bool
		why  string
	}{
		{func(i device.Info) bool { return i.UDID == current }, "the session's device"},
		{func(i device.Info) bool { return i.State == device.Booted && i.Family == "iPhone" }, "which is booted"},
		{func(i device.Info) bool { return i.State == device.Booted }, "which is booted"},
		{func(i device.Info) bool { return i.Family == "iPhone" }, "the first iPhone of the newest system"},
		{func(device.Info) bool { return true }, "the first of the newest system"},
	} {
		if found := newest(try.fits); found != nil {
			return found, try.why
		}
	}
	return nil, ""
}

// onlyMac reports whether a build was refused because its scheme builds for Macs alone.
func onlyMac(err error) bool {
	refused, _ := errors.AsType[*build.DestinationError](err)
	return refused != nil && len(refused.Available) > 0 && !slices.ContainsFunc(refused.Available, func(d destinations.Destination) bool { return d.Platform != build.MacOS })
}
