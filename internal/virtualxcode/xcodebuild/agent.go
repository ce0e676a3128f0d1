package xcodebuild

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/virtualxcode/service"
)

// agents reports whether a command line runs the agent: tests of its scheme, or of products built from it.
func (t Tool) agents(o options) bool {
	if t.Scheme.Name == "" || !slices.Contains(o.actions, "test-without-building") {
		return false
	}
	return o.schemeName == t.Scheme.Name || strings.HasPrefix(filepath.Base(o.xctestrun), t.Scheme.Name+"_")
}

// agent runs the agent's scheme. It does not read the project folder, and accepts any destination with an id.
func (t Tool) agent(ctx context.Context, o options) int {
	asked := map[string]string{}
	for _, text := range o.destinations {
		if d, ok := parseDestination(text); ok {
			asked = d
		}
	}
	udid := asked["id"]
	if udid == "" {
		fmt.Fprintf(t.Stderr, "xcodebuild: error: option 'Destination' requires an id here: platform=iOS Simulator,id=UDID, not %q\n",
			o.destinations)
		return exitUsage
	}
	lost, err := t.unresolvable(ctx, asked)
	if lost {
		fmt.Fprintf(t.Stderr, "xcodebuild: error: Unable to find a destination matching the provided destination specifier:\n"+
			"\t\t{ id:%s }\n", udid)
		return exitDestination
	}
	if err == nil {
		physical := asked["platform"] == "iOS"
		if physical {
			err = t.deviceTrouble(ctx, udid, o)
		}
		if err == nil {
			err = t.serve(ctx, udid, o, physical)
		}
	}
	switch {
	case err == nil:
		fmt.Fprintf(t.Stdout, "Test Case '-[%s testRunAgent]' passed.\n\n** TEST EXECUTE SUCCEEDED **\n\n", t.Scheme.Name)
		return 0
	case ctx.Err() != nil:
		fmt.Fprint(t.Stderr, "** TEST EXECUTE INTERRUPTED **\n\n")
		return exitInterrupted
	}
	fmt.Fprintf(t.Stderr, "Testing failed:\n\t%v\n\n** TEST EXECUTE FAILED **\n\n", err)
	return exitFailed
}

// serve is the test runner. It listens on the port in its environment (0 means any), and copies bytes between its clients and the
// service until a client ends it. It leaves the same files as a run on a real Mac.
func (t Tool) serve(ctx context.Context, udid string, o options, physical bool) error {
	address := net.JoinHostPort("127.0.0.1", t.variable(t.Scheme.Port))
	calm, err := t.trouble(ctx, udid, address)
	if err != nil {
		return err
	}
	defer calm()
	if err := t.slowRunner(ctx, udid); err != nil {
		return err
	}
	left, err := t.leave(ctx, udid, o)
	if err != nil {
		return err
	}
	run := t.run
	if physical {
		run = t.runOnDevice
	}
	if err := run(ctx, udid, address, o); err != nil {
		return errors.Join(err, left.collect(udid))
	}
	return nil
}

// run serves as the runner until it ends.
func (t Tool) run(ctx context.Context, udid, address string, o options) error {
	a, err := t.Service.Agent(ctx, service.AgentSpec{UDID: udid, Token: t.variable(t.Scheme.Token), Build: t.variable(t.Scheme.Build),
		PID: os.Getpid(), Runner: t.runner(o), PublicOnly: t.variable(t.Scheme.PublicOnly) == "1"})
	if err != nil {
		return err
	}
	defer a.Close()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Fprintf(t.Stdout, "Testing started\nTest Case '-[%s testRunAgent]' started.\n", t.Scheme.Name)
	fmt.Fprintf(t.Stdout, "ios-agent listens on %s\n", listener.Addr())
	return t.hold(ctx, a, listener)
}

// runOnDevice serves as the runner on a physical device until it ends. It listens on the device, which only usbmuxd reaches.
func (t Tool) runOnDevice(ctx context.Context, udid, address string, o options) error {
	_, port, _ := net.SplitHostPort(address) // made by serve
	number, _ := strconv.Atoi(port)          // text that is not a number means any port
	a, err := t.Service.Agent(ctx, service.AgentSpec{UDID: udid, Token: t.variable(t.Scheme.Token), Build: t.variable(t.Scheme.Build),
		PID: os.Getpid(), Runner: t.runner(o), PublicOnly: t.variable(t.Scheme.PublicOnly) == "1", On: true, Port: number})
	if err != nil {
		return err
	}
	defer a.Close()
	fmt.Fprintf(t.Stdout, "Testing started\nTest Case '-[%s testRunAgent]' started.\n", t.Scheme.Name)
	fmt.Fprintf(t.Stdout, "ios-agent listens on 127.0.0.1:%d\n", a.Port)
	ended := make(chan error, 1)
	go func() { ended <- a.Hold() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s-Runner (%d) encountered an error (%w)", t.Scheme.Name, os.Getpid(), err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hold serves clients until the agent ends.
func (t Tool) hold(ctx context.Context, a *service.Agent, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- a.Hold() }()
	clients := newWatch(deadMan)
	var streams sync.WaitGroup
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		accept(ctx, listener, a, clients, &streams)
	}()
	select {
	case <-clients.alone:
		return fmt.Errorf("no client for %s", deadMan)
	case err := <-ended:
		if err != nil && !errors.Is(err, service.ErrCrash) {
			return fmt.Errorf("lost connection to the device: %w", err)
		}
		listener.Close()
		<-accepting
		lastBytes(&streams)
		if err == nil {
			return nil
		}
		return fmt.Errorf("%s-Runner (%d) encountered an error (%w)", t.Scheme.Name, os.Getpid(), err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runner is the bundle id of the app that runs the tests, as the build computed it.
func (t Tool) runner(o options) string {
	run, err := readPlist(t.Path(o.xctestrun))
	entry, _ := run[t.Scheme.Name].(map[string]any)
	id, _ := entry["TestHostBundleIdentifier"].(string)
	if err != nil || id == "" {
		return "com.apple.test." + t.Scheme.Name + "-Runner"
	}
	return id
}

func (t Tool) variable(name string) string { return t.Getenv(t.Scheme.VariablePrefix + name) }

// lastBytes waits until the agent's last bytes have reached its clients.
func lastBytes(streams *sync.WaitGroup) {
	sent := make(chan struct{})
	go func() {
		streams.Wait()
		close(sent)
	}()
	select {
	case <-sent:
	case <-time.After(time.Second): // a client that does not read must not block the end
	}
}

func accept(ctx context.Context, listener net.Listener, a *service.Agent, clients *watch, streams *sync.WaitGroup) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		clients.enter()
		streams.Go(func() {
			defer clients.leave()
			a.Carry(ctx, conn)
		})
	}
}
