package device

import (
	"context"
	"time"
)

// The states of an agent.
const (
	AgentAbsent    = "absent"    // none was started, or it was stopped
	AgentIdle      = "idle"      // it runs, and nobody is connected to it
	AgentConnected = "connected" //
	AgentDead      = "dead"      // it ended; the next action starts another
)

// AgentState is how the program of ours is that drives a device.
type AgentState struct {
	UDID     string    `json:"udid"`
	Name     string    `json:"name"` // of the device
	State    string    `json:"state"`
	PID      int       `json:"pid,omitempty"`
	Port     int       `json:"port,omitempty"`
	Build    string    `json:"build,omitempty"`
	Protocol int       `json:"protocol,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	Log      string    `json:"log,omitempty"`
}

// Agent is a device that is driven by a program of ours which runs on it. It comes by itself when it is needed; these are
// for those who want it earlier, or gone. They may be called at any time.
type Agent interface {
	AgentState() AgentState
	StartAgent(ctx context.Context) error
	StopAgent(ctx context.Context) error
}

// AgentBuild is what was built of the agent's sources.
type AgentBuild struct {
	Build    string `json:"build"`
	Platform string `json:"platform"`
	Products string `json:"products"`
}

// AgentBuilder is a driver that builds its agent.
type AgentBuilder interface {
	BuildAgent(ctx context.Context) (AgentBuild, error)
}
