package networksetup_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/networksetup"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

type frontEnd func(context.Context, *world.World, tool.Call) int

func run(t *testing.T, w *world.World, play frontEnd, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	exit := play(t.Context(), w, tool.Call{Args: args, Stdout: &out, Stderr: &out}.Complete())
	return out.String(), exit
}

func TestProxyCommandsChangeSettings(t *testing.T) {
	w, err := world.New(world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, step := range []struct {
		args string
		want string // what is printed
		exit int
	}{
		{"-getwebproxy Wi-Fi", "Enabled: No\nServer: \nPort: 0\nAuthenticated Proxy Enabled: 0\n", 0},
		{"-setwebproxy Wi-Fi 127.0.0.1 9101", "", 0},
		{"-setsecurewebproxy Wi-Fi 127.0.0.1 9101 off", "", 0},
		{"-getsecurewebproxy Wi-Fi", "Enabled: Yes\nServer: 127.0.0.1\nPort: 9101\nAuthenticated Proxy Enabled: 0\n", 0},
		{"-setwebproxystate Wi-Fi off", "", 0},
		{"-getwebproxy Wi-Fi", "Enabled: No\nServer: 127.0.0.1\nPort: 9101\nAuthenticated Proxy Enabled: 0\n", 0},
		{"-setsecurewebproxy Wi-Fi proxy.test 8080 on ada secret", "", 0},
		{"-getsecurewebproxy Wi-Fi", "Enabled: Yes\nServer: proxy.test\nPort: 8080\nAuthenticated Proxy Enabled: 1\n", 0},
		{"-getproxybypassdomains Wi-Fi", "*.local\n169.254/16\n", 0},
		{"-setproxybypassdomains Wi-Fi Empty", "", 0},
		{"-getproxybypassdomains Wi-Fi", "There aren't any bypass domains set on Wi-Fi.\n", 0},
		{"-getautoproxyurl Wi-Fi", "URL: (null)\nEnabled: No\n", 0},
		{"-setautoproxyurl Wi-Fi http://a.test/p.pac", "", 0},
		{"-getautoproxyurl Wi-Fi", "URL: http://a.test/p.pac\nEnabled: Yes\n", 0},
		{"-setautoproxystate Wi-Fi off", "", 0},
		{"-getproxyautodiscovery Wi-Fi", "Auto Proxy Discovery: Off\n", 0},
		{"-getwebproxy Wi-Fi2", "Wi-Fi2 is not a recognized network service.\n** Error: The parameters were not valid.\n", 4},
		{"-setwebproxy Wi-Fi 127.0.0.1", "** Error: The parameters were not valid.\n", 4},
		{"-setwebproxy Wi-Fi 127.0.0.1 many", "** Error: The parameters were not valid.\n", 4},
		{"-setwebproxystate Wi-Fi maybe", "** Error: The parameters were not valid.\n", 4},
		{"-nonsense", "-nonsense is not a recognized command.\n", 5},
		{"-listallnetworkservices", "An asterisk (*) denotes that a network service is disabled.\nWi-Fi\n*Thunderbolt Bridge\n", 0},
	} {
		if got, exit := run(t, w, networksetup.Run, strings.Fields(step.args)...); got != step.want || exit != step.exit {
			t.Errorf("%s: %d %q", step.args, exit, got)
		}
	}
	got, _ := run(t, w, networksetup.Scutil, "--proxy")
	if !strings.Contains(got, "  HTTPEnable : 0\n  HTTPSEnable : 1\n  HTTPSPort : 8080\n  HTTPSProxy : proxy.test\n") {
		t.Errorf("scutil: %s", got)
	}
}

func TestRouteReportsDefaultInterface(t *testing.T) {
	w, err := world.New(world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got, exit := run(t, w, networksetup.Route, "-n", "get", "default"); exit != 0 || !strings.Contains(got, "\n  interface: en0\n") {
		t.Errorf("%d %s", exit, got)
	}
	_ = w.ChangeNetwork(func(n *world.Network) error { n.Route = ""; return nil })
	if got, exit := run(t, w, networksetup.Route, "-n", "get", "default"); exit != 1 || !strings.Contains(got, "not in table") {
		t.Errorf("%d %s", exit, got)
	}
}
