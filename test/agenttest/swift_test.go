package agenttest_test

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/test/agenttest"
)

// command names the program that serves the Swift agent over an app in memory, with the words to start it by, to be
// run in the project's folder. `make test-agent` sets it.
const command = "IOS_AGENT_SWIFT_AGENT"

// TestSwiftAgent holds the Swift agent, as a process, to the contract.
func TestSwiftAgent(t *testing.T) {
	t.Parallel() // both wait more than they work
	words := strings.Fields(os.Getenv(command))
	if len(words) == 0 {
		t.Skip(command + " names no Swift agent: `make test-agent` builds one")
	}
	agenttest.Run(t, agenttest.Subject{
		Open: func(t *testing.T, o agenttest.Options) agenttest.Server { return start(t, words, o, publicOnly+"=0") },
	})
}

// publicOnly is what the agent reads to do without what Apple does not document.
const publicOnly = "IOS_AGENT_PUBLIC_API_ONLY"

// TestSwiftAgentWithPublicAPIOnly holds it to the same contract when it is told nothing but what XCTest documents.
func TestSwiftAgentWithPublicAPIOnly(t *testing.T) {
	t.Parallel()
	words := strings.Fields(os.Getenv(command))
	if len(words) == 0 {
		t.Skip(command + " names no Swift agent: `make test-agent` builds one")
	}
	agenttest.Run(t, agenttest.Subject{
		Open:         func(t *testing.T, o agenttest.Options) agenttest.Server { return start(t, words, o, publicOnly+"=1") },
		FocusUnknown: true,
	})
}

func start(t *testing.T, words []string, o agenttest.Options, env ...string) agenttest.Server {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = "../.."
	cmd.Env = append(append(os.Environ(), "IOS_AGENT_TOKEN="+o.Token, "IOS_AGENT_UDID="+agenttest.UDID), env...)
	if o.DeadMan > 0 {
		cmd.Env = append(cmd.Env, "IOS_AGENT_DEADMAN="+strconv.FormatFloat(o.DeadMan.Seconds(), 'f', -1, 64))
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() { cmd.Process.Kill(); <-ended })
	lines := bufio.NewScanner(out)
	lines.Scan()
	address, ok := agentwire.AddressIn(lines.Text())
	go func() {
		defer close(ended)
		for lines.Scan() {
			t.Log(lines.Text())
		}
		cmd.Wait()
	}()
	if !ok {
		t.Fatalf("the agent says %q", lines.Text())
	}
	return agenttest.Server{Address: address, Ended: ended}
}
