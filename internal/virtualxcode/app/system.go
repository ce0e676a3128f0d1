package app

import "strings"

// Prefixes of variables that the device provides. They need no declaration, and only an app of the system can change them.
const (
	devicePrefix     = "device."
	permissionPrefix = "permission."
)

// DeviceVars are the variables that a device provides to every app, with a new device's values. A new variable starts here; the world
// implements it.
func DeviceVars() Vars {
	return Vars{
		"device.appearance": "Light", "device.dark": false, "device.contrast": false, "device.text_size": 4.0,
		"device.bold": false, "device.reduce_motion": false, "device.voiceover": false,
		"device.airplane": false, "device.wifi": true, "device.bluetooth": true, "device.network": "Home",
		"device.wifi_detail": "Home", "device.bluetooth_detail": "On",
		"device.location_services": true, "device.tracking_requests": true,
		"device.autocorrection": true, "device.capitalization": true, "device.prediction": true, "device.dictation": false,
		"device.name": "", "device.model": "", "device.version": "", "device.orientation": "portrait", "device.pasteboard": "",
	}
}

// Services are the permissions that an app can ask for: the services of simctl privacy, and further services that only people can
// answer.
func Services() []string {
	return []string{"bluetooth", "calendar", "camera", "contacts", "face-id", "local-network", "location", "location-always",
		"media-library", "microphone", "motion", "notifications", "paste", "photos", "photos-add", "reminders", "siri",
		"speech", "tracking"}
}

// given is the initial value of a variable from the launch or the device; nil for other variables.
func given(name string) any {
	if strings.HasPrefix(name, argPrefix) || strings.HasPrefix(name, envPrefix) {
		return ""
	}
	if v, ok := DeviceVars()[name]; ok {
		return v
	}
	if service, ok := strings.CutPrefix(name, permissionPrefix); ok && known(service) {
		return ""
	}
	return nil
}

// Permission is the service whose answer a variable holds, or "".
func Permission(variable string) string {
	service, ok := strings.CutPrefix(variable, permissionPrefix)
	if !ok {
		return ""
	}
	return service
}

func known(service string) bool {
	for _, s := range Services() {
		if s == service {
			return true
		}
	}
	return false
}

// reserved reports whether a variable of that name cannot be declared.
func reserved(name string) bool {
	for _, prefix := range []string{argPrefix, envPrefix, devicePrefix, permissionPrefix} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
