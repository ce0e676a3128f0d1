package oracle_test

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// act is something that a step can do: it calls an operation of the product, or changes the world and calls none.
type act struct {
	name   string
	weight int
	do     func(*choice) (operation string, input in)
	aims   bool // at an element of the last snapshot
}

// The apps that every device has.
const (
	shop        = "com.iosagent.shop"
	settings    = "com.apple.Preferences"
	conformance = "com.iosagent.conformance"
)

// acts are all of them.
func acts() []act {
	on := func(name string, more ...any) func(*choice) (string, in) {
		return func(c *choice) (string, in) {
			input := c.element()
			for i := 0; i+1 < len(more); i += 2 {
				input[more[i].(string)] = more[i+1]
			}
			return name, input
		}
	}
	return []act{
		looking(),
		{"tap", 26, on("tap_element"), true},
		{"tap, expecting a change", 4, on("tap_element", "expect_change", true), true},
		{"tap by its name", 6, (*choice).tapNamed, true},
		{"double tap", 2, on("double_tap"), true},
		{"long press", 3, on("long_press"), true},
		{"swipe", 4, func(c *choice) (string, in) { return "swipe", in{"direction": c.direction()} }, false},
		{"swipe over an element", 2, func(c *choice) (string, in) {
			input := c.element()
			input["direction"] = c.direction()
			return "swipe", input
		}, true},
		{"type", 5, func(c *choice) (string, in) { return c.enter("type_text") }, true},
		{"fill", 4, func(c *choice) (string, in) { return c.enter("fill") }, true},
		{"clear", 1, func(c *choice) (string, in) {
			return "clear", c.among("TextField", "SecureTextField", "SearchField", "TextView")
		}, false},
		{"press a key", 1, func(c *choice) (string, in) {
			return "press_key", in{"key": pick(c, []string{"a", "delete", "return"})}
		}, false},
		{"set a value", 6, (*choice).setValue, true},
		{"hide the keyboard", 1, func(*choice) (string, in) { return "hide_keyboard", in{} }, false},
		{"scroll", 2, on("scroll_to"), true},
		{"answer an alert", 3, func(c *choice) (string, in) { return "alert", in{pick(c, []string{"accept", "dismiss"}): true} }, false},
		{"back", 3, func(*choice) (string, in) { return "back", in{} }, false},
		{"home", 3, func(*choice) (string, in) { return "press_button", in{"button": "home"} }, false},
		{"rotate", 1, func(c *choice) (string, in) {
			return "rotate", in{"orientation": pick(c, []string{"portrait", "landscape-left"})}
		}, false},
		{"wait", 3, (*choice).wait, true},
		launching(),
		{"open a link", 5, func(c *choice) (string, in) { return "open", in{"url": c.link()} }, false},
		{"let time pass", 6, (*choice).pass, false},
		{"another session goes on", 3, func(c *choice) (string, in) {
			c.session = sessions[1-slices.Index(sessions, c.session)]
			return "", nil
		}, false},
		takingOver(),
		{"another program launches", 4, func(c *choice) (string, in) {
			c.said = c.app()
			_, err := c.World.Launch(c.t.Context(), c.udid, c.said, world.LaunchOptions{})
			return c.outside(err)
		}, false},
		{"another program terminates", 2, func(c *choice) (string, in) {
			c.said = c.app()
			return c.outside(c.World.Terminate(c.t.Context(), c.udid, c.said))
		}, false},
		{"another program taps", 1, func(c *choice) (string, in) {
			return c.outside(c.World.Tap(c.t.Context(), c.udid, world.Point{X: float64(c.of(390)), Y: float64(c.of(840))}))
		}, false},
		{"a notification", 1, (*choice).notify, false},
		{"a fault", 20, func(c *choice) (string, in) {
			f := pick(c, armable(c.by))
			c.said = f.Name
			return c.outside(c.World.AddFault(f))
		}, false},
		{"a slow agent", 5, func(c *choice) (string, in) { // at the look of a step, or at its touch
			f := virtualxcode.Fault{Name: flaw.AgentSlow, After: c.of(3), Set: map[string]string{"ms": pick(c, []string{"1000", "3000", "6000"})}}
			if c.by.wda {
				f.Name, f.Set = flaw.WDASlowSource, map[string]string{"seconds": f.Set["ms"][:1]}
			}
			return c.outside(c.World.AddFault(f))
		}, false},
		{"restart", 2, func(c *choice) (string, in) {
			c.Restart()
			c.choose()
			clear(c.seen) // a new daemon knows of no screen
			return "", nil
		}, false},
	}
}

func launching() act {
	return act{"launch", 9, func(c *choice) (string, in) {
		return "launch_app", in{"bundle_id": c.app(), "restart": c.of(4) == 0}
	}, false}
}

