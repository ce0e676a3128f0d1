package wda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/freeport"
	"ios-agent/internal/machine/host"
)

// Start says how to start WebDriverAgent: on simulators when it is needed, on physical devices on request.
type Start struct {
	// UDIDs are the simulators on which the driver may start a server; it does not list other devices.
	UDIDs []string
	// Bundle is the bundle id of a runner that is installed there; "" is the usual one.
	Bundle string
	// Products is a prebuilt WebDriverAgent to run instead, and on physical devices: its .xctestrun or the folder that contains it.
	Products string
	Wait     time.Duration // until it answers (default 2 minutes)
	// Dir is a folder for the runner's output and the files that xcodebuild leaves behind.
	Dir string
}

const (
	usualBundle = "com.facebook.WebDriverAgentRunner.xctrunner"
	usualWait   = 2 * time.Minute
	tries       = 3 // another program may take the port before the runner
	readyGap    = 100 * time.Millisecond
	leaveGrace  = 10 * time.Second // for an interrupted xcodebuild to end the runner
)

// started is a WebDriverAgent that the driver started: an xcodebuild, or a runner that simctl launched.
type started struct {
	driver  *Driver
	udid    string
	process *host.Process // of xcodebuild; nil: simctl launched the runner
	pid     int
	derived string
	log     string
}

// start starts WebDriverAgent on a simulator and waits until it answers.
func (d *Driver) start(ctx context.Context, info device.Info) (*server, error) {
	if d.opts.Start == nil {
		return nil, fault.New(fault.AgentFailed, "the address of the WebDriverAgent of %s is not set", info.Name).
			WithHint("start one on the device and set its URL")
	}
	if err := d.mustBeBooted(ctx, info.UDID); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(d.opts.Start.Wait, usualWait))
	defer cancel()
	device.Progress(ctx, "starting WebDriverAgent on "+info.Name)
	var last error
	for range tries {
		port, err := freeport.Find()
		if err != nil {
			return nil, fault.New(fault.AgentFailed, "cannot find a port for WebDriverAgent: %w", err)
		}
		run, err := d.launch(ctx, info, port)
		if err != nil {
			return nil, err
		}
		s, err := run.ready(ctx, "http://"+net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return s, nil
		}
		last = run.explain(info, err)
		_ = run.stop(context.WithoutCancel(ctx)) // the reason why it is not ready matters more than this error
		if ctx.Err() != nil {
			break
		}
	}
	return nil, last
}

// explain adds to a failed start the file with the server's output.
func (s *started) explain(info device.Info, err error) error {
	f := fault.New(fault.AgentFailed, "cannot start WebDriverAgent on %s: %w", info.Name, err)
	if s.log == "" {
		return f.WithHint("look at the simulator's screen, or start WebDriverAgent yourself and set its URL")
	}
	return f.WithHint("read its output in %s", s.log).With("log", s.log)
}

// mustBeBooted fails when the simulator is off, so that the caller does not get the fault of a broken server.
func (d *Driver) mustBeBooted(ctx context.Context, udid string) error {
	list, err := d.simctl().List(ctx)
	if err != nil {
		return toolfault.Of(err)
	}
	i := slices.IndexFunc(list.Devices, func(s simctl.Device) bool { return strings.EqualFold(s.UDID, udid) })
	switch {
	case i < 0:
		return fault.New(fault.DeviceNotFound, "unknown simulator %s: WebDriverAgent is started on simulators only", udid)
	case strings.ToLower(list.Devices[i].State) != device.Booted:
		s := list.Devices[i]
		return fault.New(fault.DeviceNotBooted, "%s is %s", s.Name, strings.ToLower(s.State)).
			WithHint("boot it: %s", hint.Do("boot_device", "udid", s.UDID))
	}
	return nil
}

func (d *Driver) simctl() simctl.Tool {
	return simctl.Tool{Run: d.opts.Host, Xcrun: d.opts.Tools.Tool("xcrun")}
}

// environment makes the runner listen on a port of this machine only.
func environment(port int) map[string]string {
	return map[string]string{"USE_PORT": strconv.Itoa(port), "USE_IP": "127.0.0.1"}
}

