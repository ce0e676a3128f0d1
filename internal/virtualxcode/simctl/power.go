package simctl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

func boot(ctx context.Context, c *call) error {
	if len(c.Args) == 0 {
		return errUsage
	}
	name := c.Args[0]
	d, err := c.device()
	var unknown *world.Error
	if errors.Is(err, world.ErrInvalidDevice) && errors.As(err, &unknown) { // boot alone also accepts pairs, and its message says so
		return &world.Error{Code: unknown.Code, Message: "Invalid device or device pair: " + name}
	}
	if err != nil {
		return err
	}
	return c.world.Boot(ctx, d.UDID)
}

func bootstatus(ctx context.Context, c *call) error {
	letters := ""
	c.Args = slices.DeleteFunc(slices.Clone(c.Args), func(arg string) bool {
		isOption := len(arg) > 1 && arg[0] == '-'
		if isOption {
			letters += arg[1:]
		}
		return isOption
	})
	if strings.Trim(letters, "bcd") != "" {
		return errUsage
	}
	d, err := c.device()
	if err != nil {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "Monitoring boot status for %s (%s).\n", d.Name, d.UDID)
	if d.State == world.Booted {
		fmt.Fprintln(c.Stdout, "Device already booted, nothing to do.")
	} else if err := c.followBoot(ctx, d, strings.Contains(letters, "b")); err != nil {
		return err
	}
	if strings.Contains(letters, "c") {
		return c.followOn(ctx, d.UDID)
	}
	return nil
}

// followOn also follows every later boot, until an interrupt.
func (c *call) followOn(ctx context.Context, udid string) error {
	for {
		changed := c.world.Changed()
		d, err := c.world.Find(udid)
		if err != nil {
			return err
		}
		if d.State == world.Booted {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		if err := c.followBoot(ctx, d, false); err != nil {
			return err
		}
	}
}

// followBoot waits for a boot, starts one if requested, and prints the progress.
func (c *call) followBoot(ctx context.Context, d world.Device, begin bool) error {
	start := c.world.Now()
	c.progress(start, "Status=4, isTerminal=NO", "Waiting on System App")
	if begin && d.State == world.Shutdown {
		if err := c.world.Boot(ctx, d.UDID); err != nil {
			fmt.Fprintln(c.Stderr, "Device boot failed")
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
	fmt.Fprintf(c.Stdout, "[%s] %s, Elapsed=%02d:%02d.\n\t%s\n\n",
		now.UTC().Format("2006-01-02 15:04:05 +0000"), status, passed/60, passed%60, what)
}
