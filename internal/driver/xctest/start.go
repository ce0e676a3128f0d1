package xctest

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"strconv"
	"time"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/freeport"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/wholefile"
)

// Start holds the limits for starting an agent. The zero value suits a simulator on a busy machine.
type Start struct {
	Wait time.Duration // from the start of its process to its greeting (default 2 minutes)
	Try  int           // number of tries (default 4): its port may be taken, or its process may exit at once
	Port int           // first port of a range with one port for each device; 0: the agent chooses a port
	// Address is how long an agent may take to print the port that it chose (default half of Wait). The next try gives it a port,
	// because some versions of Xcode may not pass on the agent's output.
	Address time.Duration
	// Greeting is how long a running agent may take to greet before it is replaced (default 15 seconds). An agent greets even while
	// XCTest blocks its main queue, so an agent that does not greet hangs.
	Greeting time.Duration

	PublicOnly bool // use only documented keys of XCTest
}

const (
	usualWait     = 2 * time.Minute
	usualTry      = 4
	usualGreeting = 15 * time.Second
	greetGap      = 20 * time.Millisecond
)

func (s Start) filled() Start {
	s.Wait, s.Try, s.Greeting = cmp.Or(s.Wait, usualWait), cmp.Or(s.Try, usualTry), cmp.Or(s.Greeting, usualGreeting)
	s.Address = cmp.Or(s.Address, s.Wait/2)
	return s
}

// errUnheard means that an agent runs but has not printed its address.
var errUnheard = errors.New("it has not printed its port")

// site is where an agent starts, and from which products.
type site struct {
	info     device.Info
	sdk      string
	products string                    // the .xctestrun
	vacate   func(ctx context.Context) // ends what an earlier agent left; nil: no cleanup needed
	end      func(ctx context.Context) // ends the runner after xcodebuild was killed; nil: the runner ends by itself
	// dial connects to a port of the device; nil: its ports are ports of this computer, as on a simulator.
	dial func(ctx context.Context, port int) (net.Conn, error)
}

// spawn starts an agent for a device and greets it.
func (d *Driver) spawn(ctx context.Context, on site, target string) (*agent, error) {
	info := on.info
	start := d.Start.filled()
	ctx, cancel := context.WithTimeout(ctx, start.Wait)
	defer cancel()
	device.Progress(ctx, "starting the agent on "+info.Name)
	told := start.Port != 0 || d.told.Load()
	var last, err error
	log := ""
	for try := range start.Try {
		if on.vacate != nil {
			on.vacate(ctx)
		}
		port := 0
		if told {
			if port, err = d.port(info.UDID, try); err != nil {
				return nil, fault.New(fault.AgentFailed, "cannot find a port for the agent: %w", err)
			}
		}
		a, err := d.launch(ctx, on, port)
		if err != nil {
			return nil, err
		}
		if last = a.ready(ctx, target, start.Address); last == nil {
			d.told.Store(told)
			return a, nil
		}
		log = a.process.Spool
		a.stop(context.WithoutCancel(ctx))
		if ctx.Err() != nil {
			break
		}
		told = told || errors.Is(last, errUnheard)
	}
	f := fault.New(fault.AgentFailed, "cannot start the agent on %s: %w", info.Name, last)
	if log == "" {
		return nil, f
	}
	return nil, f.WithHint("read its output in %s", log).With("log", log)
}

// vacate ends a runner that an earlier agent left on a device, and waits a moment for its end: two runners with one bundle id disturb
// each other. If the device does not answer, the next steps report it.
func vacate(ctx context.Context, runner string, running func(context.Context) (map[string]int, error), end func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, runnerEnd)
	defer cancel()
	look := time.NewTicker(runnerGap)
	defer look.Stop()
	for asked := false; ; asked = true {
		all, err := running(ctx)
		if err != nil || all[runner] == 0 {
			return
		}
		if !asked {
			end(ctx)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

const (
	runnerEnd = 5 * time.Second // it takes up to three seconds when its xcodebuild was killed
	runnerGap = 100 * time.Millisecond
)

// emptied creates or clears a folder and checks that it is writable.
func emptied(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return wholefile.Try(dir)
}

// launch starts the process of an agent. With port 0 the agent chooses one and prints it.
func (d *Driver) launch(ctx context.Context, on site, port int) (*agent, error) {
	udid := on.info.UDID
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, fault.New(fault.Internal, "cannot create the agent's token: %w", err)
	}
	a := &agent{
		udid: udid, address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), token: hex.EncodeToString(secret),
		build: d.Kit.ID, since: time.Now(), derived: d.Kit.Derived(udid), end: on.end,
	}
	a.dial = func(ctx context.Context) (*agentwire.Client, error) { return d.Talk.Dial(ctx, a.address) }
	if on.dial != nil {
		a.dial = func(ctx context.Context) (*agentwire.Client, error) {
			conn, err := on.dial(ctx, a.port())
			if err != nil {
				return nil, err
			}
			return d.Talk.Client(conn), nil
		}
	}
	cmd := xcodebuild.Agent{
		Xcodebuild: d.Tools.Tool("xcodebuild"), Products: on.products, UDID: udid, SDK: on.sdk, Derived: a.derived, Port: port,
		Token: a.token, Build: a.build, PublicOnly: d.Start.PublicOnly,
	}.Command()
	cmd.Spool, cmd.Grace = d.Kit.Log(), leaveGrace
	if port == 0 {
		a.heard = make(chan string, 1)
		cmd.OnLine = func(_ host.Stream, line []byte) {
			if address, ok := agentwire.AddressIn(string(line)); ok {
				select {
				case a.heard <- address:
				default: // it has printed the address before
				}
			}
		}
	}
	err := emptied(a.derived)
	if err != nil {
		return nil, fault.During("the folder of the agent's run", err)
	}
	if a.process, err = d.Host.Start(ctx, cmd); err != nil {
		return nil, toolFault(err)
	}
	return a, nil
}

// ports is the number of ports in a range.
const ports = 1000

// port chooses the port for an agent. In a range it is the same each time, so that a firewall can allow it, and another one after a
// failed try. A process that takes the port before the agent does not have the token: the greeting fails, and so does the try.
func (d *Driver) port(udid string, try int) (int, error) {
	if d.Start.Port == 0 {
		return freeport.Find()
	}
	h := fnv.New32a()
	h.Write([]byte(udid))
	return d.Start.Port + int((h.Sum32()+uint32(try)*7)%ports), nil
}

// ready connects until the agent answers the greeting, its process ends, or time runs out.
func (a *agent) ready(ctx context.Context, target string, patience time.Duration) error {
	if err := a.listens(ctx, patience); err != nil {
		return err
	}
	retry := time.NewTicker(greetGap)
	defer retry.Stop()
	for {
		err := a.greet(ctx, target)
		if err == nil {
			return nil
		}
		if wrong := (*wrongAgent)(nil); errors.As(err, &wrong) {
			return err // another try would reach the same agent
		}
		select {
		case <-a.process.Done():
			return a.exited()
		case <-ctx.Done():
			return fmt.Errorf("no greeting in time: %w", err)
		case <-retry.C:
		}
	}
}

// listens waits until the agent's address is known.
func (a *agent) listens(ctx context.Context, patience time.Duration) error {
	if a.heard == nil {
		return nil
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case a.address = <-a.heard:
		return nil
	case <-a.process.Done():
		return a.exited()
	case <-late.C:
		return errUnheard
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errUnheard, ctx.Err())
	}
}

func (a *agent) exited() error { return fmt.Errorf("it exited at once: %s", a.process.LastOutput()) }
