package network

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

func (n *Network) checkOp() op.Op {
	s := networkSpec("proxy_check", "check", "GET proxy/check",
		"Tell whether an app's requests go through the proxy, why not, and the command that mends it", reads,
		"proxy check com.iosagent.shop", `proxy check --sim "iPhone 16"`)
	s.Help = "It looks at the proxy, the Mac's settings, when the simulator booted, what the proxy passes on unseen, and how the device's\n" +
		"last TLS handshakes ended. Nothing is sent or changed."
	s.Next = []string{"list_flows"}
	return op.New(s, n.Check)
}

// ProxyCheckIn says whose requests are meant.
type ProxyCheckIn struct {
	target.Target
	Bundle string `json:"bundle_id,omitempty" doc:"app, by its bundle id or name; absent: all apps of the device" cli:"arg"`
}

// Whether requests come through.
const (
	throughYes     = "yes"
	throughNo      = "no"
	throughUnknown = "unknown" // nothing is in the way, and no request came yet
)

// Obstacle is one reason why requests do not come through the proxy.
type Obstacle struct {
	Kind string `json:"kind"`
	Host string `json:"host,omitempty"` // the only one that is concerned
	Why  string `json:"why"`
	Mend string `json:"mend,omitempty"` // the one command that ends it

	all bool // no request of the app comes through while it is there
}

// The kinds of obstacles.
const (
	obstacleStopped   = "proxy_stopped"
	obstaclePhysical  = "physical_device"
	obstacleNotSet    = "mac_proxy_not_set"
	obstacleOff       = "device_off"
	obstacleBooted    = "booted_before"
	obstacleUntrusted = "certificate_not_trusted"
	obstaclePinned    = "certificate_pinned"
	obstacleOnly      = "only_one_host_seen"
	obstacleUnseen    = "host_passed_on_unseen"
	obstacleExcepted  = "hosts_excepted_by_the_mac"
	obstacleAround    = "network_goes_round"
	obstacleInside    = "answered_inside_the_app"
)

// ProxyCheckOut is whether requests come through, and what is in the way.
type ProxyCheckOut struct {
	Through   string     `json:"through"` // yes, no or unknown
	UDID      string     `json:"udid"`
	Device    string     `json:"name"` // of the device
	Bundle    string     `json:"bundle_id,omitempty"`
	Seen      int        `json:"seen_requests"` // since the proxy was started
	Newest    string     `json:"newest_at,omitempty"`
	Foreign   int        `json:"requests_of_unknown_devices,omitempty"`
	Obstacles []Obstacle `json:"obstacles"`
}

// Text is the verdict, and a line for each obstacle with what mends it.
func (o ProxyCheckOut) Text() string {
	w := brief.New(0)
	whose := ui.Inline(o.Device)
	if o.Bundle != "" {
		whose = ui.Inline(o.Bundle) + " on " + whose
	}
	whose = oneline.Head(whose)
	switch o.Through {
	case throughYes:
		w.Linef("%s: requests come through the proxy, %d so far, the newest at %s", whose, o.Seen, o.Newest)
	case throughNo:
		w.Linef("%s: no request comes through the proxy", whose)
	default:
		w.Linef("%s: no request came through the proxy yet; use the app first", whose)
	}
	for _, one := range o.Obstacles {
		w.Line("- " + one.Why)
		if one.Mend != "" {
			w.Line("  hint: `" + one.Mend + "`")
		}
	}
	if o.Foreign > 0 && o.Seen == 0 {
		w.Linef("note: %s came from devices that are not known; some may be of this one", brief.Count(o.Foreign, "request"))
	}
	return w.String()
}

// checked is what a check looks at.
type checked struct {
	info  device.Info
	app   device.App // without an id: all apps
	proxy proxy.Status
	mine  []string // hosts that the session has passed on unseen
	seen  []flow.Facets
	other int // requests of no known device
}

// mostChecked is how many of the newest requests a check looks at.
const mostChecked = 500

