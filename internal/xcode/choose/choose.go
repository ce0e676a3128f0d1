// Package choose finds the inputs of a build that its caller left out: the project, the scheme and the simulator. Choices collects the
// choices with their reasons. Destination finds the device that the caller did name. The package must not build anything.
package choose

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/xcode/builder"
)

// Choices collects the choices and their reasons, one line each.
type Choices []string

func (c *Choices) say(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }

// simulatorChoice is the beginning of the line about the simulator.
const simulatorChoice = "simulator: "

// Instead replaces the choice of a simulator.
func (c Choices) Instead(line string) Choices {
	return append(slices.DeleteFunc(c, func(old string) bool { return strings.HasPrefix(old, simulatorChoice) }), line)
}

// Project finds the project or workspace, starting from the client's folder.
func (c *Choices) Project(dir string) (project, workspace string, err error) {
	if dir == "" {
		return "", "", fault.New(fault.ProjectNotFound, "the client's folder is unknown: give projectPath or workspacePath")
	}
	if project, workspace, err = builder.Nearest(dir, builder.Top(dir, config.GitTop(dir))); err != nil {
		return "", "", err
	}
	found := cmp.Or(workspace, project)
	if rel, err := filepath.Rel(dir, found); err == nil {
		found = rel
	}
	c.say("project: %s", found)
	return project, workspace, nil
}

// Scheme chooses the only scheme of a project or workspace, or the scheme with its name.
func (c *Choices) Scheme(container string, schemes []string) (string, error) {
	base := filepath.Base(container)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	switch {
	case len(schemes) == 0:
		return "", fault.New(fault.SchemeNotFound, "%s has no schemes", base).WithHint("share a scheme in Xcode: Product, Scheme, Manage Schemes")
	case len(schemes) == 1:
		c.say("scheme: %s, the only one", schemes[0])
		return schemes[0], nil
	case slices.Contains(schemes, name):
		c.say("scheme: %s, of %s: %s", name, brief.Count(len(schemes), "scheme"), firstFew(schemes))
		return name, nil
	}
	shown := schemes[:min(len(schemes), 20)]
	return "", fault.New(fault.SchemeAmbiguous, "%s has several schemes: %s", base, strings.Join(shown, ", ")).With("candidates", schemes)
}

// firstFew names the first of many.
func firstFew(all []string) string {
	const most = 5
	if len(all) > most {
		return strings.Join(all[:most], ", ") + ", …"
	}
	return strings.Join(all, ", ")
}

// Simulator chooses the session's current simulator, in any state, else a booted one, else an iPhone of the newest system, and gives its
// udid. It skips simulators that another session uses.
func (c *Choices) Simulator(entries []pool.Entry, session, current string) (string, error) {
	var usable []device.Info
	for _, e := range entries {
		taken := e.ClaimStatus == pool.ClaimedWord && e.ClaimedBy != session && !slices.Contains(e.CoDrivers, session)
		if (e.UDID == current || e.Available && !taken) && e.Type == device.TypeSimulator && device.Platform(e.OS) == builder.IOS {
			usable = append(usable, e.Info)
		}
	}
	info, why := preferred(usable, current)
	if info == nil {
		return "", fault.New(fault.NoDevice, "no iOS simulator is free").
			WithHint("%s shows the sessions of the simulators; without simulators, %s", hint.Do("list_device_pool"), device.InstallRuntime)
	}
	c.say(simulatorChoice+"%s (%s), %s", info.Name, info.OS, why)
	return info.UDID, nil
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
