package xcodebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/service"
)

// wdaScheme is the scheme of WebDriverAgent.
const wdaScheme = "WebDriverAgentRunner"

// webDriverAgents reports whether a command line runs WebDriverAgent from built products.
func webDriverAgents(o options) bool {
	return slices.Contains(o.actions, "test-without-building") && strings.HasPrefix(filepath.Base(o.xctestrun), wdaScheme)
}

// webDriverAgent runs WebDriverAgent: it listens on the port in the environment and serves until an interrupt or until the device shuts
// down.
func (t Tool) webDriverAgent(ctx context.Context, o options) int {
	asked := map[string]string{}
	for _, text := range o.destinations {
		if d, ok := parseDestination(text); ok {
			asked = d
		}
	}
	lost, err := t.unresolvable(ctx, asked)
	if lost || asked["id"] == "" {
		fmt.Fprintf(t.Stderr, "xcodebuild: error: Unable to find a destination matching the provided destination specifier:\n"+
			"\t\t{ id:%s }\n", asked["id"])
		return exitDestination
	}
	physical := asked["platform"] == "iOS"
	if err == nil && physical {
		err = t.deviceTrouble(ctx, asked["id"], o)
	}
	if err == nil {
		err = t.serveWDA(ctx, asked["id"], o, physical)
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprint(t.Stderr, "** TEST EXECUTE INTERRUPTED **\n\n")
		return exitInterrupted
	case err == nil:
		return 0
	}
	fmt.Fprintf(t.Stderr, "Testing failed:\n\t%v\n\n** TEST EXECUTE FAILED **\n\n", err)
	return exitFailed
}

func (t Tool) serveWDA(ctx context.Context, udid string, o options, physical bool) error {
	run, err := readPlist(t.Path(o.xctestrun))
	if err != nil {
		return err
	}
	entry, _ := run[wdaScheme].(map[string]any)
	set, _ := entry["EnvironmentVariables"].(map[string]any)
	written, _ := set["USE_PORT"].(string)
	bundle, _ := entry["TestHostBundleIdentifier"].(string)
	port := cmp.Or(t.Getenv(runnerPrefix+"USE_PORT"), written, "8100")
	spec := service.AgentSpec{UDID: udid, PID: os.Getpid(), WDA: true, On: physical,
		Runner: cmp.Or(bundle, "com.facebook.WebDriverAgentRunner.xctrunner")}
	if physical { // it listens on the device, which only usbmuxd reaches
		if spec.Port, err = strconv.Atoi(port); err != nil {
			return err
		}
	}
	a, err := t.Service.Agent(ctx, spec)
	if err != nil {
		return err
	}
	defer a.Close()
	if physical {
		fmt.Fprintf(t.Stdout, wdaStarted, "127.0.0.1:"+port)
		return holdWDA(ctx, a)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Fprintf(t.Stdout, wdaStarted, listener.Addr())
	go serveAll(ctx, listener, a)
	return holdWDA(ctx, a)
}

// wdaStarted is its output when it listens.
const wdaStarted = "Testing started\nTest Case '-[UITestingUITests testRunner]' started.\nServerURLHere->http://%s<-ServerURLHere\n"

// runnerPrefix is the prefix that xcodebuild removes from the runner's variables.
const runnerPrefix = "TEST_RUNNER_"

// serveAll copies bytes between the clients and the service until the listener is closed.
func serveAll(ctx context.Context, listener net.Listener, a *service.Agent) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go a.Carry(ctx, conn) // the connection ends with the agent's registration
	}
}

// holdWDA waits until the runner ends.
func holdWDA(ctx context.Context, a *service.Agent) error {
	ended := make(chan error, 1)
	go func() { ended <- a.Hold() }()
	select {
	case err := <-ended:
		if err != nil && !errors.Is(err, service.ErrCrash) {
			return fmt.Errorf("lost connection to the device: %w", err)
		}
		return fmt.Errorf("%s-Runner (%d) encountered an error (%w)", wdaScheme, os.Getpid(), cmp.Or(err, error(service.ErrCrash)))
	case <-ctx.Done():
		return ctx.Err()
	}
}
