package crash

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/text/brief"
)

// readJSON reads an .ips or a payload; nil when the text does not begin with JSON.
func readJSON(data []byte) (*Report, error) {
	body := jsondoc.Body(data)
	if body == nil || body[0] != '{' {
		return nil, nil
	}
	var first, second json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(body))
	if jsondoc.Decode(data, &first) != nil || dec.Decode(&first) != nil {
		return nil, nil
	}
	rest := bytes.TrimSpace(body[dec.InputOffset():])
	o := jsondoc.Look(first)
	switch {
	case o.HasAny("crashDiagnostics", "hangDiagnostics", "cpuExceptionDiagnostics", "diskWriteExceptionDiagnostics"):
		return readPayload(first)
	case len(rest) > 0 && rest[0] == '{':
		if err := jsondoc.Decode(rest, &second); err != nil {
			return nil, fmt.Errorf("crash: the body: %w", err)
		}
		return readIPS(first, second), nil
	case len(rest) > 0:
		r := readText(string(rest))
		if r == nil {
			return nil, fmt.Errorf("crash: a header without a report")
		}
		h := readIPS(first, nil)
		r.Form, r.Header, r.BugType = FormIPS, first, h.BugType
		r.fillFrom(h)
		return r, nil
	case o.HasAny("exception", "threads", "procName"):
		return readIPS(nil, first), nil
	case o.HasAny("bug_type", "incident_id"):
		return readIPS(first, nil), nil
	}
	return nil, nil
}

type header struct {
	App      string `json:"app_name"`
	Name     string `json:"name"`
	Bundle   string `json:"bundleID"`
	Version  string `json:"app_version"`
	Build    string `json:"build_version"`
	OS       string `json:"os_version"`
	Time     string `json:"timestamp"`
	Incident string `json:"incident_id"`
	BugType  any    `json:"bug_type"`
}

type body struct {
	Proc      string `json:"procName"`
	Path      string `json:"procPath"`
	PID       int    `json:"pid"`
	Model     string `json:"modelCode"`
	CPU       string `json:"cpuType"`
	Time      string `json:"captureTime"`
	Incident  string `json:"incident"`
	OSVersion struct {
		Train string `json:"train"`
		Build string `json:"build"`
	} `json:"osVersion"`
	Bundle struct {
		ID      string `json:"CFBundleIdentifier"`
		Version string `json:"CFBundleShortVersionString"`
		Build   string `json:"CFBundleVersion"`
	} `json:"bundleInfo"`
	Exception struct {
		Type    string `json:"type"`
		Signal  string `json:"signal"`
		Codes   string `json:"codes"`
		Subtype string `json:"subtype"`
		Message string `json:"message"`
	} `json:"exception"`
	BugType     any    `json:"bug_type"`
	Coalition   string `json:"coalitionName"`
	Termination struct {
		Namespace string   `json:"namespace"`
		Code      int64    `json:"code"`
		Indicator string   `json:"indicator"`
		ByProc    string   `json:"byProc"`
		Details   []string `json:"details"`
		Reasons   []string `json:"reasons"`
	} `json:"termination"`
	ASI      map[string][]string `json:"asi"`
	Faulting *int                `json:"faultingThread"`
	Threads  []struct {
		Name      string  `json:"name"`
		Queue     string  `json:"queue"`
		Triggered bool    `json:"triggered"`
		Frames    []frame `json:"frames"`
	} `json:"threads"`
	Last   []frame `json:"lastExceptionBacktrace"`
	Images []struct {
		Base    uint64 `json:"base"`
		Size    uint64 `json:"size"`
		UUID    string `json:"uuid"`
		Arch    string `json:"arch"`
		Name    string `json:"name"`
		Path    string `json:"path"`
		Bundle  string `json:"CFBundleIdentifier"`
		Version string `json:"CFBundleShortVersionString"`
	} `json:"usedImages"`
	Reason struct {
		Name   string `json:"name"`
		Reason string `json:"composed_message"`
		Type   string `json:"type"`
		Format string `json:"format_string"`
	} `json:"exceptionReason"`
}

type frame struct {
	Image  int    `json:"imageIndex"`
	Offset uint64 `json:"imageOffset"`
	Symbol string `json:"symbol"`
	At     uint64 `json:"symbolLocation"`
	File   string `json:"sourceFile"`
	Line   int    `json:"sourceLine"`
}

