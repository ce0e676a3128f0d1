package xctest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

// agentRun is one xcodebuild that ran an agent.
type agentRun struct {
	args  []string
	port  string // that it was told
	exit  int
	ended bool // by itself, before anybody interrupted it
}

// agentRuns sees how agents are run. Mute keeps what they print from the driver.
type agentRuns struct {
	mute bool

	mu   sync.Mutex
	all  []*agentRun
	made int // builds
}

func (r *agentRuns) around(tool string, run host.Main) host.Main {
	if tool != "xcodebuild" {
		return run
	}
	return func(ctx context.Context, in host.Invocation) int {
		if slices.Contains(in.Args, "build-for-testing") {
			r.mu.Lock()
			r.made++
			r.mu.Unlock()
		}
		if !slices.Contains(in.Args, "test-without-building") {
			return run(ctx, in)
		}
		one := &agentRun{args: in.Args, port: in.Env["TEST_RUNNER_IOS_AGENT_PORT"]}
		r.mu.Lock()
		r.all = append(r.all, one)
		r.mu.Unlock()
		if r.mute {
			in.Stdout = io.Discard
		}
		exit := run(ctx, in)
		r.mu.Lock()
		defer r.mu.Unlock()
		one.exit, one.ended = exit, ctx.Err() == nil
		return exit
	}
}

// runs are the runs that have begun.
func (r *agentRuns) runs() []agentRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []agentRun
	for _, one := range r.all {
		all = append(all, *one)
	}
	return all
}

func (r *agentRuns) builds() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made
}

// after is the argument that follows a flag.
func (r agentRun) after(flag string) string {
	if i := slices.Index(r.args, flag); i >= 0 {
		return r.args[i+1]
	}
	return ""
}

// An agent gets the port that it was told, ends on request, and leaves no files of its run.
func TestAgentEndsOnRequest(t *testing.T) {
	t.Parallel()
	seen := &agentRuns{}
	s := newSubject(t, rig.New(t, seen.around))
	s.open(t)
	first := seen.runs()[0]
	if port := s.Phone.(device.Agent).AgentState().Port; port == 0 || first.port != strconv.Itoa(port) {
		t.Errorf("the agent was told port %q and is said to listen on %d", first.port, port)
	}
	derived := first.after("-derivedDataPath")
	if !strings.Contains(derived, s.Info.UDID) {
		t.Errorf("its derived data are in %q", derived)
	}
	s.Must(os.MkdirAll(filepath.Join(derived, "Logs/Test/a.xcresult"), 0o700))
	s.Must(s.Phone.Close())
	if last := seen.runs()[0]; !last.ended || last.exit != 0 {
		t.Errorf("xcodebuild was interrupted, exit %d", last.exit)
	}
	if _, err := os.Stat(derived); err == nil {
		t.Errorf("%s is left", derived)
	}
}

// An Xcode that holds back the agent's output costs nothing: the driver asks at the told port from the beginning.
func TestAgentWithHiddenOutputStartsAtFirstTry(t *testing.T) {
	t.Parallel()
	seen := &agentRuns{mute: true}
	s := newSubject(t, rig.New(t, seen.around))
	s.open(t)
	if runs := seen.runs(); len(runs) != 1 {
		t.Errorf("got %d starts of the agent, want 1", len(runs))
	}
}

// slowRunner holds back the starts of agents, each after printing a line.
type slowRunner struct {
	begun chan struct{} // gets one value for each start
	goOn  chan struct{} // closed when agents may listen
	says  string
}

func newSlowRunner(says string) *slowRunner {
	return &slowRunner{begun: make(chan struct{}, 8), goOn: make(chan struct{}), says: says}
}

func (r *slowRunner) around(tool string, run host.Main) host.Main {
	return func(ctx context.Context, in host.Invocation) int {
		if tool == "xcodebuild" && slices.Contains(in.Args, "test-without-building") {
			fmt.Fprintln(in.Stdout, r.says)
			r.begun <- struct{}{}
			select {
			case <-r.goOn:
			case <-ctx.Done():
				return 75
			}
		}
		return run(ctx, in)
	}
}

