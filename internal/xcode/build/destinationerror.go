package build

import (
	"fmt"

	"ios-agent/internal/apple/destinations"
	"ios-agent/internal/fault"
)

// DestinationError says that xcodebuild cannot build for a destination, and for which ones it can.
type DestinationError struct {
	Destination           Destination
	For                   string // the scheme
	Available, Ineligible []destinations.Destination
	Log                   string
}

var _ fault.Typed = (*DestinationError)(nil)

func (e *DestinationError) Error() string {
	return fmt.Sprintf("xcodebuild cannot use the destination %s for %s", e.Destination, e.For)
}

// Fault is DEVICE_NOT_FOUND.
func (e *DestinationError) Fault() *fault.Fault {
	f := fault.New(fault.DeviceNotFound, "%w", e)
	if offers := offered(e.Available, e.Destination.Platform); offers != "" {
		f = f.WithHint("it offers %s", offers)
	}
	return f.With("available", e.Available).With("ineligible", e.Ineligible).With("log", e.Log)
}
