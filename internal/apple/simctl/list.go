package simctl

import (
	"encoding/json"

	"ios-agent/internal/apple/jsondoc"
)

// The states of a device that callers check. Others exist, such as "Creating" and "Shutting Down".
const (
	StateBooted   = "Booted"
	StateBooting  = "Booting"
	StateShutdown = "Shutdown"
)

// List is the answer of `simctl list`, in its order. Extra, in it and in its parts, holds unknown fields and fields of an unexpected type,
// so that no data is lost.
type List struct {
	Devices     []Device
	Runtimes    []Runtime
	DeviceTypes []DeviceType
	Pairs       []Pair
	Raw         map[string]json.RawMessage // sections, or entries of sections, that are unknown
	Unparsed    []string                   // unknown lines of the text form, or around the JSON
}

// Device is one simulator.
type Device struct {
	Name              string
	UDID              string
	State             string
	Available         bool
	AvailabilityError string // why it is unavailable, if simctl says so
	Runtime           string // id of its runtime, even if simctl printed a display name
	Section           string // the heading above it, unchanged
	DeviceType        string // id; empty up to Xcode 10
	DataPath, LogPath string
	LastBootedAt      string // RFC 3339, or empty
	Extra             jsondoc.Extra
}

// Runtime is one version of a simulated system.
type Runtime struct {
	ID                string // com.apple.CoreSimulator.SimRuntime.iOS-10-3
	Name              string // iOS 10.3
	Platform          string // iOS
	Version           string // 10.3.1: more exact than name and id
	Build             string // 14E8301
	Available         bool
	AvailabilityError string
	Root, BundlePath  string
	SupportedTypes    []DeviceType // empty if simctl does not list them
	Extra             jsondoc.Extra
}

// DeviceType is one model of device.
type DeviceType struct {
	ID         string // com.apple.CoreSimulator.SimDeviceType.iPhone-8
	Name       string
	Family     string // iPhone; empty up to Xcode 11
	Model      string // iPhone4,1; empty up to Xcode 13
	BundlePath string
	Extra      jsondoc.Extra
}

// Pair is a watch and the phone it belongs to.
type Pair struct {
	ID           string
	State        string // active, disconnected
	Watch, Phone string // UDIDs
	Extra        jsondoc.Extra
}

// runtimeOf turns a heading, an id or a display name, into the id of a runtime.
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

// settle computes the fields that need the whole list.
func (l *List) settle() {
	for i := range l.Devices {
		l.Devices[i].Runtime = l.runtimeOf(l.Devices[i].Section)
	}
}
