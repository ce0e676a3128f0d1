package idbcompanion

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// arch is the architecture of simulators.
const arch = "arm64"

func (c *call) describe() error {
	d, err := c.opts.World.Find(c.opts.UDID)
	if err != nil {
		return err
	}
	w, h := min(d.Screen.Width, d.Screen.Height), max(d.Screen.Width, d.Screen.Height) // always upright, whatever the orientation
	return c.say(&idbwire.TargetDescriptionResponse{
		Target: &idbwire.TargetDescription{
			UDID: d.UDID, Name: d.Name, State: string(d.State), Type: "simulator", OSVersion: d.Runtime.Name(), Arch: arch,
			Screen: &idbwire.ScreenDimensions{Width: uint64(w * d.Screen.Scale), Height: uint64(h * d.Screen.Scale), Density: d.Screen.Scale,
				WidthPoints: uint64(w), HeightPoints: uint64(h)},
		},
		Companion: &idbwire.CompanionInfo{UDID: d.UDID},
	})
}

func (c *call) screenshot() error {
	scene, err := c.opts.World.Scene(c.ctx, c.opts.UDID)
	if err != nil {
		return err
	}
	png, err := render.PNG(scene)
	if err != nil {
		return err
	}
	return c.say(&idbwire.ScreenshotResponse{Data: png})
}

func (c *call) listApps() error {
	apps, err := c.opts.World.Apps(c.opts.UDID)
	if err != nil {
		return err
	}
	slices.SortFunc(apps, func(a, b world.InstalledApp) int { return strings.Compare(a.BundleID, b.BundleID) })
	answer := &idbwire.ListAppsResponse{}
	for _, a := range apps {
		one := &idbwire.App{BundleID: a.BundleID, Name: a.Name, Architectures: []string{arch}, InstallType: "user", PID: uint64(a.PID)}
		if strings.HasPrefix(a.BundleID, "com.apple.") {
			one.InstallType = "system"
		}
		if a.PID != 0 {
			one.State = idbwire.ProcessRunning
		}
		answer.Apps = append(answer.Apps, one)
	}
	return c.say(answer)
}

// find finds an installed app.
func (c *call) find(bundle string) (world.InstalledApp, error) {
	a, err := c.opts.World.App(c.opts.UDID, bundle)
	if err == nil && a.BundleID == "" {
		err = tool.Refuse("Cannot find application with bundle id %s", bundle)
	}
	return a, err
}

// install installs an app from its folder. Archives are not supported.
func (c *call) install() error {
	var destination, payload idbwire.InstallRequest
	if err := c.next(&destination); err != nil {
		return err
	}
	if destination.Destination == nil {
		return unready("Expected destination as first request in stream")
	}
	if err := c.next(&payload); err != nil {
		return err
	}
	if payload.Payload == nil || payload.Payload.FilePath == nil || *destination.Destination != idbwire.DestinationApp {
		return invalid("Incorrect payload source")
	}
	path := *payload.Payload.FilePath
	b, err := app.Open(path)
	if err != nil {
		return tool.Refuse("Failed to install %s: %v", path, err)
	}
	if err := c.opts.World.Install(c.ctx, c.opts.UDID, b, path); err != nil {
		return err
	}
	return c.say(&idbwire.InstallResponse{Name: b.ID})
}

func (c *call) uninstall() error {
	var r idbwire.BundleRequest
	if err := c.next(&r); err != nil {
		return err
	}
	if _, err := c.find(r.BundleID); err != nil {
		return err
	}
	if err := c.opts.World.Uninstall(c.ctx, c.opts.UDID, r.BundleID); err != nil {
		return err
	}
	return c.say(&idbwire.Empty{})
}

