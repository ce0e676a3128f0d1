// Package virtualxcode is a second implementation of Apple's tools, backed by a virtual world of devices and apps. Our
// own binary plays a tool when it is called by the tool's name; the production code executes it as it would execute
// the real one. Only main and tests import it.
package virtualxcode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/axe"
	"ios-agent/internal/virtualxcode/devicectl"
	"ios-agent/internal/virtualxcode/idb"
	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/open"
	"ios-agent/internal/virtualxcode/plists"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/sips"
	"ios-agent/internal/virtualxcode/web"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/internal/virtualxcode/xcodebuild"
	"ios-agent/internal/virtualxcode/xcresult"
	"ios-agent/internal/virtualxcode/xctrace"
)

// Xcode is one virtual installation: a folder with the tools and the world they share.
type Xcode struct {
	Dir    string            // of the installation
	Binary string            // our own program, which plays the tools
	Serve  []string          // arguments that make it the service
	Agent  xcodebuild.Scheme // what the production code calls its agent
}

// Tools are the names under which our binary plays a tool.
func Tools() []string {
	return []string{"xcrun", "xcodebuild", "xcode-select", "simctl", "devicectl", "xctrace", "xcresulttool", "xccov", "axe", "idb", "sips",
		"plutil", "PlistBuddy", "defaults", "log", "open"}
}

// TimeVariable chooses the clock of a new service: "request" lets time pass only as requests ask for it, which makes
// tests quick and repeatable, and "request@2026-01-02T15:04:05Z" says where it begins; everything else is real time.
const TimeVariable = "IOS_AGENT_VIRTUAL_TIME"

// Bin is the folder to put on a PATH.
func (x Xcode) Bin() string { return filepath.Join(x.Dir, "bin") }

// Mount makes the tools: links to our binary under Apple's names. Links that point elsewhere are replaced.
func (x Xcode) Mount() error {
	if err := os.MkdirAll(x.Bin(), 0o700); err != nil {
		return err
	}
	for _, tool := range Tools() {
		if err := link(x.Binary, filepath.Join(x.Bin(), tool)); err != nil {
			return fmt.Errorf("mounting %s: %w", tool, err)
		}
	}
	return nil
}

func link(target, path string) error {
	if now, err := os.Readlink(path); err == nil && now == target {
		return nil
	}
	temporary := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.Symlink(target, temporary); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(temporary, path) // at once: a tool that is being started finds the old or the new
}

// Dir finds the installation a tool was called from: the folder above the one its name was found in.
func Dir(argv0 string) (string, error) {
	path := argv0
	if !strings.ContainsRune(path, filepath.Separator) {
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if _, err := os.Stat(filepath.Join(dir, argv0)); err == nil {
				path = filepath.Join(dir, argv0)
				break
			}
		}
	}
	path, err := filepath.Abs(path)
	return filepath.Dir(filepath.Dir(path)), err
}

// Place is where the service of this installation lives.
func (x Xcode) Place() resident.Place { return resident.Place{Dir: x.Dir, Name: "service"} }

// Reports is where the crash reports of virtual apps lie, as those of a Mac's simulators lie in its user's library.
func (x Xcode) Reports() string { return filepath.Join(x.Dir, "Logs", "DiagnosticReports") }

// Client speaks to the service and starts it when there is none.
func (x Xcode) Client() service.Client {
	return service.Client{Dialer: resident.Dialer{Place: x.Place(), Start: func(context.Context) (int, error) {
		return host.StartDetached(x.Binary, append(slices.Clone(x.Serve), x.Dir), nil, x.Place().LogPath())
	}}}
}

