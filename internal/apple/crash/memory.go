package crash

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"ios-agent/internal/text/brief"
)

// Memory is the device's memory in a Jetsam report: the use of each process, and the processes that the system ended, with the reason.
type Memory struct {
	Largest   string    `json:"largest,omitempty"` // the process with the most memory; often not the ended one
	PageSize  int64     `json:"pageSize,omitempty"`
	Free      int64     `json:"freePages,omitempty"`
	Processes []Process `json:"processes,omitempty"`
}

// Process is a process in a Jetsam report. Reason is set if the system ended it.
type Process struct {
	Name   string   `json:"name,omitempty"`
	PID    int      `json:"pid,omitempty"`
	Bytes  int64    `json:"bytes,omitempty"` // resident
	Most   int64    `json:"mostBytes,omitempty"`
	Reason string   `json:"reason,omitempty"` // per-process-limit, vm-pageshortage, …
	States []string `json:"states,omitempty"`
	UUID   string   `json:"uuid,omitempty"`
}

type memoryBody struct {
	Largest string `json:"largestProcess"`
	Page    int64  `json:"pageSize"`
	Date    string `json:"date"`
	Build   string `json:"build"`
	Product string `json:"product"`
	Status  struct {
		Page  int64 `json:"pageSize"`
		Pages struct {
			Free int64 `json:"free"`
		} `json:"memoryPages"`
	} `json:"memoryStatus"`
	Processes []json.RawMessage `json:"processes"`
}

// defaultPage is the size of a page on all devices since 2014.
const defaultPage = 16384

// readMemory reads the body of a Jetsam report; it skips any other report.
func (r *Report) readMemory(main json.RawMessage) {
	if main == nil || bugTypes[r.BugType].kind != Jetsam && !has(main, "largestProcess") {
		return
	}
	var b memoryBody
	lenient(main, &b)
	m := &Memory{Largest: b.Largest, PageSize: cmp.Or(b.Status.Page, b.Page, defaultPage), Free: b.Status.Pages.Free}
	if m.PageSize < 0 || m.PageSize > 1<<20 {
		m.PageSize = defaultPage
	}
	for _, raw := range b.Processes {
		var p struct {
			Name   string   `json:"name"`
			PID    int      `json:"pid"`
			Pages  int64    `json:"rpages"`
			Most   int64    `json:"lifetimeMax"`
			Reason string   `json:"reason"`
			States []string `json:"states"`
			UUID   string   `json:"uuid"`
		}
		lenient(raw, &p)
		m.Processes = append(m.Processes, Process{Name: p.Name, PID: p.PID, Bytes: m.bytes(p.Pages), Most: m.bytes(p.Most), Reason: p.Reason,
			States: p.States, UUID: p.UUID})
	}
	r.Memory = m
	r.Time, r.OS, r.Model = cmp.Or(b.Date, r.Time), cmp.Or(r.OS, b.Build), cmp.Or(r.Model, b.Product)
	ended := m.Ended()
	for _, p := range ended {
		r.Reasons = append(r.Reasons, fmt.Sprintf("%s was ended, %s, with %s", p.Name, p.Reason, megabytes(p.Bytes)))
	}
	if len(ended) > 0 { // the largest process is not assumed to be the ended one
		r.App, r.PID = cmp.Or(r.App, ended[0].Name), cmp.Or(r.PID, ended[0].PID)
	}
}

// bytes converts pages to bytes. Numbers beyond any device are left out.
func (m *Memory) bytes(pages int64) int64 {
	if pages < 0 || pages > 1<<40/m.PageSize {
		return 0
	}
	return pages * m.PageSize
}

func has(object json.RawMessage, key string) bool {
	var keys map[string]json.RawMessage
	return json.Unmarshal(object, &keys) == nil && keys[key] != nil
}

// Ended lists the processes that the system ended.
func (m *Memory) Ended() []Process {
	return slices.DeleteFunc(slices.Clone(m.Processes), func(p Process) bool { return p.Reason == "" })
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+1<<19)>>20) }

const shownProcesses = 5

// write lists the ended processes and the largest ones.
func (m *Memory) write(w *brief.Writer) {
	most := slices.Clone(m.Processes)
	slices.SortStableFunc(most, func(a, b Process) int { return cmp.Compare(b.Bytes, a.Bytes) })
	w.Line("largest process: " + cmp.Or(m.Largest, "unknown"))
	for _, p := range most[:min(len(most), shownProcesses)] {
		w.Linef("  %s [%d] %s", p.Name, p.PID, megabytes(p.Bytes))
	}
	if n := len(most) - shownProcesses; n > 0 {
		w.Linef("  … %s more", brief.Count(n, "process"))
	}
}
