// Package proxy runs the proxy in a separate process, and has the daemon's side of it. The process (Main) accepts connections, applies
// its rules and writes flows into a spool; the daemon's Controller sends it commands, one per line, over its standard input. When that
// ends, the process writes its remaining flows and exits, so that it cannot outlive its daemon. The daemon must never do work per
// request: during a flood it only gets short notices that the spool has new flows.
package proxy

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
	"ios-agent/internal/network/rules"
	"ios-agent/internal/network/spool"
)

// The folders below the proxy's own.
const (
	spoolDir  = "spool"
	bodiesDir = "bodies"
)

// SpoolDir is the folder of the process's spool.
func SpoolDir(dir string) string { return filepath.Join(dir, spoolDir) }

// BodiesDir is the folder of large bodies.
func BodiesDir(dir string) string { return filepath.Join(dir, bodiesDir) }

// ProcessOptions describe the process's machine; the zero value is right outside of tests.
type ProcessOptions struct {
	Whose func(net.Conn) flow.Client                // nil: all clients are unknown
	Roots *x509.CertPool                            // authorities of servers; nil: the system's
	Wait  func(context.Context, time.Duration) bool // see mitm.Options
	// Own reports whether another program of ios-agent than the daemon serves on a port of this machine; home is the proxy's. Such
	// programs come and go, so it is called for each connection. It may be nil.
	Own func(home string, port int) bool
	Log *slog.Logger
}

// process is a running proxy.
type process struct {
	o      ProcessOptions
	say    *voice
	rules  *rules.Rules
	engine *mitm.Proxy
	spool  *spool.Writer
	recent recent
	listen net.Listener
	ports  []uint16 // of the daemon
	home   string
	bell   chan struct{}
	work   sync.WaitGroup
	events chan line     // from the rules, for the daemon
	over   chan struct{} // closed when events are no longer needed
	lock   *os.File      // of the folder: only one process may write the spool
}

// Main is the proxy's process. It ends at the end of its input or of the context; it returns its exit code.
func Main(ctx context.Context, stdin io.Reader, stdout io.Writer, o ProcessOptions) int {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in, say := newLines(stdin), newVoice(stdout)
	var first command
	if err := in.next(&first); err != nil {
		return 1 // the daemon is gone
	}
	if first.Version != version || first.Config == nil {
		_ = say.say(line{Version: version, Error: &trouble{
			Kind: kindInput, Text: fmt.Sprintf("protocol version %d, want %d", first.Version, version),
		}})
		return 1
	}
	p := &process{o: o, say: say, bell: make(chan struct{}, 1), events: make(chan line, 4*rules.MostHeld), over: make(chan struct{})}
	if err := p.open(ctx, *first.Config); err != nil {
		_ = say.say(line{Version: version, Error: troubleOf(err)})
		return 1
	}
	if say.say(line{Version: version, Listen: p.listen.Addr().String()}) != nil {
		cancel()
	}
	p.work.Go(func() { p.serve(cancel) })
	p.work.Go(func() { p.ring(ctx) })
	p.work.Go(p.tell)
	p.obey(ctx, cancel, in)
	p.close()
	return 0
}

// open makes all parts.
func (p *process) open(ctx context.Context, c Config) (err error) {
	if p.lock, err = lock(ctx, c.Dir); err != nil {
		return err
	}
	if p.listen, err = listen(c.Listen, c.Next); err != nil {
		return errors.Join(err, p.lock.Close())
	}
	defer func() {
		if err != nil {
			_ = p.listen.Close()
			_ = p.lock.Close()
		}
	}()
	authority, err := mitm.LoadCA(filepath.Join(c.Dir, caDir))
	if err != nil {
		return err
	}
	way, err := wayOf(c)
	if err != nil {
		return err
	}
	p.home = filepath.Dir(c.Dir)
	for _, own := range c.Own {
		if at, err := netip.ParseAddrPort(own); err == nil {
			p.ports = append(p.ports, at.Port())
		}
	}
	p.rules = rules.New(rules.Options{Told: p.told, First: time.Now().UnixMicro()})
	if err := p.rules.Set(c.Config); err != nil {
		return err
	}
	if p.spool, err = spool.NewWriter(spool.Options{Dir: SpoolDir(c.Dir), Written: p.written}); err != nil {
		return err
	}
	p.engine, err = mitm.New(mitm.Options{
		CA: authority, Rules: p.rules, Tell: both{&p.recent, p.spool}, Whose: p.o.Whose, Bodies: BodiesDir(c.Dir),
		Way: way, Bypasses: p.rules.Bypasses, Own: p.own, Roots: p.o.Roots, Log: p.o.Log, Wait: p.o.Wait,
		Anywhere: true, // the config's sender checked the address
	})
	return err
}

