package hostproxy_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ios-agent/internal/apple/networksetup"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/world"
)

const port = 9101

// mac is a Mac whose settings can be changed, with a journal.
type mac struct {
	*testing.T
	world   *virtualxcode.World
	tool    networksetup.Tool
	journal string
}

func newMac(t *testing.T) *mac {
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
	return &mac{t, x.World(), networksetup.Tool{Host: h}, hostproxy.JournalOf(t.TempDir())}
}

func (m *mac) change(f func(n *world.Network)) {
	m.Helper()
	if err := m.world.ChangeNetwork(func(n *world.Network) error { f(n); return nil }); err != nil {
		m.Fatal(err)
	}
}

func (m *mac) set() (hostproxy.Change, error) {
	return hostproxy.Set(m.Context(), hostproxy.SetOptions{Tool: m.tool, Journal: m.journal, Port: port})
}

func (m *mac) mustSet() hostproxy.Change {
	m.Helper()
	c, err := m.set()
	if err != nil {
		m.Fatal(err)
	}
	return c
}

func (m *mac) undo() hostproxy.Undone {
	m.Helper()
	u, err := hostproxy.Undo(m.Context(), m.tool, m.journal)
	if err != nil {
		m.Fatal(err)
	}
	return u
}

func (m *mac) wantNoJournal() {
	m.Helper()
	if _, err := os.Stat(m.journal); !os.IsNotExist(err) {
		m.Errorf("the journal is still there: %v", err)
	}
}

var ours = world.HostProxy{On: true, Server: "127.0.0.1", Port: port}

// befores are settings that a user may have.
func befores() map[string]func(*world.Network) {
	return map[string]func(*world.Network){
		"nothing": func(*world.Network) {},
		"a proxy": func(n *world.Network) {
			n.Services[0].Web = world.HostProxy{On: true, Server: "proxy.test", Port: 3128}
			n.Services[0].Secure = world.HostProxy{On: true, Server: "secure.test", Port: 3129}
		},
		"one that is off": func(n *world.Network) { n.Services[0].Web = world.HostProxy{Server: "proxy.test", Port: 3128} },
		"only one": func(n *world.Network) {
			n.Services[0].Secure = world.HostProxy{On: true, Server: "secure.test", Port: 3129}
			n.Services[0].Bypass = []string{"*.corp"}
		},
	}
}

func TestUndoRestoresSettingsBeforeSet(t *testing.T) {
	for name, before := range befores() {
		t.Run(name, func(t *testing.T) {
			m := newMac(t)
			m.change(before)
			was := m.world.Network()
			c := m.mustSet()
			if s := m.world.Network().Services[0]; s.Web != ours || s.Secure != ours || c.Service != "Wi-Fi" {
				t.Errorf("set is %+v of %q", s, c.Service)
			}
			info, err := os.Stat(m.journal)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the journal: %v %v", info, err)
			}
			u := m.undo()
			if now := m.world.Network(); !reflect.DeepEqual(now, was) || !u.Was || u.Service != "Wi-Fi" || len(u.Left) > 0 {
				t.Errorf("after undoing (%s) it is %+v, it was %+v", u.Text(), now, was)
			}
			m.wantNoJournal()
			if again := m.undo(); again.Was || again.Text() != "" || !reflect.DeepEqual(m.world.Network(), was) {
				t.Errorf("undone twice: %+v", again)
			}
		})
	}
}

func TestSetReturnsPreviousProxyAsUpstream(t *testing.T) {
	m := newMac(t)
	m.change(befores()["only one"])
	c := m.mustSet()
	if c.Upstream(networksetup.Secure) != "secure.test:3129" || c.Upstream(networksetup.Web) != "" ||
		!reflect.DeepEqual(c.Bypass, []string{"*.corp"}) {
		t.Errorf("%+v", c)
	}
}

// dying is a machine on which we die after so many calls of programs: none after them is made.
type dying struct {
	host.Runner
	left    int
	changes func() // called before each change
}

var errDead = errors.New("dead")

func (d *dying) Run(ctx context.Context, c host.Cmd) (host.Result, error) {
	if d.left--; d.left < 0 {
		return host.Result{ExitCode: -1}, errDead
	}
	if strings.HasPrefix(c.Args[0], "-set") {
		d.changes()
	}
	return d.Runner.Run(ctx, c)
}