// A call whose time ends before the agent listens says how far the start is. The start goes on, other callers join it, and the next call
// works.
func TestStartOutlivesCallThatWantedIt(t *testing.T) {
	t.Parallel()
	seen, slow := &agentRuns{}, newSlowRunner("note: Using new build system")
	s := newSubject(t, rig.New(t, slow.around, seen.around))
	first, late := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { failed <- s.look(impatience{first}) }()
	<-slow.begun
	late()
	f := fault.From(<-failed)
	if f.Code != fault.AgentStarting || f.Dispatched != fault.NotDispatched ||
		!strings.Contains(f.Hint, hint.Do("agent_start", "udid", s.Info.UDID)) {
		t.Errorf("got %s: %s (%s), want %s", f.Code, f.Message, f.Hint, fault.AgentStarting)
	}
	if state := s.Phone.(device.Agent).AgentState().State; state != device.AgentStarting {
		t.Errorf("state = %s, want %s", state, device.AgentStarting)
	}
	var joined sync.WaitGroup
	heard := make(chan string, 16)
	for range 2 {
		joined.Go(func() {
			if err := s.Phone.(device.Agent).StartAgent(device.WithProgress(t.Context(), func(words string) { heard <- words })); err != nil {
				t.Errorf("a caller that joined the start: %v", err)
			}
		})
	}
	for range 2 {
		if words := <-heard; !strings.Contains(words, "starting the agent on "+s.Info.Name) {
			t.Errorf("a caller hears %q, want the progress of the start", words)
		}
	}
	close(slow.goOn)
	joined.Wait()
	s.Must(s.look(t.Context()))
	if n := len(seen.runs()); n != 1 {
		t.Errorf("got %d starts of the agent, want 1", n)
	}
}

// While xcodebuild lives and prints something new, a slow start is not ended.
func TestSlowStartIsNotEndedWhileItPrints(t *testing.T) {
	t.Parallel()
	seen := &agentRuns{}
	prints := func(tool string, run host.Main) host.Main {
		return func(ctx context.Context, in host.Invocation) int {
			if tool == "xcodebuild" && slices.Contains(in.Args, "test-without-building") {
				for i := range 40 {
					fmt.Fprintf(in.Stdout, "t = %d.00s Wait for the simulator\n", i)
					select {
					case <-time.After(5 * time.Millisecond):
					case <-ctx.Done():
						return 75
					}
				}
			}
			return run(ctx, in)
		}
	}
	s := newSubject(t, rig.New(t, prints, seen.around))
	s.Driver.Start.Wait, s.Driver.Start.Quiet = 10*time.Millisecond, 20*time.Second
	s.open(t)
	if n := len(seen.runs()); n != 1 {
		t.Errorf("got %d starts of the agent, want 1", n)
	}
}

// A start that stays silent ends after its time, and is tried once more.
func TestSilentStartIsTriedTwice(t *testing.T) {
	t.Parallel()
	slow := newSlowRunner("Testing started")
	s := newSubject(t, rig.New(t, slow.around))
	s.Driver.Start.Wait, s.Driver.Start.Quiet = 50*time.Millisecond, 50*time.Millisecond
	f := fault.From(s.look(t.Context()))
	if f.Code != fault.AgentFailed || len(slow.begun) != 2 {
		t.Errorf("got %s: %s after %d starts, want %s after 2", f.Code, f.Message, len(slow.begun), fault.AgentFailed)
	}
}

// Closing the device or stopping its agent ends a start, and its callers.
func TestStopEndsStart(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*subject) error{
		"close": func(s *subject) error { return s.Phone.Close() },
		"stop":  func(s *subject) error { return s.Phone.(device.Agent).StopAgent(s.t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slow := newSlowRunner("Testing started")
			s := newSubject(t, rig.New(t, slow.around))
			failed := make(chan error, 1)
			go func() { failed <- s.look(t.Context()) }()
			<-slow.begun
			s.Must(end(s))
			if f := fault.From(<-failed); f.Code != fault.Cancelled {
				t.Errorf("got %s: %s, want %s", f.Code, f.Message, fault.Cancelled)
			}
			if state := s.Phone.(device.Agent).AgentState().State; state != device.AgentAbsent {
				t.Errorf("state = %s, want %s", state, device.AgentAbsent)
			}
		})
	}
}

