package network

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/brief"
)

func (n *Network) certOps() []op.Op {
	install := networkSpec("install_proxy_cert", "cert install", "POST proxy/cert/install",
		"Install the proxy's certificate on a simulator",
		op.Idempotent, "proxy cert install", `proxy cert install --sim "iPhone 16"`)
	install.Help = "Without it, apps refuse HTTPS through the proxy. Erasing the simulator removes it."
	return []op.Op{
		op.New(networkSpec("proxy_cert", "cert", "GET proxy/cert", "Show the proxy's certificate and its file", reads,
			"proxy cert"), n.Cert),
		op.New(install, n.InstallCert),
	}
}

// CertOut is the proxy's certificate. No answer has its key.
type CertOut struct {
	Name        string    `json:"name"`
	Path        string    `json:"path"` // the PEM file
	Fingerprint string    `json:"fingerprint"`
	Expires     time.Time `json:"expires_at"`
	PEM         string    `json:"pem"`
}

// Text is the certificate, its file and how to install it.
func (o CertOut) Text() string {
	return fmt.Sprintf("%s, SHA-256 %s, until %s\n%s\n%s installs it on a simulator", o.Name, o.Fingerprint,
		o.Expires.Format(time.DateOnly), o.Path, hint.Do("install_proxy_cert"))
}

// Cert shows the certificate, and makes it first if needed.
func (n *Network) Cert(context.Context, *op.Call, op.Nothing) (CertOut, error) {
	ca, err := n.d.Services.Authority(true)
	if err != nil {
		return CertOut{}, err
	}
	return CertOut{Name: ca.Name(), Path: ca.File(), Fingerprint: ca.Fingerprint(), Expires: ca.Expires(), PEM: string(ca.PEM())}, nil
}

// InstallCertIn names the simulator.
type InstallCertIn struct{ target.Target }

// InstallCertOut is a device that trusts the certificate.
type InstallCertOut struct {
	target.StatusOut
	Fingerprint string `json:"fingerprint"`
}

// InstallCert installs the certificate on a simulator.
func (n *Network) InstallCert(ctx context.Context, c *op.Call, in InstallCertIn) (InstallCertOut, error) {
	ca, err := n.d.Services.Authority(true)
	if err != nil {
		return InstallCertOut{}, err
	}
	out, err := access.With(ctx, n.d.Access, c, in.Target, func(d device.Trust) error { return d.TrustRoot(ctx, ca.File()) })
	out.Said = "the proxy's certificate is trusted " + out.Said
	return InstallCertOut{out, ca.Fingerprint()}, err
}

// GuideStep has the instructions for one kind of client.
type GuideStep struct {
	Kind         string   `json:"kind"` // one of the constants below
	Target       string   `json:"for"`
	Instructions []string `json:"instructions"`
}

// The kinds of clients.
const (
	GuideSimulator = "simulator"
	GuideProgram   = "program"
	GuidePhysical  = "physical_device"
	GuidePinned    = "pinned"
)

// ProxyGuideOut explains how to use the proxy.
type ProxyGuideOut struct {
	Status string      `json:"status"`
	Listen string      `json:"listen_host,omitempty"`
	Port   int         `json:"port,omitempty"`
	Path   string      `json:"path"` // the certificate
	Steps  []GuideStep `json:"ways"`
}

// Text is the state of the proxy and the instructions.
func (o ProxyGuideOut) Text() string {
	w := brief.New(0)
	if o.Status == string(proxy.Running) {
		w.Linef("the proxy runs on %s", net.JoinHostPort(o.Listen, strconv.Itoa(o.Port)))
	} else {
		w.Line("the proxy does not run")
		w.Line("→ " + hint.Do("proxy_start"))
	}
	for _, s := range o.Steps {
		w.Linef("%s:", s.Target)
		for _, line := range s.Instructions {
			w.Line("→ " + line)
		}
	}
	return w.String()
}

// Guide explains how to send requests through the proxy.
func (n *Network) Guide(context.Context, *op.Call, op.Nothing) (ProxyGuideOut, error) {
	ca, err := n.d.Services.Authority(true)
	if err != nil {
		return ProxyGuideOut{}, err
	}
	s := n.d.Services.Proxy.Status()
	out := ProxyGuideOut{Status: string(s.State), Listen: s.Host, Port: s.Port, Path: ca.File()}
	at := net.JoinHostPort(proxy.Loopback, strconv.Itoa(max(s.Port, proxy.FirstPort)))
	if s.Port > 0 {
		at = net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	}
	out.Steps = []GuideStep{
		{GuideSimulator, "a simulator", []string{
			hint.Do("proxy_launch", "bundle_id", "APP") + " does all of this, and " + hint.Do("proxy_check", "bundle_id", "APP") +
				" says what is missing",
			"simulators use the Mac's proxy, which they read at boot: " + hint.Do("proxy_set", "system_proxy", true) + " sets it to " + at +
				" until " + hint.Do("proxy_stop"),
			hint.Do("shutdown_device") + ", then " + hint.Do("proxy_start", "device", "DEVICE") + " boots the simulator and installs the " +
				"certificate; a simulator that booted after the change of the Mac's proxy needs only " + hint.Do("install_proxy_cert"),
			"a VPN or iCloud Private Relay bypasses the proxy: turn it off while you use the proxy",
			"use the app, then see its requests: " + hint.Do("list_flows"),
		}},
		{GuideProgram, "a program on this machine", []string{
			"set HTTP_PROXY and HTTPS_PROXY to http://" + at,
			"let it trust " + ca.File(),
		}},
		{GuidePhysical, "a physical device in the same Wi-Fi", []string{
			hint.Do("proxy_stop") + ", then " + hint.Do("proxy_start", "listen_host", "0.0.0.0") +
				": other machines in the network can reach it too",
			"on the device, in Settings, Wi-Fi, the network's (i), Configure Proxy, Manual: this Mac's address in the Wi-Fi, and the port of " + at,
			"open http://ADDRESS:PORT/ca.cer in Safari, with that address and port, and install the profile in Settings",
			"in Settings, General, About, Certificate Trust Settings: turn it on",
		}},
		{GuidePinned, "an app that refuses the certificate", []string{
			"it pins certificates: bypass its host, " + hint.Do("proxy_set", "bypass", []string{"HOST"}) +
				", or build the app without pinning for tests",
		}},
	}
	return out, nil
}

// withoutPassword is a URL without its password.
func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Redacted()
}