// TestUndoRestoresSettingsAfterCrash: whenever we die while we set or undo, the journal was there before each change, and the next one puts
// all back.
func TestUndoRestoresSettingsAfterCrash(t *testing.T) {
	for _, name := range []string{"one that is off", "only one"} { // the others differ in nothing that is done
		t.Run(name, func(t *testing.T) {
			m := newMac(t)
			m.change(befores()[name])
			was, good := m.world.Network(), m.tool
			written := func() {
				t.Helper()
				if _, err := os.Stat(m.journal); err != nil {
					t.Errorf("a change without a journal: %v", err)
				}
			}
			for dead, calls := true, 0; dead; calls++ {
				m.tool = networksetup.Tool{Host: &dying{good.Host, calls, written}}
				_, err := m.set()
				if err == nil {
					_, err = hostproxy.Undo(t.Context(), m.tool, m.journal)
				}
				dead = err != nil
				m.tool = good
				m.undo()
				if now := m.world.Network(); !reflect.DeepEqual(now, was) {
					t.Fatalf("after %d calls it is %+v, it was %+v", calls, now, was)
				}
				m.wantNoJournal()
			}
		})
	}
}

// TestUndoKeepsForeignChanges: the user turned the proxy off, or set another, while ours was set.
func TestUndoKeepsForeignChanges(t *testing.T) {
	m := newMac(t)
	m.change(befores()["a proxy"])
	m.mustSet()
	m.change(func(n *world.Network) {
		n.Services[0].Web.On = false
		n.Services[0].Secure = world.HostProxy{On: true, Server: "charles.test", Port: 8888}
	})
	now := m.world.Network()
	u := m.undo()
	if after := m.world.Network(); !reflect.DeepEqual(after, now) || len(u.Left) != 2 || !strings.Contains(u.Text(), "charles.test:8888") {
		t.Errorf("%+v, told as %q", after.Services[0], u.Text())
	}
	m.wantNoJournal()
}

// TestUndoKeepsProxyReenabledByUser: it was set and off before; the user turned it on while ours was set.
func TestUndoKeepsProxyReenabledByUser(t *testing.T) {
	m := newMac(t)
	m.change(befores()["one that is off"])
	m.mustSet()
	m.change(func(n *world.Network) {
		n.Services[0].Web = world.HostProxy{On: true, Server: "proxy.test", Port: 3128}
	})
	u := m.undo()
	if s := m.world.Network().Services[0]; !s.Web.On || s.Secure.On || len(u.Left) != 1 {
		t.Errorf("%+v, told as %q", s, u.Text())
	}
}

// TestUndoTurnsOffLeftoverOwnProxy: settings that point at our port without a journal are restored to off.
func TestUndoTurnsOffLeftoverOwnProxy(t *testing.T) {
	m := newMac(t)
	m.change(func(n *world.Network) { n.Services[0].Web, n.Services[0].Secure = ours, ours })
	m.mustSet()
	m.undo()
	if s := m.world.Network().Services[0]; s.Web.On || s.Secure.On {
		t.Errorf("after the undo the proxies are %+v, want both off", s)
	}
}

// TestUndoAfterTwoSetsRestoresSettings: the undo after a second change restores the user's settings.
func TestUndoAfterTwoSetsRestoresSettings(t *testing.T) {
	m := newMac(t)
	m.change(befores()["a proxy"])
	was := m.world.Network()
	m.mustSet()
	if _, err := hostproxy.Set(t.Context(), hostproxy.SetOptions{Tool: m.tool, Journal: m.journal, Port: port + 1}); err != nil {
		t.Fatal(err)
	}
	m.undo()
	if now := m.world.Network(); !reflect.DeepEqual(now, was) {
		t.Errorf("%+v", now)
	}
}

func TestSetRefusesSettingsItCannotRestore(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*world.Network)
		says   string
	}{
		"password": {func(n *world.Network) {
			n.Services[0].Secure = world.HostProxy{On: true, Server: "p.test", Port: 1, Authenticated: true}
		}, "its password could not be restored"},
		"automatic": {func(n *world.Network) { n.Services[0].AutoOn, n.Services[0].AutoURL = true, "http://p.test/a.pac" },
			"http://p.test/a.pac"},
		"offline": {func(n *world.Network) { n.Route, n.Services[0].Disabled = "", true }, "no network service"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMac(t)
			m.change(c.before)
			was := m.world.Network()
			_, err := m.set()
			if f, ok := fault.In(err); !ok || f.Code != fault.StateFailed || !strings.Contains(f.Message, c.says) || f.Hint == "" {
				t.Errorf("%v", err)
			}
			if !reflect.DeepEqual(m.world.Network(), was) {
				t.Error("something was changed")
			}
			m.wantNoJournal()
		})
	}
}

