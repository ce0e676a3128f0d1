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
	"ios-agent/internal/hint"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// HostProxyOut is the current change of the Mac's proxy settings.
type HostProxyOut struct {
	Service string `json:"service"`
	Since   string `json:"since"`
	Before  string `json:"before"` // the settings to restore
}

func hostProxyOf(c hostproxy.Change) *HostProxyOut {
	return &HostProxyOut{Service: c.Service, Since: c.Made.Format(time.RFC3339), Before: c.Original()}
}

// systemProxy sets the Mac's proxy to the running proxy, or restores it. The Mac's previous proxy becomes the upstream of the running one.
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
		return undone, fault.New(fault.ProxyNotRunning, "cannot set the Mac's proxy: the proxy of ios-agent does not run")
	}
	if ip := net.ParseIP(now.Host); ip == nil || !ip.IsUnspecified() && now.Host != proxy.Loopback {
		return undone, fault.New(fault.InvalidInput, "cannot set the Mac's proxy: the proxy must listen on %s, but listens on %s",
			proxy.Loopback, now.Host).WithHint("start the proxy without %s, or with 0.0.0.0: %s", hint.Field("listen_host"),
			hint.Do("proxy_start", "system_proxy", true))
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
	if err != nil { // without the chain, requests would bypass the previous proxy
		_, undoErr := n.d.Services.Host.Undo(context.WithoutCancel(ctx))
		return undone, joined(err, undoErr)
	}
	return undone, nil
}

// joined is an error whose message includes a second error that followed from it.
func joined(err, after error) error {
	if after == nil {
		return err
	}
	f := fault.From(err)
	return fault.New(f.Code, "%s; and then: %w", f.Message, after).WithHint("%s", fault.From(after).Hint)
}

// bootedNow asks the tools for the booted simulators and the time of each boot.
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

// viaProxy is a device whose apps will use the proxy.
type viaProxy struct {
	h      *pool.Handle
	info   device.Info
	reboot bool // the device booted before the Mac's proxy was set
}

// wanted finds the device, and refuses a device whose requests would not reach the proxy, before any setting is changed.
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
		return nil, unreached("the apps of %s do not use the proxy: simulators use the Mac's proxy, which is not set to it", v.info).
			WithHint("%s sets it and reboots the simulator", hint.Do("proxy_start", "system_proxy", true, "reboot", true, "device", v.info.UDID))
	case v.info.State == "shutdown", set && change.Reaches(v.info.UDID, v.info.BootedAt):
		return v, nil
	case in.Reboot:
		v.reboot = true
		return v, nil
	}
	again := hint.Do("proxy_start", "reboot", true, "device", v.info.UDID)
	if !set {
		again = hint.Do("proxy_start", "system_proxy", true, "reboot", true, "device", v.info.UDID)
	}
	return nil, unreached("the apps of %s do not use the proxy: it booted before the Mac's proxy was set", v.info).
		WithHint("%s reboots it, which ends its apps", again)
}

func unreached(format string, i device.Info) *fault.Fault {
	return fault.New(fault.StateFailed, format, fmt.Sprintf("%s (%s)", i.Name, i.UDID)).With("udid", i.UDID)
}

// through boots the device if needed, and installs the proxy's certificate on it.
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

// Through makes the apps of a device use the proxy: it starts the proxy, sets the Mac's proxy if system is true, boots or reboots the
// device if needed and installs the certificate. The device becomes the call's device.
func (n *Network) Through(ctx context.Context, c *op.Call, t target.Target, system op.Redirect) (ProxyOut, error) {
	h, _, err := n.d.Access.Device(ctx, c, t)
	if err != nil {
		return ProxyOut{}, err
	}
	if _, set := n.d.Services.Host.Current(); set {
		system = false // it is set already, maybe by another session
	}
	return n.Start(ctx, c, ProxyStartIn{Listen: proxy.Loopback, System: system, Device: h.Info().UDID, Reboot: true})
}

// hostWarnings lists programs that may bypass the proxy, and settings that reach other hosts than before.
func (n *Network) hostWarnings(ctx context.Context, s proxy.Status) (all []string) {
	c, set := n.d.Services.Host.Current()
	if !set {
		return nil
	}
	if chain, mixed := c.Chain(); mixed && s.Upstream == "" {
		all = append(all, fmt.Sprintf("all requests go to %s; before, the Mac had: %s", chain, c.Original()))
	}
	return append(all, n.d.Services.Host.Warnings(ctx)...)
}
