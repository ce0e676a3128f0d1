package reports

import (
	"os"
	"path/filepath"
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

// Copied reports whether a report of a device is in a folder already. A size of 0 is one that the device does not tell.
func Copied(dir, name string, size int64) bool {
	info, err := os.Lstat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular() && (size == 0 || info.Size() == size)
}
