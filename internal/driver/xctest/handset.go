package xctest

import (
	"cmp"
	"context"
	"net"
	"time"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/driver/xctest/agentsource"
	"ios-agent/internal/fault"
	"ios-agent/internal/text/lazyregexp"
)

// Physical gives physical devices eyes and fingers: the same agent as on a simulator, signed with a team of the user's, and reached
// through a port of the device. It is started when somebody asks for it and never unasked: that takes a minute, an unlocked screen and
// an app on somebody's phone. A connection that breaks is made again; an agent that is gone is a fault which says how to start it.
type Physical struct {
	Agents *Driver // starts agents
	Team   string  // that signs the agent; empty: nobody has said
	// Dial connects to a port of a device.
	Dial func(ctx context.Context, udid string, port int) (net.Conn, error)
	// Running tells which apps run on a device, by bundle id.
	Running func(ctx context.Context, udid string) (map[string]int, error)
	// Terminate ends an app on a device.
	Terminate func(ctx context.Context, udid, bundle string) error
	// Ready says what stands between this computer and a device, as a fault; nil: nothing is known to. failed is why an agent did not
	// start there, nil before it is started.
	Ready func(ctx context.Context, udid string, failed error) error
}

// Open gives the eyes and fingers of a device; nothing is started.
func (p *Physical) Open(info device.Info) device.Device {
	h := &handset{physical: p}
	h.hands = newHands(info, h, agentsource.Runner(p.Team))
	return h
}

// handset is one physical device.
type handset struct {
	*hands
	physical *Physical

	team string // that signed the agent which was started last; guarded by mu
}

// signs is the team that signs the next agent: the one that is named, the last one, or the user's.
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

// Dormant reports whether the agent does not run, and therefore nobody looks and touches before it is started.
func (h *handset) Dormant() bool {
	state := h.AgentState().State
	return state == device.AgentAbsent || state == device.AgentDead
}

// replaces: an agent on somebody's phone is started when he asks for it.
func (h *handset) replaces() bool { return false }

func (h *handset) greeting() time.Duration { return h.physical.Agents.Start.filled().Greeting }

func (h *handset) running(ctx context.Context) (map[string]int, error) {
	return h.physical.Running(ctx, h.info.UDID)
}

// start builds the agent, if it is not there, and starts it.
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
	run, err := h.physical.Agents.Kit.Products(ctx, Want{SDK: xcodebuild.DeviceSDK, UDID: h.info.UDID, Team: team})
	if err != nil {
		return nil, err
	}
	runner := agentsource.Runner(team)
	end := func(ctx context.Context) {
		_ = h.physical.Terminate(ctx, h.info.UDID, runner) // it may have ended by itself
	}
	a, err := h.physical.Agents.spawn(ctx, site{
		info: h.info, sdk: xcodebuild.DeviceSDK, products: run, end: end,
		vacate: func(ctx context.Context) { vacate(ctx, runner, h.running, end) },
		dial:   func(ctx context.Context, port int) (net.Conn, error) { return h.physical.Dial(ctx, h.info.UDID, port) },
	}, target)
	if err == nil {
		return a, nil
	}
	if why := h.physical.Ready(ctx, h.info.UDID, err); why != nil {
		return nil, why
	}
	f := fault.From(err)
	return nil, f.WithHint("%s; `ios-agent doctor --device %s` says what is missing", f.Hint, h.info.UDID)
}

// teamID is how Apple writes a team.
var teamID = lazyregexp.New(`^[A-Z0-9]{10}$`)

// howTeam says where a team is named.
const howTeam = "name your team with `ios-agent agent start --team ID`, or for always: IOS_AGENT_TEAM=ID in the environment of the " +
	"daemon. The id has ten letters and digits; Xcode shows it: Settings, Accounts"

func (h *handset) mustHave(team string) error {
	switch {
	case team == "":
		return fault.New(fault.SigningFailed, "the agent for %s needs a team that signs it, and none is named", h.info.Name).WithHint(howTeam)
	case !teamID.MatchString(team):
		return fault.New(fault.SigningFailed, "%.40q is no id of a team, so that the agent for %s cannot be signed", team, h.info.Name).
			WithHint(howTeam)
	}
	return nil
}

// Screenshot asks the agent: a physical device with iOS 17 or newer has no other way that needs no tunnel of its own.
func (h *handset) Screenshot(ctx context.Context) ([]byte, error) {
	picture, err := ask[*agentwire.Image](ctx, h.hands, &agentwire.Screenshot{}, reads)
	if err != nil {
		return nil, err
	}
	return picture.PNG, nil
}

// Examine tells whether the agent can be signed, was built and runs.
func (h *handset) Examine(ctx context.Context) []device.Check {
	team := h.signs("")
	steps := []device.Check{{Name: device.StepTeam, Status: device.CheckOK, Message: "team " + team + " signs the agent"}}
	if err := h.mustHave(team); err != nil {
		return []device.Check{device.FailedCheck(device.StepTeam, err)}
	}
	state := h.AgentState()
	start := "`ios-agent agent start --udid " + h.info.UDID + "`"
	built, err := h.physical.Agents.Kit.Built(ctx, Want{SDK: xcodebuild.DeviceSDK, Team: team})
	switch {
	case err != nil:
		steps = append(steps, device.FailedCheck(device.StepSigning, err))
	case !built:
		steps = append(steps, device.Check{Name: device.StepSigning, Status: device.CheckWarn, Message: "the agent was not built and signed yet",
			Hint: "the first start does it: " + start})
	default:
		steps = append(steps, device.Check{Name: device.StepSigning, Status: device.CheckOK, Message: "the agent is built and signed"})
	}
	agent := device.Check{Name: device.StepAgent, Status: device.CheckOK, Message: "the agent is " + state.State}
	if state.State == device.AgentAbsent || state.State == device.AgentDead {
		agent.Status, agent.Hint = device.CheckWarn, "start it, with the device unlocked: "+start
	}
	return append(steps, agent)
}
