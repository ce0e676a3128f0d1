package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
)

// simulators are XcodeBuildMCP's tools for simulators: views over our own operations.
type simulators struct {
	desk
	defaults *sessionDefaults
	parts    Parts

	devices  *devices
	apps     *apps
	settings *settings
	screen   *screen
	films    *films
	logs     *logs
}

// Groups of XcodeBuildMCP. A tool that it lists in several is in several here.
const (
	inSimulator  = "simulator"
	inManagement = "simulator-management"
)

func (s *simulators) ops() []op.Op {
	both, simulator, management := []string{inSimulator, inManagement}, []string{inSimulator}, []string{inManagement}
	return []op.Op{
		op.New(op.Spec{
			Name: "list_sims", Family: xcode, Groups: both, Route: "POST /api/v1/xcode/list_sims", Hints: op.ReadOnly | op.Idempotent,
			Summary: "List the simulators with their ids, by runtime", Next: []string{"boot_sim", "open_sim"},
		}, s.list),
		op.New(op.Spec{
			Name: "boot_sim", Family: xcode, Groups: both, Verb: "boot-sim", Route: "POST /api/v1/xcode/boot_sim", Timeout: 5 * time.Minute, Long: true,
			Summary: "Boot a simulator and wait until apps can run on it", Hints: op.Idempotent,
			Examples: []string{`boot-sim --simulator-name "iPhone 16"`},
		}, s.boot),
		op.New(op.Spec{
			Name: "open_sim", Family: xcode, Groups: both, Verb: "open-sim", Route: "POST /api/v1/xcode/open_sim", Timeout: time.Minute,
			Summary: "Show the simulators' window: Simulator, or Device Hub where Xcode has that instead", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"open-sim"},
		}, s.open),
		op.New(op.Spec{
			Name: "install_app_sim", Family: xcode, Groups: simulator, Verb: "install-app-sim", Route: "POST /api/v1/xcode/install_app_sim", Timeout: 10 * time.Minute, Long: true,
			Summary: "Install an app on a simulator", Hints: op.Idempotent,
			Examples: []string{`install-app-sim --simulator-name "iPhone 16" --app-path ./Shop.app`},
		}, s.install),
		op.New(op.Spec{
			Name: "launch_app_sim", Family: xcode, Groups: simulator, Verb: "launch-app-sim", Route: "POST /api/v1/xcode/launch_app_sim", Timeout: time.Minute,
			Summary: "Launch an installed app on a simulator", Hints: op.Idempotent,
			Examples: []string{`launch-app-sim --simulator-name "iPhone 16" --bundle-id com.iosagent.shop`},
		}, s.launch),
		op.New(op.Spec{
			Name: "launch_app_logs_sim", Family: xcode, Groups: simulator, Verb: "launch-app-logs-sim", Route: "POST /api/v1/xcode/launch_app_logs_sim", Timeout: time.Minute,
			Summary:  "Launch an app on a simulator and capture its console and its log; stop_sim_log_cap gives them",
			Examples: []string{`launch-app-logs-sim --simulator-name "iPhone 16" --bundle-id com.iosagent.shop`},
		}, s.launchWithLogs),
		op.New(op.Spec{
			Name: "stop_app_sim", Family: xcode, Groups: simulator, Verb: "stop-app-sim", Route: "POST /api/v1/xcode/stop_app_sim", Timeout: time.Minute,
			Summary: "End an app on a simulator", Hints: op.Idempotent,
			Examples: []string{`stop-app-sim --simulator-name "iPhone 16" --bundle-id com.iosagent.shop`},
		}, s.stop),
		op.New(op.Spec{
			Name: "record_sim_video", Family: xcode, Groups: simulator, Verb: "record-sim-video", Route: "POST /api/v1/xcode/record_sim_video", Timeout: 2 * time.Minute,
			Summary: "Start to film a simulator (start: true), or stop and write the film (stop: true, outputFile)",
			Exclude: [][]string{{"start", "stop"}}, Require: [][]string{{"start", "stop"}},
			Examples: []string{`record-sim-video --simulator-name "iPhone 16" --start`, `record-sim-video --simulator-name "iPhone 16" --stop --output-file login.mp4`},
		}, s.record),
		op.New(op.Spec{
			Name: "screenshot", Family: xcode, Groups: []string{"ui-automation", "ui-testing", inSimulator}, Route: "POST /api/v1/xcode/screenshot", Timeout: time.Minute,
			Summary: "Take a small picture of a simulator's screen, for looking at; take positions from describe_ui", Hints: op.ReadOnly,
		}, s.screenshot),
		op.New(op.Spec{
			Name: "erase_sims", Family: xcode, Groups: management, Verb: "erase-sims", Route: "POST /api/v1/xcode/erase_sims", Timeout: 10 * time.Minute, Long: true,
			Summary: "Erase one simulator or all: apps, data and settings are gone", Hints: op.Destructive | op.Idempotent,
			Examples: []string{`erase-sims --simulator-name "iPhone 16" --shutdown-first`, "erase-sims --all --shutdown-first"},
		}, s.erase),
		op.New(op.Spec{
			Name: "set_sim_location", Family: xcode, Groups: management, Verb: "set-sim-location", Route: "POST /api/v1/xcode/set_sim_location",
			Summary: "Put a simulator at a place on Earth", Hints: op.Idempotent,
			Examples: []string{`set-sim-location --simulator-name "iPhone 16" --latitude 37.7749 --longitude -122.4194`},
		}, s.place),
		op.New(op.Spec{
			Name: "reset_sim_location", Family: xcode, Groups: management, Verb: "reset-sim-location", Route: "POST /api/v1/xcode/reset_sim_location",
			Summary: "End a simulator's simulated location", Hints: op.Idempotent,
			Examples: []string{`reset-sim-location --simulator-name "iPhone 16"`},
		}, s.noPlace),
		op.New(op.Spec{
			Name: "set_sim_appearance", Family: xcode, Groups: management, Verb: "set-sim-appearance", Route: "POST /api/v1/xcode/set_sim_appearance",
			Summary: "Set a simulator to dark or light", Hints: op.Idempotent,
			Examples: []string{`set-sim-appearance --simulator-name "iPhone 16" --mode dark`},
		}, s.appearance),
		op.New(op.Spec{
			Name: "sim_statusbar", Family: xcode, Groups: management, Verb: "sim-statusbar", Route: "POST /api/v1/xcode/sim_statusbar",
			Summary: "Set the data network that a simulator's status bar shows; clear shows the truth again", Hints: op.Idempotent,
			Examples: []string{`sim-statusbar --simulator-name "iPhone 16" --data-network 5g`},
		}, s.statusbar),
	}
}

