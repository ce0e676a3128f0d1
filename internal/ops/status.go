package ops

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// standing tells how things stand for a session, and lets it choose its device.
type standing struct {
	deviceAccess
	jobs   *op.Jobs
	server Server
}

func (s *standing) ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "status", Groups: []string{"system"}, Route: "GET /api/v1/status", Passive: true,
			Summary: "Show the daemon, the session, its device and claim, the app last seen, its jobs and its MCP tools",
			Help:    "Nothing is started or booted for it, and no device is asked. When no daemon runs it says so, and exits with 4.",
			Hints:   op.ReadOnly | op.Idempotent, Examples: []string{"status", "status --json"},
		}, s.status),
		op.New(op.Spec{
			Name: "use_device", Verb: "use", Groups: []string{"device"}, Route: "POST /api/v1/device/use",
			Summary: "Make a device the session's: calls that name none mean it",
			Help:    "It is not booted and not claimed for that; `ios-agent boot` boots it.",
			Hints:   op.ReadOnly | op.Idempotent, Next: []string{"boot_device", "launch_app"},
			Examples: []string{`use "iPhone 16 Pro"`, "use --pid 4711"},
			Short:    append(desktopFlags("device"), op.Short{Flag: "udid", Input: "device", Doc: "the device by its udid"}),
		}, s.use),
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
	App       string     `json:"app,omitempty"` // in front, when the session last looked
}

// statusOut is how things stand.
type statusOut struct {
	PID       int         `json:"pid"`
	URL       string      `json:"server_url"`
	StartedAt time.Time   `json:"started_at"`
	Session   string      `json:"session"`
	Device    *nearDevice `json:"device,omitempty"`
	Booted    []string    `json:"booted_devices"` // the names of all that are
	Jobs      []op.JobOut `json:"jobs"`           // of the session, that are under way
	Tools     string      `json:"mcp_tools"`
}

// Text is one line for each thing.
func (o statusOut) Text() string {
	lines := []string{
		fmt.Sprintf("daemon:  pid %d, %s", o.PID, o.URL),
		"session: " + o.Session,
		"device:  " + o.Device.words(),
	}
	if o.Device != nil && o.Device.App != "" {
		lines = append(lines, "app:     "+o.Device.App+", when this session last looked")
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

func (d *nearDevice) words() string {
	if d == nil {
		return "none chosen"
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

func (s *standing) status(ctx context.Context, c *op.Call, _ nothingIn) (statusOut, error) {
	out := statusOut{
		PID: os.Getpid(), URL: s.server.URL, StartedAt: s.server.StartedAt.UTC(), Session: c.Session, Booted: []string{},
		Jobs: s.jobs.Running(c.Session), Tools: cmp.Or(c.Env[ToolsVariable], defaultTools),
	}
	entries, err := s.pool.Entries(ctx)
	if err != nil {
		return out, err
	}
	session := s.sessions.Get(c.Session)
	for _, e := range entries {
		if e.State == device.Booted && e.Type != device.TypeProcess {
			out.Booted = append(out.Booted, e.Name)
		}
		if e.UDID != session.Device() {
			continue
		}
		out.Device = &nearDevice{e.UDID, e.Name, e.OS, e.State, e.ClaimStatus, e.ClaimedBy, e.ExpiresAt, ""}
		session.Refs(func(r *ui.Refs) { out.Device.App = r.LastApp(e.UDID) })
	}
	return out, nil
}

// ToolsVariable names the MCP tools of a client, where no flag does.
const ToolsVariable = "IOS_AGENT_TOOLS"

// defaultTools are those of a client that names none.
const defaultTools = "core, unless .ios-agent/config.yaml names others"

// useIn names a device.
type useIn struct {
	Device string `json:"device" doc:"its name or its udid; pid:N or app:NAME is a desktop app" cli:"arg"`
}

func (s *standing) use(ctx context.Context, c *op.Call, in useIn) (DeviceOut, error) {
	if s.pool.Opens(in.Device) {
		h, err := s.pool.Resolve(ctx, pool.Criteria{UDID: in.Device, Env: environ(c)})
		if err != nil {
			return DeviceOut{}, err
		}
		return s.using(c, h), nil
	}
	entries, err := s.pool.Entries(ctx)
	if err != nil {
		return DeviceOut{}, err
	}
	which := pool.Criteria{Name: in.Device}
	if slices.ContainsFunc(entries, func(e pool.Entry) bool { return strings.EqualFold(e.UDID, in.Device) }) {
		which = pool.Criteria{UDID: in.Device}
	}
	h, err := s.pool.Resolve(ctx, which)
	if f, ambiguous := fault.In(err); ambiguous && f.Code == fault.DeviceAmbiguous {
		return DeviceOut{}, f.WithHint("name it by its udid: `ios-agent use UDID`")
	}
	if err != nil {
		return DeviceOut{}, err
	}
	info := h.Info()
	for _, e := range entries {
		if e.UDID == info.UDID && !e.Available {
			return DeviceOut{}, fault.New(fault.DeviceNotFound, "%s (%s) cannot be used: %s", info.Name, info.OS,
				cmp.Or(e.Quarantine, "it is not available"))
		}
	}
	return s.using(c, h), nil
}

func (s *standing) using(c *op.Call, h *pool.Handle) DeviceOut {
	info := h.Info()
	s.sessions.Get(c.Session).Use(info.UDID)
	c.Device = &op.Device{UDID: info.UDID, Name: info.Name}
	return DeviceOut{Status: "using", UDID: info.UDID, Name: info.Name}
}
