// Package xcode offers the tools of XcodeBuildMCP, with that server's names, inputs and answers: an MCP server can serve this set alone.
// Each tool is a view: it translates its input and its output to and from core operations, and must not do anything else. Ops
// gives all tools over the core operations (Rooms); tools.go is the table of their names.
package xcode

import (
	"context"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/hint"
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

// Family is the family of XcodeBuildMCP's tools in the catalogue.
const Family = "xcode"

// The groups of XcodeBuildMCP's tools. A tool may be in several groups.
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
		return all[i].Fields() // panics on an unknown tool; TestNextStepsNameExistingTools covers every next step
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

// Rooms are the core operations that XcodeBuildMCP's tools call.
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
	fields func(tool op.Spec) []op.Field // the inputs of another tool of the set
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

// long marks a tool as one whose call becomes a job when it takes longer than its client waits.
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

// platformKey is a session default of physical devices only: a simulator's platform follows from its runtime.
const platformKey = "platform"

// oldNames are the names that inputs had in earlier versions of XcodeBuildMCP.
var oldNames = map[string]string{"simulatorUuid": "simulatorId", "simulatorUdid": "simulatorId"}

// simIn names a simulator.
type simIn struct {
	ID     string `json:"simulatorId,omitempty" doc:"udid of the simulator, from list_sims; excludes simulatorName"`
	Name   string `json:"simulatorName,omitempty" doc:"name of the simulator, such as iPhone 16 Pro; excludes simulatorId"`
	Latest bool   `json:"useLatestOS,omitempty" doc:"of several shutdown simulators with that name, use the newest OS" default:"true"`
	UUID   string `json:"simulatorUuid,omitempty" doc:"old name of simulatorId" cli:"-"`
}

func (in simIn) which() target.Simulator {
	return target.Simulator{ID: in.ID, Name: in.Name, Newest: in.Latest}
}

// onSimulator is an input that names a simulator.
type onSimulator interface{ which() target.Simulator }

// sim declares a tool of a simulator. Session defaults complete its input; do gets the simulator that the input names.
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

// nextCall is a fact: a call that usually follows, with its input: nextCall(launchAppSim, "bundleId", id).
func nextCall(tool op.Spec, pairs ...any) string { return hint.Do(tool.FullName(), pairs...) }

// andNext adds the calls that usually follow to a text.
func andNext(text string, calls []string) string {
	if len(calls) == 0 {
		return text
	}
	return text + "\nnext steps:\n  " + strings.Join(calls, "\n  ")
}

// withNotes adds notes to a text, each in a line of its own.
func withNotes(text string, notes []string) string {
	for _, n := range notes {
		text += "\nnote: " + n
	}
	return text
}
