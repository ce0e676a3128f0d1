package network

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// HostProxyOut is what is changed of the Mac's settings while it is.
type HostProxyOut struct {
	Service string `json:"service"`
	Since   string `json:"since"`
	Before  string `json:"before"` // what is put back
}

func hostProxyOf(c hostproxy.Change) *HostProxyOut {
	return &HostProxyOut{Service: c.Service, Since: c.Made.Format(time.RFC3339), Before: c.Original()}
}

// systemProxy sets the Mac's proxy to ours, which runs, or puts it back. What was set there before becomes the way of our requests.
func (n *Network) systemProxy(ctx context.Context, on bool, service string) (undone hostproxy.Undone, err error) {
	if !on {
		if undone, err = n.d.Services.Host.Undo(ctx); err != nil {
			return undone, err
		}
		return undone, n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error {
			s.System, s.Chained = false, ""
			return nil
		})
	}
	now := n.d.Services.Proxy.Status()
	if now.State == proxy.Stopped {
		return undone, fault.New(fault.ProxyNotRunning, "the Mac's proxy can be set to ours when ours runs")
	}
	if ip := net.ParseIP(now.Host); ip == nil || !ip.IsUnspecified() && now.Host != proxy.Loopback {
		return undone, fault.New(fault.InvalidInput, "the Mac's proxy can only be set to %s, where this proxy does not listen, but on %s",
			proxy.Loopback, now.Host).WithHint("start it without `--listen-host`, or with 0.0.0.0: `ios-agent proxy start --system-proxy`")
	}
	if c, is := n.d.Services.Host.Current(); is && c.Port == now.Port && (service == "" || service == c.Service) {
		return undone, nil
	}
	booted, err := n.bootedNow(ctx)
	if err != nil {
		return undone, err
	}
	c, err := n.d.Services.Host.Set(ctx, service, now.Port, booted)
	if err != nil {
		return undone, err
	}
	chain, _ := c.Chain()
	err = n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error {
		s.System, s.Chained = true, chain
		return nil
	})
	if err != nil { // requests would go round the proxy of before
		_, undoErr := n.d.Services.Host.Undo(context.WithoutCancel(ctx))
		return undone, joined(err, undoErr)
	}
	return undone, nil
}

// joined is an error, and in its message another one that came of it.
func joined(err, after error) error {
	if after == nil {
		return err
	}
	f := fault.From(err)
	return fault.New(f.Code, "%s; and then: %w", f.Message, after).WithHint("%s", fault.From(after).Hint)
}

// bootedNow are the simulators that are booted, with the time of each boot. The tools are asked.
func (n *Network) bootedNow(ctx context.Context) (map[string]string, error) {
	n.d.Access.Pool.Changed()
	all, err := n.d.Access.Pool.List(ctx)
	if err != nil {
		return nil, err
	}
	booted := map[string]string{}
	for _, i := range all {
		if i.Type == "simulator" && i.State != "shutdown" {
			booted[i.UDID] = i.BootedAt
		}
	}
	return booted, nil
}

// viaProxy is a device whose apps are to go through the proxy.
type viaProxy struct {
	h      *pool.Handle
	info   device.Info
	reboot bool // it booted before the Mac's proxy was set
}

