package session

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ui"
)

// Status shows the state of the daemon and the session.
type Status struct{ d StatusDeps }

// StatusDeps are the services and values that a status shows.
type StatusDeps struct {
	Access    access.Access
	Jobs      *op.Jobs
	PID       int       // of the daemon
	URL       string    // where the daemon serves HTTP
	StartedAt time.Time // of the daemon
}

// NewStatus makes the status operation.
func NewStatus(d StatusDeps) *Status { return &Status{d} }

// Ops lists the status operation.
func (s *Status) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "status", Groups: []string{"system"}, Route: "GET /api/v1/status", Passive: true,
			Summary: "Show the daemon, session, device, claim, app, jobs and MCP tools",
			Help:    "It starts, boots and contacts nothing. If no daemon runs, it says so and exits with 4.",
			Hints:   op.ReadOnly | op.Idempotent, Examples: []string{"status", "status --json"},
		}, s.status),
	}
}

// nearDevice is the session's device in a status.
type nearDevice struct {
	UDID      string     `json:"udid"`
	Name      string     `json:"name"`
	OS        string     `json:"os_version"`
	State     string     `json:"state"`
	Claim     string     `json:"claim_status"`
	ClaimedBy string     `json:"claimed_by,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	App       string     `json:"app,omitempty"` // in front at the session's last look
}

// statusOut is the status.
type statusOut struct {
	PID       int         `json:"pid"`
	URL       string      `json:"server_url"`
	StartedAt time.Time   `json:"started_at"`
	Session   string      `json:"session"`
	Device    *nearDevice `json:"device,omitempty"`
	Booted    []string    `json:"booted_devices"` // names of all booted devices
	Jobs      []op.JobOut `json:"jobs"`           // running jobs of the session
	Tools     string      `json:"mcp_tools"`
}

// Text has a line for each item.
func (o statusOut) Text() string {
	lines := []string{
		fmt.Sprintf("daemon:  pid %d, %s", o.PID, o.URL),
		"session: " + o.Session,
		"device:  " + o.Device.words(),
	}
	if o.Device != nil && o.Device.App != "" {
		lines = append(lines, "app:     "+o.Device.App+", at this session's last look")
	}
	if len(o.Booted) > 0 {
		lines = append(lines, "booted:  "+strings.Join(o.Booted, ", "))
	}
	for _, j := range o.Jobs {
		lines = append(lines, fmt.Sprintf("job:     %s (%s), %s: %s", j.Job, j.Operation,
			(time.Duration(j.ElapsedMS)*time.Millisecond).Round(time.Second), j.Message))
	}
	return strings.Join(append(lines, "tools:   "+o.Tools), "\n")
}

// missing is the state of the session's device if no driver lists it.
const missing = "not found"

func (d *nearDevice) words() string {
	switch {
	case d == nil:
		return "none chosen"
	case d.State == missing:
		return d.Name + ", not found: choose another with " + hint.Do("use_device", "device", "NAME")
	}
	text := fmt.Sprintf("%s (%s), %s, %s", d.Name, d.OS, d.State, d.Claim)
	if d.ClaimedBy != "" {
		text += " by " + d.ClaimedBy
	}
	if d.ExpiresAt != nil {
		text += " until " + d.ExpiresAt.Format(time.RFC3339)
	}
	return text
}

func (s *Status) status(ctx context.Context, c *op.Call, _ op.Nothing) (statusOut, error) {
	out := statusOut{
		PID: s.d.PID, URL: s.d.URL, StartedAt: s.d.StartedAt.UTC(), Session: c.Session, Booted: []string{},
		Jobs: s.d.Jobs.Running(c.Session), Tools: cmp.Or(c.Env[ToolsVariable], defaultTools),
	}
	entries, err := s.d.Access.Pool.Entries(ctx)
	if err != nil {
		return out, err
	}
	session := s.d.Access.Sessions.Get(c.Session)
	chosen := session.Choice()
	if chosen.Name != "" {
		out.Device = &nearDevice{UDID: chosen.UDID, Name: chosen.Name, State: missing}
	}
	for _, e := range entries {
		if e.State == device.Booted && e.Type != device.TypeProcess {
			out.Booted = append(out.Booted, e.Name)
		}
		if e.UDID != chosen.UDID {
			continue
		}
		out.Device = &nearDevice{e.UDID, e.Name, e.OS, e.State, e.ClaimStatus, e.ClaimedBy, e.ExpiresAt, ""}
		session.Refs(func(r *ui.Refs) { out.Device.App = r.LastApp(e.UDID) })
	}
	return out, nil
}

// ToolsVariable is the environment variable with the MCP tools of a client that has no flag for them.
const ToolsVariable = "IOS_AGENT_TOOLS"

// defaultTools are the tools of a client that chooses none.
const defaultTools = "core, unless .ios-agent/config.yaml names others"
