package pool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// Criteria name a device. Empty criteria mean the current device, or else the only booted simulator.
type Criteria struct {
	UDID    string // or another id of the device
	Name    string
	Current string                   // the session's current device
	Holder  string                   // preferred holder if no device is named: its own device, then a free one
	Env     func(name string) string // the caller's environment, for an Opener; may be nil
	AnyIdle bool                     // without a name and a booted device, take the only device (for boot)
}

// Resolve finds and opens the one device of the criteria. It asks no tool for a device that is already open: an action spawns no
// process.
func (p *Pool) Resolve(ctx context.Context, c Criteria) (*Handle, error) {
	switch {
	case c.Name == "" && p.opener(c.UDID) != nil:
		return p.guest(ctx, c.UDID, c.Env)
	case c.Name == "" && c.UDID == "" && p.opener(c.Current) != nil:
		return p.guest(ctx, c.Current, c.Env)
	}
	implicit := c.UDID == "" && c.Name == "" && c.Current == ""
	if implicit {
		c.Current = p.only(ctx, c.Holder)
	}
	if h := p.known(c); h != nil {
		return h, nil
	}
	l, err := p.listed(ctx, 0, func(l *listing, answered func(device.Info) bool) bool {
		info, found, err := named(l.infos, c)
		return found && err == nil && answered(info)
	})
	if err != nil {
		return nil, err
	}
	info, found, err := named(l.infos, c)
	switch {
	case !found && implicit:
		info, err = implied(l.infos, c, p.others(ctx, c.Holder))
	case !found:
		err = notFound(l.infos, "udid", c.Current)
	}
	if err != nil {
		return nil, l.explain(err)
	}
	return p.openDevice(p.whole(ctx, l, info), info), nil
}

// partsWait is how long the opening of a physical device waits for slow drivers. Later drivers add their parts when they answer.
const partsWait = 5 * time.Second

// whole is a listing in which all drivers have answered for a physical device. Such a device has several parts, and with the first part
// alone it would lack abilities. A simulator has one driver.
func (p *Pool) whole(ctx context.Context, l *listing, info device.Info) *listing {
	if info.Type != device.TypePhysical {
		return l
	}
	ctx, cancel := context.WithTimeout(ctx, partsWait)
	defer cancel()
	all, err := p.listed(ctx, fresh, nil)
	if err != nil || len(all.parts[key(info.UDID)]) == 0 {
		return l
	}
	return all
}

// only is the device that a holder may drive, if it is exactly one. Named and current devices never come here.
func (p *Pool) only(ctx context.Context, holder string) (udid string) {
	if holder == "" {
		return ""
	}
	leases, _ := p.leases.All(ctx) // unreadable leases count as none
	for _, l := range leases {
		if !l.DrivenBy(holder) || p.opener(l.Resource) != nil { // a desktop app must be named or current
			continue
		}
		if udid != "" {
			return ""
		}
		udid = l.Resource
	}
	return udid
}

// others reports which devices another session holds and the holder may not drive.
func (p *Pool) others(ctx context.Context, holder string) func(udid string) bool {
	if holder == "" {
		return func(string) bool { return false }
	}
	leases, _ := p.leases.All(ctx) // unreadable leases count as none
	return func(udid string) bool {
		l := leases[udid]
		return l.Held() && !l.DrivenBy(holder)
	}
}

// known is an open device that the criteria name by an id or as the current device.
func (p *Pool) known(c Criteria) *Handle {
	switch {
	case c.Name != "":
		return nil
	case c.UDID != "":
		return p.opened(c.UDID)
	case c.Current != "":
		return p.opened(c.Current)
	}
	return nil
}

// canonical is the udid of a device from any of its ids. An unknown id stays unchanged.
func (p *Pool) canonical(id string) string {
	if h := p.opened(id); h != nil {
		return h.Info().UDID
	}
	if i, ok := p.latest().find(id); ok {
		return i.UDID
	}
	return id
}

// named finds the named or current device. found is false if the criteria are empty.
func named(infos []device.Info, c Criteria) (info device.Info, found bool, err error) {
	switch {
	case c.UDID != "":
		info, err = one(infos, "udid", c.UDID, func(i device.Info) bool { return i.Is(c.UDID) })
		if err == nil && c.Name != "" && !strings.EqualFold(info.Name, c.Name) {
			err = fault.New(fault.DeviceNotFound, "the device with the udid %q is %q, not %q", c.UDID, info.Name, c.Name).
				WithHint("name the device by its udid or by its name, not by both")
		}
		return info, true, err
	case c.Name != "":
		info, err = byItsName(infos, c.Name)
		return info, true, err
	case c.Current != "":
		if i := slices.IndexFunc(infos, func(i device.Info) bool { return i.Is(c.Current) }); i >= 0 {
			return infos[i], true, nil
		}
	}
	return device.Info{}, false, nil
}

// byItsName prefers simulators to physical devices, and among several devices of one name the booted one, which is on the user's
// screen.
func byItsName(infos []device.Info, name string) (device.Info, error) {
	is := func(i device.Info) bool { return strings.EqualFold(i.Name, name) || i.Is(name) }
	found := filter(infos, is)
	if virtual := filter(found, simulated); len(virtual) > 0 {
		found = virtual
	}
	if booted := filter(found, func(i device.Info) bool { return i.State == device.Booted }); len(booted) == 1 {
		return booted[0], nil
	}
	switch len(found) {
	case 0:
		return device.Info{}, notFound(infos, "name", name)
	case 1:
		return found[0], nil
	}
	return device.Info{}, ambiguous(found, "name", name)
}