// SimIn says which simulator is meant.
type SimIn struct {
	ID     string `json:"simulatorId,omitempty" doc:"udid of the simulator, from list_sims; excludes simulatorName"`
	Name   string `json:"simulatorName,omitempty" doc:"name of the simulator, such as iPhone 16 Pro; excludes simulatorId"`
	Latest *bool  `json:"useLatestOS,omitempty" doc:"of several simulators with that name none of which is booted, take the newest system's; true unless set to false"`
	UUID   string `json:"simulatorUuid,omitempty" doc:"simulatorId by its old name" cli:"-"`
}

// spelled takes the old name for the new one.
func (in SimIn) spelled() (SimIn, error) {
	if in.UUID != "" && in.ID != "" && in.UUID != in.ID {
		return in, fault.New(fault.InvalidInput, "simulatorId and simulatorUuid name two simulators").With("field", "simulatorUuid")
	}
	in.ID, in.UUID = cmp.Or(in.ID, in.UUID), ""
	return in, nil
}

var (
	needsSimulator = defaults.Requirement{OneOf: []string{"simulatorId", "simulatorName"}, Message: "Provide simulatorId or simulatorName"}
	needsBundle    = defaults.Requirement{AllOf: []string{"bundleId"}, Message: "bundleId is required"}
	needsDevice    = defaults.Requirement{AllOf: []string{"deviceId"}, Message: "deviceId is required"}
)