// launch starts the runner.
func (d *Driver) launch(ctx context.Context, info device.Info, port int) (*started, error) {
	s := &started{driver: d, udid: info.UDID}
	if d.opts.Start.Products != "" {
		return s, s.run(ctx, xcodebuild.SimulatorSDK, port)
	}
	bundle := cmp.Or(d.opts.Start.Bundle, usualBundle)
	pid, err := d.simctl().Launch(ctx, info.UDID, bundle, simctl.LaunchOptions{Env: environment(port), TerminateRunning: true})
	if no, ok := errors.AsType[*simctl.Error](err); ok && no.Domain == "FBSOpenApplicationServiceErrorDomain" && no.Code == 4 {
		return nil, fault.New(fault.AppNotFound, "%s has no WebDriverAgent: %s is not installed", info.Name, bundle).
			WithHint("install the runner: %s; or name a prebuilt one: IOS_AGENT_WDA_PRODUCTS=FOLDER in the environment of the daemon",
				hint.Do("install_app", "app_path", "PATH.app"))
	}
	if err != nil {
		return nil, fault.New(fault.AgentFailed, "cannot launch WebDriverAgent on %s: %w", info.Name, err)
	}
	s.pid = pid
	return s, nil
}

// run starts xcodebuild with a prebuilt WebDriverAgent.
func (s *started) run(ctx context.Context, sdk string, port int) error {
	start := s.driver.opts.Start
	products, err := runnable(start.Products, sdk)
	if err != nil {
		return err
	}
	s.derived = filepath.Join(start.Dir, "derived", s.udid)
	if err := errors.Join(os.RemoveAll(s.derived), os.MkdirAll(s.derived, 0o700)); err != nil {
		return fault.During("the folder of WebDriverAgent's run", err)
	}
	cmd := xcodebuild.Prebuilt{
		Xcodebuild: s.driver.opts.Tools.Tool("xcodebuild"), Products: products, SDK: sdk, UDID: s.udid,
		Derived: s.derived, Env: environment(port),
	}.Command()
	cmd.Spool, cmd.Grace = filepath.Join(start.Dir, "logs"), leaveGrace
	if s.process, err = s.driver.opts.Host.Start(ctx, cmd); err != nil {
		return toolfault.Of(err)
	}
	s.log, s.pid = s.process.Spool, s.process.PID
	return nil
}

// runnable is the .xctestrun of a prebuilt WebDriverAgent. In a folder, the file's name has the SDK.
func runnable(path, sdk string) (string, error) {
	if filepath.Ext(path) == ".xctestrun" {
		return path, nil
	}
	found, _ := filepath.Glob(filepath.Join(path, "*.xctestrun")) // fails only for a malformed pattern, and then finds nothing
	found = slices.DeleteFunc(found, func(file string) bool { return !strings.Contains(filepath.Base(file), "_"+sdk) })
	switch len(found) {
	case 0:
		return "", fault.New(fault.PathError, "%s contains no .xctestrun of a prebuilt WebDriverAgent for %s", path, sdk).
			WithHint("name the folder Build/Products of its build-for-testing")
	case 1:
		return found[0], nil
	}
	return "", fault.New(fault.PathError, "%s has several .xctestrun files", path).WithHint("name one of them: %s", strings.Join(found, ", "))
}

// ready asks until the server is ready, its process ends, or time runs out.
func (s *started) ready(ctx context.Context, address string) (*server, error) {
	client, err := s.driver.clientAt(s.udid, address)
	if err != nil {
		return nil, err
	}
	retry := time.NewTicker(readyGap)
	defer retry.Stop()
	for {
		status, err := client.Status(ctx)
		if err == nil && status.Ready {
			return &server{client: client, address: address, started: s}, nil
		}
		var ended <-chan struct{}
		if s.process != nil {
			ended = s.process.Done()
		}
		select {
		case <-ended:
			client.Close()
			return nil, fmt.Errorf("it exited at once: %s", s.process.LastOutput())
		case <-ctx.Done():
			client.Close()
			return nil, fmt.Errorf("no answer at %s in time: %w", address, cmp.Or(err, ctx.Err()))
		case <-retry.C:
		}
	}
}

// alive reports whether the runner's process runs. A runner that simctl launched counts as alive: only a request would show it.
func (s *started) alive() bool { return s.process == nil || s.process.Alive() }

// stop ends the runner.
func (s *started) stop(ctx context.Context) error {
	if s.process != nil {
		return errors.Join(s.process.Stop(ctx), os.RemoveAll(s.derived))
	}
	_ = s.driver.simctl().Terminate(ctx, s.udid, cmp.Or(s.driver.opts.Start.Bundle, usualBundle)) // it may have exited already
	return nil
}

func (s *started) describe(state *device.AgentState) {
	state.PID, state.Log = s.pid, s.log
	if !s.alive() {
		state.State = device.AgentDead
	}
}
