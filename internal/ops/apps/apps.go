// Package apps offers the operations on apps of devices: install, launch, terminate, uninstall, list and open. MacApps does the same for
// apps of this Mac, for the views of other families. Callers name an app by its bundle id or its name.
package apps

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry/steplines"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// Apps installs, launches and terminates apps on devices.
type Apps struct {
	access   access.Access
	launched sync.Map // the pid of the last launch of each app, by appOn
}

// appOn is an app on a device.
type appOn struct{ udid, bundle string }

// New makes the operations on apps.
func New(access access.Access) *Apps { return &Apps{access: access} }

// Ops lists the operations on apps.
func (a *Apps) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "install_app", Groups: []string{"app"}, Verb: "install", Route: "POST /api/v1/device/app/install",
			Summary: "Install an app on the device, booting a named device if needed",
			Hints:   op.Idempotent | op.Executes, Timeout: 10 * time.Minute, Long: true, Default: true,
			Next: []string{"launch_app"}, Examples: []string{`install ./Shop.app --sim "iPhone 16 Pro"`},
		}, a.Install),
		op.New(op.Spec{
			Name: "launch_app", Groups: []string{"app"}, Verb: "launch", Route: "POST /api/v1/device/app/launch",
			Summary: "Launch an installed app, booting a named device if needed",
			Hints:   op.Idempotent, Timeout: 6 * time.Minute, Long: true, Default: true,
			Examples: []string{"launch Shop", "launch com.iosagent.shop --restart --args=-uitest"},
			Instead:  []op.Instead{{Flag: "proxy", Op: "proxy_launch", Doc: "send its requests through the proxy"}},
		}, a.LaunchAndLook),
		op.New(op.Spec{
			Name: "terminate_app", Groups: []string{"app"}, Verb: "terminate", Route: "POST /api/v1/device/app/terminate",
			Summary: "Terminate a running app; succeeds if it does not run", Timeout: time.Minute,
			Examples: []string{"terminate com.iosagent.shop"},
		}, a.Terminate),
		op.New(op.Spec{
			Name: "uninstall_app", Groups: []string{"app"}, Verb: "uninstall", Route: "POST /api/v1/device/app/uninstall",
			Summary: "Remove an app and its data", Hints: op.Destructive, Timeout: time.Minute,
			Examples: []string{"uninstall com.iosagent.shop"},
		}, a.uninstall),
		op.New(op.Spec{
			Name: "list_apps", Groups: []string{"app"}, Aliases: []string{"apps"}, Route: "GET /api/v1/apps",
			Summary: "List the installed apps and which of them run", Hints: op.ReadOnly | op.Idempotent, Timeout: time.Minute,
			Examples: []string{"list-apps", "list-apps --all"},
		}, a.List),
		op.New(op.Spec{
			Name: "open", Groups: []string{"app"}, Route: "POST /api/v1/device/open",
			Summary: "Open a URL on the device, or an app by its bundle id or its name", Timeout: time.Minute,
			Examples: []string{"open https://example.com", "open iosagent-shop://item/7", "open Settings"},
		}, a.open),
	}
}

// InstallIn names an app folder.
type InstallIn struct {
	target.Target
	Path op.Path `json:"app_path" doc:"the .app folder" cli:"arg"`
}

// AppOut is an app and what the operation did with it.
type AppOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`
	Bundle string `json:"bundle_id"`
	Path   string `json:"app_path,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Booted bool   `json:"booted,omitempty"` // the call booted the device

	device  string
	resumed bool // the app already ran and has the same pid
}

// Text is one line.
func (o AppOut) Text() string {
	text := o.Say(oneline.Of(o.device))
	if o.PID > 0 {
		text += fmt.Sprintf(" (pid %d)", o.PID)
	}
	return text
}

// More values of AppOut.Status, besides launched and terminated.
const (
	notRunning = "not running"
	relaunched = "relaunched"
)

// Say is the result in words, for a device with this name.
func (o AppOut) Say(device string) string {
	switch o.Status {
	case notRunning:
		return fmt.Sprintf("%s was not running on %s", o.Bundle, device)
	case relaunched:
		return fmt.Sprintf("relaunched %s on %s, for its new arguments or environment", o.Bundle, device)
	}
	text := fmt.Sprintf("%s %s on %s", o.Status, o.Bundle, device)
	if o.resumed {
		text = fmt.Sprintf("brought %s to the front on %s, where it was running", o.Bundle, device)
	}
	if o.Booted {
		text += ", which was booted for it"
	}
	return text
}