// Play is one tool run to its end by this process.
func (x Xcode) Play(tool string, args []string, stdout, stderr io.Writer) int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	plays := map[string]func() int{
		"xcrun":        func() int { return x.xcrun(args, stdout, stderr) },
		"xcode-select": func() int { return x.xcodeSelect(args, stdout, stderr) },
		"simctl":       func() int { return x.inService(ctx, tool, args, stdout, stderr) },
		"devicectl":    func() int { return x.inService(ctx, tool, args, stdout, stderr) },
		"xctrace":      func() int { return x.inService(ctx, tool, args, stdout, stderr) },
		"axe":          func() int { return x.inService(ctx, tool, args, stdout, stderr) },
		"idb":          func() int { return x.inService(ctx, tool, args, stdout, stderr) },
		"log":          func() int { return x.inService(ctx, tool, args, stdout, stderr) },
		"plutil":       func() int { return x.plists(stdout, stderr).Plutil(args) },
		"PlistBuddy":   func() int { return x.plists(stdout, stderr).PlistBuddy(args) },
		"defaults":     func() int { return x.plists(stdout, stderr).Defaults(args) },
		"sips":         func() int { return sips.Run(args, stdout, stderr) },
		"open":         func() int { return x.opener(stderr).Run(args) },
		"xcodebuild": func() int {
			return xcodebuild.Tool{
				Service: x.Client(), Scheme: x.Agent, Devices: simulators{x.Client()}, Faults: x.Client(), Stdout: stdout, Stderr: stderr, Getenv: os.Getenv,
			}.Run(ctx, args)
		},
		"xcresulttool": func() int { return xcresult.Tool{Stdout: stdout, Stderr: stderr}.Run(args) },
		"xccov":        func() int { return xcresult.Xccov{Stdout: stdout, Stderr: stderr}.Run(args) },
	}
	return plays[tool]()
}

// simulators are what xcodebuild can build for: the devices of the world.
type simulators struct{ client service.Client }

// Devices asks the service.
func (s simulators) Devices(ctx context.Context) ([]xcodebuild.Device, error) {
	st, err := s.client.Status(ctx)
	var devices []xcodebuild.Device
	for _, d := range st.Devices {
		devices = append(devices, xcodebuild.Device{
			UDID: d.UDID, Name: d.Name, Model: d.Model, Platform: d.Platform + " Simulator", OS: d.Version, Build: d.Build, Unavailable: d.Unavailable,
		})
	}
	for _, d := range st.Physical {
		devices = append(devices, xcodebuild.Device{UDID: d.UDID, Name: d.Name, Model: d.Model, Platform: d.Platform, OS: d.Version, Build: d.Build})
	}
	return devices, err
}

// inService plays a tool where the world is.
func (x Xcode) inService(ctx context.Context, tool string, args []string, stdout, stderr io.Writer) int {
	dir, err := os.Getwd()
	if err != nil {
		dir = x.Dir
	}
	env := map[string]string{}
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); passedOn(name) {
			env[name] = value
		}
	}
	exit, err := x.Client().Run(ctx, service.Run{Tool: tool, Args: args, Dir: dir, Env: env, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr})
	if errors.Is(err, service.ErrInterrupted) && tool == "simctl" {
		return simctl.ServiceDied(stderr, time.Now())
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", tool, err)
		return 1
	}
	return exit
}

// clockCalled is the clock that TimeVariable asks for, and what it is called.
func clockCalled(text string) (world.Clock, string, error) {
	kind, from, fixed := strings.Cut(text, "@")
	if kind != "request" {
		return world.RealClock(), "real", nil
	}
	start := time.Now()
	if fixed {
		var err error
		if start, err = time.Parse(time.RFC3339, from); err != nil {
			return nil, "", fmt.Errorf("%s: %w", TimeVariable, err)
		}
	}
	return world.RequestClock(start), "request", nil
}

// RunService is the process that holds the world. It ends at once, and quietly, when there is one already.
func (x Xcode) RunService(ctx context.Context, log *slog.Logger) error {
	clock, name, err := clockCalled(os.Getenv(TimeVariable))
	if err != nil {
		return err
	}
	builtin, err := apps.Builtin()
	if err != nil {
		return err
	}
	w, err := world.New(world.Options{
		Clock: clock, Root: filepath.Join(x.Dir, "CoreSimulator"), Preinstalled: builtin,
		Store: service.Files(filepath.Join(x.Dir, "state")), Web: web.Web{}, Reports: x.Reports(),
	})
	if err != nil {
		return err
	}
	defer w.Close()
	err = (&service.Server{World: w, Clock: clock, Place: x.Place(), Build: "virtual", Time: name, Log: log, More: more()}).Run(ctx)
	if errors.Is(err, resident.ErrHeld) {
		return nil
	}
	return err
}

// Marks is everything imitated and how sure we are of it.
func Marks() []mark.Mark {
	return append(slices.Concat(simctl.Marks(), xcodebuild.Marks(), xcresult.Marks(), axe.Marks(), sips.Marks(), devicectl.Marks(), xctrace.Marks(),
		idb.Marks(), plists.Marks(), open.Marks(), world.Marks()),
		locatorMarks()...)
}