// launch starts an app. A running app is an error, unless the caller allows to bring it to the front. The call does not wait for the
// app's end.
func (c *call) launch() error {
	var r idbwire.LaunchRequest
	if err := c.next(&r); err != nil {
		return err
	}
	if r.Start == nil {
		return unready("Application not started yet")
	}
	a, err := c.find(r.Start.BundleID)
	if err != nil {
		return err
	}
	if a.PID != 0 && !r.Start.ForegroundIfRunning {
		return tool.Refuse("App %s can't be launched as is running", a.BundleID)
	}
	pid, err := c.opts.World.Launch(c.ctx, c.opts.UDID, a.BundleID, world.LaunchOptions{Args: r.Start.Args, Env: r.Start.Env})
	if err != nil {
		return err
	}
	return c.say(&idbwire.LaunchResponse{Debugger: &idbwire.DebuggerInfo{PID: uint64(pid)}})
}

func (c *call) terminate() error {
	var r idbwire.BundleRequest
	if err := c.next(&r); err != nil {
		return err
	}
	a, err := c.find(r.BundleID)
	if err == nil && a.PID == 0 {
		err = tool.Refuse("Application %s is not running", a.BundleID)
	}
	if err == nil {
		err = c.opts.World.Terminate(c.ctx, c.opts.UDID, a.BundleID)
	}
	if err != nil {
		return err
	}
	return c.say(&idbwire.Empty{})
}

func (c *call) openURL() error {
	var r idbwire.OpenURLRequest
	if err := c.next(&r); err != nil {
		return err
	}
	if err := c.opts.World.OpenURL(c.ctx, c.opts.UDID, r.URL); err != nil {
		return err
	}
	return c.say(&r)
}

// record records the screen like simctl, until the client sends stop.
func (c *call) record() error {
	var r idbwire.RecordRequest
	if err := c.next(&r); err != nil {
		return err
	}
	if r.Start == nil {
		return unready("Expect start as initial request frame")
	}
	if r.Start.FilePath == "" {
		return invalid("only a film in a file is played")
	}
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	words := &heard{first: make(chan struct{})}
	exit := make(chan int, 1)
	go func() {
		exit <- simctl.Run(ctx, c.opts.World, tool.Call{Args: []string{"io", c.opts.UDID, "recordVideo", "--force", r.Start.FilePath},
			Dir: "/", Stderr: words}.Complete())
		words.once.Do(func() { close(words.first) })
	}()
	<-words.first // the recording has begun or failed
	err := c.next(&idbwire.RecordRequest{})
	stop()
	if <-exit != 0 || err != nil {
		return tool.Refuse("Failed to record: %s", strings.TrimSpace(words.String()))
	}
	return c.say(&idbwire.RecordResponse{Payload: &idbwire.Payload{FilePath: &r.Start.FilePath}})
}

// heard collects a program's output and reports the first output.
type heard struct {
	strings.Builder
	first chan struct{}
	once  sync.Once
}

func (h *heard) Write(data []byte) (int, error) {
	defer h.once.Do(func() { close(h.first) })
	return h.Builder.Write(data)
}

// log runs the program log of the simulator until the client leaves.
func (c *call) log() error {
	var r idbwire.LogRequest
	if err := c.next(&r); err != nil {
		return err
	}
	arguments := r.Arguments
	if len(arguments) == 0 || !slices.Contains([]string{"collect", "config", "erase", "show", "stream", "stats"}, arguments[0]) {
		arguments = append([]string{"stream"}, arguments...)
	}
	var words strings.Builder
	exit := simctl.Run(c.ctx, c.opts.World, tool.Call{Args: append([]string{"spawn", c.opts.UDID, "log"}, arguments...), Dir: "/",
		Stdout: output{c}, Stderr: &words}.Complete())
	if exit != 0 && c.ctx.Err() == nil {
		return tool.Refuse("log ended with %d: %s", exit, strings.TrimSpace(words.String()))
	}
	return nil
}

// output sends a program's output.
type output struct{ *call }

var _ io.Writer = output{}

func (o output) Write(data []byte) (int, error) {
	if err := o.say(&idbwire.LogResponse{Output: data}); err != nil {
		return 0, err
	}
	return len(data), nil
}
