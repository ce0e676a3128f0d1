package simctl

import (
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// take removes the first argument and returns it; without an argument it returns a usage error.
func (c *call) take() (string, error) {
	if len(c.Args) == 0 {
		return "", errUsage
	}
	first := c.Args[0]
	c.Args = c.Args[1:]
	return first, nil
}

// device takes the argument that names a device.
func (c *call) device() (world.Device, error) {
	name, err := c.take()
	if err != nil {
		return world.Device{}, err
	}
	return c.world.Find(name)
}

// deviceAnd takes a device and one more argument.
func (c *call) deviceAnd() (world.Device, string, error) {
	d, err := c.device()
	if err != nil {
		return d, "", err
	}
	more, err := c.take()
	return d, more, err
}

// booted takes the argument that names a booted device.
func (c *call) booted() (world.Device, error) {
	d, err := c.device()
	if err != nil {
		return d, err
	}
	_, err = c.world.Foreground(d.UDID)
	return d, err
}

// bootedAnd takes a booted device and one more argument.
func (c *call) bootedAnd() (world.Device, string, error) {
	d, err := c.booted()
	if err != nil {
		return d, "", err
	}
	more, err := c.take()
	return d, more, err
}

// last takes the only argument that is left.
func (c *call) last() (string, error) {
	if len(c.Args) != 1 {
		return "", errUsage
	}
	return c.take()
}

// end returns a usage error if arguments are left. Ignoring them would accept options that the real tool lacks.
func (c *call) end() error {
	if len(c.Args) > 0 {
		return errUsage
	}
	return nil
}

// option says whether an option of a verb has a value.
type option bool

const (
	flag   option = false
	valued option = true
)

// options removes the leading options, up to a "--", and returns the values by name; a flag has an empty value. Values follow a = or
// are the next argument.
func (c *call) options(known map[string]option) (map[string]string, error) {
	given := map[string]string{}
	for len(c.Args) > 0 && len(c.Args[0]) > 1 && c.Args[0][0] == '-' {
		name, value, joined := strings.Cut(c.Args[0], "=")
		c.Args = c.Args[1:]
		if name == "--" {
			break
		}
		kind, ok := known[name]
		if !ok || joined && kind == flag {
			return nil, errUsage
		}
		if kind == valued && !joined {
			var err error
			if value, err = c.take(); err != nil {
				return nil, err
			}
		}
		given[name] = value
	}
	return given, nil
}

// word looks up the action for the next argument.
func word[T any](c *call, known map[string]T) (T, error) {
	var none T
	name, err := c.take()
	if err != nil {
		return none, err
	}
	what, ok := known[name]
	if !ok {
		return none, errUsage
	}
	return what, nil
}
