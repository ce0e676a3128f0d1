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

// Network are the network settings of the Mac. Simulators take its proxies when they boot.
type Network struct {
	Services []NetworkService // in the Mac's order of preference
	Route    string           // the interface of the default route, such as en0; empty: none
	VPNs     []VPN
}

// NetworkService are the settings of one interface.
type NetworkService struct {
	Name, Port, Device string
	Disabled           bool
	Web, Secure        HostProxy
	Bypass             []string // hosts without a proxy
	AutoURL            string
	AutoOn, Discovery  bool
}

// HostProxy is a proxy of the Mac. It may have a server and be off.
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

// newNetwork are the default settings of a Mac.
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

// Active is the service of outgoing connections: the service of the default route, or the first enabled service.
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

// Network are the network settings of the Mac.
func (w *World) Network() Network {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.network.clone()
}

// ChangeNetwork changes the network settings of the Mac. Booted devices do not see the change. If change returns an error, the settings
// stay.
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

// proxies are the Mac's proxies at the time of a device's boot.
type proxies struct {
	HTTP, HTTPS string // URLs; empty: none
	Bypass      []string
}

// proxies are the proxies of a device that boots now.
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

// bypasses reports whether a host needs no proxy. The list has names, names that begin with *., and networks whose last numbers may be
// missing: 169.254/16.
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

// ProxyOf is the Mac's proxy at the time of a device's boot, for requests by https or else http; empty: none.
func (w *World) ProxyOf(udid string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.simulator(udid)
	if err != nil || d.Proxies == nil {
		return "", err
	}
	return cmp.Or(d.Proxies.HTTPS, d.Proxies.HTTP), nil
}