// Install installs an app. The device becomes the session's device.
func (a *Apps) Install(ctx context.Context, c *op.Call, in InstallIn) (AppOut, error) {
	out := AppOut{Status: "installed", Path: string(in.Path)}
	err := a.on(ctx, c, in.Target, &out, func(h *pool.Handle, d device.Apps) (err error) {
		if in.Sim != "" || in.UDID != "" {
			if out.Booted, err = a.booted(ctx, h); err != nil {
				return err
			}
		}
		out.Bundle, err = d.Install(ctx, string(in.Path))
		return err
	})
	if err == nil {
		a.access.Use(c, in.Target, out.UDID)
	}
	return out, err
}

// booted boots the device if it is shut down, and reports whether it was. It trusts a listing that says booted, since one more simctl call
// would slow every launch. It checks again only a listing that says shutdown: another program may have booted the device since.
func (a *Apps) booted(ctx context.Context, h *pool.Handle) (was bool, err error) {
	if _, err := device.As[device.Power](h.Device); err == nil {
		last, known := a.access.Pool.Last(h.Info().UDID)
		was = known && last.State != device.Booted
	}
	if was {
		state, err := a.access.Pool.State(ctx, h.Info().UDID)
		was = err != nil || state != device.Booted
	}
	return was, access.BootIfAble(ctx, h)
}

// LaunchIn names an app and how to start it.
type LaunchIn struct {
	target.Target
	Bundle  string   `json:"bundle_id" doc:"its bundle id or name" cli:"arg"`
	Args    []string `json:"args,omitempty" doc:"for the app" private:"true"`
	Env     []string `json:"env,omitempty" doc:"for the app, as NAME=VALUE" pairs:"true" private:"true"`
	Restart bool     `json:"restart,omitempty" doc:"end a running app first, as args and env do"`
}

// Launch launches an app. A running app is launched again if the call gives arguments or environment, which it would not get otherwise.
func (a *Apps) Launch(ctx context.Context, c *op.Call, in LaunchIn) (AppOut, error) {
	out := AppOut{Status: "launched", Bundle: in.Bundle}
	if err := appref.CheckApp(in.Bundle); err != nil {
		return out, err
	}
	env, err := appref.Harmless(appref.Environment(c.Env, in.Env))
	if err != nil {
		return out, err
	}
	err = a.on(ctx, c, in.Target, &out, func(h *pool.Handle, d device.Apps) (err error) {
		if in.Sim != "" || in.UDID != "" {
			if out.Booted, err = a.booted(ctx, h); err != nil {
				return err
			}
		}
		if out.Bundle, err = appref.BundleOf(ctx, h, in.Bundle); err != nil {
			return err
		}
		how := device.Launch{Args: in.Args, Env: env, Restart: in.Restart}
		if !how.Restart && len(in.Args)+len(in.Env) > 0 {
			app, known, err := appref.Installed(ctx, h, out.Bundle)
			if err != nil {
				return err
			}
			if known && app.PID > 0 {
				out.Status, how.Restart = relaunched, true
			}
		}
		launched := a.access.Listen(c, h, out.Bundle, &how)
		out.PID, err = d.Launch(ctx, out.Bundle, how)
		launched(out.PID, err)
		if err == nil {
			before, _ := a.launched.Swap(appOn{h.Info().UDID, out.Bundle}, out.PID)
			out.resumed = out.PID > 0 && before == out.PID
		}
		return appref.Nearby(ctx, h, out.Bundle, err)
	})
	if err == nil {
		a.access.Use(c, in.Target, out.UDID)
	}
	return out, err
}

// InstallAndLaunchIn is a built app to install and launch.
type InstallAndLaunchIn struct {
	target.Target
	Path   string
	How    device.Launch
	Booted func() // called when the device is booted; may be nil
}

