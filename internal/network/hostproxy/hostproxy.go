// Package hostproxy changes the proxy settings of the Mac, which simulators copy when they boot, and restores them. A Keeper does it for
// the daemon. Before every change, a journal on disk records the previous settings, so that any remaining process can undo the change:
// the daemon, a watcher process that holds only a pipe (Watch), or the next command (Pending, Undo). The package must not overwrite a
// setting that another program changed in the meantime.
package hostproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"ios-agent/internal/apple/networksetup"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
)

// ourHost is the proxy's listening address, as the settings show it.
const ourHost = "127.0.0.1"

// kinds are the proxies that a change sets: for http and for https.
func kinds() []networksetup.Kind { return []networksetup.Kind{networksetup.Web, networksetup.Secure} }

// called is a readable name for a kind of proxy.
func called(k networksetup.Kind) string {
	if k == networksetup.Secure {
		return "proxy for https"
	}
	return "proxy for http"
}

// Settings are a network service's settings for proxies.
type Settings struct {
	Service string
	Proxies map[networksetup.Kind]networksetup.Proxy
	Bypass  []string
	Auto    networksetup.Auto
}

// Read reads the settings of a service.
func Read(ctx context.Context, t networksetup.Tool, service string) (s Settings, err error) {
	s = Settings{Service: service, Proxies: map[networksetup.Kind]networksetup.Proxy{}}
	for _, k := range kinds() {
		if s.Proxies[k], err = t.Proxy(ctx, k, service); err != nil {
			return Settings{}, toolfault.Of(err)
		}
	}
	if s.Bypass, err = t.Bypass(ctx, service); err != nil {
		return Settings{}, toolfault.Of(err)
	}
	if s.Auto, err = t.Auto(ctx, service); err != nil {
		return Settings{}, toolfault.Of(err)
	}
	return s, nil
}

// tunnel reports whether an interface belongs to a VPN.
func tunnel(device string) bool {
	return strings.HasPrefix(device, "utun") || strings.HasPrefix(device, "ipsec")
}

// Service finds the network service whose settings apply: the service of the default route. If the default route goes through a tunnel,
// it is the first service whose interface has an address. With a name, Service checks that the service exists.
func Service(ctx context.Context, t networksetup.Tool, named string) (string, error) {
	all, err := t.Services(ctx)
	if err != nil {
		return "", toolfault.Of(err)
	}
	var names []string
	for _, s := range all {
		if s.Name == named {
			return named, nil
		}
		if !s.Disabled {
			names = append(names, s.Name)
		}
	}
	if named != "" {
		return "", fault.New(fault.InvalidInput, "unknown network service %q", named).WithHint("name one of: %s", strings.Join(names, ", "))
	}
	route, err := t.DefaultInterface(ctx)
	if err != nil {
		return "", toolfault.Of(err)
	}
	usable := func(s networksetup.Service) bool { return !s.Disabled && s.Device != "" }
	for _, wanted := range []func(networksetup.Service) bool{
		func(s networksetup.Service) bool { return usable(s) && s.Device == route },
		func(s networksetup.Service) bool { return usable(s) && addressed(s.Device) },
		func(s networksetup.Service) bool { return usable(s) && tunnel(route) },
	} {
		if i := slices.IndexFunc(all, wanted); i >= 0 {
			return all[i].Name, nil
		}
	}
	return "", fault.New(fault.StateFailed, "no network service of this Mac is connected").WithHint("connect it to a network and try again")
}

// addressed reports whether an interface of this machine has an address that other machines can reach.
func addressed(device string) bool {
	i, err := net.InterfaceByName(device)
	if err != nil {
		return false
	}
	all, err := i.Addrs()
	return err == nil && slices.ContainsFunc(all, func(a net.Addr) bool {
		p, ok := a.(*net.IPNet)
		return ok && p.IP.IsGlobalUnicast()
	})
}

// Warnings are reasons why requests may bypass the proxy although it is set. A failed check gives no warning.
func Warnings(ctx context.Context, t networksetup.Tool) (all []string) {
	if vpns, err := t.VPNs(ctx); err == nil {
		for _, v := range vpns {
			if v.Connected {
				all = append(all, fmt.Sprintf("the VPN %q is connected: its requests may bypass the proxy", v.Name))
			}
		}
	}
	if route, err := t.DefaultInterface(ctx); err == nil && tunnel(route) {
		all = append(all, fmt.Sprintf("the default route goes through %s, a tunnel: its requests may bypass the proxy", route))
	}
	return all
}

