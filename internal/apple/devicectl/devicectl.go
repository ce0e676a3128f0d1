// Package devicectl runs `xcrun devicectl` and reads its output about devices, their apps and processes. Tool runs the commands; Read reads
// an Output from the document of --json-output, from the table, or from the progress lines. It does not choose devices.
package devicectl

import (
	"errors"
	"fmt"

	"ios-agent/internal/apple/jsondoc"
)

// Output is one answer.
type Output struct {
	Info    Info          `json:"info,omitzero"`
	Error   *Error        `json:"error,omitempty"`
	Result  *Result       `json:"result,omitempty"`
	Printed *Text         `json:"text,omitempty"` // the text for people
	Extra   jsondoc.Extra `json:"-"`
}

// MarshalJSON also writes the parts that were not understood.
func (o Output) MarshalJSON() ([]byte, error) {
	type plain Output
	return jsondoc.Encode(plain(o))
}

// Info describes the call.
type Info struct {
	Arguments   []string      `json:"arguments,omitempty"`
	Command     string        `json:"commandType,omitempty"`
	Outcome     string        `json:"outcome,omitempty"` // success, failed
	Version     string        `json:"version,omitempty"`
	JSONVersion int           `json:"jsonVersion,omitempty"`
	Extra       jsondoc.Extra `json:"-"`
}

// Result is the command's result.
type Result struct {
	Devices     []Device      `json:"devices,omitempty"`
	DeviceID    string        `json:"deviceIdentifier,omitempty"`
	Apps        []App         `json:"apps,omitempty"`
	Processes   []Process     `json:"runningProcesses,omitempty"`
	Process     *Process      `json:"process,omitempty"` // launched or ended
	Installed   []Installed   `json:"installedApplications,omitempty"`
	Uninstalled []Installed   `json:"uninstalledApplications,omitempty"`
	Files       []File        `json:"files,omitempty"`
	Details     *Device       `json:"-"` // of `device info details`, whose result is the device itself
	Extra       jsondoc.Extra `json:"-"`
}

// Device is one device of the document; Known unifies all versions of the document. Newer ones list simulators too. Unavailable devices
// have no transport.
type Device struct {
	ID         string        `json:"identifier,omitempty"`
	Connection Connection    `json:"connectionProperties,omitzero"`
	Properties Properties    `json:"deviceProperties,omitzero"`
	Hardware   Hardware      `json:"hardwareProperties,omitzero"`
	Visibility string        `json:"visibilityClass,omitempty"`
	Extra      jsondoc.Extra `json:"-"`
}

// Connection says how the device can be reached.
type Connection struct {
	Pairing   string        `json:"pairingState,omitempty"`
	Transport string        `json:"transportType,omitempty"` // wired, localNetwork, sameMachine
	Tunnel    string        `json:"tunnelState,omitempty"`   // connected, disconnected, unavailable
	Address   string        `json:"tunnelIPAddress,omitempty"`
	Hostnames []string      `json:"potentialHostnames,omitempty"`
	Extra     jsondoc.Extra `json:"-"`
}

// Properties describe the device's system.
type Properties struct {
	Name          string        `json:"name,omitempty"`
	OS            string        `json:"osVersionNumber,omitempty"`
	Build         string        `json:"osBuildUpdate,omitempty"`
	BootState     string        `json:"bootState,omitempty"`
	DeveloperMode string        `json:"developerModeStatus,omitempty"`
	Services      bool          `json:"ddiServicesAvailable,omitempty"`
	Extra         jsondoc.Extra `json:"-"`
}

// Hardware describes the hardware. ECID exceeds 2^63.
type Hardware struct {
	UDID        string        `json:"udid,omitempty"`
	ECID        uint64        `json:"ecid,omitempty"`
	Platform    string        `json:"platform,omitempty"`
	Type        string        `json:"deviceType,omitempty"`
	ProductType string        `json:"productType,omitempty"` // iPhone14,2
	Marketing   string        `json:"marketingName,omitempty"`
	Reality     string        `json:"reality,omitempty"` // physical, virtual, simulated
	Serial      string        `json:"serialNumber,omitempty"`
	Extra       jsondoc.Extra `json:"-"`
}

// App is an installed app.
type App struct {
	BundleID string        `json:"bundleIdentifier,omitempty"`
	Name     string        `json:"name,omitempty"`
	Version  string        `json:"version,omitempty"`
	Build    string        `json:"bundleVersion,omitempty"`
	URL      string        `json:"url,omitempty"` // its folder on the device
	Default  bool          `json:"defaultApp,omitempty"`
	Extra    jsondoc.Extra `json:"-"`
}

// Process is a running process.
type Process struct {
	PID        int           `json:"processIdentifier,omitempty"`
	Executable string        `json:"executable,omitempty"` // its file on the device, as a URL
	Extra      jsondoc.Extra `json:"-"`
}

// Installed is an app that was just installed or removed.
type Installed struct {
	BundleID string        `json:"bundleID,omitempty"`
	URL      string        `json:"installationURL,omitempty"`
	Extra    jsondoc.Extra `json:"-"`
}

// Error is an NSError as devicectl writes it.
type Error struct {
	Domain   string              `json:"domain,omitempty"`
	Code     int                 `json:"code,omitempty"`
	UserInfo map[string]UserInfo `json:"userInfo,omitempty"`
	Extra    jsondoc.Extra       `json:"-"`
}

// UserInfo is one value of it, by its type.
type UserInfo struct {
	String string        `json:"string,omitempty"`
	Error  *Error        `json:"error,omitempty"`
	Extra  jsondoc.Extra `json:"-"`
}

// Message is the description, or else the domain and the code.
func (e *Error) Message() string {
	if s := e.UserInfo["NSLocalizedDescription"].String; s != "" {
		return s
	}
	return fmt.Sprintf("%s error %d", e.Domain, e.Code)
}

// Underlying is the error below; nil at the bottom.
func (e *Error) Underlying() *Error { return e.UserInfo["NSUnderlyingError"].Error }

// UnmarshalJSON recognizes a result that is a device by its members.
func (r *Result) UnmarshalJSON(b []byte) error {
	type plain Result
	if err := jsondoc.Into(b, (*plain)(r), &r.Extra); err != nil {
		return err
	}
	for _, part := range []string{"hardwareProperties", "properties"} {
		if _, is := r.Extra[part]; is {
			return jsondoc.Decode(b, &r.Details)
		}
	}
	return nil
}

// Read reads the document or the printed text.
func Read(data []byte) (*Output, error) {
	if o := jsondoc.Look(data); o.Kind == '{' {
		out := new(Output)
		if err := jsondoc.Decode(data, out); err != nil {
			return nil, fmt.Errorf("devicectl: %w", err)
		}
		if out.Result == nil && out.Error == nil && out.Info.Command == "" {
			return nil, errors.New("devicectl: no result in the document")
		}
		return out, nil
	}
	t := readText(data)
	if t == nil {
		return nil, errors.New("devicectl: neither its document nor its text")
	}
	return &Output{Printed: t}, nil
}

// Sniff returns a percentage for the text being devicectl's.
func Sniff(b []byte) int {
	o := jsondoc.Look(b)
	if o.Kind == '{' {
		switch {
		case o.Sub["info/commandType"] == "string", o.Sub["info/outcome"] == "string":
			return 98
		case o.Sub["result/devices"] == "array" && len(o.Keys) <= 3:
			return 85
		case o.Sub["result/deviceIdentifier"] == "string":
			return 85
		}
		return 0
	}
	if t := readText(b[:min(len(b), 1<<16)]); t != nil {
		return 85
	}
	return 0
}