// target finds the simulator. Of several with one name the booted one is meant, else that of the newest system: what a
// build for the name goes to.
func (s *simulators) target(ctx context.Context, in SimIn) (Target, error) {
	if in.ID != "" || in.Latest != nil && !*in.Latest {
		return Target{UDID: in.ID, Sim: in.Name}, nil
	}
	infos, err := s.pool.List(ctx)
	if err != nil {
		return Target{}, err
	}
	found := slices.DeleteFunc(infos, func(i device.Info) bool {
		return !strings.EqualFold(i.Name, in.Name) || i.Type != "simulator"
	})
	usable := slices.DeleteFunc(slices.Clone(found), func(i device.Info) bool { return !i.Available })
	switch {
	case len(found) == 0:
		return Target{Sim: in.Name}, nil // whoever resolves it tells what there is
	case len(usable) == 0:
		return Target{}, fault.New(fault.DeviceNotFound, "the simulator %q is there but cannot be used: its runtime %s is not installed", found[0].Name, found[0].OS).
			WithHint("install the runtime in Xcode, or take another simulator: list_sims shows them")
	}
	best := slices.MaxFunc(usable, func(a, b device.Info) int {
		return cmp.Or(cmp.Compare(order(a.State == device.Booted), order(b.State == device.Booted)), compareOS(a.OS, b.OS))
	})
	return Target{UDID: best.UDID}, nil
}

func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareOS compares "iOS 18.5" with "iOS 26.0" by their numbers.
func compareOS(a, b string) int {
	numbers := func(os string) (n []int) {
		for part := range strings.FieldsFuncSeq(os, func(r rune) bool { return r < '0' || r > '9' }) {
			v, _ := strconv.Atoi(part) // out of range: the largest there is
			n = append(n, v)
		}
		return n
	}
	return slices.Compare(numbers(a), numbers(b))
}

// simCall completes a tool's input and finds its simulator.
func simCall[In any](ctx context.Context, s *simulators, c *op.Call, in In, sim func(*In) *SimIn, more ...defaults.Requirement) (In, Target, error) {
	spelled, err := sim(&in).spelled()
	if err != nil {
		return in, Target{}, err
	}
	*sim(&in) = spelled
	if in, err = complete(s.defaults, c, in, append([]defaults.Requirement{needsSimulator}, more...)...); err != nil {
		return in, Target{}, err
	}
	target, err := s.target(ctx, *sim(&in))
	return in, target, err
}

// ListSimsIn filters the list.
type ListSimsIn struct {
	Enabled bool `json:"enabled,omitempty" doc:"leave out simulators whose runtime is not installed"`
}

// Simulator is a simulator as XcodeBuildMCP tells it.
type Simulator struct {
	Name      string `json:"name"`
	ID        string `json:"simulatorId"`
	State     string `json:"state"`
	Available bool   `json:"isAvailable"`
	Runtime   string `json:"runtime"`
}

// ListSimsOut is every simulator.
type ListSimsOut struct {
	Simulators []Simulator `json:"simulators"`
	NextSteps  []string    `json:"nextSteps,omitempty"`
}

// Text groups them by runtime.
func (o ListSimsOut) Text() string {
	lines := []string{fmt.Sprintf("%d simulators", len(o.Simulators))}
	runtime := ""
	for _, s := range o.Simulators {
		if s.Runtime != runtime {
			runtime = s.Runtime
			lines = append(lines, runtime+":")
		}
		line := fmt.Sprintf("  %s (%s)", s.Name, s.ID)
		if s.State == "Booted" {
			line += " [Booted]"
		}
		if !s.Available {
			line += " (unavailable)"
		}
		lines = append(lines, line)
	}
	return andNext(strings.Join(lines, "\n"), o.NextSteps)
}

