package product

import (
	"context"
	"io"
	"net/url"
	"path/filepath"

	"ios-agent/internal/apple/networksetup"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/network/mitm"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/ops/network"
	"ios-agent/internal/telemetry"
)

// openNetwork makes what captures requests, and starts the proxy that ran when the daemon before ended.
func openNetwork(o Options, said *telemetry.Store, secrets *mask.Set, who *owners) network.Services {
	dir := filepath.Join(o.Home.String(), "proxy")
	flows := capture.New(capture.Options{
		Store: said, Spool: proxy.SpoolDir(dir), Bodies: proxy.BodiesDir(dir), Hide: secrets.Text, Decode: mitm.Decode, Now: o.Now,
		Log: o.Log,
	})
	journal := hostproxy.JournalOf(o.Home.String())
	watch := func() (io.Closer, error) { return o.Watcher(journal) }
	if o.Watcher == nil {
		watch = nil
	}
	settings := hostproxy.NewKeeper(hostproxy.KeeperOptions{
		Tool: networksetup.Tool{Host: o.Host, Tools: o.Tools}, Journal: journal, Watch: watch, Log: o.Log,
	})
	runs := proxy.New(proxy.Options{
		Dir: dir, Program: o.Program, Run: o.Host, Spooled: flows.Ring, Log: o.Log, Now: o.Now,
		Drivers: who.drivers, Left: who.left,
		Ended: func(ctx context.Context) {
			if n, err := flows.Ended(ctx); n > 0 || err != nil {
				o.Log.Info("requests that the proxy left open", "count", n, "error", err)
			}
		},
		GivenUp: func() {
			undone, err := settings.Undo(context.Background()) // else nothing on this Mac would reach the network
			o.Log.Warn("the proxy is given up", "settings", undone.Text(), "error", err)
		},
		Own: func() []string {
			if u, err := url.Parse(o.Server.URL); err == nil && u.Port() != "" {
				return []string{u.Host}
			}
			return nil
		},
	})
	settings.Begin(runs.Resume())
	return network.Services{
		Proxy: runs, Flows: flows, Host: settings, Version: o.Version, Inside: o.Inside, Authority: func(made bool) (*mitm.CA, error) {
			if made {
				return mitm.LoadCA(proxy.CADir(dir))
			}
			return mitm.ReadCA(proxy.CADir(dir))
		},
	}
}
