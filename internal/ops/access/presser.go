package access

import (
	"context"
	"fmt"
	"slices"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Presser is the device of a step through another driver, which can press a hardware button that the device's own driver cannot. That is
// safe because a button has no place on the screen that the other driver could read differently. A driver that the caller chose is not
// replaced. cannot is the error of the own driver; Presser returns it, with a hint that names the other driver, if it takes none.
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
		return nil, fault.From(cannot).WithHint("choose the driver %s, which can: %s", by.Name,
			hint.Do("session_set_defaults", "driver", by.Name))
	}
	which := pool.Choice{Driver: by.Name, At: wish.At[by.Name]}
	if _, err := d.Pool.ProbeAlternate(ctx, which); err != nil {
		return nil, fault.From(cannot).WithHint("the driver %s can; to use it, %s", by.Name, by.Start)
	}
	led, err := d.chosen(l.Call, l.Handle, which, fmt.Sprintf("%s cannot press the %s button", l.Handle.Device.Driver(), button))
	if err != nil {
		return nil, err
	}
	return led.Device, nil
}
