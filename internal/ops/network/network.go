// Package network offers the operations on the app's requests: run the proxy, list, export and replay requests, hold, mock and throttle
// them. It also installs the proxy's certificate. Network is its main type. The proxy itself is in internal/network and runs as its own
// process; this package only calls it.
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
	"ios-agent/internal/hint"
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

// Network controls the proxy and reads its captured requests.
type Network struct{ d Deps }

// Deps are the services that the operations use.
type Deps struct {
	Access   access.Access
	Services Services
	Steps    *steps.Store
	Now      func() time.Time

	MostUnpacked int64 // maximum bytes of bodies that one export reads; 0: 256 MB
}

// New makes the operations on the network.
func New(d Deps) *Network { return &Network{d} }

// Services are the proxy and the services around it.
type Services struct {
	Proxy *proxy.Controller
	Flows *capture.Capture
	Host  *hostproxy.Keeper // of the Mac's proxy settings
	// Authority is the proxy's certificate authority. If it does not exist yet, it is made, or the error is fs.ErrNotExist.
	Authority func(made bool) (*mitm.CA, error)
	Version   string // of this program
	// Inside lists the requests that a virtual app, given by its folder, answers itself, so they never reach a proxy, and the variables of
	// its environment that may name a server instead. nil: apps answer no requests.
	Inside func(app string) (answers, variables []string)
}

// Settled waits until all requests that the proxy saw so far can be queried.
func (n Services) Settled(ctx context.Context) error {
	if err := n.Proxy.Flush(ctx); err != nil {
		return err
	}
	return n.Flows.Sync(ctx)
}

// reads are the hints of operations that only read.
const reads = op.ReadOnly | op.Idempotent

func networkSpec(name, verb, route, summary string, hints op.Hints, examples ...string) op.Spec {
	method, path, _ := strings.Cut(route, " ")
	return op.Spec{
		Name: name, Verb: "proxy " + verb, Groups: []string{"network"}, Route: method + " /api/v1/network/" + path, Summary: summary,
		Hints: hints, Timeout: time.Minute, Examples: examples,
	}
}

// Ops lists the operations on the network.
func (n *Network) Ops() []op.Op {
	return slices.Concat(n.proxyOps(), n.flowOps(), n.holdOps(), n.mockOps(), []op.Op{n.throttleOp()}, n.certOps(), n.endOps())
}

// setUp is the time limit of a start that may boot a device.
const setUp = 5 * time.Minute

func (n *Network) proxyOps() []op.Op {
	start := networkSpec("proxy_start", "start", "POST proxy/start", "Start the proxy that captures, holds and mocks requests", 0,
		"proxy start", "proxy start --port 8080 --bypass pinned.example.com", "proxy start --mocks fixtures", "proxy start --system-proxy",
		`proxy start --system-proxy --reboot --device "iPhone 16"`)
	start.Help = "It listens on 127.0.0.1 and captures the requests of clients that use it; " + hint.Do("proxy_guide") + " explains how.\n" +
		"If its process or the daemon ends, it starts again, until " + hint.Do("proxy_stop") + ". " + hint.Field("system_proxy") +
		" sets the Mac's proxy to it,\nwhich simulators read at boot; stopping the proxy or the daemon restores it. " + hint.Field("device") +
		" boots a simulator and installs\nthe certificate; a running proxy keeps its settings. " + hint.Field("reboot") +
		" reboots a simulator that booted before the Mac's proxy was set.\n" + hint.Do("proxy_launch", "bundle_id", "APP") +
		" does all of this.\n" +
		"The proxy belongs to the session that starts it; other sessions use it with its settings."
	start.Timeout = setUp
	start.Next = []string{"proxy_guide"}
	set := networkSpec("proxy_set", "set", "POST proxy/set",
		"Change the running proxy: bypassed hosts, upstream, the one host",
		op.Idempotent, "proxy set --only api.example.com", "proxy set --only ''", "proxy set --bypass pinned.example.com",
		"proxy set --upstream-ca company.pem", "proxy set --insecure-upstream staging.example.com")
	set.Require = [][]string{{"only", "bypass", "upstream", "upstream_ca", "insecure_upstream", "system_proxy"}}
	set.Help = "The one host and the bypassed hosts belong to the session. They apply to devices that it drives, to devices that no\n" +
		"session drives, and to requests of unknown devices. Only the session that owns the proxy can change the other settings."
	return []op.Op{
		op.New(start, n.Start),
		op.New(networkSpec("proxy_status", "status", "GET proxy/status", "Show whether the proxy runs, its address and its rules",
			reads,
			"proxy status"), n.Status),
		op.New(set, n.Set),
		op.New(networkSpec("proxy_take_over", "take-over", "POST proxy/take-over",
			"Take over another session's mocks, filters, holds and proxy", op.Destructive,
			`proxy take-over --owner shop-0a1b2c --reason "its agent is gone"`), n.TakeOver),
		op.New(networkSpec("proxy_guide", "guide", "GET proxy/guide", "Explain how to send an app's requests through the proxy", reads,
			"proxy guide"),
			n.Guide),
		n.checkOp(),
	}
}

