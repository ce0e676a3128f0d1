package simctl

import (
	"fmt"

	"ios-agent/internal/virtualxcode/world"
)

func textDeviceTypes(w *world.World, f filter) (lines []string) {
	for _, t := range w.DeviceTypes() {
		if f.matches(t.Name, t.ID) {
			lines = append(lines, fmt.Sprintf("%s (%s)", t.Name, t.ID))
		}
	}
	return lines
}

func textRuntimes(w *world.World, f filter) (lines []string) {
	for _, r := range w.Runtimes() {
		if f.matches(r.Name(), r.ID, r.Build) {
			lines = append(lines, fmt.Sprintf("%s (%s - %s) - %s", r.Name(), r.Version, r.Build, r.ID))
		}
	}
	return lines
}

// textDevices has a heading for every runtime, with or without devices below it.
func textDevices(w *world.World, f filter) (lines []string) {
	for _, r := range w.Runtimes() {
		lines = append(lines, fmt.Sprintf("-- %s --", r.Name()))
		for _, d := range devicesOf(w, r, f) {
			lines = append(lines, fmt.Sprintf("    %s (%s) (%s) ", d.Name, d.UDID, d.State)) // the space is the real tool's
		}
	}
	return lines
}

func textPairs(*world.World, filter) []string { return nil }