func TestUndoSetsAsideTornJournal(t *testing.T) {
	for _, text := range []string{"", `{"service": "Wi-`, `{}`, "null"} {
		m := newMac(t)
		m.mustSet()
		if err := os.WriteFile(m.journal, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if !hostproxy.Pending(m.journal) {
			t.Errorf("%q is not pending", text)
		}
		_, err := hostproxy.Undo(t.Context(), m.tool, m.journal)
		if f, ok := fault.In(err); !ok || f.Code != fault.StateFailed || !strings.Contains(f.Hint, "System Settings") {
			t.Errorf("%q: %v", text, err)
		}
		if kept, err := os.ReadFile(m.journal + ".bad"); err != nil || string(kept) != text {
			t.Errorf("%q is kept as %q, %v", text, kept, err)
		}
		if again := m.undo(); again.Was || hostproxy.Pending(m.journal) {
			t.Errorf("%q: it is told twice: %+v", text, again)
		}
	}
}

func TestServiceOfDefaultRoute(t *testing.T) {
	m := newMac(t)
	m.change(func(n *world.Network) {
		n.Services = append(n.Services, world.NetworkService{Name: "USB LAN (work)", Port: "USB 10/100/1000 LAN", Device: "en7"})
		n.Route = "en7"
	})
	for _, c := range []struct{ route, named, want string }{
		{"en7", "", "USB LAN (work)"}, {"en0", "", "Wi-Fi"}, {"en0", "USB LAN (work)", "USB LAN (work)"}, {"utun3", "", "Wi-Fi"},
	} {
		m.change(func(n *world.Network) { n.Route = c.route })
		if got, err := hostproxy.Service(t.Context(), m.tool, c.named); err != nil || got != c.want {
			t.Errorf("%+v is %q, %v", c, got, err)
		}
	}
	_, err := hostproxy.Service(t.Context(), m.tool, "Wifi")
	if f, ok := fault.In(err); !ok || f.Code != fault.InvalidInput || !strings.Contains(f.Hint, "Wi-Fi, USB LAN (work)") {
		t.Errorf("%v", err)
	}
}

func TestWarningsNameConnectedVPN(t *testing.T) {
	m := newMac(t)
	if got := hostproxy.Warnings(t.Context(), m.tool); got != nil {
		t.Errorf("%q", got)
	}
	m.change(func(n *world.Network) {
		n.Route = "utun3"
		n.VPNs = []world.VPN{{ID: "0A", Type: "com.example.vpn", Name: "Work", Connected: true}, {ID: "0B", Type: "L2TP", Name: "Old"}}
	})
	got := strings.Join(hostproxy.Warnings(t.Context(), m.tool), "\n")
	if !strings.Contains(got, `"Work"`) || strings.Contains(got, "Old") || !strings.Contains(got, "utun3") {
		t.Errorf("%s", got)
	}
}

// TestReachesSimulatorsBootedAfterTheChange: only simulators that boot after the change take it; the world's own requests say so too.
func TestReachesSimulatorsBootedAfterTheChange(t *testing.T) {
	m := newMac(t)
	devices := m.world.Devices()
	early, late := devices[0].UDID, devices[1].UDID
	bootedAt := func(udid string) string {
		d, err := m.world.Find(udid)
		if err != nil {
			t.Fatal(err)
		}
		return d.LastBootedAt.String()
	}
	boot := func(udid string) {
		if err := m.world.Boot(t.Context(), udid); err != nil {
			t.Fatal(err)
		}
	}
	boot(early)
	c, err := hostproxy.Set(t.Context(), hostproxy.SetOptions{Tool: m.tool, Journal: m.journal, Port: port,
		Booted: map[string]string{early: bootedAt(early)}})
	if err != nil {
		t.Fatal(err)
	}
	check := func(udid string, want bool) {
		t.Helper()
		took, err := m.world.ProxyOf(udid)
		if got := c.Reaches(udid, bootedAt(udid)); err != nil || got != want || (took != "") != want {
			t.Errorf("%s is reached: %v, and took %q; want %v", udid, got, took, want)
		}
	}
	boot(late)
	check(late, true)
	check(early, false)
	if c, err = hostproxy.Adopt(t.Context(), m.journal); err != nil { // a later daemon knows it too
		t.Fatal(err)
	}
	check(early, false)
	if err := m.world.Shutdown(t.Context(), early); err != nil {
		t.Fatal(err)
	}
	boot(early)
	check(early, true)
}

func TestPendingReportsChangeOfDeadProcess(t *testing.T) {
	m := newMac(t)
	if hostproxy.Pending(m.journal) || hostproxy.Pending(filepath.Join(m.journal, "below")) {
		t.Error("nothing is pending")
	}
	m.mustSet()
	if hostproxy.Pending(m.journal) {
		t.Error("what belongs to us, who live, is pending")
	}
	text, err := os.ReadFile(m.journal)
	if err != nil {
		t.Fatal(err)
	}
	start, err := processes.StartTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), start, "1", 1) // our pid, but another process
	if err := os.WriteFile(m.journal, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if !hostproxy.Pending(m.journal) {
		t.Error("what a dead process left is not pending")
	}
	m.undo()
}
