package world

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/urlsession"
)

// SetProxy sends the requests of a device's apps through a proxy such as http://127.0.0.1:9101; "" restores the host's settings at the
// device's boot. A real simulator has only the latter.
func (w *World) SetProxy(ctx context.Context, udid, address string) error {
	if address != "" {
		if u, err := url.Parse(address); err != nil || u.Host == "" {
			return &Error{Domain: urlsession.Domain, Code: int(urlsession.BadURL), Message: "the proxy " + address +
				" is not a URL such as http://127.0.0.1:9101"}
		}
	}
	return w.alter(ctx, udid, func(d *device, _ time.Time) error {
		d.Settings.Proxy = address
		return nil
	})
}

// proxy is the proxy for a URL: from the app's launch environment, or the device's.
func (p *process) proxy(u *url.URL) string {
	if p.exempt(u.Hostname()) {
		return p.hostProxy(u)
	}
	for _, name := range []string{u.Scheme + "_proxy", "all_proxy"} {
		for _, spelled := range []string{strings.ToUpper(name), name} {
			if address := p.Env[spelled]; address != "" {
				if !strings.Contains(address, "://") {
					address = "http://" + address
				}
				return address
			}
		}
	}
	return p.hostProxy(u)
}

// hostProxy is the device's own proxy, or the Mac's proxy at the device's boot.
func (p *process) hostProxy(u *url.URL) string {
	return cmp.Or(p.on.Settings.Proxy, p.on.Proxies.of(u))
}

// exempt reports whether the launch environment excludes a host from its proxy.
func (p *process) exempt(host string) bool {
	hosts := strings.Split(p.Env["NO_PROXY"]+","+p.Env["no_proxy"], ",")
	return slices.ContainsFunc(hosts, func(h string) bool {
		h = strings.TrimSpace(h)
		return h != "" && (h == "*" || strings.EqualFold(h, host) || strings.HasSuffix(host, "."+strings.TrimPrefix(h, ".")))
	})
}
