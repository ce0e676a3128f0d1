package simctl

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/world"
)

func install(ctx context.Context, c *call) error {
	d, name, err := c.bootedAnd() // like the real tool, check the device before the app
	if err != nil {
		return err
	}
	path := c.Path(name)
	b, err := openApp(path)
	if err != nil {
		return err
	}
	return c.world.Install(ctx, d.UDID, b, path)
}

const cannotInstall = "Simulator device failed to install the application."

// openApp reads an app. Its error has the real tool's words where they are known.
func openApp(path string) (*app.Bundle, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, &world.Error{Domain: "NSPOSIXErrorDomain", Code: 2, Message: cannotInstall +
			"\nAn application bundle was not found at the provided path.\nProvide a valid path to the desired application bundle."}
	}
	b, err := app.Open(path)
	if errors.Is(err, app.ErrNoBundleID) {
		return nil, &world.Error{Domain: "IXErrorDomain", Code: 13, Message: cannotInstall + "\nMissing bundle ID.",
			Underlying: &world.Error{Domain: "IXErrorDomain", Code: 13, Message: "Failed to get bundle ID from " + path +
				"\nMissing bundle ID."}}
	}
	if err != nil {
		return nil, &world.Error{Domain: "VirtualXcodeErrorDomain", Code: 1, Message: cannotInstall + "\n" + err.Error()}
	}
	return b, nil
}

func terminate(ctx context.Context, c *call) error {
	d, bundle, err := c.deviceAnd()
	if err != nil {
		return err
	}
	return c.world.Terminate(ctx, d.UDID, bundle)
}

func uninstall(ctx context.Context, c *call) error {
	d, bundle, err := c.deviceAnd()
	if err != nil {
		return err
	}
	return c.world.Uninstall(ctx, d.UDID, bundle)
}