func (s *simulators) list(ctx context.Context, _ *op.Call, in ListSimsIn) (ListSimsOut, error) {
	infos, err := s.pool.List(ctx)
	if err != nil {
		return ListSimsOut{}, err
	}
	out := ListSimsOut{Simulators: []Simulator{}}
	for _, i := range infos {
		if i.Type == "simulator" && (i.Available || !in.Enabled) {
			out.Simulators = append(out.Simulators, Simulator{i.Name, i.UDID, title(i.State), i.Available, i.OS})
		}
	}
	slices.SortStableFunc(out.Simulators, func(a, b Simulator) int { return strings.Compare(platformOf(a.Runtime), platformOf(b.Runtime)) })
	slices.SortStableFunc(out.Simulators, func(a, b Simulator) int {
		return cmp.Or(strings.Compare(platformOf(a.Runtime), platformOf(b.Runtime)), compareOS(a.Runtime, b.Runtime))
	})
	if i := slices.IndexFunc(out.Simulators, func(s Simulator) bool { return s.Available && s.State != "Booted" }); i >= 0 {
		out.NextSteps = []string{nextCall("boot_sim", "simulatorId", out.Simulators[i].ID), nextCall("open_sim")}
	}
	return out, nil
}

func platformOf(os string) string { platform, _, _ := strings.Cut(os, " "); return platform }

