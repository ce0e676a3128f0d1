package wda_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/usbmux"
	"ios-agent/internal/driver/wda"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

// cable is a physical device behind usbmuxd.
type cable struct {
	*rig.Rig
	t    *testing.T
	info device.Info
	runs atomic.Int64 // how often xcodebuild has run something there
}

func newCable(t *testing.T) *cable {
	t.Helper()
	c := &cable{t: t}
	c.Rig = rig.New(t, func(tool string, run host.Main) host.Main {
		return func(ctx context.Context, in host.Invocation) int {
			if tool == "xcodebuild" && slices.Contains(in.Args, "test-without-building") {
				c.runs.Add(1)
			}
			return run(ctx, in)
		}
	})
	p := c.World.Physicals()[0]
	c.info = device.Info{UDID: p.UDID, Name: p.Name, Type: device.TypePhysical, State: device.Booted}
	return c
}

// open is the device as a daemon has it that knows a prebuilt WebDriverAgent, or none.
func (c *cable) open(products string) device.Device {
	c.t.Helper()
	mux := &usbmux.Mux{Connect: c.Service.Usbmux}
	phone := wda.New(wda.Options{Dial: mux.Dial, Ready: mux.Ready, Host: c.Driver.Host, Tools: c.Driver.Tools, Clock: c.World,
		Start: &wda.Start{Products: products, Dir: c.t.TempDir()}}).Open(c.info)
	c.t.Cleanup(func() { c.Must(phone.Close()) })
	return phone
}

func (c *cable) look(phone device.Device) error {
	_, err := phone.(device.Eyes).Observe(c.t.Context(), device.Wait{})
	return err
}

func (c *cable) lasting(name string) {
	c.t.Helper()
	c.Fault(virtualxcode.Fault{Name: name, Device: c.info.UDID, Times: virtualxcode.Forever})
}

// builtFor is a folder with a WebDriverAgent for each SDK.
func (c *cable) builtFor(sdks ...string) string {
	c.t.Helper()
	dir := c.t.TempDir()
	for _, sdk := range sdks {
		c.Must(built(dir, sdk))
	}
	return dir
}

// TestPhysicalDeviceAgentStartsOnRequest: WebDriverAgent on a device is reached through usbmuxd and started on request only.
func TestPhysicalDeviceAgentStartsOnRequest(t *testing.T) {
	t.Parallel()
	c := newCable(t)
	phone := c.open(c.builtFor("iphonesimulator", "iphoneos"))
	f := want(t, c.look(phone), fault.AgentNotRunning, fault.NotDispatched)
	if c.runs.Load() != 0 || !strings.Contains(f.Message, "8100") || !strings.Contains(f.Hint, hint.Do("agent_start", "udid", c.info.UDID)) {
		t.Errorf("%d runs; %s (%s)", c.runs.Load(), f.Message, f.Hint)
	}
	agent := phone.(device.Agent)
	if s := agent.AgentState(); s.State != device.AgentAbsent {
		t.Errorf("%+v", s)
	}
	c.Must(agent.StartAgent(t.Context()))
	c.Must(c.look(phone))
	if s := agent.AgentState(); s.State != device.AgentConnected || s.Port != 8100 || s.PID == 0 || s.Log == "" {
		t.Errorf("%+v", s)
	}
	c.Must(agent.StartAgent(t.Context()))
	if n := c.runs.Load(); n != 1 {
		t.Errorf("%d runs", n)
	}

	other := c.open("") // somebody else's: it is only reached
	c.Must(c.look(other))
	c.Must(other.(device.Agent).StopAgent(t.Context()))
	c.Must(c.look(phone))

	c.Fault(virtualxcode.Fault{Name: flaw.WDAPortGone, Device: c.info.UDID, Set: map[string]string{"when": "before"}})
	want(t, c.look(phone), fault.AgentNotRunning, fault.NotDispatched)
	if n := c.runs.Load(); n != 1 {
		t.Errorf("it was started unasked: %d runs", n)
	}
	c.Must(agent.StartAgent(t.Context()))
	c.Must(c.look(phone))
	c.Must(agent.StopAgent(t.Context()))
	f = want(t, c.look(other), fault.AgentNotRunning, fault.NotDispatched)
	if !strings.Contains(f.Hint, "IOS_AGENT_WDA_PRODUCTS") {
		t.Error(f.Hint)
	}
	if err := other.(device.Agent).StartAgent(t.Context()); !fault.Is(err, fault.AgentNotRunning) {
		t.Error(err)
	}
}

// TestStartAgentReportsMissingDeviceStep: the fault names the missing step, and nothing was started before it.
func TestStartAgentReportsMissingDeviceStep(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]fault.Code{
		flaw.DeviceUnplugged:  fault.DeviceNotFound,
		flaw.DeviceUnpaired:   fault.DeviceUnpaired,
		flaw.DeveloperModeOff: fault.DeveloperModeOff,
		flaw.DeviceLocked:     fault.DeviceLocked,
		flaw.DiskImageMissing: fault.AgentFailed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCable(t)
			phone := c.open(c.builtFor("iphoneos"))
			c.lasting(name)
			want(t, phone.(device.Agent).StartAgent(t.Context()), code, fault.NotDispatched)
		})
	}
	c := newCable(t)
	want(t, c.open(c.builtFor()).(device.Agent).StartAgent(t.Context()), fault.PathError, fault.NotDispatched)
	want(t, c.open(c.builtFor("iphonesimulator")).(device.Agent).StartAgent(t.Context()), fault.PathError, fault.NotDispatched)
}
