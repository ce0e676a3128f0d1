// Package hostproxy changes the proxy settings of the Mac, which simulators take when they boot, and puts them back. A journal on disk
// has what was there before anything is changed, so that whoever is left can undo it: the daemon, a watcher that holds only a pipe
// (Watch), or the next command (Pending, Undo). What somebody else has changed since is left as it is.
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

// ourHost is where our proxy listens, as the settings have it.
const ourHost = "127.0.0.1"

// kinds are the proxies that are set: for http and for https.
func kinds() []networksetup.Kind { return []networksetup.Kind{networksetup.Web, networksetup.Secure} }

// called is what people call a kind of proxy.
func called(k networksetup.Kind) string {
	if k == networksetup.Secure {
		return "proxy for https"
	}
	return "proxy for http"
}

// Settings are those of a service, as far as they concern proxies.
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

// tunnel reports whether an interface is that of a VPN.
func tunnel(device string) bool {
	return strings.HasPrefix(device, "utun") || strings.HasPrefix(device, "ipsec")
}

// Service finds the service whose settings count: that of the default route. When that goes through a tunnel, it is the first one whose
// interface has an address. A name that is given has to be one.
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
		return "", fault.New(fault.InvalidInput, "there is no network service %q", named).WithHint("there are: %s", strings.Join(names, ", "))
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

// addressed reports whether an interface of this machine has an address that others can reach.
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

// Warnings are why requests may go round the proxy although it is set. What cannot be asked is no warning.
func Warnings(ctx context.Context, t networksetup.Tool) (all []string) {
	if vpns, err := t.VPNs(ctx); err == nil {
		for _, v := range vpns {
			if v.Connected {
				all = append(all, fmt.Sprintf("the VPN %q is connected: it may take requests round the proxy", v.Name))
			}
		}
	}
	if route, err := t.DefaultInterface(ctx); err == nil && tunnel(route) {
		all = append(all, fmt.Sprintf("the default route goes through %s, a tunnel: it may take requests round the proxy", route))
	}
	return all
}

// hindrance is why the settings of a service must not be changed: what is there could not be put back, or would go before ours.
func (s Settings) hindrance() error {
	for _, k := range kinds() {
		if p := s.Proxies[k]; p.On && p.Authenticated {
			return fault.New(fault.StateFailed, "the %s of %s needs a password, which could not be put back afterwards", called(k), s.Service).
				WithHint("turn it off in System Settings, Network, %s, Details, Proxies", s.Service)
		}
	}
	if s.Auto.On {
		return fault.New(fault.StateFailed, "%s takes its proxies from %s, which goes before a proxy that is set", s.Service, s.Auto.URL).
			WithHint("turn Automatic Proxy Configuration off in System Settings, Network, %s, Details, Proxies", s.Service)
	}
	return nil
}

// SetOptions say what is set.
type SetOptions struct {
	Tool    networksetup.Tool
	Journal string // its path; see JournalOf
	Port    int    // of our proxy
	Service string // empty: that of the default route
	// Booted are the simulators that are booted now, by udid, each with the time of its boot as simctl tells it: these do not see the
	// change until they boot again.
	Booted map[string]string
}

// Set points the Mac's proxies at our port. The journal is written first; this process owns it. What was set before and not undone is
// undone first, unless the process that set it lives: that is a fault.
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

// prepare reads what is there now.
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
		if c.ours(p) { // left by somebody who lost the journal: there was none before
			p = networksetup.Proxy{}
		}
		c.Before[k] = p
	}
	return c, nil
}

// apply sets both proxies and looks whether they are set: the tool's exit status does not always say.
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
			return notSet(k, c.Service, errors.New("networksetup said nothing, and nothing changed"))
		}
	}
	return nil
}

func notSet(k networksetup.Kind, service string, err error) error {
	f := fault.From(toolfault.New(err, fault.ToolFailed, fmt.Sprintf("the %s of %s is not set", called(k), service)))
	if f.Hint == "" {
		return f.WithHint("only an administrator of this Mac may change its network settings")
	}
	return f
}

// ours reports whether a proxy is as we set it.
func (c Change) ours(p networksetup.Proxy) bool { return p.On && c.points(p) }

// points reports whether a proxy has our address, on or off.
func (c Change) points(p networksetup.Proxy) bool { return p.Server == ourHost && p.Port == c.Port }
