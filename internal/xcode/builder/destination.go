package builder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/apple/destinations"
	"ios-agent/internal/fault"
)

// Offer is a destination as xcodebuild names it.
type Offer = destinations.Destination

// DestinationError says that xcodebuild cannot build a scheme for the destination that was asked for. It is in the chain
// of a DEVICE_NOT_FOUND fault.
type DestinationError struct {
	Requested  Destination
	Scheme     string  // empty when tests that were built before were to run
	Available  []Offer // what the scheme can be built for
	Ineligible []Offer // and what it cannot, each with a reason
}

func (e *DestinationError) Error() string {
	return fmt.Sprintf("xcodebuild cannot use the destination %s for %s", e.Requested, cmp.Or(e.Scheme, "these tests"))
}

// MacOnly reports whether the scheme can be built for Macs and nothing else.
func (e *DestinationError) MacOnly() bool {
	return len(e.Available) > 0 && !slices.ContainsFunc(e.Available, func(o Offer) bool { return o.Platform != MacOS })
}

func (e *DestinationError) fault() *fault.Fault {
	f := fault.New(fault.DeviceNotFound, "%w", e).With("available", e.Available).With("ineligible", e.Ineligible)
	if offers := offered(e.Available, e.Requested.Platform); offers != "" {
		return f.WithHint("it offers %s", offers)
	}
	return f
}

// shownDestinations is how many names a hint has.
const shownDestinations = 12

// offered names the destinations of the platform that was asked for or, when there are none, the platforms there are.
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
