// Package network has the operations on what goes over the wire: the proxy, the requests it saw, holds, mocks, exports, and the certificate
// that devices have to trust.
package network

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/network/mitm"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/rules"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// Network is what goes over the wire: the proxy, what it captured, and what it does to requests on their way.
type Network struct{ d Deps }

// Deps are what the operations on the network work with.
type Deps struct {
	Access   access.Access
	Services Services
	Steps    *steps.Store
	Now      func() time.Time

	MostUnpacked int64 // bytes of bodies that one export reads; 256 MB if 0
}

// New makes the operations on the network.
func New(d Deps) *Network { return &Network{d} }

// Services are what the operations on the network work with.
type Services struct {
	Proxy *proxy.Controller
	Flows *capture.Capture
	Host  *hostproxy.Keeper // of the Mac's proxy settings
	// Authority is the proxy's own. Where there is none it is made, or fs.ErrNotExist.
	Authority func(made bool) (*mitm.CA, error)
	Version   string // of this program
	// Inside is which requests an app of a folder answers itself, so that no proxy sees them, and the variables of its environment, of which
	// one may name a server; nil: no app does.
	Inside func(app string) (answers, variables []string)
}

// Settled waits until all that the proxy saw so far can be asked for.
func (n Services) Settled(ctx context.Context) error {
	if err := n.Proxy.Flush(ctx); err != nil {
		return err
	}
	return n.Flows.Sync(ctx)
}

// reads are the hints of what only looks.
const reads = op.ReadOnly | op.Idempotent

func networkSpec(name, verb, route, summary string, hints op.Hints, examples ...string) op.Spec {
	method, path, _ := strings.Cut(route, " ")
	return op.Spec{
		Name: name, Verb: "proxy " + verb, Groups: []string{"network"}, Route: method + " /api/v1/network/" + path, Summary: summary,
		Hints: hints, Timeout: time.Minute, Examples: examples,
	}
}

func (n *Network) Ops() []op.Op {
	return slices.Concat(n.proxyOps(), n.flowOps(), n.holdOps(), n.mockOps(), []op.Op{n.throttleOp()}, n.certOps(), n.endOps())
}

// setUp is how long a set-up may take that boots a device.
const setUp = 5 * time.Minute

func (n *Network) proxyOps() []op.Op {
	start := networkSpec("proxy_start", "start", "POST proxy/start", "Start the proxy that sees, holds, mocks and repeats requests", 0,
		"proxy start", "proxy start --port 8080 --bypass pinned.example.com", "proxy start --mocks fixtures", "proxy start --system-proxy",
		`proxy start --system-proxy --reboot --device "iPhone 16"`)
	start.Help = "It listens on 127.0.0.1 and shows nothing before something uses it: `ios-agent proxy guide` tells how. A proxy\n" +
		"that runs is started again when its process or the daemon ends, until `ios-agent proxy stop`. --system-proxy sets\n" +
		"the Mac's proxy to it, which simulators take when they boot; it is put back by `ios-agent proxy stop` and when the daemon\n" +
		"ends. --device boots a simulator that is shut down, and has it trust the certificate; a proxy that runs is used as it is.\n" +
		"--reboot also shuts one down that booted before the Mac's proxy was set. `ios-agent proxy launch APP` does it all.\n" +
		"The proxy belongs to the session that starts it; another one that starts it uses it as it is."
	start.Timeout = setUp
	start.Next = []string{"proxy_guide"}
	set := networkSpec("proxy_set", "set", "POST proxy/set",
		"Change the proxy that runs: hosts that it passes on unseen, the one host it sees",
		op.Idempotent, "proxy set --only api.example.com", "proxy set --only ''", "proxy set --bypass pinned.example.com",
		"proxy set --upstream-ca company.pem", "proxy set --insecure-upstream staging.example.com")
	set.Require = [][]string{{"only", "bypass", "upstream", "upstream_ca", "insecure_upstream", "system_proxy"}}
	set.Help = "The one host and the hosts passed on unseen are the session's own, and count for the devices it drives, those that nobody\n" +
		"drives, and requests of no known device. The rest is changed by the session that owns the proxy."
	return []op.Op{
		op.New(start, n.Start),
		op.New(networkSpec("proxy_status", "status", "GET proxy/status", "Show whether the proxy runs, where, and what it does to requests",
			reads,
			"proxy status"), n.Status),
		op.New(set, n.Set),
		op.New(networkSpec("proxy_take_over", "take-over", "POST proxy/take-over",
			"Take over what another session has of the proxy: its mocks, filters and holds, and the proxy if it owns it", op.Destructive,
			`proxy take-over --owner shop-0a1b2c --reason "its agent is gone"`), n.TakeOver),
		op.New(networkSpec("proxy_guide", "guide", "GET proxy/guide", "Tell how to have an app's requests go through the proxy", reads,
			"proxy guide"),
			n.Guide),
		n.checkOp(),
	}
}

