package device

import (
	"ios-agent/internal/apple/bundleid"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// CheckBundle refuses an input that is not a bundle id: a tool would take -x for an option.
func CheckBundle(id string) error {
	if err := bundleid.Check(id); err != nil {
		return fault.New(fault.InvalidInput, "%w", err).With("field", "bundleId").
			WithHint("%s shows the bundle ids", hint.Do("list_apps"))
	}
	return nil
}

// Shown is the bundle id of an app that is installed, as texts have it: quoted on one line if other programs would not take it for one.
func (a App) Shown() string { return bundleid.Shown(a.Bundle) }

// CheckFront refuses what a driver's other side tells of the app in front if it is not a bundle id. Outlines and faults name the app
// unquoted: an app whose author put line breaks into its id would write lines into them. Empty passes: nobody knows the app.
func CheckFront(who, id string) error {
	if err := bundleid.Check(id); id != "" && err != nil {
		return fault.New(fault.AgentFailed, "%s names the app in front: %w", who, err).
			WithHint("bring another app to the front: %s", hint.Do("launch_app", "bundle_id", "com.apple.Preferences"))
	}
	return nil
}
