package xcode

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/logs"
)

// sessionStatus shows what a session has running, in the shape of XcodeBuildMCP's resource session-status. The watcher of Xcode's
// state exists only in XcodeBuildMCP: the answer always says that it is not running.
func (v views) sessionStatus() op.Op {
	began := time.Now()
	return op.New(tool(SessionStatus, "Show this session's running captures, recordings, programs and debuggers", readOnly,
		"session-management"),
		func(_ context.Context, c *op.Call, _ struct{}) (sessionStatusOut, error) {
			out := sessionStatusOut{}
			debuggers, current := v.core.Debug.Own(c.Session)
			if current != "" {
				out.Debug.Current = &current
			}
			out.Debug.Sessions = []string{}
			for _, s := range debuggers {
				out.Debug.Sessions = append(out.Debug.Sessions, s.ID)
				if way := s.Way(); way != "" {
					out.Debug.Notes = append(out.Debug.Notes, s.ID+": "+way)
				}
			}
			out.Logging.Simulator.IDs, out.Logging.Device.IDs, out.Video.IDs, out.Packages.PIDs = []string{}, []string{}, []string{}, []int{}
			for _, one := range v.core.Logs.Live(c.Session) {
				to := &out.Logging.Simulator
				if one.Kind == logs.DeviceCapture {
					to = &out.Logging.Device
				}
				to.IDs = append(to.IDs, one.ID)
			}
			for _, film := range v.core.Films.Live(c.Session) {
				out.Video.IDs = append(out.Video.IDs, film.Owner.UDID)
			}
			for _, p := range v.core.Packages.List(c) {
				if p.Session == c.Session && p.State == "running" {
					out.Packages.PIDs = append(out.Packages.PIDs, p.PID)
				}
			}
			out.Activity.Count = len(out.Debug.Sessions) +
				len(out.Logging.Simulator.IDs) + len(out.Logging.Device.IDs) + len(out.Video.IDs) + len(out.Packages.PIDs)
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			out.Process = processStatus{v.core.System.PID(), time.Since(began).Milliseconds(), memory.Sys}
			return out, nil
		})
}

type activeIDs struct {
	IDs []string `json:"activeSessionIds"`
}

type debugStatus struct {
	Current  *string  `json:"currentSessionId"`
	Sessions []string `json:"sessionIds"`
	Notes    []string `json:"notes,omitempty"` // of sessions without lldb-dap
}

type processStatus struct {
	PID    int    `json:"pid"`
	Uptime int64  `json:"uptimeMs"`
	RSS    uint64 `json:"rssBytes"` // memory that the Go runtime has from the system
}

type sessionStatusOut struct {
	Logging struct {
		Simulator activeIDs `json:"simulator"`
		Device    activeIDs `json:"device"`
	} `json:"logging"`
	Debug   debugStatus `json:"debug"`
	Watcher struct {
		Running bool `json:"running"`
	} `json:"watcher"`
	Video    activeIDs `json:"video"`
	Packages struct {
		PIDs []int `json:"activePids"`
	} `json:"swiftPackage"`
	Activity struct {
		Count int `json:"activeOperationCount"`
	} `json:"activity"`
	Process processStatus `json:"process"`
}

// Text is the status in a few lines.
func (o sessionStatusOut) Text() string {
	text := fmt.Sprintf("%d under way\nlog captures on simulators: %v, on devices: %v\nrecordings: %v\nprograms: %v\ndebuggers: %v\n"+
		"server: pid %d",
		o.Activity.Count, o.Logging.Simulator.IDs, o.Logging.Device.IDs, o.Video.IDs, o.Packages.PIDs,
		o.Debug.Sessions, o.Process.PID)
	return strings.Join(append([]string{text}, o.Debug.Notes...), "\n")
}
