package virtualxcode_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode"
)

const testRunnerID = "com.example.agent.uitests.xctrunner"

// mac is a Virtual Xcode in this process with one booted phone.
type mac struct {
	*virtualxcode.InProcess
	t    *testing.T
	dir  string // working folder and home
	udid string
}

func newMac(t *testing.T) *mac {
	t.Helper()
	p, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{Agent: scheme})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	m := &mac{InProcess: p, t: t, dir: t.TempDir(), udid: p.World().Devices()[0].UDID}
	run := `<plist version="1.0"><dict><key>Agent</key><dict><key>TestHostBundleIdentifier</key><string>` + testRunnerID +
		`</string></dict></dict></plist>`
	if err := os.WriteFile(filepath.Join(m.dir, "Agent_iphonesimulator18.5-arm64.xctestrun"), []byte(run), 0o600); err != nil {
		t.Fatal(err)
	}
	m.run("simctl boot " + m.udid)
	return m
}

// run plays a command line, with + for a space in a word, and returns what it prints.
func (m *mac) run(line string) string {
	m.t.Helper()
	out, errs, exit := m.play(line)
	if exit != 0 {
		m.t.Fatalf("%s: exit %d\n%s", line, exit, errs)
	}
	return out
}

func (m *mac) play(line string) (stdout, stderr string, exit int) {
	words := strings.Fields(line)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "+", " ")
	}
	var out, errs bytes.Buffer
	exit = m.Play(m.t.Context(), words[0], virtualxcode.Call{Args: words[1:], Dir: m.dir, Env: map[string]string{"HOME": m.dir},
		Stdout: &out, Stderr: &errs})
	return out.String(), errs.String(), exit
}

// agentRun is an xcodebuild that runs the agent.
type agentRun struct {
	interrupt context.CancelFunc
	address   string // where it listens; empty if it never did
	exit      chan int
	said      *bytes.Buffer // on its standard error, once it has ended
}

// startAgent runs the agent until it listens or ends.
func (m *mac) startAgent(extra ...string) *agentRun {
	m.t.Helper()
	ctx, cancel := context.WithCancel(m.t.Context())
	m.t.Cleanup(cancel)
	r := &agentRun{interrupt: cancel, exit: make(chan int, 1), said: &bytes.Buffer{}}
	out, in := io.Pipe()
	args := append([]string{"test-without-building", "-xctestrun", "Agent_iphonesimulator18.5-arm64.xctestrun",
		"-destination", "platform=iOS Simulator,id=" + m.udid}, extra...)
	go func() {
		exit := m.Play(ctx, "xcodebuild", virtualxcode.Call{Args: args, Dir: m.dir, Stdout: in, Stderr: r.said,
			Env: map[string]string{"HOME": m.dir, "RUNNER_PORT": "0", "RUNNER_TOKEN": "secret"}})
		in.Close()
		r.exit <- exit
	}()
	r.address = firstAddress(out)
	go io.Copy(io.Discard, out)
	return r
}

func (m *mac) greet(r *agentRun) *agentwire.Client {
	m.t.Helper()
	client, err := agentwire.Dial(m.t.Context(), r.address)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { client.Close() })
	if info, err := client.Hello(m.t.Context(), "secret", "test"); err != nil || info.UDID != m.udid {
		m.t.Fatal(info, err)
	}
	return client
}

// An agent that is given port 0 says where it listens, and a client can end it: xcodebuild then leaves with 0.
func TestAgentWithPortZeroObeysShutdown(t *testing.T) {
	m := newMac(t)
	r := m.startAgent("-derivedDataPath", "derived", "-collect-test-diagnostics", "never")
	client := m.greet(r)
	if _, err := agentwire.Ask[*agentwire.OK](t.Context(), client, &agentwire.Shutdown{}); err != nil {
		t.Fatal(err)
	}
	if exit := <-r.exit; exit != 0 {
		t.Error(exit, r.said)
	}
	if list := m.run("simctl spawn " + m.udid + " launchctl list"); strings.Contains(list, "xctrunner") {
		t.Error(list)
	}
}

func TestInterruptEndsAgentRun(t *testing.T) {
	m := newMac(t)
	r := m.startAgent()
	m.greet(r)
	r.interrupt()
	if exit := <-r.exit; exit != 75 || !strings.Contains(r.said.String(), "INTERRUPTED") {
		t.Error(exit, r.said)
	}
}

// The runner has the bundle id that the build computed: only that one ends it.
func TestRunnerIsTerminatedByItsBundleID(t *testing.T) {
	m := newMac(t)
	r := m.startAgent()
	m.greet(r)
	if list := m.run("simctl spawn " + m.udid + " launchctl list"); !strings.Contains(list, "UIKitApplication:"+testRunnerID+"[") {
		t.Error(list)
	}
	if _, _, exit := m.play("simctl terminate " + m.udid + " com.example.uitests.xctrunner"); exit == 0 {
		t.Error("another id ends something")
	}
	m.run("simctl terminate " + m.udid + " " + testRunnerID)
	if exit := <-r.exit; exit != 65 || !strings.Contains(r.said.String(), "crashed") {
		t.Error(exit, r.said)
	}
}

// firstAddress is where an agent listens, by what its xcodebuild prints; empty if it ended before.
func firstAddress(out io.Reader) (address string) {
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		address, _ = agentwire.AddressIn(lines.Text())
	}
	return address
}
