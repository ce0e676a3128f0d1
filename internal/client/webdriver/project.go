package webdriver

import (
	"context"
	"strings"

	"ios-agent/internal/hint"
	"ios-agent/internal/op"
)

// ours describes a device of the project, as the product lists it.
type ours struct {
	UDID, Name string
	OS         string `json:"os_version"`
	ClaimedBy  string `json:"claimed_by"`
}

// project is the session of the folder that the server was started in.
type project struct {
	caller op.Caller
	name   string
	device *ours // the chosen device, else its only driven device; else nil
}

// project asks for the project's device.
func (s *Server) project(ctx context.Context) (project, error) {
	caller, err := s.Connect(s.Project)
	if err != nil {
		return project{}, err
	}
	var now struct {
		Session string
		Device  *ours
	}
	var pool struct{ Devices []*ours }
	as := &session{caller: caller}
	if err := as.call(ctx, "status", nil, &now); err != nil {
		return project{}, err
	}
	if now.Device == nil {
		err = as.call(ctx, "list_device_pool", map[string]any{"claimed": "claimed"}, &pool)
	}
	p := project{caller, now.Session, now.Device}
	if driven := p.drives(pool.Devices); p.device == nil && len(driven) == 1 {
		p.device = driven[0]
	}
	return p, err
}

func (p project) drives(all []*ours) (driven []*ours) {
	for _, d := range all {
		if d.ClaimedBy == p.name {
			driven = append(driven, d)
		}
	}
	return driven
}

// lend returns the udid of the project's device for a session that names none; empty: the pool chooses one. If the project has a lease of
// the device, the session takes it over; both may drive then.
func (p project) lend(ctx context.Context, to string, w wanted) (udid string, err error) {
	if p.device == nil || w.version != "" && !strings.HasPrefix(numeric(p.device.OS)+".", w.version+".") {
		return "", nil
	}
	if p.device.UDID == "" {
		return "", fail(notCreated, "the project's device %s is missing", p.device.Name).
			hinted(hint.Do("use_device", "device", "NAME") + " chooses another, or name one in the capabilities: appium:udid")
	}
	if p.device.ClaimedBy == p.name {
		input := map[string]any{"udid": p.device.UDID, "session_id": to, "reason": "a WebDriver session of the project"}
		err = (&session{caller: p.caller}).call(ctx, "take_over_device", input, nil)
	}
	return p.device.UDID, err
}
