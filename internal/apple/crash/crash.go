// Package crash reads crash reports: .ips files, the text reports of Apple and of other reporters, and MetricKit's payloads. An .ips file
// has a JSON header and a JSON body, or a header and the older text. Read returns a Report in each case. The package does not find report
// files or symbols: packages reports and atos do.
package crash

import (
	"encoding/json"
	"errors"
)

// The forms of reports.
const (
	FormIPS       = "ips"
	FormText      = "text"
	FormMetricKit = "MetricKit"
)

// Report is one crash, or another event that the system reports the same way; Kind says which. Header, Body and Document hold a JSON report
// unchanged, Fields and Sections a text report.
type Report struct {
	Form        string            `json:"form"`
	Kind        Kind              `json:"kind"`
	App         string            `json:"app,omitempty"`
	BundleID    string            `json:"bundleId,omitempty"`
	Version     string            `json:"version,omitempty"`
	Build       string            `json:"build,omitempty"`
	PID         int               `json:"pid,omitempty"`
	Path        string            `json:"path,omitempty"`
	OS          string            `json:"os,omitempty"`
	Model       string            `json:"model,omitempty"`
	Arch        string            `json:"arch,omitempty"`
	Time        string            `json:"time,omitempty"`
	Incident    string            `json:"incident,omitempty"`
	BugType     string            `json:"bugType,omitempty"` // 309 is a crash
	Exception   Exception         `json:"exception,omitzero"`
	Termination string            `json:"termination,omitempty"`
	Reasons     []string          `json:"reasons,omitempty"`   // messages of the process or its libraries
	Event       string            `json:"event,omitempty"`     // of a sampled report: hang, cpu usage, disk writes
	Duration    string            `json:"duration,omitempty"`  // of the event, as printed
	Simulator   string            `json:"simulator,omitempty"` // the udid of the simulator it happened on
	Memory      *Memory           `json:"memory,omitempty"`    // of a Jetsam report
	Crashed     int               `json:"crashedThread"`       // -1: unknown
	Threads     []Thread          `json:"threads,omitempty"`
	Backtraces  []Thread          `json:"backtraces,omitempty"` // of exceptions: the place where they were thrown
	Images      []Image           `json:"images,omitempty"`
	Fields      map[string]string `json:"fields,omitempty"`
	Sections    map[string]string `json:"sections,omitempty"`
	More        []*Report         `json:"more,omitempty"` // further crashes of a payload
	Header      json.RawMessage   `json:"header,omitempty"`
	Body        json.RawMessage   `json:"body,omitempty"`
}

// Exception is how the process ended.
type Exception struct {
	Type    string `json:"type,omitempty"`   // EXC_BAD_ACCESS
	Signal  string `json:"signal,omitempty"` // SIGSEGV
	Codes   string `json:"codes,omitempty"`
	Subtype string `json:"subtype,omitempty"`
	Note    string `json:"note,omitempty"`
}

// Thread is one thread, or one backtrace.
type Thread struct {
	Index   int     `json:"index"`
	Name    string  `json:"name,omitempty"`
	Queue   string  `json:"queue,omitempty"`
	Crashed bool    `json:"crashed,omitempty"`
	Frames  []Frame `json:"frames,omitempty"`
}

// Frame is one call. Without a symbol, Offset counts from the beginning of the image.
type Frame struct {
	Image   string `json:"image,omitempty"`
	Address string `json:"address,omitempty"`
	Symbol  string `json:"symbol,omitempty"`
	Offset  uint64 `json:"offset,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Own     bool   `json:"own,omitempty"` // in the app's code, not in the system's
}

// Image is a library in the process.
type Image struct {
	Name    string `json:"name,omitempty"`
	UUID    string `json:"uuid,omitempty"`
	Arch    string `json:"arch,omitempty"`
	Version string `json:"version,omitempty"`
	Base    string `json:"base,omitempty"`
	End     string `json:"end,omitempty"`
	Path    string `json:"path,omitempty"`
}

// CrashedThread is the thread that crashed; nil if it is unknown or missing.
func (r *Report) CrashedThread() *Thread {
	for i := range r.Threads {
		if r.Threads[i].Crashed || r.Threads[i].Index == r.Crashed {
			return &r.Threads[i]
		}
	}
	return nil
}

// Read reads a report of any form.
func Read(data []byte) (*Report, error) {
	r, err := readJSON(data)
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = readText(string(data))
	}
	if r == nil {
		return nil, errors.New("crash: not a crash report")
	}
	for _, one := range append([]*Report{r}, r.More...) {
		one.finish()
	}
	return r, nil
}

// finish computes the derived fields.
func (r *Report) finish() {
	r.Kind = r.kind()
	r.Simulator = r.simulator()
	r.markOwn()
}
