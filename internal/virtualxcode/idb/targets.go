package idb

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// arch is the architecture of simulators.
const arch = "arm64"

func listTargets(_ context.Context, c call) error {
	all := c.world.Devices()
	slices.SortStableFunc(all, func(a, b world.Device) int { return strings.Compare(a.Name, b.Name) })
	for _, d := range all {
		if c.args.has("--json") {
			fmt.Fprintln(c.Stdout, python(about(d)))
			continue
		}
		fmt.Fprintf(c.Stdout, "%s | %s | %s | simulator | %s | %s | No Companion Connected\n", d.Name, d.UDID, d.State,
			d.Runtime.Name(), arch)
	}
	return nil
}

func about(d world.Device) []pair {
	return []pair{{"name", d.Name}, {"udid", d.UDID}, {"state", string(d.State)}, {"type", "simulator"}, {"os_version", d.Runtime.Name()},
		{"architecture", arch}}
}

// describeTarget prints the device as JSON, or as Python prints an object.
func describeTarget(_ context.Context, c call) error {
	d, s := c.device, c.device.Screen
	if c.args.has("--json") {
		screen := []pair{{"width", s.Width * s.Scale}, {"height", s.Height * s.Scale}, {"density", s.Scale}, {"width_points", s.Width},
			{"height_points", s.Height}}
		fmt.Fprintln(c.Stdout, python(append(about(d), pair{"screen_dimensions", screen}, pair{"model", d.Type.Name})))
		return nil
	}
	fmt.Fprintf(c.Stdout, "TargetDescription(udid='%s', name='%s', target_type=<TargetType.SIMULATOR: 'simulator'>, state='%s', "+
		"os_version='%s', architecture='%s', "+
		"companion_info=None, screen_dimensions=ScreenDimensions(width=%v, height=%v, density=%.1f, width_points=%v, "+
		"height_points=%v), model='%s', device=None, extended={}, diagnostics={}, metadata={})\n",
		d.UDID, d.Name, d.State, d.Runtime.Name(), arch, s.Width*s.Scale, s.Height*s.Scale, s.Scale, s.Width, s.Height, d.Type.Name)
	return nil
}

// connect succeeds without any effect, because this idb has no companion.
func connect(_ context.Context, c call) error {
	udid := c.args.words["companion"]
	for _, d := range c.world.Devices() {
		if strings.EqualFold(d.UDID, udid) {
			if c.args.has("--json") {
				fmt.Fprintln(c.Stdout, python([]pair{{"udid", d.UDID}, {"is_local", true}}))
			} else {
				fmt.Fprintf(c.Stdout, "udid: %s is_local: True\n", d.UDID)
			}
			return nil
		}
	}
	return tool.Refuse("provide either a UDID or the host and port of the companion")
}

func listApps(_ context.Context, c call) error {
	apps, err := c.world.Apps(c.device.UDID)
	if err != nil {
		return err
	}
	slices.SortFunc(apps, func(a, b world.InstalledApp) int { return strings.Compare(a.BundleID, b.BundleID) })
	for _, a := range apps {
		kind, state := "user", "Not running"
		if strings.HasPrefix(a.BundleID, "com.apple.") {
			kind = "system"
		}
		if a.PID != 0 {
			state = "Running"
		}
		if c.args.has("--json") {
			fmt.Fprintln(c.Stdout, python([]pair{{"bundle_id", a.BundleID}, {"name", a.Name}, {"install_type", kind},
				{"architectures", []string{arch}},
				{"process_state", state}, {"debuggable", kind == "user"}}))
			continue
		}
		debuggable := "Not Debuggable"
		if kind == "user" {
			debuggable = "Debuggable"
		}
		fmt.Fprintln(c.Stdout, strings.Join([]string{a.BundleID, a.Name, kind, arch, state, debuggable}, " | "))
	}
	return nil
}

func install(ctx context.Context, c call) error {
	path := c.Path(c.args.words["bundle_path"])
	b, err := app.Open(path)
	if err != nil {
		return tool.Refuse("Failed to install %s: %v", path, err)
	}
	if err := c.world.Install(ctx, c.device.UDID, b, path); err != nil {
		return err
	}
	if c.args.has("--json") {
		fmt.Fprintln(c.Stdout, python([]pair{{"installedAppBundleId", b.ID}, {"uuid", nil}}))
	} else {
		fmt.Fprintf(c.Stdout, "Installed: %s None\n", b.ID)
	}
	return nil
}

// find finds an installed app.
func (c call) find(bundle string) (world.InstalledApp, error) {
	a, err := c.world.App(c.device.UDID, bundle)
	if err == nil && a.BundleID == "" {
		err = tool.Refuse("Cannot find application with bundle id %s", bundle)
	}
	return a, err
}

func uninstall(ctx context.Context, c call) error {
	bundle := c.args.words["bundle_id"]
	if _, err := c.find(bundle); err != nil {
		return err
	}
	return c.world.Uninstall(ctx, c.device.UDID, bundle)
}

// launch starts an app. A running app is an error, unless the caller allows to bring it to the front.
func launch(ctx context.Context, c call) error {
	a, err := c.find(c.args.words["bundle_id"])
	if err != nil {
		return err
	}
	if a.PID != 0 && !c.args.has("--foreground-if-running") {
		return tool.Refuse("Application %s is already running as pid %d: use -f to bring it to the foreground", a.BundleID, a.PID)
	}
	pid, err := c.world.Launch(ctx, c.device.UDID, a.BundleID, world.LaunchOptions{Args: c.args.rest})
	if err != nil || !c.args.has("--wait-for") {
		return err
	}
	err = c.world.Attach(ctx, c.device.UDID, pid, c.Stdout, c.Stdout)
	if ctx.Err() != nil {
		_ = c.world.Terminate(context.WithoutCancel(ctx), c.device.UDID, a.BundleID) // the app may have ended by itself
		return nil
	}
	return err
}

func terminate(ctx context.Context, c call) error {
	a, err := c.find(c.args.words["bundle_id"])
	if err == nil && a.PID == 0 {
		err = tool.Refuse("Application %s is not running", a.BundleID)
	}
	if err != nil {
		return err
	}
	return c.world.Terminate(ctx, c.device.UDID, a.BundleID)
}

func openURL(ctx context.Context, c call) error {
	return c.world.OpenURL(ctx, c.device.UDID, c.args.words["url"])
}

func screenshot(ctx context.Context, c call) error {
	scene, err := c.world.Scene(ctx, c.device.UDID)
	if err != nil {
		return err
	}
	png, err := render.PNG(scene)
	if err != nil {
		return err
	}
	if dest := c.args.words["dest_path"]; dest != "-" {
		return os.WriteFile(c.Path(dest), png, 0o600)
	}
	_, err = c.Stdout.Write(png)
	return err
}