// endOps end it; in every list they are the last.
func (n *Network) endOps() []op.Op {
	return []op.Op{
		op.New(networkSpec("proxy_stop", "stop", "POST proxy/stop",
			"Stop the proxy; what it captured is kept, its mocks and holds are forgotten", 0,
			"proxy stop"), n.Stop),
	}
}

// ProxyStartIn is how a proxy is started.
type ProxyStartIn struct {
	Port     int        `json:"port,omitempty" doc:"if not the first free one from 9101 on" min:"1" max:"65535"`
	Listen   op.Address `json:"listen_host,omitempty" doc:"listening address; non-loopback: open to others" default:"127.0.0.1"`
	Mocks    op.Path    `json:"mocks,omitempty" doc:"folder of YAML files with mocks; it is watched"`
	Bypass   []string   `json:"bypass,omitempty" doc:"hosts that are passed on unseen, such as *.example.com: apps that pin certificates"`
	Upstream op.Address `json:"upstream,omitempty" doc:"URL of the proxy that requests are sent to" private:"true"`
	UpstreamTrust
	System op.Redirect `json:"system_proxy,omitempty" doc:"set the Mac's proxy to it until it stops; simulators take it at boot"`
	Device string      `json:"device,omitempty" doc:"simulator whose apps are to use it, by name or udid; it gets the certificate"`
	Reboot bool        `json:"reboot,omitempty" doc:"shut the device down first if it booted before the Mac's proxy was set"`
}

// UpstreamTrust is whom the proxy believes to be a server, beside those that the system does.
type UpstreamTrust struct {
	CA       *op.Path      `json:"upstream_ca,omitempty" doc:"PEM file of an authority that vouches for servers; empty: none"`
	Insecure *op.Addresses `json:"insecure_upstream,omitempty" doc:"hosts whose certificates are not checked; empty: none"`
}

func (in UpstreamTrust) given() bool { return in.CA != nil || in.Insecure != nil }

// into puts what was given into settings; the file is read now.
func (in UpstreamTrust) into(s *proxy.Settings) error {
	if in.Insecure != nil {
		s.Insecure = slices.DeleteFunc([]string(*in.Insecure), func(host string) bool { return host == "" })
		for _, host := range s.Insecure {
			if err := CheckHost("insecure_upstream", host); err != nil {
				return err
			}
		}
	}
	if in.CA == nil {
		return nil
	}
	return s.Believe(string(*in.CA))
}

// ProxyOut is how the proxy is.
type ProxyOut struct {
	Status    string   `json:"status"` // running, stopped, restarting or error
	Listen    string   `json:"listen_host,omitempty"`
	Port      int      `json:"port,omitempty"`
	Started   string   `json:"started_at,omitempty"`
	Flows     int      `json:"flows_captured"`
	Bypass    []string `json:"bypass,omitempty"`
	Upstream  string   `json:"upstream,omitempty"`
	CA        string   `json:"upstream_ca,omitempty"`
	Insecure  []string `json:"insecure_upstream,omitempty"`
	Only      string   `json:"only,omitempty"`  // the one host that is seen
	Hold      string   `json:"hold,omitempty"`  // pattern of what the session holds
	Owner     string   `json:"owner,omitempty"` // the session that owns the proxy, if it is another one
	Held      int      `json:"held_flows"`
	Mocks     int      `json:"mock_rules"`
	MocksDir  string   `json:"mocks_dir,omitempty"`
	Throttles []string `json:"throttles,omitempty"` // of the session
	Restarts  int      `json:"restarts,omitempty"`
	Problem   string   `json:"problem,omitempty" lines:"behind a margin"`
	Warnings  []string `json:"warnings,omitempty"`
	Forgotten bool     `json:"forgotten,omitempty"` // it was stopped by this call

	Others  []ProxyShare  `json:"other_sessions,omitempty"` // what other sessions have of it
	Taken   []string      `json:"taken_over,omitempty"`     // from these sessions, by this call
	Host    *HostProxyOut `json:"host_proxy,omitempty"`     // what is changed of the Mac
	PutBack string        `json:"put_back,omitempty"`       // what the Mac's settings are again, by this call
}

