package xctest_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/devicectl"
	"ios-agent/internal/driver/usbmux"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/drivertest"
	"ios-agent/test/rig"
)

const (
	team   = "A1B2C3D4E5"
	cabled = "00008140-000A61C23E04801C"
	tablet = "00008130-001474A90C82001C" // connected over Wi-Fi
)

// hand is a physical device as the product has it: devicectl for its apps, usbmuxd for what that cannot, and our agent for eyes and
// fingers.
type hand struct {
	*rig.Rig
	t      *testing.T
	device device.Device
	agent  device.Agent

	seen agentRuns

	mu    sync.Mutex
	conns []net.Conn // to ports of the device
}

func newHand(t *testing.T, team string) *hand {
	t.Helper()
	return newHandOf(t, cabled, team)
}

// newHandOf is a hand with the device of a udid.
func newHandOf(t *testing.T, udid, team string) *hand {
	t.Helper()
	h := &hand{t: t}
	h.Rig = rig.New(t, h.seen.around)
	control := devicectl.New(devicectl.Options{Host: h.Driver.Host, Tools: h.Driver.Tools})
	mux := &usbmux.Mux{Connect: h.Service.Usbmux}
	physical := &xctest.Physical{Agents: h.Driver, Team: team, Running: control.Running, Terminate: control.Terminate, Ready: mux.Ready,
		Wired: mux.Wired, Dial: func(ctx context.Context, udid string, port int) (net.Conn, error) {
			conn, err := mux.Dial(ctx, udid, port)
			h.mu.Lock()
			defer h.mu.Unlock()
			if err == nil {
				h.conns = append(h.conns, conn)
			}
			return conn, err
		}}
	through := &usbmux.Driver{Mux: mux, Parts: func(i device.Info) []device.Device { return []device.Device{physical.Open(i)} }}
	open := func(d device.Driver) device.Device {
		infos, err := d.List(t.Context())
		h.Must(err)
		i := slices.IndexFunc(infos, func(i device.Info) bool { return i.UDID == udid })
		if i < 0 {
			t.Fatalf("%s does not list the phone: %+v", d.Name(), infos)
		}
		return d.Open(infos[i])
	}
	h.device = device.Compose(open(control), open(through))
	t.Cleanup(func() { h.Must(h.device.Close()) })
	var err error
	h.agent, err = device.As[device.Agent](h.device)
	h.Must(err)
	return h
}

func (h *hand) started() int { return len(h.seen.runs()) }

// wants fails unless the agent was started and built so many times.
func (h *hand) wants(runs, builds int) {
	h.t.Helper()
	if r, b := h.started(), h.seen.builds(); r != runs || b != builds {
		h.t.Errorf("the agent was started %d times and built %d times, want %d and %d", r, b, runs, builds)
	}
}

// profile is the provisioning profile of the built agent.
func (h *hand) profile() string {
	h.t.Helper()
	found, err := filepath.Glob(filepath.Join(h.Driver.Kit.Root, "*", ".build", "Build", "Products", "*-iphoneos", "*.app",
		"embedded.mobileprovision"))
	h.Must(err)
	if len(found) != 1 {
		h.t.Fatalf("provisioning profiles: %q, want one", found)
	}
	return found[0]
}

// cut breaks the connections to the device.
func (h *hand) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		c.Close()
	}
}

func (h *hand) look() error {
	eyes, err := device.As[device.Eyes](h.device)
	h.Must(err)
	_, err = eyes.Observe(h.t.Context(), device.Wait{})
	return err
}

func (h *hand) lasting(name string) {
	h.t.Helper()
	h.Fault(virtualxcode.Fault{Name: name, Device: cabled, Times: virtualxcode.Forever})
}

// refuses fails unless an error is a fault of the code whose message and hint have the words.
func (h *hand) refuses(err error, code fault.Code, message, hint string) {
	h.t.Helper()
	f := fault.From(err)
	if err == nil || f.Code != code || !strings.Contains(f.Message, message) || !strings.Contains(f.Hint, hint) {
		h.t.Errorf("got %v (%s)\nhint: %s\nwant %s %q with the hint %q", err, f.Code, f.Hint, code, message, hint)
	}
}

// TestContractOfPhysicalDevice drives the contract through devicectl, usbmuxd and the agent, and checks the support matrix.
func TestContractOfPhysicalDevice(t *testing.T) {
	t.Parallel()
	h := newHand(t, team)
	folder := t.TempDir()
	h.Must(virtualxcode.WriteApps(folder))
	app := filepath.Join(folder, "Conformance.app")
	plist := filepath.Join(app, "Info.plist")
	raw, err := os.ReadFile(plist)
	h.Must(err)
	h.Must(os.WriteFile(plist, bytes.Replace(raw, []byte("iPhoneSimulator"), []byte("iPhoneOS"), 1), 0o600))
	apps, err := device.As[device.Apps](h.device)
	h.Must(err)
	_, err = apps.Install(t.Context(), app)
	h.Must(err)
	h.Must(h.agent.StartAgent(t.Context()))
	drivertest.CheckMatrix(t, "../../../docs/support.md", "xctest on a device", drivertest.Run(t, h.device), drivertest.InsteadOnDevice(),
		*update)
}

