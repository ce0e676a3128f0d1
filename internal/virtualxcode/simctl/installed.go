package simctl

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/oldplist"
	"ios-agent/internal/virtualxcode/world"
)

func listapps(_ context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	apps, err := c.world.Apps(d.UDID)
	if err != nil {
		return err
	}
	slices.SortFunc(apps, func(a, b world.InstalledApp) int { return cmp.Compare(a.BundleID, b.BundleID) })
	var all object
	for _, a := range apps {
		if _, err := c.world.Containers(d.UDID, a.BundleID); err != nil { // the folders of the app exist
			return err
		}
		all = append(all, member{a.BundleID, describe(a)})
	}
	fmt.Fprint(c.Stdout, oldplist.Encode(all))
	return nil
}

func appinfo(_ context.Context, c *call) error {
	d, bundle, err := c.bootedAnd()
	if err != nil {
		return err
	}
	a, err := c.world.App(d.UDID, bundle)
	if err != nil {
		return err
	}
	info := object{{"CFBundleIdentifier", bundle}} // the real tool prints only this for an unknown app
	if a.BundleID != "" {
		info = describe(a)
	}
	fmt.Fprint(c.Stdout, oldplist.Encode(info))
	return nil
}

// describe returns the keys in the real tool's order, which is alphabetical.
func describe(a world.InstalledApp) object {
	kind := "User"
	if system(a) {
		kind = "System"
	}
	container, _, _ := cut(a.Containers.App)
	groups := object{}
	for _, id := range slices.Sorted(maps.Keys(a.Containers.Groups)) {
		groups = append(groups, member{id, folderURL(a.Containers.Groups[id])})
	}
	all := object{
		{"ApplicationType", kind},
		{"Bundle", folderURL(a.Containers.App)},
		{"BundleContainer", folderURL(container)},
		{"CFBundleDisplayName", a.Name},
		{"CFBundleExecutable", a.Executable},
		{"CFBundleIdentifier", a.BundleID},
		{"CFBundleName", a.Name},
		{"CFBundleVersion", cmp.Or(a.Build, "1")},
		{"DataContainer", folderURL(a.Containers.Data)},
		{"GroupContainers", groups},
		{"Path", a.Containers.App},
		{"SBAppTags", array{}},
	}
	return slices.DeleteFunc(all, func(m member) bool { return system(a) && m.key == "BundleContainer" })
}

func system(a world.InstalledApp) bool { return strings.HasPrefix(a.BundleID, "com.apple.") }

// cut splits a path at its last slash.
func cut(path string) (folder, name string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

func folderURL(path string) string { return (&url.URL{Scheme: "file", Path: path + "/"}).String() }

func appContainer(_ context.Context, c *call) error {
	d, bundle, err := c.bootedAnd()
	if err != nil {
		return err
	}
	of, err := c.world.Containers(d.UDID, bundle)
	if err != nil {
		return err
	}
	kind := append(c.Args, "app")[0]
	path := map[string]string{"app": of.App, "data": of.Data}[kind]
	if kind == "groups" {
		for _, id := range slices.Sorted(maps.Keys(of.Groups)) {
			fmt.Fprintf(c.Stdout, "%s\t%s\n", id, of.Groups[id])
		}
		return nil
	}
	if path == "" {
		path = of.Groups[kind]
	}
	if path == "" {
		return &world.Error{Domain: "NSPOSIXErrorDomain", Code: 2, Message: "No such file or directory"}
	}
	fmt.Fprintln(c.Stdout, path)
	return nil
}
