package device

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Composite is one device of several parts: each part is the device as one driver opens it. An ability comes from the first part that
// has it.
type Composite struct {
	mu    sync.Mutex
	info  Info
	parts []Device
	lead  Device // the part chosen to look and touch; may be nil

	choices []DriverSpec // drivers that can be chosen for it
}

var _ Device = (*Composite)(nil)

// Compose makes one device of its parts. The first part identifies the device; the others fill in missing details.
func Compose(parts ...Device) *Composite { return ComposeFor(nil, parts...) }

// ComposeFor is Compose for a device with drivers that can be chosen instead of its own parts.
func ComposeFor(choices []DriverSpec, parts ...Device) *Composite {
	c := &Composite{choices: choices}
	for _, p := range parts {
		c.Add(p)
	}
	return c
}

// Add appends a part; for a composite, its parts.
func (c *Composite) Add(part Device) {
	if several, is := part.(*Composite); is {
		for _, p := range several.Parts() {
			c.Add(p)
		}
		return
	}
	info := part.Info()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info, c.parts = c.info.Merge(info), append(slices.Clip(c.parts), part)
}

// Led is the same device with one part that alone looks and touches. All other abilities come from the other parts first. lead need not
// be one of the parts.
func (c *Composite) Led(lead Device) *Composite {
	rest := slices.DeleteFunc(slices.Clone(c.Parts()), func(p Device) bool { return p == lead })
	return &Composite{info: c.Info(), parts: append(rest, lead), lead: lead, choices: c.choices}
}

// With is the same device with one more part, which comes last.
func (c *Composite) With(part Device) *Composite {
	return &Composite{info: c.Info(), parts: append(slices.Clone(c.Parts()), part), lead: c.lead, choices: c.choices}
}

// Info is the parts' common description of the device.
func (c *Composite) Info() Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.info
}

// Driver lists the drivers of all parts.
func (c *Composite) Driver() string {
	var names []string
	for _, p := range c.Parts() {
		names = append(names, p.Driver())
	}
	return strings.Join(names, ", ")
}

// Parts are the parts in the order of preference.
func (c *Composite) Parts() []Device {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.parts
}

