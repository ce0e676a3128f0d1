// Package target has the inputs that many operations share: the device, the element, the point, the waits. It has only data, and any
// operation package or view may import it. Target, which names a device, is embedded in most inputs.
package target

import (
	"ios-agent/internal/op"
)

// Target names the device of an operation. The inputs of all operations on devices embed it.
type Target struct {
	UDID string `json:"udid,omitempty" doc:"default: the current device"`
	Sim  string `json:"sim,omitempty" doc:"simulator by name"`
}

// DesktopFlags are the flags that name a desktop app instead of a device.
func DesktopFlags(input string) []op.Short {
	return []op.Short{
		{Flag: "pid", Input: input, Prefix: ProcessID, Doc: "a desktop app by its process, instead of a device"},
		{Flag: "app", Input: input, Prefix: "app:", Doc: "a desktop app by its program's name or a window's title"},
	}
}
