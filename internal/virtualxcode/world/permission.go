package world

import (
	"slices"
	"strings"
)

// permission is the system's alert for a service. assumed: the words are from public reports about iOS 17 and 18.
type permission struct {
	title   string // %s is the app's name, in the system's quotes
	message string // the default reason
	usage   string // the key of the app's reason in Info.plist
	tcc     string // its name in tccd; empty: another daemon stores it
	choices []choice
}

// choice is a button of such an alert.
type choice struct{ label, answer string }

// Answers other than Granted and Denied.
const (
	Limited = "limited" // only selected items
	Once    = "once"    // until the app ends
)

const dontAllow = "Don’t Allow"

func permissions() map[string]permission {
	yesNo := []choice{{dontAllow, Denied}, {"Allow", Granted}}
	access := func(what, usage, tcc string) permission {
		return permission{title: "“%s” Would Like to Access " + what, usage: usage, tcc: tcc, choices: yesNo}
	}
	full := func(what, usage, tcc string) permission {
		return permission{title: "“%s” Would Like Full Access to Your " + what, usage: usage, tcc: tcc,
			choices: []choice{{dontAllow, Denied}, {"Allow Full Access", Granted}}}
	}
	return map[string]permission{
		"location": {title: "Allow “%s” to use your location?", usage: "NSLocationWhenInUseUsageDescription",
			choices: []choice{{"Allow Once", Once}, {"Allow While Using App", Granted}, {dontAllow, Denied}}},
		"location-always": {title: "Allow “%s” to also use your location even when you are not using the app?",
			usage: "NSLocationAlwaysAndWhenInUseUsageDescription", choices: []choice{{"Keep Only While Using", Denied},
				{"Change to Always Allow", Granted}}},
		"notifications": {title: "“%s” Would Like to Send You Notifications", choices: yesNo,
			message: "Notifications may include alerts, sounds, and icon badges. These can be configured in Settings."},
		"camera":     access("the Camera", "NSCameraUsageDescription", "kTCCServiceCamera"),
		"microphone": access("the Microphone", "NSMicrophoneUsageDescription", "kTCCServiceMicrophone"),
		"contacts":   access("Your Contacts", "NSContactsUsageDescription", "kTCCServiceAddressBook"),
		"motion":     access("Your Motion & Fitness Activity", "NSMotionUsageDescription", "kTCCServiceMotion"),
		"media-library": access("Apple Music, Your Music and Video Activity, and Your Media Library",
			"NSAppleMusicUsageDescription", "kTCCServiceMediaLibrary"),
		"speech":    access("Speech Recognition", "NSSpeechRecognitionUsageDescription", "kTCCServiceSpeechRecognition"),
		"calendar":  full("Calendar", "NSCalendarsFullAccessUsageDescription", "kTCCServiceCalendar"),
		"reminders": full("Reminders", "NSRemindersFullAccessUsageDescription", "kTCCServiceReminders"),
		"photos": {title: "“%s” Would Like to Access Your Photo Library", usage: "NSPhotoLibraryUsageDescription", tcc: "kTCCServicePhotos",
			choices: []choice{{"Limit Access…", Limited}, {"Allow Full Access", Granted}, {dontAllow, Denied}}},
		"photos-add": {title: "“%s” Would Like to Add to your Photos", usage: "NSPhotoLibraryAddUsageDescription",
			tcc: "kTCCServicePhotosAdd", choices: yesNo},
		"tracking": {title: "Allow “%s” to track your activity across other companies’ apps and websites?",
			usage: "NSUserTrackingUsageDescription",
			tcc:   "kTCCServiceUserTracking", choices: []choice{{"Ask App Not to Track", Denied}, {"Allow", Granted}}},
		"bluetooth": {title: "“%s” Would Like to Use Bluetooth", usage: "NSBluetoothAlwaysUsageDescription",
			tcc: "kTCCServiceBluetoothAlways", choices: yesNo},
		"local-network": {title: "Allow “%s” to find devices on local networks?", usage: "NSLocalNetworkUsageDescription",
			message: "This app will be able to discover, connect to, and collect data from devices on the networks you use.",
			choices: yesNo},
		"face-id": {title: "Do you want to allow “%s” to use Face ID?", usage: "NSFaceIDUsageDescription", tcc: "kTCCServiceFaceID",
			choices: yesNo},
		"siri": {title: "Would You Like to Use “%s” With Siri?", usage: "NSSiriUsageDescription", tcc: "kTCCServiceSiri", choices: yesNo},
		"paste": {title: "“%s” would like to paste from “CoreSimulatorBridge”", message: "Do you want to allow this?",
			tcc:     "kTCCServicePasteboard",
			choices: []choice{{"Don’t Allow Paste", Denied}, {"Allow Paste", Granted}}},
	}
}

// included maps a service without its own answer to the service whose answer holds for it.
var included = map[string][]struct{ service, answer, means string }{
	"location":   {{"location-always", Granted, Granted}},
	"contacts":   {{"contacts-limited", Granted, Limited}},
	"photos-add": {{"photos", Granted, Granted}},
}

// permitted is the answer that an app has for a service, or "" if it must ask.
func (d *device) permitted(bundle, service string) string {
	if strings.HasPrefix(service, "location") && !d.toggle("location_services") {
		return Denied
	}
	if service == "tracking" && !d.toggle("tracking_requests") {
		return Denied
	}
	of := d.Settings.Privacy[bundle]
	if answer := of[service]; answer != "" {
		return answer
	}
	for _, other := range included[service] {
		if of[other.service] == other.answer {
			return other.means
		}
	}
	if p := d.process(bundle); p != nil && slices.Contains(p.Once, service) {
		return Once
	}
	return ""
}