// Close closes every part.
func (c *Composite) Close() error {
	var errs []error
	for _, p := range c.Parts() {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// Merge fills missing details of a device from another driver's description.
func (i Info) Merge(other Info) Info {
	if i.UDID == "" {
		return other
	}
	for _, f := range []struct {
		own   *string
		other string
	}{{&i.Name, other.Name}, {&i.State, other.State}, {&i.OS, other.OS}, {&i.Type, other.Type}, {&i.Model, other.Model},
		{&i.Runtime, other.Runtime}, {&i.Family, other.Family}} {
		*f.own = cmp.Or(*f.own, f.other)
	}
	i.Available = i.Available || other.Available
	i.Hardware = i.Hardware.fill(other.Hardware)
	aliases := slices.Clone(i.Aliases)
	for _, a := range other.Aliases {
		if !i.Is(a) && !slices.Contains(aliases, a) {
			aliases = append(aliases, a)
		}
	}
	i.Aliases = aliases
	return i
}

// Has gives an ability of a device, if the device has it.
func Has[Ability any](d Device) (Ability, bool) {
	if c, is := d.(*Composite); is {
		for _, p := range c.asked(reflect.TypeFor[Ability]().Name()) {
			if a, ok := Has[Ability](p); ok {
				return a, true
			}
		}
		var none Ability
		return none, false
	}
	a, ok := d.(Ability)
	return a, ok
}

// asked are the parts that may have an ability.
func (c *Composite) asked(ability string) []Device {
	if c.lead != nil && slices.Contains(face(), ability) {
		return []Device{c.lead}
	}
	return c.Parts()
}

// face are the abilities that must come from one driver: the driver that sees the screen also touches it and guards the inputs, and its
// agent is started and stopped.
func face() []string {
	return []string{"Eyes", "Touch", "Gestures", "Dragging", "Pinching", "Adjust", "Keyboard", "Alerts", "Rotation", "Guarding", "Pointing",
		"Filler", "Caret", "Buttons", "Agent"}
}

// As gives an ability of a device, or a fault that names the missing ability and a remedy.
func As[Ability any](d Device) (Ability, error) {
	a, ok := Has[Ability](d)
	if !ok {
		return a, missing[Ability](d)
	}
	return a, nil
}

// MissingError says that a device lacks an ability.
type MissingError struct {
	Device Info
	Driver string
	Does   string // the ability in words
	Other  string // another driver of the device with the ability; may be empty

	sees    bool         // the ability belongs to face
	choices []DriverSpec // drivers that may have it
}

func missing[Ability any](d Device) *MissingError {
	name := reflect.TypeFor[Ability]().Name()
	e := &MissingError{Device: d.Info(), Driver: d.Driver(), Does: cmp.Or(abilities()[name], "do this: "+name)}
	e.sees = slices.Contains(face(), name)
	c, is := d.(*Composite)
	if !is {
		return e
	}
	if e.choices = c.choices; c.lead == nil {
		return e
	}
	e.Driver = c.lead.Driver()
	for _, p := range c.Parts() {
		if _, can := Has[Ability](p); can {
			e.Other = p.Driver()
			break
		}
	}
	return e
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s (%s) is driven by %s, which cannot %s", e.Device.Name, e.Device.UDID, e.Driver, e.Does)
}

// Fault names a driver or device with the ability.
func (e *MissingError) Fault() *fault.Fault {
	f := fault.New(fault.Unsupported, "%s", e.Error()).WithDispatch(fault.NotDispatched)
	if e.Other != "" {
		return f.WithHint("the driver %s can: %s", e.Other, hint.Do("session_set_defaults", "driver", e.Other))
	}
	simulators := hint.Do("list_devices", "type", TypeSimulator)
	switch {
	case e.Device.Type == TypePhysical && e.sees:
		return f.WithHint("%s shows which setup steps are missing;%s a simulator can: %s lists them",
			hint.Do("doctor", "device", e.Device.UDID), e.another(), simulators)
	case e.Device.Type == TypePhysical:
		return f.WithHint("a simulator can: %s lists them", simulators)
	case e.Device.Type == TypeProcess:
		return f.WithHint("a desktop app cannot do this, a simulator may: %s lists the simulators", simulators)
	}
	return f.WithHint("another device may be able to: %s lists the devices", hint.Do("list_devices"))
}

// another names a driver that may have the ability, with the call that chooses it; may be empty.
func (e *MissingError) another() string {
	i := slices.IndexFunc(e.choices, func(d DriverSpec) bool { return d.Can(e.Device.Type) })
	if i < 0 {
		return ""
	}
	d := e.choices[i]
	return fmt.Sprintf(" %s may: %s;", d.Server, hint.Do("session_set_defaults", "driver", d.Name, d.URLKey(), "URL"))
}

// abilities are the abilities in words, by the names of their interfaces.
func abilities() map[string]string {
	return map[string]string{
		"Eyes":        "look at the screen",
		"Touch":       "touch the screen",
		"Gestures":    "drag and pinch",
		"Dragging":    "drag",
		"Pinching":    "pinch",
		"Adjust":      "set sliders and pickers",
		"Keyboard":    "type",
		"Alerts":      "read and answer alerts",
		"Rotation":    "turn the device",
		"Camera":      "take screenshots",
		"Power":       "boot and shut down",
		"Apps":        "install, launch and end apps",
		"Agent":       "run an agent",
		"Examiner":    "report missing setup steps",
		"EndReporter": "find out why an app ended",
		"Reports":     "copy crash reports",
		"Running":     "list the running apps",
		"Guarding":    "check what an input is meant for",
		"Prober":      "check whether the device works",
		"Eraser":      "erase the device",
		"Inventory":   "list and remove apps",
		"Links":       "open URLs",
		"Place":       "set the location",
		"Permissions": "change what apps may do",
		"Trust":       "have its apps trust a certificate",
		"Looks":       "change the appearance and the status bar",
		"Mailbox":     "send push notifications",
		"Pasteboard":  "read and write the pasteboard",
		"Buttons":     "press hardware buttons",
		"Film":        "record the screen",
		"Preparer":    "prepare the device for automation",
		"Console":     "show an app's output",
		"Logs":        "show its log",
		"PastLog":     "show its past log",
		"Processes":   "end a process by its id",
		"Pointing":    "be used with a mouse",
		"Filler":      "replace text at once",
		"Caret":       "move to the end of a text",
		"Mortal":      "end for good",
		"Dormant":     "wait for its agent",
		"Webs":        "look into web views",
		"Process":     "show the windows of a desktop app",
	}
}
