package simctl

import (
	"fmt"

	"ios-agent/internal/virtualxcode/world"
)

func textDeviceTypes(w *world.World, f filter) (lines []string) {
	for _, t := range w.DeviceTypes() {
		if f.matches(true, t.Name, t.ID) {
			lines = append(lines, fmt.Sprintf("%s (%s)", t.Name, t.ID))
		}
	}
	return lines
}

func textRuntimes(w *world.World, f filter) (lines []string) {
	for _, r := range w.Runtimes() {
		if f.runtime(r) {
			lines = append(lines, textRuntime(r)+because(r))
		}
	}
	return lines
}

func textRuntime(r world.Runtime) string {
	return fmt.Sprintf("%s (%s - %s) - %s", r.Name(), r.Version, r.Build, r.ID)
}

// because is the reason why something is unavailable. It begins with a space, which the real tool always prints.
func because(r world.Runtime) string {
	if r.Unavailable == "" {
		return ""
	}
	return fmt.Sprintf(" (unavailable, %s)", r.Unavailable)
}

// textDevices has a heading for every runtime, with or without devices. Devices of unavailable runtimes come last, only if there are
// any.
func textDevices(w *world.World, f filter) (lines []string) {
	found := devicesByRuntime(w, f)
	var last []string
	for _, r := range w.Runtimes() {
		if r.Unavailable == "" {
			lines = append(append(lines, fmt.Sprintf("-- %s --", r.Name())), textSection(found[r.ID])...)
		} else if len(found[r.ID]) > 0 {
			last = append(append(last, fmt.Sprintf("-- Unavailable: %s --", r.ID)), textSection(found[r.ID])...)
		}
	}
	return append(lines, last...)
}

func textSection(devices []world.Device) (lines []string) {
	for _, d := range devices {
		reason := " " // as in the real tool
		if d.Runtime.Unavailable != "" {
			reason = because(d.Runtime)
		}
		lines = append(lines, fmt.Sprintf("    %s%s", textDevice(d), reason))
	}
	return lines
}

func textDevice(d world.Device) string { return fmt.Sprintf("%s (%s) (%s)", d.Name, d.UDID, d.State) }

func textPairs(w *world.World, f filter) (lines []string) {
	for _, p := range w.Pairs() {
		if f.pair(p) {
			lines = append(lines, fmt.Sprintf("%s %s", p.ID, pairState(p)), "    Watch: "+textDevice(p.Watch), "    Phone: "+
				textDevice(p.Phone))
		}
	}
	return lines
}

func (f filter) pair(p world.Pair) bool {
	return f.matches(true, p.ID, textDevice(p.Watch), textDevice(p.Phone))
}

func pairState(p world.Pair) string {
	active, connected := "inactive", "disconnected"
	if p.Active {
		active = "active"
	}
	if p.Connected {
		connected = "connected"
	}
	return fmt.Sprintf("(%s, %s)", active, connected)
}
