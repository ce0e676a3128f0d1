package virtualxcode

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/xcodebuild"
)

// Exit statuses of xcrun: tool not found, wrong arguments, SDK not found.
const (
	exitNoTool  = 72
	exitXcUsage = 64
	exitNoSDK   = 1
)

// errorXcrun is the beginning of xcrun's errors.
const errorXcrun = "xcrun: error: "

// xcrun finds tools and SDKs, or runs a tool.
func (x Xcode) xcrun(ctx context.Context, c Call) int {
	args, stdout, stderr := c.Args, c.Stdout, c.Stderr
	sdk, find, show := c.Getenv("SDKROOT"), false, ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, rest := args[0], args[1:]
		if len(name) > 2 { // long options may have one dash
			name = "--" + strings.TrimLeft(name, "-")
		}
		switch {
		case name == "--version":
			fmt.Fprintln(stdout, "xcrun version 70.")
			return 0
		case name == "-h" || name == "--help":
			fmt.Fprintln(stdout, "Usage: xcrun [options] <tool name> ... arguments ...")
			return 0
		case (name == "--sdk" || name == "--toolchain") && len(rest) > 0:
			if name == "--sdk" {
				sdk = rest[0]
			}
			rest = rest[1:]
		case name == "-f" || name == "--find":
			find = true
		case strings.HasPrefix(name, "--show-sdk-"):
			show = name
		case slices.Contains([]string{"-r", "--run", "-v", "--verbose", "-l", "--log", "-n", "--no-cache", "-k", "--kill-cache"}, name):
		default:
			fmt.Fprintf(stderr, errorXcrun+"unrecognized option: %s\nUsage: xcrun [options] <tool name> ... arguments ...\n", args[0])
			return exitXcUsage
		}
		args = rest
	}
	switch {
	case show != "":
		return showSDK(show, sdk, stdout, stderr)
	case len(args) == 0:
		fmt.Fprint(stderr, errorXcrun+"no utility to execute\nUsage: xcrun [options] <tool name> ... arguments ...\n")
		return exitXcUsage
	case find && slices.Contains([]string{"mcp-server", "mcpbridge"}, args[0]) && x.happens(ctx, flaw.XcodeMCP):
		fmt.Fprintln(stdout, filepath.Join(x.Bin(), args[0]))
		return 0
	case args[0] == "xcrun" || !slices.Contains(Tools(), args[0]):
		return noUtility(stderr, args[0])
	case find && x.happens(ctx, flaw.CommandLineTools):
		return noUtility(stderr, args[0])
	case find:
		fmt.Fprintln(stdout, filepath.Join(x.Bin(), args[0]))
		return 0
	}
	return x.Play(ctx, args[0], c.With(args[1:]))
}

// happens reports whether a fault of no device happens now. The tool of flaw.XcodeMCP is found, but does not run.
func (x Xcode) happens(ctx context.Context, name string) bool {
	happens, err := x.Client().TakeFaults(ctx, "", name)
	return err == nil && happens[name] != nil
}

// showSDK prints one property of an SDK.
func showSDK(what, name string, stdout, stderr io.Writer) int {
	sdk, ok := xcodebuild.FindSDK(name)
	said, known := map[string]string{
		"--show-sdk-path": sdk.Path, "--show-sdk-version": sdk.Version, "--show-sdk-build-version": sdk.Build,
		"--show-sdk-platform-path": sdk.PlatformPath, "--show-sdk-platform-version": sdk.PlatformVersion,
	}[what]
	items := map[string]string{"--show-sdk-path": "Path", "--show-sdk-version": "SDKVersion",
		"--show-sdk-build-version": "ProductBuildVersion",
		"--show-sdk-platform-path": "PlatformPath", "--show-sdk-platform-version": "PlatformVersion"}
	switch {
	case !known:
		fmt.Fprintf(stderr, errorXcrun+"unrecognized option: %s\n", what)
		return exitXcUsage
	case !ok:
		fmt.Fprintf(stderr, errorXcrun+"SDK %q cannot be located\n"+errorXcrun+"unable to lookup item '%s' in SDK '%s'\n", name,
			items[what], name)
		return exitNoSDK
	}
	fmt.Fprintln(stdout, said)
	return 0
}

// xcodeSelect prints where Xcode is. It cannot switch: there is one Xcode.
func (x Xcode) xcodeSelect(c Call) int {
	args, stdout, stderr := c.Args, c.Stdout, c.Stderr
	switch strings.Join(args, " ") {
	case "-p", "--print-path":
		fmt.Fprintln(stdout, x.Dir)
		return 0
	case "-v", "--version":
		fmt.Fprintln(stdout, "xcode-select version 2409.")
		return 0
	case "-h", "--help":
		fmt.Fprint(stdout, selectUsage)
		return 0
	}
	if len(args) > 0 && slices.Contains([]string{"-s", "--switch", "-r", "--reset"}, args[0]) {
		fmt.Fprintln(stderr, "xcode-select: error: tool 'xcode-select' requires root to switch; Virtual Xcode is the only one here")
		return 1
	}
	if len(args) == 0 {
		fmt.Fprint(stderr, "xcode-select: error: no command option given\n"+selectUsage)
		return 1
	}
	fmt.Fprintf(stderr, "xcode-select: error: invalid argument '%s'\n%s", args[0], selectUsage)
	return 1
}

const selectUsage = "Usage: xcode-select [options]\n\nPrint or change the path to the active developer directory.\n"

// locatorMarks are the behaviours of the tools that locate other tools.
func locatorMarks() []mark.Mark {
	return []mark.Mark{
		{Tool: "xcrun", Behaviour: "an unknown tool exits 72 with \"unable to find utility\", an unknown SDK 1 with \"cannot be located\"",
			Source: mark.Assumed},
		{Tool: "xcrun", Behaviour: "--find, --version, --sdk with --show-sdk-path, -version, -platform-path and their like; the " +
			"other options of its help have no effect", Source: mark.Assumed},
		{Tool: "xcrun", Behaviour: "--find mcp-server and --find mcpbridge print a path where Xcode has them, and exit 72 otherwise",
			Source: mark.Assumed},
		{Tool: "log", Behaviour: "on the Mac itself the log is empty: show prints its heading, stream waits for an interrupt or " +
			"its --timeout", Source: mark.Assumed},
		{Tool: "xcode-select", Behaviour: "-p prints the developer folder, -v a version; it cannot be switched", Source: mark.Assumed},
	}
}
