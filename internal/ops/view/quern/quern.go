// Package quern is the product under quern's names and in its shapes: `mcp --tools quern` serves it alone. Its rows are
// views: each translates an input and an output to and from operations of package ops, and can do nothing else.
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

// Family is what quern's names are called in the catalogue.
const Family = "quern"

// Statuses are what quern's clients know, where our own are others: an input that breaks the schema is 422, what the caller has to
// name is 400, and what a tool could not do is 500.
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

// With gives the core operations that quern's clients call by their routes the statuses that those clients know.
func With(own []op.Op) []op.Op {
	own = slices.Clone(own)
	for i, o := range own {
		if o.Name == launch || slices.Contains(same, o.Name) {
			own[i].Statuses = Statuses()
		}
	}
	return own
}

// RouteOf names the core operation whose route a row has over HTTP where it has none of its own. quern asks /health whether the
// server is there; over MCP the tool tells more.
func RouteOf(row string) string {
	switch row {
	case "ensure_server":
		return "health"
	case tailLogs.Name: // which turns the answer round
		return queryLogs.Name
	}
	return row
}

// Rooms are the operations of ours that quern's rows show.
type Rooms struct {
	Apps    *apps.Apps
	Crashes *crashes.Crashes
	Network *network.Network
	Said    logs.Said
	Screen  *screen.Screen
	System  *system.System
	Touch   *touch.Touch
	Core    []op.Op // all of ours: some are quern's by another route
}

// op is the operation of ours with a name. It panics when there is none: a row of it is a programming error.
func (r Rooms) op(name string) op.Op {
	i := slices.IndexFunc(r.Core, func(o op.Op) bool { return o.Name == name })
	if i < 0 {
		panic("quern: the core family has no operation " + name)
	}
	return r.Core[i]
}

type views struct{ core Rooms }

// Ops are quern's rows over the core operations.
func Ops(core Rooms) []op.Op {
	v := views{core}
	var all []op.Op
	for _, name := range same {
		all = append(all, core.op(name).In(Family))
	}
	plain := core.op(launch).In(Family).Spec // without our outline of the screen
	plain.Route, plain.Summary = op.None, "Launch an installed app; a device that the call names is booted"
	shot := tool(takeScreenshot, "ui", "Take a picture of the screen, half its size unless scale is given", op.ReadOnly, time.Minute)
	shot.Picture = true
	list := tool(listApps, "app", "List the installed apps and which of them run", readOnly, time.Minute)
	all = append(all, op.New(plain, core.Apps.Launch), op.New(shot, v.screenshot), op.New(list, v.apps))
	all = slices.Concat(all, v.looking(), v.acting(), v.logging(), v.proxying())
	for i, row := range all {
		all[i].Statuses = notRunning(row.Name)
	}
	return all
}
