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
	"strings"
	"sync"
	"time"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/freeport"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/text/brief"
)

// Start holds the limits for starting an agent. The zero value suits a busy Mac and a virtual machine.
type Start struct {
	// Wait is how long one try may take, from the start of its process to its greeting (default 5 minutes). A first start in a virtual
	// machine takes two.
	Wait time.Duration
	// Quiet is how long xcodebuild may print nothing new after Wait before the try ends (default 1 minute).
	Quiet time.Duration
	Try   int // number of tries (default 4): its port may be taken, or its process may exit at once
	Port  int // first port of a range with one port for each device; 0: a free port
	// Greeting is how long a running agent may take to greet before it is replaced (default 15 seconds). An agent greets even while
	// XCTest blocks its main queue, so an agent that does not greet hangs.
	Greeting time.Duration

	PublicOnly bool // use only documented keys of XCTest
}

const (
	usualWait     = 5 * time.Minute
	usualQuiet    = time.Minute
	usualTry      = 4
	usualSlow     = 2 // tries that may run out of time
	usualGreeting = 15 * time.Second

	// An agent on a simulator listens soon after it is installed. A call through a cable costs more than one on loopback.
	greetGap    = 20 * time.Millisecond
	mostGap     = 500 * time.Millisecond
	progressGap = 5 * time.Second // between two texts of progress
)

func (s Start) filled() Start {
	s.Wait, s.Quiet = cmp.Or(s.Wait, usualWait), cmp.Or(s.Quiet, usualQuiet)
	s.Try, s.Greeting = cmp.Or(s.Try, usualTry), cmp.Or(s.Greeting, usualGreeting)
	return s
}

// The reasons for which a start is not tried again in the same way.
var (
	errSlow    = errors.New("it did not greet in time")
	errProfile = errors.New("the device refuses its provisioning profile")
)

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
	start := d.Start.filled()
	device.Progress(ctx, "xcodebuild starts")
	var last error
	log := ""
	for try, slow := 0, 0; try < start.Try && slow < usualSlow; try++ {
		if on.vacate != nil {
			on.vacate(ctx)
		}
		port, err := d.port(on.info.UDID, try)
		if err != nil {
			return nil, fault.New(fault.AgentFailed, "cannot find a port for the agent: %w", err)
		}
		a, err := d.launch(ctx, on, port)
		if err != nil {
			return nil, err
		}
		if last = a.ready(ctx, target, start); last == nil {
			return a, nil
		}
		log, a.failed = a.process.Spool, d.Kit.Failed(on.info.UDID)
		a.stop(context.WithoutCancel(ctx))
		if ctx.Err() != nil || errors.Is(last, errProfile) {
			break
		}
		if errors.Is(last, errSlow) {
			slow++
		}
	}
	f := fault.New(fault.AgentFailed, "cannot start the agent on %s: %w", on.info.Name, last)
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
		name: on.info.Name, udid: udid, address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), token: hex.EncodeToString(secret),
		build: d.Kit.ID, since: time.Now(), derived: d.Kit.Derived(udid), end: on.end, heard: make(chan string, 1),
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
	cmd.OnLine = func(_ host.Stream, line []byte) {
		a.output.note(string(line))
		if address, ok := agentwire.AddressIn(string(line)); ok {
			select {
			case a.heard <- address:
			default: // it has printed the address before
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
	switch {
	case d.Start.Port == 0 && try%2 == 1:
		return 0, nil // another program may have taken the port of the try before: the agent chooses one and prints it
	case d.Start.Port == 0:
		return freeport.Find()
	}
	h := fnv.New32a()
	h.Write([]byte(udid))
	return d.Start.Port + int((h.Sum32()+uint32(try)*7)%ports), nil
}

// ready connects until the agent answers the greeting, its process ends, or time runs out. It asks at the told port from the beginning:
// xcodebuild may hold back the line in which the agent prints its port.
func (a *agent) ready(ctx context.Context, target string, start Start) error {
	gap := greetGap
	retry := time.NewTimer(0)
	defer retry.Stop()
	report := time.NewTicker(progressGap)
	defer report.Stop()
	var last error
	for {
		select {
		case a.address = <-a.heard:
			retry.Reset(0)
		case <-retry.C:
			if last = a.greetWithin(ctx, target, start.Greeting); last == nil {
				return nil
			}
			if wrong := (*wrongAgent)(nil); errors.As(last, &wrong) {
				return last // another try would reach the same agent
			}
			retry.Reset(gap)
			gap = min(gap*5/4, mostGap)
		case <-report.C:
			device.Progress(ctx, a.output.line())
		case <-a.process.Done():
			return a.exited()
		case <-ctx.Done():
			return fmt.Errorf("no greeting in time: %w", last)
		}
		if time.Since(a.since) > start.Wait && a.output.quietFor() > start.Quiet {
			return fmt.Errorf("%w: %w", errSlow, last)
		}
	}
}

// greetWithin limits one greeting, because another program may have taken the port and say nothing.
func (a *agent) greetWithin(ctx context.Context, target string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return a.greet(ctx, target)
}

// output is what xcodebuild prints while an agent starts.
type output struct {
	mu      sync.Mutex
	last    string
	news    time.Time // when it last printed something else than before
	refused string    // its line about a signature that the device refused
}

func (o *output) note(line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if line = strings.TrimSpace(line); line != "" && line != o.last {
		o.last, o.news = line, time.Now()
	}
	if xcodebuild.IsProfileRefusal(line) {
		o.refused = line
	}
}

// line is the last line, shortened.
func (o *output) line() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last == "" {
		return "xcodebuild has printed nothing yet"
	}
	return brief.Clip(o.last, mostLine)
}

func (o *output) quietFor() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Since(o.news)
}

const (
	mostLine   = 120
	mostReason = 400
)

func (a *agent) exited() error {
	a.output.mu.Lock()
	defer a.output.mu.Unlock()
	if a.output.refused != "" {
		return fmt.Errorf("%w: %s", errProfile, brief.Clip(a.output.refused, mostReason))
	}
	return fmt.Errorf("it exited at once: %s", a.process.LastOutput())
}
