package simctl

import "encoding/json"

// The states of a device that callers decide by. There are more, such as "Creating" and "Shutting Down".
const (
	StateBooted   = "Booted"
	StateBooting  = "Booting"
	StateShutdown = "Shutdown"
)

// List is what `simctl list` tells, in its order. Extra, in it and in its parts, holds the fields that are not
// understood or are of another type than expected, so that nothing is lost.
type List struct {
	Devices     []Device                   `json:"devices"`
	Runtimes    []Runtime                  `json:"runtimes,omitempty"`
	DeviceTypes []DeviceType               `json:"deviceTypes,omitempty"`
	Pairs       []Pair                     `json:"pairs,omitempty"`
	Raw         map[string]json.RawMessage `json:"raw,omitempty"`      // sections, or entries of sections, that are not understood
	Unparsed    []string                   `json:"unparsed,omitempty"` // lines of the text form, or around the JSON, that are not understood
}

// Device is one simulator.
type Device struct {
	Name              string                     `json:"name"`
	UDID              string                     `json:"udid"`
	State             string                     `json:"state"`
	Available         bool                       `json:"available"`
	AvailabilityError string                     `json:"availabilityError,omitempty"` // why it is not available, if told
	Runtime           string                     `json:"runtime,omitempty"`           // id of its runtime, also where simctl gave a display name
	Section           string                     `json:"section,omitempty"`           // the heading it stood under, as it was
	DeviceType        string                     `json:"deviceType,omitempty"`        // id; empty up to Xcode 10
	DataPath          string                     `json:"dataPath,omitempty"`
	LogPath           string                     `json:"logPath,omitempty"`
	LastBootedAt      string                     `json:"lastBootedAt,omitempty"` // RFC 3339, or empty
	Extra             map[string]json.RawMessage `json:"extra,omitempty"`
}

// Runtime is one version of a simulated system.
type Runtime struct {
	ID                string                     `json:"id,omitempty"`       // com.apple.CoreSimulator.SimRuntime.iOS-10-3
	Name              string                     `json:"name"`               // iOS 10.3
	Platform          string                     `json:"platform,omitempty"` // iOS
	Version           string                     `json:"version,omitempty"`  // 10.3.1: more exact than name and id
	Build             string                     `json:"build,omitempty"`    // 14E8301
	Available         bool                       `json:"available"`
	AvailabilityError string                     `json:"availabilityError,omitempty"`
	Root              string                     `json:"root,omitempty"`
	BundlePath        string                     `json:"bundlePath,omitempty"`
	SupportedTypes    []DeviceType               `json:"supportedTypes,omitempty"` // empty where simctl does not tell
	Extra             map[string]json.RawMessage `json:"extra,omitempty"`
}

// DeviceType is one model of device.
type DeviceType struct {
	ID         string                     `json:"id,omitempty"` // com.apple.CoreSimulator.SimDeviceType.iPhone-8
	Name       string                     `json:"name"`
	Family     string                     `json:"family,omitempty"` // iPhone; empty up to Xcode 11
	Model      string                     `json:"model,omitempty"`  // iPhone4,1; empty up to Xcode 13
	BundlePath string                     `json:"bundlePath,omitempty"`
	Extra      map[string]json.RawMessage `json:"extra,omitempty"`
}

// Pair is a watch and the phone it belongs to.
type Pair struct {
	ID    string                     `json:"id,omitempty"`
	State string                     `json:"state"` // active, disconnected
	Watch string                     `json:"watch,omitempty"`
	Phone string                     `json:"phone,omitempty"` // UDIDs
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// Device finds a device by its UDID.
func (l List) Device(udid string) (Device, bool) {
	for _, d := range l.Devices {
		if d.UDID == udid {
			return d, true
		}
	}
	return Device{}, false
}

// Runtime finds a runtime by its id.
func (l List) Runtime(id string) (Runtime, bool) {
	for _, r := range l.Runtimes {
		if r.ID == id {
			return r, true
		}
	}
	return Runtime{}, false
}

// runtimeOf turns a heading into the id of a runtime: it is one, or it is a display name.
func (l List) runtimeOf(heading string) string {
	if _, _, ok := SplitRuntimeID(heading); ok {
		return heading
	}
	for _, r := range l.Runtimes {
		if r.Name == heading && r.ID != "" {
			return r.ID
		}
	}
	if platform, version, ok := SplitRuntimeName(heading); ok {
		return RuntimeID(platform, version)
	}
	return heading
}

// settle fills in what needs the whole list.
func (l *List) settle() {
	for i := range l.Devices {
		l.Devices[i].Runtime = l.runtimeOf(l.Devices[i].Section)
	}
}