// lockWait is how long the process waits for an earlier one to exit.
const lockWait = 20 * time.Second

// lock reserves the folder for this process. The process of a killed daemon may still be writing its flows.
func lock(ctx context.Context, dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	limit := time.NewTimer(lockWait)
	defer limit.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-look.C:
		case <-limit.C:
			return nil, errors.Join(fmt.Errorf("another proxy of this home still runs after %v", lockWait), f.Close())
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		}
	}
}

const caDir = "ca"

// CADir is the folder of the proxy's authority.
func CADir(dir string) string { return filepath.Join(dir, caDir) }

// wayOf is the mitm.Way of a config.
func wayOf(c Config) (way mitm.Way, err error) {
	way = mitm.Way{Bypass: c.Bypass, Authorities: c.Authorities, Insecure: c.Insecure}
	if c.Upstream == "" {
		return way, nil
	}
	if way.Upstream, err = url.Parse(c.Upstream); err != nil {
		return way, fault.New(fault.InvalidInput, "invalid URL of the upstream proxy")
	}
	return way, nil
}

// portTries is the number of ports to try, as for the daemon's own.
const portTries = 100

// portError says that the proxy cannot listen on a port.
type portError struct {
	at  string
	err error
}

func (e *portError) Error() string {
	return fmt.Sprintf("the proxy cannot listen on %s: %v", e.at, e.err)
}

func (e *portError) Unwrap() error { return e.err }

func listen(at string, next bool) (net.Listener, error) {
	host, portText, err := net.SplitHostPort(at)
	if err != nil {
		return nil, err
	}
	first, err := strconv.Atoi(portText)
	if err != nil {
		return nil, err
	}
	tries := 1
	if next {
		tries = portTries
	}
	for port := first; port < first+tries && port < 1<<16; port++ {
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return l, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return nil, &portError{at, err}
}

// own reports whether an address belongs to ios-agent. The port is enough: the engine refuses only addresses of this machine.
func (p *process) own(address netip.AddrPort) bool {
	return slices.Contains(p.ports, address.Port()) || p.o.Own != nil && p.o.Own(p.home, int(address.Port()))
}

// serve accepts connections until the listener is closed.
func (p *process) serve(cancel context.CancelFunc) {
	if err := p.engine.Serve(p.listen); err != nil && !errors.Is(err, net.ErrClosed) {
		_ = p.say.say(line{Event: eventFailed, Error: troubleOf(err)})
		cancel() // a new process may succeed
	}
}

// written signals that the spool has new flows.
func (p *process) written() {
	select {
	case p.bell <- struct{}{}:
	default:
	}
}

// ringEvery is the minimum interval of notices to the daemon about new flows.
const ringEvery = 20 * time.Millisecond

func (p *process) ring(ctx context.Context) {
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-p.bell:
		case <-ctx.Done():
			return
		}
		select {
		case <-rest.C:
		case <-ctx.Done():
			return
		}
		if p.say.say(line{Event: eventFlows, Hits: p.rules.Hits()}) != nil {
			return
		}
		rest.Reset(ringEvery)
	}
}

