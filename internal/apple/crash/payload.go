package crash

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/text/brief"
)

// payload is MetricKit's JSON for an app.
type payload struct {
	Begin   string       `json:"timeStampBegin"`
	End     string       `json:"timeStampEnd"`
	Crashes []diagnostic `json:"crashDiagnostics"`
	Hangs   []diagnostic `json:"hangDiagnostics"`
	CPU     []diagnostic `json:"cpuExceptionDiagnostics"`
	Disk    []diagnostic `json:"diskWriteExceptionDiagnostics"`
}

type diagnostic struct {
	Meta map[string]json.RawMessage `json:"diagnosticMetaData"`
	Tree struct {
		Stacks []struct {
			Attributed bool     `json:"threadAttributed"`
			Roots      []mxNode `json:"callStackRootFrames"`
		} `json:"callStacks"`
	} `json:"callStackTree"`
}

type mxNode struct {
	Name    string   `json:"binaryName"`
	UUID    string   `json:"binaryUUID"`
	Address uint64   `json:"address"`
	Offset  uint64   `json:"offsetIntoBinaryTextSegment"`
	Sub     []mxNode `json:"subFrames"`
}

func readPayload(doc json.RawMessage) (*Report, error) {
	var p payload
	lenient(doc, &p)
	var all []*Report
	for _, kind := range []struct {
		name string
		of   []diagnostic
	}{{"crash", p.Crashes}, {"hang", p.Hangs}, {"CPU exception", p.CPU}, {"disk write exception", p.Disk}} {
		for _, d := range kind.of {
			r := d.report(kind.name)
			r.Time = brief.Join(" to ", p.Begin, p.End)
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("crash: a payload without a diagnostic")
	}
	first := all[0]
	first.Body, first.More = doc, all[1:]
	return first, nil
}

func (d diagnostic) report(kind string) *Report {
	meta := func(key string) string {
		return strings.Trim(string(d.Meta[key]), `"`)
	}
	r := &Report{Form: FormMetricKit, BugType: kind, Crashed: -1, BundleID: meta("bundleIdentifier"), Version: meta("appVersion"),
		Build: meta("appBuildVersion"),
		OS:    meta("osVersion"), Model: meta("deviceType"), Arch: meta("platformArchitecture"), Termination: meta("terminationReason")}
	r.Exception = Exception{Type: named(exceptions, meta("exceptionType")), Signal: named(signals, meta("signal")),
		Codes: meta("exceptionCode"), Note: meta("virtualMemoryRegionInfo")}
	var reason struct {
		Message string `json:"composedMessage"`
	}
	if json.Unmarshal(d.Meta["objectiveCexceptionReason"], &reason) == nil && reason.Message != "" {
		r.Reasons = append(r.Reasons, reason.Message)
	}
	for i, s := range d.Tree.Stacks {
		t := Thread{Index: i, Crashed: s.Attributed}
		for _, root := range s.Roots {
			root.frames(r, &t)
		}
		if s.Attributed && r.Crashed < 0 {
			r.Crashed = i
		}
		r.Threads = append(r.Threads, t)
	}
	return r
}

// MetricKit writes numbers where crash reports have names.
var (
	exceptions = map[string]string{"1": "EXC_BAD_ACCESS", "2": "EXC_BAD_INSTRUCTION", "3": "EXC_ARITHMETIC", "5": "EXC_SOFTWARE",
		"6": "EXC_BREAKPOINT", "10": "EXC_CRASH", "11": "EXC_RESOURCE", "12": "EXC_GUARD"}
	signals = map[string]string{"4": "SIGILL", "5": "SIGTRAP", "6": "SIGABRT", "8": "SIGFPE", "9": "SIGKILL", "10": "SIGBUS",
		"11": "SIGSEGV", "15": "SIGTERM"}
)

func named(names map[string]string, number string) string {
	if name := names[number]; name != "" {
		return name
	}
	return number
}

// frames writes the tree as a stack: in a crash every node has one child.
func (n mxNode) frames(r *Report, t *Thread) {
	f := Frame{Image: cmp.Or(n.Name, n.UUID), Offset: n.Offset}
	if n.Address > 0 {
		f.Address = hex(n.Address)
	}
	t.Frames = append(t.Frames, f)
	if n.UUID != "" && !slices.ContainsFunc(r.Images, func(i Image) bool { return i.UUID == n.UUID }) {
		r.Images = append(r.Images, Image{Name: n.Name, UUID: n.UUID})
	}
	for _, s := range n.Sub {
		s.frames(r, t)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
