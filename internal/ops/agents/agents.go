// Package agents offers the operations on the XCTest agents that drive devices: show their state, build, start and stop them, read their
// logs. On simulators a client does not need these operations: ios-agent builds and starts an agent when it first looks at a device.
package agents

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/oneline"
)

// Agents shows, builds, starts and stops the agents that drive devices.
type Agents struct{ access access.Access }

// New makes the operations on agents.
func New(access access.Access) *Agents { return &Agents{access} }

// Ops lists the operations on agents.
func (a *Agents) Ops() []op.Op {
	groups := []string{"agent"}
	return []op.Op{
		op.New(op.Spec{
			Name: "agent_status", Groups: groups, Verb: "agent status", Route: "GET /api/v1/agent",
			Summary: "Show the agents that drive devices: process, port, build, protocol, state", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"agent status"},
		}, a.status),
		op.New(op.Spec{
			Name: "agent_build", Groups: groups, Verb: "agent build", Route: "POST /api/v1/agent/build", Timeout: 11 * time.Minute, Long: true,
			Summary: "Build the agent again", Hints: op.Idempotent, Examples: []string{"agent build"},
		}, a.build),
		op.New(op.Spec{
			Name: "agent_start", Groups: groups, Verb: "agent start", Route: "POST /api/v1/agent/start", Timeout: 11 * time.Minute, Long: true,
			Summary: "Start the agent of a simulator or a physical device",
			Help: "On a simulator the agent starts automatically. On a physical device only this operation builds it, signs it with your team, " +
				"installs and starts it; it needs a cable, trust, Developer Mode and an unlocked screen. " +
				hint.Do("doctor", "device", "UDID") + " says what is missing.",
			Hints:    op.Idempotent,
			Examples: []string{`agent start --sim "iPhone 16"`, "agent start --udid 00008140-000A61C23E04801C --team A1B2C3D4E5"},
		}, a.start),
		op.New(op.Spec{
			Name: "agent_stop", Groups: groups, Verb: "agent stop", Route: "POST /api/v1/agent/stop",
			Summary: "Stop the agent of a device",
			Hints:   op.Idempotent, Examples: []string{"agent stop"},
		}, a.stop),
		op.New(op.Spec{
			Name: "agent_logs", Groups: groups, Verb: "agent logs", Route: "GET /api/v1/agent/logs",
			Summary: "Show the end of the log of a device's agent", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"agent logs", "agent logs --lines 200"},
		}, a.logs),
	}
}

// agentsOut is the list of all agents.
type agentsOut struct {
	Agents []device.AgentState `json:"agents"`

	own string // the driver of ios-agent's own agent
}

// Text has a line for each agent.
func (o agentsOut) Text() string {
	lines := []string{fmt.Sprintf("agents: %d", len(o.Agents))}
	for _, a := range o.Agents {
		lines = append(lines, fmt.Sprintf("%s  %s  %s  pid %d  port %d  build %.12s  protocol %d  %s",
			a.UDID, cmp.Or(a.Driver, o.own), a.State, a.PID, a.Port, a.Build, a.Protocol, a.Name))
	}
	return strings.Join(lines, "\n")
}

func (a *Agents) status(context.Context, *op.Call, struct{}) (agentsOut, error) {
	out := agentsOut{Agents: []device.AgentState{}, own: a.access.Usual()}
	for _, h := range a.access.Pool.Open() {
		for _, d := range a.access.Pool.Agents(h) {
			if state := d.AgentState(); state.State != device.AgentAbsent {
				out.Agents = append(out.Agents, state)
			}
		}
	}
	return out, nil
}

// agentBuildsOut is the list of builds.
type agentBuildsOut struct {
	Builds []device.AgentBuild `json:"builds"`
}

// Text names the products.
func (o agentBuildsOut) Text() string {
	var lines []string
	for _, b := range o.Builds {
		lines = append(lines, fmt.Sprintf("built for %s: %s", b.Platform, b.Products))
	}
	return strings.Join(lines, "\n")
}

