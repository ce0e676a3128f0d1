package reports

import (
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// MostOfADevice is how large a report may be that is copied from a physical device, which keeps archives of hundreds of megabytes
// beside them.
const MostOfADevice = MostBytes

var (
	ofADevice = lazyregexp.New(`^[^/\\-][^/\\]*\.(?:ips|crash)(?:\.(?:ca\.)?synced)?$`)
	// statistics begins the names of the reports that the system writes every day and that are about no process.
	statistics = lazyregexp.New(`^(?:Analytics|SFA|SiriSearchFeedback|log-aggregated|LowBatteryLog|ResetCounter|xp_amp|stacks|proactive_)`)
)

// OfADevice reports whether a name on a physical device is that of a report of a process, and one that leads nowhere else.
func OfADevice(name string) bool {
	return ofADevice.MatchString(name) && !statistics.MatchString(name) && !strings.Contains(name, "..")
}
