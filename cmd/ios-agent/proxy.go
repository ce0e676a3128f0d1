package main

import (
	"log/slog"
	"net"
	"os"

	"ios-agent/internal/client/webdriver"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/whose"
)

// playProxy makes this program the proxy's process when the daemon starts it as that. It needs no catalogue.
func playProxy(args []string) (exit int, played bool) {
	if len(args) != 2 || args[1] != proxy.Command {
		return 0, false
	}
	ctx, cancel := untilSignalled()
	defer cancel()
	finder := whose.New()
	return proxy.Main(ctx, os.Stdin, os.Stdout, proxy.ProcessOptions{
		Whose: func(c net.Conn) flow.Client { return finder.Of(c.LocalAddr(), c.RemoteAddr()) },
		Own:   webdriver.ServedAt,
		Log:   slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}), true
}
