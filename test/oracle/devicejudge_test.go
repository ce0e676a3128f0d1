package oracle_test

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/fault"
)

// fleetCheck compares one thing with the rules.
type fleetCheck struct {
	class string
	find  func(*fleet, doing) string // what is wrong; empty: nothing
}

func fleetChecks() []fleetCheck {
	return []fleetCheck{
		{"another device", (*fleet).another},
		{"unnamed device", (*fleet).unnamed},
		{"foreign ref", (*fleet).foreign},
		{"claimed device", (*fleet).claimed},
		{"forgotten choice", (*fleet).forgotten},
		{"silent change of device", (*fleet).silent},
	}
}

// Nothing is done to a device that is not meant.
func (f *fleet) another(d doing) string {
	for _, udid := range d.changed() {
		switch {
		case d.meant != "" && udid != d.meant:
			return fmt.Sprintf("%s was acted on, and %s was meant", f.called(udid), f.called(d.meant))
		case d.meant == "" && d.name != "boot_device" && !f.held[f.session][udid] && !f.onlyFree(udid, d.before):
			return fmt.Sprintf("%s was acted on, and the session has nothing to do with it", f.called(udid))
		}
	}
	return ""
}

// onlyFree reports whether a simulator is the only one that is on and that no other session has.
func (f *fleet) onlyFree(udid string, at map[string]standing) bool {
	for other, s := range at {
		if s.on && other != udid && !f.othersHave(other) {
			return false
		}
	}
	return at[udid].on
}

func (f *fleet) othersHave(udid string) bool {
	return slices.ContainsFunc(sessions, func(s string) bool { return s != f.session && f.held[s][udid] })
}

// An answer is of the device that was acted on, and of the one that is meant.
func (f *fleet) unnamed(d doing) string {
	if d.name == "list_devices" {
		return ""
	}
	for _, udid := range d.changed() {
		if d.of() != udid {
			return fmt.Sprintf("%s was acted on, and the answer is of %s", f.called(udid), f.called(d.of()))
		}
	}
	switch {
	case d.answer.Error == nil && d.of() == "":
		return "the answer names no device"
	case d.of() != "" && d.meant != "" && d.of() != d.meant && !f.picks(d):
		return fmt.Sprintf("the answer is of %s, and %s was meant", f.called(d.of()), f.called(d.meant))
	}
	return ""
}

// picks reports whether the operation works out by itself which device it takes: any that is free, or the one that was claimed last.
func (f *fleet) picks(d doing) bool {
	return d.named == "" && (d.name == "claim_device" || d.name == "release_device")
}

// A ref acts on the device on which it was shown.
func (f *fleet) foreign(d doing) string {
	ref, _ := d.input["ref"].(string)
	shown := f.refs[f.session][ref]
	if shown == "" {
		return ""
	}
	for _, udid := range d.changed() {
		if udid != shown {
			return fmt.Sprintf("%s was shown on %s, and acted on %s", ref, f.called(shown), f.called(udid))
		}
	}
	if d.answer.Error == nil && d.of() != shown {
		return fmt.Sprintf("%s was shown on %s, and is called one of %s", ref, f.called(shown), f.called(d.of()))
	}
	return ""
}

// What one session has claimed no other one drives.
func (f *fleet) claimed(d doing) string {
	if d.name == "take_over_device" {
		return ""
	}
	for _, udid := range d.changed() {
		if holder := f.claims[udid]; holder != "" && holder != f.session {
			return fmt.Sprintf("%s was acted on, and %s has claimed it", f.called(udid), holder)
		}
	}
	return ""
}

// A session's choice is the one it made, and what a call that names no device is refused for names it.
func (f *fleet) forgotten(d doing) string {
	choice := f.choice[f.session]
	if d.name == "list_devices" && d.answer.Error == nil {
		var told struct {
			Active string `json:"active_udid"`
		}
		if f.decode(&told, d.answer.Result); told.Active != choice {
			return fmt.Sprintf("the session's device is called %s, and it chose %s", f.called(told.Active), f.called(choice))
		}
		return ""
	}
	fault := d.answer.Error
	if fault == nil || choice == "" || d.named != "" || f.picks(d) || !slices.Contains(aboutDevices, fault.Code) {
		return ""
	}
	if !strings.Contains(fault.Message, choice) && !strings.Contains(fault.Message, f.called(choice)) {
		return fmt.Sprintf("%s was chosen, and %s does not name it", f.called(choice), fault.Code)
	}
	return ""
}

// aboutDevices are the codes that say why a device cannot serve.
var aboutDevices = []fault.Code{fault.DeviceNotFound, fault.DeviceAmbiguous, fault.DeviceNotBooted, fault.DeviceClaimed, fault.NoDevice}

// An answer says in its text which device it is of, whenever that is not the device of the session's last answer. An answer of REST has
// no text: its meta says it.
func (f *fleet) silent(d doing) string {
	of, last := d.of(), f.answered[f.session]
	if of == "" || last == "" || of == last || f.door.name == "REST" {
		return ""
	}
	if text := d.answer.Text(); !strings.Contains(text, of) && !strings.Contains(text, f.called(of)) {
		return fmt.Sprintf("the answer is of %s, the last one was of %s, and its text does not say so", f.called(of), f.called(last))
	}
	return ""
}
