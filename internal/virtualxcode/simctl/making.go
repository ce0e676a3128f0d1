package simctl

import (
	"context"
	"fmt"
	"slices"

	"ios-agent/internal/virtualxcode/world"
)

func create(ctx context.Context, c *call) error {
	if len(c.Args) < 2 || len(c.Args) > 3 {
		return errUsage
	}
	t, err := c.world.Type(c.Args[1])
	if err != nil {
		return err
	}
	runtime := append(c.Args, "")[2]
	r, err := c.world.RuntimeFor(t, runtime)
	if err != nil {
		return err
	}
	if runtime == "" {
		fmt.Fprintf(c.Stderr, "No runtime specified, using '%s'\n", textRuntime(r))
	}
	udid, err := c.world.Create(ctx, c.Args[0], t.ID, r.ID)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.Stdout, udid)
	return nil
}

func clone(ctx context.Context, c *call) error {
	d, name, err := c.deviceAnd()
	if err != nil {
		return err
	}
	udid, err := c.world.Clone(ctx, d.UDID, name)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.Stdout, udid)
	return nil
}

func rename(ctx context.Context, c *call) error {
	d, name, err := c.deviceAnd()
	if err != nil {
		return err
	}
	return c.world.Rename(ctx, d.UDID, name)
}

func remove(ctx context.Context, c *call) error {
	return c.forEach(ctx, c.world.Delete, map[string]func(world.Device) bool{
		"all":         func(world.Device) bool { return true },
		"unavailable": func(d world.Device) bool { return d.Runtime.Unavailable != "" },
	})
}

func erase(ctx context.Context, c *call) error {
	return c.forEach(ctx, c.world.Erase, map[string]func(world.Device) bool{
		"all": func(world.Device) bool { return true },
	})
}

func shutdown(ctx context.Context, c *call) error {
	return c.forEach(ctx, c.world.Shutdown, map[string]func(world.Device) bool{
		"all": func(d world.Device) bool { return d.State == world.Booted || d.State == world.Booting },
	})
}

// forEach applies an action to the named devices, or to all devices of a word such as "all". It looks up all devices first. After a
// failure it continues with the others, and returns the first error.
func (c *call) forEach(ctx context.Context, do func(context.Context, string) error, words map[string]func(world.Device) bool) error {
	devices, err := c.chosen(words)
	if err != nil {
		return err
	}
	var first error
	for _, d := range devices {
		if err := do(ctx, d.UDID); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (c *call) chosen(words map[string]func(world.Device) bool) (out []world.Device, err error) {
	if len(c.Args) == 0 {
		return nil, errUsage
	}
	if match := words[c.Args[0]]; match != nil {
		if len(c.Args) > 1 {
			return nil, errUsage
		}
		return slices.DeleteFunc(c.world.Devices(), func(d world.Device) bool { return !match(d) }), nil
	}
	for len(c.Args) > 0 {
		d, err := c.device()
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}
