// Package quern offers the tools of quern, with that server's names, routes, inputs and answers: an MCP server can serve this set alone.
// Each tool is a view: it translates its input and its output to and from core operations, and must not do anything else. Ops
// gives all tools over the core operations (Rooms); tools.go is the table of their names and routes.
package quern

import (
	"net/http"
	"slices"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/crashes"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/ops/network"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/system"
	"ios-agent/internal/ops/touch"
)

// Family is the family of quern's tools in the catalogue.
const Family = "quern"

// Statuses are the HTTP statuses that quern's clients expect, where they differ from the product's: 422 for an input that breaks the
// schema, 400 for an input that the caller must add, and 500 for a failure of a tool.
func Statuses() *op.Statuses {
	return &op.Statuses{Name: "Quern", Misfit: http.StatusUnprocessableEntity, Codes: map[fault.Code]int{
		fault.DeviceAmbiguous:  http.StatusBadRequest,
		fault.Unsupported:      http.StatusBadRequest,
		fault.AppInstallFailed: http.StatusInternalServerError,
		fault.AppLaunchFailed:  http.StatusInternalServerError,
		fault.AppTerminate:     http.StatusInternalServerError,
		fault.ScreenshotFailed: http.StatusInternalServerError,
		fault.ToolFailed:       http.StatusInternalServerError,
		fault.OutcomeUnknown:   http.StatusInternalServerError,
		fault.NoFocus:          http.StatusInternalServerError,
		fault.Timeout:          http.StatusInternalServerError,
	}}
}

// With gives quern's statuses to the core operations that quern's clients call by their routes.
func With(own []op.Op) []op.Op {
	own = slices.Clone(own)
	for i, o := range own {
		if o.Name == launch || slices.Contains(same, o.Name) {
			own[i].Statuses = Statuses()
		}
	}
	return own
}

// RouteOf names the core operation whose route serves a tool without a route of its own. Over HTTP, quern's clients ask /health
// whether the server is alive; over MCP, ensure_server answers more.
func RouteOf(row string) string {
	switch row {
	case "ensure_server":
		return "health"
	case tailLogs.Name: // the same answer in reverse order
		return queryLogs.Name
	}
	return row
}

// Rooms are the core operations that quern's tools call.
type Rooms struct {
	Apps    *apps.Apps
	Crashes *crashes.Crashes
	Network *network.Network
	Said    logs.Said
	Screen  *screen.Screen
	System  *system.System
	Touch   *touch.Touch
	Core    []op.Op // all core operations: some are also quern's, by another route
}

// op is the core operation with a name. It panics on an unknown name, which is a programming error.
func (r Rooms) op(name string) op.Op {
	i := slices.IndexFunc(r.Core, func(o op.Op) bool { return o.Name == name })
	if i < 0 {
		panic("quern: the core family has no operation " + name)
	}
	return r.Core[i]
}

type views struct{ core Rooms }

// Ops are quern's tools over the core operations.
func Ops(core Rooms) []op.Op {
	v := views{core}
	var all []op.Op
	for _, name := range same {
		all = append(all, core.op(name).In(Family))
	}
	plain := core.op(launch).In(Family).Spec // without the outline of the screen
	plain.Route, plain.Summary = op.None, "Launch an installed app, booting the named device if needed"
	shot := tool(takeScreenshot, "ui", "Take a screenshot, by default at half its size", op.ReadOnly, time.Minute)
	shot.Picture = true
	list := tool(listApps, "app", "List the installed apps and their state", readOnly, time.Minute)
	all = append(all, op.New(plain, core.Apps.Launch), op.New(shot, v.screenshot), op.New(list, v.apps))
	all = slices.Concat(all, v.looking(), v.acting(), v.logging(), v.proxying())
	for i, row := range all {
		all[i].Statuses = notRunning(row.Name)
	}
	return all
}
