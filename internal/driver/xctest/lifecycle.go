package xctest

import (
	"context"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

var _ device.Agent = (*hands)(nil)

// AgentState describes the state of the device's agent.
func (h *hands) AgentState() device.AgentState {
	state := device.AgentState{UDID: h.info.UDID, Name: h.info.Name, State: device.AgentAbsent}
	if h.underWay() != nil {
		state.State = device.AgentStarting
		return state
	}
	a, _ := h.current()
	if a == nil {
		return state
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	state.PID, state.Port, state.Build, state.Since, state.Log = a.process.PID, a.port(), a.build, a.since, a.process.Spool
	state.Protocol = int(a.info.Version)
	switch {
	case !a.process.Alive():
		state.State = device.AgentDead
	case a.stream == nil:
		state.State = device.AgentIdle
	default:
		state.State = device.AgentConnected
	}
	return state
}

// StartAgent makes sure that an agent runs and answers.
func (h *hands) StartAgent(ctx context.Context) error {
	_, err := h.connected(ctx, true)
	return err
}

// StopAgent ends the agent, or its start.
func (h *hands) StopAgent(ctx context.Context) error {
	if s := h.underWay(); s != nil {
		s.cancel() // callers that wait for it leave the lane
	}
	return h.connecting.Do(ctx, func() error {
		h.dropAgent()
		return nil
	})
}

var _ device.AgentBuilder = (*Driver)(nil)

// BuildAgent builds the agent for simulators.
func (d *Driver) BuildAgent(ctx context.Context) (device.AgentBuild, error) {
	udid, err := d.anySimulator(ctx)
	if err != nil {
		return device.AgentBuild{}, err
	}
	run, err := d.Kit.Products(ctx, Want{SDK: xcodebuild.SimulatorSDK, UDID: udid, Again: true})
	if err != nil {
		return device.AgentBuild{}, err
	}
	return device.AgentBuild{Build: d.Kit.ID, Platform: xcodebuild.SimulatorSDK, Products: run}, nil
}

// anySimulator is a simulator to build the agent for, a booted one if possible. Without one xcodebuild has no eligible destination.
func (d *Driver) anySimulator(ctx context.Context) (string, error) {
	infos, err := d.List(ctx)
	if err != nil {
		return "", err
	}
	udid := ""
	for _, i := range infos {
		switch {
		case !i.Available || device.Platform(i.OS) != xcodebuild.IOS:
		case i.State == device.Booted:
			return i.UDID, nil
		case udid == "":
			udid = i.UDID
		}
	}
	if udid == "" {
		return "", fault.New(fault.NoDevice, "the agent is built for a simulator, and this Mac has none").WithHint("%s", device.InstallRuntime)
	}
	return udid, nil
}
