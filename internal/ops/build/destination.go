package build

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/build"
)

// The kinds of destinations, as answers call them.
const (
	OnSimulator = "simulator"
	OnDevice    = "device"
	OnMac       = "macos"
)

// Destination says what a build is for, or what its tests run on.
type Destination struct {
	Kind      string
	Simulator target.Simulator
	Device    string // a physical device, by any of its ids; empty: any
	Platform  string // empty: that of the simulator's runtime, else iOS
	Arch      string // of a Mac
}

// Place is what a build goes to, once it is found.
type Place struct {
	build.Destination
	Kind    string
	unknown error // why the pool does not know the device; nil: it does, or the build needs none
	words   string
}

func (b *Builds) destination(ctx context.Context, c *op.Call, d Destination) (Place, error) {
	switch d.Kind {
	case OnSimulator:
		return b.simulator(ctx, c, d)
	case OnDevice:
		return b.physical(ctx, c, d)
	}
	return Place{
		Destination: build.Destination{Platform: build.MacOS, Arch: d.Arch}, Kind: OnMac, words: strings.TrimSpace(build.MacOS + " " + d.Arch),
	}, nil
}

// simulator finds the simulator that is meant, and its platform: what the call says, else what its runtime is, else iOS.
// Where simctl does not answer, xcodebuild gets the name and decides.
func (b *Builds) simulator(ctx context.Context, c *op.Call, d Destination) (Place, error) {
	which := d.Simulator
	if which.ID == "" && device.LooksLikeUDID(which.Name) {
		which.ID, which.Name = which.Name, ""
	}
	found, err := b.access.Pool.Simulator(ctx, which)
	if err == nil {
		var info device.Info
		if info, err = b.info(ctx, c, found); err == nil {
			to := build.Destination{ID: info.UDID, Platform: cmp.Or(d.Platform, device.Platform(info.OS)+build.Simulated)}
			return Place{to, OnSimulator, nil, info.Name + " (" + info.OS + ")"}, nil
		}
	}
	if ctx.Err() != nil || isAnswer(err) {
		return Place{}, err
	}
	to := build.Destination{Platform: cmp.Or(d.Platform, build.IOS+build.Simulated), ID: which.ID, Name: which.Name, Latest: which.Newest}
	return Place{to, OnSimulator, err, cmp.Or(which.Name, which.ID)}, nil
}

// physical finds a physical device by any of its ids: xcodebuild knows only its udid. One that nobody lists is left to
// xcodebuild.
func (b *Builds) physical(ctx context.Context, c *op.Call, d Destination) (Place, error) {
	to := Place{
		Destination: build.Destination{Platform: cmp.Or(d.Platform, build.IOS), ID: d.Device},
		Kind:        OnDevice, words: "device " + d.Device,
	}
	if d.Device == "" {
		to.words = "any " + to.Platform + " device"
		return to, nil
	}
	info, err := b.info(ctx, c, pool.Criteria{UDID: d.Device})
	if ctx.Err() != nil {
		return Place{}, err
	}
	if err != nil {
		to.unknown = err
		return to, nil
	}
	to.ID, to.words = info.UDID, "device "+info.UDID
	return to, nil
}

// info finds the one device that is meant, without opening it, and notes it on the answer.
func (b *Builds) info(ctx context.Context, c *op.Call, which pool.Criteria) (device.Info, error) {
	h, err := b.access.Pool.Resolve(ctx, which)
	if err != nil {
		return device.Info{}, err
	}
	c.Device = &op.Device{UDID: h.Info().UDID, Name: h.Info().Name}
	return h.Info(), nil
}

// isAnswer tells a fault about what was asked for from tools that do not answer.
func isAnswer(err error) bool {
	answers := []fault.Code{fault.DeviceNotFound, fault.DeviceAmbiguous, fault.InvalidInput, fault.NoDevice}
	return slices.ContainsFunc(answers, func(code fault.Code) bool { return fault.Is(err, code) })
}
