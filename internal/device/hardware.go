package device

import "cmp"

// The values of Info.Type.
const (
	TypeSimulator = "simulator"
	TypePhysical  = "device"
	TypeProcess   = "process" // on a desktop; drivers do not list it
)

// InstallRuntime is the hint where no simulator exists, as in a new Xcode.
const InstallRuntime = "install a simulator runtime: `xcodebuild -downloadPlatform iOS`; or connect a device"

// The values of Hardware.Reach.
const (
	ReachWired       = "Available"
	ReachNetwork     = "Available (WiFi)"
	ReachUnpaired    = "Unpaired"
	ReachUnavailable = "Unavailable"
)

// The values of Hardware.Pairing.
const (
	Paired   = "paired"
	Unpaired = "unpaired"
)

// Hardware describes a physical device beyond Info. It is read-only.
type Hardware struct {
	CoreID        string `json:"core_device_id,omitempty"` // CoreDevice's identifier
	Platform      string `json:"platform,omitempty"`       // iOS, watchOS, …
	Product       string `json:"product_type,omitempty"`   // iPhone17,1
	CPU           string `json:"cpu_architecture,omitempty"`
	Connection    string `json:"connection,omitempty"` // wired, localNetwork
	DeveloperMode string `json:"developer_mode,omitempty"`
	Pairing       string `json:"pairing_state,omitempty"` // whether the device trusts this computer
	Reach         string `json:"reach"`                   // whether and how it can be reached
}

// fill is a new description with gaps filled from another driver's description.
func (h *Hardware) fill(other *Hardware) *Hardware {
	if h == nil || other == nil {
		return cmp.Or(h, other)
	}
	all := *h
	for _, f := range []struct {
		own   *string
		other string
	}{{&all.CoreID, other.CoreID}, {&all.Platform, other.Platform}, {&all.Product, other.Product}, {&all.CPU, other.CPU},
		{&all.Connection, other.Connection}, {&all.DeveloperMode, other.DeveloperMode}, {&all.Pairing, other.Pairing},
		{&all.Reach, other.Reach}} {
		*f.own = cmp.Or(*f.own, f.other)
	}
	return &all
}
