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

// usualPort is WebDriverAgent's default port.
const usualPort = 8100

// address is the URL of the device's server; "" if the driver starts one. With Dial, the udid of a physical device stands for the host.
func (p *phone) address() string {
	if p.cabled() {
		return onDevice(p.info.UDID)
	}
	return p.driver.address(p.info.UDID)
}

func onDevice(udid string) string { return "http://" + net.JoinHostPort(udid, strconv.Itoa(usualPort)) }

// cabled reports whether the server is reached through a port of a physical device. There it starts only on request: a start takes a
// minute, needs an unlocked screen and installs an app on a person's phone.
func (p *phone) cabled() bool {
	return p.info.Type == device.TypePhysical && p.driver.opts.Dial != nil && p.driver.address(p.info.UDID) == ""
}

// prebuilt is the path of a WebDriverAgent that the driver can start; "" without one.
func (d *Driver) prebuilt() string {
	if d.opts.Start == nil {
		return ""
	}
	return d.opts.Start.Products
}

// notRunning is the fault of a device on whose port nothing listens, with the reason if the device reports one.
func (p *phone) notRunning(ctx context.Context, err error) error {
	if why := p.driver.opts.Ready(ctx, p.info.UDID, err); why != nil {
		return unsent(why)
	}
	f := fault.New(fault.AgentNotRunning, "%s is not running: port %d of the device refuses connections", p.who(), usualPort).
		WithDispatch(fault.NotDispatched)
	if p.driver.prebuilt() == "" {
		return f.WithHint("start it on the device, from Xcode or with xcodebuild; or name a prebuilt one, " +
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
	_ = run.stop(ctx) // the reason why it is not ready matters more than this error
	if why := d.opts.Ready(ctx, info.UDID, err); why != nil {
		return nil, why
	}
	return nil, err
}