// simulated reports whether a device is not a physical one.
func simulated(i device.Info) bool { return i.Type != device.TypePhysical }

func one(infos []device.Info, what, value string, is func(device.Info) bool) (device.Info, error) {
	switch found := filter(infos, is); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return device.Info{}, notFound(infos, what, value)
	default:
		return device.Info{}, ambiguous(found, what, value)
	}
}

// implied is the only booted simulator, or the only one of several that no other session holds. A physical device must be named.
func implied(infos []device.Info, c Criteria, others func(string) bool) (device.Info, error) {
	infos = filter(infos, simulated)
	booted := filter(infos, func(i device.Info) bool { return i.State == device.Booted })
	if len(booted) > 1 {
		if mine := filter(booted, func(i device.Info) bool { return !others(i.UDID) }); len(mine) == 1 {
			return mine[0], nil
		}
	}
	usable := filter(infos, func(i device.Info) bool { return i.Available })
	switch {
	case len(booted) == 1:
		return booted[0], nil
	case len(booted) > 1:
		return device.Info{}, fault.New(fault.NoDevice, "%d devices are booted and none was named: %s", len(booted), briefly(booted)).
			WithHint("pass the %s of one: %s", hint.Field("udid"), choices(booted)).With("candidates", booted)
	case c.AnyIdle && len(usable) == 1:
		return usable[0], nil
	case c.AnyIdle:
		return device.Info{}, fault.New(fault.NoDevice, "no device was named").
			WithHint("pass %s or %s%s", hint.Field("udid"), hint.Field("sim"), names(usable)).With("candidates", usable)
	}
	return device.Info{}, fault.New(fault.NoDevice, "no device is booted and none was named").
		WithHint("%s boots one%s", hint.Do("boot_device", "sim", "NAME"), names(usable)).With("candidates", usable)
}

// Rivals reports whether another simulator than this one is booted, by the latest listing.
func (p *Pool) Rivals(udid string) bool {
	return slices.ContainsFunc(p.latest().infos, func(i device.Info) bool {
		return simulated(i) && i.State == device.Booted && !i.Is(udid)
	})
}

func ambiguous(found []device.Info, what, value string) error {
	return fault.New(fault.DeviceAmbiguous, "%d devices have the %s %q", len(found), what, value).
		WithHint("pass the %s of one: %s", hint.Field("udid"), choices(found)).With("candidates", found)
}

// mostChoices is the maximum number of devices in a hint.
const mostChoices = 8

// choices lists devices with their udids, for a hint.
func choices(infos []device.Info) string {
	var names []string
	for _, i := range infos[:min(len(infos), mostChoices)] {
		names = append(names, fmt.Sprintf("%s (%s, %s)", i.Name, i.OS, i.UDID))
	}
	if left := len(infos) - len(names); left > 0 {
		names = append(names, fmt.Sprintf("and %d more, which %s lists", left, hint.Do("list_devices")))
	}
	return strings.Join(names, ", ")
}

// names lists the distinct names of devices after a colon; empty without devices.
func names(infos []device.Info) string {
	var all []string
	for _, i := range infos {
		if !slices.Contains(all, i.Name) {
			all = append(all, i.Name)
		}
	}
	if len(all) == 0 {
		return ""
	}
	if left := len(all) - mostChoices; left > 0 {
		all = append(all[:mostChoices], fmt.Sprintf("and %d more, which %s lists", left, hint.Do("list_devices")))
	}
	return ": " + strings.Join(all, ", ")
}

func notFound(infos []device.Info, what, value string) error {
	var names []string
	for _, info := range infos {
		names = append(names, info.Name, info.UDID)
	}
	slices.Sort(names)
	f := fault.New(fault.DeviceNotFound, "no device has the %s %q", what, value)
	if near := nearest.To(value, slices.Compact(names), 3); len(near) > 0 {
		return f.WithHint(`did you mean "%s"?`, strings.Join(near, `" or "`))
	}
	return f
}

func filter(infos []device.Info, keep func(device.Info) bool) []device.Info {
	var out []device.Info
	for _, i := range infos {
		if keep(i) {
			out = append(out, i)
		}
	}
	return out
}

// State is the current state of a device.
func (p *Pool) State(ctx context.Context, id string) (string, error) {
	info, err := p.lookUp(ctx, id, 0)
	return info.State, err
}

// lookUp finds a device by one of its ids in a listing of a maximum age. It waits only for the drivers of that device.
func (p *Pool) lookUp(ctx context.Context, id string, most time.Duration) (device.Info, error) {
	if p.opener(id) != nil {
		h, err := p.guest(ctx, id, nil)
		if err != nil {
			return device.Info{}, err
		}
		return h.Info(), nil
	}
	l, err := p.listed(ctx, most, func(l *listing, answered func(device.Info) bool) bool {
		i, ok := l.find(id)
		return ok && answered(i)
	})
	if err != nil {
		return device.Info{}, err
	}
	info, err := one(l.infos, "udid", id, func(i device.Info) bool { return i.Is(id) })
	return info, l.explain(err)
}

// briefly lists devices by name and short udid.
func briefly(infos []device.Info) string {
	names := make([]string, len(infos))
	for i, d := range infos {
		names[i] = fmt.Sprintf("%s (%s)", d.Name, short(d.UDID))
	}
	return strings.Join(names, ", ")
}

// short is the beginning of a udid.
func short(udid string) string { return udid[:min(8, len(udid))] }
