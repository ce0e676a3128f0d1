package world_test

import (
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

func viaProxy(t *testing.T, w *world.World, on bool) {
	t.Helper()
	err := w.ChangeNetwork(func(n *world.Network) error {
		p := world.HostProxy{On: on, Server: "127.0.0.1", Port: 9101}
		n.Services[0].Web, n.Services[0].Secure = p, p
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSimulatorsTakeTheHostsProxyAtBoot: a device that is booted sees no change; one that boots again does.
func TestSimulatorsTakeTheHostsProxyAtBoot(t *testing.T) {
	n := &network{answer: says(200, "{}")}
	d := calling(t, n, world.LaunchOptions{})
	sent := func(want string) {
		t.Helper()
		before := len(n.requests())
		d.tap("go")
		d.pass(time.Second)
		d.root()
		if seen := n.requests(); len(seen) != before+1 || seen[before].Proxy != want {
			t.Errorf("sent was %+v, want the proxy %q", seen, want)
		}
	}
	again := func() {
		t.Helper()
		d.must(d.Shutdown(t.Context(), d.udid))
		d.must(d.Boot(t.Context(), d.udid))
		_, err := d.Launch(t.Context(), d.udid, "com.example.small", world.LaunchOptions{})
		d.must(err)
	}
	sent("")
	viaProxy(t, d.World, true)
	sent("")
	again()
	sent("http://127.0.0.1:9101")
	viaProxy(t, d.World, false)
	sent("http://127.0.0.1:9101")
	_ = d.ChangeNetwork(func(n *world.Network) error {
		n.Services[0].Web.On, n.Services[0].Bypass = true, []string{"*.test"}
		return nil
	})
	again()
	sent("") // shop.test is on the list
	viaProxy(t, d.World, false)
	again()
	sent("")
}

// TestNetworkSettingsSurviveRestart: the service that holds the world may end and begin again.
func TestNetworkSettingsSurviveRestart(t *testing.T) {
	store := &memory{}
	w := newWorld(t, world.Options{Store: store})
	viaProxy(t, w, true)
	udid := w.Devices()[0].UDID
	if err := w.Boot(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	viaProxy(t, w, false)
	w.Close()
	w = newWorld(t, world.Options{Store: store})
	if got, err := w.ProxyOf(udid); err != nil || got != "http://127.0.0.1:9101" {
		t.Errorf("the device has %q, %v", got, err)
	}
	if s, _ := w.Network().Active(); s.Web.On || s.Web.Server != "127.0.0.1" {
		t.Errorf("the Mac has %+v", s)
	}
}