// hindrance is the reason why the settings of a service must stay unchanged: they could not be restored, or they override a fixed proxy.
func (s Settings) hindrance() error {
	for _, k := range kinds() {
		if p := s.Proxies[k]; p.On && p.Authenticated {
			return fault.New(fault.StateFailed, "cannot change the %s of %s: its password could not be restored afterwards", called(k), s.Service).
				WithHint("turn it off in System Settings, Network, %s, Details, Proxies", s.Service)
		}
	}
	if s.Auto.On {
		return fault.New(fault.StateFailed, "cannot set the proxy of %s: its configuration file %s overrides it", s.Service, s.Auto.URL).
			WithHint("turn Automatic Proxy Configuration off in System Settings, Network, %s, Details, Proxies", s.Service)
	}
	return nil
}

// SetOptions configure Set.
type SetOptions struct {
	Tool    networksetup.Tool
	Journal string // path of the journal; see JournalOf
	Port    int    // port of our proxy
	Service string // empty: the service of the default route
	// Booted are the simulators that are booted now, by udid, each with its boot time as simctl prints it: they see the change only after
	// they boot again.
	Booted map[string]string
}

// Set points the Mac's proxies at our port. It writes the journal first, with this process as the owner. An earlier change that was not
// undone is undone first; if the owner of that change is alive, Set fails.
func Set(ctx context.Context, o SetOptions) (Change, error) {
	unlock, err := lock(ctx, o.Journal)
	if err != nil {
		return Change{}, err
	}
	defer unlock()
	if was, err := read(o.Journal); err == nil && was.owned() && was.Owner.PID != self().PID {
		return Change{}, fault.New(fault.StateFailed, "the Mac's proxy is set already, by process %d", was.Owner.PID).
			WithHint("stop that proxy first; it belongs to another daemon")
	}
	if _, err := undo(ctx, o.Tool, o.Journal); err != nil {
		return Change{}, err
	}
	c, err := prepare(ctx, o)
	if err != nil {
		return Change{}, err
	}
	if err := c.write(o.Journal); err != nil {
		return Change{}, err
	}
	if err := c.apply(ctx, o.Tool); err != nil {
		_, undoErr := undo(context.WithoutCancel(ctx), o.Tool, o.Journal)
		return Change{}, errors.Join(err, undoErr)
	}
	return c, nil
}

// prepare reads the current settings and makes the change from them.
func prepare(ctx context.Context, o SetOptions) (Change, error) {
	service, err := Service(ctx, o.Tool, o.Service)
	if err != nil {
		return Change{}, err
	}
	now, err := Read(ctx, o.Tool, service)
	if err != nil {
		return Change{}, err
	}
	if err := now.hindrance(); err != nil {
		return Change{}, err
	}
	c := newChange(service, o.Port, o.Booted)
	c.Bypass = now.Bypass
	for k, p := range now.Proxies {
		if c.ours(p) { // left over from a lost journal: treat it as no proxy
			p = networksetup.Proxy{}
		}
		c.Before[k] = p
	}
	return c, nil
}

// apply sets both proxies and then reads them back, because the tool's exit status is unreliable.
func (c Change) apply(ctx context.Context, t networksetup.Tool) error {
	for _, k := range kinds() {
		if err := t.SetProxy(ctx, k, c.Service, ourHost, c.Port); err != nil {
			return notSet(k, c.Service, err)
		}
		now, err := t.Proxy(ctx, k, c.Service)
		if err != nil {
			return toolfault.Of(err)
		}
		if !c.ours(now) {
			return notSet(k, c.Service, errors.New("networksetup reported success, but the setting is unchanged"))
		}
	}
	return nil
}

func notSet(k networksetup.Kind, service string, err error) error {
	f := fault.From(toolfault.New(err, fault.ToolFailed, fmt.Sprintf("cannot set the %s of %s", called(k), service)))
	if f.Hint == "" {
		return f.WithHint("only an administrator of this Mac may change its network settings")
	}
	return f
}

// ours reports whether a proxy is on and has our address.
func (c Change) ours(p networksetup.Proxy) bool { return p.On && c.points(p) }

// points reports whether a proxy has our address, on or off.
func (c Change) points(p networksetup.Proxy) bool { return p.Server == ourHost && p.Port == c.Port }
