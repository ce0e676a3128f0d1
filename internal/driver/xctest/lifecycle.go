package xctest

import (
	"context"

	"ios-agent/internal/device"
)

var _ device.Agent = (*phone)(nil)

// AgentState tells how the simulator's agent is.
func (p *phone) AgentState() device.AgentState {
	state := device.AgentState{UDID: p.info.UDID, Device: p.info.Name, State: device.AgentAbsent}
	a, _ := p.current()
	if a == nil {
		return state
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	state.PID, state.Port, state.Build, state.Since, state.Log = a.process.PID, a.port, a.build, a.since, a.process.Spool
	state.Protocol = int(a.info.Version)
	switch {
	case !a.alive():
		state.State = device.AgentDead
	case a.stream == nil:
		state.State = device.AgentIdle
	default:
		state.State = device.AgentConnected
	}
	return state
}

// StartAgent makes sure that an agent runs and answers.
func (p *phone) StartAgent(ctx context.Context) error {
	_, err := p.connect(ctx)
	return err
}

// StopAgent ends the agent; the next action starts another.
func (p *phone) StopAgent(ctx context.Context) error {
	return p.connecting.Do(ctx, func() error {
		p.dropAgent()
		return nil
	})
}

var _ device.AgentBuilder = (*Driver)(nil)

// BuildAgent builds the agent for simulators.
func (d *Driver) BuildAgent(ctx context.Context) (device.AgentBuild, error) {
	run, err := d.Kit.Rebuild(ctx, "iphonesimulator")
	if err != nil {
		return device.AgentBuild{}, err
	}
	return device.AgentBuild{Build: d.Kit.ID, Platform: "iphonesimulator", Products: run}, nil
}
