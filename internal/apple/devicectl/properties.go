package devicectl

import (
	"cmp"
	"encoding/json"
	"ios-agent/internal/apple/jsondoc"
	"maps"
	"slices"
)

// newProperties is the dictionary that replaces the three others since version 5 of the document, with Xcode 27. For a while both are
// present.
type newProperties struct {
	Connection struct {
		Pairing   string   `json:"pairingState"`
		State     string   `json:"state"` // connected, disconnected
		Transport string   `json:"transportType"`
		Address   string   `json:"tunnelIPAddressString"`
		Hostnames []string `json:"potentialHostnames"`
	} `json:"connection"`
	Hardware Hardware `json:"hardware"` // with the names it had
	Software struct {
		Number struct {
			Text string `json:"stringValue"`
		} `json:"osVersionNumber"`
		Builds struct {
			Build struct {
				Name string `json:"name"`
			} `json:"buildVersion"`
		} `json:"osBuildVersions"`
	} `json:"software"`
	State struct {
		Name       string                     `json:"name"`
		BootState  string                     `json:"bootState"`
		Developer  map[string]json.RawMessage `json:"developerModeStatus"` // its one key is the status
		Visibility string                     `json:"visibilityClass"`
	} `json:"state"`
}

// Known is the device with all facts in the old fields, for every version of the document.
func (d Device) Known() Device {
	var p newProperties
	if jsondoc.Decode(d.Extra["properties"], &p) != nil {
		return d
	}
	c := &d.Connection
	c.Pairing, c.Transport = cmp.Or(c.Pairing, p.Connection.Pairing), cmp.Or(c.Transport, p.Connection.Transport)
	c.Tunnel, c.Address = cmp.Or(c.Tunnel, p.Connection.State), cmp.Or(c.Address, p.Connection.Address)
	if c.Transport == "" && c.Tunnel != "connected" { // the Mac only remembers it
		c.Tunnel = "unavailable"
	}
	if c.Hostnames == nil {
		c.Hostnames = p.Connection.Hostnames
	}
	if d.Hardware.UDID == "" {
		d.Hardware = p.Hardware
	}
	developer := ""
	if keys := slices.Sorted(maps.Keys(p.State.Developer)); len(keys) == 1 {
		developer = keys[0]
	}
	s := &d.Properties
	s.Name, s.BootState = cmp.Or(s.Name, p.State.Name), cmp.Or(s.BootState, p.State.BootState)
	s.OS, s.Build = cmp.Or(s.OS, p.Software.Number.Text), cmp.Or(s.Build, p.Software.Builds.Build.Name)
	s.DeveloperMode = cmp.Or(s.DeveloperMode, developer)
	d.Visibility = cmp.Or(d.Visibility, p.State.Visibility)
	return d
}
