package device

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

// Hardware is what is known of a physical device besides Info. Nobody changes it.
type Hardware struct {
	CoreID        string `json:"core_device_id,omitempty"` // CoreDevice's identifier
	Platform      string `json:"platform,omitempty"`       // iOS, watchOS, …
	Product       string `json:"product_type,omitempty"`   // iPhone17,1
	CPU           string `json:"cpu_architecture,omitempty"`
	Connection    string `json:"connection,omitempty"` // wired, localNetwork
	DeveloperMode string `json:"developer_mode,omitempty"`
	Reach         string `json:"reach"` // whether it can be used, and how
}