// Check tells whether an app's requests come through the proxy.
func (n *Network) Check(ctx context.Context, c *op.Call, in ProxyCheckIn) (ProxyCheckOut, error) {
	h, _, err := n.d.Access.Device(ctx, c, in.Target)
	if err != nil {
		return ProxyCheckOut{}, err
	}
	k := checked{info: h.Info()}
	n.d.Access.Pool.Changed()
	all, err := n.d.Access.Pool.List(ctx)
	if err != nil {
		return ProxyCheckOut{}, err
	}
	if i := slices.IndexFunc(all, func(i device.Info) bool { return i.UDID == k.info.UDID }); i >= 0 {
		k.info = all[i]
	}
	if k.app, err = k.named(ctx, h, in.Bundle); err != nil {
		return ProxyCheckOut{}, err
	}
	if err := n.look(ctx, c, &k); err != nil {
		return ProxyCheckOut{}, err
	}
	out := ProxyCheckOut{UDID: k.info.UDID, Device: k.info.Name, Bundle: k.app.Bundle, Foreign: k.other, Through: throughUnknown}
	for _, f := range k.seen {
		if comesThrough(f) {
			if out.Seen++; out.Newest == "" {
				out.Newest = f.Started.Format(time.RFC3339)
			}
		}
	}
	if out.Obstacles = n.obstacles(ctx, &k); out.Obstacles == nil {
		out.Obstacles = []Obstacle{}
	}
	switch {
	case slices.ContainsFunc(out.Obstacles, func(o Obstacle) bool { return o.all }):
		out.Through = throughNo
	case out.Seen > 0:
		out.Through = throughYes
	}
	return out, nil
}

// named is the app that is meant, with its folder where the device lists its apps.
func (k *checked) named(ctx context.Context, h *pool.Handle, what string) (app device.App, err error) {
	if what == "" || k.info.State != device.Booted { // an app of a device that is off cannot be looked up
		return device.App{Bundle: what}, nil
	}
	bundle, err := appref.BundleOf(ctx, h, what)
	if err != nil {
		return app, err
	}
	app, known, err := appref.Installed(ctx, h, bundle)
	if err == nil && !known {
		app.Bundle = bundle
	}
	return app, err
}

// look reads how the proxy is, and what it saw since it was started.
func (n *Network) look(ctx context.Context, c *op.Call, k *checked) error {
	n.d.Services.Proxy.Reread(ctx)
	if err := n.d.Services.Settled(ctx); err != nil {
		return err
	}
	k.proxy = n.d.Services.Proxy.Status()
	k.mine = k.proxy.ShareOf(c.Session).Bypass
	all, _, err := n.d.Services.Flows.List(ctx, flow.Filter{
		Device: k.info.UDID, OrUnknown: true, App: k.app.Bundle, Since: k.proxy.Started, Finished: true,
	}, capture.Page{Limit: mostChecked, Newest: true})
	for _, f := range all {
		if f.Device == "" {
			k.other++
		} else {
			k.seen = append(k.seen, f)
		}
	}
	return err
}

// comesThrough reports whether the proxy saw what the app asked. Of a handshake that the app ended it saw nothing.
func comesThrough(f flow.Facets) bool { return f.Kind != flow.AppRefused && f.Kind != flow.AppLeft }

// usualExceptions are the hosts that a new Mac reaches without its proxy.
var usualExceptions = []string{"*.local", "169.254/16"}

// obstacles are what is in the way: what stops everything first.
func (n *Network) obstacles(ctx context.Context, k *checked) (all []Obstacle) {
	if k.proxy.State != proxy.Running {
		all = append(all, Obstacle{Kind: obstacleStopped, Why: "the proxy does not run", Mend: k.begin(), all: true})
		return append(all, n.inside(k)...)
	}
	arrives := len(k.seen) > 0 // also what it then refused
	if !arrives {
		all = append(all, n.unset(k)...)
	}
	all = append(all, k.refusals()...)
	if only := k.proxy.Only; only != "" {
		all = append(all, Obstacle{Kind: obstacleOnly, Host: only, Why: "only requests to " + ui.Inline(only) + " are seen",
			Mend: "ios-agent proxy set --only ''"})
	}
	for _, host := range slices.Sorted(maps.Keys(k.proxy.Bypassed)) {
		o := Obstacle{Kind: obstacleUnseen, Host: host, Why: fmt.Sprintf("%s to %s went by unseen, as a bypass asks",
			brief.Count(int(k.proxy.Bypassed[host]), "connection"), ui.Inline(host))}
		if len(k.mine) > 0 {
			o.Mend = "ios-agent proxy set --bypass ''"
		}
		all = append(all, o)
	}
	if change, set := n.d.Services.Host.Current(); set {
		for _, warning := range n.d.Services.Host.Warnings(ctx) {
			all = append(all, Obstacle{Kind: obstacleAround, Why: warning + "; turn it off meanwhile"})
		}
		hosts := slices.DeleteFunc(slices.Clone(change.Bypass), func(host string) bool { return slices.Contains(usualExceptions, host) })
		if !arrives && len(hosts) > 0 {
			all = append(all, Obstacle{Kind: obstacleExcepted, Why: "the Mac reaches these hosts without any proxy: " +
				ui.Inline(strings.Join(hosts, ", "))})
		}
	}
	return append(all, n.inside(k)...)
}