// TestAgentOfPhysicalDeviceStartsOnlyOnRequest: an agent on a person's phone starts on request, and once.
func TestAgentOfPhysicalDeviceStartsOnlyOnRequest(t *testing.T) {
	t.Parallel()
	h := newHand(t, team)
	start := hint.Do("agent_start", "udid", cabled)
	h.refuses(h.look(), fault.AgentNotRunning, "no agent runs on Ada’s iPhone", start)
	if h.started() != 0 {
		t.Fatal("an agent was started unasked")
	}
	h.Must(h.agent.StartAgent(t.Context()))
	h.Must(h.look())
	h.cut()
	h.Must(h.look()) // connected again
	if h.started() != 1 || h.agent.AgentState().State != device.AgentConnected {
		t.Errorf("started %d times; it is %s", h.started(), h.agent.AgentState().State)
	}
	h.Fault(virtualxcode.Fault{Name: flaw.AgentCrashBefore, Device: cabled})
	touch, err := device.As[device.Touch](h.device)
	h.Must(err)
	if err := touch.Tap(t.Context(), ui.Point{X: 5, Y: 5}); err == nil {
		t.Error("a tap through an agent that died works")
	}
	h.refuses(h.look(), fault.AgentNotRunning, "the agent on Ada’s iPhone ", start) // has ended, or does not answer any more
	if h.started() != 1 {
		t.Error("it was started again unasked")
	}
	h.Must(h.agent.StartAgent(t.Context()))
	h.Must(h.look())
	if h.started() != 2 {
		t.Errorf("started %d times", h.started())
	}
}

// TestLostForwardedPortIsReported: the agent runs but cannot be reached.
func TestLostForwardedPortIsReported(t *testing.T) {
	t.Parallel()
	h := newHand(t, team)
	h.Must(h.agent.StartAgent(t.Context()))
	h.lasting(flaw.ForwardedPortGone)
	h.cut()
	h.refuses(h.look(), fault.AgentNotRunning, "the agent on Ada’s iPhone does not answer: nobody listens on port",
		hint.Do("agent_start", "udid", cabled))
	h.Calm()
	h.Must(h.look())
	if h.started() != 1 {
		t.Error("it was started again unasked")
	}
}

// TestMissingStepHasItsOwnFault: the fault names the device and says what to do next.
func TestMissingStepHasItsOwnFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault, team   string
		code          fault.Code
		message, hint string
	}{
		{flaw.DeviceUnplugged, team, fault.DeviceNotFound, cabled, "cable"},
		{flaw.DeviceUnpaired, team, fault.DeviceUnpaired, cabled + " does not trust this computer", "tap Trust"},
		{flaw.DeveloperModeOff, team, fault.DeveloperModeOff, "Ada’s iPhone", "Developer Mode"},
		{flaw.DeviceLocked, team, fault.DeviceLocked, "Ada’s iPhone", "unlock it"},
		{flaw.DiskImageMissing, team, fault.AgentFailed, "disk image", hint.Do("doctor", "device", cabled)},
		{flaw.TunnelDown, team, fault.AgentFailed, "tunnel", hint.Do("doctor", "device", cabled)},
		{flaw.SigningMissing, team, fault.SigningFailed, "team " + team + ": ", "Accounts"},
		{"", "", fault.SigningFailed, "needs a team", "IOS_AGENT_TEAM"},
		{"", "../../../x", fault.SigningFailed, "must be a team id", "IOS_AGENT_TEAM"},
	} {
		t.Run(c.fault+c.team, func(t *testing.T) {
			t.Parallel()
			h := newHand(t, c.team)
			if c.fault == flaw.SigningMissing { // of no device in particular
				h.Fault(virtualxcode.Fault{Name: c.fault, Times: virtualxcode.Forever})
			} else if c.fault != "" {
				h.lasting(c.fault)
			}
			h.refuses(h.agent.StartAgent(t.Context()), c.code, c.message, c.hint)
		})
	}
}

