// Package xcode is the product under XcodeBuildMCP's names and in its shapes: `mcp --tools xcode` serves it alone. Its tools
// are views: each translates an input and an output to and from operations of package ops, and can do nothing else.
package xcode

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/ops/debug"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/ops/devices"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/ops/run"
	"ios-agent/internal/ops/screen"
	sessionops "ios-agent/internal/ops/session"
	"ios-agent/internal/ops/settings"
	"ios-agent/internal/ops/system"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/ops/view/xcode/workflow"
)

// Family is what XcodeBuildMCP's names are called in the catalogue.
const Family = "xcode"

// The groups of XcodeBuildMCP. A tool that it lists in several is in several here.
const (
	inSimulator   = "simulator"
	inManagement  = "simulator-management"
	inDevice      = "device"
	inMac         = "macos"
	inLogging     = "logging"
	inDiscovery   = "project-discovery"
	inScaffolding = "project-scaffolding"
	inSwift       = "swift-package"
	inUtilities   = "utilities"
	inCoverage    = "coverage"
	inDebugging   = "debugging"
)

const readOnly = op.ReadOnly | op.Idempotent

// Ops are XcodeBuildMCP's tools over the core operations.
func Ops(core Rooms) []op.Op {
	var all []op.Op
	v := views{core, func(tool op.Spec) []op.Field {
		i := slices.IndexFunc(all, func(o op.Op) bool { return o.Name == tool.Name })
		return all[i].Fields() // who names no tool of ours is wrong, as a test of all next steps says
	}}
	all = slices.Concat(
		v.simulators(), v.simulatorApps(), v.simulatorSettings(), v.captures(), v.devices(), v.macApps(), v.packages(), v.projects(),
		v.builds(), v.appPaths(), v.tests(), v.inspections(), v.coverages(), v.looks(), v.touches(), v.keys(), v.batches(),
		v.debugging(),
	)
	all = append(all, v.sessionStatus(), v.doctor(func() []op.Op { return all }))
	find := example(tool(DiscoverTools, "Find the workflow for a task; an MCP client gets its tools listed", readOnly, "discovery"),
		`discover-tools "run my app on an iPhone simulator and read its logs"`)
	return append(all, workflow.New(find, func() []op.Op { return all }))
}

// Rooms are the operations of ours that XcodeBuildMCP's tools show.
type Rooms struct {
	Apps     *apps.Apps
	Builds   *builds.Builds
	Debug    *debug.Debug
	Defaults *sessionops.Defaults
	Desktop  *desktopops.Desktop
	Devices  *devices.Devices
	Films    *screen.Films
	Logs     *logs.Captures
	MacApps  *apps.MacApps
	Packages *builds.Packages
	Projects builds.Projects
	Run      *run.Run
	Screen   *screen.Screen
	Settings *settings.Settings
	System   *system.System
	Touch    *touch.Touch
}

type views struct {
	core   Rooms
	fields func(tool op.Spec) []op.Field // what another of the tools takes
}

// tool is the spec of a row of the table.
func tool(row op.Spec, summary string, hints op.Hints, groups ...string) op.Spec {
	row.Summary, row.Hints, row.Groups = summary, hints, groups
	return row
}

// taking gives a spec its time limit and its examples.
func taking(limit time.Duration, s op.Spec, examples ...string) op.Spec {
	s.Timeout, s.Examples = limit, examples
	return s
}

// long is a tool that becomes a job when it takes longer than its client waits.
func long(limit time.Duration, s op.Spec, examples ...string) op.Spec {
	s = taking(limit, s, examples...)
	s.Long = true
	return s
}

var (
	needsSimulator = config.Requirement{OneOf: []string{"simulatorId", "simulatorName"}, Message: "Provide simulatorId or simulatorName"}
	needsDevice    = config.Requirement{AllOf: []string{"deviceId"}, Message: "deviceId is required"}
	needsBundle    = config.Requirement{AllOf: []string{"bundleId"}, Message: "bundleId is required"}
	needsScheme    = config.Requirement{AllOf: []string{"scheme"}, Message: "scheme is required"}
	needsContainer = config.Requirement{OneOf: []string{"projectPath", "workspacePath"}, Message: "Provide a project or workspace"}
)

// platformKey is a default of physical devices only: a simulator's platform follows from its runtime.
const platformKey = "platform"

// oldNames are the names that inputs had in earlier versions.
var oldNames = map[string]string{"simulatorUuid": "simulatorId", "simulatorUdid": "simulatorId"}

// simIn says which simulator is meant.
type simIn struct {
	ID     string `json:"simulatorId,omitempty" doc:"udid of the simulator, from list_sims; excludes simulatorName"`
	Name   string `json:"simulatorName,omitempty" doc:"name of the simulator, such as iPhone 16 Pro; excludes simulatorId"`
	Latest bool   `json:"useLatestOS,omitempty" doc:"of several with that name, none booted, take the newest system" default:"true"`
	UUID   string `json:"simulatorUuid,omitempty" doc:"simulatorId by its old name" cli:"-"`
}

func (in simIn) which() target.Simulator {
	return target.Simulator{ID: in.ID, Name: in.Name, Newest: in.Latest}
}

// onSimulator is an input that names a simulator.
type onSimulator interface{ which() target.Simulator }

// sim declares a tool of a simulator. Session defaults complete its input; do gets the simulator that is meant.
func sim[In onSimulator, Out any](
	v views, s op.Spec, do func(context.Context, *op.Call, In, target.Target) (Out, error), needs ...config.Requirement,
) op.Op {
	return op.New(v.simSpec(s, needs...), func(ctx context.Context, c *op.Call, in In) (Out, error) {
		target, err := v.core.Devices.Find(ctx, in.which())
		if err != nil {
			var none Out
			return none, err
		}
		return do(ctx, c, in, target)
	})
}

// simSpec lets session defaults complete the input of a simulator's tool.
func (v views) simSpec(s op.Spec, needs ...config.Requirement) op.Spec {
	needs = append([]config.Requirement{needsSimulator}, needs...)
	return v.completed(s, complete.Completion{Require: needs, CallOnly: []string{platformKey}})
}

// completed lets session defaults complete a tool's input.
func (v views) completed(s op.Spec, how complete.Completion) op.Spec {
	how.OldNames = oldNames
	s.Complete = v.core.Defaults.Completer(how)
	return s
}

// nextCall spells a call that usually follows, with its values: nextCall(launchAppSim, "bundleId", id).
func nextCall(tool op.Spec, pairs ...any) string {
	var args []string
	for i := 0; i+1 < len(pairs); i += 2 {
		value, err := json.Marshal(pairs[i+1])
		if err != nil {
			value = []byte(`"…"`)
		}
		args = append(args, fmt.Sprintf("%s: %s", pairs[i], value))
	}
	if len(args) == 0 {
		return tool.Name + "({})"
	}
	return tool.Name + "({ " + strings.Join(args, ", ") + " })"
}

// andNext adds the calls that usually follow to a text.
func andNext(text string, calls []string) string {
	if len(calls) == 0 {
		return text
	}
	return text + "\nnext steps:\n  " + strings.Join(calls, "\n  ")
}

// withNotes adds remarks to a text.
func withNotes(text string, notes []string) string {
	for _, n := range notes {
		text += "\nnote: " + n
	}
	return text
}
