package device

import (
	"ios-agent/internal/apple/bundleid"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// CheckBundle refuses an input that is not a bundle id: a tool would read -x as an option.
func CheckBundle(id string) error {
	if err := bundleid.Check(id); err != nil {
		return fault.New(fault.InvalidInput, "%w", err).With("field", "bundleId").
			WithHint("%s shows the bundle ids", hint.Do("list_apps"))
	}
	return nil
}

// Shown is the bundle id of an installed app for texts: quoted on one line if other programs would not accept it as a bundle id.
func (a App) Shown() string { return bundleid.Shown(a.Bundle) }

// CheckFront refuses a front app id from a driver that is not a bundle id. Outlines and faults show the id unquoted, so an id with line
// breaks would write lines into them. An empty id passes: the app is unknown.
func CheckFront(who, id string) error {
	if err := bundleid.Check(id); id != "" && err != nil {
		return fault.New(fault.AgentFailed, "%s names the app in front: %w", who, err).
			WithHint("bring another app to the front: %s", hint.Do("launch_app", "bundle_id", "com.apple.Preferences"))
	}
	return nil
}