// begin is the command that does the whole set-up, for the app if one is meant.
func (k *checked) begin() string {
	if k.app.Bundle != "" {
		return fmt.Sprintf("ios-agent proxy launch %s --udid %s", k.app.Bundle, k.info.UDID)
	}
	return "ios-agent proxy start --system-proxy --reboot --device " + k.info.UDID
}

// unset is why the device does not use the proxy. It is asked only when nothing of the device was seen: what was seen came through.
func (n *Network) unset(k *checked) []Obstacle {
	change, set := n.d.Services.Host.Current()
	switch {
	case k.info.Type != "simulator":
		return []Obstacle{{Kind: obstaclePhysical, Why: fmt.Sprintf("%s is not a simulator: its own settings say which proxy it uses",
			ui.Inline(k.info.Name)), Mend: "ios-agent proxy guide"}}
	case !set:
		return []Obstacle{{Kind: obstacleNotSet, Why: "simulators use the Mac's proxy, which is not set to this one", Mend: k.begin(), all: true}}
	case k.info.State != device.Booted:
		return []Obstacle{{Kind: obstacleOff, Why: "the simulator is not booted", Mend: k.begin(), all: true}}
	case !change.Reaches(k.info.UDID, k.info.BootedAt):
		return []Obstacle{{Kind: obstacleBooted, Why: "the simulator booted before the Mac's proxy was set, and uses the settings of before",
			Mend: k.begin(), all: true}}
	}
	return nil
}

// refusals are the hosts for which the newest handshake ended because the app did not want our certificate. As long as the device believed
// it nowhere, the device does not trust it; else the app pins the server's.
func (k *checked) refusals() (all []Obstacle) {
	trusts := slices.ContainsFunc(k.seen, func(f flow.Facets) bool { return strings.HasPrefix(f.URL, "https://") && comesThrough(f) })
	newest := map[string]bool{}
	for _, f := range k.seen {
		host := f.Host()
		if newest[host] {
			continue
		}
		newest[host] = true
		if comesThrough(f) {
			continue
		}
		if !trusts && f.Kind == flow.AppRefused {
			return []Obstacle{{Kind: obstacleUntrusted, Host: host, all: true,
				Why:  fmt.Sprintf("the app refused the proxy's certificate for %s, and no app of the device has accepted it", ui.Inline(host)),
				Mend: "ios-agent proxy cert install --udid " + k.info.UDID}}
		}
		why := "the app refused the proxy's certificate for %s, which the device trusts: it pins the server's"
		if f.Kind == flow.AppLeft {
			why = "the app left right after the handshake with %s, without a request: it may pin the server's certificate"
		}
		all = append(all, Obstacle{Kind: obstaclePinned, Host: host, Why: fmt.Sprintf(why, ui.Inline(host)) +
			"; pass its requests on unseen", Mend: "ios-agent proxy set --bypass " + host})
	}
	return all
}

// inside is what the app answers itself.
func (n *Network) inside(k *checked) []Obstacle {
	if n.d.Services.Inside == nil || k.app.Path == "" {
		return nil
	}
	answers, variables := n.d.Services.Inside(k.app.Path)
	if len(answers) == 0 {
		return nil
	}
	o := Obstacle{Kind: obstacleInside, Why: "the virtual app answers requests to virtual:// itself, and they reach no proxy: " +
		ui.Inline(brief.Clip(strings.Join(answers, ", "), mostAnswers)) + "; a server of yours answers instead"}
	if len(variables) == 1 && k.app.Bundle != "" {
		o.Mend = fmt.Sprintf("ios-agent launch %s --udid %s --env %s=URL", k.app.Bundle, k.info.UDID, variables[0])
	} else {
		o.Why += " where its ui.yaml takes an address"
	}
	return []Obstacle{o}
}

// mostAnswers is how many bytes of what an app answers itself are told.
const mostAnswers = 200
