package simctl

import (
	"encoding/json"
	"strings"

	"ios-agent/internal/apple/jsondoc"
)

func readDevice(f jsondoc.Extra, section string) Device {
	d := Device{Section: section}
	jsondoc.Take(f, "name", &d.Name)
	jsondoc.Take(f, "udid", &d.UDID)
	jsondoc.Take(f, "state", &d.State)
	jsondoc.Take(f, "deviceTypeIdentifier", &d.DeviceType)
	jsondoc.Take(f, "dataPath", &d.DataPath)
	jsondoc.Take(f, "logPath", &d.LogPath)
	jsondoc.Take(f, "lastBootedAt", &d.LastBootedAt)
	d.Available, d.AvailabilityError = takeAvailability(f)
	d.Extra = f.Rest()
	return d
}

func readRuntime(f jsondoc.Extra) Runtime {
	var r Runtime
	jsondoc.Take(f, "identifier", &r.ID)
	jsondoc.Take(f, "name", &r.Name)
	jsondoc.Take(f, "version", &r.Version)
	jsondoc.Take(f, "buildversion", &r.Build)
	jsondoc.Take(f, "runtimeRoot", &r.Root)
	jsondoc.Take(f, "bundlePath", &r.BundlePath)
	if !jsondoc.Take(f, "platform", &r.Platform) {
		r.Platform, _, _ = SplitRuntimeID(r.ID)
	}
	var types []jsondoc.Extra
	if jsondoc.Take(f, "supportedDeviceTypes", &types) {
		for _, t := range types {
			r.SupportedTypes = append(r.SupportedTypes, readDeviceType(t))
		}
	}
	r.Available, r.AvailabilityError = takeAvailability(f)
	r.Extra = f.Rest()
	return r
}

func readDeviceType(f jsondoc.Extra) DeviceType {
	var t DeviceType
	jsondoc.Take(f, "identifier", &t.ID)
	jsondoc.Take(f, "name", &t.Name)
	jsondoc.Take(f, "productFamily", &t.Family)
	jsondoc.Take(f, "modelIdentifier", &t.Model)
	jsondoc.Take(f, "bundlePath", &t.BundlePath)
	t.Extra = f.Rest()
	return t
}

func readPair(f jsondoc.Extra, id string) Pair {
	p := Pair{ID: id}
	jsondoc.Take(f, "state", &p.State)
	p.State = inside(p.State)
	p.Watch = takeUDID(f, "watch")
	p.Phone = takeUDID(f, "phone")
	p.Extra = f.Rest()
	return p
}

// takeUDID takes the UDID of one half of a pair; the rest repeats the device's own entry.
func takeUDID(f jsondoc.Extra, half string) string {
	var udid string
	var inner jsondoc.Extra
	if json.Unmarshal(f[half], &inner) == nil && jsondoc.Take(inner, "udid", &udid) {
		delete(f, half)
	}
	return udid
}

// takeAvailability reads all known forms: isAvailable as a bool or as "YES" and "NO", or only a text such as "(available)" or "
// (unavailable, runtime profile not found)". Without any of them, the device is available.
func takeAvailability(f jsondoc.Extra) (available bool, reason string) {
	available, reason = true, ""
	var text, word string
	if jsondoc.Take(f, "availability", &text) {
		available, reason = readAvailability(text)
	}
	if !jsondoc.Take(f, "isAvailable", &available) && jsondoc.Take(f, "isAvailable", &word) {
		available = strings.EqualFold(word, "YES")
	}
	var told string
	if jsondoc.Take(f, "availabilityError", &told) && told != "" {
		reason = told
	}
	return available, reason
}

// readAvailability reads the text form.
func readAvailability(s string) (available bool, reason string) {
	s = inside(s)
	if s == "available" || s == "" {
		return true, ""
	}
	return false, strings.TrimPrefix(s, "unavailable, ")
}

// inside removes one pair of parentheses.
func inside(s string) string {
	s = strings.TrimSpace(s)
	if in, ok := strings.CutPrefix(s, "("); ok {
		return strings.TrimSuffix(in, ")")
	}
	return s
}