// Address is where it takes connections.
func (o ProxyOut) Address() string { return net.JoinHostPort(o.Listen, strconv.Itoa(o.Port)) }

// Text says it in a line, and one for each thing that is not as usual.
func (o ProxyOut) Text() string {
	w := brief.New(0)
	if len(o.Taken) > 0 {
		w.Linef("taken over from %s", ui.Inline(strings.Join(o.Taken, ", ")))
	}
	flows := brief.Count(o.Flows, "request") + " captured"
	switch o.Status {
	case string(proxy.Stopped):
		if o.Forgotten {
			w.Linef("the proxy stopped; %s stay: `ios-agent proxy flows`", flows)
		} else {
			w.Linef("the proxy does not run; %s before; `ios-agent proxy start` starts it", flows)
		}
	case string(proxy.Running):
		w.Linef("the proxy runs on %s; %s", o.Address(), flows)
	default:
		w.Linef("the proxy does not run now (%s); %s", o.Status, flows)
	}
	for _, part := range []struct{ name, value string }{
		{"sees only", o.Only}, {"passes on unseen", strings.Join(o.Bypass, ", ")}, {"upstream", o.Upstream},
		{"believes servers of", o.CA}, {"checks no certificate of", strings.Join(o.Insecure, ", ")},
		{"holds", o.Hold}, {"mocks of", o.MocksDir},
	} {
		if part.value != "" {
			w.Linef("%s: %s", part.name, ui.Inline(part.value))
		}
	}
	for _, one := range o.Throttles {
		w.Linef("throttled: %s", one)
	}
	if o.Owner != "" {
		w.Linef("started by the session %s, and used as it is", ui.Inline(o.Owner))
	}
	for _, share := range o.Others {
		w.Line(share.Text())
	}
	if o.Host != nil {
		w.Linef("the Mac's proxy (%s) is set to it; before: %s", o.Host.Service, o.Host.Before)
	}
	if o.PutBack != "" {
		w.Linef("the Mac's proxy is put back: %s", o.PutBack)
	}
	problemLines(w, o.Problem)
	if o.Held > 0 {
		w.Linef("%s held: `ios-agent proxy held`", brief.Count(o.Held, "request"))
	}
	if o.Mocks > 0 {
		w.Linef("%s: `ios-agent proxy mocks`", brief.Count(o.Mocks, "mock"))
	}
	if o.Restarts > 0 {
		w.Linef("its process was started again %s", brief.Count(o.Restarts, "time"))
	}
	for _, warning := range o.Warnings {
		w.Linef("warning: %s", warning)
	}
	return w.String()
}