// TestDoctorExaminesDevice checks the doctor's steps for a ready device and for a device that lacks a step.
func TestDoctorExaminesDevice(t *testing.T) {
	t.Parallel()
	h := newHand(t, team)
	said := func() string {
		var lines []string
		for _, s := range device.Examine(t.Context(), h.device) {
			if s.Status != device.CheckOK && s.Hint == "" {
				t.Errorf("no hint: %+v", s)
			}
			lines = append(lines, s.Name+" "+s.Status)
		}
		return strings.Join(lines, ", ")
	}
	const before = "cable ok, trust ok, lock ok, developer mode ok, tunnel ok, disk image ok, team ok, signing warn, agent warn"
	if got := said(); got != before {
		t.Errorf("got %s, want %s", got, before)
	}
	h.Must(h.agent.StartAgent(t.Context()))
	if got, want := said(), strings.ReplaceAll(before, "warn", "ok"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for name, want := range map[string]string{
		flaw.DeviceUnplugged: "cable fail", flaw.DeviceUnpaired: "trust fail", flaw.DeviceLocked: "lock warn",
		flaw.DeveloperModeOff: "developer mode fail", flaw.TunnelDown: "tunnel warn", flaw.DiskImageMissing: "disk image warn",
	} {
		h.Calm()
		h.lasting(name)
		if got := said(); !strings.Contains(got, want) || strings.Contains(got, strings.Fields(want)[0]+" ok") {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestAgentNeedsCable: over Wi-Fi only lockdownd answers, so a start fails at once and not after its tries.
func TestAgentNeedsCable(t *testing.T) {
	t.Parallel()
	h := newHandOf(t, tablet, team)
	h.Fault(virtualxcode.Fault{Name: flaw.NetworkLoopback, Times: virtualxcode.Forever})
	h.refuses(h.agent.StartAgent(t.Context()), fault.AgentFailed, "Grace’s iPad is connected over Wi-Fi", "data cable")
	h.wants(0, 0)
	steps := device.Examine(t.Context(), h.device)
	if s := steps[0]; s.Name != device.StepCable || s.Status != device.CheckWarn || !strings.Contains(s.Hint, "data cable") {
		t.Errorf("the doctor's first step is %+v, want a warning about the cable", s)
	}
}

// TestAgentIsBuiltAgainForItsProfile: a profile that has expired, or that lacks the device, is found before the device refuses it.
func TestAgentIsBuiltAgainForItsProfile(t *testing.T) {
	t.Parallel()
	h := newHand(t, team)
	h.Fault(virtualxcode.Fault{Name: flaw.ProfileWithoutDevice, Times: virtualxcode.Forever})
	h.Must(h.agent.StartAgent(t.Context()))
	h.Must(h.agent.StopAgent(t.Context()))
	h.Must(h.agent.StartAgent(t.Context()))
	h.Must(h.agent.StopAgent(t.Context()))
	h.wants(2, 1)

	other := xctest.Want{SDK: "iphoneos", UDID: tablet, Team: team}
	if built, err := h.Driver.Kit.Built(t.Context(), other); built || err != nil {
		t.Errorf("the agent for %s is built: %v, %v; its profile lists only %s", tablet, built, err, cabled)
	}
	if _, err := h.Driver.Kit.Products(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	h.wants(2, 2)
	h.Calm()
	h.Must(h.agent.StartAgent(t.Context())) // the profile lists only the tablet now
	h.Must(h.agent.StopAgent(t.Context()))
	h.wants(3, 3)

	raw, err := os.ReadFile(h.profile())
	h.Must(err)
	expires := regexp.MustCompile(`<date>\d{4}`)
	h.Must(os.WriteFile(h.profile(), expires.ReplaceAll(raw, []byte("<date>2019")), 0o600))
	h.Must(h.agent.StartAgent(t.Context()))
	h.wants(4, 4)
}

// TestRefusedProfileIsBuiltAgainOnce: the device has the last word.
func TestRefusedProfileIsBuiltAgainOnce(t *testing.T) {
	t.Parallel()
	h := newHand(t, team)
	h.Fault(virtualxcode.Fault{Name: flaw.ProfileExpired, Device: cabled})
	h.Must(h.agent.StartAgent(t.Context()))
	h.wants(2, 2)
	h.Must(h.agent.StopAgent(t.Context()))
	h.lasting(flaw.ProfileExpired)
	h.refuses(h.agent.StartAgent(t.Context()), fault.SigningFailed, "0xe8008015", "VPN & Device Management")
	h.wants(4, 3)
}

// TestDeviceThatIsPreparedIsWaitedFor: xcodebuild's own 30 seconds are too few after a restart of the device.
func TestDeviceThatIsPreparedIsWaitedFor(t *testing.T) {
	t.Parallel()
	h := newHand(t, team)
	h.lasting(flaw.DevicePreparing)
	h.Must(h.agent.StartAgent(t.Context()))
	h.wants(1, 1)
}
