// Package networksetup plays the tools that read and change the network settings of a Mac: networksetup (Run), route and scutil. It has
// only the commands that proxies need.
package networksetup

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// Exit statuses of networksetup.
const (
	exitWrong   = 4
	exitUnknown = 5
)

const wrongParameters = tool.Refusal("** Error: The parameters were not valid.")

// call is one command line of networksetup on the Mac's settings.
type call struct {
	tool.Call
	world *world.World
	words []string // words after the service's name
}

// verbs are the commands that take a service, each with its minimum number of further words; 0 is also the maximum.
var verbs = map[string]struct {
	words int
	run   func(c *call, s *world.NetworkService) error
}{
	"-getwebproxy":            {0, func(c *call, s *world.NetworkService) error { return c.show(s.Web) }},
	"-getsecurewebproxy":      {0, func(c *call, s *world.NetworkService) error { return c.show(s.Secure) }},
	"-setwebproxy":            {2, func(c *call, s *world.NetworkService) error { return c.set(&s.Web) }},
	"-setsecurewebproxy":      {2, func(c *call, s *world.NetworkService) error { return c.set(&s.Secure) }},
	"-setwebproxystate":       {1, func(c *call, s *world.NetworkService) error { return c.state(&s.Web.On) }},
	"-setsecurewebproxystate": {1, func(c *call, s *world.NetworkService) error { return c.state(&s.Secure.On) }},
	"-setautoproxystate":      {1, func(c *call, s *world.NetworkService) error { return c.state(&s.AutoOn) }},
	"-setproxyautodiscovery":  {1, func(c *call, s *world.NetworkService) error { return c.state(&s.Discovery) }},
	"-getproxybypassdomains":  {0, (*call).bypass},
	"-setproxybypassdomains":  {1, (*call).setBypass},
	"-getautoproxyurl":        {0, (*call).auto},
	"-setautoproxyurl":        {1, (*call).setAuto},
	"-getproxyautodiscovery":  {0, (*call).discovery},
}

// Run plays one command line of networksetup. Unsupported commands get a message on standard output.
func Run(_ context.Context, w *world.World, tc tool.Call) int {
	c := &call{Call: tc, world: w}
	if len(c.Args) == 0 {
		fmt.Fprintln(c.Stdout, "networksetup -help")
		return exitUnknown
	}
	lists := map[string]func() int{"-listnetworkserviceorder": c.order, "-listallnetworkservices": c.names, "-listallhardwareports": c.ports}
	if list := lists[c.Args[0]]; list != nil && len(c.Args) == 1 {
		return list()
	} else if list != nil {
		fmt.Fprintln(c.Stdout, wrongParameters)
		return exitWrong
	}
	verb, known := verbs[c.Args[0]]
	if !known {
		fmt.Fprintln(c.Stdout, c.Args[0]+" is not a recognized command.")
		return exitUnknown
	}
	if len(c.Args) < 2+verb.words || verb.words == 0 && len(c.Args) > 2 {
		fmt.Fprintln(c.Stdout, wrongParameters)
		return exitWrong
	}
	c.words = c.Args[2:]
	if err := c.on(c.Args[1], verb.run); err != nil {
		fmt.Fprintln(c.Stdout, err)
		return exitWrong
	}
	return 0
}

// on runs a command on a service, and saves the change.
func (c *call) on(name string, run func(*call, *world.NetworkService) error) error {
	return c.world.ChangeNetwork(func(n *world.Network) error {
		i := slices.IndexFunc(n.Services, func(s world.NetworkService) bool { return s.Name == name })
		if i < 0 {
			return tool.Refuse("%s is not a recognized network service.\n%v", name, wrongParameters)
		}
		return run(c, &n.Services[i])
	})
}

func (c *call) show(p world.HostProxy) error {
	fmt.Fprintf(c.Stdout, "Enabled: %s\nServer: %s\nPort: %d\nAuthenticated Proxy Enabled: %d\n", yes(p.On), p.Server, p.Port,
		number(p.Authenticated))
	return nil
}

// set reads SERVER PORT [on|off USER PASSWORD] and turns the proxy on; an empty server clears it.
func (c *call) set(p *world.HostProxy) error {
	port, err := strconv.Atoi(c.words[1])
	if err != nil || port < 0 || port > 65535 {
		return wrongParameters
	}
	*p = world.HostProxy{On: c.words[0] != "", Server: c.words[0], Port: port, Authenticated: len(c.words) > 4 && c.words[2] == "on"}
	return nil
}

