package network_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/apple/networksetup"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/ops/network"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/test/fakedevice"
)

// simulator is a phone that can be booted, and trusts what it is told to.
type simulator struct {
	*fakedevice.Paper
	state    string
	booted   string
	trusts   string
	refuses  error
	unbooted error
}

func (s *simulator) Info() device.Info {
	i := s.Paper.Info()
	i.State, i.BootedAt = s.state, s.booted
	return i
}

func (s *simulator) Boot(context.Context) error {
	if s.unbooted == nil {
		s.state, s.booted = device.Booted, "2026-02-03T04:05:06Z"
	}
	return s.unbooted
}

func (s *simulator) Shutdown(context.Context) error { s.state = "shutdown"; return nil }

func (s *simulator) TrustRoot(_ context.Context, path string) error {
	s.trusts = path
	return s.refuses
}

// mac is a wire on a virtual Mac, whose settings are looked at beside the product.
type mac struct {
	*wire
	world *virtualxcode.World
	sim   *simulator
}

func newMac(t *testing.T, state string) *mac {
	t.Helper()
	x, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	h, err := host.New(host.Options{Inside: x.Program})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	sim := &simulator{Paper: &fakedevice.Paper{}, state: state, booted: "2026-01-01T00:00:00Z"}
	return &mac{newWireOf(t, sim, networksetup.Tool{Host: h}), x.World(), sim}
}

// web is the proxy that the Mac has: its port, or 0.
func (m *mac) web() int {
	if p := m.world.Network().Services[0].Web; p.On && p.Server == proxy.Loopback {
		return p.Port
	}
	return 0
}

