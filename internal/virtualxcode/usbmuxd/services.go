package usbmuxd

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// The services that a device has.
const (
	syslogRelay       = "com.apple.syslog_relay"
	installationProxy = "com.apple.mobile.installation_proxy"
)

// prepare makes a service ready for one connection: its data begins at this moment.
type prepare func(*Server, world.Physical) func(context.Context, net.Conn)

func services() map[string]prepare {
	return map[string]prepare{
		syslogRelay: (*Server).syslog, installationProxy: (*Server).installation, reportMover: (*Server).mover, reportCopy: (*Server).copier,
	}
}

// opened is a port opened for one connection of a host.
type opened struct {
	service string
	who     pairing
}

// serviceOf is a service of a device, for one connection.
func (s *Server) serviceOf(ctx context.Context, o opened, p world.Physical) func(net.Conn) {
	serve := services()[o.service](s, p)
	return func(conn net.Conn) {
		config, err := o.who.server()
		if err != nil {
			return
		}
		secret := tls.Server(conn, config)
		if secret.HandshakeContext(ctx) == nil {
			serve(ctx, secret)
		}
	}
}

// syslog sends the growing log of a device: lines that end with a zero byte.
func (s *Server) syslog(p world.Physical) func(context.Context, net.Conn) {
	_, next, more, failed := s.World.Logs(p.UDID, 1<<62)
	return func(ctx context.Context, conn net.Conn) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			_, _ = io.Copy(io.Discard, conn) // until the client disconnects
			cancel()
		}()
		for failed == nil {
			select {
			case <-more:
			case <-ctx.Done():
				return
			}
			var entries []world.Entry
			entries, next, more, failed = s.World.Logs(p.UDID, next)
			for _, e := range entries {
				if _, err := io.WriteString(conn, line(p, e)); err != nil {
					return
				}
			}
		}
	}
}

// line is an entry as syslog_relay sends it.
func line(p world.Physical, e world.Entry) string {
	host := strings.TrimSuffix(p.Hostnames()[0], ".coredevice.local")
	process := e.Process
	if e.Subsystem != "" {
		process += "(" + e.Subsystem[strings.LastIndex(e.Subsystem, ".")+1:] + ")"
	}
	level := string(e.Level)
	if e.Level == world.LevelDefault {
		level = "Notice"
	}
	return fmt.Sprintf("%s %s %s[%d] <%s>: %s\n\x00", e.Time.Format("Jan _2 15:04:05"), host, process, e.PID, level, vis(e.Message))
}

// vis encodes a text like the relay: characters outside printable ASCII are escaped, except line feeds.
func vis(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b.WriteString(`\134`)
		case c == 0x80|' ':
			b.WriteString(`\240`)
		case c > 0x80|' ' && c != 0xff:
			b.WriteString(`\M-` + string(rune(c&0x7f)))
		case c >= 0x80:
			b.WriteString(`\M^` + string(rune(c&0x7f^0x40)))
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7f:
			b.WriteString(`\^` + string(rune(c^0x40)))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// installation answers which apps are installed.
func (s *Server) installation(p world.Physical) func(context.Context, net.Conn) {
	return func(_ context.Context, conn net.Conn) {
		for {
			request, err := readDown(conn)
			if err != nil {
				return
			}
			apps := map[string]any{}
			all, err := s.World.Apps(p.UDID)
			for _, a := range all {
				apps[a.BundleID] = map[string]any{
					"CFBundleIdentifier": a.BundleID, "CFBundleExecutable": a.Executable, "CFBundleDisplayName": a.Name,
				}
			}
			switch command := text(request, "Command"); {
			case err != nil:
				err = writeDown(conn, map[string]any{"Error": err.Error()})
			case command == "Lookup":
				err = writeDown(conn, map[string]any{"Status": "Complete", "LookupResult": chosen(request, apps)})
			default:
				err = writeDown(conn, map[string]any{"Error": "UnknownCommand"})
			}
			if err != nil {
				return
			}
		}
	}
}

// chosen are the apps in a request, or all.
func chosen(request, apps map[string]any) map[string]any {
	options, _ := request["ClientOptions"].(map[string]any)
	ids, named := options["BundleIDs"].([]any)
	if !named {
		return apps
	}
	found := map[string]any{}
	for _, id := range ids {
		if name, _ := id.(string); apps[name] != nil {
			found[name] = apps[name]
		}
	}
	return found
}
