package virtualxcode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode/agent"
	"ios-agent/internal/virtualxcode/axe"
	"ios-agent/internal/virtualxcode/devicectl"
	"ios-agent/internal/virtualxcode/idb"
	"ios-agent/internal/virtualxcode/idbcompanion"
	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/networksetup"
	"ios-agent/internal/virtualxcode/open"
	"ios-agent/internal/virtualxcode/osascript"
	"ios-agent/internal/virtualxcode/plists"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/sips"
	"ios-agent/internal/virtualxcode/swiftcheck"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/usbmuxd"
	"ios-agent/internal/virtualxcode/wda"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/internal/virtualxcode/xcodebuild"
	"ios-agent/internal/virtualxcode/xcresult"
	"ios-agent/internal/virtualxcode/xctrace"
)

// Call is one call of a tool: its arguments, working folder, environment and streams.
type Call = tool.Call

// frontEnd is a tool that Virtual Xcode plays. Either onWorld or here is set.
type frontEnd struct {
	name    string
	onWorld service.FrontEnd                               // runs in the service, on the world
	here    func(x Xcode, ctx context.Context, c Call) int // runs in the process that was called
	marks   []mark.Mark                                    // its imitated behaviours and their sources
	died    func(c Call, now time.Time) int                // prints the tool's message for a service that died; nil prints the error
}

// frontEnds is the only place where a tool is registered. It is a function because xcrun runs the others.
func frontEnds() []frontEnd {
	located := locatorMarks()
	return []frontEnd{
		{name: "xcrun", here: Xcode.xcrun, marks: of("xcrun", located)},
		{name: "xcodebuild", here: Xcode.xcodebuild, marks: xcodebuild.Marks()},
		{name: "xcode-select", here: files(Xcode.xcodeSelect), marks: of("xcode-select", located)},
		{name: "simctl", onWorld: ofXcode("simctl", simctl.Run), died: simctlDied, marks: simctl.Marks()},
		{name: "devicectl", onWorld: ofXcode("devicectl", devicectl.Run), marks: devicectl.Marks()},
		{name: "xctrace", onWorld: ofXcode("xctrace", runXctrace), marks: xctrace.Marks()},
		{name: "xcresulttool", here: files(func(_ Xcode, c Call) int { return xcresult.Tool{Call: c}.Run() }),
			marks: of("xcresulttool", xcresult.Marks())},
		{name: "xccov", here: files(func(_ Xcode, c Call) int { return xcresult.Xccov{Call: c}.Run() }),
			marks: of("xccov", xcresult.Marks())},
		{name: "axe", onWorld: axe.Run, marks: axe.Marks()},
		{name: "idb", onWorld: idb.Run, marks: idb.Marks()},
		{name: "idb_companion", here: Xcode.idbCompanion, marks: idbcompanion.Marks()},
		{name: "sips", here: files(func(_ Xcode, c Call) int { return sips.Run(c) }), marks: sips.Marks()},
		{name: "defaults", here: files(func(x Xcode, c Call) int { return x.plists(c).Defaults() }), marks: plists.Marks()},
		{name: "log", onWorld: simctl.HostLog, marks: of("log", located)},
		{name: "open", here: Xcode.open, marks: open.Marks()},
		{name: "osascript", onWorld: osascript.Run, marks: osascript.Marks()},
		{name: "networksetup", onWorld: networksetup.Run, marks: of("networksetup", networksetup.Marks())},
		{name: "scutil", onWorld: networksetup.Scutil, marks: of("scutil", networksetup.Marks())},
		{name: "route", onWorld: networksetup.Route, marks: of("route", networksetup.Marks())},
	}
}

// files wraps a tool that works on files only. Such a tool is quick and needs no ctx.
func files(run func(Xcode, Call) int) func(Xcode, context.Context, Call) int {
	return func(x Xcode, _ context.Context, c Call) int { return run(x, c) }
}

// of are the marks of one tool.
func of(name string, all []mark.Mark) (its []mark.Mark) {
	for _, m := range all {
		if m.Tool == name {
			its = append(its, m)
		}
	}
	return its
}

// Tools are the names under which our binary plays a tool.
func Tools() []string {
	var names []string
	for _, f := range frontEnds() {
		names = append(names, f.name)
	}
	return names
}

// Marks are all imitated behaviours and their sources.
func Marks() []mark.Mark {
	var all []mark.Mark
	for _, f := range frontEnds() {
		all = append(all, f.marks...)
	}
	return slices.Concat(all, world.Marks(), agent.Marks(), wda.Marks(), usbmuxd.Marks())
}

// onWorld returns the tools that the service plays.
func onWorld() map[string]service.FrontEnd {
	all := map[string]service.FrontEnd{}
	for _, f := range frontEnds() {
		if f.onWorld != nil {
			all[f.name] = f.onWorld
		}
	}
	return all
}

