package house

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/open"
	"ios-agent/internal/virtualxcode/plists"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/sips"
	"ios-agent/internal/virtualxcode/world"
	virtualbuild "ios-agent/internal/virtualxcode/xcodebuild"
	"ios-agent/internal/virtualxcode/xcresult"
	"ios-agent/internal/virtualxcode/xctrace"
)

// mount is Virtual Xcode as functions of this process.
type mount struct{ xcode virtualxcode.Xcode }

// find is what host.Options.Inside wants.
func (m mount) find(name string) host.Main {
	tool := filepath.Base(name)
	if !slices.Contains(virtualxcode.Tools(), tool) {
		return nil
	}
	return func(ctx context.Context, in host.Invocation) int { return m.play(ctx, tool, in) }
}

func (m mount) play(ctx context.Context, tool string, in host.Invocation) int {
	if tool == "xcrun" && len(in.Args) > 0 && in.Args[0] != "xcrun" && slices.Contains(virtualxcode.Tools(), in.Args[0]) {
		tool, in.Args = in.Args[0], in.Args[1:]
	}
	switch tool {
	case "simctl", "devicectl", "xctrace", "axe", "idb", "log":
		return m.inService(ctx, tool, in)
	case "xcodebuild":
		return virtualbuild.Tool{
			Service: m.client(), Scheme: m.xcode.Agent, Devices: simulators{m.client()}, Faults: m.client(), Stdout: in.Stdout, Stderr: in.Stderr,
			Getenv: func(name string) string { return in.Env[name] }, Dir: in.Dir,
		}.Run(ctx, in.Args)
	case "xcresulttool":
		return xcresult.Tool{Stdout: in.Stdout, Stderr: in.Stderr}.Run(in.Args)
	case "xccov":
		return xcresult.Xccov{Stdout: in.Stdout, Stderr: in.Stderr}.Run(in.Args)
	case "plutil":
		return m.plists(in).Plutil(in.Args)
	case "PlistBuddy":
		return m.plists(in).PlistBuddy(in.Args)
	case "defaults":
		return m.plists(in).Defaults(in.Args)
	case "sips":
		return sips.Run(in.Args, in.Stdout, in.Stderr)
	case "open":
		return open.Tool{Records: filepath.Join(m.xcode.Dir, "LaunchServices"), Stderr: in.Stderr}.Run(in.Args)
	}
	return m.xcode.Play(tool, in.Args, in.Stdout, in.Stderr)
}

func (m mount) plists(in host.Invocation) plists.Tool {
	return plists.Tool{Preferences: filepath.Join(m.xcode.Dir, "Preferences"), Stdin: in.Stdin, Stdout: in.Stdout, Stderr: in.Stderr}
}

// client never starts a service: the one of this process is there before any tool.
func (m mount) client() service.Client {
	c := m.xcode.Client()
	c.Dialer.Start = nil
	return c
}

func (m mount) inService(ctx context.Context, tool string, in host.Invocation) int {
	env := map[string]string{}
	for name, value := range in.Env {
		if strings.HasPrefix(name, "SIMCTL_CHILD_") || strings.HasPrefix(name, "DEVICECTL_CHILD_") {
			env[name] = value
		}
	}
	exit, err := m.client().Run(ctx, service.Run{
		Tool: tool, Args: in.Args, Dir: in.Dir, Env: env, Stdin: in.Stdin, Stdout: in.Stdout, Stderr: in.Stderr,
	})
	if err != nil {
		fmt.Fprintf(in.Stderr, "%s: %v\n", tool, err)
		return 1
	}
	return exit
}

// simulators are what xcodebuild can build for.
type simulators struct{ client service.Client }

func (s simulators) Devices(ctx context.Context) ([]virtualbuild.Device, error) {
	st, err := s.client.Status(ctx)
	var devices []virtualbuild.Device
	for _, d := range st.Devices {
		devices = append(devices, virtualbuild.Device{
			UDID: d.UDID, Name: d.Name, Model: d.Model, Platform: d.Platform + " Simulator", OS: d.Version, Build: d.Build, Unavailable: d.Unavailable,
		})
	}
	for _, d := range st.Physical {
		devices = append(devices, virtualbuild.Device{UDID: d.UDID, Name: d.Name, Model: d.Model, Platform: d.Platform, OS: d.Version, Build: d.Build})
	}
	return devices, err
}

// xcodeOf is the virtual installation of a folder, with the names our agent goes by.
func xcodeOf(dir, binary string) virtualxcode.Xcode {
	return virtualxcode.Xcode{
		Dir: dir, Binary: binary,
		Agent: virtualbuild.Scheme{
			Name: xcodebuild.AgentScheme, Port: xcodebuild.PortVariable, Token: xcodebuild.AuthVariable, Build: xcodebuild.BuildVariable,
			VariablePrefix: xcodebuild.RunnerPrefix,
		},
	}
}

// more are the tools of the service that need to know the installation.
func more() map[string]service.FrontEnd {
	return map[string]service.FrontEnd{
		"xctrace": func(_ context.Context, w *world.World, argv []string, _ string, _ map[string]string, _ io.Reader, stdout, stderr io.Writer) int {
			mac, id := virtualbuild.Mac()
			return xctrace.Xctrace{World: w, Mac: mac, MacID: id, Version: virtualbuild.Version(), Stdout: stdout, Errs: stderr}.Run(argv)
		},
	}
}
