package device

import "cmp"

// The values of Info.Type.
const (
	TypeSimulator = "simulator"
	TypePhysical  = "device"
	TypeProcess   = "process" // of a desktop; no driver lists it
)

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

// Hardware is what is known of a physical device besides Info. Nobody changes it.
type Hardware struct {
	CoreID        string `json:"core_device_id,omitempty"` // CoreDevice's identifier
	Platform      string `json:"platform,omitempty"`       // iOS, watchOS, …
	Product       string `json:"product_type,omitempty"`   // iPhone17,1
	CPU           string `json:"cpu_architecture,omitempty"`
	Connection    string `json:"connection,omitempty"` // wired, localNetwork
	DeveloperMode string `json:"developer_mode,omitempty"`
	Pairing       string `json:"pairing_state,omitempty"` // whether it trusts this computer
	Reach         string `json:"reach"`                   // whether it can be used, and how
}

// fill is what is known of a device, with what another driver knows where it is not told. Neither is changed.
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