// wanted finds the device, and refuses one that no request of would reach the proxy: nothing has been changed by then.
func (n *Network) wanted(ctx context.Context, c *op.Call, in ProxyStartIn) (*viaProxy, error) {
	named, system := in.Device, bool(in.System)
	if named == "" {
		return nil, nil
	}
	n.d.Access.Pool.Changed()
	all, err := n.d.Access.Pool.List(ctx)
	if err != nil {
		return nil, err
	}
	which := pool.Criteria{Name: named}
	if slices.ContainsFunc(all, func(i device.Info) bool { return i.Is(named) }) {
		which = pool.Criteria{UDID: named}
	}
	h, _, err := n.d.Access.Resolve(ctx, c, which)
	if err != nil {
		return nil, err
	}
	v := &viaProxy{h: h, info: h.Info()}
	if i := slices.IndexFunc(all, func(i device.Info) bool { return i.UDID == v.info.UDID }); i >= 0 {
		v.info = all[i]
	}
	if _, err := device.As[device.Trust](h.Device); err != nil {
		return nil, err
	}
	if err := n.d.Access.Pool.MayDrive(ctx, h, c.Session); err != nil {
		return nil, err
	}
	change, set := n.d.Services.Host.Current()
	switch {
	case !set && !system:
		return nil, unreached("the apps of %s do not use the proxy: simulators use the Mac's, which is not set to it", v.info).
			WithHint("`ios-agent proxy start --system-proxy --reboot --device %s` sets it, and boots the simulator anew", v.info.UDID)
	case v.info.State == "shutdown", set && change.Reaches(v.info.UDID, v.info.BootedAt):
		return v, nil
	case in.Reboot:
		v.reboot = true
		return v, nil
	}
	again := "ios-agent proxy start --reboot --device "
	if !set {
		again = "ios-agent proxy start --system-proxy --reboot --device "
	}
	return nil, unreached("the apps of %s do not use the proxy: it is booted, and took the Mac's settings of before when it did", v.info).
		WithHint("`%s%s` shuts it down and boots it again; its apps end", again, v.info.UDID)
}

func unreached(format string, i device.Info) *fault.Fault {
	return fault.New(fault.StateFailed, format, fmt.Sprintf("%s (%s)", i.Name, i.UDID)).With("udid", i.UDID)
}

// through boots a device that is shut down, and has it trust the proxy's certificate.
func (n *Network) through(ctx context.Context, c *op.Call, v *viaProxy) error {
	ca, err := n.d.Services.Authority(true)
	if err != nil {
		return err
	}
	if v.info.State == "shutdown" || v.reboot {
		power, err := device.As[device.Power](v.h.Device)
		if err != nil {
			return err
		}
		if v.reboot {
			c.Progress("shutting down " + v.info.Name)
			if err := n.d.Access.Change(ctx, v.h, func() error { return power.Shutdown(ctx) }); err != nil {
				return err
			}
		}
		c.Progress("booting " + v.info.Name)
		if err := n.d.Access.Change(ctx, v.h, func() error { return power.Boot(ctx) }); err != nil {
			return err
		}
	}
	trust, err := device.As[device.Trust](v.h.Device)
	if err != nil {
		return err
	}
	return n.d.Access.Do(ctx, v.h, func() error { return trust.TrustRoot(ctx, ca.File()) })
}

// Through has the apps of a device use the proxy, whatever that takes: the proxy runs, the Mac's is set to it if that is wanted, and the
// device has booted since and trusts the certificate. The call's device is the one that is meant.
func (n *Network) Through(ctx context.Context, c *op.Call, t target.Target, system op.Redirect) (ProxyOut, error) {
	h, _, err := n.d.Access.Device(ctx, c, t)
	if err != nil {
		return ProxyOut{}, err
	}
	if _, set := n.d.Services.Host.Current(); set {
		system = false // it is: another session may have set it
	}
	return n.Start(ctx, c, ProxyStartIn{Listen: proxy.Loopback, System: system, Device: h.Info().UDID, Reboot: true})
}

// hostWarnings are what is not as it was asked for, or may take requests round the proxy.
func (n *Network) hostWarnings(ctx context.Context, s proxy.Status) (all []string) {
	c, set := n.d.Services.Host.Current()
	switch {
	case !set && s.System:
		return []string{"the Mac's proxy was put back when the daemon ended: `ios-agent proxy set --system-proxy` sets it again"}
	case !set:
		return nil
	}
	if chain, mixed := c.Chain(); mixed && s.Upstream == "" {
		all = append(all, fmt.Sprintf("all requests go on to %s; before, the Mac had: %s", chain, c.Original()))
	}
	return append(all, n.d.Services.Host.Warnings(ctx)...)
}
