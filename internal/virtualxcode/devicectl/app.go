package devicectl

import (
	"context"
	"errors"
	"os"
	"slices"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/world"
)

func install(ctx context.Context, c *call) (object, error) {
	path := c.Path(c.args.Words[0])
	if _, err := os.Stat(path); err != nil {
		return nil, noFile(path)
	}
	b, err := app.Open(path)
	if err != nil {
		return nil, notInstalled("The item at "+path+" is not a valid bundle.", "MIInstallerErrorDomain", 35, err.Error())
	}
	if !forDevices(b) {
		return nil, notInstalled("Unable to Install “"+b.Name+"”", "IXUserPresentableErrorDomain", 1,
			"This app was built for the simulator, not for "+c.device.Type.Name+".")
	}
	c.connect()
	if err := c.world.Install(ctx, c.device.UDID, b, path); err != nil {
		var apple *world.Error
		if errors.As(err, &apple) {
			f := core(3002, "Failed to install the app on the device.")
			f.underlying = nested(apple)
			return nil, f
		}
		return nil, err
	}
	a, err := c.app(b.ID)
	if err != nil {
		return nil, err
	}
	url := "file://" + folder(a) + "/"
	sequence := 1000 + len(b.ID) // the database does not exist, so the number is arbitrary
	c.say("App installed:\n• bundleID: %s\n• installationURL: %s\n• launchServicesIdentifier: unknown\n• databaseUUID: %s\n• "+
		"databaseSequenceNumber: %d\n• options: \n",
		b.ID, url, c.device.Identifier, sequence)
	return object{"deviceIdentifier": c.device.Identifier, "installedApplications": []any{object{
		"bundleID": b.ID, "databaseSequenceNumber": sequence, "databaseUUID": c.device.Identifier, "installationURL": url,
		"launchServicesIdentifier": "unknown", "options": object{},
	}}}, nil
}

// forDevices reports whether an app may run on a device. Only an app built for the simulator may not.
func forDevices(b *app.Bundle) bool {
	var info struct {
		Platforms []string `plist:"CFBundleSupportedPlatforms"`
	}
	_, _ = plist.Unmarshal(b.Info, &info) // already read when the app was opened
	return len(info.Platforms) == 0 || slices.Contains(info.Platforms, "iPhoneOS")
}

// connect prints the lines about the tunnel, like every command that changes the device.
func (c *call) connect() {
	at := clock(c.world.Now())
	c.say("%s  Acquired tunnel connection to device.\n%s  Enabling developer disk image services.\n%s  Acquired usage assertion.\n", at, at,
		at)
}

// app finds an installed app.
func (c *call) app(bundle string) (world.InstalledApp, error) {
	return c.which(func(a world.InstalledApp) bool { return a.BundleID == bundle })
}

func (c *call) which(is func(world.InstalledApp) bool) (world.InstalledApp, error) {
	apps, err := c.world.Apps(c.device.UDID)
	if err != nil {
		return world.InstalledApp{}, err
	}
	if i := slices.IndexFunc(apps, is); i >= 0 {
		return apps[i], nil
	}
	return world.InstalledApp{}, unknownApp()
}

func uninstall(ctx context.Context, c *call) (object, error) {
	bundle := c.args.Words[0]
	if _, err := c.app(bundle); err != nil {
		return nil, notUninstalled(bundle)
	}
	c.connect()
	if err := c.world.Uninstall(ctx, c.device.UDID, bundle); err != nil {
		return nil, err
	}
	c.say("App uninstalled.\n")
	return object{"deviceIdentifier": c.device.Identifier, "uninstalledApplications": []any{object{"bundleID": bundle}}}, nil
}