// Start starts the proxy.
func (n *Network) Start(ctx context.Context, c *op.Call, in ProxyStartIn) (ProxyOut, error) {
	for _, host := range in.Bypass {
		if err := CheckHost("bypass", host); err != nil {
			return ProxyOut{}, err
		}
	}
	if net.ParseIP(strings.Trim(string(in.Listen), "[]")) == nil && in.Listen != "localhost" {
		return ProxyOut{}, fault.New(fault.InvalidInput, "listen_host: %.80q is no address of this machine", in.Listen).
			With("field", "listen_host").WithHint("leave `--listen-host` out, or give an address such as 0.0.0.0")
	}
	if in.Listen == "localhost" {
		in.Listen = proxy.Loopback
	}
	give, err := n.d.Services.Host.Turn(ctx)
	if err != nil {
		return ProxyOut{}, err
	}
	defer give()
	via, err := n.wanted(ctx, c, in)
	if err != nil {
		return ProxyOut{}, err
	}
	undo := func(err error) error { return err } // of what this call has done
	if n.goesOn(c, in) {
		err = n.uses(ctx, c, bool(in.System))
	} else {
		s := proxy.Settings{
			Port: in.Port, Host: strings.Trim(string(in.Listen), "[]"), Folder: string(in.Mocks), Upstream: string(in.Upstream),
			Share: rules.Share{Owner: c.Session, Bypass: in.Bypass},
		}
		if err := in.UpstreamTrust.into(&s); err != nil {
			return ProxyOut{}, err
		}
		_, err = n.d.Services.Proxy.Start(ctx, s)
		undo = func(err error) error { return joined(err, n.end(context.WithoutCancel(ctx), c)) }
	}
	if err != nil {
		return ProxyOut{}, err
	}
	if in.System {
		if _, err := n.systemProxy(ctx, true, ""); err != nil {
			return ProxyOut{}, undo(err)
		}
	}
	if via != nil {
		if err := n.through(ctx, c, via); err != nil {
			return ProxyOut{}, undo(err)
		}
	}
	return n.Status(ctx, c, op.Nothing{})
}

// end stops the proxy, and first puts the Mac's settings back: without the proxy nothing on this Mac would reach the network.
func (n *Network) end(ctx context.Context, c *op.Call) error {
	if _, err := n.d.Services.Host.Undo(ctx); err != nil {
		return err
	}
	return n.d.Services.Proxy.Stop(ctx, c.Session)
}

// CheckHost refuses what is no name of a host.
func CheckHost(field, host string) error {
	if host != "" && len(host) <= 253 && !strings.ContainsAny(host, "/ \t\r\n@?#\\\"'") && oneline.Legible(host) == host {
		return nil
	}
	return fault.New(fault.InvalidInput, "%s: %.80q is no host", field, host).With("field", field).
		WithHint("write a host as it stands in a URL, such as api.example.com")
}

// Stop stops it.
func (n *Network) Stop(ctx context.Context, c *op.Call, in op.Nothing) (ProxyOut, error) {
	give, err := n.d.Services.Host.Turn(ctx)
	if err != nil {
		return ProxyOut{}, err
	}
	defer give()
	if err := n.d.Services.Proxy.MayStop(ctx, c.Session); err != nil {
		return ProxyOut{}, err
	}
	undone, err := n.d.Services.Host.Undo(ctx) // first: without the proxy nothing on this Mac would reach the network
	if err != nil {
		return ProxyOut{}, err
	}
	if err := n.d.Services.Proxy.Stop(ctx, c.Session); err != nil {
		return ProxyOut{}, err
	}
	out, err := n.Status(ctx, c, in)
	out.Forgotten, out.PutBack = true, undone.Text()
	return out, err
}

// Status tells how it is.
func (n *Network) Status(ctx context.Context, c *op.Call, _ op.Nothing) (ProxyOut, error) {
	n.d.Services.Proxy.Reread(ctx)
	s := n.d.Services.Proxy.Status()
	mine := s.ShareOf(c.Session)
	out := ProxyOut{
		Status: string(s.State), Listen: s.Host, Port: s.Port, Bypass: mine.Bypass, Upstream: withoutPassword(s.Upstream), Only: mine.Only,
		Hold: holdPattern(mine), Held: s.Held, Mocks: len(s.Rules), MocksDir: s.Folder, Restarts: s.Restarts, Problem: s.Error,
		Owner: another(s.Owner, c), Others: sharesOfOthers(s, c), Throttles: throttlesOf(mine),
		CA: s.UpstreamCA, Insecure: s.Insecure,
	}
	if !s.Started.IsZero() {
		out.Started = s.Started.Format(time.RFC3339)
	}
	if ip := net.ParseIP(s.Host); ip != nil && !ip.IsLoopback() {
		out.Warnings = append(out.Warnings, "other machines can reach the proxy on "+s.Host+": whoever does reaches what this machine reaches")
	}
	if change, is := n.d.Services.Host.Current(); is {
		out.Host = hostProxyOf(change)
	}
	out.Upstream = cmp.Or(out.Upstream, s.Chained)
	out.Warnings = append(out.Warnings, n.hostWarnings(ctx, s)...)
	if err := n.d.Services.Settled(ctx); err != nil {
		return out, err
	}
	_, total, err := n.d.Services.Flows.List(ctx, flow.Filter{}, capture.Page{Limit: 1, Newest: true})
	out.Flows, out.Warnings = total, append(out.Warnings, n.d.Services.Flows.Missing()...)
	return out, err
}

