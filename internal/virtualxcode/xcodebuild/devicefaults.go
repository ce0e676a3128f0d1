package xcodebuild

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/project"
)

// deviceTrouble is the reason why tests cannot begin on a physical device.
func (t Tool) deviceTrouble(ctx context.Context, udid string, o options) error {
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
	if err := t.preparing(ctx, udid, o); err != nil {
		return err
	}
	return t.refuseProfile(ctx, udid, o)
}

// usualTimeout is how many seconds xcodebuild waits for a destination without -destination-timeout.
const usualTimeout = 30

// preparing waits until Xcode has prepared a device, as long as xcodebuild waits for a destination.
func (t Tool) preparing(ctx context.Context, udid string, o options) error {
	happens, err := t.taken(ctx, udid, flaw.DevicePreparing)
	if err != nil || happens[flaw.DevicePreparing] == nil {
		return err
	}
	needed, _ := strconv.Atoi(happens[flaw.DevicePreparing]["seconds"]) // validated when the fault was armed
	allowed := usualTimeout
	if n, err := strconv.Atoi(o.timeout); err == nil {
		allowed = n
	}
	if err := t.Service.Sleep(ctx, time.Duration(min(needed, allowed))*time.Second); err != nil || needed <= allowed {
		return err
	}
	return appleError(fmt.Sprintf("Timed out waiting for all destinations matching the provided destination specifier to become "+
		"available\n\n\tAvailable destinations for the scheme:\n\t\t{ platform:iOS, id:%s, error:The device is not ready: Preparing the "+
		"device for development. }", udid))
}

// refuseProfile is the refusal of a device whose udid is not in the provisioning profile of the products, or for which it expired.
func (t Tool) refuseProfile(ctx context.Context, udid string, o options) error {
	name := t.Scheme.Name + "-Runner"
	runners, _ := filepath.Glob(filepath.Join(filepath.Dir(t.Path(o.xctestrun)), "*-iphoneos", name+".app", profileFile))
	happens, err := t.taken(ctx, udid, flaw.ProfileExpired)
	if err != nil {
		return err
	}
	refused := happens[flaw.ProfileExpired] != nil
	for _, path := range runners {
		p, err := readPlist(path)
		if err != nil {
			return err
		}
		devices, _ := p["ProvisionedDevices"].([]any)
		expires, _ := p["ExpirationDate"].(time.Time)
		refused = refused || !slices.Contains(devices, any(udid)) || time.Now().After(expires)
	}
	if !refused {
		return nil
	}
	return appleError(fmt.Sprintf("%s encountered an error (Failed to install or launch the test runner. (Underlying Error: Unable to "+
		"Install “%s”. Failed to verify code signature of /var/installd/Library/Caches/com.apple.mobile.installd.staging/temp.Vx7Yq2/"+
		"extracted/%s.app : 0xe8008015 (A valid provisioning profile for this executable was not found.)))", name, name, name))
}

// profileFile is the provisioning profile in a signed app. A real one is a signed message around the property list.
const profileFile = "embedded.mobileprovision"

// profileLife is how long the profile of a paid team is valid.
const profileLife = 365 * 24 * time.Hour

// writeProfile puts the team's current profile into the app around UI tests, as Xcode's automatic signing does at each build.
func (s *session) writeProfile(b buildable) error {
	if s.destination.sdk != "iphoneos" || b.settings["DEVELOPMENT_TEAM"] == "" || b.target.Kind != project.UITests {
		return nil
	}
	devices := []string{}
	for _, d := range s.all {
		if d.sdk == "iphoneos" && d.id != "" && (!s.oneDevice || d.id == s.destination.id) {
			devices = append(devices, d.id)
		}
	}
	data, err := plist.MarshalIndent(map[string]any{
		"Name":               "iOS Team Provisioning Profile: " + b.settings["PRODUCT_BUNDLE_IDENTIFIER"],
		"TeamIdentifier":     []string{b.settings["DEVELOPMENT_TEAM"]},
		"ProvisionedDevices": devices, "ExpirationDate": s.Now().Add(profileLife),
	}, plist.XMLFormat, "\t")
	if err != nil {
		return err
	}
	return write(filepath.Join(b.runner(), profileFile), data, 0o644)
}

// unsigned is the signing error of the agent's targets: for a physical device they need a team, and a profile of the team. Other
// projects count as signed.
func (s *session) unsigned(ctx context.Context) (func(buildable) []string, error) {
	if s.Scheme.Name == "" || s.scheme.Name != s.Scheme.Name || s.destination.sdk != "iphoneos" {
		return func(buildable) []string { return nil }, nil
	}
	happens, err := s.taken(ctx, "", flaw.SigningMissing, flaw.ProfileWithoutDevice)
	s.oneDevice = happens[flaw.ProfileWithoutDevice] != nil
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
