package agents_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ops/agents"
	"ios-agent/test/fakedevice"
)

// builder is a driver that builds its agent.
type builder struct {
	fakedevice.Driver
	err   error
	built int
}

func (b *builder) BuildAgent(context.Context) (device.AgentBuild, error) {
	b.built++
	return device.AgentBuild{Build: "1", Platform: "iOS Simulator", Products: "/p/" + b.Named}, b.err
}

func phone(udid, name string) *fakedevice.Phone {
	p := fakedevice.New(fakedevice.Simulator(udid, name, device.Booted))
	p.Agent = device.AgentState{UDID: udid, Name: name, State: device.AgentAbsent}
	return p
}

func bare() device.Device {
	return fakedevice.Bare{Is: fakedevice.Simulator("B", "Bea", "shutdown"), By: "devicectl"}
}

func room(t *testing.T, devices ...device.Device) (*fakedevice.Room, *pool.Pool) {
	t.Helper()
	reach := fakedevice.Reach(t, devices...)
	return fakedevice.Open(t, agents.New(reach).Ops()), reach.Pool
}

func TestAgentIsStartedUnderTheLeaseAndStopped(t *testing.T) {
	ann := phone("A", "Ann")
	run, devices := room(t, ann, bare())
	run.Says("agent_start", `{"team":"TEAM1"}`, "the agent of Ann: connected")
	if got := ann.Did(); !slices.Equal(got, []string{"StartAgent TEAM1"}) {
		t.Errorf("got %q, want it started with the team", got)
	}
	if e, err := devices.Entry(t.Context(), "A"); err != nil || e.ClaimedBy != "a" {
		t.Errorf("got the holder %q and %v, want a", e.ClaimedBy, err)
	}
	for _, name := range []string{"agent_start", "agent_stop"} {
		fakedevice.WantFault(t, name, run.As("b", name, `{"udid":"A"}`).Error, fault.DeviceClaimed, "already claimed by a")
	}
	if got := ann.Did(); len(got) > 0 {
		t.Errorf("another session: got %q, want nothing done", got)
	}
	run.Says("agent_stop", `{}`, "the agent of Ann: absent")
	if got := ann.Did(); !slices.Equal(got, []string{"StopAgent"}) {
		t.Errorf("got %q, want it stopped", got)
	}
	for _, method := range []string{"StartAgent", "StopAgent"} {
		ann.Fails[method] = fault.New(fault.AgentFailed, "%s says no", method)
	}
	run.Refused("agent_start", `{}`, fault.AgentFailed, "StartAgent says no")
	run.Refused("agent_stop", `{}`, fault.AgentFailed, "StopAgent says no")
	for _, name := range []string{"agent_start", "agent_stop", "agent_logs"} {
		run.Refused(name, `{"udid":"B"}`, fault.Unsupported, "Bea (B)", "cannot run an agent")
		run.Refused(name, `{"udid":"X"}`, fault.DeviceNotFound, `"X"`)
	}
}

func TestAgentStatusOmitsAbsentAgents(t *testing.T) {
	ann, cleo := phone("A", "Ann"), phone("C", "Cleo")
	run, devices := room(t, ann, cleo, bare())
	run.Says("agent_status", `{}`, "agents: 0")
	ann.Agent = device.AgentState{
		UDID: "A", Name: "Ann", State: device.AgentIdle, PID: 7, Port: 81, Build: "0123456789abcdef", Protocol: 3,
	}
	run.Says("agent_status", `{}`, "agents: 0") // a device that nobody opened is not asked
	for _, udid := range []string{"A", "B", "C"} {
		if _, err := devices.Resolve(t.Context(), pool.Criteria{UDID: udid}); err != nil {
			t.Fatal(err)
		}
	}
	const one = "A  xctest  idle  pid 7  port 81  build 0123456789ab  protocol 3  Ann"
	run.Says("agent_status", `{}`, "agents: 1\n"+one)
	cleo.Agent = device.AgentState{UDID: "C", Name: "Cleo", Driver: "wda", State: device.AgentDead}
	run.Says("agent_status", `{}`, "agents: 2\n"+one+"\nC  wda  dead  pid 0  port 0  build   protocol 0  Cleo")
}

func TestAgentBuildUsesEveryBuildingDriver(t *testing.T) {
	first, second := &builder{Driver: fakedevice.Driver{Named: "one"}}, &builder{Driver: fakedevice.Driver{Named: "two"}}
	reach := fakedevice.Over(t, pool.Options{Drivers: []device.Driver{first, &fakedevice.Driver{Named: "none"}, second}})
	run := fakedevice.Open(t, agents.New(reach).Ops())
	run.Says("agent_build", `{}`, "built for iOS Simulator: /p/one\nbuilt for iOS Simulator: /p/two")
	first.err = fault.New(fault.BuildFailed, "no compiler")
	run.Refused("agent_build", `{}`, fault.BuildFailed, "no compiler")
	if first.built != 2 || second.built != 1 {
		t.Errorf("got %d and %d builds, want 2 and 1: the first failure ends it", first.built, second.built)
	}
	none, _ := room(t)
	if got, _ := none.Result("agent_build", `{}`)["builds"].([]any); got == nil || len(got) > 0 {
		t.Errorf("no driver that builds: got %v, want an empty list", got)
	}
}

func TestAgentLogsShowLastLines(t *testing.T) {
	ann := phone("A", "Ann")
	run, devices := room(t, ann)
	run.Refused("agent_logs", `{}`, fault.PathError, "the agent of Ann has no log: its state is absent",
		"start it: "+hint.Do("agent_start"))
	ann.Agent.Log = filepath.Join(t.TempDir(), "agent.log")
	run.Refused("agent_logs", `{}`, fault.PathError, "the agent's log: ", ann.Agent.Log)
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprint("line ", i))
	}
	if err := os.WriteFile(ann.Agent.Log, []byte(strings.Join(lines, "\n")+"\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string][]string{`{}`: lines[10:], `{"lines":1}`: lines[59:], `{"lines":5000}`: lines} {
		run.Says("agent_logs", input, ann.Agent.Log+"\n| "+strings.Join(want, "\n| "))
	}
	run.Refused("agent_logs", `{"lines":0}`, fault.InvalidInput, "lines")
	if e, err := devices.Entry(t.Context(), "A"); err != nil || e.ClaimedBy != "" {
		t.Errorf("got the holder %q and %v, want none: it only looks", e.ClaimedBy, err)
	}
}
