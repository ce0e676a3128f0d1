package house_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/test/freeport"
	"ios-agent/test/house"
)

// before sets a proxy on the virtual Mac, as a company does, and tells all of its settings.
func (w *wire) before() world.Network {
	w.t.Helper()
	err := w.World.ChangeNetwork(func(n *world.Network) error {
		n.Services[0].Secure = world.HostProxy{On: true, Server: "corp.test", Port: 3128}
		n.Services[0].Web = n.Services[0].Secure
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.World.Network()
}

// wantNetwork wants the settings of the Mac to be these, and no journal.
func (w *wire) wantNetwork(want world.Network) {
	w.t.Helper()
	if got := w.World.Network(); !reflect.DeepEqual(got, want) {
		w.t.Errorf("the settings are\n%+v, not\n%+v", got, want)
	}
	if _, err := os.Lstat(hostproxy.JournalOf(w.Home.String())); !os.IsNotExist(err) {
		w.t.Errorf("the journal: %v", err)
	}
}

// took wants a simulator to have taken our proxy when it booted, or not.
func (w *wire) took(udid string, want bool) {
	w.t.Helper()
	got, err := w.World.ProxyOf(udid)
	if err != nil || strings.Contains(got, "127.0.0.1") != want {
		w.t.Errorf("its proxy is %q (%v); want ours: %v", got, err, want)
	}
}

// TestSystemProxyIsSetAndRestored: the Mac's proxy is set and put back, requests go on to the one of before, and it is told; the daemon
// stays for it, and the next daemon goes on with it.
func TestSystemProxyIsSetAndRestored(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	before := w.before()
	w.says(w.Must("a", "proxy_start", map[string]any{"system_proxy": true}), "the Mac's proxy (Wi-Fi) is set to it", "corp.test:3128",
		"upstream: http://corp.test:3128")
	if now := w.World.Network().Services[0]; now.Secure.Server != "127.0.0.1" || now.Web.Server != "127.0.0.1" || !now.Secure.On {
		t.Errorf("%+v", now)
	}
	if holds := strings.Join(w.Product.Holds(), "\n"); !strings.Contains(holds, "Wi-Fi") {
		t.Errorf("the daemon stays for: %s", holds)
	}
	set := w.World.Network()
	w.Restart()
	w.says(w.Must("a", "proxy_set", map[string]any{"bypass": []string{"pinned.example.com"}}), "(Wi-Fi) is set to it",
		"upstream: http://corp.test")
	if !reflect.DeepEqual(w.World.Network(), set) {
		t.Error("the next daemon changed the settings")
	}
	w.says(w.Must("a", "proxy_stop", nil), "the Mac's proxy is restored: Wi-Fi: proxy for http corp.test:3128, proxy for https corp.test:3128")
	w.wantNetwork(before)
	if holds := strings.Join(w.Product.Holds(), "\n"); strings.Contains(holds, "Wi-Fi") {
		t.Errorf("the daemon stays for: %s", holds)
	}

	// Set and put back while the proxy runs.
	w.Must("a", "proxy_start", nil)
	w.wantNetwork(before)
	w.says(w.Must("a", "proxy_set", map[string]any{"system_proxy": true}), "(Wi-Fi) is set to it")
	e := w.Must("a", "proxy_set", map[string]any{"system_proxy": false})
	w.says(e, "is restored")
	if strings.Contains(e.Text(), "upstream") {
		t.Errorf("requests still go on to the proxy of before: %s", e.Text())
	}
	w.wantNetwork(before)
	w.Must("a", "proxy_stop", nil)

	// What cannot be set leaves no proxy running.
	if err := w.World.ChangeNetwork(func(n *world.Network) error {
		n.Services[0].AutoOn, n.Services[0].AutoURL = true, "http://corp.test/proxy.pac"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w.refused(fault.StateFailed, "proxy_start", map[string]any{"system_proxy": true})
	w.says(w.Must("a", "proxy_status", nil), "the proxy does not run")
	w.refused(fault.InvalidInput, "proxy_start", map[string]any{"system_proxy": true, "listen_host": "::1"})
}

// TestDaemonRestoresSystemProxyOfDeadDaemon: a daemon that starts puts back what a dead one left, says so, and does not set it again by
// itself.
func TestDaemonRestoresSystemProxyOfDeadDaemon(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	before := w.before()
	// The proxy keeps its port over the restart; the default one may go to another test in the meantime.
	w.Must("a", "proxy_start", map[string]any{"system_proxy": true, "port": freeport.Of(t)})
	journal := hostproxy.JournalOf(w.Home.String())
	raw, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	w.RestartAfter(func() { // as if the owner were another process, which was killed
		c, err := hostproxy.Current(journal)
		if err != nil {
			t.Fatal(err)
		}
		dead := strings.Replace(string(raw), `"start": "`+c.Owner.Start, `"start": "1`, 1)
		if err := os.WriteFile(journal, []byte(dead), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	w.wantNetwork(before)
	w.says(w.Must("a", "proxy_set", map[string]any{"bypass": []string{"x.example"}}), "the proxy runs on",
		"was restored when the daemon ended", "--system-proxy")
	w.says(w.Must("a", "proxy_set", map[string]any{"system_proxy": true}), "(Wi-Fi) is set to it")
	w.Must("a", "proxy_stop", nil)
	w.wantNetwork(before)
}

// TestProxyRefusesSimulatorItCannotCapture: a simulator that no request would come from is refused by its name, and nothing is changed; one
// that boots after the change has the certificate, and its flows are its own.
func TestProxyRefusesSimulatorItCannotCapture(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	before := w.World.Network()
	udid := w.Boot("a", "")
	for _, input := range []map[string]any{{"device": house.Device}, {"device": house.Device, "system_proxy": true}} {
		e := w.Call("a", "proxy_start", input)
		if e.Error == nil || e.Error.Code != fault.StateFailed || !strings.Contains(e.Error.Message, house.Device+" ("+udid+")") ||
			!strings.Contains(e.Error.Hint, "--system-proxy") || !strings.Contains(e.Error.Hint, "--reboot") {
			t.Errorf("%v: %s", input, e.Text())
		}
		w.says(w.Must("a", "proxy_status", nil), "the proxy does not run")
		w.wantNetwork(before)
	}
	w.refused(fault.DeviceNotFound, "proxy_start", map[string]any{"device": "iPhone 3G", "system_proxy": true})

	// A proxy that is set while it is booted does not reach it either.
	w.Must("a", "proxy_start", map[string]any{"system_proxy": true})
	w.refused(fault.StateFailed, "proxy_start", map[string]any{"device": udid})
	w.took(udid, false)

	// Booted again, it does.
	w.Must("a", "shutdown_device", map[string]any{"udid": udid})
	w.Must("b", "claim_device", map[string]any{"udid": udid})
	w.refused(fault.DeviceClaimed, "proxy_start", map[string]any{"device": udid})
	w.Must("b", "release_device", map[string]any{"udid": udid})
	w.says(w.Must("a", "proxy_start", map[string]any{"device": udid}), "(Wi-Fi) is set to it")
	w.took(udid, true)
	settings, err := w.World.Settings(udid)
	if err != nil || len(settings.Roots) != 1 {
		t.Errorf("it trusts %d certificates (%v)", len(settings.Roots), err)
	}
	w.owner.Store(&udid)
	w.send("GET", "/products", "")
	w.says(w.Must("a", "list_flows", map[string]any{"udid": udid}), "1 request", "/products")
	w.Must("a", "proxy_start", map[string]any{"device": udid}) // again: it is as it was
	w.Must("a", "proxy_stop", nil)
	w.wantNetwork(before)

	// In one call: one that is shut down is booted after the change.
	w.Must("a", "shutdown_device", map[string]any{"udid": udid})
	w.Must("a", "proxy_start", map[string]any{"device": udid, "system_proxy": true})
	w.took(udid, true)
	w.Must("a", "proxy_stop", nil)
	w.wantNetwork(before)
}