// InstallAndLaunch boots the device if needed, installs the app and launches it, in one turn of the device's lane: no step of another
// session comes between.
func (a *Apps) InstallAndLaunch(ctx context.Context, c *op.Call, in InstallAndLaunchIn) (AppOut, error) {
	out := AppOut{Status: "launched", Path: in.Path}
	err := a.on(ctx, c, in.Target, &out, func(h *pool.Handle, d device.Apps) (err error) {
		c.Progress("booting " + h.Info().Name)
		if err := access.BootIfAble(ctx, h); err != nil {
			return err
		}
		if in.Booted != nil {
			in.Booted()
		}
		c.Progress("installing " + filepath.Base(in.Path))
		if out.Bundle, err = d.Install(ctx, in.Path); err != nil {
			return err
		}
		c.Progress("launching " + out.Bundle)
		launched := a.access.Listen(c, h, out.Bundle, &in.How)
		out.PID, err = d.Launch(ctx, out.Bundle, in.How)
		launched(out.PID, err)
		return err
	})
	if err == nil {
		a.access.Use(c, in.Target, out.UDID)
	}
	return out, err
}

// LaunchOut is a launched app and its first screen.
type LaunchOut struct {
	AppOut
	Outline string `json:"outline,omitempty" lines:"ours"`
	Note    string `json:"note,omitempty"` // why the outline is missing
}

// Text is the line of AppOut, the outline and the note.
func (o LaunchOut) Text() string {
	text := o.AppOut.Text()
	for _, more := range []string{o.Outline, o.Note} {
		if more != "" {
			text += "\n" + more
		}
	}
	return text
}

// LaunchAndLook is Launch with the first screen in the answer, on devices whose screen can be read. A screen that cannot be read is a note
// in the answer, not a failure: the app runs.
func (a *Apps) LaunchAndLook(ctx context.Context, c *op.Call, in LaunchIn) (LaunchOut, error) {
	app, err := a.Launch(ctx, c, in)
	out := LaunchOut{AppOut: app}
	if err != nil {
		return out, err
	}
	h, session, err := a.access.Device(ctx, c, target.Target{UDID: app.UDID})
	if err != nil {
		out.Note = access.Unread(err)
		return out, nil
	}
	if _, err := device.As[device.Eyes](h.Device); err != nil {
		return out, nil
	}
	c.Progress("looking at the first screen")
	err = a.access.Step(ctx, &access.Looking{Call: c, Handle: h, Session: session}, func(s act.Step) error {
		return s.FirstLook(ctx, func(screen *ui.Screen, refs *ui.Refs) {
			c.Saw(screen)
			if screen.App != "" && screen.App != app.Bundle {
				out.Note = app.Bundle + " is not in front"
			}
			out.Outline = outline.Of(screen, outline.Choice{Lines: access.MostShown}, app.UDID, refs)
		})
	})
	if err != nil && !fault.Is(err, fault.AgentNotRunning) { // without an agent on a physical device, no screen is expected
		out.Note = access.Unread(err)
	}
	return out, ctx.Err()
}

// TerminateIn names a running app.
type TerminateIn struct {
	target.Target
	Bundle string `json:"bundle_id" doc:"its bundle id or name" cli:"arg"`
}

// Terminate terminates an app. It succeeds if the app does not run.
func (a *Apps) Terminate(ctx context.Context, c *op.Call, in TerminateIn) (AppOut, error) {
	out := AppOut{Status: "terminated", Bundle: in.Bundle}
	if err := appref.CheckApp(in.Bundle); err != nil {
		return out, err
	}
	err := a.on(ctx, c, in.Target, &out, func(h *pool.Handle, d device.Apps) error {
		var err error
		if out.Bundle, err = appref.BundleOf(ctx, h, in.Bundle); err != nil {
			return err
		}
		app, known, err := appref.Installed(ctx, h, out.Bundle)
		if err != nil {
			return err
		}
		if known && app.PID == 0 {
			out.Status = notRunning
			return nil
		}
		err = d.Terminate(ctx, out.Bundle)
		if err == nil {
			a.access.Said.Ended(h.Info().UDID, out.Bundle)
		}
		return err
	})
	return out, err
}

// EndProcess ends the process of a device with this pid.
func (a *Apps) EndProcess(ctx context.Context, c *op.Call, t target.Target, pid int) (target.StatusOut, error) {
	return access.With(ctx, a.access, c, t, func(p device.Processes) error { return p.EndProcess(ctx, pid) })
}

// on runs do with the apps of the call's device, in the device's lane.
func (a *Apps) on(ctx context.Context, c *op.Call, t target.Target, out *AppOut, do func(*pool.Handle, device.Apps) error) error {
	h, _, err := a.access.Device(ctx, c, t)
	if err != nil {
		return err
	}
	d, err := device.As[device.Apps](h.Device)
	if err != nil {
		return err
	}
	out.UDID, out.device = h.Info().UDID, h.Info().Name
	defer func() {
		if out.Bundle != "" {
			c.Note(steplines.Launched(out.Bundle))
		}
	}()
	if t != (target.Target{}) {
		return a.access.Change(ctx, h, func() error { return do(h, d) }) // do may boot a device that the call names
	}
	return a.access.Away(ctx, h, func() error { return do(h, d) })
}

