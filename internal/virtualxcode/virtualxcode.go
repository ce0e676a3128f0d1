// Package virtualxcode is a second implementation of Apple's tools on a virtual world of devices and apps. Our own binary
// plays a tool when it is called by the tool's name; the production code executes it as it would execute the real one.
//
// It is the only way into Virtual Xcode: only cmd and tests import it, and nobody else imports its sub-packages. A tool is
// registered in frontEnds, and nowhere else.
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

// Xcode is one virtual installation: a folder with the tools and the world they share.
type Xcode struct {
	Dir    string   // of the installation
	Binary string   // our own program, which plays the tools
	Serve  []string // arguments that make it the service
	Carry  []string // arguments that make it a process that sends requests (CarryRequests); none: the service sends them itself
	Agent  Scheme   // what the production code calls its agent

	server *service.Server // of InProcess: the world is in this process
}

// Scheme is what the production code calls its agent and the variables that it gives to it.
type Scheme = xcodebuild.Scheme

// TimeVariable chooses the clock of a new service: "request" lets time pass only as requests ask for it, which makes
// tests quick and repeatable, and "request@2026-01-02T15:04:05Z" says where it begins; everything else is real time.
const TimeVariable = "IOS_AGENT_VIRTUAL_TIME"

// ProfileVariable sets the profile of the world when a service starts; "" leaves it as it is.
const ProfileVariable = "IOS_AGENT_VIRTUAL_PROFILE"

// MissingVariable names what is not there yet, as in a new Xcode.
const MissingVariable = xcodebuild.MissingVariable

// Layout is the file in an app's folder that says what it shows.
const Layout = app.UIFile

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
	return os.Rename(temporary, path) // in one step: a tool that is started meanwhile finds the old link or the new one
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

// UsbmuxSocket is where the virtual usbmuxd of this installation listens while its service runs: what others take as
// USBMUXD_SOCKET_ADDRESS.
func (x Xcode) UsbmuxSocket() string { return filepath.Join(x.Dir, "usbmuxd") }

// Reports is where the crash reports of virtual apps lie, as those of a Mac's simulators lie in its user's library.
func (x Xcode) Reports() string { return filepath.Join(x.Dir, "Logs", "DiagnosticReports") }

// Client speaks to the service and starts it when there is none.
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

// CarryRequests is a process that sends requests of apps, as Xcode.Carry says, until its input ends: that of an app, or with the
// bootstrap file of a device the launchd_sim of that one.
func (x Xcode) CarryRequests(ctx context.Context, in io.Reader, out io.Writer, bootstrap ...string) error {
	if len(bootstrap) > 0 {
		return web.Init(ctx, in, out, x.Carry)
	}
	return web.Send(ctx, in, out)
}

// state is where the service keeps its world.
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
