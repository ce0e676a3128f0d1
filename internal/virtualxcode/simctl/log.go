package simctl

import (
	"context"
	"fmt"

	"ios-agent/internal/virtualxcode/world"
)

// exitLogUsage is what log exits with when it does not understand its arguments.
const exitLogUsage = 64

// logProgram is the program log on a device.
func logProgram(ctx context.Context, c *call, d world.Device) error {
	run, err := word(c, map[string]func(*call, context.Context, world.Device) error{
		"stream": (*call).streamLog, "show": (*call).showLog,
	})
	if err != nil {
		return c.logUsage("log: only stream and show are supported by Virtual Xcode")
	}
	return run(c, ctx, d)
}

func (c *call) logUsage(text string) error {
	fmt.Fprintln(c.errout, text)
	return exitStatus(exitLogUsage)
}

func (c *call) showLog(_ context.Context, d world.Device) error {
	r, err := c.logReader(d)
	if err != nil {
		return err
	}
	entries, _, _, err := c.world.Logs(d.UDID, 0)
	if err != nil {
		return err
	}
	p := logPrinter{call: c, logReader: r}
	if r.text != "" && r.style.prose {
		p.filtering()
	}
	p.open()
	p.print(entries)
	p.close()
	return nil
}

// streamLog prints what is logged from now on, until it is interrupted or the device is not booted any more.
func (c *call) streamLog(ctx context.Context, d world.Device) error {
	r, err := c.logReader(d)
	if err != nil {
		return err
	}
	_, next, more, err := c.world.Logs(d.UDID, 0)
	if err != nil {
		return err
	}
	p := logPrinter{call: c, logReader: r}
	if r.text != "" {
		p.filtering()
	}
	p.open()
	defer p.close()
	for over := false; !over; {
		over = c.world.Await(ctx, more) != nil
		var entries []world.Entry
		if entries, next, more, err = c.world.Logs(d.UDID, next); err != nil {
			return nil // it was deleted
		}
		p.print(entries)
		if _, err := c.world.Foreground(d.UDID); err != nil {
			return nil
		}
	}
	return nil
}
