package agentwire

import "fmt"

// AppInfo is an agent's description of its target app. Unknown texts are empty.
type AppInfo struct {
	Bundle      string `json:"bundle_id"`
	DisplayName string `json:"display_name"`
	Version     string `json:"version"`
	Build       string `json:"build"`
	State       string `json:"state"` // unknown, not_running, suspended, running_background, running_foreground
}

// NewTargetInfo returns the response that carries info.
func NewTargetInfo(info AppInfo) (*TargetInfo, error) {
	text, err := encode(info)
	return &TargetInfo{JSON: text}, err
}

// Info decodes the JSON of the response.
func (m *TargetInfo) Info() (AppInfo, error) { return decode[AppInfo](m.JSON, "target info") }

// HelloInfo is an agent's description of itself, in answer to a Hello.
type HelloInfo struct {
	Version uint16 `json:"-"` // the version in use from now on; 1 from an agent that does not know Hello
	Agent   string `json:"agent"`
	Build   string `json:"build"`
	UDID    string `json:"udid"`
	PID     int    `json:"pid"`
}

// NewWelcome returns the response that carries info and switches to its version.
func NewWelcome(info HelloInfo) (*Welcome, error) {
	text, err := encode(info)
	return &Welcome{Version: info.Version, JSON: text}, err
}

// Info decodes the JSON of the response.
func (m *Welcome) Info() (HelloInfo, error) {
	info, err := decode[HelloInfo](m.JSON, "hello")
	info.Version = m.Version
	if err != nil {
		return info, fmt.Errorf("agent of version %d: %w", m.Version, err)
	}
	return info, nil
}

// AlertInfo is the JSON of an AlertState.
type AlertInfo struct {
	Title   string   `json:"title"`
	Text    string   `json:"text"`
	Buttons []string `json:"buttons"`
	Source  string   `json:"source"` // bundle id of the owner: com.apple.springboard for the system's
}

// NewAlertState returns the response that carries info; nil means that no alert is open.
func NewAlertState(info *AlertInfo) (*AlertState, error) {
	text, err := encode(info)
	return &AlertState{JSON: text}, err
}

// Info decodes the JSON of the response; nil without an alert.
func (m *AlertState) Info() (*AlertInfo, error) { return decode[*AlertInfo](m.JSON, "alert") }
