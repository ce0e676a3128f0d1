package build

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/xcode/build"
)

// choices collects what was chosen, and why.
type choices []string

func (c *choices) say(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }

// simulatorChoice begins the line about the simulator.
const simulatorChoice = "simulator: "

// chooseProject finds the project from the folder the client works in.
func (b *Builds) chooseProject(c *op.Call, in *Project, said *choices) error {
	if in.Project != "" || in.Workspace != "" {
		return nil
	}
	if c.Dir == "" {
		return fault.New(fault.ProjectNotFound, "give projectPath or workspacePath: this client works in no folder")
	}
	project, workspace, err := build.Nearest(c.Dir, build.Top(c.Dir, config.GitTop(c.Dir)))
	if err != nil {
		return err
	}
	in.Project, in.Workspace = op.Path(project), op.Path(workspace)
	found := cmp.Or(workspace, project)
	if rel, err := filepath.Rel(c.Dir, found); err == nil {
		found = rel
	}
	said.say("project: %s", found)
	return nil
}

// chooseScheme takes the only scheme, or the one that bears the project's name.
func (b *Builds) chooseScheme(ctx context.Context, c *op.Call, in *Project, said *choices) error {
	if in.Scheme != "" {
		return nil
	}
	r := b.request(c, build.Build, *in, How{})
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
		said.say("scheme: %s, of %s: %s", name, brief.Count(len(list.Schemes), "scheme"), firstFew(list.Schemes))
	default:
		shown := list.Schemes[:min(len(list.Schemes), 20)]
		return fault.New(fault.SchemeAmbiguous, "%s has several schemes: %s", base, strings.Join(shown, ", ")).With("candidates", list.Schemes)
	}
	return nil
}

// firstFew names the first of many.
func firstFew(all []string) string {
	const most = 5
	if len(all) > most {
		return strings.Join(all[:most], ", ") + ", …"
	}
	return strings.Join(all, ", ")
}

// chooseSimulator leaves the one that is named, else takes the session's, whatever became of it, else one that is booted, else the
// newest iPhone.
func (b *Builds) chooseSimulator(ctx context.Context, c *op.Call, in *target.Simulator, said *choices) error {
	if in.ID != "" || in.Name != "" {
		return nil
	}
	entries, err := b.access.Pool.Entries(ctx)
	if err != nil {
		return err
	}
	chosen := b.access.Sessions.Get(c.Session).Choice()
	is := func(e pool.Entry) bool { return e.UDID == chosen.UDID }
	if device.LooksLikeUDID(chosen.UDID) && !slices.ContainsFunc(entries, is) {
		if _, err := b.access.Pool.State(ctx, chosen.UDID); err != nil {
			return access.Unserved(chosen, err)
		}
		in.ID = chosen.UDID // it was listed just now
		return nil
	}
	var usable []device.Info
	for _, e := range entries { // what another session drives is not taken from it
		taken := e.ClaimStatus == pool.ClaimedWord && e.ClaimedBy != c.Session && !slices.Contains(e.CoDrivers, c.Session)
		if (is(e) || e.Available && !taken) && e.Type == device.TypeSimulator && device.Platform(e.OS) == build.IOS {
			usable = append(usable, e.Info)
		}
	}
	info, why := preferred(usable, chosen.UDID)
	if info == nil {
		return fault.New(fault.NoDevice, "there is no iOS simulator that is free").
			WithHint("`ios-agent pool list` shows who has which; `xcodebuild -downloadPlatform iOS` installs a runtime")
	}
	said.say(simulatorChoice+"%s (%s), %s", info.Name, info.OS, why)
	in.ID = info.UDID
	return nil
}

func preferred(usable []device.Info, current string) (*device.Info, string) {
	newest := func(fits func(device.Info) bool) *device.Info {
		var best *device.Info
		for i := range usable {
			if fits(usable[i]) && (best == nil || device.CompareOS(usable[i].OS, best.OS) > 0) {
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
