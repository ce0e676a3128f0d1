// Package networksetup runs the tools that read and change the network settings of a Mac: networksetup, route and scutil. Its type is Tool.
// It only reads and writes settings; network/hostproxy decides which.
package networksetup

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/machine/host"
)

// Tool runs the tools.
type Tool struct {
	Host  host.Runner
	Tools apple.Toolchain
}

// timeout is for one call. A change may wait for the lock of the Mac's settings.
const timeout = 20 * time.Second

// RefusedError is a refusal of networksetup. The tool prints it on standard output, and does not always set its exit status.
type RefusedError struct{ Said string }

func (e *RefusedError) Error() string { return "networksetup: " + e.Said }

func (t Tool) run(ctx context.Context, name string, args ...string) (string, error) {
	r, err := t.Host.Run(ctx, host.Cmd{Name: t.Tools.Tool(name), Args: args, Timeout: timeout})
	return string(r.Stdout), err
}

// setup is one call of networksetup. The service's name comes after the flag, so that it is never read as an option.
func (t Tool) setup(ctx context.Context, args ...string) (string, error) {
	text, err := t.run(ctx, "networksetup", args...)
	var failed *host.ExitError
	said := refusal(text)
	if said == "" && !errors.As(err, &failed) {
		return text, err
	}
	if said == "" {
		said = failed.Error()
	}
	return "", &RefusedError{said}
}

// refusal is the error in an answer: its line, and the line before, which names the object.
func refusal(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if _, said, is := strings.Cut(line, "** Error: "); is {
			if i > 0 {
				said = strings.TrimSpace(lines[i-1]) + " " + said
			}
			return strings.TrimSpace(said)
		}
	}
	if strings.HasSuffix(lines[0], "is not a recognized network service.") {
		return lines[0]
	}
	return ""
}

// Kind is one of the two kinds of proxies of a service.
type Kind string

// The kinds, as the flags of networksetup name them.
const (
	Web    Kind = "webproxy"       // for http
	Secure Kind = "securewebproxy" // for https
)

// Proxy holds the settings of a proxy.
type Proxy struct {
	On            bool   `json:"on"`
	Server        string `json:"server,omitempty"`
	Port          int    `json:"port,omitempty"`
	Authenticated bool   `json:"authenticated,omitempty"` // with a name and a password, which cannot be read
}

// Proxy reads one of the proxies of a service.
func (t Tool) Proxy(ctx context.Context, k Kind, service string) (Proxy, error) {
	text, err := t.setup(ctx, "-get"+string(k), service)
	if err != nil {
		return Proxy{}, err
	}
	return readProxy(text)
}

func readProxy(text string) (p Proxy, err error) {
	f := fields(text)
	if _, ok := f["Enabled"]; !ok {
		return Proxy{}, &RefusedError{fmt.Sprintf("an answer without Enabled: %q", brief(text))}
	}
	p.On, p.Server, p.Authenticated = f["Enabled"] == "Yes", f["Server"], f["Authenticated Proxy Enabled"] == "1"
	if p.Port, err = strconv.Atoi(f["Port"]); err != nil && f["Port"] != "" {
		return Proxy{}, &RefusedError{fmt.Sprintf("invalid port %q", brief(f["Port"]))}
	}
	if p.Server == "(null)" {
		p.Server = ""
	}
	return p, nil
}

// SetProxy sets the server of a proxy, which turns it on; an empty server clears it.
func (t Tool) SetProxy(ctx context.Context, k Kind, service, server string, port int) error {
	_, err := t.setup(ctx, "-set"+string(k), service, server, strconv.Itoa(port))
	return err
}

// SetState turns a proxy on or off; its server stays.
func (t Tool) SetState(ctx context.Context, k Kind, service string, on bool) error {
	state := "off"
	if on {
		state = "on"
	}
	_, err := t.setup(ctx, "-set"+string(k)+"state", service, state)
	return err
}

