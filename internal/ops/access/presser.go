package access

import (
	"context"
	"fmt"
	"slices"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
)

// Presser is the device of a step as another driver has it, which presses a button that the device's own cannot. A button is not aimed by
// what was seen, so that another driver may press it; one that somebody chose is not replaced. cannot is why the own one does not press
// it: it is the error, with the driver that can, where none is taken.
func (d Access) Presser(ctx context.Context, l *Looking, button string, cannot error) (device.Device, error) {
	wish, err := d.wish(l.Call)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(d.Pool.Alternates(), func(a pool.Alternate) bool {
		return a.Spec().Can(l.Handle.Info().Type) && slices.Contains(a.Spec().Buttons, button)
	})
	if i < 0 {
		return nil, cannot
	}
	by := d.Pool.Alternates()[i].Spec()
	if wish.Driver != "" {
		return nil, fault.From(cannot).WithHint("the driver %s can: `ios-agent session-set-defaults --driver %s`", by.Name, by.Name)
	}
	which := pool.Choice{Driver: by.Name, At: wish.At[by.Name]}
	if _, err := d.Pool.ProbeAlternate(ctx, which); err != nil {
		return nil, fault.From(cannot).WithHint("the driver %s can, and is taken where it is there: %s", by.Name, by.Start)
	}
	led, err := d.chosen(l.Call, l.Handle, which, fmt.Sprintf("%s cannot press the %s button", l.Handle.Device.Driver(), button))
	if err != nil {
		return nil, err
	}
	return led.Device, nil
}