func (c *call) state(on *bool) error {
	switch strings.ToLower(c.words[0]) {
	case "on":
		*on = true
	case "off":
		*on = false
	default:
		return wrongParameters
	}
	return nil
}

func (c *call) bypass(s *world.NetworkService) error {
	if len(s.Bypass) == 0 {
		fmt.Fprintf(c.Stdout, "There aren't any bypass domains set on %s.\n", s.Name)
	}
	for _, entry := range s.Bypass {
		fmt.Fprintln(c.Stdout, entry)
	}
	return nil
}

func (c *call) setBypass(s *world.NetworkService) error {
	if s.Bypass = slices.Clone(c.words); c.words[0] == "Empty" {
		s.Bypass = nil
	}
	return nil
}

func (c *call) auto(s *world.NetworkService) error {
	address := s.AutoURL
	if address == "" {
		address = "(null)"
	}
	fmt.Fprintf(c.Stdout, "URL: %s\nEnabled: %s\n", address, yes(s.AutoOn))
	return nil
}

func (c *call) setAuto(s *world.NetworkService) error {
	s.AutoURL, s.AutoOn = c.words[0], true
	return nil
}

func (c *call) discovery(s *world.NetworkService) error {
	state := "Off"
	if s.Discovery {
		state = "On"
	}
	fmt.Fprintln(c.Stdout, "Auto Proxy Discovery: "+state)
	return nil
}

const asterisk = "An asterisk (*) denotes that a network service is disabled."

func (c *call) order() int {
	fmt.Fprintln(c.Stdout, asterisk)
	number := 0
	for _, s := range c.world.Network().Services {
		place := "*"
		if !s.Disabled {
			number++
			place = strconv.Itoa(number)
		}
		fmt.Fprintf(c.Stdout, "(%s) %s\n(Hardware Port: %s, Device: %s)\n\n", place, s.Name, s.Port, s.Device)
	}
	return 0
}

func (c *call) names() int {
	fmt.Fprintln(c.Stdout, asterisk)
	for _, s := range c.world.Network().Services {
		if s.Disabled {
			fmt.Fprint(c.Stdout, "*")
		}
		fmt.Fprintln(c.Stdout, s.Name)
	}
	return 0
}

func (c *call) ports() int {
	for i, s := range c.world.Network().Services {
		fmt.Fprintf(c.Stdout, "\nHardware Port: %s\nDevice: %s\nEthernet Address: 02:00:00:00:00:%02x\n", s.Port, s.Device, i+1)
	}
	fmt.Fprint(c.Stdout, "\nVLAN Configurations\n===================\n")
	return 0
}

func yes(on bool) string {
	if on {
		return "Yes"
	}
	return "No"
}

func number(on bool) int {
	if on {
		return 1
	}
	return 0
}

// Marks are the behaviours of the three tools.
func Marks() []mark.Mark {
	of := func(name, behaviour string) mark.Mark {
		return mark.Mark{Tool: name, Behaviour: behaviour, Source: mark.Assumed}
	}
	return []mark.Mark{
		of("networksetup", "services: -listnetworkserviceorder prints two lines for each, (1) NAME or (*) NAME and "+
			"(Hardware Port: P, Device: D), in the order of preference"),
		of("networksetup", "proxies: -getwebproxy and -getsecurewebproxy print Enabled, Server, Port and Authenticated Proxy Enabled; "+
			"-setwebproxy SERVICE SERVER PORT turns it on; an admin needs no password"),
		of("networksetup", "clearing: -setwebproxy SERVICE \"\" 0 removes the server"),
		of("networksetup", "refusals: are printed on standard output with ** Error:, and the exit status is not 0"),
		of("networksetup", "automatic: -getautoproxyurl prints URL and Enabled, -getproxyautodiscovery Auto Proxy Discovery; both override "+
			"manual proxies"),
		of("route", "-n get default prints a line interface: NAME; without a default route it exits 1"),
		of("scutil", "--nc list prints a line for each VPN with its state in parentheses and its name in quotes"),
		of("scutil", "peers: --proxy prints the active proxies as a dictionary"),
	}
}
