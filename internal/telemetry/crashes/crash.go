// Package crashes stores crash reports. A Watcher looks into the folders of the system and of the home, stores each new report as a
// document and an entry, and groups reports of the same cause. Hook runs a program for each new crash, and Symbols adds missing source
// lines. The package asks no device: reports of devices must be copied into the home first.
package crashes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"ios-agent/internal/apple/crash"
	"ios-agent/internal/apple/reports"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/text/brief"
)

// Kind is the kind of the documents. The body of each is a Crash.
const Kind = "crash"

// Crash is one stored report. The words of exception, signal and frames come from the report.
type Crash struct {
	ID        string    `json:"crash_id"`        // unchanged if the file is moved
	Kind      string    `json:"kind"`            // crash, jetsam, hang, resource or panic
	About     string    `json:"about,omitempty"` // meaning of the kind, except for crashes
	Group     string    `json:"group"`           // the same for crashes of the same cause
	Time      time.Time `json:"time"`
	UDID      string    `json:"udid,omitempty"`
	Bundle    string    `json:"bundle_id,omitempty"`
	Process   string    `json:"process"`
	PID       int       `json:"pid,omitempty"`
	Version   string    `json:"version,omitempty"`
	OS        string    `json:"os_version,omitempty"`
	Model     string    `json:"model,omitempty"`
	Exception string    `json:"exception_type,omitempty"`
	Codes     string    `json:"exception_codes,omitempty"`
	Signal    string    `json:"signal,omitempty"`
	Reason    string    `json:"reason,omitempty"` // message of the process or the system, in one line
	Frames    []Frame   `json:"frames"`           // the app's own, innermost first; without any, the innermost frames of the thread
	Stack     []Frame   `json:"stack"`            // of the crashed thread
	Images    []Image   `json:"images,omitempty"` // the app's, for symbol lookup
	Path      string    `json:"path"`             // of the file
	Raw       string    `json:"raw,omitempty"`    // beginning of the file
}

// Frame is one call of a stack.
type Frame struct {
	Image   string `json:"image,omitempty"`
	Symbol  string `json:"symbol,omitempty"`
	Offset  uint64 `json:"offset,omitempty"` // in the symbol, or else in the image
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Address string `json:"address,omitempty"`
	Own     bool   `json:"own,omitempty"` // of the app
}

// Image is a library of the app.
type Image struct {
	Name string `json:"name"`
	UUID string `json:"uuid,omitempty"`
	Arch string `json:"arch,omitempty"`
	Base string `json:"base,omitempty"`
	Path string `json:"path,omitempty"`
}

// The limits of a stored report: a stack overflow has tens of thousands of frames.
const (
	mostFrames = 12
	mostStack  = 60
	mostImages = 20
	mostRaw    = 3000
	mostReason = 600
	mostWord   = 300 // length of a symbol or a name
)

// of makes a Crash from a report.
func of(r *crash.Report, f reports.File, data []byte) Crash {
	at, told := r.When()
	if !told {
		at = f.Time
	}
	c := Crash{
		ID: f.ID(r), Kind: string(r.Kind), Group: r.Group(), Time: at.UTC(), UDID: clip(r.Simulator), Bundle: clip(r.BundleID),
		Process: clip(cmp.Or(r.App, r.BundleID, "unknown")), PID: r.PID, Version: clip(version(r)), OS: clip(r.OS), Model: clip(r.Model),
		Exception: clip(r.Exception.Type), Codes: clip(brief.Join(", ", r.Exception.Subtype, r.Exception.Codes)),
		Signal: clip(r.Exception.Signal),
		Reason: reason(r), Frames: frames(r.Top(mostFrames)), Stack: []Frame{}, Path: f.Path, Raw: start(data),
	}
	if r.Kind != crash.Crash {
		c.About = brief.Join(", ", r.About(), r.Duration)
	}
	if t := r.CrashedThread(); t != nil {
		c.Stack = frames(t.Frames[:min(len(t.Frames), mostStack)])
	} else if len(r.Backtraces) > 0 {
		c.Stack = frames(r.Backtraces[0].Frames[:min(len(r.Backtraces[0].Frames), mostStack)])
	}
	used := map[string]bool{}
	for _, f := range c.Frames {
		used[f.Image] = used[f.Image] || f.Own
	}
	for _, i := range r.Images {
		if used[i.Name] && len(c.Images) < mostImages {
			c.Images = append(c.Images, Image{Name: clip(i.Name), UUID: clip(i.UUID), Arch: clip(cmp.Or(i.Arch, arch(r.Arch))), Base: clip(i.Base),
				Path: clip(i.Path)})
		}
	}
	return c
}

