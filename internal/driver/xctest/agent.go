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
	name    string // of the device
	udid    string
	address string // with the told port, or as the agent prints it
	token   string
	build   string
	since   time.Time
	derived string // folder of the files that its xcodebuild leaves behind
	failed  string // where they go when it did not start; empty: they are removed
	process *host.Process
	dial    func(context.Context) (*agentwire.Client, error)
	end     func(context.Context) // ends the runner after xcodebuild was killed; nil: no cleanup
	heard   chan string           // gets the address that the agent prints
	output  output

	mu     sync.Mutex // guards the fields below: stop may be called during a request
	stream *agentwire.Client
	info   agentwire.HelloInfo
	target string // the app that the agent looks at
}

// client returns the open stream, or nil.
func (a *agent) client() *agentwire.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stream
}

// turn sends the agent the app that was last in front, if the agent has another one.
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

// use makes c the stream and closes the stream before it.
func (a *agent) use(c *agentwire.Client) {
	a.mu.Lock()
	old := a.stream
	a.stream = c
	a.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

// greet connects, checks that this is our agent on our device, and sends it the app to look at.
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

// wrongAgent is the error for an agent that this driver did not start.
type wrongAgent struct{ address, why string }

func (w *wrongAgent) Error() string { return fmt.Sprintf("the agent at %s %s", w.address, w.why) }

// recognise refuses an agent on another device, of another build, or with an older protocol.
func (a *agent) recognise(info agentwire.HelloInfo) error {
	switch {
	case info.Version < agentwire.Version:
		return &wrongAgent{a.address, fmt.Sprintf("speaks version %d of the protocol, which cannot read the app in front", info.Version)}
	case !strings.EqualFold(info.UDID, a.udid):
		return &wrongAgent{a.address, fmt.Sprintf("is on %s, not on %s", info.UDID, a.udid)}
	case info.Build != a.build:
		return &wrongAgent{a.address, fmt.Sprintf("is of build %q, not of %q", info.Build, a.build)}
	}
	return nil
}

// port is the port on which the agent listens.
func (a *agent) port() int {
	at, _ := netip.ParseAddrPort(a.address) // we chose the address, or checked it when the agent printed it
	return int(at.Port())
}
