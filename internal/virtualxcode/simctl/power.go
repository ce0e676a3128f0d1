package simctl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

func boot(ctx context.Context, c *call) error {
	if len(c.args) == 0 {
		return errUsage
	}
	name := c.args[0]
	d, err := c.device()
	var unknown *world.Error
	if errors.Is(err, world.ErrInvalidDevice) && errors.As(err, &unknown) { // boot alone takes pairs too, and says so
		return &world.Error{Code: unknown.Code, Message: "Invalid device or device pair: " + name}
	}
	if err != nil {
		return err
	}
	return c.world.Boot(ctx, d.UDID)
}

func shutdown(ctx context.Context, c *call) error {
	if slices.Equal(c.args, []string{"all"}) {
		return shutdownAll(ctx, c)
	}
	d, err := c.device()
	if err != nil {
		return err
	}
	return c.world.Shutdown(ctx, d.UDID)
}

func shutdownAll(ctx context.Context, c *call) error {
	for _, d := range c.world.Devices() {
		if d.State != world.Booted && d.State != world.Booting {
			continue
		}
		if err := c.world.Shutdown(ctx, d.UDID); err != nil {
			return err
		}
	}
	return nil
}

func bootstatus(ctx context.Context, c *call) error {
	options := map[string]bool{}
	c.args = slices.DeleteFunc(slices.Clone(c.args), func(arg string) bool {
		isOption := len(arg) > 1 && arg[0] == '-'
		options[arg] = isOption
		return isOption
	})
	d, err := c.device()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "Monitoring boot status for %s (%s).\n", d.Name, d.UDID)
	if d.State == world.Booted {
		fmt.Fprintln(c.out, "Device already booted, nothing to do.")
		return nil
	}
	return c.followBoot(ctx, d, options["-b"])
}

// followBoot waits for a boot, begins it if it is to, and prints how it goes.
func (c *call) followBoot(ctx context.Context, d world.Device, begin bool) error {
	start := c.world.Now()
	c.progress(start, "Status=4, isTerminal=NO", "Waiting on System App")
	if begin && d.State == world.Shutdown {
		if err := c.world.Boot(ctx, d.UDID); err != nil {
			fmt.Fprintln(c.errout, "Device boot failed")
			return err
		}
	}
	if err := c.world.WaitBooted(ctx, d.UDID); err != nil {
		return err
	}
	c.progress(start, "Status=4294967295, isTerminal=YES", "Finished")
	return nil
}

func (c *call) progress(start time.Time, status, what string) {
	now := c.world.Now()
	passed := int(now.Sub(start) / time.Second)
	fmt.Fprintf(c.out, "[%s] %s, Elapsed=%02d:%02d.\n\t%s\n\n",
		now.UTC().Format("2006-01-02 15:04:05 +0000"), status, passed/60, passed%60, what)
}