// Two simulators are driven at the same time by agents of one product, each with derived data of its own.
func TestTwoDevicesUseSeparateAgents(t *testing.T) {
	t.Parallel()
	seen := &agentRuns{}
	r := rig.New(t, seen.around)
	infos, err := r.Driver.List(t.Context())
	r.Must(err)
	var phones []device.Device
	for _, i := range infos {
		if strings.HasPrefix(i.Name, "iPhone") && i.Available && len(phones) < 2 {
			p := r.Driver.Open(i)
			t.Cleanup(func() { p.Close() })
			r.Must(p.(device.Power).Boot(t.Context()))
			phones = append(phones, p)
		}
	}
	var both sync.WaitGroup
	for _, p := range phones {
		both.Go(func() {
			if _, err := p.(device.Eyes).Observe(t.Context(), device.Wait{}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	runs := seen.runs()
	if len(runs) != 2 || seen.made != 1 {
		t.Fatalf("%d agents, %d builds", len(runs), seen.made)
	}
	if runs[0].after("-xctestrun") != runs[1].after("-xctestrun") {
		t.Errorf("products %q and %q", runs[0].args, runs[1].args)
	}
	if runs[0].after("-derivedDataPath") == runs[1].after("-derivedDataPath") {
		t.Errorf("one folder for two: %q", runs[0].args)
	}
	for _, p := range phones {
		if state := p.(device.Agent).AgentState().State; state != device.AgentConnected {
			t.Errorf("an agent is %s", state)
		}
	}
}

// A launch leaves the stream as it is: an agent without a client ends after two minutes.
func TestLaunchKeepsTheStream(t *testing.T) {
	t.Parallel()
	s := newSubject(t, rig.New(t))
	s.open(t)
	s.Launch(rig.Conformance)
	if state := s.Phone.(device.Agent).AgentState().State; state != device.AgentConnected {
		t.Errorf("after a launch the agent is %s", state)
	}
}

// A caller with too little time for a busy agent does not have it replaced.
func TestBusyAgentIsKept(t *testing.T) {
	t.Parallel()
	seen := &agentRuns{}
	s := newSubject(t, rig.New(t, seen.around))
	s.Driver.Start.Greeting = 0 // as a daemon has it
	s.open(t)
	s.Fault(virtualxcode.Fault{Name: flaw.AgentStall, Set: map[string]string{"ms": "300"}})
	for range 2 { // the first loses its stream, the second cannot get another in time
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := s.look(ctx); !fault.Is(err, fault.Timeout) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a look at a busy agent: %v", err)
		}
		cancel()
	}
	s.Must(s.look(t.Context()))
	if n := len(seen.runs()); n != 1 {
		t.Errorf("%d agents were started", n)
	}
}

// The first look at a device has less time than the build of the agent. It does not end the build, it says so, and the next look
// works.
func TestFirstLookDoesNotEndBuild(t *testing.T) {
	t.Parallel()
	seen := &agentRuns{}
	building, goOn := make(chan struct{}), make(chan struct{})
	slow := func(tool string, run host.Main) host.Main {
		return func(ctx context.Context, in host.Invocation) int {
			if slices.Contains(in.Args, "build-for-testing") {
				close(building)
				select {
				case <-goOn:
				case <-ctx.Done():
					t.Error("the build was ended")
				}
			}
			return run(ctx, in)
		}
	}
	s := newSubject(t, rig.New(t, slow, seen.around))
	ctx, late := context.WithCancel(t.Context())
	failed, told := make(chan error), make(chan struct{}, 8)
	go func() {
		failed <- s.look(device.WithProgress(impatience{ctx}, func(words string) {
			if strings.Contains(words, "building the agent") {
				told <- struct{}{}
			}
		}))
	}()
	<-building
	<-told
	late()
	f := fault.From(<-failed)
	if f.Code != fault.AgentStarting || !strings.Contains(f.Message, "building the agent") || !strings.Contains(f.Hint, "continues") ||
		f.Dispatched != fault.NotDispatched {
		t.Errorf("%s: %s (%s), %s", f.Code, f.Message, f.Hint, f.Dispatched)
	}
	close(goOn)
	s.Must(s.look(t.Context()))
	if seen.made != 1 {
		t.Errorf("%d builds", seen.made)
	}
}

// A runner outlives a killed xcodebuild. The next agent starts after the runner has ended, even under a daemon that never saw it.
func TestAgentStartWaitsForOldRunner(t *testing.T) {
	t.Parallel()
	s := newSubject(t, newPrograms(t))
	s.open(t)
	s.Fault(virtualxcode.Fault{Name: flaw.RunnerOutlives, Times: flaw.Forever, Set: map[string]string{"seconds": "600"}})
	kill := func() {
		t.Helper()
		s.Must(syscall.Kill(s.Phone.(device.Agent).AgentState().PID, syscall.SIGKILL))
	}
	kill()
	s.Must(s.look(t.Context()))
	kill()
	s.Phone = s.Driver.Open(s.Info)
	s.Must(s.look(t.Context()))
}

// With a range of ports, each device's agent always gets the same port.
func TestPortRangeKeepsDevicePort(t *testing.T) {
	t.Parallel()
	seen := &agentRuns{}
	s := newSubject(t, rig.New(t, seen.around))
	s.Driver.Start.Port = 41000
	s.open(t)
	s.Must(s.restart(t.Context()))
	runs := seen.runs()
	if first, last := runs[0].port, runs[len(runs)-1].port; first != last || first < "41000" || first >= "42000" {
		t.Errorf("told the ports %q and %q", first, last)
	}
}

// An agent without a stream is interrupted, not killed, so that xcodebuild ends its runner.
func TestAgentWithoutStreamIsInterrupted(t *testing.T) {
	t.Parallel()
	seen := &agentRuns{}
	s := newSubject(t, rig.New(t, seen.around))
	s.open(t)
	s.Fault(virtualxcode.Fault{Name: flaw.AgentStall, Set: map[string]string{"ms": "300"}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.look(ctx); err == nil {
		t.Error("the look works")
	}
	if state := s.Phone.(device.Agent).AgentState().State; state != device.AgentIdle {
		t.Errorf("the agent is %s", state)
	}
	s.Must(s.Phone.Close())
	last := seen.runs()[0]
	if _, err := os.Stat(last.after("-derivedDataPath")); last.ended || last.exit <= 0 || err == nil {
		t.Errorf("xcodebuild left by itself: %v, exit %d; its derived data: %v", last.ended, last.exit, err)
	}
	running, err := s.Phone.(device.Running).Running(t.Context())
	s.Must(err)
	for bundle := range running {
		if strings.HasSuffix(bundle, ".xctrunner") {
			t.Errorf("%s is left", bundle)
		}
	}
}

// TestAgentIsTriedFourTimes: an agent that exits three times at its start and stays at the fourth works, as with qorvex.
func TestAgentIsTriedFourTimes(t *testing.T) {
	t.Parallel()
	for early, starts := range map[int]bool{3: true, 4: false} {
		seen := &agentRuns{}
		s := newSubject(t, rig.New(t, seen.around))
		s.Fault(virtualxcode.Fault{Name: flaw.AgentExitsEarly, Times: early})
		err := s.look(t.Context())
		if got := len(seen.runs()); got != 4 || (err == nil) != starts {
			t.Errorf("an agent that ends %d times: got %d tries and %v, want 4 and that it starts: %v", early, got, err, starts)
		}
	}
}

// The hint names the file with the output of an agent that did not start.
func TestHintNamesOutputOfFailedAgent(t *testing.T) {
	t.Parallel()
	s := newSubject(t, rig.New(t))
	s.Fault(virtualxcode.Fault{Name: flaw.AgentExitsEarly, Times: flaw.Forever})
	f := fault.From(s.look(t.Context()))
	_, path, _ := strings.Cut(f.Hint, "output in ")
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "Early unexpected exit") {
		t.Errorf("%s: %q, %v", f.Hint, text, err)
	}
}

// TestResultBundleOfFailedAgentStays: xcodebuild says there why an agent did not start. The next failure replaces it; a start leaves it.
func TestResultBundleOfFailedAgentStays(t *testing.T) {
	t.Parallel()
	number, fails := 0, true
	s := newSubject(t, rig.New(t, func(tool string, run host.Main) host.Main {
		return func(ctx context.Context, in host.Invocation) int {
			i := slices.Index(in.Args, "-derivedDataPath")
			if tool != "xcodebuild" || in.Args[0] != "test-without-building" || !fails {
				return run(ctx, in)
			}
			number++
			if err := os.WriteFile(filepath.Join(in.Args[i+1], fmt.Sprint(number, ".xcresult")), nil, 0o600); err != nil {
				t.Error(err)
			}
			return 65
		}
	}))
	for range 2 {
		if err := s.look(t.Context()); err == nil {
			t.Error("the agent started, want a failure")
		}
	}
	fails = false
	s.Must(s.look(t.Context()))
	left, err := filepath.Glob(filepath.Join(s.Driver.Kit.Failed(s.Info.UDID), "*"))
	if want := fmt.Sprint(number, ".xcresult"); err != nil || len(left) != 1 || filepath.Base(left[0]) != want {
		t.Errorf("the folder of the failed start has %q, %v, want %s", left, err, want)
	}
}