func (a *Agents) build(ctx context.Context, c *op.Call, _ struct{}) (agentBuildsOut, error) {
	out := agentBuildsOut{Builds: []device.AgentBuild{}}
	ctx = device.WithProgress(ctx, c.Progress)
	for _, d := range a.access.Pool.Drivers() {
		if b, ok := d.(device.AgentBuilder); ok {
			built, err := b.BuildAgent(ctx)
			if err != nil {
				return out, err
			}
			out.Builds = append(out.Builds, built)
		}
	}
	return out, nil
}

// agentIn names the device.
type agentIn struct{ target.Target }

// agentStartIn names the device and the signing team. Signing uses an account of the user and installs an app on the phone. It loses no
// data, but needs approval like an operation that does.
type agentStartIn struct {
	target.Target
	Team op.Loss `json:"team,omitempty" doc:"signing team for a physical device; default: IOS_AGENT_TEAM"`
}

// agentOut is the agent of one device.
type agentOut struct{ device.AgentState }

// Text is one line.
func (o agentOut) Text() string { return fmt.Sprintf("the agent of %s: %s", o.Name, o.State) }

func (a *Agents) start(ctx context.Context, c *op.Call, in agentStartIn) (agentOut, error) {
	h, d, err := a.agent(ctx, c, in.Target)
	if err != nil {
		return agentOut{}, err
	}
	ctx = device.WithTeam(device.WithProgress(ctx, c.Progress), string(in.Team))
	if err := a.access.Do(ctx, h, func() error { return d.StartAgent(ctx) }); err != nil {
		return agentOut{}, err
	}
	return agentOut{d.AgentState()}, nil
}

// stop does not wait for the running command of the device: that command may hang.
func (a *Agents) stop(ctx context.Context, c *op.Call, in agentIn) (agentOut, error) {
	h, d, err := a.agent(ctx, c, in.Target)
	if err != nil {
		return agentOut{}, err
	}
	if err := a.access.Pool.Beside(ctx, h, func() error { return d.StopAgent(ctx) }); err != nil {
		return agentOut{}, err
	}
	return agentOut{d.AgentState()}, nil
}

func (a *Agents) agent(ctx context.Context, c *op.Call, t target.Target) (*pool.Handle, device.Agent, error) {
	h, _, err := a.access.Device(ctx, c, t)
	if err != nil {
		return nil, nil, err
	}
	d, err := device.As[device.Agent](h.Device)
	return h, d, err
}

// agentLogsIn says how many lines to show.
type agentLogsIn struct {
	target.Target
	Lines int `json:"lines,omitempty" doc:"number of lines from the end" min:"1" max:"5000" default:"50" more:"true"`
}

// agentLogsOut is the end of a log.
type agentLogsOut struct {
	Path  string   `json:"path"`
	Lines []string `json:"lines"`
}

// Text is the path and the lines below it.
func (o agentLogsOut) Text() string {
	return o.Path + "\n" + oneline.Under(strings.Join(o.Lines, "\n"))
}

// mostLog is the maximum number of bytes read from the end of a log.
const mostLog = 1 << 20

func (a *Agents) logs(ctx context.Context, c *op.Call, in agentLogsIn) (agentLogsOut, error) {
	_, d, err := a.agent(ctx, c, in.Target)
	if err != nil {
		return agentLogsOut{}, err
	}
	state := d.AgentState()
	if state.Log == "" {
		return agentLogsOut{}, fault.New(fault.PathError, "the agent of %s has no log: its state is %s", state.Name, state.State).
			WithHint("start it: %s", hint.Do("agent_start"))
	}
	text, err := regularfile.Tail(state.Log, mostLog)
	if err != nil {
		return agentLogsOut{}, fault.New(fault.PathError, "cannot read the agent's log: %w", err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return agentLogsOut{Path: state.Log, Lines: lines[max(0, len(lines)-in.Lines):]}, nil
}