func version(r *crash.Report) string {
	if r.Build == "" {
		return r.Version
	}
	return strings.TrimSpace(r.Version + " (" + r.Build + ")")
}

// arch is the architecture in the words of Apple's tools.
func arch(cpu string) string {
	switch {
	case strings.HasPrefix(cpu, "ARM-64"), cpu == "arm64":
		return "arm64"
	case strings.HasPrefix(cpu, "X86-64"), cpu == "x86_64":
		return "x86_64"
	}
	return ""
}

// reason is the message about the end, in one line: the process's own message, then the notes of the reporter.
func reason(r *crash.Report) string {
	for _, s := range append(append([]string{}, r.Reasons...), r.Termination, r.Exception.Note) {
		if s = strings.Join(strings.Fields(s), " "); s != "" && s != "abort() called" {
			return brief.Clip(s, mostReason)
		}
	}
	return ""
}

func frames(all []crash.Frame) []Frame {
	out := make([]Frame, 0, len(all))
	for _, f := range all {
		out = append(out, Frame{Image: clip(f.Image), Symbol: clip(f.Symbol), Offset: f.Offset, File: clip(f.File), Line: f.Line,
			Address: clip(f.Address), Own: f.Own})
	}
	return out
}

// clip limits a word of a report in length and to one line, because the author of the app chose it.
func clip(s string) string {
	return brief.Clip(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "")), mostWord)
}

func start(data []byte) string {
	return strings.ToValidUTF8(string(data[:min(len(data), mostRaw)]), "")
}

// String is the frame in a line: the image, the function, and the source line if it is known.
func (f Frame) String() string {
	at := ""
	if f.Line > 0 {
		at = fmt.Sprintf("(%s:%d)", f.File, f.Line)
	} else if f.File != "" {
		at = "(" + f.File + ")"
	}
	return brief.Join(" ", f.Image, f.function(), at)
}

func (f Frame) function() string {
	if f.Symbol == "" {
		return fmt.Sprintf("+%d", f.Offset)
	}
	return f.Symbol
}

// Ended is the end of the process: the exception and the signal.
func (c Crash) Ended() string {
	word := c.Exception
	if c.Signal != "" && c.Signal != c.Exception {
		word = strings.TrimSpace(word + " (" + c.Signal + ")")
	}
	return cmp.Or(word, c.About, c.Kind)
}

// Line is the report in one line, for the log.
func (c Crash) Line() string {
	line := strings.ToUpper(c.Kind) + ": " + c.Process + " " + c.Ended()
	if len(c.Frames) > 0 {
		line += " @ " + c.Frames[0].function()
	}
	return line
}

// levels are the levels of the kinds that become entries.
var levels = map[string]telemetry.Level{
	string(crash.Crash): telemetry.Fault, string(crash.Jetsam): telemetry.Error, string(crash.Panic): telemetry.Fault,
	string(crash.Hang): telemetry.Warning, string(crash.Resource): telemetry.Warning,
}

const mostRawEntry = 2000

func (c Crash) entry() telemetry.Entry {
	return telemetry.Entry{Time: c.Time, Device: c.UDID, App: c.Bundle, Process: c.Process, PID: c.PID, Source: telemetry.Crash,
		Level: levels[c.Kind], Message: c.Line(), Raw: brief.Clip(c.Raw, mostRawEntry)}
}

// Read reads a document of the store.
func Read(d telemetry.Document) (Crash, error) {
	var c Crash
	err := json.Unmarshal(d.Body, &c)
	return c, err
}
