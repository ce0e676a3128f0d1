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
	Name     string    `json:"name"`             // of the device
	Driver   string    `json:"driver,omitempty"` // whose agent it is; empty: our own
	State    string    `json:"state"`
	PID      int       `json:"pid,omitempty"`
	Port     int       `json:"port,omitempty"`
	Build    string    `json:"build,omitempty"`
	Protocol int       `json:"protocol,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	Log      string    `json:"log,omitempty"`
}

// Agent is a device that is driven by a program of ours which runs on it. On a simulator it comes by itself when it is needed; these
// are for those who want it earlier, or gone. On a physical device it comes only when it is started. They may be called at any time.
type Agent interface {
	AgentState() AgentState
	StartAgent(ctx context.Context) error
	StopAgent(ctx context.Context) error
}

// Dormant is a device whose agent does not come by itself: while it does not run, another driver that does is the better one.
type Dormant interface {
	Dormant() bool
}

type teamKey struct{}

// WithTeam names the team that signs an agent which is started with the context.
func WithTeam(ctx context.Context, team string) context.Context {
	return context.WithValue(ctx, teamKey{}, team)
}

// Team is the team that was named; empty: none was.
func Team(ctx context.Context) string {
	team, _ := ctx.Value(teamKey{}).(string)
	return team
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
