package networksetup

import (
	"context"
	"fmt"
	"slices"

	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// Route plays `route -n get default`.
func Route(_ context.Context, w *world.World, c tool.Call) int {
	if !slices.Equal(c.Args, []string{"-n", "get", "default"}) {
		fmt.Fprintln(c.Stderr, "usage: route [-dnqtv] command [[modifiers] args]")
		return 64
	}
	via := w.Network().Route
	if via == "" {
		fmt.Fprintln(c.Stderr, "route: writing to routing socket: not in table")
		return 1
	}
	fmt.Fprintf(c.Stdout, `   route to: default
destination: default
       mask: default
    gateway: 192.168.1.1
  interface: %s
      flags: <UP,GATEWAY,DONE,STATIC,PRCLONING,GLOBAL>
 recvpipe  sendpipe  ssthresh  rtt,msec    rttvar  hopcount      mtu     expire
       0         0         0         0         0         0      1500         0 
`, via)
	return 0
}

// Scutil plays `scutil --proxy` and `scutil --nc list`.
func Scutil(_ context.Context, w *world.World, c tool.Call) int {
	switch n := w.Network(); {
	case slices.Equal(c.Args, []string{"--proxy"}):
		inUse(c, n)
	case slices.Equal(c.Args, []string{"--nc", "list"}):
		fmt.Fprintln(c.Stdout, "Available network connection services in the current set (*=enabled):")
		for _, v := range n.VPNs {
			state := "(Disconnected)"
			if v.Connected {
				state = "(Connected)"
			}
			fmt.Fprintf(c.Stdout, "* %-16s %s VPN (%s) %-32q [VPN:%s]\n", state, v.ID, v.Type, v.Name, v.Type)
		}
	default:
		fmt.Fprintln(c.Stderr, "usage: scutil\n\tinteractive access to the dynamic store.")
		return 64
	}
	return 0
}

// inUse prints the content of SCDynamicStoreCopyProxies, with its keys in alphabetical order.
func inUse(c tool.Call, n world.Network) {
	s, _ := n.Active()
	fmt.Fprintln(c.Stdout, "<dictionary> {")
	if len(s.Bypass) > 0 {
		fmt.Fprintln(c.Stdout, "  ExceptionsList : <array> {")
		for i, entry := range s.Bypass {
			fmt.Fprintf(c.Stdout, "    %d : %s\n", i, entry)
		}
		fmt.Fprintln(c.Stdout, "  }")
	}
	fmt.Fprintln(c.Stdout, "  FTPPassive : 1")
	for _, p := range []struct {
		name string
		world.HostProxy
	}{{"HTTP", s.Web}, {"HTTPS", s.Secure}} {
		fmt.Fprintf(c.Stdout, "  %sEnable : %d\n", p.name, number(p.On))
		if p.On {
			fmt.Fprintf(c.Stdout, "  %sPort : %d\n  %sProxy : %s\n", p.name, p.Port, p.name, p.Server)
		}
	}
	fmt.Fprintf(c.Stdout, "  ProxyAutoConfigEnable : %d\n", number(s.AutoOn))
	if s.AutoOn {
		fmt.Fprintf(c.Stdout, "  ProxyAutoConfigURLString : %s\n", s.AutoURL)
	}
	fmt.Fprintf(c.Stdout, "  ProxyAutoDiscoveryEnable : %d\n}\n", number(s.Discovery))
}
