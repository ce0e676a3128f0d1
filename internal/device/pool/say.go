package pool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// The faults below go to a caller that got no device. Agents read their messages: each message has the criteria, the existing devices
// and the remedy.

// noMatch is the fault for criteria without a matching device. It lists the existing devices.
func noMatch(infos []device.Info, w Want) error {
	head := "No device matching " + w.String()
	size := fmt.Sprintf("the pool has %d devices", len(infos))
	if w.UDID == "" {
		kind := cmp.Or(w.Type, device.TypeSimulator)
		infos = filter(infos, func(i device.Info) bool { return i.Available && i.Type == kind })
	}
	var text string
	var names []string
	switch {
	case w.UDID != "":
		text = fmt.Sprintf("%s; %s", head, size)
	case w.Name != "" && w.OS != "":
		name := byName(infos, w.Name)
		os := filter(infos, func(i device.Info) bool { return SameOS(i.OS, w.OS) })
		text = fmt.Sprintf("%s: %d matched the name but run %s; %d matched the OS but are named %s; %s", head,
			len(name), said(name, osOf), len(os), said(os, nameOf), size)
	case w.Name != "":
		text = fmt.Sprintf("%s: available names are %s; %s", head, said(infos, nameOf), size)
	case w.OS != "":
		text = fmt.Sprintf("%s: available OS versions are %s; %s", head, said(infos, osOf), size)
	default:
		text = fmt.Sprintf("%s; %s", head, size)
	}
	for _, i := range infos {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	f := fault.New(fault.DeviceNotFound, "%s", text)
	if systems := said(byName(infos, w.Name), osOf); w.UDID == "" && w.Name != "" && w.OS != "" && systems != "none" {
		return f.WithHint("leave %s out, or give a version that %s has: %s", hint.Field("os_version"), w.Name, systems)
	}
	if near := nearest.To(w.Name, slices.Compact(names), 3); w.Name != "" && len(near) > 0 {
		return f.WithHint(`did you mean "%s"?`, strings.Join(near, `" or "`))
	}
	return f
}

func osOf(i device.Info) string   { return i.OS }
func nameOf(i device.Info) string { return i.Name }

// said lists the distinct values of devices in order.
func said(infos []device.Info, of func(device.Info) string) string {
	var values []string
	for _, i := range infos {
		values = append(values, of(i))
	}
	slices.Sort(values)
	if values = slices.Compact(values); len(values) == 0 {
		return "none"
	}
	return strings.Join(values, ", ")
}

// stock is the state of the matching devices at this moment.
type stock struct {
	fits, booted, off, broken []device.Info
	claimed                   []lease.Lease // by other sessions
	names                     map[string]string
	reasons                   []string
	client                    func(holder string) string
}

func (p *Pool) stock(infos []device.Info, a Ask, leases map[string]lease.Lease) stock {
	s := stock{fits: a.Want.match(infos), names: map[string]string{}, client: p.client}
	aside := p.Quarantines()
	for _, i := range s.fits {
		l := leases[i.UDID]
		l.Resource = i.UDID
		s.names[i.UDID] = i.Name
		q, bad := aside[i.UDID]
		switch {
		case bad:
			s.broken, s.reasons = append(s.broken, i), append(s.reasons, q.Reason)
		case !l.Free() && !(lease.Who{Holder: a.Holder, By: a.By}).Owns(l):
			s.claimed = append(s.claimed, l)
		case i.State == device.Booted:
			s.booted = append(s.booted, i)
		default:
			s.off = append(s.off, i)
		}
	}
	return s
}

// holders lists the holders and their devices: session (name, udid8).
func (s stock) holders() string {
	var who []string
	for _, l := range s.claimed {
		holder := l.Holder
		if l.Dirty {
			holder = "being reset"
		}
		who = append(who, fmt.Sprintf("%s (%s, %s)", holder, s.names[l.Resource], short(l.Resource)))
	}
	return strings.Join(who, ", ")
}

// refusal is the reason why no device was handed over.
func (p *Pool) refusal(ctx context.Context, a Ask, waited time.Duration, err error) error {
	var busy *lease.BusyError
	if !errors.As(err, &busy) {
		return leaseFault(err)
	}
	if ctx.Err() != nil {
		return ctx.Err() // the caller has left
	}
	l, failed := p.listed(ctx, fresh, a.Want.found)
	if failed != nil {
		return failed
	}
	leases, failed := p.leases.All(ctx)
	if failed != nil {
		return leaseFault(failed)
	}
	s := p.stock(l.infos, a, leases)
	switch {
	case a.Wait > 0 && errors.Is(err, context.DeadlineExceeded):
		return s.timedOut(a, waited)
	case a.Count > 1:
		return s.short(a)
	case len(busy.Elsewhere) > 0 && len(busy.Held) == 0:
		return elsewhere(busy.Elsewhere[0])
	case len(s.fits) == 0:
		return l.explain(noMatch(l.infos, a.Want))
	case len(s.fits) == 1 && len(s.claimed) == 1:
		return p.taken(s.fits[0].Name, s.claimed[0])
	case len(s.off) > 0 && a.On && !a.Boot:
		return s.allOff(a)
	case len(s.claimed) > 0:
		return s.allClaimed(a)
	case len(s.broken) > 0:
		return fault.New(fault.DeviceBroken, "every device matching %s is broken: %s", a.Want, strings.Join(s.reasons, "; "))
	}
	return fault.New(fault.DeviceClaimed, "every device matching %s was taken a moment ago", a.Want)
}

func (s stock) allClaimed(a Ask) error {
	return fault.New(fault.DeviceClaimed, "All %d devices matching %s are claimed: %s. Pass wait_if_busy=true to wait, or release one",
		len(s.fits), a.Want, s.holders()).With("claims", s.claims()).
		WithHint("release a device, or wait for one: %s, or take one over: %s",
			hint.Do("resolve_device", "wait_if_busy", true), hint.Do("take_over_device", "udid", "UDID", "reason", "WHY"))
}

func (s stock) allOff(a Ask) error {
	text := fmt.Sprintf("All %d available devices matching %s are shut down: %s. Pass auto_boot=true, or boot one with boot_device",
		len(s.off), a.Want, briefly(s.off))
	if len(s.claimed) > 0 {
		text += fmt.Sprintf("; %d more are claimed: %s", len(s.claimed), s.holders())
	}
	return fault.New(fault.DeviceNotBooted, "%s", text).
		WithHint("pass %s to boot one of: %s", hint.Field("auto_boot"), choices(s.off)).With("candidates", s.off)
}

func (s stock) timedOut(a Ask, waited time.Duration) error {
	text := fmt.Sprintf("Timed out after %.1f seconds waiting for a device matching %s", waited.Seconds(), a.Want)
	if len(s.claimed) > 0 {
		text += fmt.Sprintf(": %d are claimed: %s", len(s.claimed), s.holders())
	}
	if len(s.off) == 0 || !a.On || a.Boot {
		return fault.New(fault.WaitTimeout, "%s", text).With("claims", s.claims())
	}
	return fault.New(fault.WaitTimeout, "%s; %d are free and shut down: %s. Pass auto_boot=true", text, len(s.off), briefly(s.off)).
		With("claims", s.claims()).WithHint("pass %s: %s is free", hint.Field("auto_boot"), s.off[0].Name)
}

func (s stock) short(a Ask) error {
	available := len(s.booted)
	if a.Boot {
		available += len(s.off)
	}
	code := fault.DeviceNotFound // too few devices match
	switch {
	case len(s.fits) >= a.Count && len(s.claimed) > 0:
		code = fault.DeviceClaimed
	case len(s.fits) >= a.Count && !a.Boot:
		code = fault.DeviceNotBooted
	case len(s.fits) >= a.Count:
		code = fault.DeviceBroken
	}
	f := fault.New(code, "Needed %d devices matching %s, available %d (%d booted, %d shutdown, %d claimed)",
		a.Count, a.Want, available, len(s.booted), len(s.off), len(s.claimed))
	if len(s.broken) > 0 {
		f = f.With("broken", s.reasons)
	}
	return f.With("claims", s.claims()).WithHint("ask for fewer, release some, or create more simulators")
}

// claims are leases in machine-readable form.
func (s stock) claims() []map[string]any {
	var out []map[string]any
	for _, l := range s.claimed {
		one := map[string]any{"udid": l.Resource, "holder": l.Holder, "since": l.Since.UTC(), "expires": l.Expires.UTC()}
		if client := s.client(l.Holder); client != "" {
			one["client"] = client
		}
		out = append(out, one)
	}
	return out
}
