package network

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/brief"
)

func (n *Network) certOps() []op.Op {
	install := networkSpec("install_proxy_cert", "cert install", "POST proxy/cert/install",
		"Have the apps of a simulator trust the proxy's certificate",
		op.Idempotent, "proxy cert install", `proxy cert install --sim "iPhone 16"`)
	install.Help = "Without it apps refuse what the proxy shows of HTTPS. Erasing the simulator takes it away."
	return []op.Op{
		op.New(networkSpec("proxy_cert", "cert", "GET proxy/cert", "Show the certificate that apps have to trust, and where its file is", reads,
			"proxy cert"), n.Cert),
		op.New(install, n.InstallCert),
	}
}

// CertOut is the proxy's certificate. Its key is in no answer.
type CertOut struct {
	Name        string    `json:"name"`
	Path        string    `json:"path"` // of the file, as PEM
	Fingerprint string    `json:"fingerprint"`
	Expires     time.Time `json:"expires_at"`
	PEM         string    `json:"pem"`
}

// Text says where it is.
func (o CertOut) Text() string {
	return fmt.Sprintf("%s, SHA-256 %s, until %s\n%s\n`ios-agent proxy cert install` has a simulator trust it", o.Name, o.Fingerprint,
		o.Expires.Format(time.DateOnly), o.Path)
}

// Cert shows it. It is made when there is none.
func (n *Network) Cert(context.Context, *op.Call, op.Nothing) (CertOut, error) {
	ca, err := n.d.Services.Authority(true)
	if err != nil {
		return CertOut{}, err
	}
	return CertOut{Name: ca.Name(), Path: ca.File(), Fingerprint: ca.Fingerprint(), Expires: ca.Expires(), PEM: string(ca.PEM())}, nil
}

// InstallCertIn says where.
type InstallCertIn struct{ target.Target }

// InstallCertOut is a device that trusts it.
type InstallCertOut struct {
	target.StatusOut
	Fingerprint string `json:"fingerprint"`
}

// InstallCert has a simulator trust it.
func (n *Network) InstallCert(ctx context.Context, c *op.Call, in InstallCertIn) (InstallCertOut, error) {
	ca, err := n.d.Services.Authority(true)
	if err != nil {
		return InstallCertOut{}, err
	}
	out, err := access.With(ctx, n.d.Access, c, in.Target, func(d device.Trust) error { return d.TrustRoot(ctx, ca.File()) })
	out.Said = "the proxy's certificate is trusted " + out.Said
	return InstallCertOut{out, ca.Fingerprint()}, err
}

// GuideStep is what to do for one kind of client.
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

// ProxyGuideOut tells how to use the proxy.
type ProxyGuideOut struct {
	Status string      `json:"status"`
	Listen string      `json:"listen_host,omitempty"`
	Port   int         `json:"port,omitempty"`
	Path   string      `json:"path"` // of the certificate
	Steps  []GuideStep `json:"ways"`
}

// Text is the steps.
func (o ProxyGuideOut) Text() string {
	w := brief.New(0)
	if o.Status == string(proxy.Running) {
		w.Linef("the proxy runs on %s", net.JoinHostPort(o.Listen, strconv.Itoa(o.Port)))
	} else {
		w.Line("the proxy does not run")
		w.Line("→ `ios-agent proxy start`")
	}
	for _, s := range o.Steps {
		w.Linef("%s:", s.Target)
		for _, line := range s.Instructions {
			w.Line("→ " + line)
		}
	}
	return w.String()
}

// Guide tells how to have requests go through the proxy.
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
			"`ios-agent proxy launch APP` does all of this, and `ios-agent proxy check APP` tells what is missing",
			"simulators use the proxy of the Mac, which they read when they boot: `ios-agent proxy set --system-proxy` sets it to " + at +
				" until `ios-agent proxy stop`",
			"`ios-agent shutdown`, then `ios-agent proxy start --device DEVICE`: it boots, and has it trust the certificate; " +
				"one that booted since needs only `ios-agent proxy cert install`",
			"a VPN, or iCloud Private Relay, goes round the proxy: turn it off meanwhile",
			"drive the app, then look: `ios-agent proxy flows`",
		}},
		{GuideProgram, "a program on this machine", []string{
			"set HTTP_PROXY and HTTPS_PROXY to http://" + at,
			"have it trust " + ca.File(),
		}},
		{GuidePhysical, "a physical device in the same Wi-Fi", []string{
			"`ios-agent proxy stop`, then `ios-agent proxy start --listen-host 0.0.0.0`: others in the network can reach it, too",
			"on the device, in Settings, Wi-Fi, the network's (i), Configure Proxy, Manual: this Mac's address in the Wi-Fi, and the port of " + at,
			"open http://ADDRESS:PORT/ca.cer in Safari, with that address and port, and install the profile in Settings",
			"in Settings, General, About, Certificate Trust Settings: turn it on",
		}},
		{GuidePinned, "an app that refuses the certificate", []string{
			"it pins certificates: pass its host on unseen, `ios-agent proxy set --bypass HOST`, or build the app without pinning for tests",
		}},
	}
	return out, nil
}

// withoutPassword is a URL as it may be shown.
func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Redacted()
}
