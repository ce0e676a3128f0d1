package devicectl

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

func details(_ context.Context, c *call) (object, error) {
	about := c.described(c.device.UDID, describe(c.device))
	c.say("Current device properties:\n%s", bullets(about, ""))
	return about, nil
}

// bullets prints a result as text.
func bullets(v object, indent string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(v)) {
		switch value := v[key].(type) {
		case object:
			fmt.Fprintf(&b, "%s▿ %s:\n%s", indent, key, bullets(value, indent+"  "))
		case []any:
			fmt.Fprintf(&b, "%s▿ %s: %d elements\n", indent, key, len(value))
		default:
			fmt.Fprintf(&b, "%s• %s: %v\n", indent, key, value)
		}
	}
	return b.String()
}

func listApps(_ context.Context, c *call) (object, error) {
	installed, err := c.world.Apps(c.device.UDID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(installed, func(a, b world.InstalledApp) int { return cmp.Compare(a.BundleID, b.BundleID) })
	wanted := c.args.Value("--bundle-id")
	all := c.args.Has("--include-all-apps")
	has := func(kind string) bool { return all || c.args.Has("--include-"+kind+"-apps") }
	result := object{
		"defaultAppsIncluded": has("default"), "hiddenAppsIncluded": has("hidden"), "internalAppsIncluded": has("internal"),
		"removableAppsIncluded": !c.args.Has("--no-include-removable-apps"), "deviceIdentifier": c.device.Identifier,
	}
	if wanted != "" {
		result["matchingBundleIdentifier"] = wanted
	}
	rows, apps := [][]string{{"Name", "Bundle Identifier", "Version", "Bundle Version"}}, []any{}
	for _, a := range installed {
		switch {
		case wanted != "" && a.BundleID != wanted:
		case wanted == "" && system(a) && !has("default"):
		case !system(a) && c.args.Has("--no-include-removable-apps"):
		default:
			rows = append(rows, []string{a.Name, a.BundleID, a.Version, cmp.Or(a.Build, "1")})
			apps = append(apps, describeApp(a))
		}
	}
	result["apps"] = apps
	if len(apps) == 0 {
		c.say("No apps found.\n")
	} else {
		c.say("Apps installed:\n%s", table(rows))
	}
	return result, nil
}

func system(a world.InstalledApp) bool { return strings.HasPrefix(a.BundleID, "com.apple.") }

func describeApp(a world.InstalledApp) object {
	return object{
		"appClip": false, "builtByDeveloper": !system(a), "bundleIdentifier": a.BundleID, "bundleVersion": cmp.Or(a.Build, "1"),
		"defaultApp": system(a),
		"hidden":     false, "internalApp": false, "name": a.Name, "removable": !system(a), "url": "file://" + folder(a) + "/",
		"version": cmp.Or(a.Version, "1.0"),
	}
}

// folder is the path of an app on the device.
func folder(a world.InstalledApp) string {
	if system(a) {
		return "/private/var/staged_system_apps/" + path.Base(a.Containers.App)
	}
	return path.Join("/private/var/containers/Bundle/Application", path.Base(path.Dir(a.Containers.App)), path.Base(a.Containers.App))
}

func executable(a world.InstalledApp) string { return folder(a) + "/" + a.Executable }

func processes(_ context.Context, c *call) (object, error) {
	apps, err := c.world.Apps(c.device.UDID)
	if err != nil {
		return nil, err
	}
	running := []any{object{"executable": "file:///sbin/launchd", "processIdentifier": 1}}
	lines := "1   /sbin/launchd\n"
	slices.SortFunc(apps, func(a, b world.InstalledApp) int { return a.PID - b.PID })
	for _, a := range apps {
		if a.PID != 0 {
			running = append(running, object{"executable": "file://" + executable(a), "processIdentifier": a.PID})
			lines += fmt.Sprintf("%d   %s\n", a.PID, executable(a))
		}
	}
	c.say("Running processes:\n%s", lines)
	return object{"deviceIdentifier": c.device.Identifier, "runningProcesses": running}, nil
}

func lockState(_ context.Context, c *call) (object, error) {
	c.say("Lock state for the device:\n• passcodeRequired: %v\n• unlockedSinceBoot: true\n", c.device.Locked)
	return object{"deviceIdentifier": c.device.Identifier, "passcodeRequired": c.device.Locked, "unlockedSinceBoot": true}, nil
}

func displays(_ context.Context, c *call) (object, error) {
	s := c.device.Screen
	one := object{
		"bounds": []any{[]any{0, 0}, []any{s.Width, s.Height}}, "name": "LCD", "nativeSize": []any{s.Width * s.Scale, s.Height * s.Scale},
		"pointScale": s.Scale, "primary": true, "type": "integrated",
	}
	c.say("Displays:\n%s", bullets(one, "  "))
	return object{"deviceIdentifier": c.device.Identifier, "displays": []any{one}}, nil
}
