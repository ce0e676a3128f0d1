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
	"strconv"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// agent is one running XCTest agent and the stream to it.
type agent struct {
	udid    string
	port    int
	address string
	token   string
	build   string
	since   time.Time
	process *host.Process
	talk    *agentwire.Talk

	mu     sync.Mutex // guards the fields below: stop may be called during a request
	stream *agentwire.Client
	info   agentwire.HelloInfo
	target string // the app it was told to look at
}

// client is the stream in use; nil when there is none.
func (a *agent) client() *agentwire.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stream
}

// turn tells the agent which app was in front last, if that is another than it knows.
func (a *agent) turn(ctx context.Context, target string) error {
	a.mu.Lock()
	client, known := a.stream, a.target
	a.mu.Unlock()
	switch {
	case client == nil:
		return errors.New("the agent was stopped")
	case known == target:
		return nil
	}
	if _, err := agentwire.Ask[*agentwire.OK](ctx, client, &agentwire.SetTarget{Bundle: target}); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.target = target
	return nil
}

// can reports whether the agent has an ability.
func (a *agent) can(ability string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.info.Can(ability)
}

// use makes c the stream, and ends the one before.
func (a *agent) use(c *agentwire.Client) {
	a.mu.Lock()
	old := a.stream
	a.stream = c
	a.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

// Start holds the limits for starting an agent. The zero value suits a simulator on a busy machine.
type Start struct {
	Wait time.Duration // from the start of its process to its greeting; 0 is two minutes
	Try  int           // how often: its port may be taken, or its process may end at once; 0 is three
	Port int           // the first port of a range with one port for each device; 0 is any free port
	// Greeting is how long an agent that runs may take to greet before another is started; 0 is two seconds.
	Greeting time.Duration

	PublicOnly bool // no undocumented keys of XCTest
}

const (
	usualWait     = 2 * time.Minute
	usualTry      = 3
	usualGreeting = 2 * time.Second
	greetGap      = 20 * time.Millisecond
)

func (s Start) filled() Start {
	s.Wait, s.Try, s.Greeting = cmp.Or(s.Wait, usualWait), cmp.Or(s.Try, usualTry), cmp.Or(s.Greeting, usualGreeting)
	return s
}

// spawn starts an agent for a device and greets it.
func (d *Driver) spawn(ctx context.Context, info device.Info, target string) (*agent, error) {
	run, err := d.Kit.Products(ctx, "iphonesimulator")
	if err != nil {
		return nil, err
	}
	start := d.Start.filled()
	ctx, cancel := context.WithTimeout(ctx, start.Wait)
	defer cancel()
	device.Progress(ctx, "starting the agent on "+info.Name)
	var last error
	for try := range start.Try {
		a, err := d.launch(ctx, info.UDID, run, try)
		if err != nil {
			return nil, err
		}
		if last = a.ready(ctx, target); last == nil {
			return a, nil
		}
		a.stop(d)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fault.New(fault.AgentFailed, "the agent on %s does not start: %w", info.Name, last).
		WithHint("`ios-agent agent logs` shows what it said")
}

func (d *Driver) launch(ctx context.Context, udid, products string, try int) (*agent, error) {
	port, err := d.port(udid, try)
	if err != nil {
		return nil, fault.New(fault.AgentFailed, "finding a port for the agent: %w", err)
	}
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, fault.New(fault.Internal, "making the agent's token: %w", err)
	}
	a := &agent{
		udid: udid, port: port, address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), token: hex.EncodeToString(secret),
		build: d.Kit.ID, since: time.Now(), talk: d.Talk,
	}
	cmd := xcodebuild.Agent{
		Xcodebuild: d.Tools.Tool("xcodebuild"), Products: products, UDID: udid, Port: port, Token: a.token, Build: a.build,
		PublicOnly: d.Start.PublicOnly,
	}.Command()
	cmd.Spool = d.Kit.Log()
	if a.process, err = d.Host.Start(ctx, cmd); err != nil {
		return nil, toolFault(err)
	}
	return a, nil
}

// ports is how many ports a range has.
const ports = 1000

// port chooses the port of a device's agent. With a range it is the same each time, so that a firewall can allow it, and
// another one after a try that failed.
func (d *Driver) port(udid string, try int) (int, error) {
	if d.Start.Port == 0 {
		return freePort()
	}
	h := fnv.New32a()
	h.Write([]byte(udid))
	return d.Start.Port + int((h.Sum32()+uint32(try)*7)%ports), nil
}

// freePort asks the kernel for a port that is free now. Another program may take it before the agent does; then the greeting
// fails because that program does not know the token, and the next try takes another port.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// ready connects until the agent answers the greeting, its process ends, or time is up.
func (a *agent) ready(ctx context.Context, target string) error {
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
			return fmt.Errorf("it exited at once: %s", a.lastOutput())
		case <-ctx.Done():
			return fmt.Errorf("no greeting in time: %w", err)
		case <-retry.C:
		}
	}
}

// greet connects, checks that this is our agent on our device, and tells it which app to look at.
func (a *agent) greet(ctx context.Context, target string) error {
	client, err := a.talk.Dial(ctx, a.address)
	if err != nil {
		return err
	}
	info, err := client.Hello(ctx, a.token, "ios-agent")
	if err == nil {
		err = a.recognise(info)
	}
	if err == nil {
		_, err = agentwire.Ask[*agentwire.OK](ctx, client, &agentwire.SetTarget{Bundle: target})
	}
	if err != nil {
		client.Close()
		return err
	}
	a.mu.Lock()
	a.info, a.target = info, target
	a.mu.Unlock()
	a.use(client)
	return nil
}

// wrongAgent is an agent that is not the one we started.
type wrongAgent struct{ address, why string }

func (w *wrongAgent) Error() string { return fmt.Sprintf("the agent at %s %s", w.address, w.why) }

// recognise refuses an agent that is not the one we started: on another device, of another build, or of an older protocol.
func (a *agent) recognise(info agentwire.HelloInfo) error {
	switch {
	case !info.Can(agentwire.CanLook):
		return &wrongAgent{a.address, fmt.Sprintf("speaks version %d of the protocol and cannot look at what is in front", info.Version)}
	case !strings.EqualFold(info.UDID, a.udid):
		return &wrongAgent{a.address, fmt.Sprintf("is on %s, not on %s", info.UDID, a.udid)}
	case info.Build != a.build:
		return &wrongAgent{a.address, fmt.Sprintf("is of build %q, not of %q", info.Build, a.build)}
	}
	return nil
}

func (a *agent) alive() bool {
	select {
	case <-a.process.Done():
		return false
	default:
		return true
	}
}

// lastOutput is the end of what the agent's process printed.
func (a *agent) lastOutput() string {
	words := strings.TrimSpace(string(a.process.Tail(host.Stderr)))
	if words == "" {
		words = strings.TrimSpace(string(a.process.Tail(host.Stdout)))
	}
	lines := strings.Split(words, "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

const stopWait = 3 * time.Second

// stop ends the agent: the stream, xcodebuild, and the runner app, which goes on running when xcodebuild has to be killed.
func (a *agent) stop(d *Driver) error {
	a.use(nil)
	ctx, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	err := a.process.Stop(ctx)
	if r, _ := a.process.Result(); r.Signal == "SIGKILL" {
		_ = d.simctl().Terminate(ctx, a.udid, xcodebuild.AgentRunner) // the runner may have ended by itself, or with its device
	}
	return err
}