// told receives the events of the rules; it does not wait for the daemon.
func (p *process) told(e rules.Event) {
	said := line{Event: eventHeld, Held: &e.Held}
	if e.Held.Released != "" {
		said = line{Event: eventReleased, Flow: e.Held.Flow.ID, Reason: string(e.Held.Released)}
	}
	select {
	case p.events <- said:
	case <-p.over:
	}
}

// tell sends the events to the daemon in their order.
func (p *process) tell() {
	for {
		select {
		case said := <-p.events:
			_ = p.say.say(said) // the end of the input shows that the daemon is gone
		case <-p.over:
			return
		}
	}
}

// obey runs commands until the input or the context ends. Slow commands run separately, so that later ones do not wait.
func (p *process) obey(ctx context.Context, cancel context.CancelFunc, in *lines) {
	commands := make(chan command)
	go func() { // it stays when the context ends first: a read cannot be interrupted
		defer cancel()
		for {
			var c command
			if err := in.next(&c); err != nil {
				return
			}
			select {
			case commands <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case c := <-commands:
			if c.Do == doReplay || c.Do == doFlush {
				p.work.Go(func() { p.answer(ctx, c) })
			} else {
				p.answer(ctx, c)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (p *process) answer(ctx context.Context, c command) {
	reply := line{ID: c.ID}
	if err := p.do(ctx, c, &reply); err != nil {
		reply.Error = troubleOf(err)
	}
	_ = p.say.say(reply) // the end of the input shows that the daemon is gone
}

func (p *process) do(ctx context.Context, c command, reply *line) (err error) {
	switch c.Do {
	case doConfig:
		if c.Config == nil {
			return errors.New("the config is missing")
		}
		if err := p.rules.Set(c.Config.Config); err != nil {
			return err
		}
		way, err := wayOf(*c.Config)
		if err != nil {
			return err
		}
		reply.Hits = p.rules.Hits()
		return p.engine.Set(way)
	case doRelease:
		return p.rules.Release(c.Flow, c.By, c.Change)
	case doReleaseAll:
		reply.Count = p.rules.ReleaseAll(c.By)
	case doReplay:
		if c.Request == nil {
			return errors.New("the request is missing")
		}
		done, err := p.engine.Do(ctx, *c.Request, c.Flow, c.By)
		reply.Flow = done.ID
		return err
	case doRecent:
		if c.Span == nil {
			return errors.New("the time span is missing")
		}
		reply.Recent = p.recent.in(*c.Span)
	case doFlush:
		p.spool.Flush()
		reply.Hits, reply.Bypassed = p.rules.Hits(), p.engine.Figures().Bypassed
	default:
		return fmt.Errorf("unknown command %q", c.Do)
	}
	return nil
}

// closeLimit is how long connections may take to end.
const closeLimit = 3 * time.Second

// close releases all held flows, ends all connections and writes the remaining flows.
func (p *process) close() {
	_ = p.listen.Close()
	p.rules.Close()
	close(p.over)
	limit, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	_ = p.engine.Close(limit)
	p.work.Wait()
	if err := p.spool.Close(); err != nil {
		p.o.Log.Warn("cannot close the spool", "error", err)
	}
	_ = p.lock.Close()
}

// troubleOf is an error in the form for the pipe.
func troubleOf(err error) *trouble {
	out := &trouble{Kind: kindOther, Text: err.Error()}
	var port *portError
	var notHeld *rules.NotHeldError
	var change *rules.ChangeError
	var owned *rules.OwnedError
	f, known := fault.In(err)
	switch {
	case errors.As(err, &notHeld):
		out.Kind = kindNotHeld
	case errors.As(err, &owned):
		out.Kind, out.What, out.Owner = kindOwned, owned.What, owned.Owner
	case errors.As(err, &port):
		out.Kind = kindPort
	case errors.As(err, &change):
		out.Kind, out.Hint, out.Field = kindInput, change.Hint+" The flow is still held.", change.Field
	case known && f.Code == fault.InvalidInput:
		out.Kind, out.Hint = kindInput, f.Hint
	}
	return out
}
