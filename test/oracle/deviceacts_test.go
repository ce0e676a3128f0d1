package oracle_test

// fleetAct is something that a step of a walk over several devices can do.
type fleetAct struct {
	name   string
	weight int
	do     func(*fleetChoice) (operation string, input in)
}

// fleetChoice chooses for one step.
type fleetChoice struct {
	*fleet
	luck  choice
	named string // the udid of the device that the call names
	said  string // what was chosen, for the history
}

func (c *fleetChoice) phone() phone { return pick(&c.luck, c.phones) }

// on names a device in a call, mostly not.
func (c *fleetChoice) on(input in) in {
	if c.luck.of(4) == 0 {
		c.named = c.phone().udid
		input["udid"] = c.named
	}
	return input
}

// always names a device in a call.
func (c *fleetChoice) always(key string) in {
	p := c.phone()
	c.named = p.udid
	return in{key: p.udid}
}

func fleetActs() []fleetAct {
	may := func(name string, input func(*fleetChoice) in) func(*fleetChoice) (string, in) {
		return func(c *fleetChoice) (string, in) { return name, c.on(input(c)) }
	}
	none := func(*fleetChoice) in { return in{} }
	return []fleetAct{
		{"use", 6, (*fleetChoice).use},
		{"boot", 5, may("boot_device", none)},
		{"claim", 4, func(c *fleetChoice) (string, in) { return "claim_device", c.always("udid") }},
		{"claim any", 1, func(*fleetChoice) (string, in) { return "claim_device", in{} }},
		{"release", 3, may("release_device", none)},
		{"take over", 3, func(c *fleetChoice) (string, in) {
			input := c.always("udid")
			input["reason"] = "its turn"
			return "take_over_device", input
		}},
		{"shut down", 2, may("shutdown_device", none)},
		{"launch", 6, may("launch_app", func(c *fleetChoice) in { return in{"bundle_id": pick(&c.luck, []string{conformance, shop})} })},
		{"look", 14, may("snapshot", none)},
		{"tap by name", 10, may("tap_element", func(c *fleetChoice) in {
			return in{"label": pick(&c.luck, []string{"Tap Me", "Controls", "Tea"}), "timeout_ms": 200}
		})},
		{"tap by ref", 16, may("tap_element", (*fleetChoice).ref)},
		{"swipe", 4, may("swipe", func(c *fleetChoice) in { return in{"direction": pick(&c.luck, []string{"up", "down"})} })},
		{"home", 3, may("press_button", func(*fleetChoice) in { return in{"button": "home"} })},
		{"open a link", 2, may("open", func(*fleetChoice) in { return in{"url": "shop://cart"} })},
		{"wait", 2, may("wait", func(*fleetChoice) in { return in{"condition": "settled", "timeout": 1} })},
		{"ask which device", 6, func(*fleetChoice) (string, in) { return "list_devices", in{} }},
		{"another session goes on", 12, func(c *fleetChoice) (string, in) {
			c.session = map[string]string{sessions[0]: sessions[1], sessions[1]: sessions[0]}[c.session]
			return "", nil
		}},
		{"another program boots", 4, func(c *fleetChoice) (string, in) {
			p := c.phone()
			if c.said = p.name; c.World.Boot(c.t.Context(), p.udid) == nil {
				c.show(p.udid)
			}
			return "", nil
		}},
		{"another program shuts down", 3, func(c *fleetChoice) (string, in) {
			c.shutDown()
			return "", nil
		}},
		{"restart", 4, func(c *fleetChoice) (string, in) {
			c.restart(func() {})
			return "", nil
		}},
		{"restart, and a device is shut down meanwhile", 1, func(c *fleetChoice) (string, in) {
			c.restart(c.shutDown)
			return "", nil
		}},
	}
}

// use chooses a device by its udid or by its name.
func (c *fleetChoice) use() (string, in) {
	p := c.phone()
	if c.named = p.udid; c.luck.of(2) == 0 {
		return "use_device", in{"device": p.name}
	}
	return "use_device", in{"device": p.udid}
}

// ref is one of the session's refs: one of the latest, or any.
func (c *fleetChoice) ref() in {
	all := c.order[c.session]
	if len(all) == 0 {
		return in{"label": "Tap Me", "timeout_ms": 200}
	}
	if c.luck.of(3) > 0 {
		all = all[max(0, len(all)-20):]
	}
	return in{"ref": pick(&c.luck, all), "timeout_ms": 200}
}

// shutDown switches a simulator off without the product.
func (c *fleetChoice) shutDown() {
	p := c.phone()
	if c.said = p.name; c.World.Shutdown(c.t.Context(), p.udid) != nil {
		c.said += " (refused)"
	}
}
