package xctest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/agentwire"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/host"
)

// agent is one running XCTest agent and the stream to it.
type agent struct {
	udid    string
	address string
	token   string
	process *host.Process

	mu     sync.Mutex // stop may come while a call is under way
	stream *agentwire.Client
}

// client is the stream in use; nil when there is none.
func (a *agent) client() *agentwire.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stream
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

const (
	startWait = 30 * time.Second // from spawn to greeting
	startTry  = 3                // a port taken in between, or a runner that dies at once, deserves another try
	knockGap  = 20 * time.Millisecond
)

// spawn starts an agent for a device and greets it.
func (d *Driver) spawn(ctx context.Context, info device.Info, target string) (*agent, error) {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	var last error
	for range startTry {
		a, err := d.launch(ctx, info.UDID)
		if err != nil {
			return nil, err
		}
		if last = a.ready(ctx, target); last == nil {
			return a, nil
		}
		a.stop()
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fault.New(fault.AgentFailed, "the agent on %s does not start: %w", info.Name, last)
}

func (d *Driver) launch(ctx context.Context, udid string) (*agent, error) {
	port, err := freePort()
	if err != nil {
		return nil, fault.New(fault.AgentFailed, "finding a port for the agent: %w", err)
	}
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, fault.New(fault.Internal, "making the agent's token: %w", err)
	}
	a := &agent{udid: udid, address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), token: hex.EncodeToString(secret)}
	run := xcodebuild.Agent{Xcodebuild: d.Tools.Tool("xcodebuild"), Folder: d.Agent, UDID: udid, Port: port, Token: a.token}
	if a.process, err = d.Host.Start(ctx, run.Command()); err != nil {
		return nil, toolFault(err)
	}
	return a, nil
}

// freePort asks the kernel for a port that is free now. Another program may take it before the agent does; then the
// greeting fails, by token, and the next try takes another.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// ready knocks until the agent greets, exits, or time is up.
func (a *agent) ready(ctx context.Context, target string) error {
	knock := time.NewTicker(knockGap)
	defer knock.Stop()
	for {
		err := a.greet(ctx, target)
		if err == nil {
			return nil
		}
		if stranger := (*wrongAgent)(nil); errors.As(err, &stranger) {
			return err // it will not become another by knocking again
		}
		select {
		case <-a.process.Done():
			return fmt.Errorf("it exited at once: %s", a.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("no greeting in time: %w", err)
		case <-knock.C:
		}
	}
}

// greet connects, makes sure that this is our agent on our device, and points it at the target app.
func (a *agent) greet(ctx context.Context, target string) error {
	client, err := agentwire.Dial(ctx, a.address)
	if err != nil {
		return err
	}
	info, err := client.Hello(ctx, a.token, "ios-agent")
	if err == nil && !strings.EqualFold(info.UDID, a.udid) {
		err = &wrongAgent{a.address, info.UDID, a.udid}
	}
	if err == nil {
		_, err = agentwire.Ask[*agentwire.OK](ctx, client, &agentwire.SetTarget{Bundle: target})
	}
	if err != nil {
		client.Close()
		return err
	}
	a.use(client)
	return nil
}

// wrongAgent is an agent that greets as that of another device, or one too old to say whose it is.
type wrongAgent struct{ address, is, want string }

func (w *wrongAgent) Error() string {
	if w.is == "" {
		return fmt.Sprintf("the agent at %s is too old to say which device it is on", w.address)
	}
	return fmt.Sprintf("the agent at %s is on %s, not on %s", w.address, w.is, w.want)
}

func (a *agent) alive() bool {
	select {
	case <-a.process.Done():
		return false
	default:
		return true
	}
}

// lastWords are the end of what the agent's process said.
func (a *agent) lastWords() string {
	words := strings.TrimSpace(string(a.process.Tail(host.Stderr)))
	if words == "" {
		words = strings.TrimSpace(string(a.process.Tail(host.Stdout)))
	}
	lines := strings.Split(words, "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

const stopWait = 3 * time.Second

func (a *agent) stop() error {
	a.use(nil)
	ctx, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	return a.process.Stop(ctx)
}
