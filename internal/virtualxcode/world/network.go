package world

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Network is the network settings of the Mac. Simulators take its proxies when they boot.
type Network struct {
	Services []NetworkService // those that the Mac prefers first
	Route    string           // the interface of the default route, such as en0; empty: none
	VPNs     []VPN
}

// NetworkService is a name for the settings of one interface.
type NetworkService struct {
	Name, Port, Device string
	Disabled           bool
	Web, Secure        HostProxy
	Bypass             []string // hosts that are reached without them
	AutoURL            string
	AutoOn, Discovery  bool
}

// HostProxy is a proxy of the Mac. A server may be set and off.
type HostProxy struct {
	On            bool   `json:",omitempty"`
	Server        string `json:",omitempty"`
	Port          int    `json:",omitempty"`
	Authenticated bool   `json:",omitempty"`
}

// VPN is a connection that scutil lists.
type VPN struct {
	ID, Type, Name string
	Connected      bool
}

// newNetwork is that of a Mac nobody has set anything on.
func newNetwork() Network {
	service := func(name, device string) NetworkService {
		return NetworkService{Name: name, Port: name, Device: device, Bypass: []string{"*.local", "169.254/16"}}
	}
	n := Network{Route: "en0", Services: []NetworkService{service("Wi-Fi", "en0"), service("Thunderbolt Bridge", "bridge0")}}
	n.Services[1].Disabled = true
	return n
}

func (n Network) clone() Network {
	n.Services, n.VPNs = slices.Clone(n.Services), slices.Clone(n.VPNs)
	for i, s := range n.Services {
		n.Services[i].Bypass = slices.Clone(s.Bypass)
	}
	return n
}

// Active is the service that connections to the world take: that of the default route, or else the first one that is on.
func (n Network) Active() (NetworkService, bool) {
	for _, wanted := range []func(NetworkService) bool{
		func(s NetworkService) bool { return s.Device == n.Route },
		func(NetworkService) bool { return true },
	} {
		for _, s := range n.Services {
			if !s.Disabled && wanted(s) {
				return s, true
			}
		}
	}
	return NetworkService{}, false
}

// Network is the network settings of the Mac.
func (w *World) Network() Network {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.network.clone()
}

// ChangeNetwork changes the network settings of the Mac. Devices that are booted do not see it. An error of change changes nothing.
func (w *World) ChangeNetwork(change func(*Network) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.network.clone()
	if err := change(&n); err != nil {
		return err
	}
	w.network = n
	return w.saveShared()
}

// proxies are the Mac's as a device took them when it booted.
type proxies struct {
	HTTP, HTTPS string // URLs; empty: none
	Bypass      []string
}

// proxies are what a device that boots now takes.
func (n Network) proxies() *proxies {
	s, ok := n.Active()
	p := &proxies{HTTP: s.Web.url(), HTTPS: s.Secure.url(), Bypass: slices.Clone(s.Bypass)}
	if !ok || p.HTTP == "" && p.HTTPS == "" {
		return nil
	}
	return p
}

func (p HostProxy) url() string {
	if !p.On || p.Server == "" {
		return ""
	}
	return "http://" + net.JoinHostPort(p.Server, strconv.Itoa(p.Port))
}

// of is the proxy for a URL; empty: none.
func (p *proxies) of(u *url.URL) string {
	if p == nil || p.bypasses(u.Hostname()) {
		return ""
	}
	if u.Scheme == "https" {
		return p.HTTPS
	}
	return p.HTTP
}

// bypasses reports whether a host is reached without a proxy. The list has names, names that begin with *., and networks, whose
// last numbers may be left out: 169.254/16.
func (p *proxies) bypasses(host string) bool {
	address, addressErr := netip.ParseAddr(host)
	return slices.ContainsFunc(p.Bypass, func(entry string) bool {
		if suffix, wild := strings.CutPrefix(entry, "*"); wild {
			return strings.HasSuffix(strings.ToLower(host), strings.ToLower(suffix))
		}
		if base, bits, is := strings.Cut(entry, "/"); is {
			base += strings.Repeat(".0", max(0, 3-strings.Count(base, ".")))
			network, err := netip.ParsePrefix(base + "/" + bits)
			return err == nil && addressErr == nil && network.Contains(address)
		}
		return strings.EqualFold(entry, host)
	})
}

// ProxyOf is the proxy of the Mac that a device took when it booted, for requests by https or else http; empty: none.
func (w *World) ProxyOf(udid string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.simulator(udid)
	if err != nil || d.Proxies == nil {
		return "", err
	}
	return cmp.Or(d.Proxies.HTTPS, d.Proxies.HTTP), nil
}