func looking() act {
	return act{"look", 10, func(*choice) (string, in) { return "snapshot", in{} }, false}
}

func takingOver() act {
	return act{"take over", 2, func(*choice) (string, in) { return "take_over_device", in{"reason": "its turn"} }, false}
}

// outside is the end of a step that went round the product. What the world refuses is no step.
func (c *choice) outside(err error) (string, in) {
	if err != nil {
		c.said += " (refused)"
	}
	return "", nil
}

func (c *choice) app() string {
	all := []string{shop, settings, conformance}
	for _, a := range c.apps {
		all = append(all, a.bundle, a.bundle)
	}
	return pick(c, all)
}

func (c *choice) link() string {
	all := []string{"shop://cart", "prefs://wifi", "conformance://link/7"}
	for _, a := range c.apps {
		for i := range a.screens {
			all = append(all, fmt.Sprintf("%s://s%d", a.scheme, i))
		}
	}
	return pick(c, all)
}

func (c *choice) direction() string { return pick(c, []string{"up", "down", "left", "right"}) }

func (c *choice) notify() (string, in) {
	if c.said = c.app(); c.by.wda || c.by.idb { // neither tells of banners: nobody can say what they cover
		c.said += " (not sent)"
		return "", nil
	}
	if err := c.World.SetPrivacy(c.t.Context(), c.udid, c.said, world.Granted, "notifications"); err != nil {
		return c.outside(err)
	}
	return c.outside(c.World.SendPush(c.t.Context(), c.udid, c.said, `{"aps":{"alert":"Hello"}}`))
}

// touchable are the types that a client would touch.
var touchable = []string{
	"Button", "Link", "Cell", "Icon", "Switch", "Slider", "TextField", "SecureTextField", "SearchField", "TextView", "Image",
	"Stepper", "Other",
}

// element is one by its ref: mostly of the last snapshot, at times one of long ago.
func (c *choice) element() in {
	if old := c.refs[c.session]; c.of(6) == 0 && len(old) > 0 {
		return in{"ref": pick(c, sorted(old))}
	}
	return c.among(touchable...)
}

func sorted(refs map[string]*element) (all []string) {
	for ref := range refs {
		all = append(all, ref)
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return all
}

// among is an element of the last snapshot, of one of these types, mostly one in reach.
func (c *choice) among(types ...string) in {
	var fits, reach []string
	for _, e := range c.shown[c.session] {
		if !slices.Contains(types, e.Type) {
			continue
		}
		if fits = append(fits, e.Ref); e.Hittable != nil && *e.Hittable {
			reach = append(reach, e.Ref)
		}
	}
	if len(fits) == 0 {
		return in{"identifier": "nothing-shown"}
	}
	if c.of(5) > 0 && len(reach) > 0 {
		fits = reach
	}
	return in{"ref": pick(c, fits)}
}

func (c *choice) tapNamed() (string, in) {
	input := c.among("Button", "Link", "Icon", "Switch", "Cell")
	e := c.refs[c.session][fmt.Sprint(input["ref"])]
	switch {
	case e == nil:
		return "tap_element", input
	case e.Identifier != "" && c.of(2) == 0:
		return "tap_element", in{"identifier": e.Identifier}
	case e.Label != "":
		return "tap_element", in{"label": e.Label}
	}
	return "tap_element", input
}

func (c *choice) enter(name string) (string, in) {
	input := c.among("TextField", "SecureTextField", "SearchField", "TextView")
	if input["ref"] == nil {
		return "tap_element", c.element()
	}
	input["text"] = pick(c, []string{"tea", "a@b.c", "Émile", "two words", "12"})
	return name, input
}

func (c *choice) setValue() (string, in) {
	input := c.among("Switch", "Slider", "Stepper", "SegmentedControl", "PickerWheel")
	if input["ref"] == nil {
		return "tap_element", c.element()
	}
	values := map[string][]string{"Switch": {"on", "off"}, "Slider": {"80%", "10%"}, "Stepper": {"4", "1"}, "SegmentedControl": {"L", "S"}}
	input["to"] = "on"
	if e := c.refs[c.session][fmt.Sprint(input["ref"])]; e != nil && len(values[e.Type]) > 0 {
		input["to"] = pick(c, values[e.Type])
	}
	return "set_value", input
}

func (c *choice) wait() (string, in) {
	e := c.refs[c.session][fmt.Sprint(c.among(touchable...)["ref"])]
	if e == nil || e.Identifier == "" {
		return "wait", in{"condition": "settled", "timeout": 2}
	}
	return "wait", in{"identifier": e.Identifier, "condition": pick(c, []string{"exists", "not_exists"}), "timeout": c.of(3), "soft": true}
}
