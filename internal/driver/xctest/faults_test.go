package xctest_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/driver/xctest/agentsource"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/world"
	virtualbuild "ios-agent/internal/virtualxcode/xcodebuild"
)

const shop = "com.iosagent.shop"

// serveWord makes this test's own program the virtual service; under a tool's name it plays the tool.
const serveWord = "serve-the-virtual-world"

func TestMain(m *testing.M) {
	tool := filepath.Base(os.Args[0])
	switch {
	case slices.Contains(virtualxcode.Tools(), tool):
		dir, err := virtualxcode.Dir(os.Args[0])
		if err != nil {
			os.Exit(1)
		}
		os.Exit(installation(dir).Main(tool, os.Args[1:]))
	case len(os.Args) == 3 && os.Args[1] == serveWord:
		if err := installation(os.Args[2]).RunService(context.Background(), slog.New(slog.DiscardHandler)); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func installation(dir string) virtualxcode.Xcode {
	binary, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return virtualxcode.Xcode{Dir: dir, Binary: binary, Serve: []string{serveWord}, Agent: virtualbuild.Scheme{
		Name: xcodebuild.AgentScheme, Port: xcodebuild.PortVariable, Token: xcodebuild.AuthVariable, Build: xcodebuild.BuildVariable, VariablePrefix: xcodebuild.RunnerPrefix}}
}

// rig is the driver over a virtual Xcode of its own.
type rig struct {
	t       *testing.T
	driver  *xctest.Driver
	service service.Client
	info    device.Info
	phone   device.Device
	apps    string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	t.Setenv(virtualxcode.TimeVariable, "request")
	dir, err := os.MkdirTemp("", "xctest") // short: sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	x := installation(filepath.Join(dir, "v"))
	if err := x.Mount(); err != nil {
		t.Fatal(err)
	}
	runner, err := host.New(host.Options{Dir: filepath.Join(dir, "children")})
	if err != nil {
		t.Fatal(err)
	}
	tools := apple.Toolchain{Name: apple.Virtual, Bin: x.Bin()}
	sources, err := agentsource.Build()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, service: x.Client(), apps: filepath.Join(dir, "apps"), driver: &xctest.Driver{
		Host: runner, Tools: tools, State: filepath.Join(dir, "state"),
		Kit: &xctest.Kit{Host: runner, Tools: tools, Root: filepath.Join(dir, "agent"), ID: sources, Write: agentsource.WriteProject}}}
	if err := errors.Join(apps.Write(r.apps), os.Mkdir(r.driver.State, 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(runner.Close(), resident.Stop(context.Background(), x.Place())); err != nil {
			t.Error(err)
		}
	})
	infos, err := r.driver.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.info = infos[slices.IndexFunc(infos, func(i device.Info) bool { return i.Name == "iPhone 16" })]
	return r
}

// open gives the phone anew: booted, with Shop in front, and an agent that has looked at it once.
func (r *rig) open() {
	r.t.Helper()
	if r.phone != nil {
		r.phone.Close()
	}
	r.must(r.service.ClearFaults(r.t.Context(), ""))
	r.phone = r.driver.Open(r.info)
	r.must(r.phone.(device.Power).Boot(r.t.Context()))
	_, err := r.phone.(device.Apps).Launch(r.t.Context(), shop, device.Launch{Restart: true})
	r.must(err)
	r.must(r.look(r.t.Context()))
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) look(ctx context.Context) error {
	_, err := r.phone.(device.Eyes).Observe(ctx, device.Wait{})
	return err
}

func (r *rig) tap(ctx context.Context) error {
	return r.phone.(device.Touch).Tap(ctx, ui.Point{X: 200, Y: 200})
}

// restart ends the agent, so that the next look starts one.
func (r *rig) restart(ctx context.Context) error {
	r.phone.Close()
	r.phone = r.driver.Open(r.info)
	return r.look(ctx)
}

func (r *rig) list(ctx context.Context) error { _, err := r.driver.List(ctx); return err }
func (r *rig) picture(ctx context.Context) error {
	_, err := r.phone.(device.Camera).Screenshot(ctx)
	return err
}
func (r *rig) install(ctx context.Context) error {
	_, err := r.phone.(device.Apps).Install(ctx, filepath.Join(r.apps, "Shop.app"))
	return err
}
func (r *rig) launch(ctx context.Context) error {
	_, err := r.phone.(device.Apps).Launch(ctx, shop, device.Launch{})
	return err
}
func (r *rig) reboot(ctx context.Context) error {
	if err := r.phone.(device.Power).Shutdown(ctx); err != nil {
		return err
	}
	return r.phone.(device.Power).Boot(ctx)
}

// impatience is a deadline that comes when the faults have happened: a caller that has seen enough.
type impatience struct{ context.Context }

func (i impatience) Err() error {
	if i.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func (r *rig) impatient() (ctx context.Context, stop func()) {
	inner, cancel := context.WithCancel(r.t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer cancel()
		for inner.Err() == nil {
			st, err := r.service.Status(inner)
			if err != nil || len(st.Faults) == 0 {
				return
			}
			<-time.After(5 * time.Millisecond)
		}
	}()
	return impatience{inner}, func() { cancel(); <-watched }
}

// What a caller gets under each fault that the driver meets, and that the next call works.
func TestWhatTheCallerGets(t *testing.T) {
	const works = fault.Code("")
	r := newRig(t)
	for i, c := range []struct {
		fault service.Fault
		do    func(*rig, context.Context) error
		code  fault.Code
		hangs bool // the caller gives up
	}{
		{fault: service.Fault{Name: world.AgentHalfFrame}, do: (*rig).look, code: works},
		{fault: service.Fault{Name: world.AgentHalfFrame, Times: 2}, do: (*rig).look, code: fault.AgentFailed},
		{fault: service.Fault{Name: world.AgentGarbage}, do: (*rig).look, code: works},
		{fault: service.Fault{Name: world.AgentOversizedFrame}, do: (*rig).look, code: works},
		{fault: service.Fault{Name: world.AgentSlow}, do: (*rig).look, code: works},
		{fault: service.Fault{Name: world.AgentHang}, do: (*rig).look, code: fault.Timeout, hangs: true},
		{fault: service.Fault{Name: world.SnapshotFails}, do: (*rig).look, code: fault.AgentFailed},
		{fault: service.Fault{Name: world.RunnerTree}, do: (*rig).look, code: fault.AgentFailed},

		{fault: service.Fault{Name: world.AgentCrashBefore}, do: (*rig).tap, code: fault.OutcomeUnknown},
		{fault: service.Fault{Name: world.AgentCrashAfterAct}, do: (*rig).tap, code: fault.OutcomeUnknown},
		{fault: service.Fault{Name: world.AgentCrashAfterAnswer}, do: (*rig).tap, code: works},
		{fault: service.Fault{Name: world.AgentWaitsForIdle}, do: (*rig).tap, code: works},
		{fault: service.Fault{Name: world.AgentHang}, do: (*rig).tap, code: fault.OutcomeUnknown, hangs: true},

		{fault: service.Fault{Name: world.AgentWrongDevice}, do: (*rig).restart, code: works},
		{fault: service.Fault{Name: world.AgentWrongDevice, Times: world.Forever}, do: (*rig).restart, code: fault.AgentFailed},
		{fault: service.Fault{Name: world.AgentOldBuild, Times: world.Forever, Set: map[string]string{"protocol": "1"}}, do: (*rig).restart, code: fault.AgentFailed},
		{fault: service.Fault{Name: world.AgentPortTaken}, do: (*rig).restart, code: works},
		{fault: service.Fault{Name: world.AgentPortTaken, Times: world.Forever}, do: (*rig).restart, code: fault.AgentFailed},
		{fault: service.Fault{Name: world.AgentExitsEarly}, do: (*rig).restart, code: works},
		{fault: service.Fault{Name: world.AgentExitsEarly, Times: world.Forever}, do: (*rig).restart, code: fault.AgentFailed},
		{fault: service.Fault{Name: world.AgentNeverReady}, do: (*rig).restart, code: fault.AgentFailed, hangs: true},
		{fault: service.Fault{Name: world.AgentFloodsOutput}, do: (*rig).restart, code: works},

		{fault: service.Fault{Name: world.SimctlGarbage}, do: (*rig).list, code: fault.ToolFailed},
		{fault: service.Fault{Name: world.SimctlConnectionInvalid}, do: (*rig).list, code: fault.ToolFailed},
		{fault: service.Fault{Name: world.SimctlVersionMismatch}, do: (*rig).list, code: works},
		{fault: service.Fault{Name: world.SimctlSlow}, do: (*rig).list, code: works},
		{fault: service.Fault{Name: world.SimctlHang}, do: (*rig).list, code: fault.Timeout, hangs: true},
		{fault: service.Fault{Name: world.ScreenshotFails}, do: (*rig).picture, code: fault.ScreenshotFailed},
		{fault: service.Fault{Name: world.BlackScreenshot}, do: (*rig).picture, code: works},
		{fault: service.Fault{Name: world.InstallFails}, do: (*rig).install, code: fault.AppInstallFailed},
		{fault: service.Fault{Name: world.LaunchFails}, do: (*rig).launch, code: fault.AppLaunchFailed},
		{fault: service.Fault{Name: world.LaunchHang}, do: (*rig).launch, code: fault.Timeout, hangs: true},
		{fault: service.Fault{Name: world.BootFails}, do: (*rig).reboot, code: fault.BootFailed},
		{fault: service.Fault{Name: world.SlowBoot}, do: (*rig).reboot, code: works},
	} {
		name := strings.TrimPrefix(c.fault.Name, "agent-")
		t.Run(name, func(t *testing.T) {
			if raceEnabled && i%4 != 0 {
				t.Skip("a sample is enough with the race detector, under which every start of a tool takes a second; make test runs all without it")
			}
			r.t = t
			r.open()
			r.must(r.service.AddFault(t.Context(), c.fault))
			ctx := t.Context()
			if c.hangs {
				var stop func()
				ctx, stop = r.impatient()
				defer stop()
			}
			err := c.do(r, ctx)
			if got := codeOf(err); got != c.code {
				t.Errorf("the caller gets %q, want %q: %v", got, c.code, err)
			}
			r.must(r.service.ClearFaults(t.Context(), ""))
			r.must(r.phone.(device.Power).Boot(t.Context()))
			if err := r.look(t.Context()); err != nil {
				t.Errorf("the next look: %v", err)
			}
		})
	}
}

func codeOf(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

// An agent dies with its device, and the caller is told about the device, not about the agent.
func TestADeviceThatShutsDownUnderTheDriver(t *testing.T) {
	r := newRig(t)
	r.open()
	r.must(r.service.AddFault(t.Context(), service.Fault{Name: world.DeviceShutsDown}))
	if err := r.look(t.Context()); err == nil {
		t.Error("the look succeeded")
	}
	for range 2 {
		if err := r.look(t.Context()); !fault.Is(err, fault.DeviceNotBooted) {
			t.Errorf("the next look: %v", err)
		}
	}
	// It takes a moment to go down, which this world's time must be given.
	r.must(r.service.AddFault(t.Context(), service.Fault{Name: world.SimctlSlow}))
	r.must(r.list(t.Context()))
	r.open()
}

// An app that does not answer costs one failed look; the agent survives it.
func TestAnAppThatHangsUnderTheDriver(t *testing.T) {
	r := newRig(t)
	r.open()
	r.must(r.service.AddFault(t.Context(), service.Fault{Name: world.AppHang, Set: map[string]string{"seconds": "100"}}))
	r.must(r.tap(t.Context()))
	if err := r.look(t.Context()); !fault.Is(err, fault.AgentFailed) {
		t.Errorf("a look at an app that hangs: %v", err)
	}
	r.must(r.look(t.Context()))
}
