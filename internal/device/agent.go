package device

import (
	"context"
	"time"
)

// The states of an agent.
const (
	AgentAbsent    = "absent"    // no agent was started, or it was stopped
	AgentIdle      = "idle"      // running without a connection
	AgentConnected = "connected" //
	AgentStarting  = "starting"  // its start is under way
	AgentDead      = "dead"      // it ended; the next action starts another
)

// AgentState is the state of the agent that drives a device.
type AgentState struct {
	UDID     string    `json:"udid"`
	Name     string    `json:"name"`             // of the device
	Driver   string    `json:"driver,omitempty"` // driver of the agent; empty: our own
	State    string    `json:"state"`
	PID      int       `json:"pid,omitempty"`
	Port     int       `json:"port,omitempty"`
	Build    string    `json:"build,omitempty"`
	Protocol int       `json:"protocol,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	Log      string    `json:"log,omitempty"`
}

// Agent is a device that an agent of this product drives. On a simulator the agent starts at its first use; these methods start it
// earlier, or stop it. On a physical device the agent starts only on request. The methods may be called at any time.
type Agent interface {
	AgentState() AgentState
	StartAgent(ctx context.Context) error
	StopAgent(ctx context.Context) error
}

// Dormant is a device whose agent must be started on request. While the agent does not run, another driver with a running agent is
// preferred.
type Dormant interface {
	Dormant() bool
}

type teamKey struct{}

// WithTeam names the team that signs an agent started with the context.
func WithTeam(ctx context.Context, team string) context.Context {
	return context.WithValue(ctx, teamKey{}, team)
}

// Team is the context's team; empty if none was named.
func Team(ctx context.Context) string {
	team, _ := ctx.Value(teamKey{}).(string)
	return team
}

// AgentBuild is a build of the agent's sources.
type AgentBuild struct {
	Build    string `json:"build"`
	Platform string `json:"platform"`
	Products string `json:"products"`
}

// AgentBuilder is a driver that builds its agent.
type AgentBuilder interface {
	BuildAgent(ctx context.Context) (AgentBuild, error)
}
