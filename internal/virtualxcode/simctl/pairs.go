package simctl

import (
	"context"
	"fmt"
)

func pair(ctx context.Context, c *call) error {
	watch, err := c.device()
	if err != nil {
		return err
	}
	phone, err := c.device()
	if err != nil {
		return err
	}
	id, err := c.world.Pair(ctx, watch.UDID, phone.UDID)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.Stdout, id)
	return nil
}

func unpair(ctx context.Context, c *call) error {
	id, err := c.take()
	if err != nil {
		return err
	}
	return c.world.Unpair(ctx, id)
}

func activatePair(ctx context.Context, c *call) error {
	id, err := c.take()
	if err != nil {
		return err
	}
	return c.world.ActivatePair(ctx, id)
}

func upgrade(ctx context.Context, c *call) error {
	d, runtime, err := c.deviceAnd()
	if err != nil {
		return err
	}
	return c.world.Upgrade(ctx, d.UDID, runtime)
}