// uninstallIn names an app.
type uninstallIn struct {
	target.Target
	Bundle string `json:"bundle_id" doc:"its bundle id or name" cli:"arg"`
}

func (a *Apps) uninstall(ctx context.Context, c *op.Call, in uninstallIn) (AppOut, error) {
	out := AppOut{Status: "uninstalled", Bundle: in.Bundle}
	if err := appref.CheckApp(in.Bundle); err != nil {
		return out, err
	}
	err := a.on(ctx, c, in.Target, &out, func(h *pool.Handle, _ device.Apps) error {
		inventory, err := device.As[device.Inventory](h.Device)
		if err != nil {
			return err
		}
		if out.Bundle, err = appref.BundleOf(ctx, h, in.Bundle); err != nil {
			return err
		}
		return appref.Nearby(ctx, h, out.Bundle, inventory.Uninstall(ctx, out.Bundle))
	})
	return out, err
}

// ListAppsIn says which apps to list.
type ListAppsIn struct {
	target.Target
	All bool `json:"all,omitempty" doc:"include system apps in the text"`
}

// ListAppsOut is every installed app.
type ListAppsOut struct {
	Apps []device.App `json:"apps"`
	UDID string       `json:"udid"`

	all    bool
	device string
}

// Text has a line for each app.
func (o ListAppsOut) Text() string {
	lines := []string{fmt.Sprintf("%d apps on %s", len(o.Apps), oneline.Of(o.device))}
	system := 0
	for _, a := range o.Apps {
		if a.Type != "User" && !o.all {
			system++
			continue
		}
		line := fmt.Sprintf("%s  %q", a.Shown(), a.Name)
		if a.PID > 0 {
			line += fmt.Sprintf("  running (pid %d)", a.PID)
		}
		lines = append(lines, line)
	}
	if system > 0 {
		lines = append(lines, fmt.Sprintf("and %d system apps: %s", system, hint.Do("list_apps", "all", true)))
	}
	return strings.Join(lines, "\n")
}

// List lists the apps of a device.
func (a *Apps) List(ctx context.Context, c *op.Call, in ListAppsIn) (ListAppsOut, error) {
	out := ListAppsOut{all: in.All}
	done, err := access.With(ctx, a.access, c, in.Target, func(i device.Inventory) (err error) {
		out.Apps, err = i.List(ctx)
		return err
	})
	if err != nil {
		return out, err
	}
	out.UDID, out.device = done.UDID, c.Device.Name
	return out, err
}

// openIn names a URL or an app to open.
type openIn struct {
	target.Target
	What string `json:"url" doc:"a URL, an app's bundle id, or an app's name" cli:"arg"`
}

// openOut is the URL or the app that was opened.
type openOut struct {
	AppOut
	URL string `json:"url,omitempty"`
}

// Text is one line.
func (o openOut) Text() string {
	if o.URL == "" {
		return o.AppOut.Text()
	}
	return fmt.Sprintf("opened %s on %s", o.URL, oneline.Of(o.device))
}

// open treats a text with a scheme as a URL. Bundle ids and names of apps have no scheme.
func (a *Apps) open(ctx context.Context, c *op.Call, in openIn) (openOut, error) {
	out := openOut{AppOut: AppOut{Status: "opened"}}
	err := a.on(ctx, c, in.Target, &out.AppOut, func(h *pool.Handle, d device.Apps) error {
		if u, err := url.Parse(in.What); err == nil && u.Scheme != "" {
			links, err := device.As[device.Links](h.Device)
			if err != nil {
				return err
			}
			out.URL = in.What
			return links.OpenURL(ctx, in.What)
		}
		bundle, err := appref.BundleOf(ctx, h, in.What)
		if err != nil {
			return err
		}
		out.Bundle = bundle
		how := device.Launch{}
		launched := a.access.Listen(c, h, bundle, &how)
		out.PID, err = d.Launch(ctx, bundle, how)
		launched(out.PID, err)
		return appref.Nearby(ctx, h, bundle, err)
	})
	return out, err
}