// title writes a state as simctl does: Booted, Shutdown, Shutting Down.
func title(state string) string {
	words := strings.Fields(state)
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// SimOut is a simulator and what became of it.
type SimOut struct {
	Message   string   `json:"message"`
	ID        string   `json:"simulatorId,omitempty"`
	Name      string   `json:"simulatorName,omitempty"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text says it, and what usually follows.
func (o SimOut) Text() string { return andNext(o.Message, o.NextSteps) }

// BootSimIn names the simulator.
type BootSimIn struct{ SimIn }

func (s *simulators) boot(ctx context.Context, c *op.Call, in BootSimIn) (SimOut, error) {
	_, target, err := simCall(ctx, s, c, in, func(in *BootSimIn) *SimIn { return &in.SimIn })
	if err != nil {
		return SimOut{}, err
	}
	done, err := s.devices.boot(ctx, c, BootIn{Target: target})
	if err != nil {
		return SimOut{}, err
	}
	return SimOut{
		Message: "booted " + done.Name + " (" + done.UDID + ")", ID: done.UDID, Name: done.Name,
		NextSteps: []string{
			nextCall("open_sim"),
			nextCall("install_app_sim", "simulatorId", done.UDID, "appPath", "PATH_TO_YOUR_APP"),
			nextCall("launch_app_sim", "simulatorId", done.UDID, "bundleId", "YOUR_APP_BUNDLE_ID"),
		},
	}, nil
}

// OpenSimIn may name a simulator to show.
type OpenSimIn struct {
	ID string `json:"simulatorId,omitempty" doc:"show this simulator's window"`
}

// fronts are the programs that show simulators, the one of today's Xcode first. Xcode 27 has Device Hub instead.
func fronts(udid string) [][]string {
	simulator := []string{"-a", "Simulator"}
	if udid != "" {
		simulator = append(simulator, "--args", "-CurrentDeviceUDID", udid)
	}
	return [][]string{simulator, {"-a", "DeviceHub"}}
}

func (s *simulators) open(ctx context.Context, c *op.Call, in OpenSimIn) (SimOut, error) {
	var last error
	for _, args := range fronts(in.ID) {
		_, last = s.parts.Run.Run(ctx, host.Cmd{Name: s.parts.Tools.Tool("open"), Args: args, Timeout: 30 * time.Second})
		if last == nil {
			return SimOut{
				Message: "opened " + args[1], ID: in.ID,
				NextSteps: []string{
					nextCall("boot_sim", "simulatorId", "SIMULATOR_ID_FROM_LIST_SIMS"),
					nextCall("launch_app_logs_sim", "simulatorId", "SIMULATOR_ID", "bundleId", "YOUR_APP_BUNDLE_ID"),
				},
			}, nil
		}
	}
	return SimOut{}, toolFault(last, fault.ToolFailed, "neither Simulator nor DeviceHub can be opened")
}

// InstallSimIn names the app and the simulator.
type InstallSimIn struct {
	SimIn
	App op.Path `json:"appPath" doc:"path of the .app folder"`
}

// AppSimOut is an app on a simulator and what became of it.
type AppSimOut struct {
	SimOut
	Bundle  string `json:"bundleId"`
	Process int    `json:"processId,omitempty"`
	App     string `json:"appPath,omitempty"`
}

func (s *simulators) install(ctx context.Context, c *op.Call, in InstallSimIn) (AppSimOut, error) {
	in, target, err := simCall(ctx, s, c, in, func(in *InstallSimIn) *SimIn { return &in.SimIn })
	if err != nil {
		return AppSimOut{}, err
	}
	done, err := s.apps.install(ctx, c, InstallIn{Target: target, Path: in.App})
	if err != nil {
		return AppSimOut{}, err
	}
	out := appOut(done, "installed %s on %s")
	out.App = done.Path
	out.NextSteps = []string{nextCall("open_sim"), nextCall("launch_app_sim", "simulatorId", done.UDID, "bundleId", done.Bundle)}
	return out, nil
}

func appOut(done AppOut, format string) AppSimOut {
	return AppSimOut{
		SimOut: SimOut{Message: fmt.Sprintf(format, done.Bundle, done.device), ID: done.UDID, Name: done.device},
		Bundle: done.Bundle, Process: done.PID,
	}
}

// AppSimIn names an app on a simulator.
type AppSimIn struct {
	SimIn
	Bundle string `json:"bundleId,omitempty" doc:"the app's bundle id"`
}

// LaunchSimIn says how to launch it.
type LaunchSimIn struct {
	AppSimIn
	Args   []string `json:"args,omitempty" doc:"arguments for the app"`
	Launch []string `json:"launchArgs,omitempty" doc:"args by its new name" cli:"-"`
	Env    []string `json:"env,omitempty" doc:"environment for the app, as NAME=VALUE" pairs:"true"`
}

func (in LaunchSimIn) arguments() ([]string, error) {
	if len(in.Args) > 0 && len(in.Launch) > 0 {
		return nil, fault.New(fault.InvalidInput, "args and launchArgs are the same: give one").With("field", "launchArgs")
	}
	return append(in.Args, in.Launch...), nil
}

func (s *simulators) launch(ctx context.Context, c *op.Call, in LaunchSimIn) (AppSimOut, error) {
	in, target, args, err := s.launching(ctx, c, in)
	if err != nil {
		return AppSimOut{}, err
	}
	done, err := s.apps.launch(ctx, c, LaunchIn{Target: target, Bundle: in.Bundle, Args: args, Env: in.Env})
	if fault.Is(err, fault.AppNotFound) {
		return AppSimOut{}, fault.From(err).WithHint("install it first: %s", nextCall("install_app_sim", "simulatorId", target.UDID, "appPath", "PATH_TO_YOUR_APP"))
	}
	if err != nil {
		return AppSimOut{}, err
	}
	out := appOut(done, "launched %s on %s")
	out.Message += fmt.Sprintf(" (process %d)", done.PID)
	out.NextSteps = []string{
		nextCall("open_sim"),
		nextCall("start_sim_log_cap", "simulatorId", done.UDID, "bundleId", done.Bundle),
		nextCall("stop_app_sim", "simulatorId", done.UDID, "bundleId", done.Bundle),
	}
	return out, nil
}

func (s *simulators) launching(ctx context.Context, c *op.Call, in LaunchSimIn) (LaunchSimIn, Target, []string, error) {
	in, target, err := simCall(ctx, s, c, in, func(in *LaunchSimIn) *SimIn { return &in.SimIn }, needsBundle)
	if err != nil {
		return in, target, nil, err
	}
	args, err := in.arguments()
	return in, target, args, err
}

func (s *simulators) stop(ctx context.Context, c *op.Call, in AppSimIn) (AppSimOut, error) {
	in, target, err := simCall(ctx, s, c, in, func(in *AppSimIn) *SimIn { return &in.SimIn }, needsBundle)
	if err != nil {
		return AppSimOut{}, err
	}
	done, err := s.apps.terminate(ctx, c, TerminateIn{Target: target, Bundle: in.Bundle})
	if err != nil {
		return AppSimOut{}, err
	}
	return appOut(done, "stopped %s on %s"), nil
}