// lenient decodes the fields that fit: one field of another type must not lose the others.
func lenient(b []byte, to any) {
	var extra jsondoc.Extra
	_ = jsondoc.Into(b, to, &extra)
}

func readIPS(head, main json.RawMessage) *Report {
	var h header
	var b body
	if head != nil {
		lenient(head, &h)
	}
	if main != nil {
		lenient(main, &b)
	}
	r := &Report{Form: FormIPS, Header: head, Body: main, Crashed: -1}
	r.App, r.BundleID = cmp.Or(h.App, h.Name, b.Proc), cmp.Or(h.Bundle, b.Bundle.ID)
	r.Version, r.Build = cmp.Or(h.Version, b.Bundle.Version), cmp.Or(h.Build, b.Bundle.Build)
	r.OS = cmp.Or(h.OS, brief.Join(" ", b.OSVersion.Train, b.OSVersion.Build))
	r.Time, r.Incident = cmp.Or(b.Time, h.Time), cmp.Or(h.Incident, b.Incident)
	for _, bug := range []any{b.BugType, h.BugType} {
		if bug != nil {
			r.BugType = fmt.Sprint(bug)
		}
	}
	r.Simulator = b.Coalition
	r.PID, r.Path, r.Model, r.Arch = b.PID, b.Path, b.Model, b.CPU
	e := b.Exception
	r.Exception = Exception{Type: e.Type, Signal: e.Signal, Codes: e.Codes, Subtype: e.Subtype, Note: e.Message}
	t := b.Termination
	if t.Namespace != "" {
		r.Termination = brief.Join(" ", t.Namespace, strconv.FormatInt(t.Code, 10), t.Indicator)
	}
	r.Reasons = append(append(r.Reasons, t.Reasons...), t.Details...)
	if s := brief.Join(": ", b.Reason.Name, b.Reason.Reason); s != "" {
		r.Reasons = append(r.Reasons, s)
	}
	for _, lib := range sortedKeys(b.ASI) {
		r.Reasons = append(r.Reasons, b.ASI[lib]...)
	}
	b.threads(r)
	r.readMemory(main)
	return r
}

func (b *body) threads(r *Report) {
	for _, i := range b.Images {
		name := cmp.Or(i.Name, i.Bundle, i.Path[strings.LastIndexByte(i.Path, '/')+1:])
		r.Images = append(r.Images, Image{Name: name, UUID: i.UUID, Arch: i.Arch, Version: i.Version, Path: i.Path, Base: hex(i.Base),
			End: hex(i.Base + i.Size)})
	}
	if b.Faulting != nil {
		r.Crashed = *b.Faulting
	}
	for n, t := range b.Threads {
		x := Thread{Index: n, Name: t.Name, Queue: t.Queue, Crashed: t.Triggered || n == r.Crashed, Frames: b.frames(t.Frames)}
		if t.Triggered && r.Crashed < 0 {
			r.Crashed = n
		}
		r.Threads = append(r.Threads, x)
	}
	if len(b.Last) > 0 {
		r.Backtraces = append(r.Backtraces, Thread{Name: "last exception", Frames: b.frames(b.Last)})
	}
}

func (b *body) frames(in []frame) []Frame {
	var out []Frame
	for _, f := range in {
		x := Frame{Symbol: f.Symbol, Offset: f.At, File: f.File, Line: f.Line}
		if f.Image >= 0 && f.Image < len(b.Images) {
			i := b.Images[f.Image]
			x.Image = cmp.Or(i.Name, i.Path[strings.LastIndexByte(i.Path, '/')+1:])
			x.Address = hex(i.Base + f.Offset)
		}
		if f.Symbol == "" {
			x.Offset = f.Offset
		}
		out = append(out, x)
	}
	return out
}

// fillFrom copies the fields that only the other report has.
func (r *Report) fillFrom(o *Report) {
	for _, p := range []struct{ to, from *string }{
		{&r.App, &o.App}, {&r.BundleID, &o.BundleID}, {&r.Version, &o.Version}, {&r.Build, &o.Build}, {&r.OS, &o.OS},
		{&r.Incident, &o.Incident}, {&r.Time, &o.Time},
	} {
		if *p.to == "" {
			*p.to = *p.from
		}
	}
}

func hex(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }
