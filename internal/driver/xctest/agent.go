package xctest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/machine/host"
)

// agent is one running XCTest agent and the stream to it.
type agent struct {
	udid    string
	address string // known once it is ready
	token   string
	build   string
	since   time.Time
	derived string // the folder of what its xcodebuild leaves behind
	process *host.Process
	dial    func(context.Context) (*agentwire.Client, error)
	end     func(context.Context) // ends its runner when its xcodebuild was killed; nil: nothing has to be done
	heard   chan string           // gets the address that the agent prints; nil when it was told its port

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

// greet connects, checks that this is our agent on our device, and tells it which app to look at.
func (a *agent) greet(ctx context.Context, target string) error {
	client, err := a.dial(ctx)
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
	case info.Version < agentwire.Version:
		return &wrongAgent{a.address, fmt.Sprintf("speaks version %d of the protocol and cannot look at what is in front", info.Version)}
	case !strings.EqualFold(info.UDID, a.udid):
		return &wrongAgent{a.address, fmt.Sprintf("is on %s, not on %s", info.UDID, a.udid)}
	case info.Build != a.build:
		return &wrongAgent{a.address, fmt.Sprintf("is of build %q, not of %q", info.Build, a.build)}
	}
	return nil
}

// port is the one that it listens on.
func (a *agent) port() int {
	at, _ := netip.ParseAddrPort(a.address) // made by us, or checked when it was heard
	return int(at.Port())
}
