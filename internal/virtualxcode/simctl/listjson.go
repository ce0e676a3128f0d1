package simctl

import (
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

// Reported sizes of a device: never booted, booted before, and its logs.
const (
	freshDataSize = 18337792
	usedDataSize  = 2255896576
	logSize       = 188416
)

func jsonDeviceTypes(w *world.World, f filter) any {
	out := array{}
	for _, t := range w.DeviceTypes() {
		if !f.matches(true, t.Name, t.ID) {
			continue
		}
		out = append(out, object{
			{"productFamily", t.Family},
			{"bundlePath", t.BundlePath()},
			{"maxRuntimeVersion", uint32(1<<32 - 1)},
			{"maxRuntimeVersionString", "65535.255.255"},
			{"identifier", t.ID},
			{"modelIdentifier", t.Model},
			{"minRuntimeVersionString", t.MinRuntime},
			{"minRuntimeVersion", versionNumber(t.MinRuntime)},
			{"name", t.Name},
		})
	}
	return out
}

// versionNumber packs "18.1.2" into 16, 8 and 8 bits.
func versionNumber(version string) uint32 {
	var major, minor, patch uint32
	_, _ = fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch) // missing parts are zero
	return major<<16 | minor<<8 | patch
}

func jsonRuntimes(w *world.World, f filter) any {
	out := array{}
	for _, r := range w.Runtimes() {
		if !f.runtime(r) {
			continue
		}
		out = append(out, withReason(r, object{
			{"bundlePath", r.BundlePath()},
			{"buildversion", r.Build},
			{"platform", r.Platform},
			{"runtimeRoot", r.Root()},
			{"identifier", r.ID},
			{"version", r.Version},
			{"isInternal", false},
			{"isAvailable", r.Unavailable == ""},
			{"name", r.Name()},
			{"supportedDeviceTypes", supported(w, r)},
		}))
	}
	return out
}

// withReason adds the reason why something of r is unavailable, if it is.
func withReason(r world.Runtime, o object) object {
	if r.Unavailable == "" {
		return o
	}
	return append(object{{"availabilityError", r.Unavailable}}, o...)
}

func supported(w *world.World, r world.Runtime) array {
	out := array{}
	for _, t := range w.DeviceTypes() {
		if r.Runs(t) {
			out = append(out, object{
				{"bundlePath", t.BundlePath()}, {"name", t.Name}, {"identifier", t.ID}, {"productFamily", t.Family},
			})
		}
	}
	return out
}

// jsonDevices has an entry for every runtime, with or without devices.
func jsonDevices(w *world.World, f filter) any {
	out, found := object{}, devicesByRuntime(w, f)
	for _, r := range w.Runtimes() {
		devices := array{}
		for _, d := range found[r.ID] {
			devices = append(devices, jsonDevice(d))
		}
		out = append(out, member{r.ID, devices})
	}
	return out
}

// jsonDevice omits the keys of booted devices for a device that was never booted.
func jsonDevice(d world.Device) object {
	used := !d.LastBootedAt.IsZero()
	size := freshDataSize
	if used {
		size = usedDataSize
	}
	all := object{
		{"lastBootedAt", d.LastBootedAt.UTC().Format(time.RFC3339)},
		{"dataPath", d.DataPath},
		{"dataPathSize", size},
		{"logPath", d.LogPath},
		{"udid", d.UDID},
		{"isAvailable", d.Runtime.Unavailable == ""},
		{"logPathSize", logSize},
		{"deviceTypeIdentifier", d.Type.ID},
		{"state", string(d.State)},
		{"name", d.Name},
	}
	all = slices.DeleteFunc(all, func(m member) bool { return !used && (m.key == "lastBootedAt" || m.key == "logPathSize") })
	return withReason(d.Runtime, all)
}

func jsonPairs(w *world.World, f filter) any {
	out := object{}
	half := func(d world.Device) object {
		return object{{"name", d.Name}, {"udid", d.UDID}, {"state", string(d.State)}}
	}
	for _, p := range w.Pairs() {
		if f.pair(p) {
			out = append(out, member{p.ID, object{{"watch", half(p.Watch)}, {"phone", half(p.Phone)}, {"state", pairState(p)}}})
		}
	}
	return out
}
