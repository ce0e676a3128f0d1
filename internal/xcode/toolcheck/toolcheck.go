// Package toolcheck finds out which of the programs that ios-agent uses are on this machine, and whether they answer. It
// changes nothing.
package toolcheck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// Options are what a Checker works with.
type Options struct {
	Run   host.Runner
	Tools apple.Toolchain
}

// Checker is safe for concurrent use.
type Checker struct{ o Options }

// New makes a Checker.
func New(o Options) *Checker { return &Checker{o} }

// Virtual reports whether the tools are those of Virtual Xcode.
func (c *Checker) Virtual() bool { return c.o.Tools.Name == apple.Virtual }

// timeout is for one question to one program.
const timeout = 20 * time.Second

// notAgreed is how xcodebuild and xcrun exit when nobody has agreed to Xcode's licence.
const notAgreed = 69

// Xcode asks xcodebuild for its version.
func (c *Checker) Xcode(ctx context.Context) device.Check {
	const name = "toolchain"
	version, err := c.ask(ctx, c.o.Tools.Tool("xcodebuild"), "-version")
	if err != nil {
		f := device.Check{Name: name, Status: device.CheckFail, Message: fmt.Sprintf("xcodebuild does not answer: %v", err),
			Hint: fault.NoXcode.Hint()}
		var exit *host.ExitError
		if errors.As(err, &exit) && exit.Code == notAgreed {
			f.Hint = "agree to Xcode's licence: `sudo xcodebuild -license accept`"
		}
		return f
	}
	f := device.Check{Name: name, Status: device.CheckOK, Message: fmt.Sprintf("%s (%s)", version, c.o.Tools.Name)}
	if c.Virtual() {
		f.Hint = "virtual devices only; on a Mac with Xcode, unset IOS_AGENT_TOOLCHAIN for real simulators"
	}
	return f
}

// ask runs a program and returns the first line of what it prints.
func (c *Checker) ask(ctx context.Context, program string, args ...string) (string, error) {
	res, err := c.o.Run.Run(ctx, host.Cmd{Name: program, Args: args, Timeout: timeout})
	if err != nil {
		return "", err
	}
	answer, _, _ := strings.Cut(strings.TrimSpace(string(res.Stdout)+string(res.Stderr)), "\n")
	return answer, nil
}

// probe is a question to a program.
type probe struct {
	name    string
	program string
	ofXcode bool // in the folder of the toolchain, not found through PATH
	args    []string
	missing string // when it does not answer
	without string // what does not work then
}

// probes are the programs beyond xcodebuild, which Xcode asks.
func probes() []probe {
	return []probe{
		{"xcode-path", "xcode-select", true, []string{"-p"}, device.CheckWarn, "which Xcode is in use is not known"},
		{"simctl", "xcrun", true, []string{"--find", "simctl"}, device.CheckFail,
			"simulators cannot be used; install Xcode, not only the command line tools"},
		{"devicectl", "xcrun", true, []string{"devicectl", "--version"},
			device.CheckWarn, "physical devices cannot be used; it comes with Xcode 15"},
		{"axe", "axe", true, []string{"--version"}, device.CheckWarn, "nothing of ours needs it"},
		{"idb-client", "idb", true, []string{"--help"}, device.CheckWarn, "nothing of ours needs it"},
		{"swift", "swift", false, []string{"--version"},
			device.CheckWarn, "the swift_package tools cannot work; it comes with Xcode or from swift.org"},
		{"node", "node", false, []string{"--version"}, device.CheckWarn, "only peers written for it need it"},
	}
}

// Programs asks every program beyond xcodebuild, all at the same time, and looks for the app that shows simulators.
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

// simulatorApp looks for the app that shows simulators. Xcode 27 has Device Hub for it; which one is there is looked up, not
// concluded from a version.
func (c *Checker) simulatorApp(ctx context.Context) device.Check {
	const name = "front"
	if c.Virtual() {
		return device.Check{Name: name, Status: device.CheckOK, Message: "virtual simulators have no window; screenshot shows them"}
	}
	developer, err := c.ask(ctx, c.o.Tools.Tool("xcode-select"), "-p")
	if err != nil {
		return device.Check{Name: name, Status: device.CheckWarn, Message: fmt.Sprintf("not known: %v", err), Hint: "open_sim may not work"}
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

// xcodeMCP looks for Xcode's own MCP servers. They are looked up, not run: a run asks the user for a permission, and a question of ours
// must not come to mean that an agent may use them.
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

// Installed reports which of the programs we use are there. It runs none of them.
func (c *Checker) Installed() map[string]bool {
	there := map[string]bool{}
	for name, program := range map[string]string{"xcodebuild": "xcodebuild", "simctl": "xcrun", "devicectl": "xcrun", "idb": "idb",
		"axe": "axe"} {
		there[name] = host.Installed(c.o.Tools.Tool(program))
	}
	return there
}
