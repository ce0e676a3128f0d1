package simctl

import (
	"encoding/json"
	"strings"
)

// fields is one JSON object. What is taken leaves it; what remains in the end is the Extra of the entry.
type fields map[string]json.RawMessage

// take moves a field of type T to where it belongs; one of another type stays.
func take[T any](f fields, key string, to *T) bool {
	v, ok := f[key]
	if !ok {
		return false
	}
	var got *T
	if json.Unmarshal(v, &got) != nil || got == nil {
		return false
	}
	*to = *got
	delete(f, key)
	return true
}

func (f fields) extra() map[string]json.RawMessage {
	if len(f) == 0 {
		return nil
	}
	return f
}

func (f fields) device(section string) Device {
	d := Device{Section: section}
	take(f, "name", &d.Name)
	take(f, "udid", &d.UDID)
	take(f, "state", &d.State)
	take(f, "deviceTypeIdentifier", &d.DeviceType)
	take(f, "dataPath", &d.DataPath)
	take(f, "logPath", &d.LogPath)
	take(f, "lastBootedAt", &d.LastBootedAt)
	d.Available, d.AvailabilityError = f.availability()
	d.Extra = f.extra()
	return d
}

func (f fields) runtime() Runtime {
	var r Runtime
	take(f, "identifier", &r.ID)
	take(f, "name", &r.Name)
	take(f, "version", &r.Version)
	take(f, "buildversion", &r.Build)
	take(f, "runtimeRoot", &r.Root)
	take(f, "bundlePath", &r.BundlePath)
	if !take(f, "platform", &r.Platform) {
		r.Platform, _, _ = SplitRuntimeID(r.ID)
	}
	var types []fields
	if take(f, "supportedDeviceTypes", &types) {
		for _, t := range types {
			r.SupportedTypes = append(r.SupportedTypes, t.deviceType())
		}
	}
	r.Available, r.AvailabilityError = f.availability()
	r.Extra = f.extra()
	return r
}

func (f fields) deviceType() DeviceType {
	var t DeviceType
	take(f, "identifier", &t.ID)
	take(f, "name", &t.Name)
	take(f, "productFamily", &t.Family)
	take(f, "modelIdentifier", &t.Model)
	take(f, "bundlePath", &t.BundlePath)
	t.Extra = f.extra()
	return t
}

func (f fields) pair(id string) Pair {
	p := Pair{ID: id}
	take(f, "state", &p.State)
	p.State = inside(p.State)
	p.Watch = f.udidOf("watch")
	p.Phone = f.udidOf("phone")
	p.Extra = f.extra()
	return p
}

// udidOf takes the UDID of one half of a pair; the rest of the half is the device's own entry again.
func (f fields) udidOf(half string) string {
	var udid string
	var inner fields
	if json.Unmarshal(f[half], &inner) == nil && take(inner, "udid", &udid) {
		delete(f, half)
	}
	return udid
}

// availability reads all the ways it was ever told: isAvailable as a bool or as "YES" and "NO", or only a text such as
// "(available)" or " (unavailable, runtime profile not found)". Nothing at all means available.
func (f fields) availability() (available bool, reason string) {
	available, reason = true, ""
	var text, word string
	if take(f, "availability", &text) {
		available, reason = readAvailability(text)
	}
	if !take(f, "isAvailable", &available) && take(f, "isAvailable", &word) {
		available = strings.EqualFold(word, "YES")
	}
	var told string
	if take(f, "availabilityError", &told) && told != "" {
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

// inside takes one pair of parentheses off.
func inside(s string) string {
	s = strings.TrimSpace(s)
	if in, ok := strings.CutPrefix(s, "("); ok {
		return strings.TrimSuffix(in, ")")
	}
	return s
}
