// Package target is the inputs that many operations share: which device, which element, which point, how long to wait. Data only; views may
// import it.
package target

import (
	"ios-agent/internal/op"
)

// Target says which device an operation is about; embedded in the input of all that need one.
type Target struct {
	UDID string `json:"udid,omitempty" doc:"else the current device"`
	Sim  string `json:"sim,omitempty" doc:"simulator by name"`
}

// DesktopFlags name an app of a desktop, where only a device can be named otherwise.
func DesktopFlags(input string) []op.Short {
	return []op.Short{
		{Flag: "pid", Input: input, Prefix: ProcessID, Doc: "a desktop app by its process, instead of a device"},
		{Flag: "app", Input: input, Prefix: "app:", Doc: "a desktop app by its program's name or a window's title"},
	}
}
