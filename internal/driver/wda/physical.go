package wda

import (
	"cmp"
	"context"
	"net"
	"strconv"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// usualPort is where WebDriverAgent listens when it is told nothing.
const usualPort = 8100

// address is where the server of the device is; empty: one is started. A physical device that is reached by Dial stands for its host.
func (p *phone) address() string {
	if p.cabled() {
		return onDevice(p.info.UDID)
	}
	return p.driver.address(p.info.UDID)
}

func onDevice(udid string) string { return "http://" + net.JoinHostPort(udid, strconv.Itoa(usualPort)) }

// cabled reports whether the server is reached through a port of a physical device. There it is never started unasked: that takes a minute
// and an unlocked screen, and puts an app on somebody's phone.
func (p *phone) cabled() bool {
	return p.info.Type == device.TypePhysical && p.driver.opts.Dial != nil && p.driver.address(p.info.UDID) == ""
}

// prebuilt is the WebDriverAgent that can be started; empty: there is none.
func (d *Driver) prebuilt() string {
	if d.opts.Start == nil {
		return ""
	}
	return d.opts.Start.Products
}

// notRunning says that nothing listens on the port of a device, and why, if the device tells.
func (p *phone) notRunning(ctx context.Context, err error) error {
	if why := p.driver.opts.Ready(ctx, p.info.UDID, err); why != nil {
		return unsent(why)
	}
	f := fault.New(fault.AgentNotRunning, "%s does not run: nothing listens on port %d of the device", p.who(), usualPort).
		WithDispatch(fault.NotDispatched)
	if p.driver.prebuilt() == "" {
		return f.WithHint("start it on the device, from Xcode or with xcodebuild; or name one that is built for it, " +
			"IOS_AGENT_WDA_PRODUCTS=FOLDER in the environment of the daemon")
	}
	return f.WithHint("unlock the device, then start it with wda as the driver: %s", hint.Do("agent_start", "udid", p.info.UDID))
}

// startOnDevice starts a prebuilt WebDriverAgent on a physical device and waits until it answers.
func (d *Driver) startOnDevice(ctx context.Context, info device.Info) (*server, error) {
	if err := d.opts.Ready(ctx, info.UDID, nil); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(d.opts.Start.Wait, usualWait))
	defer cancel()
	device.Progress(ctx, "starting WebDriverAgent on "+info.Name)
	run := &started{driver: d, udid: info.UDID}
	if err := run.run(ctx, xcodebuild.DeviceSDK, usualPort); err != nil {
		return nil, err
	}
	s, err := run.ready(ctx, onDevice(info.UDID))
	if err == nil {
		return s, nil
	}
	err = run.explain(info, err)
	ctx = context.WithoutCancel(ctx)
	_ = run.stop(ctx) // why it is not ready counts
	if why := d.opts.Ready(ctx, info.UDID, err); why != nil {
		return nil, why
	}
	return nil, err
}
