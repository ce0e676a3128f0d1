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
	Wait time.Duration // from the start of its process to its greeting; 0 is two minutes
	Try  int           // how often: its port may be taken, or its process may end at once; 0 is four
	Port int           // the first port of a range with one port for each device; 0 is a port that the agent chooses
	// Address is how long an agent that chooses its port may take to print it. The next try is told a port: some Xcode may not pass
	// on what the agent prints. 0 is half of Wait.
	Address time.Duration
	// Greeting is how long an agent that runs may take to greet before another is started. It greets also while XCTest keeps its main
	// queue, so that one that does not hangs. 0 is 15 seconds, for a busy machine.
	Greeting time.Duration

	PublicOnly bool // no undocumented keys of XCTest
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

// errUnheard means that an agent runs and its address is not known.
var errUnheard = errors.New("it does not say on which port it listens")

// site is where an agent is started, and of what.
type site struct {
	info     device.Info
	sdk      string
	products string                    // the .xctestrun
	vacate   func(ctx context.Context) // ends what an earlier agent left; nil: nothing is left
	end      func(ctx context.Context) // ends the runner of an xcodebuild that was killed; nil: it ends by itself
	// dial connects to a port of the device; nil: its ports are this computer's, as a simulator's are.
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
				return nil, fault.New(fault.AgentFailed, "finding a port for the agent: %w", err)
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
	f := fault.New(fault.AgentFailed, "the agent on %s does not start: %w", info.Name, last)
	if log == "" {
		return nil, f
	}
	return nil, f.WithHint("what it printed is in %s", log).With("log", log)
}

// vacate ends a runner that an earlier agent left on a device, and waits a moment for its end: two runners with one bundle id
// disturb each other. A device that does not answer is left to those who come next.
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
	runnerEnd = 5 * time.Second // it takes up to three when its xcodebuild was killed
	runnerGap = 100 * time.Millisecond
)

// emptied makes a folder that has nothing in it and can be written.
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
		return nil, fault.New(fault.Internal, "making the agent's token: %w", err)
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
				default: // it has said so before
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

// ports is how many ports a range has.
const ports = 1000

// port chooses the port of an agent that is told one. With a range it is the same each time, so that a firewall can allow it, and
// another one after a try that failed. Who takes the port before the agent does knows no token: the greeting fails, and so does the try.
func (d *Driver) port(udid string, try int) (int, error) {
	if d.Start.Port == 0 {
		return freeport.Find()
	}
	h := fnv.New32a()
	h.Write([]byte(udid))
	return d.Start.Port + int((h.Sum32()+uint32(try)*7)%ports), nil
}

// ready connects until the agent answers the greeting, its process ends, or time is up.
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
			return err // trying again does not change which agent this is
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

// listens waits until the address of the agent is known.
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