// Bypass lists the hosts and networks that are reached without a proxy.
func (t Tool) Bypass(ctx context.Context, service string) ([]string, error) {
	text, err := t.setup(ctx, "-getproxybypassdomains", service)
	if err != nil || strings.HasPrefix(text, "There aren't any") {
		return nil, err
	}
	return strings.Fields(text), nil
}

// Auto holds the settings for automatic proxies.
type Auto struct {
	On        bool   `json:"on,omitempty"` // configured by the program at URL
	URL       string `json:"url,omitempty"`
	Discovery bool   `json:"discovery,omitempty"` // discovered in the network
}

// Auto reads the settings for automatic proxies. They take precedence over manual proxies.
func (t Tool) Auto(ctx context.Context, service string) (a Auto, err error) {
	text, err := t.setup(ctx, "-getautoproxyurl", service)
	if err != nil {
		return Auto{}, err
	}
	f := fields(text)
	if a.On = f["Enabled"] == "Yes"; f["URL"] != "(null)" {
		a.URL = f["URL"]
	}
	if text, err = t.setup(ctx, "-getproxyautodiscovery", service); err != nil {
		return Auto{}, err
	}
	a.Discovery = fields(text)["Auto Proxy Discovery"] == "On"
	return a, nil
}

// Service is a network service: a name for the settings of one interface.
type Service struct {
	Name     string
	Device   string // en0; empty for a service without a device
	Disabled bool
}

// Services are all services, in the Mac's order of preference.
func (t Tool) Services(ctx context.Context) ([]Service, error) {
	text, err := t.setup(ctx, "-listnetworkserviceorder")
	if err != nil {
		return nil, err
	}
	return readServices(text), nil
}

// readServices reads pairs of lines: "(1) Wi-Fi", or "(*) Wi-Fi" for a disabled service, and "(Hardware Port: Wi-Fi, Device: en0)".
func readServices(text string) (all []Service) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		number, name, named := strings.Cut(strings.TrimPrefix(line, "("), ") ")
		_, notNumber := strconv.Atoi(number)
		switch {
		case strings.HasPrefix(line, "(Hardware Port: "):
			_, device, _ := strings.Cut(strings.TrimSuffix(line, ")"), ", Device: ")
			if n := len(all); n > 0 {
				all[n-1].Device = strings.TrimSpace(device)
			}
		case strings.HasPrefix(line, "(") && named && (number == "*" || notNumber == nil):
			all = append(all, Service{Name: name, Disabled: number == "*"})
		}
	}
	return all
}

// DefaultInterface is the interface of the default route; empty if the Mac has no such route.
func (t Tool) DefaultInterface(ctx context.Context) (string, error) {
	text, err := t.run(ctx, "route", "-n", "get", "default")
	var failed *host.ExitError
	if errors.As(err, &failed) { // not in table
		return "", nil
	}
	return fields(text)["interface"], err
}

// VPN is a connection that scutil lists.
type VPN struct {
	Name      string
	Connected bool
}

// VPNs are the connections of the Mac's VPN settings, including connections created by apps.
func (t Tool) VPNs(ctx context.Context) ([]VPN, error) {
	text, err := t.run(ctx, "scutil", "--nc", "list")
	if err != nil {
		return nil, err
	}
	return readVPNs(text), nil
}

// readVPNs reads lines such as: * (Connected)  0A…  VPN (com.example.vpn)  "Work"  [VPN:com.example.vpn]
func readVPNs(text string) (all []VPN) {
	for line := range strings.Lines(text) {
		_, rest, found := strings.Cut(line, "(")
		state, rest, closed := strings.Cut(rest, ")")
		_, name, _ := strings.Cut(rest, `"`)
		name, _, quoted := strings.Cut(name, `"`)
		if found && closed && quoted {
			all = append(all, VPN{name, state == "Connected"})
		}
	}
	return all
}

// fields reads lines "name: value".
func fields(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			all[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return all
}

func brief(text string) string { return text[:min(len(text), 80)] }
