package xctest

import (
	"cmp"
	"context"
	"errors"
	"net"
	"time"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/driver/xctest/agentsource"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/lazyregexp"
)

// Physical reads the screen of physical devices and sends them input, with the same agent as on a simulator. The user's team signs the
// agent, and the driver reaches it through a port of the device. It starts only on request: a start takes a minute, needs an unlocked
// screen and installs an app on a person's phone. The driver reconnects a broken connection; a lost agent is a fault whose hint says how
// to start it.
type Physical struct {
	Agents *Driver // starts agents
	Team   string  // signs the agent; "": not configured
	// Dial connects to a port of a device.
	Dial func(ctx context.Context, udid string, port int) (net.Conn, error)
	// Wired reports whether a cable connects a device.
	Wired func(ctx context.Context, udid string) (bool, error)
	// Running lists the running apps of a device by bundle id.
	Running func(ctx context.Context, udid string) (map[string]int, error)
	// Terminate ends an app on a device.
	Terminate func(ctx context.Context, udid, bundle string) error
	// Ready returns the fault that keeps this computer from using the device; nil if it finds none. failed is why an agent did not start
	// there, nil before a start.
	Ready func(ctx context.Context, udid string, failed error) error
}

// Open returns the device without starting its agent.
func (p *Physical) Open(info device.Info) device.Device {
	h := &handset{physical: p}
	h.hands = newHands(info, h, agentsource.Runner(p.Team))
	return h
}

// handset is one physical device.
type handset struct {
	*hands
	physical *Physical

	team string // signed the agent that was started last; guarded by mu
}

// signs is the team that signs the next agent: the given team, the last one, or the user's.
func (h *handset) signs(named string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cmp.Or(named, h.team, h.physical.Team)
}

var (
	_ device.Device   = (*handset)(nil)
	_ device.Eyes     = (*handset)(nil)
	_ device.Camera   = (*handset)(nil)
	_ device.Agent    = (*handset)(nil)
	_ device.Buttons  = (*handset)(nil)
	_ device.Examiner = (*handset)(nil)
	_ device.Dormant  = (*handset)(nil)
	_ ground          = (*handset)(nil)
)

func (h *handset) name() string { return Spec().Name }

// Dormant reports whether the agent must be started before the device can be read or driven.
func (h *handset) Dormant() bool {
	state := h.AgentState().State
	return state == device.AgentAbsent || state == device.AgentDead
}

// replaces is false: an agent on a person's phone starts only on request.
func (h *handset) replaces() bool { return false }

func (h *handset) greeting() time.Duration { return h.physical.Agents.Start.filled().Greeting }

func (h *handset) running(ctx context.Context) (map[string]int, error) {
	return h.physical.Running(ctx, h.info.UDID)
}

// start builds the agent if necessary and starts it.
func (h *handset) start(ctx context.Context, target string) (*agent, error) {
	team := h.signs(device.Team(ctx))
	if err := h.mustHave(team); err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.team, h.runner = team, agentsource.Runner(team)
	h.mu.Unlock()
	if err := h.physical.Ready(ctx, h.info.UDID, nil); err != nil {
		return nil, err
	}
	if err := h.mustBeWired(ctx); err != nil {
		return nil, err
	}
	a, err := h.spawn(ctx, target, team, false)
	if errors.Is(err, errProfile) {
		a, err = h.spawn(ctx, target, team, true)
	}
	if err == nil {
		return a, nil
	}
	if why := h.physical.Ready(ctx, h.info.UDID, err); why != nil {
		return nil, why
	}
	if errors.Is(err, errProfile) {
		return nil, fault.New(fault.SigningFailed, "%w", err).WithHint("register the device with team %s: run any app on it from Xcode once. "+
			"If the device says that the developer is not trusted: Settings, General, VPN & Device Management, Trust. Then try again: %s", team,
			hint.Do("agent_start", "udid", h.info.UDID))
	}
	f := fault.From(err)
	return nil, f.WithHint("%s; %s checks the device", f.Hint, hint.Do("doctor", "device", h.info.UDID))
}