// TestMacProxyIsSetAndRestored: the settings of the Mac follow the proxy, and requests go on to the proxy that the Mac had.
func TestMacProxyIsSetAndRestored(t *testing.T) {
	m := newMac(t, device.Booted)
	if err := m.world.ChangeNetwork(func(n *world.Network) error {
		n.Services[0].Web = world.HostProxy{On: true, Server: "before.test", Port: 3128}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	m.Refused("proxy_set", `{"system_proxy":true}`, fault.ProxyNotRunning)
	var got network.ProxyOut
	e := m.Must("proxy_start", `{"system_proxy":true}`, &got)
	if m.web() != got.Port || got.Host == nil || got.Host.Service != "Wi-Fi" || !strings.Contains(got.Host.Before, "before.test:3128") ||
		got.Upstream != "http://before.test:3128" || len(got.Warnings) == 0 ||
		!strings.Contains(e.Stdout, "\nthe Mac's proxy (Wi-Fi) is set to it; before: ") ||
		!strings.Contains(e.Stdout, "\nwarning: all requests go to http://before.test:3128; before, the Mac had: ") {
		t.Errorf("got %+v, the Mac's port %d and\n%s\nwant it set, with a warning", got, m.web(), e.Stdout)
	}
	since := got.Host.Since
	if m.Must("proxy_set", `{"system_proxy":true}`, &got); got.Host == nil || got.Host.Since != since || m.web() != got.Port {
		t.Errorf("again: got %+v, want it as it is", got.Host)
	}
	m.Must("proxy_set", `{"upstream":"http://up.test:1"}`, &got)
	for _, warning := range got.Warnings {
		if strings.Contains(warning, "all requests go to") {
			t.Errorf("with an upstream of its own: got %q", got.Warnings)
		}
	}
	m.Must("proxy_set", `{"upstream":""}`, nil)
	e = m.Must("proxy_set", `{"system_proxy":false}`, &got)
	if m.web() != 0 || got.Host != nil || got.PutBack == "" || got.Upstream != "" ||
		!strings.Contains(e.Stdout, "\nthe Mac's proxy is restored: ") {
		t.Errorf("got %+v, the Mac's port %d and\n%s\nwant it restored", got, m.web(), e.Stdout)
	}
	m.Must("proxy_set", `{"system_proxy":true}`, nil)
	if m.Must("proxy_stop", `{}`, &got); m.web() != 0 || got.PutBack == "" {
		t.Errorf("stopped: got %+v and the Mac's port %d, want it restored", got, m.web())
	}
}

// TestMacProxyRefusesOtherLoopbackAddress: the settings name 127.0.0.1, where the proxy must listen.
func TestMacProxyRefusesOtherLoopbackAddress(t *testing.T) {
	m := newMac(t, device.Booted)
	m.Refused("proxy_start", `{"system_proxy":true,"listen_host":"127.0.0.2"}`, fault.InvalidInput, "127.0.0.2", hint.Field("listen_host"))
	var got network.ProxyOut
	if m.Must("proxy_status", `{}`, &got); got.Status != "stopped" || m.web() != 0 {
		t.Errorf("got %+v and the Mac's port %d, want nothing left of it", got, m.web())
	}
	if m.Must("proxy_start", `{"system_proxy":true,"listen_host":"0.0.0.0"}`, &got); m.web() != got.Port || len(got.Warnings) == 0 ||
		!strings.Contains(got.Warnings[0], "other machines can reach the proxy on 0.0.0.0") {
		t.Errorf("got %+v and the Mac's port %d, want it set with a warning", got, m.web())
	}
}

// TestOnlyProxyOwnerSetsMacProxy: another session uses the proxy as it is.
func TestOnlyProxyOwnerSetsMacProxy(t *testing.T) {
	m := newMac(t, device.Booted)
	m.as("ann").Must("proxy_start", `{}`, nil)
	m.as("bob")
	for name, input := range map[string]string{"proxy_start": `{"system_proxy":true}`, "proxy_set": `{"system_proxy":true}`} {
		m.Refused(name, input, fault.Forbidden, "ann")
	}
	var got network.ProxyOut
	if m.Must("proxy_start", `{"listen_host":"127.0.0.1"}`, &got); got.Owner != "ann" || m.web() != 0 {
		t.Errorf("got %+v and the Mac's port %d, want ann's proxy and no change", got, m.web())
	}
	m.Refused("proxy_start", `{"listen_host":"0.0.0.0"}`, fault.ProxyRunning, "ann")
	m.Refused("proxy_start", `{"port":1}`, fault.ProxyRunning, "ann")
}

// TestProxyStartBootsDeviceAndInstallsTrust: it is booted after the settings are made, which it reads when it boots, and trusts the
// certificate.
func TestProxyStartBootsDeviceAndInstallsTrust(t *testing.T) {
	m := newMac(t, "shutdown")
	at := `"device":"` + fakedevice.UDID + `"`
	m.Refused("proxy_start", `{`+at+`}`, fault.StateFailed, "simulators use the Mac's proxy, which is not set to it",
		hint.Do("proxy_start", "system_proxy", true, "device", fakedevice.UDID, "reboot", true))
	m.Must("proxy_start", `{"system_proxy":true,`+at+`}`, nil)
	if m.sim.state != device.Booted || !strings.HasPrefix(m.sim.trusts, m.dir) {
		t.Errorf("it is %s and trusts %q, want it booted with our certificate", m.sim.state, m.sim.trusts)
	}
	m.sim.trusts = ""
	m.Must("proxy_start", `{`+at+`}`, nil)
	if _, err := os.Stat(m.sim.trusts); err != nil {
		t.Errorf("again, booted since: got %v, want that it trusts the file", err)
	}
	m.Must("proxy_start", `{"device":"`+fakedevice.Name+`"}`, nil)
}

func TestProxyRefusesDeviceBootedBeforeSetup(t *testing.T) {
	m := newMac(t, device.Booted)
	at := `"device":"` + fakedevice.UDID + `"`
	m.Refused("proxy_start", `{"system_proxy":true,`+at+`}`, fault.StateFailed, "it booted before the Mac's proxy was set",
		hint.Do("proxy_start", "system_proxy", true, "device", fakedevice.UDID, "reboot", true))
	m.Must("proxy_start", `{"system_proxy":true}`, nil)
	m.Refused("proxy_start", `{`+at+`}`, fault.StateFailed, "it booted before the Mac's proxy was set",
		hint.Do("proxy_start", "device", fakedevice.UDID, "reboot", true))
}

// TestFailedProxyStartRestoresMacSettings: a device that cannot be booted, or trusts nothing, leaves neither a proxy nor settings.
func TestFailedProxyStartRestoresMacSettings(t *testing.T) {
	for what, unable := range map[string]func(*simulator){
		"boot": func(s *simulator) { s.unbooted = errors.New("no disk") }, "trust": func(s *simulator) { s.refuses = errors.New("no keychain") },
	} {
		m := newMac(t, "shutdown")
		unable(m.sim)
		if e := m.Run("proxy_start", `{"system_proxy":true,"device":"`+fakedevice.UDID+`"}`); e.Error == nil {
			t.Errorf("%s: got %s, want a fault", what, e.Stdout)
		}
		if s := m.proxy.Status(); s.State != proxy.Stopped || m.web() != 0 {
			t.Errorf("%s: the proxy is %s, the Mac's port %d; want nothing left", what, s.State, m.web())
		}
	}
}

func TestCertificateIsShownAndInstalled(t *testing.T) {
	m := newMac(t, device.Booted)
	var cert network.CertOut
	e := m.Must("proxy_cert", `{}`, &cert)
	if pem, err := os.ReadFile(cert.Path); err != nil || string(pem) != cert.PEM || !strings.Contains(e.Stdout, cert.Fingerprint) {
		t.Errorf("got %+v and %v, want the certificate of the file", cert, err)
	}
	var got network.InstallCertOut
	e = m.Must("install_proxy_cert", `{}`, &got)
	if m.sim.trusts != cert.Path || got.Fingerprint != cert.Fingerprint ||
		!strings.HasPrefix(e.Stdout, "the proxy's certificate is trusted ") {
		t.Errorf("got %+v and %q, want it trusted", got, e.Stdout)
	}
	var guide network.ProxyGuideOut
	if m.Must("proxy_guide", `{}`, &guide); guide.Path != cert.Path ||
		!strings.Contains(guide.Steps[1].Instructions[0], strconv.Itoa(proxy.FirstPort)) {
		t.Errorf("got %+v, want the certificate and the usual port", guide)
	}
	if phone := guide.Steps[2]; phone.Kind != network.GuidePhysical || !strings.Contains(strings.Join(phone.Instructions, "\n"), "/ca.cer") ||
		strings.Contains(strings.Join(phone.Instructions, "\n"), "HTTP_PROXY") {
		t.Errorf("got %+v for a physical device, want the settings of its Wi-Fi", phone)
	}
	m.Must("proxy_start", `{}`, nil)
	if m.Must("proxy_guide", `{}`, &guide); guide.Port == 0 ||
		!strings.HasSuffix(guide.Steps[1].Instructions[0], ":"+strconv.Itoa(guide.Port)) {
		t.Errorf("got %+v, want the port of the proxy", guide)
	}
	if err := os.RemoveAll(m.dir + "/ca"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.dir+"/ca", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"proxy_cert", "install_proxy_cert", "proxy_guide"} {
		if e := m.Run(name, `{}`); e.Error == nil {
			t.Errorf("%s: its folder cannot be read, and got %s", name, e.Stdout)
		}
	}
}
