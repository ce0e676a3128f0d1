package pool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
)

// Want says which devices match. All given criteria must match; empty criteria match any simulator, preferably an iPhone.
type Want struct {
	UDID   string // or another id of the device
	Name   string
	OS     string
	Family string
	Type   string // simulator by default: a physical device must be asked for
}

// String is the criteria in the form of diagnostics.
func (w Want) String() string {
	var said []string
	for _, c := range []struct{ name, value string }{
		{"udid", w.UDID}, {"name", w.Name}, {"os_version", w.OS}, {"device_family", w.Family}, {"device_type", w.Type},
	} {
		if c.value != "" {
			said = append(said, fmt.Sprintf("%s='%s'", c.name, c.value))
		}
	}
	if len(said) == 0 {
		return "no criteria"
	}
	return strings.Join(said, ", ")
}

// match gives the matching devices in the order of the listing.
func (w Want) match(infos []device.Info) []device.Info {
	if w.UDID != "" {
		return filter(infos, func(i device.Info) bool { return i.Is(w.UDID) })
	}
	kind := cmp.Or(w.Type, device.TypeSimulator)
	rest := filter(infos, func(i device.Info) bool {
		return i.Available && i.Type == kind && (w.OS == "" || SameOS(i.OS, w.OS)) && (w.Family == "" || strings.EqualFold(familyOf(i), w.Family))
	})
	if w.Name != "" {
		return byName(rest, w.Name)
	}
	return w.usual(rest)
}

// found reports whether a named device is listed, so that slow drivers of other devices need no wait.
func (w Want) found(l *listing, answered func(device.Info) bool) bool {
	return (w.UDID != "" || w.Name != "") && slices.ContainsFunc(w.match(l.infos), answered)
}

// byName prefers devices with exactly this name to devices whose name contains it.
func byName(infos []device.Info, name string) []device.Info {
	if exact := filter(infos, func(i device.Info) bool { return strings.EqualFold(i.Name, name) }); len(exact) > 0 {
		return exact
	}
	low := strings.ToLower(name)
	return filter(infos, func(i device.Info) bool { return strings.Contains(strings.ToLower(i.Name), low) })
}

// usual keeps phones only, unless the list has none or the criteria name a family or platform.
func (w Want) usual(infos []device.Info) []device.Info {
	if platform, _ := splitOS(w.OS); w.Family != "" || platform != "" {
		return infos
	}
	if phones := filter(infos, func(i device.Info) bool { return familyOf(i) == iPhone }); len(phones) > 0 {
		return phones
	}
	return infos
}

const iPhone = "iPhone"

// familyOf is the device's family, derived from its name if the driver does not know it.
func familyOf(i device.Info) string {
	if i.Family != "" {
		return i.Family
	}
	for _, family := range []string{"iPad", "Apple Watch", "Apple TV", "Apple Vision", iPhone} {
		if strings.Contains(strings.ToLower(i.Name), strings.ToLower(family)) {
			return family
		}
	}
	return ""
}

// rank orders devices for a holder: its own first, then booted, then available before claimed, then last used, then by name.
func rank(infos []*device.Info, holder string, look func(string) lease.Lease) []string {
	type ranked struct {
		info          *device.Info
		own, on, free bool
		used          time.Time
	}
	all := make([]ranked, len(infos))
	for i, info := range infos {
		l := look(info.UDID)
		own := l.Held() && l.Holder == holder
		all[i] = ranked{info, own, info.State == device.Booted, own || l.Free(), l.Used}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(before(a.own, b.own), before(a.on, b.on), before(a.free, b.free), b.used.Compare(a.used),
			strings.Compare(a.info.Name, b.info.Name), strings.Compare(a.info.UDID, b.info.UDID))
	})
	out := make([]string, len(all))
	for i, r := range all {
		out[i] = r.info.UDID
	}
	return out
}

// before sorts true first.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