// State is Status, for views.
func (n *Network) State(ctx context.Context, c *op.Call) (ProxyOut, error) {
	return n.Status(ctx, c, op.Nothing{})
}

// System is Set of the Mac's proxy alone, for views; service is the network service, if not the one that is used.
func (n *Network) System(ctx context.Context, c *op.Call, on bool, service string) (ProxyOut, error) {
	give, err := n.d.Services.Host.Turn(ctx)
	if err != nil {
		return ProxyOut{}, err
	}
	defer give()
	return n.setSystem(ctx, c, on, service)
}

func (n *Network) setSystem(ctx context.Context, c *op.Call, on bool, service string) (ProxyOut, error) {
	if err := n.d.Services.Proxy.Own(ctx, c.Session); err != nil {
		return ProxyOut{}, err
	}
	undone, err := n.systemProxy(ctx, on, service)
	if err != nil {
		return ProxyOut{}, err
	}
	out, err := n.Status(ctx, c, op.Nothing{})
	out.PutBack = undone.Text()
	return out, err
}

// End is Stop, for views.
func (n *Network) End(ctx context.Context, c *op.Call) (ProxyOut, error) {
	return n.Stop(ctx, c, op.Nothing{})
}

// NoHold is Unhold, for views.
func (n *Network) NoHold(ctx context.Context, c *op.Call) (HoldOut, error) {
	return n.hold(ctx, c, HoldOut{})
}

// AllMocks is Mocks, for views.
func (n *Network) AllMocks(ctx context.Context, c *op.Call) (MocksOut, error) {
	return n.Mocks(ctx, c, op.Nothing{})
}

// HowTo is Guide, for views.
func (n *Network) HowTo(ctx context.Context, c *op.Call) (ProxyGuideOut, error) {
	return n.Guide(ctx, c, op.Nothing{})
}

// ProxySetIn is what is changed.
type ProxySetIn struct {
	Only     *string     `json:"only,omitempty" doc:"the one host that is seen, mocked and held; empty: all" cli:"arg"`
	Bypass   *[]string   `json:"bypass,omitempty" doc:"hosts that are passed on unseen, instead of those before; empty: none"`
	Upstream *op.Address `json:"upstream,omitempty" doc:"URL of the proxy that requests are sent to; empty: none" private:"true"`
	UpstreamTrust
	System *op.Redirect `json:"system_proxy,omitempty" doc:"set the Mac's proxy to it, or put it back"`
}

// Set changes it.
func (n *Network) Set(ctx context.Context, c *op.Call, in ProxySetIn) (ProxyOut, error) {
	if in.Only != nil && *in.Only != "" {
		if err := CheckHost("only", *in.Only); err != nil {
			return ProxyOut{}, err
		}
	}
	if in.Bypass != nil {
		*in.Bypass = slices.DeleteFunc(*in.Bypass, func(host string) bool { return host == "" })
	}
	give, err := n.d.Services.Host.Turn(ctx)
	if err != nil {
		return ProxyOut{}, err
	}
	defer give()
	if in.Upstream != nil || in.System != nil || in.given() {
		if err := n.d.Services.Proxy.Own(ctx, c.Session); err != nil {
			return ProxyOut{}, err
		}
	}
	err = n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error {
		mine := s.Of(c.Session)
		mine.Only, mine.Bypass = *cmp.Or(in.Only, &mine.Only), *cmp.Or(in.Bypass, &mine.Bypass)
		if in.Upstream != nil {
			s.Upstream = string(*in.Upstream)
		}
		return in.UpstreamTrust.into(s)
	})
	if err != nil {
		return ProxyOut{}, err
	}
	if in.System == nil {
		return n.Status(ctx, c, op.Nothing{})
	}
	return n.setSystem(ctx, c, bool(*in.System), "")
}
