// Package virtualxcode is a second implementation of Apple's tools on a virtual world of devices and apps. An Xcode is one
// installation: Mount links our binary under the tools' names, and the binary plays a tool when it is called by that name (Main). The
// production code executes these links like the real tools. InProcess does the same inside one process, for tests.
//
// Only cmd and tests import this package, and only this package imports its sub-packages. Every tool is a row of frontEnds.
package virtualxcode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/urlsession"
	"ios-agent/internal/virtualxcode/wda"
	"ios-agent/internal/virtualxcode/web"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/internal/virtualxcode/xcodebuild"
)

// Xcode is one virtual installation: a folder with the tools, and the world that they share.
type Xcode struct {
	Dir    string   // of the installation
	Binary string   // path of our own program, which plays the tools
	Serve  []string // arguments that start the service
	Carry  []string // arguments that start a process for requests (CarryRequests); empty: the service sends requests itself
	Agent  Scheme   // the name that the production code gives its agent

	server *service.Server // set by InProcess: the world is in this process
}

// Scheme is the agent's scheme in the production code, and the variables that the agent receives.
type Scheme = xcodebuild.Scheme

// TimeVariable chooses the clock of a new service. With "request" time passes only as requests ask for it, which makes tests quick and
// repeatable; "request@2026-01-02T15:04:05Z" sets its start. Other values mean real time.
const TimeVariable = "IOS_AGENT_VIRTUAL_TIME"

// ProfileVariable sets the profile of the world when a service starts; "" leaves it as it is.
const ProfileVariable = "IOS_AGENT_VIRTUAL_PROFILE"

// MissingVariable names platforms that are not installed, as in a new Xcode.
const MissingVariable = xcodebuild.MissingVariable

// Layout is the file in an app's folder that describes its screens.
const Layout = app.UIFile

// Bin is the folder to put on a PATH.
func (x Xcode) Bin() string { return filepath.Join(x.Dir, "bin") }

// Mount creates the tools: links to our binary under Apple's names. It replaces links that point elsewhere.
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
	return os.Rename(temporary, path) // atomic: a tool that starts now finds the old link or the new one
}

// Dir finds the installation that a tool was called from: the parent of the folder in which its name was found.
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

// UsbmuxSocket is the socket of this installation's virtual usbmuxd while its service runs. Other programs use it as
// USBMUXD_SOCKET_ADDRESS.
func (x Xcode) UsbmuxSocket() string { return filepath.Join(x.Dir, "usbmuxd") }

// Reports is the folder of crash reports of virtual apps, the counterpart of the user's library on a Mac.
func (x Xcode) Reports() string { return filepath.Join(x.Dir, "Logs", "DiagnosticReports") }

// Client talks to the service and starts it if it does not run.
func (x Xcode) Client() Client {
	if x.server != nil {
		return Client{Dial: x.server.Pipe}
	}
	dialer := resident.Dialer{Place: x.Place(), Start: func(context.Context) (int, error) {
		return host.StartDetached(x.Binary, append(slices.Clone(x.Serve), x.Dir), nil, x.Place().LogPath())
	}}
	return Client{Dial: dial(dialer)}
}

func dial(d resident.Dialer) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		conn, _, err := d.Connect(ctx)
		return conn, err
	}
}

// clockCalled returns the clock for a value of TimeVariable, and the clock's name.
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

// RunService is the process that holds the world. If a service already runs, it returns at once without an error.
func (x Xcode) RunService(ctx context.Context, log *slog.Logger) error {
	var sender urlsession.Sender = web.Web{}
	if len(x.Carry) > 0 {
		carrier, err := web.NewCarrier(web.CarrierOptions{Binary: x.Binary, Dir: filepath.Join(x.Dir, "CoreSimulator"),
			Args: x.Carry})
		if err != nil {
			return err
		}
		defer carrier.Close()
		sender = carrier
	}
	server, err := x.newServer(os.Getenv(TimeVariable), x.state(), sender, log)
	if err != nil {
		return err
	}
	defer server.World.Close()
	if profile := os.Getenv(ProfileVariable); profile != "" {
		if err := server.World.SetProfile(profile); err != nil {
			return fmt.Errorf("%s: %w", ProfileVariable, err)
		}
	}
	if err := server.Run(ctx, x.Place()); err != nil && !errors.Is(err, resident.ErrHeld) {
		return err
	}
	return nil
}

// CarryRequests is a process that sends requests of apps (see Xcode.Carry) until its input ends. With the bootstrap file of a device it
// is the launchd_sim of that device, otherwise the process of an app.
func (x Xcode) CarryRequests(ctx context.Context, in io.Reader, out io.Writer, bootstrap ...string) error {
	if len(bootstrap) > 0 {
		return web.Init(ctx, in, out, x.Carry)
	}
	return web.Send(ctx, in, out)
}

// state is the folder in which the service keeps its world.
func (x Xcode) state() service.Files { return service.Files(filepath.Join(x.Dir, "state")) }

// builtinApps are read once: worlds do not change them.
var builtinApps = sync.OnceValues(apps.Builtin)

// newServer makes the world of this installation and the server that holds it.
func (x Xcode) newServer(time string, store world.Store, sender urlsession.Sender, log *slog.Logger) (*service.Server, error) {
	clock, name, err := clockCalled(time)
	if err != nil {
		return nil, err
	}
	builtin, err := builtinApps()
	if err != nil {
		return nil, err
	}
	var server *service.Server
	w, err := world.New(world.Options{
		Clock: clock, Root: filepath.Join(x.Dir, "CoreSimulator"), Preinstalled: builtin, Store: store, Web: sender,
		Reports: x.Reports(),
		Runners: map[string]func(*world.TestRunner, string, map[string]string){
			wda.Bundle: func(r *world.TestRunner, udid string, env map[string]string) { server.RunWDA(r, udid, env) },
		},
	})
	if err != nil {
		return nil, err
	}
	server = service.New(service.Options{World: w, Clock: clock, Time: name, Tools: onWorld(), Log: log, Usbmux: x.UsbmuxSocket()})
	return server, nil
}