// endOps are the operations that stop the proxy; they come last in lists.
func (n *Network) endOps() []op.Op {
	return []op.Op{
		op.New(networkSpec("proxy_stop", "stop", "POST proxy/stop",
			"Stop the proxy; keep captures, delete mocks and holds", 0,
			"proxy stop"), n.Stop),
	}
}

// ProxyStartIn has the settings of a new proxy.
type ProxyStartIn struct {
	Port     int        `json:"port,omitempty" doc:"port; default: first free one from 9101" min:"1" max:"65535"`
	Listen   op.Address `json:"listen_host,omitempty" doc:"listening address; non-loopback: open to others" default:"127.0.0.1"`
	Mocks    op.Path    `json:"mocks,omitempty" doc:"folder of YAML files with mocks, watched"`
	Bypass   []string   `json:"bypass,omitempty" doc:"bypassed hosts, such as *.example.com: for pinned certificates"`
	Upstream op.Address `json:"upstream,omitempty" doc:"URL of an upstream proxy" private:"true"`
	UpstreamTrust
	System op.Redirect `json:"system_proxy,omitempty" doc:"set the Mac's proxy to it until it stops; simulators read it at boot"`
	Device string      `json:"device,omitempty" doc:"simulator whose apps use it: name or udid; gets the certificate"`
	Reboot bool        `json:"reboot,omitempty" doc:"reboot the device if it booted before the Mac's proxy was set"`
}

// UpstreamTrust has the servers that the proxy trusts in addition to the system's.
type UpstreamTrust struct {
	CA       *op.Path      `json:"upstream_ca,omitempty" doc:"PEM file of a trusted authority; empty: none"`
	Insecure *op.Addresses `json:"insecure_upstream,omitempty" doc:"hosts with unchecked certificates; empty: none"`
}

func (in UpstreamTrust) given() bool { return in.CA != nil || in.Insecure != nil }

// into adds the given values to settings. It reads the PEM file.
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

// ProxyOut is the state of the proxy.
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
	Only      string   `json:"only,omitempty"`  // the one host that is captured
	Hold      string   `json:"hold,omitempty"`  // pattern of the session's hold
	Owner     string   `json:"owner,omitempty"` // the owner of the proxy, if it is another session
	Held      int      `json:"held_flows"`
	Mocks     int      `json:"mock_rules"`
	MocksDir  string   `json:"mocks_dir,omitempty"`
	Throttles []string `json:"throttles,omitempty"` // of the session
	Restarts  int      `json:"restarts,omitempty"`
	Problem   string   `json:"problem,omitempty" lines:"behind a margin"`
	Warnings  []string `json:"warnings,omitempty"`
	Reset     bool     `json:"system_proxy_reset,omitempty"` // the Mac's proxy was restored when an earlier daemon ended
	Forgotten bool     `json:"forgotten,omitempty"`          // this call stopped it

	Others  []ProxyShare  `json:"other_sessions,omitempty"` // what other sessions use
	Taken   []string      `json:"taken_over,omitempty"`     // the sessions that this call took over from
	Host    *HostProxyOut `json:"host_proxy,omitempty"`     // the changed settings of the Mac
	PutBack string        `json:"put_back,omitempty"`       // the Mac's settings that this call restored
}

// Address is the host and port of the proxy.
func (o ProxyOut) Address() string { return net.JoinHostPort(o.Listen, strconv.Itoa(o.Port)) }

