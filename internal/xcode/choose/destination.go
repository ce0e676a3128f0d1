package choose

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/xcode/builder"
)

// The kinds of destinations, by their names in answers.
const (
	OnSimulator = "simulator"
	OnDevice    = "device"
	OnMac       = "macos"
)

// Destination is the destination of a build or of tests, as the caller names it.
type Destination struct {
	Kind      string
	Simulator pool.Simulator
	Device    string // a physical device, by any of its ids; empty: any
	Platform  string // empty: the platform of the simulator's runtime, else iOS
	Arch      string // architecture of a Mac
}

// Place is a found destination.
type Place struct {
	builder.Destination
	Kind    string
	Device  *device.Info // nil if the pool does not know the device, or the build has none
	Unknown error        // reason for an unknown device
	Words   string
}

// Find finds the device of a destination, without opening it.
func (d Destination) Find(ctx context.Context, p *pool.Pool) (Place, error) {
	switch d.Kind {
	case OnSimulator:
		return d.simulator(ctx, p)
	case OnDevice:
		return d.physical(ctx, p)
	}
	return Place{
		Destination: builder.Destination{Platform: builder.MacOS, Arch: d.Arch}, Kind: OnMac,
		Words: strings.TrimSpace(builder.MacOS + " " + d.Arch),
	}, nil
}

// simulator finds the simulator and its platform: the caller's, else the runtime's, else iOS. If simctl does not answer, xcodebuild gets
// the name and decides.
func (d Destination) simulator(ctx context.Context, p *pool.Pool) (Place, error) {
	which := d.Simulator
	if which.ID == "" && device.LooksLikeUDID(which.Name) {
		which.ID, which.Name = which.Name, ""
	}
	found, err := p.Simulator(ctx, which)
	if err == nil {
		var info device.Info
		if info, err = resolved(ctx, p, found); err == nil {
			to := builder.Destination{ID: info.UDID, Platform: cmp.Or(d.Platform, device.Platform(info.OS)+builder.Simulated)}
			return Place{Destination: to, Kind: OnSimulator, Device: &info, Words: info.Name + " (" + info.OS + ")"}, nil
		}
	}
	if ctx.Err() != nil || isAnswer(err) {
		return Place{}, err
	}
	to := builder.Destination{
		Platform: cmp.Or(d.Platform, builder.IOS+builder.Simulated), ID: which.ID, Name: which.Name, Latest: which.Newest,
	}
	return Place{Destination: to, Kind: OnSimulator, Unknown: err, Words: cmp.Or(which.Name, which.ID)}, nil
}

// physical finds the udid of a physical device by any of its ids, because xcodebuild knows only the udid. For an unlisted device,
// xcodebuild gets the id and decides.
func (d Destination) physical(ctx context.Context, p *pool.Pool) (Place, error) {
	to := Place{
		Destination: builder.Destination{Platform: cmp.Or(d.Platform, builder.IOS), ID: d.Device},
		Kind:        OnDevice, Words: "device " + d.Device,
	}
	if d.Device == "" {
		to.Words = "any " + to.Platform + " device"
		return to, nil
	}
	info, err := resolved(ctx, p, pool.Criteria{UDID: d.Device})
	if ctx.Err() != nil {
		return Place{}, err
	}
	if err != nil {
		to.Unknown = err
		return to, nil
	}
	to.ID, to.Device, to.Words = info.UDID, &info, "device "+info.UDID
	return to, nil
}

func resolved(ctx context.Context, p *pool.Pool, which pool.Criteria) (device.Info, error) {
	h, err := p.Resolve(ctx, which)
	if err != nil {
		return device.Info{}, err
	}
	return h.Info(), nil
}

// isAnswer reports whether an error is about the requested device, and not about a tool that does not answer.
func isAnswer(err error) bool {
	answers := []fault.Code{fault.DeviceNotFound, fault.DeviceAmbiguous, fault.InvalidInput, fault.NoDevice}
	return slices.ContainsFunc(answers, func(code fault.Code) bool { return fault.Is(err, code) })
}