// Main plays a tool as this process: with its working folder, environment and streams, and its signals as interrupts.
func (x Xcode) Main(name string, args []string) int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	dir, err := os.Getwd()
	if err != nil {
		dir = x.Dir
	}
	env := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return x.Play(ctx, name, Call{Args: args, Dir: dir, Env: env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
}

// exitUnknown is a shell's exit status for an unknown program.
const exitUnknown = 127

// Play runs one call of a tool to its end. Cancelling ctx acts like an interrupt from the keyboard.
func (x Xcode) Play(ctx context.Context, name string, c Call) (exit int) {
	c = c.Complete()
	for _, f := range frontEnds() {
		switch {
		case f.name != name:
		case f.here != nil:
			return f.here(x, ctx, c)
		case x.server != nil:
			return f.onWorld(ctx, x.server.World, c)
		default:
			return x.inService(ctx, f, c)
		}
	}
	fmt.Fprintf(c.Stderr, "%s: Virtual Xcode has no such tool\n", name)
	return exitUnknown
}

// inService sends a call to the service, which plays the tool.
func (x Xcode) inService(ctx context.Context, f frontEnd, c Call) int {
	env := map[string]string{}
	for name, value := range c.Env {
		if passedOn(name) {
			env[name] = value
		}
	}
	c.Env = env
	exit, err := x.Client().Run(ctx, f.name, c)
	if errors.Is(err, service.ErrInterrupted) && f.died != nil {
		return f.died(c, time.Now())
	}
	if err != nil {
		fmt.Fprintf(c.Stderr, "%s: %v\n", f.name, err)
		return 1
	}
	return exit
}

// passedOn reports whether a variable of the caller's environment is meant for a tool or for an app that it starts.
func passedOn(name string) bool {
	return name == "TERM" || strings.HasPrefix(name, "SIMCTL_CHILD_") || strings.HasPrefix(name, "DEVICECTL_CHILD_")
}

func simctlDied(c Call, now time.Time) int { return simctl.ServiceDied(c.Stderr, now) }

func (x Xcode) xcodebuild(ctx context.Context, c Call) int {
	service := x.Client()
	t := xcodebuild.Tool{Call: c, Service: service, Scheme: x.Agent, Devices: simulators{service}, Faults: service}
	if t.Swift.Swift = swiftcheck.Find(c.Getenv("PATH")); t.Swift.Swift != "" {
		h, err := host.New(host.Options{})
		if err != nil {
			fmt.Fprintf(c.Stderr, "xcodebuild: %v\n", err)
			return 1
		}
		defer h.Close()
		t.Swift.Run = h
	}
	return t.Run(ctx)
}

func (x Xcode) idbCompanion(ctx context.Context, c Call) int {
	register := func(ctx context.Context, udid string) (idbcompanion.Served, error) {
		return x.Client().Agent(ctx, service.AgentSpec{UDID: udid, PID: os.Getpid(), IDB: true})
	}
	return idbcompanion.Tool{Call: c, Register: register}.Run(ctx)
}

// simulators implements xcodebuild's view of the devices of the world.
type simulators struct{ client service.Client }

// Devices returns the devices from the service.
func (s simulators) Devices(ctx context.Context) ([]xcodebuild.Device, error) {
	st, err := s.client.Status(ctx)
	var devices []xcodebuild.Device
	for _, d := range st.Devices {
		devices = append(devices, xcodebuild.Device{
			UDID: d.UDID, Name: d.Name, Model: d.Model, Platform: d.Platform + " Simulator", OS: d.Version, Build: d.Build,
			Unavailable: d.Unavailable,
		})
	}
	for _, d := range st.Physical {
		devices = append(devices, xcodebuild.Device{UDID: d.UDID, Name: d.Name, Model: d.Model, Platform: d.Platform, OS: d.Version,
			Build: d.Build, Locked: d.Locked})
	}
	return devices, err
}

func runXctrace(_ context.Context, w *world.World, c Call) int {
	mac, id := xcodebuild.Mac()
	return xctrace.Xctrace{Call: c, World: w, Mac: mac, MacID: id, Version: xcodebuild.Version()}.Run()
}

// plists are the tools for property lists; the Mac's preferences belong to this installation.
func (x Xcode) plists(c Call) plists.Tool {
	return plists.Tool{Call: c, Preferences: filepath.Join(x.Dir, "Preferences")}
}

func (x Xcode) open(ctx context.Context, c Call) int {
	faults := func(names ...string) (map[string]map[string]string, error) {
		return x.Client().TakeFaults(ctx, "", names...)
	}
	return open.Tool{Call: c, Records: filepath.Join(x.Dir, "LaunchServices"), Xcode: x.Dir, Faults: faults}.Run()
}
