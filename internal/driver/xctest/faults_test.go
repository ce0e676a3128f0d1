package xctest_test

import (
	"context"
	"ios-agent/internal/virtualxcode/flaw"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/test/rig"
)

// subject is a phone with Shop in front, and an agent that has looked at it once.
type subject struct {
	*rig.Rig
	t    *testing.T
	apps string
}

func newSubject(t *testing.T, r *rig.Rig) *subject {
	t.Helper()
	s := &subject{Rig: r, t: t, apps: t.TempDir()}
	s.Must(apps.Write(s.apps))
	return s
}

// open opens the phone again.
func (s *subject) open(t *testing.T) {
	t.Helper()
	s.t = t
	s.In(t).Open()
	s.Launch(rig.Shop)
	s.Must(s.look(t.Context()))
}

func (s *subject) look(ctx context.Context) error {
	_, err := s.Phone.(device.Eyes).Observe(ctx, device.Wait{})
	return err
}

func (s *subject) tap(ctx context.Context) error {
	return s.Phone.(device.Touch).Tap(ctx, ui.Point{X: 200, Y: 200})
}

// restart ends the agent, so that the next look starts one.
func (s *subject) restart(ctx context.Context) error {
	s.Must(s.Phone.Close())
	s.Phone = s.Driver.Open(s.Info)
	return s.look(ctx)
}

// rebuild builds the agent again, and starts it.
func (s *subject) rebuild(ctx context.Context) error {
	if _, err := s.Driver.BuildAgent(ctx); err != nil {
		return err
	}
	return s.restart(ctx)
}

// home leaves the app that was in front last behind the home screen, and looks.
func (s *subject) home(ctx context.Context) error {
	if err := s.Phone.(device.Buttons).Press(ctx, "home", 0); err != nil {
		return err
	}
	return s.look(ctx)
}

func (s *subject) list(ctx context.Context) error {
	_, err := s.Driver.List(ctx)
	return err
}

func (s *subject) picture(ctx context.Context) error {
	_, err := s.Phone.(device.Camera).Screenshot(ctx)
	return err
}

func (s *subject) install(ctx context.Context) error {
	_, err := s.Phone.(device.Apps).Install(ctx, filepath.Join(s.apps, "Shop.app"))
	return err
}

func (s *subject) launch(ctx context.Context) error {
	_, err := s.Phone.(device.Apps).Launch(ctx, rig.Shop, device.Launch{})
	return err
}

func (s *subject) reboot(ctx context.Context) error {
	if err := s.Phone.(device.Power).Shutdown(ctx); err != nil {
		return err
	}
	return s.Phone.(device.Power).Boot(ctx)
}

// impatience is a deadline that comes when the faults have happened: a caller that has seen enough.
type impatience struct{ context.Context }