// spawn starts an agent from the products of a team; again builds them first.
func (h *handset) spawn(ctx context.Context, target, team string, again bool) (*agent, error) {
	if again {
		device.Progress(ctx, "building the agent again, because the device refused its provisioning profile")
	}
	run, err := h.physical.Agents.Kit.Products(ctx, Want{SDK: xcodebuild.DeviceSDK, UDID: h.info.UDID, Team: team, Again: again})
	if err != nil {
		return nil, err
	}
	runner := agentsource.Runner(team)
	end := func(ctx context.Context) {
		_ = h.physical.Terminate(ctx, h.info.UDID, runner) // it may have exited already
	}
	return h.physical.Agents.spawn(ctx, site{
		info: h.info, sdk: xcodebuild.DeviceSDK, products: run, end: end,
		vacate: func(ctx context.Context) { vacate(ctx, runner, h.running, end) },
		dial:   func(ctx context.Context, port int) (net.Conn, error) { return h.physical.Dial(ctx, h.info.UDID, port) },
	}, target)
}

// mustBeWired refuses a device that only the network connects. The agent listens on the loopback interface of the device, which
// usbmuxd reaches through a cable.
func (h *handset) mustBeWired(ctx context.Context) error {
	wired, err := h.physical.Wired(ctx, h.info.UDID)
	if err != nil || wired {
		return err
	}
	return fault.New(fault.AgentFailed, "%s is connected over Wi-Fi, and an agent can be reached through a cable only", h.info.Name).
		WithHint("connect it with a data cable; then try again: %s", hint.Do("agent_start", "udid", h.info.UDID))
}

// teamID is how Apple writes a team.
var teamID = lazyregexp.New(`^[A-Z0-9]{10}$`)

// howTeam says how to name a team. Xcode shows its id.
var howTeam = "name your team: " + hint.Do("agent_start", "team", "ID") + "; or for every start: IOS_AGENT_TEAM=ID in the environment " +
	"of the daemon. The id has ten letters and digits; Xcode shows it under Settings, Accounts"

func (h *handset) mustHave(team string) error {
	switch {
	case team == "":
		return fault.New(fault.SigningFailed, "the agent for %s needs a team to sign it", h.info.Name).WithHint("%s", howTeam)
	case !teamID.MatchString(team):
		return fault.New(fault.SigningFailed, "cannot sign the agent for %s: %.40q must be a team id", h.info.Name, team).
			WithHint("%s", howTeam)
	}
	return nil
}

// Screenshot asks the agent: a physical device with iOS 17 or newer offers no other way without a tunnel of its own.
func (h *handset) Screenshot(ctx context.Context) ([]byte, error) {
	picture, err := ask[*agentwire.Image](ctx, h.hands, &agentwire.Screenshot{}, reads)
	if err != nil {
		return nil, err
	}
	return picture.PNG, nil
}

// Examine checks whether the agent can be signed, is built and runs.
func (h *handset) Examine(ctx context.Context) []device.Check {
	var steps []device.Check
	if wired, err := h.physical.Wired(ctx, h.info.UDID); err == nil && !wired {
		steps = append(steps, device.Check{Name: device.StepCable, Status: device.CheckWarn,
			Message: "connected over Wi-Fi: apps and logs work, and the agent cannot be reached", Hint: "connect it with a data cable"})
	}
	team := h.signs("")
	if err := h.mustHave(team); err != nil {
		return append(steps, device.FailedCheck(device.StepTeam, err))
	}
	steps = append(steps, device.Check{Name: device.StepTeam, Status: device.CheckOK, Message: "team " + team + " signs the agent"})
	state := h.AgentState()
	start := hint.Do("agent_start", "udid", h.info.UDID)
	built, err := h.physical.Agents.Kit.Built(ctx, Want{SDK: xcodebuild.DeviceSDK, UDID: h.info.UDID, Team: team})
	switch {
	case err != nil:
		steps = append(steps, device.FailedCheck(device.StepSigning, err))
	case !built:
		steps = append(steps, device.Check{Name: device.StepSigning, Status: device.CheckWarn, Message: "the agent is not built and signed yet",
			Hint: "start it, which builds and signs it: " + start})
	default:
		steps = append(steps, device.Check{Name: device.StepSigning, Status: device.CheckOK, Message: "the agent is built and signed"})
	}
	agent := device.Check{Name: device.StepAgent, Status: device.CheckOK, Message: "the agent is " + state.State}
	if state.State == device.AgentAbsent || state.State == device.AgentDead {
		agent.Status, agent.Hint = device.CheckWarn, "unlock the device and start the agent: "+start
	}
	return append(steps, agent)
}
