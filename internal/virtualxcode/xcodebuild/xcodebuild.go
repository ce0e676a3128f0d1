// Package xcodebuild plays xcodebuild. So far it does one thing: test-without-building of our agent's scheme becomes a
// process that serves the agent protocol, as the real one becomes a test runner on the device.
package xcodebuild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"

	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/service"
)

// Scheme and the variables are what the production code asks for; main hands them over, because this package must not
// know who executes it.
type Scheme struct {
	Name           string // of the agent's scheme
	Port, Token    string // names of the variables the runner reads
	VariablePrefix string // what xcodebuild strips from a variable before the runner sees it
}

// Exit codes of xcodebuild.
const (
	exitUsage  = 64
	exitFailed = 65
)

// Tool is xcodebuild, played by this process.
type Tool struct {
	Service service.Client
	Scheme  Scheme
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
}

// Run plays one command line.
func (t Tool) Run(ctx context.Context, argv []string) int {
	actions := map[string]func(context.Context, []string) int{"-version": t.version, "test-without-building": t.test}
	for _, arg := range argv {
		if action, ok := actions[arg]; ok {
			return action(ctx, argv)
		}
	}
	fmt.Fprintf(t.Stderr, "xcodebuild: error: the virtual xcodebuild cannot %s yet.\n", strings.Join(argv, " "))
	return exitUsage
}

func (t Tool) version(context.Context, []string) int {
	fmt.Fprint(t.Stdout, "Xcode 16.4\nBuild version 16F6\n")
	return 0
}

func (t Tool) test(ctx context.Context, argv []string) int {
	options := optionsOf(argv)
	if scheme := options["-scheme"]; scheme != t.Scheme.Name {
		fmt.Fprintf(t.Stderr, "xcodebuild: error: The project named %q does not contain a scheme named %q. The \"-list\" option can be used to find the names of the schemes in the project.\n",
			strings.TrimSuffix(options["-project"], ".xcodeproj"), scheme)
		return exitFailed
	}
	udid, ok := strings.CutPrefix(options["-destination"], "id=")
	if !ok {
		fmt.Fprintf(t.Stderr, "xcodebuild: error: option 'Destination' requires id=UDID here, not %q\n", options["-destination"])
		return exitUsage
	}
	if err := t.serve(ctx, udid); err != nil {
		fmt.Fprintf(t.Stderr, "Testing failed:\n\t%v\n\n** TEST EXECUTE FAILED **\n\n", err)
		return exitFailed
	}
	return 0
}

// optionsOf reads -key value pairs; the last one of a key counts.
func optionsOf(argv []string) map[string]string {
	options := map[string]string{}
	for i := 0; i+1 < len(argv); i++ {
		if strings.HasPrefix(argv[i], "-") {
			options[argv[i]] = argv[i+1]
			i++
		}
	}
	return options
}

// serve is the test runner: it listens where the environment says and carries bytes between its clients and the world.
func (t Tool) serve(ctx context.Context, udid string) error {
	a, err := t.Service.Agent(ctx, service.AgentSpec{UDID: udid, Token: t.variable(t.Scheme.Token), PID: os.Getpid()})
	if err != nil {
		return err
	}
	defer a.Close()
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", t.variable(t.Scheme.Port)))
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Fprintf(t.Stdout, "Testing started\nTest Case '-[%s testRunAgent]' started.\n", t.Scheme.Name)
	ended := make(chan error, 1)
	go func() { ended <- a.Hold() }()
	clients := newWatch(deadMan)
	go accept(ctx, listener, a, clients)
	select {
	case <-clients.alone:
		return fmt.Errorf("no client for %s", deadMan)
	case err := <-ended:
		if errors.Is(err, service.ErrCrash) {
			return fmt.Errorf("%s-Runner (%d) encountered an error (%w)", t.Scheme.Name, os.Getpid(), err)
		}
		return fmt.Errorf("lost connection to the device: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t Tool) variable(name string) string { return t.Getenv(t.Scheme.VariablePrefix + name) }

func accept(ctx context.Context, listener net.Listener, a *service.Agent, clients *watch) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		clients.enter()
		go func() {
			defer clients.leave()
			carry(ctx, conn, a)
		}()
	}
}

// carry copies bytes both ways until either side is done.
func carry(ctx context.Context, client net.Conn, a *service.Agent) {
	defer client.Close()
	stream, err := a.Stream(ctx)
	if err != nil {
		return
	}
	defer stream.Close()
	var both sync.WaitGroup
	for _, pair := range [][2]net.Conn{{client, stream}, {stream, client}} {
		both.Go(func() {
			io.Copy(pair[1], pair[0])
			pair[0].Close()
			pair[1].Close()
		})
	}
	both.Wait()
}

// Marks say what is known of the real xcodebuild.
func Marks() []mark.Mark {
	return []mark.Mark{
		{Tool: "xcodebuild", Behaviour: "-version prints the version and the build on two lines", Source: mark.Assumed},
		{Tool: "xcodebuild", Behaviour: "test-without-building of the agent's scheme runs until the runner ends; TEST_RUNNER_ variables reach the runner without the prefix", Source: mark.Assumed},
		{Tool: "xcodebuild", Behaviour: "an unknown scheme is refused with exit 65", Source: mark.Assumed},
		{Tool: "xcodebuild", Behaviour: "the project folder of the agent's scheme is not looked at", Source: mark.Assumed},
	}
}
