package oracle_test

import (
	"encoding/json"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// fleetFib makes a lie of a true answer about one of three devices.
type fleetFib struct {
	class string // that finds it
	what  string
	way   []fleetStep // what happens first
	call  fleetStep
	lie   func(f *fleet, d *doing)
}

// fleetStep is a call of a session. A number in it stands for a simulator: the udid of the first one is "1".
type fleetStep struct {
	session, name string
	input         in
}

// restarting is the step that ends the daemon and starts another one.
const restarting = "restart"

// TestDeviceChecksDetectFalseAnswers holds every check to a true answer, which passes, and to a lie made of it, which does not.
func TestDeviceChecksDetectFalseAnswers(t *testing.T) {
	untested := map[string]bool{}
	for _, c := range fleetChecks() {
		untested[c.class] = true
	}
	for _, fib := range fleetFibs() {
		delete(untested, fib.class)
		t.Run(fib.what, func(t *testing.T) {
			f := launchFleet(t, 0)
			for _, s := range fib.way {
				f.learn(f.stage(s))
			}
			d := f.stage(fib.call)
			if said := f.lieOf(fib.class, d); said != "" {
				t.Fatalf("the true answer is called a lie: %s", said)
			}
			fib.lie(f, &d)
			if f.lieOf(fib.class, d) == "" {
				t.Errorf("the lie is not found: %s", d.answer.Text())
			}
		})
	}
	for class := range untested {
		t.Errorf("nobody lies about %s", class)
	}
}

func (f *fleet) lieOf(class string, d doing) (said string) {
	for _, c := range fleetChecks() {
		if c.class == class {
			said = c.find(f, d)
		}
	}
	return said
}

// stage makes a call. A ref in it is the session's first one.
func (f *fleet) stage(s fleetStep) doing {
	f.t.Helper()
	f.session = s.session
	return f.observe(&fleetChoice{fleet: f}, fleetAct{do: func(c *fleetChoice) (string, in) {
		if s.name == restarting {
			f.restart(func() {})
			return "", nil
		}
		input := in{}
		for key, value := range s.input {
			if key == "udid" || key == "device" {
				c.named = f.phones[value.(int)-1].udid
				value = c.named
			}
			if key == "ref" {
				value = f.order[f.session][0]
			}
			input[key] = value
		}
		return s.name, input
	}})
}

// reaches has an input reach a simulator in the world's record.
func reaches(number int) func(*fleet, *doing) {
	return func(f *fleet, d *doing) {
		udid := f.phones[number-1].udid
		now := d.after[udid]
		now.inputs++
		d.after[udid], d.answer.Error = now, nil
	}
}

func fleetFibs() []fleetFib {
	uses := fleetStep{"ann", "use_device", in{"device": 1}}
	tap := fleetStep{"ann", "tap_element", in{"label": "Tap Me"}}
	look, other := fleetStep{"ann", "snapshot", in{}}, fleetStep{"ann", "use_device", in{"device": 2}}
	off := fleetStep{"ann", "shutdown_device", in{"udid": 1}}
	lost := func(f *fleet, d *doing) {
		d.answer.Error = fault.New(fault.NoDevice, "2 devices are booted and none was named")
	}
	return []fleetFib{
		{"another device", "a tap reaches another device", []fleetStep{uses}, tap, reaches(2)},
		{"another device", "a device that was chosen and is off is replaced by another one", []fleetStep{uses, off}, tap, reaches(3)},
		{"unnamed device", "an answer is of another device", []fleetStep{uses}, tap, func(f *fleet, d *doing) {
			d.answer.Meta.Device = &op.Device{UDID: f.phones[1].udid}
		}},
		{"unnamed device", "an answer is of no device", []fleetStep{uses}, tap, func(_ *fleet, d *doing) { d.answer.Meta.Device = nil }},
		{"foreign ref", "a ref of one device acts on another", []fleetStep{uses, look, other},
			fleetStep{"ann", "tap_element", in{"ref": 1}}, reaches(2)},
		{"claimed device", "a claimed device is driven by another session", []fleetStep{{"bob", "claim_device", in{"udid": 1}}, uses}, tap,
			reaches(1)},
		{"silent change of device", "a text does not say that it is of another device", []fleetStep{uses}, other,
			func(_ *fleet, d *doing) { d.answer.Stdout = "done" }},
		{"forgotten choice", "a restart forgets the choice", []fleetStep{uses, {"ann", restarting, nil}}, fleetStep{"ann", "list_devices", in{}},
			func(_ *fleet, d *doing) {
				result := in{}
				_ = json.Unmarshal(d.answer.Result, &result) // it is our own
				result["active_udid"] = ""
				d.answer.Result, _ = json.Marshal(result)
			}},
		{"forgotten choice", "a refusal after a restart does not know the choice", []fleetStep{uses, off, {"ann", restarting, nil}}, tap, lost},
	}
}