// Text is one line, and one for each setting that differs from the default.
func (o ProxyOut) Text() string {
	w := brief.New(0)
	if len(o.Taken) > 0 {
		w.Linef("taken over from %s", ui.Inline(strings.Join(o.Taken, ", ")))
	}
	flows := brief.Count(o.Flows, "request") + " captured"
	switch o.Status {
	case string(proxy.Stopped):
		if o.Forgotten {
			w.Linef("the proxy stopped; %s, see %s", flows, hint.Do("list_flows"))
		} else {
			w.Linef("the proxy does not run; %s before; start it with %s", flows, hint.Do("proxy_start"))
		}
	case string(proxy.Running):
		w.Linef("the proxy runs on %s; %s", o.Address(), flows)
	default:
		w.Linef("the proxy does not run now (%s); %s", o.Status, flows)
	}
	for _, part := range []struct{ name, value string }{
		{"sees only", o.Only}, {"bypasses", strings.Join(o.Bypass, ", ")}, {"upstream", o.Upstream},
		{"trusts", o.CA}, {"unchecked certificates", strings.Join(o.Insecure, ", ")},
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
		w.Linef("owned by the session %s, which alone changes its settings", ui.Inline(o.Owner))
	}
	for _, share := range o.Others {
		w.Line(share.Text())
	}
	if o.Host != nil {
		w.Linef("the Mac's proxy (%s) is set to it; before: %s", o.Host.Service, o.Host.Before)
	}
	if o.PutBack != "" {
		w.Linef("the Mac's proxy is restored: %s", o.PutBack)
	}
	problemLines(w, o.Problem)
	if o.Held > 0 {
		w.Linef("%s held: %s", brief.Count(o.Held, "request"), hint.Do("proxy_held"))
	}
	if o.Mocks > 0 {
		w.Linef("%s: %s", brief.Count(o.Mocks, "mock"), hint.Do("proxy_mocks"))
	}
	if o.Restarts > 0 {
		w.Linef("its process was restarted %s", brief.Count(o.Restarts, "time"))
	}
	for _, warning := range o.Warnings {
		w.Linef("warning: %s", warning)
	}
	if o.Reset {
		w.Linef("warning: the Mac's proxy was restored when the daemon ended: %s sets it again", hint.Do("proxy_set", "system_proxy", true))
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
		return ProxyOut{}, fault.New(fault.InvalidInput, "listen_host: %.80q is not an address of this machine", in.Listen).
			With("field", "listen_host").WithHint("leave out %s, or give an address such as 0.0.0.0", hint.Field("listen_host"))
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
	undo := func(err error) error { return err } // undoes what this call has started
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

// end restores the Mac's settings and then stops the proxy. In the other order, programs on this Mac would lose the network.
func (n *Network) end(ctx context.Context, c *op.Call) error {
	if _, err := n.d.Services.Host.Undo(ctx); err != nil {
		return err
	}
	return n.d.Services.Proxy.Stop(ctx, c.Session)
}

// CheckHost returns a fault unless the text is a host.
func CheckHost(field, host string) error {
	if host != "" && len(host) <= 253 && !strings.ContainsAny(host, "/ \t\r\n@?#\\\"'") && oneline.Legible(host) == host {
		return nil
	}
	return fault.New(fault.InvalidInput, "%s: %.80q is not a host", field, host).With("field", field).
		WithHint("write a host as in a URL, such as api.example.com")
}

// Stop restores the Mac's settings and stops the proxy.
func (n *Network) Stop(ctx context.Context, c *op.Call, in op.Nothing) (ProxyOut, error) {
	give, err := n.d.Services.Host.Turn(ctx)
	if err != nil {
		return ProxyOut{}, err
	}
	defer give()
	if err := n.d.Services.Proxy.MayStop(ctx, c.Session); err != nil {
		return ProxyOut{}, err
	}
	undone, err := n.d.Services.Host.Undo(ctx) // first: without the proxy, programs on this Mac would lose the network
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

// Status reads the state of the proxy.
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
		out.Warnings = append(out.Warnings, "other machines can reach the proxy on "+s.Host+", and through it whatever this machine can reach")
	}
	if change, is := n.d.Services.Host.Current(); is {
		out.Host = hostProxyOf(change)
	}
	out.Upstream = cmp.Or(out.Upstream, s.Chained)
	out.Warnings = append(out.Warnings, n.hostWarnings(ctx, s)...)
	out.Reset = out.Host == nil && s.System
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

// System is Set for the Mac's proxy only, for views. An empty service means the network service in use.
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

// ProxySetIn has the settings to change.
type ProxySetIn struct {
	Only     *string     `json:"only,omitempty" doc:"only host to capture, mock and hold; empty: all" cli:"arg"`
	Bypass   *[]string   `json:"bypass,omitempty" doc:"bypassed hosts, replacing the previous; empty: none"`
	Upstream *op.Address `json:"upstream,omitempty" doc:"URL of an upstream proxy; empty: none" private:"true"`
	UpstreamTrust
	System *op.Redirect `json:"system_proxy,omitempty" doc:"set the Mac's proxy to it, or restore it"`
}

// Set changes the settings of the proxy.
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
