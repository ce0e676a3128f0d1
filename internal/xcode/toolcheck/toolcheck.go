// Package toolcheck checks the external programs that the product uses: whether they are installed, and whether they answer. A Checker runs
// the checks. It must not change anything on the machine.
package toolcheck

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// Options are the dependencies of a Checker.
type Options struct {
	Run   host.Runner
	Tools apple.Toolchain
}

// Checker is safe for concurrent use.
type Checker struct{ o Options }

// New makes a Checker.
func New(o Options) *Checker { return &Checker{o} }

// Virtual reports whether the tools belong to Virtual Xcode.
func (c *Checker) Virtual() bool { return c.o.Tools.Name == apple.Virtual }

// timeout is the time limit of one query to one program.
const timeout = 20 * time.Second

// Xcode checks the version of xcodebuild.
func (c *Checker) Xcode(ctx context.Context) device.Check {
	const name = "toolchain"
	version, err := c.ask(ctx, c.o.Tools.Tool("xcodebuild"), "-version")
	if err != nil {
		return device.Check{Name: name, Status: device.CheckFail, Message: fmt.Sprintf("xcodebuild does not answer: %v", err),
			Hint: fault.From(toolfault.New(err, fault.NoXcode, "")).Hint}
	}
	f := device.Check{Name: name, Status: device.CheckOK, Message: fmt.Sprintf("%s (%s)", version, c.o.Tools.Name)}
	if c.Virtual() {
		f.Hint = "virtual devices only; on a Mac with Xcode, unset IOS_AGENT_TOOLCHAIN for real simulators"
	}
	return f
}

// ask runs a program and returns the first line of its output.
func (c *Checker) ask(ctx context.Context, program string, args ...string) (string, error) {
	res, err := c.o.Run.Run(ctx, host.Cmd{Name: program, Args: args, Timeout: timeout})
	if err != nil {
		return "", err
	}
	answer, _, _ := strings.Cut(strings.TrimSpace(string(res.Stdout)+string(res.Stderr)), "\n")
	return answer, nil
}

// probe is a query to a program.
type probe struct {
	name    string
	program string
	ofXcode bool // in the folder of the toolchain, not on the PATH
	args    []string
	missing string // status if the program does not answer
	without string // consequence of a missing program
}

// probes are the programs besides xcodebuild, which Xcode checks.
func probes() []probe {
	return []probe{
		{"xcode-path", "xcode-select", true, []string{"-p"}, device.CheckWarn, "cannot find the Xcode in use"},
		{"simctl", "xcrun", true, []string{"--find", "simctl"}, device.CheckFail,
			"simulators cannot be used; install Xcode, not only the command line tools"},
		{"devicectl", "xcrun", true, []string{"devicectl", "--version"},
			device.CheckWarn, "physical devices cannot be used; devicectl comes with Xcode 15"},
		{"axe", "axe", true, []string{"--version"}, device.CheckWarn, "nothing of ours needs it"},
		{"idb-client", "idb", true, []string{"--help"}, device.CheckWarn, "nothing of ours needs it"},
		{"swift", "swift", false, []string{"--version"},
			device.CheckWarn, "the swift_package tools cannot work; swift comes with Xcode or from swift.org"},
		{"node", "node", false, []string{"--version"}, device.CheckWarn, "only other agents written for Node.js need it"},
	}
}

// Programs checks all programs besides xcodebuild, concurrently, and the app that shows simulators.
func (c *Checker) Programs(ctx context.Context) []device.Check {
	all := probes()
	found := make([]device.Check, len(all)+2)
	var wg sync.WaitGroup
	for i, p := range all {
		wg.Go(func() { found[i] = c.probe(ctx, p) })
	}
	wg.Go(func() { found[len(all)] = c.simulatorApp(ctx) })
	wg.Go(func() { found[len(all)+1] = c.xcodeMCP(ctx) })
	wg.Wait()
	return found
}

func (c *Checker) probe(ctx context.Context, p probe) device.Check {
	program := p.program
	if p.ofXcode {
		program = c.o.Tools.Tool(program)
	}
	answer, err := c.ask(ctx, program, p.args...)
	if err != nil {
		return device.Check{Name: p.name, Status: p.missing, Message: fmt.Sprintf("does not answer: %v", err), Hint: p.without}
	}
	return device.Check{Name: p.name, Status: device.CheckOK, Message: answer}
}

// simulatorApp looks for the app that shows simulators: Simulator, or Device Hub since Xcode 27. It looks for the files, and does not
// conclude from the version.
func (c *Checker) simulatorApp(ctx context.Context) device.Check {
	const name = "front"
	if c.Virtual() {
		return device.Check{Name: name, Status: device.CheckOK, Message: "virtual simulators have no window; screenshot shows them"}
	}
	developer, err := c.ask(ctx, c.o.Tools.Tool("xcode-select"), "-p")
	if err != nil {
		return device.Check{Name: name, Status: device.CheckWarn, Message: fmt.Sprintf("unknown: %v", err), Hint: "open_sim may not work"}
	}
	for _, path := range apple.SimulatorApps(developer) {
		if _, err := os.Stat(path); err == nil {
			return device.Check{Name: name, Status: device.CheckOK, Message: path}
		}
	}
	return device.Check{Name: name, Status: device.CheckWarn,
		Message: "neither Simulator.app nor DeviceHub.app belongs to the Xcode at " + developer,
		Hint:    "simulators work without a window; open_sim does not"}

}

// xcodeMCP looks for Xcode's own MCP servers, but does not run them: a run asks the user for a permission, and this check must not lead to
// a permission for agents.
func (c *Checker) xcodeMCP(ctx context.Context) device.Check {
	const name = "xcode-mcp"
	var there []string
	for _, server := range []string{"mcp-server", "mcpbridge"} {
		if _, err := c.ask(ctx, c.o.Tools.Tool("xcrun"), "--find", server); err == nil {
			there = append(there, "`xcrun "+server+"`")
		}
	}
	if len(there) == 0 {
		return device.Check{Name: name, Status: device.CheckOK,
			Message: "this Xcode has no MCP server of its own (26.3 has mcpbridge, 27 mcp-server too); " +
				"nothing of ours needs it"}
	}
	return device.Check{Name: name, Status: device.CheckOK,
		Message: strings.Join(there, " and ") + ": Xcode's own MCP server is there; ios-agent does not use it",
		Hint: "an agent may have it besides: previews, the issues of Xcode, documentation, devices by coordinates. " +
			"Xcode asks for a permission first"}

}

// Installed reports which programs are installed, without running them.
func (c *Checker) Installed() map[string]bool {
	there := map[string]bool{}
	for name, program := range map[string]string{"xcodebuild": "xcodebuild", "simctl": "xcrun", "devicectl": "xcrun", "idb": "idb",
		"axe": "axe"} {
		there[name] = host.Installed(c.o.Tools.Tool(program))
	}
	return there
}
