package reports

import (
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// MostOfADevice is the maximum size of a report that is copied from a physical device, which also stores archives of hundreds of megabytes.
const MostOfADevice = MostBytes

var (
	ofADevice = lazyregexp.New(`^[^/\\-][^/\\]*\.(?:ips|crash)(?:\.(?:ca\.)?synced)?$`)
	// statistics is the prefix of the system's daily reports, which concern no process.
	statistics = lazyregexp.New(`^(?:Analytics|SFA|SiriSearchFeedback|log-aggregated|LowBatteryLog|ResetCounter|xp_amp|stacks|proactive_)`)
)

// OfADevice reports whether a name on a physical device is the name of a process's report, and contains no other path.
func OfADevice(name string) bool {
	return ofADevice.MatchString(name) && !statistics.MatchString(name) && !strings.Contains(name, "..")
}

// Copied reports whether a folder has a device's report already. Size 0 means that the device does not report it.
func Copied(dir, name string, size int64) bool {
	info, err := os.Lstat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular() && (size == 0 || info.Size() == size)
}
