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
	"ios-agent/internal/hint"
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
		"Check whether an app's requests reach the proxy, and how to fix it", reads,
		"proxy check com.iosagent.shop", `proxy check --sim "iPhone 16"`)
	s.Help = "It checks the proxy, the Mac's settings, the simulator's boot time, the bypassed hosts, and the last TLS handshakes of the\n" +
		"device. It sends and changes nothing."
	s.Next = []string{"list_flows"}
	return op.New(s, n.Check)
}

// ProxyCheckIn names a device and an app.
type ProxyCheckIn struct {
	target.Target
	Bundle string `json:"bundle_id,omitempty" doc:"bundle id or name; default: all apps of the device" cli:"arg"`
}

// The values of ProxyCheckOut.Through: whether requests reach the proxy.
const (
	throughYes     = "yes"
	throughNo      = "no"
	throughUnknown = "unknown" // no obstacle was found, and no request has come yet
)

// Obstacle is one reason why requests do not reach the proxy.
type Obstacle struct {
	Kind string `json:"kind"`
	Host string `json:"host,omitempty"` // the only host with this obstacle
	Why  string `json:"why"`
	Mend string `json:"mend,omitempty"` // the call that removes it

	all bool // it stops all requests of the app
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

// ProxyCheckOut says whether requests reach the proxy, and lists the obstacles.
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

// Text is the result, and each obstacle with its fix.
func (o ProxyCheckOut) Text() string {
	w := brief.New(0)
	whose := ui.Inline(o.Device)
	if o.Bundle != "" {
		whose = ui.Inline(o.Bundle) + " on " + whose
	}
	whose = oneline.Head(whose)
	switch o.Through {
	case throughYes:
		w.Linef("%s: requests reach the proxy, %d so far, the newest at %s", whose, o.Seen, o.Newest)
	case throughNo:
		w.Linef("%s: no request reaches the proxy", whose)
	default:
		w.Linef("%s: no request has reached the proxy yet; use the app first", whose)
	}
	for _, one := range o.Obstacles {
		w.Line("- " + one.Why)
		if one.Mend != "" {
			w.Line("  hint: " + one.Mend)
		}
	}
	if o.Foreign > 0 && o.Seen == 0 {
		w.Linef("note: %s came from unknown devices; some may be from this one", brief.Count(o.Foreign, "request"))
	}
	return w.String()
}

// checked has the facts for a check.
type checked struct {
	info  device.Info
	app   device.App // an empty bundle id: all apps
	proxy proxy.Status
	mine  []string // hosts that the session bypasses
	seen  []flow.Facets
	other int // requests of unknown devices
}

// mostChecked is the maximum number of requests that a check reads, the newest first.
const mostChecked = 500

// Check reports whether an app's requests reach the proxy, and why not.
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

// named finds the app, with its folder if the device lists its apps.
func (k *checked) named(ctx context.Context, h *pool.Handle, what string) (app device.App, err error) {
	if what == "" || k.info.State != device.Booted { // a device that is shut down does not list its apps
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

// look reads the state of the proxy and its requests since it started.
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

// comesThrough reports whether the proxy could read the request. If the app ended the handshake, it could not.
func comesThrough(f flow.Facets) bool { return f.Kind != flow.AppRefused && f.Kind != flow.AppLeft }

// usualExceptions are the hosts that every Mac reaches without its proxy by default.
var usualExceptions = []string{"*.local", "169.254/16"}

// obstacles lists the obstacles. Obstacles that stop all requests come first.
func (n *Network) obstacles(ctx context.Context, k *checked) (all []Obstacle) {
	if k.proxy.State != proxy.Running {
		all = append(all, Obstacle{Kind: obstacleStopped, Why: "the proxy does not run", Mend: k.begin(), all: true})
		return append(all, n.inside(k)...)
	}
	arrives := len(k.seen) > 0 // refused handshakes count: they reached the proxy
	if !arrives {
		all = append(all, n.unset(k)...)
	}
	all = append(all, k.refusals()...)
	if only := k.proxy.Only; only != "" {
		all = append(all, Obstacle{Kind: obstacleOnly, Host: only, Why: "only requests to " + ui.Inline(only) + " are captured",
			Mend: hint.Do("proxy_set", "only", "")})
	}
	for _, host := range slices.Sorted(maps.Keys(k.proxy.Bypassed)) {
		o := Obstacle{Kind: obstacleUnseen, Host: host, Why: fmt.Sprintf("%s to %s bypassed the proxy, as set",
			brief.Count(int(k.proxy.Bypassed[host]), "connection"), ui.Inline(host))}
		if len(k.mine) > 0 {
			o.Mend = hint.Do("proxy_set", "bypass", []string{""})
		}
		all = append(all, o)
	}
	if change, set := n.d.Services.Host.Current(); set {
		for _, warning := range n.d.Services.Host.Warnings(ctx) {
			all = append(all, Obstacle{Kind: obstacleAround, Why: warning + "; turn it off while you use the proxy"})
		}
		hosts := slices.DeleteFunc(slices.Clone(change.Bypass), func(host string) bool { return slices.Contains(usualExceptions, host) })
		if !arrives && len(hosts) > 0 {
			all = append(all, Obstacle{Kind: obstacleExcepted, Why: "the Mac's settings exclude these hosts from the proxy: " +
				ui.Inline(strings.Join(hosts, ", "))})
		}
	}
	return append(all, n.inside(k)...)
}

// begin is the call that sets up everything, for the app if there is one.
func (k *checked) begin() string {
	if k.app.Bundle != "" {
		return hint.Do("proxy_launch", "bundle_id", k.app.Bundle, "udid", k.info.UDID)
	}
	return hint.Do("proxy_start", "system_proxy", true, "reboot", true, "device", k.info.UDID)
}

// unset is why the device does not use the proxy. It is called only if no request of the device has reached the proxy.
func (n *Network) unset(k *checked) []Obstacle {
	change, set := n.d.Services.Host.Current()
	switch {
	case k.info.Type != "simulator":
		return []Obstacle{{Kind: obstaclePhysical, Why: fmt.Sprintf("%s is not a simulator: its own settings choose its proxy",
			ui.Inline(k.info.Name)), Mend: hint.Do("proxy_guide")}}
	case !set:
		return []Obstacle{{Kind: obstacleNotSet, Why: "simulators use the Mac's proxy, which is not set to this one", Mend: k.begin(), all: true}}
	case k.info.State != device.Booted:
		return []Obstacle{{Kind: obstacleOff, Why: "the simulator is not booted", Mend: k.begin(), all: true}}
	case !change.Reaches(k.info.UDID, k.info.BootedAt):
		return []Obstacle{{Kind: obstacleBooted, Why: "the simulator booted before the Mac's proxy was set, and uses the old settings",
			Mend: k.begin(), all: true}}
	}
	return nil
}

// refusals are the hosts whose newest handshake failed because the app refused the proxy's certificate. If no app of the device has ever
// accepted it, the device does not trust it; else the app pins the server's certificate.
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
				Mend: hint.Do("install_proxy_cert", "udid", k.info.UDID)}}
		}
		why := "the app refused the proxy's certificate for %s, which the device trusts: it pins the server's"
		if f.Kind == flow.AppLeft {
			why = "the app closed the connection to %s right after the handshake, without a request: it may pin the server's certificate"
		}
		all = append(all, Obstacle{Kind: obstaclePinned, Host: host, Why: fmt.Sprintf(why, ui.Inline(host)) +
			"; bypass it", Mend: hint.Do("proxy_set", "bypass", []string{host})})
	}
	return all
}

// inside lists the requests that a virtual app answers itself.
func (n *Network) inside(k *checked) []Obstacle {
	if n.d.Services.Inside == nil || k.app.Path == "" {
		return nil
	}
	answers, variables := n.d.Services.Inside(k.app.Path)
	if len(answers) == 0 {
		return nil
	}
	o := Obstacle{Kind: obstacleInside, Why: "the virtual app answers requests to virtual:// itself, and they reach no proxy: " +
		ui.Inline(brief.Clip(strings.Join(answers, ", "), mostAnswers)) + "; your own server can answer instead"}
	if len(variables) == 1 && k.app.Bundle != "" {
		o.Mend = hint.Do("launch_app", "bundle_id", k.app.Bundle, "udid", k.info.UDID, "env", []string{variables[0] + "=URL"})
	} else {
		o.Why += " if its ui.yaml has an input for the address"
	}
	return []Obstacle{o}
}

// mostAnswers is the maximum number of bytes for the list of such requests.
const mostAnswers = 200
