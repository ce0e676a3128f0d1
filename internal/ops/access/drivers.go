package access

import (
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/op"
)

// driverFlags choose the driver for one call, on command lines. They are on every verb that is about a device; no tool of a model has them:
// it sets the session's default, once.
func driverFlags() []op.Short {
	const about = "udid"
	return []op.Short{
		{Flag: "driver", Default: defaults.KeyDriver, Needs: about,
			Doc: "what looks at the device and touches it: " + strings.Join(device.Drivers(), ", ")},
		{Flag: "wda-url", Default: defaults.KeyWDA, Needs: about, Doc: "WebDriverAgent that drives the device"},
		{Flag: "appium-url", Default: defaults.KeyAppium, Needs: about, Doc: "Appium server that drives the device"},
		{Flag: "idb-url", Default: defaults.KeyIDB, Needs: about, Doc: "idb_companion that drives the device"},
	}
}

// WithDriverFlags adds the flags to operations, which have them if they are about a device.
func WithDriverFlags(all []op.Op) []op.Op {
	for i := range all {
		all[i].Short = append(slices.Clip(all[i].Short), driverFlags()...)
	}
	return all
}

// usualDriver is the driver that a device has when none is chosen: the first that can see, else the first. It sees now unless its agent
// waits to be started.
func usualDriver(of device.Device) (name string, sees bool) {
	c, is := of.(*device.Composite)
	if !is || len(c.Parts()) == 0 {
		return of.Driver(), false
	}
	for _, part := range c.Parts() {
		if _, sees := device.Has[device.Eyes](part); sees {
			sleeper, may := device.Has[device.Dormant](part)
			return part.Driver(), !may || !sleeper.Dormant()
		}
	}
	return c.Parts()[0].Driver(), false
}

func flagOf(driver string) string { return driver + "-url" }

func variableOf(driver string) string {
	return "IOS_AGENT_" + strings.ToUpper(strings.ReplaceAll(flagOf(driver), "-", "_"))
}
