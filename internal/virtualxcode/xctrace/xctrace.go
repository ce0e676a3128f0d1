// Package xctrace is the part of Instruments' command line that other programs use: listing devices. Xctrace.Run plays one command
// line. Recording is refused as not supported.
package xctrace

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// Xctrace is the tool over a world, on a Mac with a name and an id, in one version of Xcode.
type Xctrace struct {
	tool.Call
	World      *world.World
	Mac, MacID string
	Version    string // such as "16.4 (16F6)"
}

// exitUsage is the exit status for a wrong command line.
const exitUsage = 2

// Run plays one command line.
func (x Xctrace) Run() int {
	argv := x.Args
	switch line := strings.Join(argv, " "); {
	case line == "version":
		fmt.Fprintf(x.Stdout, "xctrace version %s\n", x.Version)
		return 0
	case line == "list devices":
		x.devices()
		return 0
	case line == "" || argv[0] == "help":
		fmt.Fprint(x.Stdout, usage)
		return 0
	case slices.Contains([]string{"record", "import", "export", "symbolicate", "remodel"}, argv[0]):
		fmt.Fprintf(x.Stderr, "Virtual Xcode does not support xctrace %s yet.\n", argv[0])
		return 1
	}
	fmt.Fprintf(x.Stderr, "Unexpected argument: %s\n%s", argv[len(argv)-1], usage)
	return exitUsage
}

const usage = "xctrace: record, import, export, and symbolicate Instruments .trace files\n\nusage: xctrace [help <subcommand>] " +
	"[version] [list devices]\n"

// devices lists this Mac, the devices ready for use, the offline devices, and the available simulators.
func (x Xctrace) devices() {
	var online, offline string
	for _, p := range x.World.Physicals() {
		line := fmt.Sprintf("%s (%s) (%s)\n", p.Name, p.Runtime.Version, p.UDID)
		if p.Wired {
			online += line
		} else {
			offline += line
		}
	}
	fmt.Fprintf(x.Stdout, "== Devices ==\n%s (%s)\n%s", x.Mac, x.MacID, online)
	if offline != "" {
		fmt.Fprintf(x.Stdout, "\n== Devices Offline ==\n%s", offline)
	}
	fmt.Fprint(x.Stdout, "\n== Simulators ==\n")
	all := slices.SortedStableFunc(slices.Values(x.World.Devices()), func(a, b world.Device) int { return strings.Compare(a.Name, b.Name) })
	for _, d := range all {
		if d.Runtime.Unavailable == "" {
			fmt.Fprintf(x.Stdout, "%s Simulator (%s) (%s)\n", d.Name, d.Runtime.Version, d.UDID)
		}
	}
}

// Marks are the behaviours of xctrace.
func Marks() []mark.Mark {
	return []mark.Mark{
		{Tool: "xctrace", Behaviour: "list devices: three sections; the Mac without a version; a device without a tunnel is offline",
			Source: mark.Assumed},
		{Tool: "xctrace", Behaviour: "version; record and other commands fail, because recording is not implemented yet", Source: mark.Assumed},
	}
}