func (i impatience) Err() error {
	if i.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func (s *subject) impatient() (ctx context.Context, stop func()) {
	inner, cancel := context.WithCancel(s.t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer cancel()
		for inner.Err() == nil {
			st, err := s.Service.Status(inner)
			if err != nil || len(st.Faults) == 0 {
				return
			}
			<-time.After(5 * time.Millisecond)
		}
	}()
	return impatience{inner}, func() { cancel(); <-watched }
}

// trouble is a fault that the driver meets, and what its caller gets.
type trouble struct {
	fault virtualxcode.Fault
	do    func(*subject, context.Context) error
	code  fault.Code
	hangs bool // the caller gives up
	// program says that the fault is about programs: how they start, end, print or hang. It is tried on real ones, too.
	program bool
}

const works = fault.Code("")

func always(name string) virtualxcode.Fault {
	return virtualxcode.Fault{Name: name, Times: flaw.Forever}
}

func troubles() []trouble {
	return []trouble{
		{fault: virtualxcode.Fault{Name: flaw.AgentHalfFrame}, do: (*subject).look, code: works},
		{fault: virtualxcode.Fault{Name: flaw.AgentHalfFrame, Times: 2}, do: (*subject).look, code: fault.AgentFailed},
		{fault: virtualxcode.Fault{Name: flaw.AgentGarbage}, do: (*subject).look, code: works},
		{fault: virtualxcode.Fault{Name: flaw.AgentOversizedFrame}, do: (*subject).look, code: works},
		{fault: virtualxcode.Fault{Name: flaw.AgentSlow}, do: (*subject).look, code: works},
		{fault: virtualxcode.Fault{Name: flaw.AgentHang}, do: (*subject).look, code: fault.Timeout, hangs: true},
		{fault: virtualxcode.Fault{Name: flaw.AgentHang}, do: (*subject).look, code: works},
		{fault: virtualxcode.Fault{Name: flaw.AgentStuck, Set: map[string]string{"stuck_ms": "40001"}}, do: (*subject).look, code: works},
		{fault: virtualxcode.Fault{Name: flaw.AgentStuck, Set: map[string]string{"stuck_ms": "30001"}}, do: (*subject).tap,
			code: fault.OutcomeUnknown},
		{fault: virtualxcode.Fault{Name: flaw.AgentStall, Set: map[string]string{"ms": "1100"}}, do: (*subject).look, code: works},
		{fault: virtualxcode.Fault{Name: flaw.SnapshotFails}, do: (*subject).look, code: fault.AgentFailed},
		{fault: virtualxcode.Fault{Name: flaw.RunnerTree}, do: (*subject).look, code: fault.AgentFailed},

		{fault: virtualxcode.Fault{Name: flaw.AgentCrashBefore}, do: (*subject).tap, code: fault.OutcomeUnknown, program: true},
		{fault: virtualxcode.Fault{Name: flaw.AgentCrashAfterAct}, do: (*subject).tap, code: fault.OutcomeUnknown, program: true},
		{fault: virtualxcode.Fault{Name: flaw.AgentCrashAfterAnswer}, do: (*subject).tap, code: works, program: true},
		{fault: virtualxcode.Fault{Name: flaw.AgentException}, do: (*subject).tap, code: fault.OutcomeUnknown},
		{fault: virtualxcode.Fault{Name: flaw.AgentException, Set: map[string]string{"when": "before"}}, do: (*subject).tap,
			code: fault.OutcomeUnknown},
		{fault: virtualxcode.Fault{Name: flaw.AgentWaitsForIdle}, do: (*subject).tap, code: works},
		{fault: virtualxcode.Fault{Name: flaw.AgentHang}, do: (*subject).tap, code: fault.OutcomeUnknown, hangs: true, program: true},

		{fault: virtualxcode.Fault{Name: flaw.AgentWrongDevice}, do: (*subject).restart, code: works},
		{fault: virtualxcode.Fault{Name: flaw.AgentWrongDevice, Times: flaw.Forever}, do: (*subject).restart, code: fault.AgentFailed},
		{fault: virtualxcode.Fault{Name: flaw.AgentOldBuild, Times: flaw.Forever, Set: map[string]string{"protocol": "1"}},
			do: (*subject).restart, code: fault.AgentFailed},
		{fault: virtualxcode.Fault{Name: flaw.AgentPortTaken}, do: (*subject).restart, code: works, program: true},
		{fault: virtualxcode.Fault{Name: flaw.AgentPortTaken, Times: flaw.Forever}, do: (*subject).restart, code: works}, // it has another
		{fault: virtualxcode.Fault{Name: flaw.AgentExitsEarly}, do: (*subject).restart, code: works, program: true},
		{fault: virtualxcode.Fault{Name: flaw.AgentExitsEarly, Times: flaw.Forever}, do: (*subject).restart, code: fault.AgentFailed},
		{fault: virtualxcode.Fault{Name: flaw.AgentNeverReady}, do: (*subject).restart, code: fault.AgentStarting, hangs: true, program: true},
		{fault: virtualxcode.Fault{Name: flaw.AgentFloodsOutput}, do: (*subject).restart, code: works, program: true},

		{fault: always(flaw.IDAlone), do: (*subject).restart, code: works},
		{fault: always(flaw.GenericDestination), do: (*subject).rebuild, code: works},
		{fault: always(flaw.BuffersOutput), do: (*subject).restart, code: works, program: true},
		{fault: always(flaw.SlowRunnerStart), do: (*subject).restart, code: works},
		{fault: always(flaw.SlowAgentBuild), do: (*subject).rebuild, code: works},
		{fault: always(flaw.CollectsDiagnostics), do: (*subject).restart, code: works},
		{fault: always(flaw.MainQueueHeld), do: (*subject).restart, code: works},
		{fault: always(flaw.BackgroundSnapshot), do: (*subject).home, code: works},

		{fault: virtualxcode.Fault{Name: flaw.SimctlGarbage}, do: (*subject).list, code: fault.ToolFailed},
		{fault: virtualxcode.Fault{Name: flaw.SimctlConnectionInvalid}, do: (*subject).list, code: fault.ToolFailed},
		{fault: virtualxcode.Fault{Name: flaw.SimctlVersionMismatch}, do: (*subject).list, code: works},
		{fault: virtualxcode.Fault{Name: flaw.SimctlSlow}, do: (*subject).list, code: works},
		{fault: virtualxcode.Fault{Name: flaw.SimctlHang}, do: (*subject).list, code: fault.Timeout, hangs: true, program: true},
		{fault: virtualxcode.Fault{Name: flaw.ScreenshotFails}, do: (*subject).picture, code: fault.ScreenshotFailed},
		{fault: virtualxcode.Fault{Name: flaw.BlackScreenshot}, do: (*subject).picture, code: works},
		{fault: virtualxcode.Fault{Name: flaw.InstallFails}, do: (*subject).install, code: fault.AppInstallFailed},
		{fault: virtualxcode.Fault{Name: flaw.LaunchFails}, do: (*subject).launch, code: fault.AppLaunchFailed, program: true},
		{fault: virtualxcode.Fault{Name: flaw.LaunchHang}, do: (*subject).launch, code: fault.Timeout, hangs: true, program: true},
		{fault: virtualxcode.Fault{Name: flaw.BootFails}, do: (*subject).reboot, code: fault.BootFailed},
		{fault: virtualxcode.Fault{Name: flaw.SlowBoot}, do: (*subject).reboot, code: works},
	}
}

// slowest is how long an agent that is never ready is waited for: the next call joins its start.
const slowest = 3 * time.Second

// TestFaultsReachTheCaller: each fault that the driver meets has its code, and the next call works.
func TestFaultsReachTheCaller(t *testing.T) {
	t.Parallel()
	s := newSubject(t, rig.New(t))
	s.Driver.Start.Wait, s.Driver.Start.Quiet = slowest, slowest
	for _, c := range troubles() {
		t.Run(strings.TrimPrefix(c.fault.Name, "agent-"), func(t *testing.T) { s.meets(t, c) })
	}
}

// TestFaultsOfProgramsReachTheCaller is the same with tools and agent as separate programs.
func TestFaultsOfProgramsReachTheCaller(t *testing.T) {
	t.Parallel()
	s := newSubject(t, newPrograms(t))
	s.Driver.Start.Wait, s.Driver.Start.Quiet = slowest, slowest
	for _, c := range troubles() {
		if c.program {
			t.Run(strings.TrimPrefix(c.fault.Name, "agent-"), func(t *testing.T) { s.meets(t, c) })
		}
	}
}

func (s *subject) meets(t *testing.T, c trouble) {
	s.open(t)
	s.Fault(c.fault)
	ctx := t.Context()
	if c.hangs {
		var stop func()
		ctx, stop = s.impatient()
		defer stop()
	}
	err := c.do(s, ctx)
	if got := codeOf(err); got != c.code {
		t.Errorf("the caller gets %q, want %q: %v", got, c.code, err)
	}
	s.Calm()
	s.Must(s.Phone.(device.Power).Boot(t.Context()))
	if err := s.look(t.Context()); err != nil {
		t.Errorf("the next look: %v", err)
	}
}

func codeOf(err error) fault.Code {
	if err == nil {
		return works
	}
	return fault.From(err).Code
}

// An agent dies with its device, and the caller gets the fault of the device, not of the agent.
func TestShutdownDuringUseReportsDeviceFault(t *testing.T) {
	t.Parallel()
	s := newSubject(t, rig.New(t))
	s.open(t)
	s.Fault(virtualxcode.Fault{Name: flaw.DeviceShutsDown})
	if err := s.look(t.Context()); err == nil {
		t.Error("the look succeeded")
	}
	for range 2 {
		if err := s.look(t.Context()); !fault.Is(err, fault.DeviceNotBooted) {
			t.Errorf("the next look: %v", err)
		}
	}
	// It takes a moment to go down, which this world's time must be given.
	s.Fault(virtualxcode.Fault{Name: flaw.SimctlSlow})
	s.Must(s.list(t.Context()))
	s.open(t)
}

// An app that does not answer costs one failed look; the agent survives it.
func TestHungAppFailsOneLook(t *testing.T) {
	t.Parallel()
	s := newSubject(t, rig.New(t))
	s.open(t)
	s.Fault(virtualxcode.Fault{Name: flaw.AppHang, Set: map[string]string{"seconds": "100"}})
	s.Must(s.tap(t.Context()))
	if err := s.look(t.Context()); !fault.Is(err, fault.AgentFailed) {
		t.Errorf("a look at an app that hangs: %v", err)
	}
	s.Must(s.look(t.Context()))
}
