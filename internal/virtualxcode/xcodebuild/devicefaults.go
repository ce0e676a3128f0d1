package xcodebuild

import (
	"context"
	"fmt"

	"ios-agent/internal/virtualxcode/flaw"
)

// deviceTrouble is the reason why tests cannot begin on a physical device.
func (t Tool) deviceTrouble(ctx context.Context, udid string) error {
	name := udid
	locked := false
	if t.Devices != nil {
		all, err := t.Devices.Devices(ctx)
		if err != nil {
			return err
		}
		for _, d := range all {
			if d.UDID == udid {
				name, locked = d.Name, d.Locked
			}
		}
	}
	happens, err := t.taken(ctx, udid, flaw.DeviceUnplugged, flaw.DeviceUnpaired, flaw.DeviceLocked, flaw.DeveloperModeOff, flaw.TunnelDown,
		flaw.DiskImageMissing)
	if err != nil {
		return err
	}
	switch {
	case happens[flaw.DeviceUnplugged] != nil:
		return appleError(fmt.Sprintf("Timed out waiting for all destinations matching the provided destination specifier to become "+
			"available\n\n\t{ id:%s } is not connected", udid))
	case happens[flaw.DeviceUnpaired] != nil:
		return appleError(fmt.Sprintf("%s is not available because it is unpaired. Pair with the device in the Xcode Devices Window, and "+
			"respond to any pairing prompts on the device.", name))
	case happens[flaw.TunnelDown] != nil:
		return appleError(fmt.Sprintf("The tunnel connection to %s failed. (com.apple.dt.CoreDeviceError error 4.)", name))
	case happens[flaw.DeveloperModeOff] != nil:
		return appleError(fmt.Sprintf("Developer Mode disabled. To use %s for development, enable Developer Mode in Settings → Privacy & "+
			"Security.", name))
	case happens[flaw.DiskImageMissing] != nil:
		return appleError("The developer disk image could not be mounted on this device.")
	case locked || happens[flaw.DeviceLocked] != nil:
		return appleError(fmt.Sprintf("Unlock %s to Continue. Xcode cannot launch %s on %s because the device is locked.", name,
			t.Scheme.Name, name))
	}
	return nil
}

// unsigned is the signing error of the agent's targets: for a physical device they need a team, and a profile of the team. Other
// projects count as signed.
func (s *session) unsigned(ctx context.Context) (func(buildable) []string, error) {
	if s.Scheme.Name == "" || s.scheme.Name != s.Scheme.Name || s.destination.sdk != "iphoneos" {
		return func(buildable) []string { return nil }, nil
	}
	happens, err := s.taken(ctx, "", flaw.SigningMissing)
	return func(b buildable) []string {
		switch id := b.settings["PRODUCT_BUNDLE_IDENTIFIER"]; {
		case b.settings["DEVELOPMENT_TEAM"] == "":
			return []string{fmt.Sprintf("Signing for %q requires a development team. Select a development team in the Signing & Capabilities "+
				"editor.", b.target.Name)}
		case happens[flaw.SigningMissing] != nil:
			return []string{fmt.Sprintf("No profiles for '%s' were found: Xcode couldn't find any iOS App Development provisioning profiles "+
				"matching '%s'.", id, id)}
		}
		return nil
	}, err
}
