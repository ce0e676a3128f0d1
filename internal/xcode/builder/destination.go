package builder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/apple/destinations"
	"ios-agent/internal/fault"
)

// Offer is a destination in xcodebuild's list.
type Offer = destinations.Destination

// DestinationError is the error of xcodebuild for a destination that a scheme cannot be built for. It is in the chain of a
// DEVICE_NOT_FOUND fault.
type DestinationError struct {
	Requested  Destination
	Scheme     string  // empty for prepared tests
	Available  []Offer // destinations of the scheme
	Ineligible []Offer // other destinations, each with a reason
}

func (e *DestinationError) Error() string {
	return fmt.Sprintf("xcodebuild cannot use the destination %s for %s", e.Requested, cmp.Or(e.Scheme, "these tests"))
}

// MacOnly reports whether the scheme can be built for Macs only.
func (e *DestinationError) MacOnly() bool {
	return len(e.Available) > 0 && !slices.ContainsFunc(e.Available, func(o Offer) bool { return o.Platform != MacOS })
}

func (e *DestinationError) fault() *fault.Fault {
	f := fault.New(fault.DeviceNotFound, "%w", e).With("available", e.Available).With("ineligible", e.Ineligible)
	if offers := offered(e.Available, e.Requested.Platform); offers != "" {
		return f.WithHint("the destinations are %s", offers)
	}
	return f
}

// shownDestinations is the maximum number of names in a hint.
const shownDestinations = 12

// offered names the destinations of the requested platform or, without such destinations, the available platforms.
func offered(all []Offer, platform string) string {
	var names, platforms []string
	for _, d := range all {
		if name := strings.TrimSpace(d.Name + " " + d.OS); d.Platform == platform && !d.Placeholder() && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if !slices.Contains(platforms, d.Platform) {
			platforms = append(platforms, d.Platform)
		}
	}
	if len(names) == 0 {
		return strings.Join(platforms, ", ")
	}
	more := ""
	if n := len(names) - shownDestinations; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names[:min(len(names), shownDestinations)], ", ") + more
}
